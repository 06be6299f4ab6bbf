"""The studio's pictures: repeatable, one for every kind and style, true to the words."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-build.txt)")

from builders.studio.garment import Garment, palette, sample_garment, styles
from builders.studio.kinds import COLOURS, KINDS
from builders.studio.patterns import PATTERNS
from builders.studio.render import render

STYLES = [(kind, style) for kind in KINDS for style in styles(kind)]


def _garment(kind: str, style: str | None = None, seed: int = 3) -> Garment:
    return sample_garment(random.Random(seed), kind, style=style)


def _pixels(garment: Garment, view: str = "product", height: int = 128) -> np.ndarray:
    return np.asarray(render(garment, view, height)).astype(float)  # type: ignore[arg-type]


def test_the_studio_draws_at_least_24_kinds() -> None:
    assert len(KINDS) >= 24


@pytest.mark.parametrize("view", ["product", "sketch", "mask"])
def test_the_same_garment_gives_the_same_bytes(view: str) -> None:
    for kind in ("Dress", "Sneakers", "Hat"):
        assert np.array_equal(_pixels(_garment(kind), view), _pixels(_garment(kind), view))


@pytest.mark.parametrize(("kind", "style"), STYLES, ids=[f"{k}-{s}" for k, s in STYLES])
def test_every_style_fills_its_mask_and_nothing_else(kind: str, style: str) -> None:
    garment = _garment(kind, style)
    mask = _pixels(garment, "mask") > 128
    assert 0.04 < mask.mean() < 0.75
    assert mask[2:-2, 2:-2].sum() == mask.sum(), "cut off by the frame"
    picture = _pixels(garment)
    far = ~_grown(mask, 14)
    assert picture[far].min(initial=255) > 248, "something is drawn outside the mask"
    inside = picture[mask].mean(axis=1)
    assert (inside < 253).mean() > 0.75, "the mask holds unpainted ground"


def _grown(mask: np.ndarray, by: int) -> np.ndarray:
    """The mask with its shadow: every pixel within a square of `by` pixels."""
    padded = np.pad(mask, by)
    rows = np.lib.stride_tricks.sliding_window_view(padded, 2 * by + 1, axis=0).any(-1)
    return np.lib.stride_tricks.sliding_window_view(rows, 2 * by + 1, axis=1).any(-1)


_MAINLY_CLOTH = [kind for kind in KINDS if kind not in ("Sandals", "Heels", "Sunglasses", "Watch", "Sneakers", "Cap")]


@pytest.mark.parametrize("kind", _MAINLY_CLOTH)
def test_the_middle_colour_inside_the_mask_is_the_named_colour(kind: str) -> None:
    for colour in random.Random(kind).sample(palette(kind, styles(kind)[0]), 4):
        garment = replace(sample_garment(random.Random(5), kind, colour, styles(kind)[0]), pattern="Solid")
        picture, mask = _pixels(garment), _pixels(garment, "mask") > 250
        seen = np.median(picture[mask], axis=0)
        assert np.abs(seen - COLOURS[colour]).max() < 52, f"{colour} {kind} looks {seen}"


def test_the_named_colour_is_nearer_than_any_other_for_plain_t_shirts() -> None:
    table = np.array(list(COLOURS.values()), dtype=float)
    for colour in palette("T-shirt", "Classic"):
        garment = replace(sample_garment(random.Random(2), "T-shirt", colour), pattern="Solid", material="Jersey")
        seen = np.median(_pixels(garment)[_pixels(garment, "mask") > 250], axis=0)
        assert list(COLOURS)[np.abs(table - seen).sum(axis=1).argmin()] == colour


@pytest.mark.parametrize("pattern", [p for p in PATTERNS if p not in ("Solid", "Tipped", "Printed", "Washed")])
def test_every_pattern_changes_the_picture_of_a_dress(pattern: str) -> None:
    plain = replace(sample_garment(random.Random(9), "Dress", "Teal", "A-Line"), pattern="Solid")
    difference = np.abs(_pixels(plain) - _pixels(replace(plain, pattern=pattern))).max(axis=2)
    inside = _pixels(plain, "mask") > 250
    assert (difference[inside] > 8).mean() > 0.08


def test_a_printed_shirt_shows_its_motif_in_the_second_colour() -> None:
    plain = replace(
        sample_garment(random.Random(1), "T-shirt", "White"), pattern="Solid", second="Red", sleeves="Short Sleeves"
    )
    printed = _pixels(replace(plain, pattern="Printed"))
    near_red = np.abs(printed - COLOURS["Red"]).max(axis=2) < 40
    assert near_red.sum() > 60
    assert (np.abs(_pixels(plain) - COLOURS["Red"]).max(axis=2) < 40).sum() == 0


def test_a_sketch_is_black_lines_on_white_that_wobble_with_the_seed() -> None:
    garment = _garment("Coat")
    one, two = _pixels(garment, "sketch"), _pixels(replace(garment, seed=garment.seed + 1), "sketch")
    assert np.abs(one - one.mean(axis=2, keepdims=True)).max() < 12, "a sketch has no colour"
    assert 0.01 < (one.mean(axis=2) < 128).mean() < 0.3
    assert not np.array_equal(one, two)


def test_longer_words_give_longer_pictures() -> None:
    skirt = replace(sample_garment(random.Random(4), "Skirt", "Red", "A-Line"), pattern="Solid")
    heights = []
    for length in ("Mini", "Knee Length", "Midi", "Maxi"):
        rows = (_pixels(replace(skirt, length=length), "mask") > 128).any(axis=1)
        heights.append(int(rows.sum()))
    assert heights == sorted(set(heights))


def test_long_sleeves_add_cloth_that_short_sleeves_lack() -> None:
    shirt = replace(sample_garment(random.Random(4), "Shirt", "Blue"), sleeves="Short Sleeves")
    short = (_pixels(shirt, "mask") > 128).sum()
    assert (_pixels(replace(shirt, sleeves="Long Sleeves"), "mask") > 128).sum() > 1.05 * short

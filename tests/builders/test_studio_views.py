"""Other views and users' pictures show the same garment, and always the same way."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-build.txt)")

from builders.studio import views
from builders.studio.garment import Garment, sample_garment
from builders.studio.kinds import COLOURS, KINDS
from builders.studio.painting import union
from builders.studio.render import render
from builders.studio.shapes import draw
from builders.studio.street import cut_out, street

NEW = ("other", "street", "cutout")


def _garment(kind: str, seed: int = 4) -> Garment:
    return sample_garment(random.Random(seed), kind)


def _pixels(garment: Garment, view: str, height: int = 128) -> np.ndarray:
    return np.asarray(render(garment, view, height)).astype(float)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("view", NEW)
def test_every_kind_has_the_new_views_and_they_are_repeatable(kind: str, view: str) -> None:
    one = _pixels(_garment(kind), view, 96)
    assert one.shape == (96, 72, 3)
    assert one.std() > 8
    assert np.array_equal(one, _pixels(_garment(kind), view, 96))


def test_another_seed_is_photographed_in_another_way() -> None:
    skirt = _garment("Skirt")
    for view in NEW:
        assert not np.array_equal(_pixels(skirt, view), _pixels(replace(skirt, seed=skirt.seed + 1), view))


@pytest.mark.parametrize("kind", ["T-shirt", "Coat", "Skirt", "Trousers", "Handbag", "Boots", "Scarf"])
@pytest.mark.parametrize("colour", ["Red", "Navy Blue", "Green"])
def test_a_users_picture_shows_the_garments_colour_inside_its_mask(kind: str, colour: str) -> None:
    for seed in range(3):
        garment = replace(_garment(kind, seed), colour=colour, pattern="Solid", material="Leather")
        picture, mask = street(garment, 128)
        inside = np.asarray(mask) > 250
        assert 0.03 < inside.mean() < 0.8
        seen = np.median(np.asarray(picture).astype(float)[inside], axis=0)
        assert np.abs(seen - COLOURS[colour]).max() < 70, f"{kind} {seed} looks {seen}"


@pytest.mark.parametrize("kind", ["Dress", "Sweater", "Jeans", "Sneakers", "Tote Bag"])
def test_another_view_keeps_the_colours_of_the_product(kind: str) -> None:
    for seed in range(4):
        garment = replace(_garment(kind, seed), pattern="Solid", colour="Blue")
        product, other = _pixels(garment, "product"), _pixels(garment, "other")
        found = [(np.abs(view - COLOURS["Blue"]).max(axis=2) < 60).mean() for view in (product, other)]
        assert found[1] > 0.35 * found[0], f"{kind} {seed}: {found}"


def test_a_cutout_is_the_users_picture_inside_the_mask_and_white_outside() -> None:
    garment = _garment("Dress")
    picture, mask = street(garment, 128)
    cut, alpha = _pixels(garment, "cutout"), np.asarray(mask)
    assert np.array_equal(cut[alpha == 255], np.asarray(picture).astype(float)[alpha == 255])
    assert (cut[alpha == 0] == 255).all()
    assert np.array_equal(cut, np.asarray(cut_out(picture, mask)).astype(float))


def test_a_users_picture_has_a_background() -> None:
    picture, mask = street(_garment("Shirt"), 128)
    ground = np.asarray(picture).astype(float)[np.asarray(mask) == 0]
    assert (ground > 250).all(axis=1).mean() < 0.2
    assert ground.std() > 5


def test_a_shirt_from_behind_has_no_buttons_and_no_hole_at_the_neck() -> None:
    shirt = replace(_garment("Shirt"), pattern="Solid", colour="White")
    drawing = draw(shirt)
    back = views.back_of(shirt, drawing)
    assert {part.fabric for part in drawing.parts} >= {"button", "label"}
    assert not {part.fabric for part in back} & {"button", "label", "metal"}
    whole, behind = union(drawing.parts).getBounds(), union(back).getBounds()
    assert behind.width() == pytest.approx(whole.width(), rel=0.02)
    assert behind.height() == pytest.approx(whole.height(), rel=0.06)


def test_printed_garments_are_not_shown_from_behind() -> None:
    tee = replace(_garment("T-shirt"), pattern="Printed")
    assert "back" not in views.ways(tee)
    assert "back" in views.ways(replace(tee, pattern="Solid"))

"""Outfits keep the stated rules."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-build.txt)")

from builders.studio.garment import Garment, sample_garment
from builders.studio.kinds import KINDS
from builders.studio.outfits import (
    NEUTRALS,
    PLACE_OF,
    STRONG,
    Wardrobe,
    colours_agree,
    go_together,
    is_outfit,
    kinds_agree,
)


@pytest.fixture(scope="module")
def garments() -> list[Garment]:
    rng = random.Random(8)
    return [sample_garment(rng) for _ in range(700)]


def _plain(kind: str, colour: str, **words: str) -> Garment:
    base = sample_garment(random.Random(1), kind)
    usual = {"pattern": "Solid", "gender": "Women", "usage": "Casual", "season": "Summer", **words}
    return replace(base, colour=colour, **usual)  # type: ignore[arg-type]


def test_every_kind_has_a_place() -> None:
    assert set(PLACE_OF) == set(KINDS)


def test_a_dress_leaves_no_room_for_a_top_or_a_bottom() -> None:
    assert not kinds_agree("Dress", "Skirt")
    assert not kinds_agree("Shirt", "Jumpsuit")
    assert kinds_agree("Dress", "Heels")


def test_a_tie_goes_with_a_shirt_and_not_with_a_hoodie() -> None:
    assert kinds_agree("Tie", "Shirt")
    assert not kinds_agree("Hoodie", "Tie")


@pytest.mark.parametrize(
    ("change", "agrees"),
    [
        ({}, True),
        ({"gender": "Unisex"}, True),
        ({"gender": "Men"}, False),
        ({"usage": "Sports"}, False),
        ({"usage": "Travel"}, True),
        ({"season": "Spring"}, True),
        ({"season": "Winter"}, False),
        ({"pattern": "Floral"}, True),
    ],
)
def test_occasion_season_and_gender_must_agree(change: dict[str, str], agrees: bool) -> None:
    assert go_together(_plain("T-shirt", "Red"), replace(_plain("Jeans", "Black"), **change)) is agrees  # type: ignore[arg-type]


def test_two_strong_patterns_do_not_go_together() -> None:
    top, skirt = _plain("T-shirt", "Red", pattern="Striped"), _plain("Skirt", "Black", pattern="Floral")
    assert not go_together(top, skirt)
    assert go_together(replace(top, pattern="Melange"), skirt)


def test_colours_agree_when_equal_neutral_or_friends() -> None:
    red = _plain("T-shirt", "Red")
    assert colours_agree(red, _plain("Skirt", "Red"))
    assert colours_agree(red, _plain("Skirt", "Grey"))
    assert colours_agree(red, _plain("Skirt", "Pink"))
    assert not colours_agree(red, _plain("Skirt", "Green"))


def test_what_a_wardrobe_finds_completes_an_outfit(garments: list[Garment]) -> None:
    wardrobe = Wardrobe((f"{number:04d}", garment) for number, garment in enumerate(garments))
    found = 0
    for number, garment in enumerate(garments[:150]):
        rng, worn = random.Random(number), [garment]
        for _ in range(3):
            match = wardrobe.match(worn, rng)
            if match is not None:
                assert garments[int(match[0])] == match[1]
                worn.append(match[1])
        assert is_outfit(worn)
        assert len({PLACE_OF[each.kind] for each in worn}) == len(worn)
        assert sum(each.pattern in STRONG for each in worn) <= 1
        found += len(worn) > 2
    assert found > 100


def test_the_same_draw_finds_the_same(garments: list[Garment]) -> None:
    wardrobe = Wardrobe((f"{number:04d}", garment) for number, garment in enumerate(garments))
    assert wardrobe.match([garments[5]], random.Random(1)) == wardrobe.match([garments[5]], random.Random(1))


def test_all_neutrals_go_with_a_loud_colour() -> None:
    assert all(colours_agree(_plain("Belt", neutral), _plain("Dress", "Magenta")) for neutral in NEUTRALS)

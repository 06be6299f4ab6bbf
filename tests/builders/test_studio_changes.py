"""Changed garments differ in what the request says, visibly, and in nothing else."""

from __future__ import annotations

import random
from dataclasses import fields

import numpy as np
import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-build.txt)")

from builders.studio.changes import CHANGEABLE, Change, clause, draw_change, options, request, with_word
from builders.studio.garment import Garment, sample_garment
from builders.studio.kinds import COLOURS
from builders.studio.naming import PATTERN_WORDS
from builders.studio.render import render


@pytest.fixture(scope="module")
def changes() -> list[Change]:
    rng = random.Random(21)
    return [draw_change(sample_garment(rng), rng, 1 + number % 2) for number in range(400)]


def _differences(change: Change) -> set[str]:
    return {f.name for f in fields(Garment) if getattr(change.before, f.name) != getattr(change.after, f.name)}


def test_a_change_differs_in_exactly_its_attributes(changes: list[Change]) -> None:
    for change in changes:
        assert set(change.attributes) == _differences(change)
        assert 1 <= len(change.attributes) <= 2


def test_every_attribute_that_can_be_changed_is_changed_somewhere(changes: list[Change]) -> None:
    found = {name for change in changes for name in change.attributes}
    assert found >= set(CHANGEABLE) - {"closure", "pockets"}


def test_what_is_seen_from_near_only_is_never_changed_alone(changes: list[Change]) -> None:
    alone = [change for change in changes if len(change.attributes) == 1]
    assert not [change for change in alone if change.attributes == ("material",)]
    assert not [change for change in alone if change.attributes == ("neckline",) and change.before.kind == "Dress"]
    assert any("material" in change.attributes for change in changes)


def test_a_request_says_every_new_word(changes: list[Change]) -> None:
    rng = random.Random(5)
    for change in changes:
        text = request(change, rng)
        for name in change.attributes:
            word = str(getattr(change.after, name)).lower()
            if name == "pattern":
                says = clause(change.after, name).removeprefix("with ")
                assert says in text or PATTERN_WORDS[change.after.pattern] in text
            elif name != "pockets" or word != "none":
                assert word in text, text


def test_a_request_claims_no_colour_that_neither_garment_has(changes: list[Change]) -> None:
    rng = random.Random(6)
    single = [c for c in COLOURS if " " not in c]
    for change in changes:
        words = set(request(change, rng).replace(",", " ").replace("?", " ").split())
        own = " ".join((change.before.colour, change.before.second, change.after.colour, change.after.second))
        assert {c for c in single if c.lower() in words} <= set(own.split()), request(change, rng)


def test_a_change_of_pattern_names_the_second_colour_that_it_brings() -> None:
    rng = random.Random(2)
    shirt = next(g for g in (sample_garment(rng, "Shirt") for _ in range(200)) if "Striped" in options(g, "pattern"))
    for _ in range(20):
        change = draw_change(shirt, rng)
        if change.after.pattern == "Striped" != shirt.pattern:
            assert shirt.second.lower() in request(change, rng)


def test_the_way_back_is_the_same_change(changes: list[Change]) -> None:
    back = changes[0].reversed()
    assert (back.before, back.after) == (changes[0].after, changes[0].before)
    assert back.attributes == changes[0].attributes


@pytest.mark.parametrize("attribute", CHANGEABLE)
def test_a_change_can_be_seen(attribute: str) -> None:
    rng, seen = random.Random(attribute), 0
    for _ in range(1200):
        garment = sample_garment(rng)
        found = options(garment, attribute)
        if not found:
            continue
        if seen == 6:
            break
        seen += 1
        before = np.asarray(render(garment, height=160)).astype(float)
        after = np.asarray(render(with_word(garment, attribute, rng.choice(found)), height=160)).astype(float)
        share = (np.abs(before - after).max(axis=2) > 12).mean()
        assert share > 0.002, f"{garment} by {attribute}: {share}"
    assert seen >= 5


def test_what_no_shop_sells_is_not_offered() -> None:
    rng = random.Random(3)
    for _ in range(300):
        garment = sample_garment(rng, "Shirt")
        if garment.material == "Denim":
            assert options(garment, "pattern") == []
            assert "Pink" not in options(garment, "colour")

"""The sampler and the words: sensible combinations, true names and captions."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-build.txt)")

from builders.studio import naming
from builders.studio.garment import ONE_COLOUR, Garment, palette, sample_garment, styles
from builders.studio.kinds import COLOURS, KINDS
from builders.studio.patterns import PATTERNS


@pytest.fixture(scope="module")
def garments() -> list[Garment]:
    rng = random.Random(12)
    return [sample_garment(rng) for _ in range(1500)]


def test_the_same_seed_draws_the_same_garments() -> None:
    assert [sample_garment(random.Random(3)) for _ in range(5)] == [sample_garment(random.Random(3)) for _ in range(5)]


def test_a_kind_and_a_colour_that_are_given_are_kept() -> None:
    garment = sample_garment(random.Random(0), "Scarf", "Mustard", "Fringed")
    assert (garment.kind, garment.colour, garment.style) == ("Scarf", "Mustard", "Fringed")


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="known kinds: T-shirt"):
        styles("Spacesuit")


def test_every_colour_and_pattern_that_is_drawn_is_known(garments: list[Garment]) -> None:
    assert {g.colour for g in garments} | {g.second for g in garments} <= set(COLOURS)
    assert {g.pattern for g in garments} <= set(PATTERNS)


def test_the_second_colour_differs_from_the_first(garments: list[Garment]) -> None:
    assert all(g.second != g.colour for g in garments)


def test_no_shop_sells_what_the_sampler_does_not_draw(garments: list[Garment]) -> None:
    assert not [g for g in garments if g.kind == "Dress" and g.gender != "Women"]
    assert not [g for g in garments if g.kind == "Jacket" and g.style == "Biker" and g.material == "Nylon"]
    assert not [g for g in garments if g.kind == "Jeans" and g.colour in ("Pink", "Yellow", "Purple")]
    assert not [g for g in garments if g.kind == "T-shirt" and g.gender == "Men" and g.pattern == "Floral"]
    assert not [g for g in garments if g.sleeves == "Sleeveless" and g.kind in ("Sweater", "Coat", "Hoodie")]
    assert {g.season for g in garments if g.kind == "Shirt" and g.material == "Linen"} == {"Summer"}
    assert {g.season for g in garments if g.kind == "Polo" and g.sleeves == "Long Sleeves"} <= {"Fall"}


def test_attributes_leave_out_what_does_not_apply() -> None:
    watch = sample_garment(random.Random(0), "Watch").attributes()
    assert "sleeves" not in watch
    assert "neckline" not in watch
    assert watch["category"] == "Watch"
    assert all(watch.values())


def test_a_second_colour_is_stated_only_where_it_is_seen(garments: list[Garment]) -> None:
    for garment in garments:
        assert ("second_colour" in garment.attributes()) == (garment.pattern not in ONE_COLOUR)


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_style_is_sold_in_at_least_four_known_colours(kind: str) -> None:
    for style in styles(kind):
        colours = palette(kind, style)
        assert len(colours) >= 4
        assert set(colours) <= set(COLOURS)


def test_names_state_colour_and_kind_and_repeat_no_word(garments: list[Garment]) -> None:
    for garment in garments:
        words = naming.name(garment).split()
        assert garment.colour in naming.name(garment)
        assert not [a for a, b in pairwise(words) if a == b], naming.name(garment)


def test_every_caption_names_the_colour_and_captions_differ(garments: list[Garment]) -> None:
    for garment in garments[:400]:
        texts = naming.captions(garment)
        assert len(texts) == len(set(texts)) >= 3
        assert all(garment.colour.lower() in text for text in texts)
        assert all(text == text.strip() and "  " not in text for text in texts)


def test_captions_claim_no_other_colour_than_the_two_of_the_garment(garments: list[Garment]) -> None:
    single = [c for c in COLOURS if " " not in c and c not in ("Blue", "Gold", "Silver")]
    for garment in garments[:400]:
        words = {word for text in naming.captions(garment) for word in text.split()}
        claimed = {c for c in single if c.lower() in words}
        assert claimed <= {garment.colour, garment.second}


def test_a_price_is_within_its_kind_and_does_not_change() -> None:
    tie = sample_garment(random.Random(1), "Tie")
    assert 14 <= naming.price(tie) <= 49
    assert naming.price(tie) == naming.price(replace(tie))


def test_descriptions_are_sentences(garments: list[Garment]) -> None:
    for garment in garments[:300]:
        text = naming.description(garment)
        assert text[0].isupper()
        assert text.endswith(".")
        assert "None" not in text

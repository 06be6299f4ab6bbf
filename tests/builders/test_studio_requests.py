"""What shoppers say of a garment is true of it, and a wish for something that matches gives nothing away."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-build.txt)")

from builders.studio import requests
from builders.studio.garment import Garment, sample_garment
from builders.studio.kinds import COLOURS, KINDS
from builders.studio.naming import PLURAL


@pytest.fixture(scope="module")
def garments() -> list[Garment]:
    rng = random.Random(31)
    return [sample_garment(rng) for _ in range(500)]


_SINGLE = [colour for colour in COLOURS if " " not in colour]
_SLEEVES = ("sleeveless", "short sleeves", "long sleeves", "puff sleeves", "flutter sleeves", "three-quarter sleeves")


def _named(text: str) -> set[str]:
    words = set(text.lower().replace(",", " ").replace("?", " ").split())
    return {colour for colour in _SINGLE if colour.lower() in words}


def test_descriptions_and_sketch_requests_name_the_colour_and_no_foreign_one(garments: list[Garment]) -> None:
    for number, garment in enumerate(garments):
        own = set(garment.colour.split()) | set(garment.second.split())
        for say in (requests.description, requests.sketch_request):
            text = say(garment, random.Random(number))
            assert garment.colour.lower() in text.lower(), text
            assert _named(text) <= own, text


def test_descriptions_claim_no_other_sleeves(garments: list[Garment]) -> None:
    for number, garment in enumerate(garments):
        text = requests.description(garment, random.Random(number)).lower()
        claimed = {words for words in _SLEEVES if words in text}
        assert claimed <= {garment.sleeves.lower()} or "sleeveless top" in text, text


def test_descriptions_vary_in_length_and_form(garments: list[Garment]) -> None:
    texts = [requests.description(garment, random.Random(number)) for number, garment in enumerate(garments)]
    lengths = {len(text.split()) for text in texts}
    assert min(lengths) <= 4
    assert max(lengths) >= 14
    assert len({requests.description(garments[0], random.Random(seed)) for seed in range(40)}) >= 6


@pytest.mark.parametrize("kind", KINDS)
def test_a_wish_for_a_match_names_the_kind_and_nothing_else(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(30):
        wanted = sample_garment(rng, kind)
        text = requests.compatible_request(wanted, rng.choice((1, 3)), rng)
        assert kind.lower() in text or "shoes" in text
        assert not _named(text)
        told = text.replace(kind.lower(), "")
        assert not any(word.lower() in told for word in (wanted.season, wanted.usage, wanted.material))


def test_requests_with_pictures_are_well_formed(garments: list[Garment]) -> None:
    for number, garment in enumerate(garments):
        for say in (requests.street_request, requests.same_item_request):
            text = say(garment, random.Random(number))
            assert "{" not in text
            assert "how does them" not in text
            assert f"this {garment.kind.lower()}" not in text or garment.kind not in PLURAL

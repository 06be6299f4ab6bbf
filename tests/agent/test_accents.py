"""The colour of a part is not the colour of the garment."""

from __future__ import annotations

import pytest

from agent.protocols import Catalogue
from agent.reading import read
from agent.vocabulary import Lexicon

COLOURS = ("colour", "second_colour")


@pytest.fixture(scope="module")
def lexicon(catalogue: Catalogue) -> Lexicon:
    return Lexicon({**catalogue.facets, "second_colour": catalogue.facets["colour"]})


@pytest.mark.parametrize(
    ("text", "colour", "second"),
    [
        ("blue with white stripes", ("Blue",), ("White",)),
        ("with red flowers, please", (), ("Red",)),
        ("with a red argyle pattern", (), ("Red",)),
        ("with red and white stripes", (), ("Red", "White")),
        ("a black jacket with red buttons", ("Black",), ("Red",)),
        ("in green and with a block of red", ("Green",), ("Red",)),
        ("make it striped with white", (), ("White",)),
        ("navy with white", ("Navy Blue",), ("White",)),
        ("with red where it is black", (), ("Red",)),
        ("in red", ("Red",), ()),
        ("a red floral dress", ("Red",), ()),
        ("a striped white t-shirt", ("White",), ()),
        ("a jacket with long sleeves in red", ("Red",), ()),
        ("red and black trousers", ("Red", "Black"), ()),
        ("jackets that go with red trousers", ("Red",), ()),
    ],
)
def test_colours_of_parts_are_second_colours(
    lexicon: Lexicon, text: str, colour: tuple[str, ...], second: tuple[str, ...]
) -> None:
    reading = read(text, lexicon, frozenset())
    found = [tuple(value for m in reading.mentioned(name) for value in m.meaning.values) for name in COLOURS]

    assert found == [colour, second]


def test_a_gallery_without_second_colours_leaves_them_to_the_encoder(catalogue: Catalogue) -> None:
    reading = read("blue with white stripes", Lexicon(catalogue.facets), frozenset())

    assert [m.said for m in reading.mentioned("colour")] == ["blue"]

"""How filters of one turn live on in the next."""

from __future__ import annotations

import pytest

from agent.prices import find_prices
from agent.wishes import carry
from retrieval.schema import Filter

RED = Filter("colour", "any_of", ("Red",))
BLUE = Filter("colour", "any_of", ("Blue",))
RED_OR_BLUE = Filter("colour", "any_of", ("Red", "Blue"))
NOT_RED = Filter("colour", "none_of", ("Red",))
NOT_BLUE = Filter("colour", "none_of", ("Blue",))
DRESS = Filter("category", "any_of", ("Dress",))


def price(operator: str, amount: float) -> Filter:
    return Filter("price", operator, (amount,))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ((RED, DRESS), (BLUE,), (DRESS, BLUE)),
        ((DRESS,), (RED,), (DRESS, RED)),
        ((RED,), (NOT_RED,), (NOT_RED,)),
        ((RED_OR_BLUE,), (NOT_RED,), (BLUE, NOT_RED)),
        ((NOT_RED,), (RED,), (RED,)),
        ((NOT_RED,), (NOT_BLUE,), (NOT_RED, NOT_BLUE)),
        ((price("at_most", 60),), (price("at_most", 30),), (price("at_most", 30),)),
        ((price("at_most", 60),), (price("at_least", 30),), (price("at_most", 60), price("at_least", 30))),
        ((price("at_most", 60),), (price("at_least", 80),), (price("at_least", 80),)),
        ((RED,), (RED,), (RED,)),
        ((RED,), (), (RED,)),
    ],
)
def test_new_filters_replace_what_they_contradict(
    old: tuple[Filter, ...], new: tuple[Filter, ...], expected: tuple[Filter, ...]
) -> None:
    assert carry(old, new) == expected


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("under 50", (None, 50.0)),
        ("up to 1,299", (None, 1299.0)),
        ("max 49,90 euro", (None, 49.9)),
        ("below 1.299,50 €", (None, 1299.5)),
        ("less than 2k", (None, 2000.0)),
        ("at least £20", (20.0, None)),
        ("from 20 to 30", (20.0, 30.0)),
        ("between forty and twenty", (20.0, 40.0)),
        ("around 100 dollars", (80.0, 120.0)),
        ("60 or less", (None, 60.0)),
        ("for 40 euros", (32.0, 48.0)),
    ],
)
def test_prices_are_read_in_many_forms(text: str, bounds: tuple[float | None, float | None]) -> None:
    (found,) = find_prices(text)

    assert (found.at_least, found.at_most) == bounds
    assert text[slice(*found.span)].strip() == text


@pytest.mark.parametrize(
    "text", ["turn 2", "the first 3", "number 50", "more than one", "for 2 years", "size 40", "about 3 of them"]
)
def test_not_every_number_is_a_price(text: str) -> None:
    assert find_prices(text) == ()

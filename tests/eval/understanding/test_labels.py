"""Labels against plans, by hand."""

from __future__ import annotations

import pytest

from eval.understanding.labels import Counts, count_exclusions, count_filters
from retrieval.schema import Filter, Image, Intent, Item, Plan

DEAR = Item("a", Image("a", "a.png"), "A dress", {"colour": "Red", "price": 60.0, "category": "Dress"})


def any_of(attribute: str, *values: str) -> Filter:
    return Filter(attribute, "any_of", values)


def plan(*filters: Filter, **more: object) -> Plan:
    return Plan(Intent.SEARCH, filters=filters, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("label", "condition"),
    [
        ("colour=Red|Blue", any_of("colour", "Blue", "Red")),
        ("gender=Women", any_of("gender", "Women", "Unisex")),
        ("price<=60", Filter("price", "at_most", (60.0,))),
        ("price<", Filter("price", "at_most", (12.0,))),
        ("price<=@1", Filter("price", "at_most", (59.99,))),
        ("colour=@1", any_of("colour", "Red")),
        ("category=Heels/style=Pumps", any_of("style", "Pumps")),
    ],
)
def test_a_filter_is_right_however_it_is_labelled(label: str, condition: Filter) -> None:
    assert count_filters([label], plan(condition), (), (), lambda _: DEAR) == Counts(1, 0, 0)


@pytest.mark.parametrize(
    ("label", "condition"),
    [
        ("colour=Red", any_of("colour", "Red", "Blue")),
        ("price<=60", Filter("price", "at_least", (60.0,))),
        ("price<=@1", Filter("price", "at_most", (80.0,))),
        ("colour=Red", any_of("second_colour", "Red")),
    ],
)
def test_another_filter_is_both_missed_and_false(label: str, condition: Filter) -> None:
    assert count_filters([label], plan(condition), (), (), lambda _: DEAR) == Counts(0, 1, 1)


def test_what_stays_or_comes_from_an_item_is_not_false() -> None:
    old, own, new = any_of("usage", "Party"), any_of("category", "Dress"), any_of("colour", "Blue")
    assert count_filters([], plan(old, own, new), (old,), (DEAR,), lambda _: DEAR) == Counts(0, 0, 1)


def test_an_exclusion_may_leave_out_more_and_may_be_words_or_an_item() -> None:
    found = plan(
        Filter("pattern", "none_of", ("Striped", "Pinstriped")), unwanted_texts=("a belt",), unwanted_items=("a",)
    )
    labels = ["pattern!=Striped", "belt", "item=1"]
    assert count_exclusions(labels, found, (), (), lambda _: DEAR) == Counts(3, 0, 0)
    assert count_exclusions(["pattern!=Floral"], found, (), (), lambda _: DEAR) == Counts(0, 1, 2)


def test_f1_is_of_what_is_right_missed_and_false() -> None:
    assert Counts(2, 1, 1).f1 == pytest.approx(2 / 3)
    assert Counts().f1 == 1.0

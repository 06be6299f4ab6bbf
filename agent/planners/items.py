"""Small questions about the items that a plan is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agent.vocabulary import Lexicon, group_of
from agent.wishes import carry
from retrieval.filters import matches
from retrieval.schema import Filter, Item, Turn

if TYPE_CHECKING:
    from retrieval.protocols import Facet


def number_of(turn: Turn | None) -> int | None:
    return turn.turn_number if turn else None


def ids(items: Sequence[Item]) -> tuple[str, ...]:
    return tuple(item.item_id for item in items)


def name_of(items: Sequence[Item]) -> str:
    return items[0].caption or items[0].item_id


def values_of(items: Sequence[Item], attribute: str) -> tuple[str, ...]:
    found = (item.attributes.get(attribute) for item in items)
    return tuple(dict.fromkeys(value for value in found if isinstance(value, str)))


def fulfilled(filters: Sequence[Filter], items: Sequence[Item]) -> tuple[Filter, ...]:
    """Earlier filters that the items which are meant fulfil themselves, and bounds on the price: who takes up a red one
    again after a search for blue ones does not want it blue."""
    return tuple(
        f for f in filters if f.attribute == "price" or not items or any(matches(f, item.attributes) for item in items)
    )


def kept_of(items: Sequence[Item], old: Sequence[Filter], facets: Mapping[str, Facet]) -> tuple[Filter, ...]:
    """The earlier filters, with the category and gender of the items that are meant."""
    categories = values_of(items, "category") if "category" in facets else ()
    kept = carry(old, (Filter("category", "any_of", categories),)) if categories else tuple(old)
    if any(condition.attribute == "gender" for condition in kept):
        return kept
    return (*kept, *gender_of(items, facets))


def gender_of(items: Sequence[Item], facets: Mapping[str, Facet]) -> tuple[Filter, ...]:
    genders = values_of(items, "gender")
    if not genders or "gender" not in facets or any(gender.lower() == "unisex" for gender in genders):
        return ()
    unisex = tuple(value for value in facets["gender"].counts if value.lower() == "unisex")
    return (Filter("gender", "any_of", tuple(dict.fromkeys((*genders, *unisex)))),)


def own_kind(category: str, lexicon: Lexicon) -> tuple[str, ...]:
    """All categories of the same kind of garment; the category itself where its kind is not known."""
    group = group_of(category) if category else ""
    return (
        tuple(dict.fromkeys((category, *lexicon.group_values(group)))) if group else ((category,) if category else ())
    )


def outside(own: Sequence[str], filters: Sequence[Filter]) -> tuple[Filter, ...]:
    """The filters, and none of the garment's own kind unless a kind is asked for."""
    if not own or any(condition.attribute == "category" for condition in filters):
        return tuple(filters)
    return (*filters, Filter("category", "none_of", tuple(dict.fromkeys(own))))


def words_of(filters: Sequence[Filter]) -> str:
    order = ("pattern", "colour", "material", "category")
    values = [
        str(value).lower()
        for attribute in (*order, *(f.attribute for f in filters if f.attribute not in order))
        for condition in filters
        if condition.attribute == attribute and condition.operator == "any_of"
        for value in condition.values[:2]
    ]
    return " ".join(dict.fromkeys(values))

"""Filters, plans and items in words, for replies, chips and buttons."""

from __future__ import annotations

from collections.abc import Sequence

from agent.vocabulary import group_of, listed
from agent.words import singular
from retrieval.schema import Filter, Item, Plan

N_OF_A_KIND = 4
_HEAD = ("pattern", "colour", "material", "category")
_PLAIN = frozenset({"category", "colour", "pattern", "material", "season", "brand", "style"})
"""Attributes whose values say by themselves what they are."""
N_VALUES = 3
"""A longer list of values is cut in a sentence."""
N_CONDITIONS = 3
"""So many conditions are spelled out in a sentence; the page shows all of them."""
_NAMES = {"colour": "colour", "category": "kind", "usage": "occasion", "sleeves": "sleeves"}


def filter_label(condition: Filter) -> str:
    """`"colour Navy Blue"`, `"not Red"`, `"price up to 50"`; the fewest words that say it."""
    values = _values(condition)
    if condition.operator == "none_of":
        return f"not {values}"
    if condition.operator == "at_most":
        return f"{condition.attribute} up to {values}"
    if condition.operator == "at_least":
        return f"{condition.attribute} from {values}"
    if condition.attribute == "gender":
        return "unisex" if values.lower() == "unisex" else f"for {values}"
    if condition.attribute in _PLAIN or singular(condition.attribute) in values.lower():
        return values
    return f"{attribute_name(condition.attribute)} {values}"


def filters_label(filters: Sequence[Filter]) -> str:
    """`"Red Dress for Women, sleeves Short, not Floral and 2 more conditions"`: what passes, as one phrase."""
    head = [values for attribute in _HEAD if (values := _wanted(filters, attribute))]
    prices = [f for f in filters if f.operator in ("at_most", "at_least")]
    rest = [
        filter_label(f)
        for f in filters
        if f not in prices and not (f.operator == "any_of" and f.attribute in (*_HEAD, "gender"))
    ]
    whom = " or ".join(filter_label(f) for f in filters if f.attribute == "gender" and f.operator == "any_of")
    joint = " " if _wanted(filters, "category") else ", "
    subject = joint.join(filter(None, (" ".join(head), whom)))
    conditions = [*_bounds(prices), *rest]
    said = list(filter(None, (subject, *conditions[:N_CONDITIONS])))
    more = len(conditions) - N_CONDITIONS
    if more <= 0:
        return ", ".join(said)
    return f"{', '.join(said)} and {more} more condition{'s' if more > 1 else ''}"


def _bounds(filters: Sequence[Filter]) -> list[str]:
    """`"price 20 to 40"` where both ends are given."""
    found: list[str] = []
    for attribute in dict.fromkeys(f.attribute for f in filters):
        low, high = (
            [f.values[0] for f in filters if f.attribute == attribute and f.operator == o]
            for o in ("at_least", "at_most")
        )
        if low and high:
            found.append(f"{attribute_name(attribute)} {_value(low[0])} to {_value(high[0])}")
        else:
            found += [filter_label(f) for f in filters if f.attribute == attribute]
    return found


def _wanted(filters: Sequence[Filter], attribute: str) -> str:
    found = (f for f in filters if f.attribute == attribute and f.operator == "any_of")
    return " or ".join(map(_values, found))


def _values(condition: Filter) -> str:
    """Many categories of one kind are called by their kind: "footwear"."""
    kinds = {group_of(str(value)) for value in condition.values} if condition.attribute == "category" else {""}
    if len(condition.values) >= N_OF_A_KIND and len(kinds) == 1 and "" not in kinds:
        return kinds.pop()
    shown = [_value(value) for value in condition.values]
    if condition.attribute == "gender":  # "for women" never meant to leave out what is for all
        shown = [value for value in shown if value.lower() != "unisex"] or shown
    if len(shown) > N_VALUES + 1:
        return f"{', '.join(shown[:N_VALUES])} or {len(shown) - N_VALUES} more"
    return listed(shown, "or")


def attribute_name(attribute: str) -> str:
    return _NAMES.get(attribute, attribute.replace("_", " "))


def order_label(sort_by: str) -> str:
    """`"price, from low to high"`."""
    ends = "high to low" if sort_by.startswith("-") else "low to high"
    return f"{attribute_name(sort_by.removeprefix('-'))}, from {ends}"


def item_name(item: Item) -> str:
    return item.caption or f"item {item.item_id}"


def value_text(item: Item, attribute: str) -> str:
    """The attribute's value, "" when the catalogue does not know it."""
    value = item.attributes.get(attribute)
    return "" if value is None else _value(value)


def plan_label(plan: Plan) -> str:
    """A plan in a few words, for a row of the turn tree."""
    parts = [plan.text] if plan.text else [filters_label(plan.filters)] if plan.filters else []
    return " ".join(filter(None, parts)) or plan.action.value.replace("_", " ")


def _value(value: str | float) -> str:
    """Numbers as a price tag shows them: `"85.50"`, `"120"`."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"

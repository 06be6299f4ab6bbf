"""Filters, plans and items in words, for replies, chips and buttons."""

from __future__ import annotations

from collections.abc import Sequence

from agent.vocabulary import listed
from retrieval.schema import Filter, Item, Plan

_NAMES = {"colour": "colour", "category": "kind", "usage": "occasion", "sleeves": "sleeves"}


def filter_label(condition: Filter) -> str:
    """`"colour Navy Blue"`, `"not Red"`, `"price up to 50"`; the fewest words that say it."""
    values = listed((_value(value) for value in condition.values), "or")
    if condition.operator == "none_of":
        return f"not {values}"
    if condition.operator == "at_most":
        return f"{condition.attribute} up to {values}"
    if condition.operator == "at_least":
        return f"{condition.attribute} from {values}"
    if condition.attribute in ("category", "gender"):
        return values
    return f"{attribute_name(condition.attribute)} {values}"


def filters_label(filters: Sequence[Filter]) -> str:
    return "; ".join(filter_label(condition) for condition in filters)


def attribute_name(attribute: str) -> str:
    return _NAMES.get(attribute, attribute.replace("_", " "))


def item_name(item: Item) -> str:
    return item.caption or f"item {item.item_id}"


def item_facts(item: Item, attributes: Sequence[str] = ("colour", "price")) -> str:
    """`"Navy Blue, 1299"`; "" when the catalogue says nothing of them, or the name already does."""
    told = (_value(item.attributes[name]) for name in attributes if name in item.attributes)
    return ", ".join(fact for fact in told if fact.lower() not in item.caption.lower())


def value_text(item: Item, attribute: str) -> str:
    """The attribute's value, "" when the catalogue does not know it."""
    value = item.attributes.get(attribute)
    return "" if value is None else _value(value)


def plan_label(plan: Plan) -> str:
    """A plan in a few words, for a row of the turn tree."""
    parts = [plan.text] if plan.text else [filters_label(plan.filters)] if plan.filters else []
    return " ".join(filter(None, parts)) or plan.action.value.replace("_", " ")


def _value(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) and value < 1e6 else str(value)

"""Labels against a plan: which conditions were asked for, which were understood, and which merely stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.filters import matches
from retrieval.schema import Filter, Item, Plan

_LABEL = re.compile(r"(?P<attribute>\w+)(?P<operator>!=|<=|>=|=|<|>)(?P<value>.*)")
_OPERATORS = {"=": "any_of", "!=": "none_of", "<": "at_most", "<=": "at_most", ">": "at_least", ">=": "at_least"}
EITHER_GENDER = "unisex"
"""Comes with every other gender, said or not."""

Resolve = Callable[[str], Item]
"""The item that a label's reference names."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Of labels and predictions, to be summed over utterances."""

    right: int = 0
    missed: int = 0
    false: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.missed + other.missed, self.false + other.false)

    @property
    def f1(self) -> float:
        """1.0 where there was nothing to find and nothing was found."""
        n_both = 2 * self.right + self.missed + self.false
        return 2 * self.right / n_both if n_both else 1.0


def count_filters(
    labels: Sequence[str], plan: Plan, before: Sequence[Filter], meant: Sequence[Item], resolve: Resolve
) -> Counts:
    """What gave way to a wish was understood as well. Unlabelled filters count as false unless they stay from the turn
    before or are taken over from an item that is meant: a dress stays a dress."""
    left = [condition for condition in (*plan.filters, *plan.wishes) if condition.operator != "none_of"]
    right = 0
    for label in labels:
        found = next((f for f in left if any(_is_filter(one, f, resolve) for one in label.split("/"))), None)
        if found is not None:
            left.remove(found)
            right += 1
    false = sum(not (f in before or any(matches(f, item.attributes) for item in meant)) for f in left)
    return Counts(right, len(labels) - right, false)


def count_exclusions(
    labels: Sequence[str], plan: Plan, before: Sequence[Filter], old_texts: Sequence[str], resolve: Resolve
) -> Counts:
    """A filter that leaves out more than was labelled is right: "no stripes" means pinstripes too."""
    filters = [f for f in plan.filters if f.operator == "none_of" and f not in before]
    texts = [text for text in plan.unwanted_texts if text not in old_texts]
    items, right = list(plan.unwanted_items), 0
    for label in labels:
        if found := next((f for f in filters if _excludes(label, f)), None):
            filters.remove(found)
        elif said := next((text for text in texts if label.lower() in text.lower()), None):
            texts.remove(said)
        elif label.startswith("item=") and resolve(label.removeprefix("item=")).item_id in items:
            items.remove(resolve(label.removeprefix("item=")).item_id)
        else:
            continue
        right += 1
    return Counts(right, len(labels) - right, len(filters) + len(texts))


def _is_filter(label: str, condition: Filter, resolve: Resolve) -> bool:
    said = _LABEL.fullmatch(label)
    if said is None or said["attribute"] != condition.attribute or _OPERATORS[said["operator"]] != condition.operator:
        return False
    if not said["value"]:
        return True
    value = said["value"]
    if value.startswith("@"):
        known = resolve(value[1:]).attributes.get(condition.attribute, "")
        if condition.operator == "any_of":
            return known in condition.values
        own = float(known or 0)
        bound = float(condition.values[0])
        return bound <= own if condition.operator == "at_most" else bound >= own
    if condition.operator == "any_of":
        return _set(value.split("|")) == _set(condition.values)
    return float(value) == float(condition.values[0])


def _excludes(label: str, condition: Filter) -> bool:
    said = _LABEL.fullmatch(label)
    if said is None or said["operator"] != "!=" or said["attribute"] != condition.attribute:
        return False
    return _set(said["value"].split("|")) <= _set(condition.values)


def _set(values: Sequence[object]) -> set[str]:
    found = {str(value).lower() for value in values}
    return found - {EITHER_GENDER} if len(found) > 1 else found

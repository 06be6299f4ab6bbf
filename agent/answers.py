"""Answers to questions about items and about the gallery, from what the catalogue knows; said so where it does not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.intents import attributes_named
from agent.protocols import Catalogue
from agent.vocabulary import NOT_SPOKEN, listed
from agent.wording import attribute_name, filters_label, item_name, value_text
from retrieval.filters import matches
from retrieval.protocols import Facet
from retrieval.schema import Filter, Item, Plan

N_COMPARED = 4
N_LISTED = 8
N_COUNTED = 48
"""Of so many values of an attribute, the most frequent ones, it is counted how many items of a kind have them."""
_YES_OR_NO = re.compile(r"(?:and |so |but )?(?:is|are|does|do|has|have|can|could|will|would|should)\b")
_COMPARES = re.compile(r"\b(?:compare|comparison|differ\w*)\b")
SUMMARY = (
    "category",
    "colour",
    "gender",
    "brand",
    "price",
    "material",
    "pattern",
    "neckline",
    "sleeves",
    "length",
    "fit",
    "season",
    "usage",
)


def answer(plan: Plan, items: Sequence[Item], shown: Sequence[Item], catalogue: Catalogue) -> str:
    """`items` are those that the question names, `shown` those of the turn that it is about."""
    text, attribute = plan.text, plan.attribute
    if re.search(r"\bhow many\b", text):
        return _count(plan.filters, shown, catalogue)
    if _is_about_gallery(text, plan) and not items:
        return _gallery(attribute or "category", catalogue, plan.filters)
    if plan.filters and re.search(r"\bwhich\b", text) and (pool := items if len(items) > 1 else shown):
        return _which(plan.filters, pool)
    if attribute == "price" and (found := _extreme(text, items if len(items) > 1 else shown)):
        return found
    about = tuple(items) or tuple(shown[:N_COMPARED])
    if not about:
        return _gallery(attribute, catalogue, plan.filters)
    if attribute:
        asked = attributes_named(text) or (attribute,)
        return " ".join(_values(name, about, catalogue) for name in asked)
    if len(about) == 2 and _COMPARES.search(text):
        return _difference(*about)
    told = "\n".join(_summary(item) for item in about[:N_COMPARED])
    return f"The catalogue knows no more than this:\n{told}" if _YES_OR_NO.match(text) else told


def _is_about_gallery(text: str, plan: Plan) -> bool:
    """A kind of garment that is named is the gallery's, not one of those that are shown."""
    if plan.attribute and any(condition.attribute == "category" for condition in plan.filters):
        return True
    return bool(
        re.search(
            r"\b(?:do you (?:have|sell|carry|stock)|are there|have you|in (?:the|your) (?:shop|store|gallery"
            r"|catalogue|catalog))\b",
            text,
        )
    )


def _count(filters: Sequence[Filter], shown: Sequence[Item], catalogue: Catalogue) -> str:
    n_items = catalogue.count(filters)
    if filters:
        return f"{n_items} items of the gallery fit: {filters_label(filters)}."
    return f"The gallery has {n_items} items" + (
        f"; the results before you show {len(shown)} of them." if shown else "."
    )


def _which(filters: Sequence[Filter], items: Sequence[Item]) -> str:
    fitting = [item_name(item) for item in items if all(matches(condition, item.attributes) for condition in filters)]
    if not fitting:
        return f"None of these {len(items)} is listed as {filters_label(filters)}."
    return f"{filters_label(filters)}, {len(fitting)} of these {len(items)}: {listed(fitting)}."


def _gallery(attribute: str, catalogue: Catalogue, filters: Sequence[Filter] = ()) -> str:
    facet = catalogue.facets.get(attribute)
    if facet is None:
        known = listed(attribute_name(name) for name in catalogue.facets if name not in NOT_SPOKEN)
        asked = f"{attribute_name(attribute)}" if attribute else "that"
        return (
            f"This gallery does not say anything about {asked}. It knows {known}."
            if known
            else f"This gallery does not say anything about {asked}."
        )
    if facet.is_number:
        return f"Values of {attribute_name(attribute)} go from {facet.minimum:g} to {facet.maximum:g}."
    counts = _counts_within(attribute, facet, filters, catalogue)
    values = [f"{value} ({count:,})" for value, count in list(counts.items())[:N_LISTED]]
    more = len(counts) - len(values)
    subject = f"For {filters_label(filters)} the gallery has" if filters else "The gallery has"
    return f"{subject} {', '.join(values)}" + (f" and {more} more." if more > 0 else ".")


def _counts_within(attribute: str, facet: Facet, filters: Sequence[Filter], catalogue: Catalogue) -> dict[str, int]:
    """Value -> how many items that pass the filters have it, most frequent first."""
    others = tuple(condition for condition in filters if condition.attribute != attribute)
    if not others:
        return dict(facet.counts)
    tried = list(facet.counts)[:N_COUNTED]
    counts = {value: catalogue.count((*others, Filter(attribute, "any_of", (value,)))) for value in tried}
    return dict(sorted(((v, n) for v, n in counts.items() if n), key=lambda pair: -pair[1]))


def _extreme(text: str, items: Sequence[Item]) -> str:
    """ "Which is the cheapest?" """
    match = re.search(r"\b(?:cheapest|cheaper|least expensive|most expensive|priciest|pricier|more expensive)\b", text)
    priced = sorted(
        (float(item.attributes["price"]), item.item_id, item)
        for item in items
        if isinstance(item.attributes.get("price"), float | int)
    )
    if not match or not re.search(r"\bwhich\b|\bwhat\b", text) or len(priced) < 2:
        return ""
    is_least = match.group() in ("cheapest", "cheaper", "least expensive")
    price, _, item = priced[0] if is_least else priced[-1]
    return f"{item_name(item)} is the {'cheapest' if is_least else 'most expensive'} of these, at {price:g}."


def _values(attribute: str, items: Sequence[Item], catalogue: Catalogue) -> str:
    name = attribute_name(attribute)
    known = [(item, value_text(item, attribute)) for item in items]
    told = [f"{item_name(item)}: {value}" for item, value in known if value]
    unknown = [item_name(item) for item, value in known if not value]
    if attribute not in catalogue.facets or not told:
        return f"The catalogue does not say the {name} of {listed(unknown)}."
    silent = f" It does not say it for {listed(unknown)}." if unknown else ""
    return f"{name.capitalize()} of {'; '.join(told)}.{silent}"


def _summary(item: Item) -> str:
    facts = [f"{attribute_name(name)} {value_text(item, name)}" for name in SUMMARY if value_text(item, name)]
    return (
        f"{item_name(item)}: {', '.join(facts)}."
        if facts
        else f"The catalogue knows nothing of {item_name(item)} but its picture."
    )


def _difference(one: Item, other: Item) -> str:
    both = [(name, value_text(one, name), value_text(other, name)) for name in SUMMARY]
    told = [(attribute_name(name), first, second) for name, first, second in both if first or second]
    differing = [
        f"{name} ({first or 'not known'} / {second or 'not known'})" for name, first, second in told if first != second
    ]
    shared = [first for _, first, second in told if first == second]
    differ = (
        f"{item_name(one)} and {item_name(other)} differ in {', '.join(differing)}."
        if differing
        else (f"The catalogue knows no difference between {item_name(one)} and {item_name(other)}.")
    )
    return f"{differ} Both: {', '.join(shared)}." if shared else differ

"""Comparisons as filters, measured against the items that are meant, else against what is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from agent.comparisons import Comparison
from agent.protocols import Catalogue
from agent.vocabulary import CONTEXT
from agent.wishes import Wish
from agent.words import key, scales
from retrieval.protocols import Facet
from retrieval.schema import Filter, Item

N_HALVINGS = 6
Count = Callable[[Sequence[Filter]], int]


def compare(wish: Wish, items: Sequence[Item], shown: Sequence[Item], catalogue: Catalogue) -> Wish:
    """Turns "longer" or "cheaper" into filters."""
    for comparison in wish.comparisons:
        facet = catalogue.facets.get(comparison.attribute)
        if comparison.step == 0:
            wish = _another(wish, comparison, items or shown[:1], facet)
        elif comparison.attribute == "price":
            wish = _compare_price(wish, comparison, items or shown, facet, catalogue.count)
        elif facet is not None and comparison.attribute not in wish.attributes:
            wish = _compare_words(wish, comparison, items[0] if items else next(iter(shown), None), facet)
    return wish


def _another(wish: Wish, comparison: Comparison, items: Sequence[Item], facet: Facet | None) -> Wish:
    """ "Another brand than this": anything but what is meant has."""
    values = tuple(dict.fromkeys(item.attributes[comparison.attribute] for item in items
                                 if comparison.attribute in item.attributes))  # fmt: skip
    if facet is None or not values:
        return replace(wish, notes=(*wish.notes, f"the catalogue does not say which {comparison.attribute} that has"))
    return replace(wish, filters=(*wish.filters, Filter(comparison.attribute, "none_of", values)))


def _compare_words(wish: Wish, comparison: Comparison, item: Item | None, facet: Facet) -> Wish:
    value = item.attributes.get(comparison.attribute) if item else None
    values = _further(comparison, str(value), facet) if value is not None else ()
    if not values:
        return wish
    return replace(wish, filters=(*wish.filters, Filter(comparison.attribute, "any_of", values)))


def _compare_price(
    wish: Wish, comparison: Comparison, items: Sequence[Item], facet: Facet | None, count: Count
) -> Wish:
    if facet is None or not facet.is_number:
        return replace(wish, notes=(*wish.notes, "this gallery has no prices, so it cannot be searched by price"))
    if "price" in wish.attributes:
        return wish
    prices = sorted(float(item.attributes["price"]) for item in items if "price" in item.attributes)
    operator: Literal["at_most", "at_least"] = "at_most" if comparison.step < 0 else "at_least"
    if prices:
        bound = round(prices[len(prices) // 2] + 0.01 * comparison.step, 2)
        middle = f"compared with {prices[len(prices) // 2]:g}, the middle price of what was shown"
        note = "" if len(prices) == 1 else middle
    else:
        bound = _third(wish.filters, comparison.step, facet, count)
        end, until = ("lowest", "up to") if comparison.step < 0 else ("highest", "from")
        note = f"I took the {end} third of the prices here, {until} {bound:g}"
    notes = (*wish.notes, note) if note else wish.notes
    return replace(wish, filters=(*wish.filters, Filter("price", operator, (bound,))), notes=notes)


def _third(filters: Sequence[Filter], step: int, facet: Facet, count: Count) -> float:
    """The price below (step -1) or above (step 1) which about a third of what passes the filters lies."""
    low, high = facet.minimum or 0.0, facet.maximum or 0.0
    wanted = count(filters) * (1 / 3 if step < 0 else 2 / 3)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        if count((*filters, Filter("price", "at_most", (middle,)))) > wanted:
            high = middle
        else:
            low = middle
    return float(round(high if step < 0 else low))


def _further(comparison: Comparison, value: str, facet: Facet) -> tuple[str, ...]:
    here = _place(comparison.attribute, value)
    if here is None:
        return ()
    places = ((other, _place(comparison.attribute, other)) for other in facet.counts)
    return tuple(other for other, place in places if place is not None and (place - here) * comparison.step > 0)


def _place(attribute: str, value: str) -> int | None:
    bare = key(value)
    for noun in CONTEXT.get(attribute, ()):
        bare = bare.removesuffix(noun) or bare
    return next((place for place, word in enumerate(scales().get(attribute, ())) if key(word) == bare), None)

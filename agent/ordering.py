"""Searches whose order is a number of the catalogue: the cheapest first, the newest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from retrieval.schema import Filter, Hit, Item, Plan, Query, Ranking

if TYPE_CHECKING:
    from retrieval.protocols import Facet
    from retrieval.retriever import Retriever

N_HALVINGS = 12
ENOUGH = 4
"""Once at most so many times as many as are shown pass a bound, they are fetched and sorted."""
MOST_SORTED = 1000


def can_sort(sort_by: str, facets: Mapping[str, Facet]) -> bool:
    facet = facets.get(sort_by.removeprefix("-"))
    return facet is not None and facet.is_number


def search_sorted(
    retriever: Retriever, plan: Plan, query: Query, k: int, exclude: Sequence[str], is_unwanted: Callable[[Item], bool]
) -> Ranking:
    """The k items with the least or the greatest value among those that pass the filters; likeness decides between
    equal ones. `score` is 1 / place."""
    attribute, is_greatest = plan.sort_by.removeprefix("-"), plan.sort_by.startswith("-")
    facet = retriever.facets()[attribute]
    bound = _bound(retriever, plan.filters, attribute, facet, k + len(exclude), is_greatest=is_greatest)
    filters = (*plan.filters, bound)
    n_fetched = min(retriever.count(filters), MOST_SORTED)
    found = retriever.search(query, n_fetched, filters, exclude) if n_fetched else Ranking(query.query_id, ())
    items = [item for item in retriever.get([hit.item_id for hit in found.hits]) if not is_unwanted(item)]
    step = -1 if is_greatest else 1
    ordered = sorted(items, key=lambda item: step * float(item.attributes[attribute]))
    return Ranking(query.query_id, tuple(Hit(item.item_id, 1 / place) for place, item in enumerate(ordered[:k], 1)))


def _bound(
    retriever: Retriever, filters: Sequence[Filter], attribute: str, facet: Facet, n_wanted: int, *, is_greatest: bool
) -> Filter:
    """The narrowest bound found that still lets so many items pass, by halving."""
    low, high = facet.minimum or 0.0, facet.maximum or 0.0
    best = _within(attribute, low if is_greatest else high, is_greatest=is_greatest)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        tried = _within(attribute, middle, is_greatest=is_greatest)
        n_items = retriever.count((*filters, tried))
        if n_items >= n_wanted:
            best = tried
            if n_items <= ENOUGH * n_wanted:
                return best
        if (n_items >= n_wanted) == is_greatest:
            low = middle
        else:
            high = middle
    return best


def _within(attribute: str, bound: float, *, is_greatest: bool) -> Filter:
    return Filter(attribute, "at_least" if is_greatest else "at_most", (bound,))

"""A part of a gallery as a store of its own: what a query with candidates of its own is ranked within."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from retrieval.errors import StoreError
from retrieval.filters import matches
from retrieval.stores.contract import best_hits, unit_rows

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings, Facet, Store
    from retrieval.schema import Filter, Hit, Item


class PoolStore:
    """Searches and counts among `item_ids` alone, exactly; items, vectors and facets are those of the whole gallery.

    So the agent speaks the gallery's words, and may start from an item that is no candidate itself. For reading only.
    """

    def __init__(self, store: Store, item_ids: Sequence[str]) -> None:
        """Raises KeyError for an id that the gallery does not have."""
        self._store = store
        distinct = sorted(set(item_ids))
        self._items = store.get(distinct)
        self._matrix = store.embeddings(distinct) if distinct else np.zeros((0, 0), np.float32)

    def search(
        self, embedding: Embeddings, k: int, filters: Sequence[Filter] = (), exclude: Sequence[str] = ()
    ) -> list[Hit]:
        passing = self._passing(filters)
        left_out = set(exclude)
        rows = [row for row in passing if self._items[row].item_id not in left_out]
        if k < 1 or not rows:
            return []
        query = unit_rows(np.asarray(embedding)[None], 1, self._matrix.shape[1])[0]
        scores = self._matrix[rows] @ query
        ids = [self._items[row].item_id for row in rows]
        return best_hits(zip(ids, map(float, scores), strict=True), k)

    def count(self, filters: Sequence[Filter] = ()) -> int:
        return len(self._passing(filters))

    def get(self, item_ids: Sequence[str]) -> list[Item]:
        return self._store.get(item_ids)

    def embeddings(self, item_ids: Sequence[str]) -> Embeddings:
        return self._store.embeddings(item_ids)

    def facets(self) -> Mapping[str, Facet]:
        return self._store.facets()

    def fingerprints(self) -> Mapping[str, str]:
        return self._store.fingerprints()

    def add(self, items: Sequence[Item], embeddings: Embeddings) -> None:  # noqa: ARG002
        _refuse()

    def remove(self, item_ids: Sequence[str]) -> None:  # noqa: ARG002
        _refuse()

    def commit(self) -> None:
        _refuse()

    def _passing(self, filters: Sequence[Filter]) -> list[int]:
        """Rows of the candidates that pass."""
        if filters:
            self._store.count(filters)  # raises for a filter that the gallery would refuse
        return [row for row, item in enumerate(self._items) if all(matches(each, item.attributes) for each in filters)]


def _refuse() -> NoReturn:
    raise StoreError("A pool of candidates is for reading only: index into the whole gallery.")

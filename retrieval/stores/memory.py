"""The exact store: one matrix and one product. The truth that every other store is measured against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retrieval.filters import check, matches
from retrieval.stores.contract import attribute_kinds, best_hits, last_of_each, number_facet, unit_rows, word_facet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings, Facet
    from retrieval.schema import AttributeValue, Filter, Hit, Item

TIE_MARGIN = 2e-6
"""Scores that are closer than this may be equal after rounding."""


@dataclass(frozen=True, slots=True)
class _Values:
    """An attribute over all items; a filter is asked once for each distinct value and not for each item."""

    distinct: tuple[AttributeValue | None, ...]
    codes: NDArray[np.int64]
    """Row -> position in `distinct`."""


@dataclass(frozen=True, slots=True)
class _Published:
    """One version: never changed, so that a search goes on with what it began with."""

    items: tuple[Item, ...] = ()
    """Sorted by item_id."""
    matrix: Embeddings = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    rows: Mapping[str, int] = field(default_factory=dict)
    kinds: Mapping[str, bool] = field(default_factory=dict)
    values: Mapping[str, _Values] = field(default_factory=dict)
    facets: Mapping[str, Facet] = field(default_factory=dict)


class MemoryStore:
    """Everything but `fingerprints` answers from the last commit."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._items: dict[str, Item] = {}
        self._vectors: dict[str, Embeddings] = {}
        self._fingerprints: dict[str, str] = {}
        self._kinds: dict[str, bool] = {}
        self._published = _Published(matrix=np.zeros((0, dim), dtype=np.float32))

    def add(self, items: Sequence[Item], embeddings: Embeddings) -> None:
        from retrieval.gallery import fingerprint

        vectors = unit_rows(embeddings, len(items), self.dim)
        self._kinds = attribute_kinds(self._kinds, items)
        for row in last_of_each(items):
            item = items[row]
            self._items[item.item_id] = item
            self._vectors[item.item_id] = vectors[row]
            self._fingerprints[item.item_id] = fingerprint(item)

    def remove(self, item_ids: Sequence[str]) -> None:
        for item_id in item_ids:
            self._items.pop(item_id, None)
            self._vectors.pop(item_id, None)
            self._fingerprints.pop(item_id, None)

    def commit(self) -> None:
        items = tuple(self._items[item_id] for item_id in sorted(self._items))
        matrix = np.zeros((len(items), self.dim), dtype=np.float32)
        for row, item in enumerate(items):
            matrix[row] = self._vectors[item.item_id]
        found = {name: _facet(items, name, is_number=is_number) for name, is_number in self._kinds.items()}
        self._published = _Published(
            items=items,
            matrix=matrix,
            rows={item.item_id: row for row, item in enumerate(items)},
            kinds=dict(self._kinds),
            values={name: _values(items, name) for name in self._kinds},
            facets={name: known for name, known in found.items() if known is not None},
        )

    def search(
        self, embedding: Embeddings, k: int, filters: Sequence[Filter] = (), exclude: Sequence[str] = ()
    ) -> list[Hit]:
        published = self._published
        query = unit_rows(np.asarray(embedding)[None], 1, self.dim)[0]
        passing = _passing(published, filters)
        passing[[published.rows[item_id] for item_id in exclude if item_id in published.rows]] = False
        rows = np.flatnonzero(passing)
        if k < 1 or not len(rows):
            return []
        scores = (published.matrix @ query)[rows]
        if len(rows) > k:
            kth = np.partition(scores, len(rows) - k)[len(rows) - k]
            near = scores >= kth - TIE_MARGIN
            rows, scores = rows[near], scores[near]
        ids = (published.items[row].item_id for row in rows)
        return best_hits(zip(ids, map(float, scores), strict=True), k)

    def get(self, item_ids: Sequence[str]) -> list[Item]:
        published = self._published
        return [published.items[published.rows[item_id]] for item_id in item_ids]

    def embeddings(self, item_ids: Sequence[str]) -> Embeddings:
        published = self._published
        return published.matrix[[published.rows[item_id] for item_id in item_ids]].reshape(len(item_ids), self.dim)

    def count(self, filters: Sequence[Filter] = ()) -> int:
        return int(_passing(self._published, filters).sum())

    def facets(self) -> Mapping[str, Facet]:
        return self._published.facets

    def fingerprints(self) -> Mapping[str, str]:
        return dict(self._fingerprints)


def _facet(items: Sequence[Item], name: str, *, is_number: bool) -> Facet | None:
    values = [item.attributes[name] for item in items if name in item.attributes]
    if is_number:
        numbers = [float(value) for value in values]
        return number_facet(len(numbers), min(numbers, default=0.0), max(numbers, default=0.0))
    return word_facet(Counter(str(value) for value in values))


def _values(items: Sequence[Item], name: str) -> _Values:
    codes: dict[AttributeValue | None, int] = {}
    rows = [codes.setdefault(item.attributes.get(name), len(codes)) for item in items]
    return _Values(tuple(codes), np.array(rows, dtype=np.int64))


def _passing(published: _Published, filters: Sequence[Filter]) -> NDArray[np.bool_]:
    check(filters, published.kinds)
    passing = np.ones(len(published.items), dtype=bool)
    for condition in filters:
        values = published.values[condition.attribute]
        known = [{} if value is None else {condition.attribute: value} for value in values.distinct]
        passing &= np.array([matches(condition, attributes) for attributes in known], dtype=bool)[values.codes]
    return passing

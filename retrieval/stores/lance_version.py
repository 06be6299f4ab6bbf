"""One published version of a LanceDB table: it never changes, so what is read from it once is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.filters import quoted
from retrieval.stores import rows
from retrieval.stores.contract import best_hits
from retrieval.stores.held import HeldItems

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings, Facet
    from retrieval.schema import Filter, Hit, Item

    Table = Any

VECTOR_INDEX = "vector_idx"
REFINE_FACTOR = 4
ROWS_PER_PARTITION = 4096
N_PROBES = 128
"""Partitions that an unfiltered search looks into: all, up to half a million rows."""
ALL_PARTITIONS = 65536
"""A filter may leave nothing in the nearest ones."""
N_SPARE = 8
"""Rows fetched beyond k, so that equal scores at the end are ranked by item_id."""


class Version:
    def __init__(self, table: Table, number: int) -> None:
        """`table` is checked out at this version, and used by nobody else."""
        self.table = table
        self.number = number

    @property
    def facets(self) -> Mapping[str, Facet]:
        return self._held.facets

    def count(self, filters: Sequence[Filter]) -> int:
        return self._held.count(filters)

    def get(self, item_ids: Sequence[str]) -> list[Item]:
        return self._held.get(item_ids)

    def search(self, query: Embeddings, k: int, filters: Sequence[Filter], exclude: Sequence[str]) -> list[Hit]:
        """`query` has shape (dim,)."""
        conditions = [self._held.condition(filters)]
        excluded = sorted({item_id for item_id in exclude if item_id in self._held})
        if excluded:
            conditions.append(f"NOT {id_condition(excluded)}")
        condition = " AND ".join(part for part in conditions if part)
        limit = k + N_SPARE
        while k >= 1:
            found = self._nearest(query, limit, condition, filtered=bool(filters))
            hits = best_hits(found, k)
            if len(found) < limit or hits[-1].score > best_hits(found, limit)[-1].score:
                return hits
            limit *= 2  # all spare rows tie with the last hit: there may be more of them, with smaller ids
        return []

    def embeddings(self, item_ids: Sequence[str]) -> Embeddings:
        wanted = self._held.row_ids(list(dict.fromkeys(item_ids)))
        if not wanted:
            return np.zeros((0, self.table.schema.field("vector").type.list_size), np.float32)
        table = self.table.take_row_ids(wanted).select(["item_id", "vector"]).to_arrow()
        row_of = {item_id: row for row, item_id in enumerate(table["item_id"].to_pylist())}
        vectors = table["vector"].combine_chunks()
        matrix = np.asarray(vectors.flatten(), dtype=np.float32).reshape(len(row_of), vectors.type.list_size)
        return matrix[[row_of[item_id] for item_id in item_ids]]

    @cached_property
    def _held(self) -> HeldItems:
        columns = [
            name for name in self.table.schema.names if name in rows.ITEM_COLUMNS or name.startswith(rows.PREFIX)
        ]
        return HeldItems(self.table.search().select(columns).with_row_id(True).to_arrow())

    @cached_property
    def _has_ann_index(self) -> bool:
        return any(index.name == VECTOR_INDEX for index in self.table.list_indices())

    def _nearest(self, query: Embeddings, limit: int, condition: str, *, filtered: bool) -> list[tuple[str, float]]:
        search = self.table.search(query, vector_column_name="vector").distance_type("cosine")
        search = search.limit(limit).select(["item_id", "_distance"])
        if condition:
            search = search.where(condition, prefilter=True)
        if self._has_ann_index:
            search = search.nprobes(ALL_PARTITIONS if filtered else N_PROBES).refine_factor(REFINE_FACTOR)
        found = search.to_arrow()
        scores = 1.0 - found["_distance"].to_numpy().astype(np.float64)
        return list(zip(found["item_id"].to_pylist(), scores.tolist(), strict=True))


def id_condition(item_ids: Sequence[str]) -> str:
    return f"(item_id IN ({', '.join(map(quoted, item_ids))}))"


def read_fingerprints(table: Table) -> dict[str, str]:
    """item_id -> fingerprint."""
    found = table.search().select(["item_id", "fingerprint"]).to_arrow()
    return dict(zip(found["item_id"].to_pylist(), found["fingerprint"].to_pylist(), strict=True))

"""One published version of a LanceDB table: it never changes, so what is read from it once is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.filters import Column, quoted, to_lance
from retrieval.protocols import Facet
from retrieval.stores import rows
from retrieval.stores.contract import best_hits, number_facet, word_facet

if TYPE_CHECKING:
    import pyarrow as pa

    from retrieval.protocols import Embeddings
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

    @cached_property
    def facets(self) -> Mapping[str, Facet]:
        found = {name: self._facet(name) for name in self._kinds}
        return {name: known for name, known in found.items() if known is not None}

    def count(self, filters: Sequence[Filter]) -> int:
        return int(self.table.count_rows(self._condition(filters) or None))

    def search(self, query: Embeddings, k: int, filters: Sequence[Filter], exclude: Sequence[str]) -> list[Hit]:
        """`query` has shape (dim,)."""
        conditions = [self._condition(filters)]
        excluded = sorted({item_id for item_id in exclude if item_id in self._row_ids})
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

    def get(self, item_ids: Sequence[str]) -> list[Item]:
        attributes = [rows.column_name(name) for name in self._kinds]
        found = rows.to_items(self._take(item_ids, [*rows.ITEM_COLUMNS, *attributes]).to_pylist())
        return [found[item_id] for item_id in item_ids]

    def embeddings(self, item_ids: Sequence[str]) -> Embeddings:
        table = self._take(item_ids, ["item_id", "vector"])
        row_of = {item_id: row for row, item_id in enumerate(table["item_id"].to_pylist())}
        vectors = table["vector"].combine_chunks()
        matrix = np.asarray(vectors.flatten(), dtype=np.float32).reshape(len(row_of), vectors.type.list_size)
        return matrix[[row_of[item_id] for item_id in item_ids]]

    @cached_property
    def _kinds(self) -> dict[str, bool]:
        return rows.attribute_kinds_of(self.table.schema)

    @cached_property
    def _values(self) -> pa.Table:
        return self.table.search().select([rows.column_name(name) for name in self._kinds]).to_arrow()

    @cached_property
    def _words(self) -> dict[str, dict[str, int]]:
        """Attribute -> word -> number of items."""
        counted = {
            name: self._values[rows.column_name(name)].drop_null().value_counts().to_pylist()
            for name, is_number in self._kinds.items()
            if not is_number
        }
        return {name: {entry["values"]: entry["counts"] for entry in entries} for name, entries in counted.items()}

    @cached_property
    def _columns(self) -> dict[str, Column]:
        return {
            name: Column(rows.column_name(name), None)
            if is_number
            else Column.of_words(rows.column_name(name), self._words[name])
            for name, is_number in self._kinds.items()
        }

    @cached_property
    def _row_ids(self) -> dict[str, int]:
        table = self.table.search().select(["item_id"]).with_row_id(True).to_arrow()
        return dict(zip(table["item_id"].to_pylist(), table["_rowid"].to_pylist(), strict=True))

    @cached_property
    def _has_ann_index(self) -> bool:
        return any(index.name == VECTOR_INDEX for index in self.table.list_indices())

    def _condition(self, filters: Sequence[Filter]) -> str:
        return to_lance(filters, self._columns) if filters else ""

    def _facet(self, name: str) -> Facet | None:
        import pyarrow.compute as pc

        if not self._kinds[name]:
            return word_facet(self._words[name])
        numbers = self._values[rows.column_name(name)].drop_null()
        if not len(numbers):
            return None
        ends = pc.min_max(numbers).as_py()
        return number_facet(len(numbers), ends["min"], ends["max"])

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

    def _take(self, item_ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        wanted = [self._row_ids[item_id] for item_id in dict.fromkeys(item_ids)]
        if not wanted:
            return self.table.search().select(list(columns)).limit(0).to_arrow()
        return self.table.take_row_ids(wanted).select(list(columns)).to_arrow()


def id_condition(item_ids: Sequence[str]) -> str:
    return f"(item_id IN ({', '.join(map(quoted, item_ids))}))"


def read_fingerprints(table: Table) -> dict[str, str]:
    """item_id -> fingerprint."""
    found = table.search().select(["item_id", "fingerprint"]).to_arrow()
    return dict(zip(found["item_id"].to_pylist(), found["fingerprint"].to_pylist(), strict=True))

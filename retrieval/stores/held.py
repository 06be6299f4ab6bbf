"""The items of one version in memory, without their vectors: what is asked many times a turn needs no way to the table.

A catalogue of forty thousand products takes about ten megabytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.filters import Column, check, fold, to_lance
from retrieval.stores import rows
from retrieval.stores.contract import number_facet, word_facet

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from retrieval.protocols import Facet
    from retrieval.schema import Filter, Item

ROW_ID = "_rowid"


@dataclass(frozen=True, slots=True)
class _Words:
    """One attribute of all items."""

    places: Mapping[str, int]
    """Word, as the table spells it -> its number."""
    codes: NDArray[np.int32]
    """Row -> number of its word; -1 where the attribute is unknown."""


class HeldItems:
    """Safe to share: what is worked out on first use is the same whoever does it."""

    def __init__(self, table: pa.Table) -> None:
        """`table` has rows.ITEM_COLUMNS, a column for each attribute, and ROW_ID."""
        self._table = table.combine_chunks()
        self._kinds = rows.attribute_kinds_of(table.schema)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __contains__(self, item_id: str) -> bool:
        return item_id in self._positions

    def get(self, item_ids: Sequence[str]) -> list[Item]:
        """Raises KeyError for an id that is not there."""
        wanted = [self._positions[item_id] for item_id in dict.fromkeys(item_ids)]
        if not wanted:
            return []
        found = rows.to_items(self._table.take(wanted).to_pylist())
        return [found[item_id] for item_id in item_ids]

    def row_ids(self, item_ids: Sequence[str]) -> list[int]:
        """Where the table keeps them. Raises KeyError for an id that is not there."""
        return [int(self._row_ids[self._positions[item_id]]) for item_id in item_ids]

    def count(self, filters: Sequence[Filter]) -> int:
        """How many pass. Raises FilterError like `filters.check`."""
        if not filters:
            return len(self)
        check(filters, self._kinds)
        passing = np.ones(len(self), dtype=bool)
        for condition in filters:
            passing &= self._passing(condition)
        return int(np.count_nonzero(passing))

    def condition(self, filters: Sequence[Filter]) -> str:
        """As LanceDB reads it, "" when all pass. Raises FilterError like `filters.check`."""
        return to_lance(filters, self._columns) if filters else ""

    @cached_property
    def facets(self) -> Mapping[str, Facet]:
        found = {name: self._facet(name) for name in self._kinds}
        return {name: known for name, known in found.items() if known is not None}

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {item_id: place for place, item_id in enumerate(self._table["item_id"].to_pylist())}

    @cached_property
    def _row_ids(self) -> NDArray[np.uint64]:
        found: NDArray[np.uint64] = self._table[ROW_ID].to_numpy()
        return found

    @cached_property
    def _words(self) -> dict[str, _Words]:
        return {name: self._coded(name) for name, is_number in self._kinds.items() if not is_number}

    @cached_property
    def _numbers(self) -> dict[str, NDArray[np.float64]]:
        """Not a number where the attribute is unknown."""
        names = [name for name, is_number in self._kinds.items() if is_number]
        return {name: self._table[rows.column_name(name)].to_numpy() for name in names}

    @cached_property
    def _columns(self) -> dict[str, Column]:
        return {
            name: Column(rows.column_name(name), None)
            if is_number
            else Column.of_words(rows.column_name(name), self._words[name].places)
            for name, is_number in self._kinds.items()
        }

    def _coded(self, name: str) -> _Words:
        column = self._table[rows.column_name(name)].combine_chunks().dictionary_encode()
        places = {word: place for place, word in enumerate(column.dictionary.to_pylist())}
        return _Words(places, column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32))

    def _passing(self, condition: Filter) -> NDArray[np.bool_]:
        """`filters.matches` over all rows."""
        name, operator = condition.attribute, condition.operator
        if self._kinds[name]:
            numbers = self._numbers[name]
            asked = np.array([float(value) for value in condition.values])
            if operator == "at_most":
                return np.asarray(numbers <= asked[0])
            if operator == "at_least":
                return np.asarray(numbers >= asked[0])
            among = np.isin(numbers, asked)
        else:
            spellings = self._columns[name].words or {}
            words = self._words[name]
            wanted = [words.places[s] for value in condition.values for s in spellings.get(fold(str(value)), ())]
            among = np.isin(words.codes, wanted)
        return among if operator == "any_of" else ~among

    def _facet(self, name: str) -> Facet | None:
        if self._kinds[name]:
            known = self._numbers[name][~np.isnan(self._numbers[name])]
            return number_facet(len(known), float(known.min()), float(known.max())) if len(known) else None
        words = self._words[name]
        counts = np.bincount(words.codes[words.codes >= 0], minlength=len(words.places))
        return word_facet(dict(zip(words.places, counts.tolist(), strict=True)))

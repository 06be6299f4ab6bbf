"""What every store does in the same way, so that two stores give the same answer to the same question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import GalleryError, StoreError
from retrieval.protocols import Facet
from retrieval.schema import Hit

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings
    from retrieval.schema import AttributeValue, Item

SCORE_DECIMALS = 6
"""Scores are rounded before they are compared: below that, float32 sums depend on the order of the addition, and equal
pictures would be ranked by chance and not by item_id."""


def unit_rows(embeddings: Embeddings, n_rows: int, dim: int) -> Embeddings:
    """A copy with rows of unit length, shape (n_rows, dim).

    Raises ValueError for another shape, StoreError for a row that is not finite or has no direction.
    """
    rows = np.array(embeddings, dtype=np.float32)
    if rows.shape != (n_rows, dim):
        raise ValueError(f"expected embeddings of shape {(n_rows, dim)}, got {rows.shape}")
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    if n_rows and not (np.isfinite(lengths).all() and (lengths > 0).all()):
        row = int(np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))[0])
        raise StoreError(f"The vector in row {row} is empty or not finite: the encoder's weights may be damaged.")
    return np.asarray(rows / lengths[:, None], dtype=np.float32)


def last_of_each(items: Sequence[Item]) -> list[int]:
    """Rows to keep when the last of equal ids wins, in their order."""
    return sorted({item.item_id: row for row, item in enumerate(items)}.values())


def attribute_kinds(known: Mapping[str, bool], items: Iterable[Item]) -> dict[str, bool]:
    """`known` (attribute -> is it a number?) with what these items bring.

    Raises GalleryError for a value that is neither word nor number, or an attribute that is once this and once that.
    """
    kinds = dict(known)
    for item in items:
        for name, value in item.attributes.items():
            is_number = _is_number(item, name, value)
            if kinds.setdefault(name, is_number) != is_number:
                raise GalleryError(
                    f"Item {item.item_id!r}: {name!r} is {value!r}, but other items have "
                    f"{'numbers' if kinds[name] else 'words'} there. Spell it alike in the whole gallery."
                )
    return kinds


def _is_number(item: Item, name: str, value: AttributeValue) -> bool:
    if isinstance(value, str):
        return False
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise GalleryError(f"Item {item.item_id!r}: {name!r} is {value!r}; it must be a word or a finite number.")
    return True


def word_facet(counts: Mapping[str, int]) -> Facet | None:
    """None when fewer than two items have the attribute."""
    if sum(counts.values()) < 2:
        return None
    return Facet(counts=dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))))


def number_facet(n_items: int, minimum: float, maximum: float) -> Facet | None:
    """None when fewer than two items have the attribute."""
    return Facet(counts={}, minimum=minimum, maximum=maximum) if n_items >= 2 else None


def best_hits(scores: Iterable[tuple[str, float]], k: int) -> list[Hit]:
    """The first k of (item_id, cosine) in the order of a ranking."""
    rounded = ((item_id, round(min(1.0, max(-1.0, score)), SCORE_DECIMALS) + 0.0) for item_id, score in scores)
    best = sorted(rounded, key=lambda entry: (-entry[1], entry[0]))[:k]
    return [Hit(item_id, score) for item_id, score in best]

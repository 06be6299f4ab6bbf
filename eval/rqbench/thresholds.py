"""T2: a system's scores become four classes by three cuts that are fitted on queries of part "validation" alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.rq_benchmark import LABELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Cuts = tuple[float, ...]
"""Ascending, one fewer than labels; a score at a cut belongs above it. Infinite where a class is never answered."""


def fit_cuts(scores: NDArray[np.float64], grades: NDArray[np.int64]) -> Cuts:
    """The cuts of the highest accuracy over all pairs (ours: the paper does not say how scores become classes).

    Both have shape (n_pairs,). The best of all cuts, by dynamic programming over the distinct scores; of several that
    are equally good the lowest. Raises ValueError for no pairs.
    """
    if not len(scores):
        raise ValueError("cuts need at least one scored pair")
    values, places = np.unique(scores, return_inverse=True)
    counts = np.zeros((len(values) + 1, len(LABELS)), np.int64)
    np.add.at(counts, (places + 1, grades), 1)
    below = counts.cumsum(axis=0)  # pairs of each grade among the lowest n values
    gains = below[:, :-1] - below[:, 1:]  # of ending a class there: right ones below, less those it takes from above
    best = np.zeros(len(below), np.int64)
    chosen = []
    for grade in range(gains.shape[1]):
        total = gains[:, grade] + best
        best = np.maximum.accumulate(total)
        chosen.append(total)
    ends, limit = [], len(below)
    for total in reversed(chosen):
        limit = int(np.argmax(total[:limit])) + 1
        ends.append(limit - 1)
    return tuple(_cut(values, end) for end in reversed(ends))


def _cut(values: NDArray[np.float64], end: int) -> float:
    """Above the lowest `end` values: half-way to the next."""
    if end == 0:
        return float("-inf")
    if end == len(values):
        return float("inf")
    low, high = float(values[end - 1]), float(values[end])
    middle = low / 2 + high / 2
    return middle if middle > low else high


def classify(scores: NDArray[np.float64], cuts: Cuts) -> NDArray[np.int64]:
    """Grades, shape (n_pairs,)."""
    return np.searchsorted(np.asarray(cuts), scores, side="right").astype(np.int64)


def confusion(grades: NDArray[np.int64], answers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Pairs by true grade and answer, flat: shape (n_labels ** 2,)."""
    n = len(LABELS)
    return np.bincount(grades * n + answers, minlength=n * n).astype(np.float64)


def accuracy(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Confusion counts, shape (..., n_labels ** 2) -> share of the pairs that are right, shape (...)."""
    table = _square(counts)
    found: NDArray[np.float64] = np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1))
    return found


def macro_f1(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """As `accuracy`: the mean of F1 over the four classes; 0 for one that is neither there nor answered."""
    table = _square(counts)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    both = table.sum(axis=-1) + table.sum(axis=-2)
    found: NDArray[np.float64] = (2 * right / np.where(both > 0, both, 1)).mean(axis=-1)
    return found


def _square(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return counts.reshape(*counts.shape[:-1], len(LABELS), len(LABELS))

"""What a mean over queries is worth where several queries stand for one leaf: whole leaves are resampled.

Paraphrases of a leaf ask for the same among the same candidates, so they are no independent evidence; the paper prints
no intervals, and the cluster bootstrap is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eval.metrics import session_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_SAMPLES = 2000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of one system, as sums over units (queries or groups of paraphrases) that can be resampled."""

    leaves: tuple[str, ...]
    """The leaf of each unit."""
    sums: NDArray[np.float64]
    """Shape (n_units, n_sums)."""
    value_of: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    """Sums over units, shape (..., n_sums) -> values, shape (...)."""
    random: float
    """What a random order, or a random label, is expected to give."""
    best: float = 1.0
    """What the best order of the same candidates gives."""

    @property
    def value(self) -> float:
        return float(self.value_of(self.sums.sum(axis=0)))

    @property
    def n_units(self) -> int:
        return len(self.leaves)


@dataclass(frozen=True, slots=True)
class Estimate:
    value: float
    low: float
    high: float
    random: float
    best: float
    n_units: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two systems over the same units, a - b."""

    value: float
    low: float
    high: float
    p: float
    """Two-sided: twice the share of the resampled differences that lie on the other side of 0."""


def mean_over(
    leaves: Sequence[str], values: Sequence[float], random: Sequence[float], best: Sequence[float] = (1.0,)
) -> Measured:
    """The mean of one value a unit."""
    sums = np.column_stack([np.asarray(values, np.float64), np.ones(len(values))])
    return Measured(tuple(leaves), sums, ratio, float(np.mean(random)), float(np.mean(best)))


def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the first sum to the second."""
    found: NDArray[np.float64] = sums[..., 0] / sums[..., 1]
    return found


def estimate(measured: Measured) -> Estimate:
    low, high = _interval(_resampled(measured))
    return Estimate(measured.value, low, high, measured.random, measured.best, measured.n_units)


def difference(a: Measured, b: Measured) -> Difference:
    """Both are resampled with the same leaves. Raises ValueError for measures over other units."""
    if a.leaves != b.leaves:
        raise ValueError("two systems can be compared over the same queries alone")
    values = _resampled(a) - _resampled(b)
    low, high = _interval(values)
    one_side = 1 + min(int((values <= 0).sum()), int((values >= 0).sum()))
    return Difference(a.value - b.value, low, high, min(1.0, 2 * one_side / (len(values) + 1)))


def _resampled(measured: Measured) -> NDArray[np.float64]:
    """Values of `N_SAMPLES` draws of leaves. The draws depend on the number of leaves alone."""
    by_leaf = session_sums(measured.sums, measured.leaves)[0]
    n_leaves = len(by_leaf)
    drawn = np.random.default_rng(0).multinomial(n_leaves, np.full(n_leaves, 1 / n_leaves), size=N_SAMPLES)
    return measured.value_of(drawn @ by_leaf)


def _interval(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)

"""Metrics of one ranking, and what a mean over queries is worth.

A ranking here is a sequence of item_ids, best first; `relevant` maps item_id to a grade, above 0 is relevant. All
values lie in 0 to 1. Ties were broken before (score, then item_id: `schema.Ranking`). Every query counts: one without
a ranking scores 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, log2

import numpy as np


def success_at(ranking: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    """1 if any of the first k is relevant. Some papers call this Recall@k; with several relevant items it is not."""
    return float(any(relevant.get(item_id, 0) > 0 for item_id in ranking[:k]))


def recall_at(ranking: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    """Share of the relevant items that stand in the first k. Raises ValueError without any relevant item."""
    n_relevant = _n_relevant(relevant)
    return sum(relevant.get(item_id, 0) > 0 for item_id in ranking[:k]) / n_relevant


def precision_at(ranking: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    """Share of the first k that are relevant; a ranking shorter than k is filled up with irrelevant ones."""
    return sum(relevant.get(item_id, 0) > 0 for item_id in ranking[:k]) / k


def average_precision(ranking: Sequence[str], relevant: Mapping[str, int]) -> float:
    """Mean over the relevant items of the precision at their rank; those not found count 0 (full-depth AP).

    Raises ValueError without any relevant item.
    """
    found, total = 0, 0.0
    for rank, item_id in enumerate(ranking, start=1):
        if relevant.get(item_id, 0) > 0:
            found += 1
            total += found / rank
    return total / _n_relevant(relevant)


def reciprocal_rank(ranking: Sequence[str], relevant: Mapping[str, int]) -> float:
    """1 / rank of the first relevant item, 0 if there is none."""
    return next((1 / rank for rank, item_id in enumerate(ranking, start=1) if relevant.get(item_id, 0) > 0), 0.0)


def ndcg_at(ranking: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    """Graded gain, linear (gain = grade), discount 1 / log2(rank + 1), over the best possible first k.

    Raises ValueError without any relevant item.
    """
    gains = [max(0, relevant.get(item_id, 0)) for item_id in ranking[:k]]
    ideal = sorted((max(0, grade) for grade in relevant.values()), reverse=True)[:k]
    if not any(ideal):
        raise ValueError("nDCG needs at least one relevant item")
    return _dcg(gains) / _dcg(ideal)


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _n_relevant(relevant: Mapping[str, int]) -> int:
    n_relevant = sum(grade > 0 for grade in relevant.values())
    if not n_relevant:
        raise ValueError("this metric needs at least one relevant item")
    return n_relevant


def random_success_at(n_relevant: int, n_items: int, k: int) -> float:
    """Expected success@k of a random order: 1 minus the chance that the first k hold none of the relevant ones."""
    return 1 - comb(n_items - n_relevant, k) / comb(n_items, k) if n_items > k else float(n_relevant > 0)


def bootstrap_interval(
    values: Sequence[float], *, level: float = 0.95, n_samples: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of the mean over queries, resampled with replacement. Raises ValueError for no values."""
    if not values:
        raise ValueError("a bootstrap interval needs at least one value")
    array = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(seed)
    means = [array[rng.integers(0, len(array), len(array))].mean() for _ in range(n_samples)]
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)

"""Metrics of one ranking, and what a mean over queries is worth.

A ranking here is a sequence of item_ids, best first. A tuple in it holds items of equal score: their order is nobody's
merit, so every metric is its expectation over all orders of them, in closed form. A ranking without tuples was ordered
before (score, then item_id: `schema.Ranking`). `relevant` maps item_id to a grade, above 0 is relevant. All values lie
in 0 to 1. Every query counts: one without a ranking scores 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, log2
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.schema import Hit

Ranked = Sequence[str | tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Block:
    """Items of one score that follow each other in a ranking."""

    before: int
    """Items that are ranked above."""
    size: int
    grades: tuple[int, ...]
    """Those above 0, in no order."""


def with_ties(hits: Sequence[Hit]) -> list[tuple[str, ...]]:
    """item_ids of a ranking, those of equal score together."""
    groups: list[tuple[float, list[str]]] = []
    for hit in hits:
        if groups and groups[-1][0] == hit.score:
            groups[-1][1].append(hit.item_id)
        else:
            groups.append((hit.score, [hit.item_id]))
    return [tuple(item_ids) for _, item_ids in groups]


def blocks_of(ranking: Ranked, relevant: Mapping[str, int]) -> list[Block]:
    """The blocks that hold anything relevant; the others only take places."""
    found, before = [], 0
    for entry in ranking:
        item_ids = (entry,) if isinstance(entry, str) else entry
        grades = tuple(relevant[item_id] for item_id in item_ids if relevant.get(item_id, 0) > 0)
        if grades:
            found.append(Block(before, len(item_ids), grades))
        before += len(item_ids)
    return found


def random_order(n_items: int, grades: Sequence[int]) -> list[Block]:
    """All items of a gallery tied: what a metric gives for it is what chance gives."""
    return [Block(0, n_items, tuple(grades))] if grades else []


def success_at(ranking: Ranked, relevant: Mapping[str, int], k: int) -> float:
    """1 if any of the first k is relevant. Some papers call this Recall@k; with several relevant items it is not."""
    return block_success(blocks_of(ranking, relevant), k)


def recall_at(ranking: Ranked, relevant: Mapping[str, int], k: int) -> float:
    """Share of the relevant items that stand in the first k. Raises ValueError without any relevant item."""
    return block_found(blocks_of(ranking, relevant), k) / len(_grades(relevant))


def precision_at(ranking: Ranked, relevant: Mapping[str, int], k: int) -> float:
    """Share of the first k that are relevant; a ranking shorter than k is filled up with irrelevant ones."""
    return block_found(blocks_of(ranking, relevant), k) / k


def average_precision(ranking: Ranked, relevant: Mapping[str, int]) -> float:
    """Mean over the relevant items of the precision at their rank; those not found count 0 (full-depth AP).

    Raises ValueError without any relevant item.
    """
    return block_precisions(blocks_of(ranking, relevant)) / len(_grades(relevant))


def reciprocal_rank(ranking: Ranked, relevant: Mapping[str, int]) -> float:
    """1 / rank of the first relevant item, 0 if there is none."""
    return block_reciprocal_rank(blocks_of(ranking, relevant))


def ndcg_at(ranking: Ranked, relevant: Mapping[str, int], k: int) -> float:
    """Graded gain, linear (gain = grade), discount 1 / log2(rank + 1), over the best possible first k.

    Raises ValueError without any relevant item.
    """
    return block_gain(blocks_of(ranking, relevant), k) / best_gain(_grades(relevant), k)


def block_success(blocks: Sequence[Block], k: int) -> float:
    """Expected success@k: only the first block that holds anything relevant decides."""
    for block in blocks[:1]:
        places = min(block.size, max(0, k - block.before))
        return 1 - comb(block.size - len(block.grades), places) / comb(block.size, places)
    return 0.0


def block_found(blocks: Sequence[Block], k: int) -> float:
    """Expected number of relevant items in the first k."""
    return sum(
        len(block.grades) * min(block.size, k - block.before) / block.size for block in blocks if block.before < k
    )


def block_precisions(blocks: Sequence[Block]) -> float:
    """Expected sum of the precisions at the ranks of the relevant items.

    Of a place in a block: the chance that it holds a relevant item, times the share of those expected down to there.
    """
    total, found = 0.0, 0
    for block in blocks:
        n = len(block.grades)
        others = (n - 1) / (block.size - 1) if block.size > 1 else 0.0
        total += sum(
            n / block.size * (found + 1 + (place - 1) * others) / (block.before + place)
            for place in range(1, block.size + 1)
        )
        found += n
    return total


def block_reciprocal_rank(blocks: Sequence[Block], depth: int | None = None) -> float:
    """Expected 1 / rank of the first relevant item; what lies below `depth` counts as not found."""
    if not blocks:
        return 0.0
    block, total, still = blocks[0], 0.0, 1.0  # still: the chance that no place so far held a relevant item
    n = len(block.grades)
    places = block.size - n + 1
    if depth is not None:
        places = min(places, max(0, depth - block.before))
    for place in range(1, places + 1):
        here = still * n / (block.size - place + 1)
        total += here / (block.before + place)
        still -= here
    return total


def block_gain(blocks: Sequence[Block], k: int) -> float:
    """Expected DCG of the first k: each place of a block has the block's mean gain."""
    return sum(
        sum(block.grades) / block.size * _discounts(block.before, min(block.size, k - block.before))
        for block in blocks
        if block.before < k
    )


def best_gain(grades: Iterable[int], k: int) -> float:
    return sum(grade * _discounts(place, 1) for place, grade in enumerate(sorted(grades, reverse=True)[:k]))


def _discounts(before: int, n_places: int) -> float:
    return sum(1 / log2(rank + 1) for rank in range(before + 1, before + n_places + 1))


def _grades(relevant: Mapping[str, int]) -> list[int]:
    grades = [grade for grade in relevant.values() if grade > 0]
    if not grades:
        raise ValueError("this metric needs at least one relevant item")
    return grades


def random_success_at(n_relevant: int, n_items: int, k: int) -> float:
    """Expected success@k of a random order: 1 minus the chance that the first k hold none of the relevant ones."""
    return block_success(random_order(n_items, [1] * n_relevant), k)


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


def session_intervals(
    values: NDArray[np.float64], sessions: Sequence[str], *, level: float = 0.95, n_samples: int = 1000, seed: int = 0
) -> NDArray[np.float64]:
    """Percentile intervals of the means over queries, shape (2, n_measures); whole sessions are resampled, since the
    turns of one depend on each other.

    `values` has shape (n_queries, n_measures), `sessions` names the session of each query. Raises ValueError for no
    values.
    """
    sums, counts = session_sums(values, sessions)
    n_sessions = len(counts)
    rng = np.random.default_rng(seed)
    means = np.empty((n_samples, values.shape[1]))
    for sample in range(n_samples):
        drawn = np.bincount(rng.integers(0, n_sessions, n_sessions), minlength=n_sessions).astype(np.float64)
        means[sample] = drawn @ sums / (drawn @ counts)
    interval: NDArray[np.float64] = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return interval


def session_sums(
    values: NDArray[np.float64], sessions: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums over the queries of each session, shape (n_sessions, n_measures), and their counts, shape (n_sessions,)."""
    if not len(values):
        raise ValueError("there is no query to take a mean over")
    order = {session: row for row, session in enumerate(dict.fromkeys(sessions))}
    rows = [order[session] for session in sessions]
    sums = np.zeros((len(order), values.shape[1]))
    np.add.at(sums, rows, values)
    return sums, np.bincount(rows, minlength=len(order)).astype(np.float64)

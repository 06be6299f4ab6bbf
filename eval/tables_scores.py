"""Scores of a system over several seeds: means, their spread, intervals over sessions and seeds, paired differences.

An interval is a percentile bootstrap: each of 1,000 samples draws as many sessions as there are, with replacement, and
as many seeds as there are, with replacement; all drawn seeds are scored on the same drawn sessions, and the sample's
value is the mean over all of it. With one seed it is the interval over sessions alone. A difference draws the sessions
once for both systems and the seeds of each for itself. Three seeds say little of the spread between seeds, and drawing
from three understates it by a third of its variance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eval.compare import permutation_test
from eval.metrics import session_sums
from eval.runs import Run, RunError, TurnRecord
from eval.scores import Scored, score_run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

N_SAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Value:
    """One measure of one group of queries."""

    n_queries: int
    mean: float
    """Over queries and seeds."""
    spread: float | None
    """Standard deviation of the seeds' means (n - 1); None for one seed."""
    low: float
    high: float
    random: float
    by_seed: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Paired:
    """One measure of two systems over the same queries, ours - other."""

    measure: str
    n_queries: int
    other: float
    ours: float
    low: float
    high: float
    p: float
    """Two-sided: how often a difference of the seeds' means as large comes about when the two systems change places at
    random, session by session. It says nothing of the spread between seeds."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """The same queries answered by each seed."""

    records: tuple[TurnRecord, ...]
    measures: tuple[str, ...]
    values: Values
    """Shape (n_seeds, n_queries, n_measures)."""
    random: Values
    """Shape (n_queries, n_measures), mean over seeds."""

    def kept(self, keep: Callable[[TurnRecord], bool]) -> Seeds:
        rows = [row for row, record in enumerate(self.records) if keep(record)]
        records = tuple(self.records[row] for row in rows)
        return Seeds(records, self.measures, self.values[:, rows], self.random[rows])

    @property
    def sessions(self) -> list[str]:
        return [record.session_id for record in self.records]


def seeds_of(runs: Sequence[Run]) -> tuple[Seeds, Seeds]:
    """Queries on the whole gallery, and queries with candidates of their own. Raises RunError for other queries."""
    scored = [score_run(run) for run in runs]
    gallery, pools = (_stacked([each[kind] for each in scored]) for kind in (0, 1))
    return gallery, pools


def _stacked(scored: Sequence[Scored]) -> Seeds:
    first = scored[0]
    ids = [record.query_id for record in first.records]
    for other in scored[1:]:
        if [record.query_id for record in other.records] != ids or other.measures != first.measures:
            raise RunError("The seeds of a row answered other queries each, or to another depth: make them again.")
    random = np.mean([each.random for each in scored], axis=0)
    return Seeds(first.records, first.measures, np.stack([each.values for each in scored]), random)


def values_of(seeds: Seeds, measures: Sequence[str]) -> dict[str, Value]:
    """Those of the measures that there are; empty without any query."""
    if not seeds.records:
        return {}
    low, high = intervals([(seeds.values, 1.0)], seeds.sessions)
    by_seed, random = seeds.values.mean(axis=1), seeds.random.mean(axis=0)
    n_seeds = len(by_seed)
    spread = by_seed.std(axis=0, ddof=1) if n_seeds > 1 else None
    found = {}
    for name in (name for name in measures if name in seeds.measures):
        at = seeds.measures.index(name)
        found[name] = Value(
            n_queries=len(seeds.records),
            mean=float(by_seed[:, at].mean()),
            spread=None if spread is None else float(spread[at]),
            low=float(low[at]),
            high=float(high[at]),
            random=float(random[at]),
            by_seed=tuple(map(float, by_seed[:, at])),
        )
    return found


def paired(other: Seeds, ours: Seeds, measures: Sequence[str]) -> list[Paired]:
    """Those of the measures that both have. Raises RunError for other queries."""
    if [record.query_id for record in other.records] != [record.query_id for record in ours.records]:
        raise RunError("Two systems answered other queries each: make their runs again.")
    names = [name for name in measures if name in other.measures and name in ours.measures]
    if not names or not ours.records:
        return []
    theirs = other.values[:, :, [other.measures.index(name) for name in names]]
    own = ours.values[:, :, [ours.measures.index(name) for name in names]]
    low, high = intervals([(own, 1.0), (theirs, -1.0)], ours.sessions)
    p = permutation_test(own.mean(axis=0) - theirs.mean(axis=0), ours.sessions)
    means = theirs.mean(axis=(0, 1)), own.mean(axis=(0, 1))
    return [
        Paired(name, len(ours.records), *(float(part[at]) for part in (*means, low, high, p)))
        for at, name in enumerate(names)
    ]


def intervals(
    parts: Sequence[tuple[Values, float]], sessions: Sequence[str], *, n_samples: int = N_SAMPLES, seed: int = 0
) -> Values:
    """Intervals, shape (2, n_measures), of a sum of means over queries and seeds: each part has values of shape
    (n_seeds, n_queries, n_measures) and the sign with which it counts. Raises ValueError without any query."""
    drawn = _draws(np.random.default_rng(seed), len(set(sessions)), n_samples)
    counts = session_sums(parts[0][0][0], sessions)[1]
    total = np.zeros((n_samples, parts[0][0].shape[2]))
    for number, (values, sign) in enumerate(parts):
        sums = np.stack(
            [drawn @ session_sums(each, sessions)[0] for each in values]
        )  # (n_seeds, n_samples, n_measures)
        weights = _draws(np.random.default_rng([seed, number + 1]), len(values), n_samples)
        total += sign * np.einsum("ns,snm->nm", weights, sums) / len(values)
    interval: Values = np.quantile(total / (drawn @ counts)[:, None], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return interval


def _draws(rng: np.random.Generator, n: int, n_samples: int) -> Values:
    """How often each of n is drawn in n draws with replacement, shape (n_samples, n)."""
    drawn = [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(n_samples)]
    return np.array(drawn, np.float64)


def as_plain(values: Mapping[str, Value]) -> dict[str, dict[str, object]]:
    """For JSON."""
    return {
        name: {
            "n_queries": value.n_queries,
            "mean": value.mean,
            "spread": value.spread,
            "low": value.low,
            "high": value.high,
            "random": value.random,
            "by_seed": list(value.by_seed),
        }
        for name, value in values.items()
    }

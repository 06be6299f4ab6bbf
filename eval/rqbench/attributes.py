"""Attribute scores and weighted relevance: whether the first ten of T1 have what the words ask for (Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eval.rqbench.metrics import DEPTH, Scores, blocks_by_score
from eval.rqbench.resampling import Measured, mean_over
from retrieval.rq_benchmark import RQBenchmark
from retrieval.schema import Attributes, AttributeValue

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNKNOWN = ("", "na")
"""Values that say nothing, folded."""
RANGE = "-"


@dataclass(frozen=True, slots=True)
class Asked:
    """What one query asks for, and which of its candidates have it."""

    leaf: str
    names: tuple[str, ...]
    """The attributes that its words name."""
    matches: NDArray[np.float64]
    """Shape (n_candidates, n_names), best candidate first: 1 where it has what is asked for, else 0."""
    sizes: tuple[int, ...] = ()
    """Of the blocks of candidates with equal scores, best first; () where no two are equal."""

    def values(self, weights: NDArray[np.float64]) -> tuple[float, float, float]:
        """Weighted mean of the shares of the first ten that have each: of this order, of a random one, of the best.

        `weights` has shape (n_names,) and sums to 1.
        """
        worth = self.matches @ weights
        found = worth
        if self.sizes:  # each candidate of a block is as likely in each of its places
            means = np.add.reduceat(worth, np.cumsum((0, *self.sizes[:-1]))) / self.sizes
            found = np.repeat(means, self.sizes)
        return float(found[:DEPTH].mean()), float(worth.mean()), float(np.sort(worth)[::-1][:DEPTH].mean())


def has_value(attributes: Attributes, name: str, wanted: str) -> bool:
    """An unknown value has none. A number fits what is written as a number, or as a range LOW-HIGH (ours)."""
    value = attributes.get(name)
    if isinstance(value, float | int):
        return _fits(float(value), wanted)
    return is_known(value) and str(value).casefold() == wanted.casefold()


def is_known(value: AttributeValue | None) -> bool:
    return value is not None and str(value).strip().casefold() not in UNKNOWN


def _fits(number: float, wanted: str) -> bool:
    low, separator, high = wanted.partition(RANGE)
    try:
        return float(low) <= number <= float(high if separator else low)
    except ValueError:
        return False


def asked_of(benchmark: RQBenchmark, scores: Scores) -> list[Asked]:
    """One a query of T1 that names an attribute, in the benchmark's order."""
    found = []
    for query_id in benchmark.candidates["T1"]:
        query = benchmark.queries[query_id]
        if query.wanted:
            blocks = blocks_by_score(scores[query_id])
            listings = [benchmark.listings[item_id] for block in blocks for item_id in block]
            matches = [[has_value(each.attributes, *want) for want in query.wanted.items()] for each in listings]
            found.append(Asked(query.leaf, tuple(query.wanted), np.array(matches, np.float64), tuple(map(len, blocks))))
    return found


def attribute_measures(asked: Sequence[Asked]) -> dict[str, Measured]:
    """Attribute -> mean of its share over the queries that name it (ours); attributes that none names are absent."""
    names = sorted({name for each in asked for name in each.names})
    return {name: measured for name in names if (measured := weighted_relevance(asked, {name: 1.0}))}


def weighted_relevance(asked: Sequence[Asked], weights: Mapping[str, float]) -> Measured | None:
    """Mean over queries of the weighted mean of a query's shares; a query that names nothing of weight has none.

    None where no query has one.
    """
    leaves, values = [], []
    for each in asked:
        own = np.array([weights.get(name, 0.0) for name in each.names])
        if own.sum() > 0:
            leaves.append(each.leaf)
            values.append(each.values(own / own.sum()))
    if not values:
        return None
    ours, random, best = zip(*values, strict=True)
    return mean_over(leaves, ours, random, best)

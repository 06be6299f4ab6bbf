"""Attribute scores and weighted relevance: whether the first ten of T1 have what the words ask for (Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.rqbench.metrics import DEPTH, Scores, ranked
from eval.rqbench.resampling import Measured, mean_over
from retrieval.rq_benchmark import RQBenchmark
from retrieval.schema import Attributes, AttributeValue

UNKNOWN = ("", "na")
"""Values that say nothing, folded."""
RANGE = "-"


@dataclass(frozen=True, slots=True)
class Asked:
    """What one query asks for, and how much of it is found."""

    leaf: str
    shares: Mapping[str, float]
    """Attribute -> share of the first ten that have the value."""
    random: Mapping[str, float]
    """The same in a random order: the share of all candidates."""


def has_value(attributes: Attributes, name: str, wanted: str) -> bool:
    """An unknown value has none. A number fits what is written as a number, or as a range LOW-HIGH (ours)."""
    value = attributes.get(name)
    if isinstance(value, float | int):
        return _fits(float(value), wanted)
    return is_known(value) and str(value).casefold() == wanted.casefold()


def is_known(value: AttributeValue | None) -> bool:
    return value is not None and str(value).casefold() not in UNKNOWN


def _fits(number: float, wanted: str) -> bool:
    low, separator, high = wanted.partition(RANGE)
    try:
        return float(low) <= number <= float(high if separator else low)
    except ValueError:
        return False


def asked_of(benchmark: RQBenchmark, scores: Scores) -> list[Asked]:
    """One a query of T1 that names an attribute, in the benchmark's order."""
    found = []
    for query_id, labels in benchmark.candidates["T1"].items():
        query = benchmark.queries[query_id]
        if query.wanted:
            first = ranked(scores[query_id])[:DEPTH]
            shares = _shares(benchmark, query.wanted, first)
            found.append(Asked(query.leaf, shares, _shares(benchmark, query.wanted, list(labels))))
    return found


def _shares(benchmark: RQBenchmark, wanted: Mapping[str, str], item_ids: Sequence[str]) -> dict[str, float]:
    return {
        name: sum(has_value(benchmark.listings[item_id].attributes, name, value) for item_id in item_ids)
        / len(item_ids)
        for name, value in wanted.items()
    }


def attribute_measures(asked: Sequence[Asked]) -> dict[str, Measured]:
    """Attribute -> mean of its share over the queries that name it (ours); attributes that none names are absent."""
    found = {}
    for name in sorted({name for each in asked for name in each.shares}):
        named = [each for each in asked if name in each.shares]
        found[name] = mean_over(
            [each.leaf for each in named],
            [each.shares[name] for each in named],
            [each.random[name] for each in named],
        )
    return found


def weighted_relevance(asked: Sequence[Asked], weights: Mapping[str, float]) -> Measured | None:
    """Mean over queries of the weighted mean of a query's shares; a query that names nothing of weight has none.

    None where no query has one.
    """
    weighed = [each for each in asked if any(weights.get(name, 0) > 0 for name in each.shares)]
    if not weighed:
        return None
    return mean_over(
        [each.leaf for each in weighed],
        [_weighted(each.shares, weights) for each in weighed],
        [_weighted(each.random, weights) for each in weighed],
    )


def _weighted(shares: Mapping[str, float], weights: Mapping[str, float]) -> float:
    total = sum(weights.get(name, 0.0) for name in shares)
    return sum(weights.get(name, 0.0) * share for name, share in shares.items()) / total

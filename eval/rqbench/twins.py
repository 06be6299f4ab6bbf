"""Matched twin pairs: two products that differ in one attribute alone, asked for by a query that names it (Table 9).

For each query and attribute that its words name: a product of the query's leaf that has all they ask for, and one that
agrees with it in every other attribute but the price. One twin pair a group of paraphrases and attribute, drawn with a
seed (ours). Where the age differs, Boys counts as Men and Girls as Women: their age is in the word.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from eval.rqbench import published
from eval.rqbench.attributes import has_value, is_known
from eval.rqbench.resampling import estimate, mean_over
from retrieval.rq_benchmark import Listing, RQBenchmark

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Key = tuple[tuple[str, str], ...]
AGE, PRICE, GENDER = "age", "price", "gender"
GROWN: Mapping[str, str] = {"boys": "men", "girls": "women"}
NAMES = (*published.ATTRIBUTES, "season")
"""Compared, beside whatever else the queries name; not what these imply, as a category above the product type."""
MAX_OBSERVATIONS = 1000
"""Of an attribute (ours; the paper's largest N is 952)."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A query with a twin pair."""

    attribute: str
    query_id: str
    has: str
    """item_id of the twin that has what the query asks for."""
    lacks: str
    """item_id of the other one."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an attribute is worth to the oracle, all else equal."""

    n: int
    n_pairs: int
    mean: float
    """Of the differences of logits."""
    low: float
    high: float
    """95 %, twin pairs resampled."""
    sign_consistency: float
    """Share of the observations with the sign of the mean."""


class _Twins:
    """Listings by what they have beside one attribute."""

    def __init__(self, benchmark: RQBenchmark) -> None:
        names = {name for query in benchmark.queries.values() for name in query.wanted}
        compared = sorted({*NAMES, *names} - {PRICE})
        self._known = {
            item_id: {
                name: str(value).casefold()
                for name in compared
                if is_known(value := benchmark.listings[item_id].attributes.get(name))
            }
            for item_id in sorted(benchmark.listings)
        }
        self._by_key: dict[str, dict[_Key, list[str]]] = {}

    def of(self, item_id: str, attribute: str) -> list[str]:
        """item_ids that have another known value of the attribute, and no other difference; sorted."""
        if attribute not in self._by_key:
            index: dict[_Key, list[str]] = defaultdict(list)
            for each, known in self._known.items():
                if attribute in known:
                    index[_beside(known, attribute)].append(each)
            self._by_key[attribute] = index
        known = self._known[item_id]
        same = self._by_key[attribute].get(_beside(known, attribute), [])
        return [each for each in same if self._known[each][attribute] != known[attribute]]


def _beside(known: Mapping[str, str], attribute: str) -> _Key:
    return tuple(
        (name, GROWN.get(word, word) if (attribute, name) == (AGE, GENDER) else word)
        for name, word in known.items()
        if name != attribute
    )


def find_twins(benchmark: RQBenchmark, seed: int = 0) -> list[Observation]:
    """Sorted by attribute and query; at most `MAX_OBSERVATIONS` of each attribute. Prices have no twins."""
    by_leaf: dict[str, list[Listing]] = defaultdict(list)
    for item_id in sorted(benchmark.listings):
        by_leaf[benchmark.listings[item_id].leaf].append(benchmark.listings[item_id])
    twins, found = _Twins(benchmark), defaultdict(list)

    @cache
    def drawn(group_id: str, leaf: str, wanted: frozenset[tuple[str, str]], attribute: str) -> tuple[str, str] | None:
        right = [each.item_id for each in by_leaf[leaf] if all(has_value(each.attributes, *want) for want in wanted)]
        return _draw(right, twins, attribute, random.Random(f"{seed}/{group_id}/{attribute}"))

    for query_id in sorted(benchmark.queries):
        query = benchmark.queries[query_id]
        for attribute in sorted(query.wanted.keys() - {PRICE}):
            pair = drawn(query.group_id, query.leaf, frozenset(query.wanted.items()), attribute)
            if pair:
                found[attribute].append(Observation(attribute, query_id, *pair))
    return [each for attribute in sorted(found) for each in _some(found[attribute], seed)]


def _draw(right: Sequence[str], twins: _Twins, attribute: str, rng: random.Random) -> tuple[str, str] | None:
    """One of the products that have all that is asked for, with a twin; None where none has any."""
    for item_id in rng.sample(right, len(right)):
        others = twins.of(item_id, attribute)
        if others:
            return item_id, rng.choice(others)
    return None


def _some(observations: list[Observation], seed: int) -> list[Observation]:
    if len(observations) <= MAX_OBSERVATIONS:
        return observations
    rows = sorted(random.Random(seed).sample(range(len(observations)), MAX_OBSERVATIONS))
    return [observations[row] for row in rows]


def pairs_of(benchmark: RQBenchmark, observations: Sequence[Observation]) -> list[tuple[str, str]]:
    """(query text, listing text): that of the twin that has it, then that of the other, for each observation."""
    return [
        (benchmark.queries[each.query_id].text, benchmark.listings[item_id].text)
        for each in observations
        for item_id in (each.has, each.lacks)
    ]


def effects(observations: Sequence[Observation], logits: NDArray[np.float64]) -> dict[str, Effect]:
    """Attribute -> effect. `logits` are those of `pairs_of`, shape (2 * len(observations),)."""
    differences = logits[0::2] - logits[1::2]
    found = {}
    for attribute in sorted({each.attribute for each in observations}):
        rows = [row for row, each in enumerate(observations) if each.attribute == attribute]
        pairs = [f"{observations[row].has} {observations[row].lacks}" for row in rows]
        values = differences[rows]
        whole = estimate(mean_over(pairs, list(values), [0.0]))
        same = float(np.mean(np.sign(values) == np.sign(whole.value)))
        found[attribute] = Effect(len(rows), len(set(pairs)), whole.value, whole.low, whole.high, same)
    return found

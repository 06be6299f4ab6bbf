"""Candidates of attribute-specific queries: 7 to 10 pictures that share the attribute, 50 that do not.

A source says which pictures have which value of which attribute (`Groups`); a picture may stand under several
attributes, and under several values of one ("Lace up;Zipper"). A positive then shares at least one value with the
query, a negative shares none. No pool is copied for a query, so that hundreds of thousands of pictures are no trouble.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from builders.instances import N_NEGATIVES, N_POSITIVES, Coverage, Instance
from builders.sources.reading import spread
from retrieval.benchmark import Task

Groups = Mapping[str, Mapping[str, Sequence[str]]]
"""attribute -> value -> image_ids."""

MISSING = "picture is missing"
FEW_POSITIVES = f"fewer than {N_POSITIVES[0]} others with the same value"
FEW_NEGATIVES = f"fewer than {N_NEGATIVES} with another value"

REQUESTS: tuple[str, ...] = (
    "something else with the same {attribute}",
    "show me others with the same {attribute}",
    "what else has the same {attribute} as this one?",
    "same {attribute}, but a different one please",
    "keep the {attribute} and change the rest",
    "I like the {attribute} here, find more that share it",
    "only the {attribute} should stay as it is",
)
NAMING_REQUESTS: tuple[str, ...] = (
    "others with the same {attribute} ({value})",
    "anything else with the {attribute} of this one: {value}",
)
NAMING_SHARE = 0.15
"""Share of the requests that name the value, where a source lets them: most point at the picture."""

_TRIES = 20
"""Draws for each picture wanted before all are looked through."""


@dataclass(frozen=True, slots=True)
class Pool:
    """One query with its candidates."""

    attribute: str
    query: str
    values: tuple[str, ...]
    """The query picture's values, sorted; one nearly always."""
    target: str
    """One of the positives."""
    positives: tuple[str, ...]
    """Sorted; so are the negatives."""
    negatives: tuple[str, ...]


def draw_pools(
    groups: Groups,
    rng: random.Random,
    coverage: Coverage,
    *,
    queries: Iterable[tuple[str, str]] | None = None,
    product_of: Mapping[str, str] | None = None,
    uncertain: Mapping[str, Mapping[str, Collection[str]]] | None = None,
    wearer_of: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Iterator[Pool]:
    """A pool for each query `(attribute, image_id)`, in their order; counts records, kept and dropped in `coverage`.

    queries: by default every picture under every attribute, sorted. One that no value of its attribute holds is dropped
        as missing: leave pictures that the folder lacks out of `groups`.
    product_of: image_id -> product; no candidate shows the query's product.
    uncertain: attribute -> value -> pictures that may have the value: never negatives of a query that has it.
    wearer_of: image_id -> who it is for ("women"); the target is for the same, where a positive is: shoppers do not go
        on with something for somebody else without saying so.
    limit: at most so many queries, evenly spread.
    """
    doubts = uncertain or {}
    columns = {name: _Column(values, doubts.get(name, {})) for name, values in sorted(groups.items())}
    if queries is None:
        queries = [(name, image) for name, column in columns.items() for image in sorted(column.values_of)]
    for attribute, query in spread(list(queries), limit):
        coverage.n_records += 1
        column = columns.get(attribute)
        if column is None or query not in column.values_of:
            coverage.dropped[MISSING] += 1
            continue
        pool = column.pool(attribute, query, product_of or {}, wearer_of or {}, rng)
        if isinstance(pool, str):
            coverage.dropped[pool] += 1
        else:
            coverage.n_kept += 1
            yield pool


def tolerate_unasked(asked: Coverage, coverage: Coverage) -> None:
    """Into a source's own account, whose records are products, goes how many of them ask for no attribute, and why."""
    for reason, n in sorted(asked.dropped.items()):
        coverage.tolerated[f"no query by attribute: {reason}"] += n


def asfr_instances(
    dataset: str,
    pools: Iterable[Pool],
    rng: random.Random,
    *,
    noun: str = "",
    names_values: bool = False,
) -> list[Instance]:
    """One ASFR instance for each pool, sorted.

    noun: what the pictures show, when all show the same kind ("pair" of shoes). names_values: some requests may name
    the value; not for values that are numbers.
    """
    instances = [
        Instance(
            instance_id=f"{pool.query}#{pool.attribute.replace(' ', '-')}",
            task=Task.ASFR,
            dataset=dataset,
            text=request(pool, rng, noun=noun, names_values=names_values),
            target=pool.target,
            references=(pool.query,),
            attribute=pool.attribute,
            positives=pool.positives,
            negatives=pool.negatives,
        )
        for pool in pools
    ]
    return sorted(instances, key=lambda instance: instance.instance_id)


def request(pool: Pool, rng: random.Random, *, noun: str = "", names_values: bool = False) -> str:
    """The words of a query: they name the attribute, and seldom its value."""
    if names_values and len(pool.values) == 1 and rng.random() < NAMING_SHARE:
        return rng.choice(NAMING_REQUESTS).format(attribute=pool.attribute, value=pool.values[0])
    phrases = REQUESTS
    if noun:
        phrases = (*REQUESTS, f"another {noun} with the same {{attribute}}", f"a different {noun}, same {{attribute}}")
    return rng.choice(phrases).format(attribute=pool.attribute)


class _Slices:
    """Several lists seen as one; a picture that is in two of them occurs twice."""

    def __init__(self, parts: Iterable[Sequence[str]]) -> None:
        self._parts = [part for part in parts if part]
        self._ends = list(accumulate(len(part) for part in self._parts))
        self.n_images = self._ends[-1] if self._ends else 0

    def draw(self, n_wanted: int, unfit: Callable[[str], bool], rng: random.Random) -> list[str]:
        """Up to `n_wanted` different fit pictures, sorted; fewer only when there are no more."""
        found: dict[str, None] = {}
        if self.n_images > n_wanted * _TRIES:
            for _ in range(n_wanted * _TRIES):
                image = self._at(rng.randrange(self.n_images))
                if image not in found and not unfit(image):
                    found[image] = None
                    if len(found) == n_wanted:
                        return sorted(found)
        fit = list(dict.fromkeys(image for part in self._parts for image in part if not unfit(image)))
        return sorted(fit if len(fit) <= n_wanted else rng.sample(fit, n_wanted))

    def _at(self, row: int) -> str:
        part = bisect_right(self._ends, row)
        return self._parts[part][row - (self._ends[part - 1] if part else 0)]


class _Column:
    """One attribute: each picture's values, and the pictures with any or none of some values."""

    def __init__(self, groups: Mapping[str, Sequence[str]], unsure: Mapping[str, Collection[str]]) -> None:
        self.groups = {value: groups[value] for value in sorted(groups)}
        self.unsure = {value: frozenset(images) for value, images in unsure.items()}
        self.values_of: dict[str, tuple[str, ...]] = {}
        for value, images in self.groups.items():
            for image in images:
                known = self.values_of.get(image, ())
                if value not in known:
                    self.values_of[image] = (*known, value)
        self._slices: dict[tuple[str, ...], tuple[_Slices, _Slices]] = {}

    def slices(self, values: tuple[str, ...]) -> tuple[_Slices, _Slices]:
        """The pictures with any of the values, and those with any other (which may have one of the values as well)."""
        if values not in self._slices:
            self._slices[values] = (
                _Slices(images for value, images in self.groups.items() if value in values),
                _Slices(images for value, images in self.groups.items() if value not in values),
            )
        return self._slices[values]

    def pool(
        self, attribute: str, query: str, products: Mapping[str, str], wearers: Mapping[str, str], rng: random.Random
    ) -> Pool | str:
        """The candidates, or why there are too few."""
        values = self.values_of[query]
        product = products.get(query, "")
        doubts = [self.unsure[value] for value in values if value in self.unsure]

        def is_same_product(image: str) -> bool:
            return image == query or (product != "" and products.get(image, "") == product)

        def is_no_negative(image: str) -> bool:
            shares = any(value in values for value in self.values_of[image])
            return shares or is_same_product(image) or any(image in doubt for doubt in doubts)

        same, other = self.slices(values)
        positives = same.draw(rng.randint(*N_POSITIVES), is_same_product, rng)
        if len(positives) < N_POSITIVES[0]:
            return FEW_POSITIVES
        negatives = other.draw(N_NEGATIVES, is_no_negative, rng)
        if len(negatives) < N_NEGATIVES:
            return FEW_NEGATIVES
        wearer = wearers.get(query, "")
        likely = [image for image in positives if wearers.get(image, "") == wearer] or positives
        return Pool(attribute, query, values, rng.choice(likely), tuple(positives), tuple(negatives))

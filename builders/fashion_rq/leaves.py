"""Leaves of the hierarchy that queries are asked for: drawn with a seed, spread over its upper clusters."""

from __future__ import annotations

import logging
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import LABELS, Label, Listing, Part

log = logging.getLogger(__name__)

DEPTH = 3
"""Levels of the hierarchy."""
MIN_EXACT = 3
"""Members of a leaf, duplicates counted once, that have all that a query asks for: T1 and T4 show so many (the paper's
Tables 7 and 8: a fifth of 14.8 candidates)."""


@dataclass(frozen=True, slots=True)
class LeafSettings:
    """Aims are the paper's counts; a catalogue with less gives less."""

    n_tops: int = 17
    n_middles: int = 135
    """Table 1."""
    n_leaves: int = 416
    """Table 7: those that are asked for. Table 1 has 436."""
    min_exact: int = MIN_EXACT + 1
    """Members of a leaf that are no duplicates of each other: one may lack something that is asked for (ours)."""
    min_siblings: int = 1
    min_others: int = 4
    """Related, and irrelevant ones (ours)."""
    validation_share: float = 0.2
    """Of the leaves (ours)."""


class Clusters:
    """The hierarchy as it lies: products by cluster, and which of them are the same product."""

    def __init__(self, listings: Sequence[Listing], duplicates: Mapping[str, str]) -> None:
        """`duplicates` maps item_id -> key of its group. Raises BenchmarkError for codes of another depth."""
        self._group = {listing.item_id: duplicates[listing.item_id] for listing in listings}
        members: dict[str, list[str]] = defaultdict(list)
        for listing in sorted(listings, key=lambda one: one.item_id):
            if len(listing.codes) != DEPTH:
                raise BenchmarkError(
                    f"The product {listing.item_id} has {len(listing.codes)} codes, not {DEPTH}: build again."
                )
            for name in ("", *above(listing.leaf)):
                members[name].append(listing.item_id)
        self._members = dict(members)
        self._groups = {name: frozenset(map(self._group.__getitem__, own)) for name, own in members.items()}
        self._outside: dict[str, list[str]] = {}

    @property
    def leaves(self) -> list[str]:
        return sorted(name for name in self._members if name.count("/") == DEPTH - 1)

    def group_of(self, item_id: str) -> str:
        return self._group[item_id]

    def n_available(self, leaf: str) -> dict[Label, int]:
        """Products, duplicates counted once, by their relation to a query of the leaf."""
        sizes = [len(self._groups[name]) for name in (*reversed(above(leaf)), "")]
        return {label: size - inner for label, size, inner in zip(reversed(LABELS), sizes, (0, *sizes), strict=False)}

    def pool(self, leaf: str, label: Label) -> Sequence[str]:
        """Products of this relation to the leaf, in the order of their ids; of duplicates in several relations only
        those of the closest one, so that they never stand on two sides of a label."""
        names = (*reversed(above(leaf)), "")
        place = len(LABELS) - 1 - LABELS.index(label)
        if place == 0:
            return self._members[names[0]]
        if label == "irrelevant":
            return self._far(names[place - 1])
        return self._without(names[place], names[place - 1])

    def _far(self, top: str) -> Sequence[str]:
        if top not in self._outside:
            self._outside[top] = self._without("", top)
        return self._outside[top]

    def _without(self, outer: str, inner: str) -> list[str]:
        closer = self._groups[inner]
        return [item_id for item_id in self._members[outer] if self._group[item_id] not in closer]


def above(leaf: str) -> tuple[str, ...]:
    """The names of its clusters, from the top to itself: "1/2/3" -> "1", "1/2", "1/2/3"."""
    codes = leaf.split("/")
    return tuple("/".join(codes[: depth + 1]) for depth in range(len(codes)))


def usable_leaves(clusters: Clusters, settings: LeafSettings) -> list[str]:
    """Those with enough products of each relation, sorted. Raises BenchmarkError where there is none."""
    usable = [leaf for leaf in clusters.leaves if _is_usable(clusters.n_available(leaf), settings)]
    if not usable:
        raise BenchmarkError(_why_none(clusters, settings))
    return usable


def choose_leaves(usable: Sequence[str], settings: LeafSettings, seed: int) -> dict[str, Part]:
    """Leaf -> part, sorted by leaf."""
    rng = random.Random(f"{seed}/leaves")
    chosen = sorted(_spread(usable, settings, rng))
    if len(chosen) < settings.n_leaves:
        log.warning("only %d leaves can be asked for, not %d", len(chosen), settings.n_leaves)
    n_validation = round(settings.validation_share * len(chosen))
    validation = frozenset(rng.sample(chosen, n_validation))
    return {leaf: "validation" if leaf in validation else "test" for leaf in chosen}


def _is_usable(available: Mapping[Label, int], settings: LeafSettings) -> bool:
    return (
        available["exact"] >= settings.min_exact
        and available["sibling"] >= settings.min_siblings
        and min(available["related"], available["irrelevant"]) >= settings.min_others
    )


def _why_none(clusters: Clusters, settings: LeafSettings) -> str:
    leaves = clusters.leaves
    largest = max((clusters.n_available(leaf)["exact"] for leaf in leaves), default=0)
    return (
        f"None of the {len(leaves)} leaves of the hierarchy can be asked for: a query needs {settings.min_exact} "
        f"different products in its leaf (the largest has {largest}), {settings.min_siblings} in a sibling leaf and "
        f"{settings.min_others} each further off. Give a larger catalogue, another --codebook, or more --epochs."
    )


def _spread(usable: Sequence[str], settings: LeafSettings, rng: random.Random) -> list[str]:
    """So many leaves as wanted, in turn from each middle cluster, these in turn from each top cluster; clusters are
    drawn by the leaves they have. More clusters than wanted are taken where these have too few leaves."""
    tree: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for leaf in usable:
        top, middle, _ = above(leaf)
        tree[top][middle].append(leaf)
    for of_top in tree.values():
        for of_middle in of_top.values():
            rng.shuffle(of_middle)
    tops = _drawn({top: sum(map(len, of_top.values())) for top, of_top in tree.items()}, rng)
    order = {top: _drawn({name: len(leaves) for name, leaves in tree[top].items()}, rng) for top in tops}
    n_tops, n_middles = settings.n_tops, settings.n_middles
    while True:
        middles = list(_in_turn([order[top] for top in tops[:n_tops]]))
        leaves = [tree[above(name)[0]][name] for name in middles[:n_middles]]
        if sum(map(len, leaves)) >= settings.n_leaves or (n_tops >= len(tops) and n_middles >= len(middles)):
            return list(_in_turn(leaves))[: settings.n_leaves]
        if n_middles < len(middles):
            n_middles += 1
        else:
            n_tops += 1


def _drawn(weights: Mapping[str, int], rng: random.Random) -> list[str]:
    """All names in a drawn order, heavy ones early (Efraimidis and Spirakis, 2006)."""
    keys = {name: rng.random() ** (1 / weights[name]) for name in sorted(weights)}
    return sorted(keys, key=lambda name: (-keys[name], name))


def _in_turn(lists: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first of each, then the second of each, and so on."""
    for place in range(max(map(len, lists), default=0)):
        yield from (each[place] for each in lists if place < len(each))

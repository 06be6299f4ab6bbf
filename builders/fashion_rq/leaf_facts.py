"""What the products of a leaf share, and how much rarer it is among the leaves beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from builders.fashion_rq.lexicon import fold
from retrieval.rq_benchmark import Listing

MIN_SHARE = 0.5
"""Of a leaf's members that have a value, for it to be a fact of the leaf (ours)."""
Having = Mapping[str, Mapping[str, set[str]]]
"""Attribute -> folded value -> item_ids."""


@dataclass(frozen=True, slots=True)
class Fact:
    attribute: str
    value: str
    """As the catalogue spells it."""
    prevalence: float
    """Share of the leaf's members."""
    sibling_share: float
    """Share of the members of the other leaves below the same parent; 0 where there are none."""
    members: frozenset[str]
    """Item_ids of the leaf's members that have it."""
    siblings: frozenset[str]
    """Of the siblings that have it."""

    @property
    def distinction(self) -> float:
        """1 where all members have it and no sibling, 0 or less where it tells nothing."""
        return self.prevalence - self.sibling_share


@dataclass(frozen=True, slots=True)
class LeafFacts:
    leaf: str
    members: frozenset[str]
    """Item_ids."""
    siblings: frozenset[str]
    """Members of the other leaves below the same parent."""
    facts: tuple[Fact, ...]
    """One an attribute, the most telling first."""

    def fact(self, attribute: str) -> Fact | None:
        return next((fact for fact in self.facts if fact.attribute == attribute), None)

    def exact(self, asked: Iterable[Fact]) -> frozenset[str]:
        """Members that have all of it."""
        return self.members.intersection(*(fact.members for fact in asked))

    def confused(self, asked: Iterable[Fact]) -> frozenset[str]:
        """Siblings that have all of it as well."""
        return self.siblings.intersection(*(fact.siblings for fact in asked))


def find_facts(
    listings: Iterable[Listing], leaves: Collection[str], min_share: float = MIN_SHARE
) -> dict[str, LeafFacts]:
    """By leaf, in the leaves' sorted order."""
    by_parent: dict[str, dict[str, list[Listing]]] = defaultdict(lambda: defaultdict(list))
    for listing in sorted(listings, key=lambda one: one.item_id):
        by_parent[parent_of(listing.leaf)][listing.leaf].append(listing)
    found: dict[str, LeafFacts] = {}
    having: Having = {}
    parent = None
    for leaf in sorted(set(leaves), key=lambda leaf: (parent_of(leaf), leaf)):
        of_parent = by_parent[parent_of(leaf)]
        if parent != (parent := parent_of(leaf)):
            having = _having(listing for other in of_parent.values() for listing in other)
        found[leaf] = _facts_of(leaf, of_parent, having, min_share)
    return dict(sorted(found.items()))


def parent_of(leaf: str) -> str:
    """The name of its level-2 cluster: "3/17/5" -> "3/17"."""
    return leaf.rpartition("/")[0]


def _having(listings: Iterable[Listing]) -> Having:
    """What is not known does not count."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for listing in listings:
        for attribute, value in listing.attributes.items():
            if folded := fold(value):
                found[attribute][folded].add(listing.item_id)
    return found


def _facts_of(leaf: str, of_parent: Mapping[str, Sequence[Listing]], having: Having, min_share: float) -> LeafFacts:
    own = of_parent.get(leaf, ())
    members = frozenset(listing.item_id for listing in own)
    siblings = frozenset(each.item_id for listings in of_parent.values() for each in listings) - members
    facts: list[Fact] = []
    for attribute, values in having.items():
        of_members = {value: members & ids for value, ids in values.items()}
        value, with_it = min(of_members.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        if not with_it or len(with_it) < min_share * len(members):
            continue
        spelt = next(str(each.attributes[attribute]) for each in own if each.item_id in with_it)
        others = siblings & values[value]
        among_others = len(others) / len(siblings) if siblings else 0.0
        facts.append(Fact(attribute, spelt, len(with_it) / len(members), among_others, with_it, others))
    facts.sort(key=lambda fact: (-fact.distinction, fact.attribute))
    return LeafFacts(leaf, members, siblings, tuple(facts))

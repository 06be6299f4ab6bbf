"""What the products of a leaf share, and how much rarer it is among the leaves beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from builders.fashion_rq.lexicon import fold
from retrieval.rq_benchmark import Listing

Having = Mapping[str, Mapping[str, set[str]]]
"""Attribute -> folded value -> item_ids."""


@dataclass(frozen=True, slots=True)
class FactSettings:
    """Which values of a leaf are facts of it, and which of these are asked for (ours)."""

    fact_share: float = 0.5
    """Of a leaf's members that have a value, for it to be a fact of the leaf."""
    minor_fact_share: float = 0.25
    """The same for a minor fact, which is asked for where the others do not tell the leaf from its siblings."""
    max_facts: int = 6
    """That are asked for, the product type and the age among them."""
    extra_chance: float = 0.5
    """That a query names one more fact than is needed to tell its leaf, as shoppers do."""
    further_chance: float = 0.15
    """That it names one of those that seldom tell a leaf: brand, season, material and the like."""
    min_gain: float = 0.02
    """A further fact must rule out this share of the siblings that are left."""
    min_kept: float = 0.4
    """Share of the leaf's members that must have all that is asked for."""
    min_kept_minor: float = 0.2
    """The same with minor facts."""
    max_confused: float = 0.15
    """Share of the siblings that may have all that is asked for, before minor facts are asked for as well."""
    most_confused: float = 0.5
    """With a larger share a leaf gets no query: its siblings could as well be exact."""


USUAL_FACTS = FactSettings()


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
    minor: tuple[Fact, ...]
    """What fewer members share, the most telling first; several an attribute."""

    def fact(self, attribute: str) -> Fact | None:
        return next((fact for fact in self.facts if fact.attribute == attribute), None)

    def exact(self, asked: Iterable[Fact]) -> frozenset[str]:
        """Members that have all of it."""
        return self.members.intersection(*(fact.members for fact in asked))

    def confused(self, asked: Iterable[Fact]) -> frozenset[str]:
        """Siblings that have all of it as well."""
        return self.siblings.intersection(*(fact.siblings for fact in asked))


def find_facts(
    listings: Iterable[Listing], leaves: Collection[str], settings: FactSettings = USUAL_FACTS
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
        found[leaf] = _facts_of(leaf, of_parent, having, settings)
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


def _facts_of(
    leaf: str, of_parent: Mapping[str, Sequence[Listing]], having: Having, settings: FactSettings
) -> LeafFacts:
    own = {listing.item_id: listing for listing in of_parent.get(leaf, ())}
    members = frozenset(own)
    siblings = frozenset(each.item_id for listings in of_parent.values() for each in listings) - members
    facts: list[Fact] = []
    minor: list[Fact] = []
    for attribute, values in having.items():
        shared = sorted(
            ((members & ids, value) for value, ids in values.items()), key=lambda pair: (-len(pair[0]), pair[1])
        )
        for place, (with_it, value) in enumerate(shared):
            prevalence = len(with_it) / len(members) if with_it else 0.0
            if prevalence < settings.minor_fact_share:
                break
            spelt = str(own[min(with_it)].attributes[attribute])
            others = siblings & values[value]
            fact = Fact(attribute, spelt, prevalence, len(others) / len(siblings) if siblings else 0.0, with_it, others)
            (facts if place == 0 and prevalence >= settings.fact_share else minor).append(fact)
    for each in (facts, minor):
        each.sort(key=lambda fact: (-fact.distinction, fact.attribute, fact.value))
    return LeafFacts(leaf, members, siblings, tuple(facts), tuple(minor))

"""Queries for the leaves of a hierarchy: what each asks for, then its paraphrases."""

from __future__ import annotations

import logging
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from builders.fashion_rq import grammar
from builders.fashion_rq.grammar import USUAL_WORDS, WordSettings
from builders.fashion_rq.leaf_facts import USUAL_FACTS, Fact, FactSettings, LeafFacts, find_facts, parent_of
from builders.fashion_rq.leaves import MIN_EXACT
from builders.fashion_rq.lexicon import AGE_OF, SAID, fold
from builders.wording import folded
from retrieval.rq_benchmark import Listing, Part, RQQuery

log = logging.getLogger(__name__)

MIN_PARAPHRASES, MAX_PARAPHRASES = 2, 10
"""In a group; every number is as likely: 6 on average (the paper's Table 7)."""
FURTHER = ("style", "material", "pattern")
"""Asked for where nothing else tells a leaf, and seldom beside that (ours)."""
SELDOM = ("brand", "season")
"""Asked for by chance alone (ours). A brand has no other words than the listing's, so that to find it is no search by
meaning; a season is none of the attributes of the paper's Table 3, and no shopper sees that a tee was stocked for
autumn. Of a catalogue whose leaves nothing else tells they tell them all the same."""

TOO_FEW_OF_A_TYPE = "too few different products of one type"

Wanted = frozenset[tuple[str, str]]
Names = tuple[str, ...]
"""Of attributes."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one group of paraphrases asks for."""

    leaf: str
    wanted: Mapping[str, str]
    """The product type first; equal to that of no other leaf below the same parent."""
    count: int
    """Paraphrases."""

    @property
    def group_id(self) -> str:
        return self.leaf.replace("/", "-")


@dataclass(frozen=True, slots=True)
class Plan:
    asked: tuple[Asked, ...]
    """Sorted by leaf."""
    left_out: Mapping[str, str]
    """Leaf -> why it gets no query."""
    brands: frozenset[str] = frozenset()
    """Of the catalogue: no query names one that it does not ask for."""


class Writer(Protocol):
    """Who words the queries: the grammar, or a model."""

    @property
    def name(self) -> str:
        """Goes into the card."""
        ...

    def write(self, planned: Plan, seed: int, settings: WordSettings = USUAL_WORDS) -> list[list[str]]:
        """For each that is asked, its paraphrases, no two equal; fewer than asked for where there are no more ways."""
        ...


class GrammarWriter:
    name = "grammar"

    def write(self, planned: Plan, seed: int, settings: WordSettings = USUAL_WORDS) -> list[list[str]]:
        sayings = (
            grammar.paraphrases(each.wanted, each.count, rng_of(seed, "words", each.leaf), settings)
            for each in planned.asked
        )
        return [[saying.text for saying in of_group] for of_group in sayings]


def word(
    planned: Plan,
    seed: int,
    parts: Mapping[str, Part],
    writer: Writer | None = None,
    settings: WordSettings = USUAL_WORDS,
) -> list[RQQuery]:
    """The queries of a plan, sorted by query_id; a group with a single way to ask is left out."""
    queries: list[RQQuery] = []
    for each, texts in zip(planned.asked, (writer or GrammarWriter()).write(planned, seed, settings), strict=True):
        if len(texts) < MIN_PARAPHRASES:
            log.warning("there are too few ways to ask for %s: its leaf is left out", dict(each.wanted))
            continue
        queries += [
            RQQuery(f"{each.group_id}/{number:02}", each.group_id, each.leaf, text, each.wanted, parts[each.leaf])
            for number, text in enumerate(texts, 1)
        ]
    return sorted(queries, key=lambda query: query.query_id)


def plan(
    listings: Sequence[Listing],
    leaves: Collection[str],
    seed: int,
    duplicates: Mapping[str, str] | None = None,
    settings: FactSettings = USUAL_FACTS,
) -> Plan:
    """What is asked for in each leaf. Leaves below one parent never ask for the same: the later one asks for more, or
    is left out."""
    groups = duplicates or {listing.item_id: folded(listing.name) or listing.item_id for listing in listings}
    facts = find_facts(listings, leaves, settings)
    brands = frozenset(
        str(listing.attributes["brand"]) for listing in listings if fold(listing.attributes.get("brand"))
    )
    found = _plan(facts, groups, seed, settings, FURTHER)
    if not found[0]:
        found = _plan(facts, groups, seed, settings, (*SELDOM, *FURTHER))
    return Plan(*found, brands)


def _plan(
    facts: Mapping[str, LeafFacts], groups: Mapping[str, str], seed: int, settings: FactSettings, further: Names
) -> tuple[tuple[Asked, ...], dict[str, str]]:
    """Those that are asked, and why others are not; `further` attributes may tell a leaf where usual ones do not."""
    taken: dict[str, set[Wanted]] = defaultdict(set)
    asked: list[Asked] = []
    left_out: dict[str, str] = {}
    for leaf, of_leaf in facts.items():
        rng = rng_of(seed, "facts", leaf)
        choice = _Choice(of_leaf, groups, settings)
        if reason := _choose(choice, taken[parent_of(leaf)], rng, further):
            left_out[leaf] = reason
            continue
        taken[parent_of(leaf)].add(choice.key)
        asked.append(Asked(leaf, choice.wanted, rng.randint(MIN_PARAPHRASES, MAX_PARAPHRASES)))
    return tuple(asked), left_out


def why_none_is_asked(planned: Plan, listings: Sequence[Listing]) -> str:
    """For people: why each leaf is left out, and what to do."""
    counts = Counter(planned.left_out.values())
    reasons = "; ".join(f"{n}: {reason}" for reason, n in sorted(counts.items()))
    begin = f"No query can be asked for any of {len(planned.left_out)} leaves ({reasons})."
    if 2 * counts[TOO_FEW_OF_A_TYPE] > counts.total() and any(
        fold(one.attributes.get("product_type")) for one in listings
    ):
        return f"{begin} Give a larger catalogue, or a smaller --codebook."
    return f"{begin} {name_more(listings)}"


def name_more(listings: Collection[Listing]) -> str:
    """For people: what queries can ask for, and how they can ask for more."""
    known = Counter(name for one in listings for name, value in one.attributes.items() if fold(value))
    names = [name for name in ("product_type", *sorted(SAID)) if known[name]]
    shares = ", ".join(f"{name} of {known[name] / len(listings):.0%}" for name in names)
    return (
        f"Too little is known of the products to tell them apart by words: {shares or 'nothing'}. Name further columns "
        "of the catalogue by --mapping, or have them read from names there."
    )


class _Choice:
    """The facts of one leaf that are asked for so far."""

    def __init__(self, leaf: LeafFacts, groups: Mapping[str, str], settings: FactSettings) -> None:
        self.leaf, self.settings, self._groups = leaf, settings, groups
        self.facts: list[Fact] = []

    @property
    def wanted(self) -> dict[str, str]:
        return {fact.attribute: fact.value for fact in self.facts}

    @property
    def key(self) -> Wanted:
        """Equal for what asks for the same."""
        return frozenset((fact.attribute, fold(fact.value)) for fact in self.facts)

    @property
    def n_confused(self) -> int:
        return len(self.leaf.confused(self.facts))

    @property
    def is_told(self) -> bool:
        """Whether few siblings have all that is asked for."""
        return len(self.leaf.confused(self.facts)) <= self.settings.max_confused * len(self.leaf.siblings)

    def fits(self, fact: Fact, min_kept: float = 0.0) -> bool:
        """Whether enough different members have it beside all that is asked for."""
        if fact.attribute in {each.attribute for each in self.facts} or len(self.facts) >= self.settings.max_facts:
            return False
        exact = self.leaf.exact([*self.facts, fact])
        n_different = len({self._groups[item_id] for item_id in exact})
        return n_different >= MIN_EXACT and len(exact) >= min_kept * len(self.leaf.members)

    def tell(self, facts: Sequence[Fact], min_kept: float) -> None:
        """Adds facts, each time the one that rules out most of the siblings that still have all that is asked for."""
        while n_left := self.n_confused:
            counts = [
                (len(self.leaf.confused([*self.facts, fact])), -fact.prevalence, place, fact)
                for place, fact in enumerate(facts)
                if self.fits(fact, min_kept)
            ]
            if not counts or n_left - min(counts)[0] < self.settings.min_gain * n_left:
                return
            self.facts.append(min(counts)[-1])

    def add_one(self, facts: Sequence[Fact], rng: random.Random) -> None:
        if fitting := [fact for fact in facts if self.fits(fact, self.settings.min_kept)]:
            self.facts.append(rng.choice(fitting))


def _choose(choice: _Choice, taken: Collection[Wanted], rng: random.Random, telling: Names) -> str:
    """Chooses what to ask for; why nothing can be, or ""."""
    settings = choice.settings
    kinds = [fact for fact in (*choice.leaf.facts, *choice.leaf.minor) if fact.attribute == "product_type"]
    fitting = [kind for kind in kinds if choice.fits(kind)]
    if not fitting:
        return TOO_FEW_OF_A_TYPE
    kind = max(fitting, key=lambda fact: fact.prevalence)
    choice.facts.append(kind)
    usual, further, minor, seldom = _askable(choice.leaf, kind.value, telling)
    choice.tell(usual, settings.min_kept)
    if not choice.is_told:
        choice.tell(further, settings.min_kept)
    for chance, facts in ((settings.extra_chance, usual), (settings.further_chance, [*further, *seldom])):
        if rng.random() < chance:
            choice.add_one(facts, rng)
    if not choice.is_told:
        choice.tell(minor, settings.min_kept_minor)
    _add_age(choice)
    for fact in (*usual, *further, *minor):
        if choice.key in taken and choice.fits(fact):
            choice.facts.append(fact)
    if choice.key in taken:
        return "asks for the same as a sibling"
    if choice.n_confused > settings.most_confused * len(choice.leaf.siblings):
        return "most siblings have all that can be asked for"
    return ""


def _askable(leaf: LeafFacts, product_type: str, telling: Names) -> tuple[list[Fact], ...]:
    """Facts that a shopper would name, the most telling first: usual ones, those of `telling`, minor ones of both, and
    those in SELDOM that are in neither. An age is one where no gender says it."""
    usual = {"colour", "gender", "occasion"} | ({"age"} if leaf.fact("gender") is None else set())
    said = [fact for fact in leaf.facts if grammar.can_say(fact.attribute, fact.value, product_type)]
    minor = [fact for fact in leaf.minor if grammar.can_say(fact.attribute, fact.value, product_type)]
    return (
        [fact for fact in said if fact.attribute in usual],
        [fact for fact in said if fact.attribute in telling],
        [fact for fact in minor if fact.attribute in usual or fact.attribute in telling],
        [fact for fact in said if fact.attribute in SELDOM and fact.attribute not in telling],
    )


def _add_age(choice: _Choice) -> None:
    """Words for a gender ask for an age as well: "men's" for adults."""
    age = choice.leaf.fact("age")
    if age and fold(age.value) == AGE_OF.get(fold(choice.wanted.get("gender"))) and choice.fits(age):
        choice.facts.append(age)


def rng_of(seed: int, *names: str) -> random.Random:
    """Its own for every purpose and leaf, so that one leaf more changes no other's queries."""
    return random.Random("/".join((str(seed), *names)))

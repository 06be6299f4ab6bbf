"""Whether a query asks for what its products are: by what is wanted, and by the words themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from builders.fashion_rq import lexicon
from builders.fashion_rq.lexicon import AGE_OF, fold, words_in
from retrieval.rq_benchmark import Listing, RQQuery
from retrieval.schema import Attributes

LONGEST_CLAIM = max(map(len, lexicon.claims()))


@dataclass(frozen=True, slots=True)
class Claim:
    """What some words of a query say of a product."""

    words: str
    means: Mapping[str, frozenset[str]]
    """Attribute -> folded values; any one of them makes the claim true ("steel": a colour or a material)."""


def satisfies(listing: Listing, wanted: Mapping[str, str]) -> bool:
    """Whether the product is known to have every value, in any case of letters."""
    return all(fold(value) and fold(listing.attributes.get(name)) == fold(value) for name, value in wanted.items())


def untrue(query: RQQuery, exact_listings: Iterable[Listing]) -> list[str]:
    """What the query says that is not so, a sentence each: by `wanted`, then by each word for a type, a colour, a
    gender, an age, an occasion, a season, a pattern, a material or a style, as far as the tables know it."""
    claimed = claims_of(query.text, query.wanted)
    problems: list[str] = []
    for listing in exact_listings:
        for name, value in query.wanted.items():
            if not satisfies(listing, {name: value}):
                problems.append(_problem(query, f"wants {name} {value!r}", listing, [name]))
        for claim in claimed:
            if not is_true(claim, listing.attributes):
                problems.append(_problem(query, f"says {claim.words!r}", listing, sorted(claim.means)))
    return problems


def _problem(query: RQQuery, what: str, listing: Listing, names: Sequence[str]) -> str:
    known = ", ".join(f"{name} {listing.attributes.get(name, 'unknown')!r}" for name in names)
    return f"{query.query_id} {what}, but {listing.item_id} has {known}"


def is_true(claim: Claim, attributes: Attributes) -> bool:
    """A colour's plain name is true of its shades by name: "blue" of "Navy Blue"."""
    for name, values in claim.means.items():
        own = fold(attributes.get(name))
        if own in values or (name == "colour" and any(own.endswith(f" {word}") for word in values)):
            return True
    return False


def claims_of(text: str, wanted: Mapping[str, str] | None = None) -> list[Claim]:
    """In the order of the words, the longest first: "t-shirt" is no shirt, "navy blue" one colour. Words that are a
    wanted brand or style by name, which no table needs to know, are taken for that."""
    known = dict(_own_names(wanted or {}))
    words = words_in(text)
    found: list[Claim] = []
    place = 0
    while place < len(words):
        size, means = _longest(words, place, known)
        if means:
            found.append(Claim(" ".join(words[place : place + size]), means))
        place += size
    return found


def _longest(
    words: Sequence[str], place: int, known: Mapping[tuple[str, ...], Mapping[str, frozenset[str]]]
) -> tuple[int, Mapping[str, frozenset[str]]]:
    """How many words belong together from here, and what they claim."""
    longest = max(LONGEST_CLAIM, *map(len, known), 1) if known else LONGEST_CLAIM
    for size in range(min(longest, len(words) - place), 0, -1):
        phrase = tuple(words[place : place + size])
        if phrase in known:
            return size, known[phrase]
        if phrase in lexicon.claims():
            return size, lexicon.claims()[phrase]
    return 1, {}


def _own_names(wanted: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], Mapping[str, frozenset[str]]]]:
    for name, value in wanted.items():
        if name in ("brand", "style") and words_in(value):
            yield words_in(value), {name: frozenset({fold(value)})}


def unsaid(text: str, wanted: Mapping[str, str]) -> list[str]:
    """Wanted attributes that no words of the text speak of, in their order. "Sports shoes" speaks of sports, "men's" of
    adults."""
    words = words_in(text)
    return [name for name, value in wanted.items() if not _is_said(name, value, words, wanted)]


def _is_said(name: str, value: str, words: Sequence[str], wanted: Mapping[str, str]) -> bool:
    if name == "age" and AGE_OF.get(fold(wanted.get("gender"))) == fold(value):
        return True
    if name == "occasion" and lexicon.kind_of(wanted.get("product_type", "")).occasion == fold(value):
        return True
    ways = _all_ways(name, value)
    if name == "product_type":  # "t-shirt" does not say shirt
        spans = [words_in(claim.words) for claim in claims_of(" ".join(words))]
        if ways & lexicon.claims().keys():
            return any(span in ways for span in spans)
    return _holds_any(words, ways)


@cache
def _all_ways(name: str, value: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_ways(name, value))


def _ways(name: str, value: str) -> Iterator[tuple[str, ...]]:
    yield words_in(value)
    if name == "product_type":
        for noun in lexicon.kind_of(value).nouns:
            yield from (words_in(noun.singular), words_in(noun.plural))
    for phrase, means in lexicon.claims().items():
        if name != "product_type" and fold(value) in means.get(name, ()):
            yield phrase


def _holds_any(words: Sequence[str], phrases: Collection[tuple[str, ...]]) -> bool:
    spans = (
        tuple(words[place : place + size])
        for size in {len(phrase) for phrase in phrases}
        for place in range(len(words) - size + 1)
    )
    return any(span in phrases for span in spans)

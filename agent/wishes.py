"""What a shopper wants, apart from which item is meant: filters, exclusions, and words for the encoder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agent.accents import SECOND
from agent.comparisons import Comparison
from agent.cues import OPEN, SIZE_SAID
from agent.mentions import Mention
from agent.reading import Reading
from agent.spans import Span, within
from agent.vocabulary import Lexicon, listed
from agent.words import WORD, singular, word_list
from retrieval.protocols import Facet
from retrieval.schema import AttributeValue, Filter

_STOP = word_list("stop")
_LESS_LIKE = re.compile(r"\b(?:less like|nothing like|not like|unlike|different from|not (?:this|that) one)\b")
_IN_ITS_PLACE = re.compile(r"(?:instead of|rather than)\b")
_KEEP_BEFORE = frozenset({"more", "less"})
""" "more" and "less" stay in front of a word that the encoder should see changed: "more colourful"."""


@dataclass(frozen=True, slots=True)
class Wish:
    text: str = ""
    filters: tuple[Filter, ...] = ()
    unwanted_texts: tuple[str, ...] = ()
    is_less_like: bool = False
    """ "less like this": the item that is pointed at is to be moved away from."""
    comparisons: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()
    open: frozenset[str] = frozenset()
    """Attributes that may be anything from now on: "any colour"."""

    @property
    def attributes(self) -> frozenset[str]:
        """Attributes that the wish itself decides."""
        return frozenset(f.attribute for f in self.filters if f.operator != "none_of")


def wish_of(reading: Reading, pointing: Sequence[Span], cues: Sequence[Span], facets: Mapping[str, Facet]) -> Wish:
    """`pointing` and `cues` are the words that named an item or the intent: they are no part of the wish."""
    scopes = [negation.scope for negation in reading.negations]
    mentions = [mention for mention in reading.mentions if not within(mention.span, [*pointing])]
    wanted = [mention for mention in mentions if not within(mention.span, scopes)]
    unwanted = [mention for mention in mentions if within(mention.span, scopes)]
    heads = _heads_of_exclusions(unwanted)
    unwanted = [mention for mention in unwanted if mention not in heads]
    if not any(mention.attribute == "category" for mention in wanted):
        wanted += heads
    prices, price_notes = _price_filters(reading, facets)
    texts, is_less_like = _unwanted(reading, unwanted, pointing, has_wish=bool(wanted))
    notes = [mention.note for mention in mentions if mention.note]
    return Wish(
        text=_words(reading, wanted, [*pointing, *cues]),
        filters=(*_wanted(wanted, unwanted, facets), *prices),
        unwanted_texts=texts,
        is_less_like=is_less_like or bool(pointing and _LESS_LIKE.search(reading.text)),
        comparisons=reading.comparisons,
        open=frozenset(name for name, pattern in OPEN.items() if pattern.search(reading.text)),
        notes=tuple(
            dict.fromkeys((*reading.corrections, *notes, *_unlisted(mentions), *price_notes, *_sizes(reading)))
        ),
    )


def _heads_of_exclusions(unwanted: Sequence[Mention]) -> list[Mention]:
    """ "No leather sneakers" excludes the leather: sneakers may well be wanted."""
    ends = {mention.span[1] for mention in unwanted}
    return [mention for mention in unwanted if mention.attribute == "category" and mention.span[0] - 1 in ends]


def _sizes(reading: Reading) -> tuple[str, ...]:
    return ("the catalogue does not list sizes, so I could not look for one",) if SIZE_SAID.search(reading.text) else ()


def _unlisted(mentions: Sequence[Mention]) -> tuple[str, ...]:
    said = [f"“{mention.said}”" for mention in mentions if not mention.meaning.values]
    return (f"the catalogue does not list {listed(said, 'or')}, so I go by pictures and words there",) if said else ()


def _any_of(mentions: Iterable[Mention]) -> Iterable[Filter]:
    values: dict[str, dict[AttributeValue, None]] = {}
    for mention in mentions:
        if mention.meaning.values:
            values.setdefault(mention.attribute, {}).update(dict.fromkeys(mention.meaning.values))
    return [Filter(attribute, "any_of", tuple(found)) for attribute, found in values.items()]


def _wanted(wanted: Sequence[Mention], unwanted: Sequence[Mention], facets: Mapping[str, Facet]) -> Iterable[Filter]:
    """ "Shoes except sandals": of what is wanted, what is not wanted goes."""
    none_of = tuple(_none_of(unwanted, facets))
    for condition in _any_of(wanted):
        left: Filter | None = condition
        for other in none_of:
            if left is not None and other.attribute == condition.attribute:
                left = _after(left, other)
        yield left or condition
    yield from none_of


def _none_of(mentions: Iterable[Mention], facets: Mapping[str, Facet]) -> Iterable[Filter]:
    """Shades go with their colour, kinds of leather with leather: who wants no blue wants no navy blue either. What
    is for all stays: "not for men". Several words that name a value elsewhere as well exclude both: "high heels" are a
    kind of shoe and the heel of a boot."""
    values: dict[str, dict[AttributeValue, None]] = {}
    for mention in mentions:
        if mention.meaning.known:
            found = values.setdefault(mention.attribute, {})
            found.update(dict.fromkeys(mention.meaning.values))
            if mention.attribute in ("colour", "material"):
                kinds = (value for value in facets[mention.attribute].counts if mention.said in value.lower().split())
                found.update(dict.fromkeys(kinds))
            for name, same in _named_elsewhere(mention, facets):
                values.setdefault(name, {})[same] = None
            if mention.attribute == "gender" and len(found) > 1:
                values["gender"] = {value: None for value in found if str(value).lower() != "unisex"}
    return [Filter(attribute, "none_of", tuple(found)) for attribute, found in values.items()]


def _named_elsewhere(mention: Mention, facets: Mapping[str, Facet]) -> Iterable[tuple[str, AttributeValue]]:
    said = {mention.said, singular(mention.said)} if " " in mention.said else set()
    for name, facet in facets.items():
        if name != mention.attribute and not facet.is_number:
            yield from ((name, value) for value in facet.counts if str(value).lower() in said)


def _price_filters(reading: Reading, facets: Mapping[str, Facet]) -> tuple[tuple[Filter, ...], tuple[str, ...]]:
    facet = facets.get("price")
    if not reading.prices:
        return (), ()
    if facet is None or not facet.is_number:
        said = " and ".join(reading.text[slice(*price.span)] for price in reading.prices)
        return (), (f"this gallery has no prices, so “{said}” could not be applied",)
    found: dict[str, Filter] = {}
    for price in reading.prices:
        if price.at_least is not None:
            found["at_least"] = Filter("price", "at_least", (price.at_least,))
        if price.at_most is not None:
            found["at_most"] = Filter("price", "at_most", (price.at_most,))
    return tuple(found.values()), ()


def _unwanted(
    reading: Reading, mentions: Sequence[Mention], pointing: Sequence[Span], *, has_wish: bool
) -> tuple[tuple[str, ...], bool]:
    """Words in the scope of a negation that no attribute expresses; True when the scope points at an item instead.
    "Instead of this, jeans" is a change of what it points at, if it says to what."""
    spans = [mention.span for mention in mentions if mention.meaning.values]
    texts: list[str] = []
    is_less_like = False
    for negation in reading.negations:
        if any(
            negation.cue[0] <= span[0] and span[0] < negation.scope[1] + 6 and span[1] > negation.scope[0]
            for span in pointing
        ):
            is_less_like = is_less_like or not (has_wish and _IN_ITS_PLACE.match(reading.text, negation.cue[0]))
            continue
        scope = reading.text[slice(*negation.scope)]
        for part in re.split(r",|\b(?:and|or|nor)\b", scope):
            start = negation.scope[0] + scope.index(part)
            words = [
                m.group()
                for m in WORD.finditer(part)
                if not within((start + m.start(), start + m.end()), spans) and m.group() not in _STOP
            ]
            has_value = any(start <= span[0] and span[1] <= start + len(part) for span in spans)
            if words and not has_value:
                texts.append(" ".join(words))
    return tuple(dict.fromkeys(texts)), is_less_like


def _words(reading: Reading, wanted: Sequence[Mention], taken: Sequence[Span]) -> str:
    """What is left for the encoder, in the order in which it was said; "no sleeves" is said as "sleeveless"."""
    gone = [*taken, *(price.span for price in reading.prices), *(m.span() for m in SIZE_SAID.finditer(reading.text))]
    gone += [span for negation in reading.negations for span in (negation.cue, negation.scope)]
    gone += [match.span() for pattern in OPEN.values() for match in pattern.finditer(reading.text)]
    gone += reading.amounts.spans
    gone += [c.span for c in reading.comparisons if c.attribute == "price" or c.step == 0]
    said_as = {mention.span[0]: (mention.span, _said(mention)) for mention in wanted}
    kept = [comparison.span for comparison in reading.comparisons if comparison.step]
    words: list[str] = []
    end = 0
    tokens = list(WORD.finditer(reading.text))
    for position, token in enumerate(tokens):
        if token.start() < end:
            continue
        if token.start() in said_as and not within(said_as[token.start()][0], taken):
            span, said = said_as[token.start()]
            words.append(said)
            end = span[1]
            continue
        if within(token.span(), gone):
            continue
        following = tokens[position + 1].group() if position + 1 < len(tokens) else ""
        is_step = token.group() in _KEEP_BEFORE and following and following not in _STOP
        if token.group() not in _STOP or is_step or within(token.span(), kept):
            words.append(token.group())
    return " ".join(words)


def _said(mention: Mention) -> str:
    is_negative = bool(re.match(r"(?:no|not|without)\b", mention.said))
    values = [str(value).lower() for value in mention.meaning.values if str(value).lower() != "unisex"]
    if is_negative and mention.meaning.positive:
        return mention.meaning.positive
    if values and ((mention.attribute == "gender" and len(values) == 1) or (is_negative and mention.meaning.known)):
        return values[0]
    return mention.said


# --- carrying filters on ---------------------------------------------------------------------------------------------


def carry(old: Sequence[Filter], new: Sequence[Filter]) -> tuple[Filter, ...]:
    """Old filters that the new ones do not contradict, then the new ones: a new colour replaces the old one, "not red"
    takes red out of it, a new bound on a price replaces that bound. The second colour is the old pattern's."""
    kept: list[Filter] = []
    has_new_pattern = any(condition.attribute == "pattern" for condition in new)
    for condition in old:
        if has_new_pattern and condition.attribute == SECOND:
            continue
        remaining: Filter | None = condition
        for other in new:
            if remaining is not None and other.attribute == condition.attribute:
                remaining = _after(remaining, other)
        if remaining is not None and remaining not in new:
            kept.append(remaining)
    return (*kept, *dict.fromkeys(new))


def _after(old: Filter, new: Filter) -> Filter | None:
    """What a new filter on the same attribute leaves of an old one."""
    if new.operator == "none_of" and old.operator == "any_of":
        values = tuple(value for value in old.values if value not in new.values)
        return replace(old, values=values) if values else None
    if new.operator == "none_of" and old.operator == "none_of":
        values = tuple(value for value in old.values if value not in new.values)
        return replace(old, values=values) if values else None
    if old.operator in ("at_most", "at_least") and new.operator in ("at_most", "at_least"):
        if old.operator == new.operator:
            return None
        low, high = (old, new) if old.operator == "at_least" else (new, old)
        return old if float(low.values[0]) <= float(high.values[0]) else None
    return None


def drop_words(text: str, attributes: Iterable[str], lexicon: Lexicon) -> str:
    """An earlier turn's words without those that name a value of one of these attributes."""
    from agent.mentions import find_mentions

    gone = frozenset(attributes)
    spans = [mention.span for mention in find_mentions(text.lower(), lexicon) if mention.attribute in gone]
    return " ".join(word.group() for word in re.finditer(r"\S+", text) if not within(word.span(), spans))

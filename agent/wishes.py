"""What a shopper wants, apart from which item is meant: filters, exclusions, and words for the encoder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.protocols import Catalogue
from agent.reading import Comparison, Mention, Reading, Span, within
from agent.vocabulary import CONTEXT, Lexicon, listed
from agent.words import WORD, key, scales
from retrieval.protocols import Facet
from retrieval.schema import AttributeValue, Filter, Item

_STOP = frozenset("""
unlike a an the this that these those it its it's they them their there here i i'm i'd i'll im me my mine myself we us our you your yours he she his
is are was were be been being am do does did done don't has have had having can could would should will shall may might must let's let lets
and or but nor so as at by for from in into of on onto to with than then also too either both each
show find search look looking looks see get give want wants wanted need needs like likes love loved prefer please help try wear wearing bring
something anything someone thing things stuff item items product products one ones some any piece pieces pair pairs option options result results
again now next just only maybe perhaps really very quite rather pretty bit little lot lots more most less much many kind kinds sort type types what what's which
who how about if when where why ok okay yes yeah yep hi hello hey thanks thank sure well hmm hm um oh wow cool great nice good
make makes made change changed turn keep keeping kept same similar exact exactly different other others another instead else version got buy shop store sell carry stock available come comes go goes
colour color coloured colored shade gallery catalogue catalog please thanks would've could've that's there's here's what're how's mean think guess sounds take
recommend suggest recommendation recommendations suggestions suggestion want's going cute-ish wondering interested able possible tell know say said have-you search-for still but's let-me put add both perfect awesome
""".split())  # fmt: skip
_LESS_LIKE = re.compile(r"\b(?:less like|nothing like|not like|unlike|different from|not (?:this|that) one)\b")
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

    @property
    def attributes(self) -> frozenset[str]:
        """Attributes that the wish itself decides."""
        return frozenset(f.attribute for f in self.filters if f.operator != "none_of")

    @property
    def is_empty(self) -> bool:
        return not (self.text or self.filters or self.unwanted_texts or self.comparisons or self.is_less_like)


def wish_of(reading: Reading, pointing: Sequence[Span], cues: Sequence[Span], facets: Mapping[str, Facet]) -> Wish:
    """`pointing` and `cues` are the words that named an item or the intent: they are no part of the wish."""
    scopes = [negation.scope for negation in reading.negations]
    mentions = [mention for mention in reading.mentions if not within(mention.span, [*pointing])]
    wanted = [mention for mention in mentions if not within(mention.span, scopes)]
    unwanted = [mention for mention in mentions if within(mention.span, scopes)]
    prices, price_notes = _price_filters(reading, facets)
    texts, is_less_like = _unwanted(reading, unwanted, pointing)
    notes = [mention.note for mention in mentions if mention.note]
    return Wish(
        text=_words(reading, wanted, [*pointing, *cues]),
        filters=(*_any_of(wanted), *_none_of(unwanted, facets), *prices),
        unwanted_texts=texts,
        is_less_like=is_less_like or bool(pointing and _LESS_LIKE.search(reading.text)),
        comparisons=reading.comparisons,
        notes=tuple(dict.fromkeys((*reading.corrections, *notes, *_unlisted(mentions), *price_notes))),
    )


def _unlisted(mentions: Sequence[Mention]) -> tuple[str, ...]:
    said = [f"“{mention.said}”" for mention in mentions if not mention.meaning.values]
    return (f"the catalogue does not list {listed(said, 'or')}, so I go by pictures and words there",) if said else ()


def _any_of(mentions: Iterable[Mention]) -> Iterable[Filter]:
    values: dict[str, dict[AttributeValue, None]] = {}
    for mention in mentions:
        if mention.meaning.values:
            values.setdefault(mention.attribute, {}).update(dict.fromkeys(mention.meaning.values))
    return [Filter(attribute, "any_of", tuple(found)) for attribute, found in values.items()]


def _none_of(mentions: Iterable[Mention], facets: Mapping[str, Facet]) -> Iterable[Filter]:
    """Shades go with their colour: who wants no blue wants no navy blue either."""
    values: dict[str, dict[AttributeValue, None]] = {}
    for mention in mentions:
        if mention.meaning.known:
            found = values.setdefault(mention.attribute, {})
            found.update(dict.fromkeys(mention.meaning.values))
            if mention.attribute == "colour":
                shades = (value for value in facets["colour"].counts if mention.said in value.lower().split())
                found.update(dict.fromkeys(shades))
    return [Filter(attribute, "none_of", tuple(found)) for attribute, found in values.items()]


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


def _unwanted(reading: Reading, mentions: Sequence[Mention], pointing: Sequence[Span]) -> tuple[tuple[str, ...], bool]:
    """Words in the scope of a negation that no attribute expresses; True when the scope points at an item instead."""
    spans = [mention.span for mention in mentions if mention.meaning.values]
    texts: list[str] = []
    is_less_like = False
    for negation in reading.negations:
        if any(
            negation.cue[0] <= span[0] and span[0] < negation.scope[1] + 6 and span[1] > negation.scope[0]
            for span in pointing
        ):
            is_less_like = True
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
    """What is left for the encoder, in the order in which it was said; values that a negation names are said positively."""
    gone = [*taken, *(price.span for price in reading.prices)]
    gone += [span for negation in reading.negations for span in (negation.cue, negation.scope)]
    gone += [comparison.span for comparison in reading.comparisons if comparison.attribute == "price"]
    said_as = {mention.span[0]: (mention.span, _said(mention)) for mention in wanted}
    kept = [comparison.span for comparison in reading.comparisons]
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


# --- comparisons -----------------------------------------------------------------------------------------------------


N_HALVINGS = 6
Count = Callable[[Sequence[Filter]], int]


def compare(wish: Wish, items: Sequence[Item], shown: Sequence[Item], catalogue: Catalogue) -> Wish:
    """Turns "longer" or "cheaper" into filters, measured against the items that are meant, else against what is shown."""
    for comparison in wish.comparisons:
        facet = catalogue.facets.get(comparison.attribute)
        if comparison.attribute == "price":
            wish = _compare_price(wish, comparison, items or shown, facet, catalogue.count)
        elif facet is not None and comparison.attribute not in wish.attributes:
            wish = _compare_words(wish, comparison, items[0] if items else next(iter(shown), None), facet)
    return wish


def _compare_words(wish: Wish, comparison: Comparison, item: Item | None, facet: Facet) -> Wish:
    value = item.attributes.get(comparison.attribute) if item else None
    values = _further(comparison, str(value), facet) if value is not None else ()
    if not values:
        return wish
    return replace(wish, filters=(*wish.filters, Filter(comparison.attribute, "any_of", values)))


def _compare_price(
    wish: Wish, comparison: Comparison, items: Sequence[Item], facet: Facet | None, count: Count
) -> Wish:
    if facet is None or not facet.is_number:
        return replace(wish, notes=(*wish.notes, "this gallery has no prices, so it cannot be searched by price"))
    if "price" in wish.attributes:
        return wish
    prices = sorted(float(item.attributes["price"]) for item in items if "price" in item.attributes)
    operator: Literal["at_most", "at_least"] = "at_most" if comparison.step < 0 else "at_least"
    if prices:
        bound = round(prices[len(prices) // 2] + 0.01 * comparison.step, 2)
        note = (
            ""
            if len(prices) == 1
            else f"compared with {prices[len(prices) // 2]:g}, the middle price of what was shown"
        )
    else:
        bound = _third(wish.filters, comparison.step, facet, count)
        note = f"I took the {'lowest' if comparison.step < 0 else 'highest'} third of the prices here, {'up to' if comparison.step < 0 else 'from'} {bound:g}"
    notes = (*wish.notes, note) if note else wish.notes
    return replace(wish, filters=(*wish.filters, Filter("price", operator, (bound,))), notes=notes)


def _third(filters: Sequence[Filter], step: int, facet: Facet, count: Count) -> float:
    """The price below (step -1) or above (step 1) which about a third of what passes the filters lies."""
    low, high = facet.minimum or 0.0, facet.maximum or 0.0
    wanted = count(filters) * (1 / 3 if step < 0 else 2 / 3)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        if count((*filters, Filter("price", "at_most", (middle,)))) > wanted:
            high = middle
        else:
            low = middle
    return float(round(high if step < 0 else low))


def _further(comparison: Comparison, value: str, facet: Facet) -> tuple[str, ...]:
    here = _place(comparison.attribute, value)
    if here is None:
        return ()
    places = ((other, _place(comparison.attribute, other)) for other in facet.counts)
    return tuple(other for other, place in places if place is not None and (place - here) * comparison.step > 0)


def _place(attribute: str, value: str) -> int | None:
    bare = key(value)
    for noun in CONTEXT.get(attribute, ()):
        bare = bare.removesuffix(noun) or bare
    return next((place for place, word in enumerate(scales().get(attribute, ())) if key(word) == bare), None)


# --- carrying filters on ---------------------------------------------------------------------------------------------


def carry(old: Sequence[Filter], new: Sequence[Filter]) -> tuple[Filter, ...]:
    """Old filters that the new ones do not contradict, then the new ones: a new colour replaces the old one, "not red"
    takes red out of it, a new bound on a price replaces that bound."""
    kept: list[Filter] = []
    for condition in old:
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
    from agent.reading import find_mentions

    gone = frozenset(attributes)
    spans = [mention.span for mention in find_mentions(text.lower(), lexicon) if mention.attribute in gone]
    return " ".join(word.group() for word in re.finditer(r"\S+", text) if not within(word.span(), spans))

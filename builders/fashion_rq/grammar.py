"""A small grammar of shoppers' requests: wanted attributes in, many ways to ask for them out."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from builders.fashion_rq import lexicon
from builders.fashion_rq.lexicon import AGE_OF, Noun, Wordings, fold, words_in

MIN_WORDS, MAX_WORDS = 3, 26
"""Of a query (the paper's Table 7)."""
Style = Literal["keywords", "phrase", "wish", "question", "story", "person", "purpose", "colour"]
STYLES: tuple[Style, ...] = get_args(Style)
SHARES: Mapping[Style, float] = {
    "keywords": 0.14, "phrase": 0.12, "wish": 0.15, "question": 0.18, "story": 0.17, "person": 0.13, "purpose": 0.07,
    "colour": 0.04,
}  # fmt: skip
"""How often each is tried (ours): a mean of about ten words."""
MAX_TRIES = 40
"""For each paraphrase."""
MAX_BEFORE, MAX_AFTER = 4, 2
"""How many attributes stand before and after a noun, where there is a choice."""
AFTER_CHANCE = 0.45
EARLY = frozenset({"casual", "formal", "everyday", "smart casual", "traditional", "plain", "solid"})
"""Adjectives of judgement: before a colour, or after it but before the season."""
EARLY_CHANCE = 0.5
NOUN_FIRST_CHANCE = 0.5
"""That keywords may also begin with their noun: "shirt men navy blue"."""
ORDER = ("gender", "age", "brand", "early", "colour", "pattern", "material", "style", "late", "season", "occasion")
"""Of adjectives; others stand where `style` does."""
AFTER_ORDER = ("colour", "pattern", "material", "style", "brand", "season", "occasion", "gender", "age")
PURPOSES = frozenset({"gender", "age", "occasion", "season"})
"""What is said by "for ...": once behind a noun where there is a choice."""


@dataclass(frozen=True, slots=True)
class WordSettings:
    """How near words are to the catalogue's (ours)."""

    catalogue_words: float = 0.2
    """How often a value that has other words is still said in those of the catalogue, "casual" for Casual."""
    repeat_chance: float = 0.3
    """That an occasion is said which the type says already: "sports shoes for the gym"."""


USUAL_WORDS = WordSettings()


@dataclass(frozen=True, slots=True)
class Saying:
    text: str
    style: Style
    frame: str


@dataclass(frozen=True, slots=True)
class NounPhrase:
    noun: Noun
    before: str
    """With a blank at its end, or empty."""
    after: str
    """With a blank at its start, or empty."""

    @property
    def bare(self) -> str:
        return f"{self.before}{self.noun.singular}{self.after}"

    @property
    def many(self) -> str:
        return f"{self.before}{self.noun.plural}{self.after}"

    def with_article(self, rng: random.Random) -> str:
        if self.noun.count == "one":
            return f"{lexicon.article(self.bare)} {self.bare}"
        return f"{rng.choice(('a pair of ', 'some ', '') if self.noun.count == 'pair' else ('some ', ''))}{self.bare}"


def can_say(attribute: str, value: str, product_type: str) -> bool:
    """Whether a shopper would name it for such a product: no colour of a deodorant, no occasion of a lipstick."""
    if attribute == "product_type":
        return bool(fold(value))
    kind = lexicon.kind_of(product_type)
    if attribute == "occasion" and kind.occasion:
        return fold(value) == kind.occasion
    if attribute == "style" and set(words_in(value)) <= set(words_in(kind.nouns[0].singular)):
        return False  # "gloss" of a lip gloss
    ways = lexicon.wordings(attribute, value, product_type)
    return bool(ways.before or ways.after)


def paraphrases(
    wanted: Mapping[str, str], count: int, rng: random.Random, settings: WordSettings = USUAL_WORDS
) -> list[Saying]:
    """So many different ways to ask for the same, fewer where there are no more; styles and frames vary first."""
    found: list[Saying] = []
    used: set[tuple[str, ...]] = set()
    for _ in range(count):
        for attempt in range(MAX_TRIES):
            saying = say(wanted, _style(found, rng), rng, settings)
            if saying is None or words_in(saying.text) in used:
                continue
            if attempt < MAX_TRIES // 2 and saying.frame in {each.frame for each in found}:
                continue
            used.add(words_in(saying.text))
            found.append(saying)
            break
    return found


def _style(found: Sequence[Saying], rng: random.Random) -> Style:
    """Drawn by its share; one that was used is half as likely each time."""
    weights = [SHARES[style] * 0.5 ** sum(each.style == style for each in found) for style in STYLES]
    return rng.choices(STYLES, weights)[0]


def say(
    wanted: Mapping[str, str], style: Style, rng: random.Random, settings: WordSettings = USUAL_WORDS
) -> Saying | None:
    """One request in this style for all that is wanted; None where it does not lend itself to that, or comes out too
    short or too long."""
    spoken = _spoken(wanted, rng, settings)
    if style == "keywords":
        frame, text = _keywords(spoken, rng, settings)
    else:
        frame = rng.choice(lexicon.tables()["frames"][style])
        text = _filled(frame, spoken, rng, settings)
    if not MIN_WORDS <= len(text.split()) <= MAX_WORDS:
        return None
    return Saying(_polished(text, style, rng), style, frame)


def _spoken(wanted: Mapping[str, str], rng: random.Random, settings: WordSettings) -> dict[str, str]:
    """Without an age that the gender implies, mostly without an occasion that the type implies, and without what one
    does not say of such a product."""
    implied = {"age": AGE_OF.get(fold(wanted.get("gender")))}
    if rng.random() > settings.repeat_chance:
        implied["occasion"] = lexicon.kind_of(wanted["product_type"]).occasion
    told = {name: value for name, value in wanted.items() if fold(value) != implied.get(name)}
    return {name: value for name, value in told.items() if can_say(name, value, wanted["product_type"])}


def _others(ways: Sequence[str], value: str, rng: random.Random, settings: WordSettings) -> Sequence[str]:
    """Mostly those that do not repeat the catalogue's words, where there are such."""
    if rng.random() < settings.catalogue_words:
        return ways
    return [way for way in ways if not lexicon.repeats(way, value)] or ways


def _preferred(ways: Wordings, value: str, rng: random.Random, settings: WordSettings) -> Wordings:
    """The same for what stands before a noun or after it."""
    if rng.random() < settings.catalogue_words:
        return ways
    before, after = ([way for way in side if not lexicon.repeats(way, value)] for side in (ways.before, ways.after))
    return replace(ways, before=tuple(before), after=tuple(after)) if before or after else ways


def _noun(product_type: str, rng: random.Random, settings: WordSettings) -> Noun:
    nouns = {noun.plural: noun for noun in lexicon.kind_of(product_type).nouns}
    return nouns[rng.choice(_others(list(nouns), product_type, rng, settings))]


def _ways(spoken: Mapping[str, str], name: str) -> Wordings:
    kind = lexicon.kind_of(spoken["product_type"])
    ways = lexicon.wordings(name, spoken[name], spoken["product_type"])
    if name == "gender" and fold(spoken.get("age")) == "kids":
        return Wordings(ways.before, (), ways.keyword)  # "unisex", not "for men and women"
    if name == "occasion" and kind.occasion:
        return Wordings((), ways.after)  # "trainers for the gym", not "sports trainers"
    return ways


def _filled(frame: str, spoken: Mapping[str, str], rng: random.Random, settings: WordSettings) -> str:
    """The frame with its places filled; "" where something that it needs is not wanted."""
    rest, fields = dict(spoken), dict[str, str]()
    for place, name in (("{person}", "gender"), ("{purpose}", "occasion"), ("{colour}", "colour")):
        if place not in frame:
            continue
        ways = _ways(spoken, name) if name in spoken else Wordings()
        choices = {
            "gender": ways.people,
            "occasion": [way for way in ways.after if way.startswith("for ")],
            "colour": [way for way in ways.before if " or " not in way],
        }[name]
        if not choices:
            return ""
        fields[place[1:-1]] = rng.choice(_others(choices, spoken[name], rng, settings))
        fields["pronoun"] = ways.pronoun
        del rest[name]
    is_many = "{many}" in frame
    with_purpose = not any(word in frame for word in ("{person}", "{purpose}", "myself"))
    if not with_purpose and lexicon.kind_of(spoken["product_type"]).occasion:
        rest.pop("occasion", None)  # "trainers for my son", not "trainers for sports for my son"
    phrase = noun_phrase(rest, rng, settings, is_many=is_many, with_purpose=with_purpose)
    several = is_many or phrase.noun.count == "pair"
    has = "they have to be" if several else "it has to be"
    must = has[0].upper() + has[1:] if ". {must}" in frame or "? {must}" in frame else has
    return frame.format(
        a=phrase.with_article(rng),
        many=phrase.many,
        bare=phrase.bare,
        must=must,
        it="them" if several else "it",
        **fields,
    )


def noun_phrase(
    spoken: Mapping[str, str],
    rng: random.Random,
    settings: WordSettings,
    *,
    is_many: bool = False,
    with_purpose: bool = True,
) -> NounPhrase:
    """All that is spoken of around one noun; without `with_purpose` nothing behind it begins with "for" where that can
    be helped."""
    noun = _noun(spoken["product_type"], rng, settings)
    own = frozenset(words_in(noun.plural))
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    names = _unsaid_by(noun, spoken)
    rng.shuffle(names)
    for name in names:
        free = len(after) < MAX_AFTER and (name not in PURPOSES or (with_purpose and not PURPOSES.intersection(after)))
        ways = _preferred(_ways(spoken, name), spoken[name], rng, settings)
        if not (free or ways.before):
            ways = _ways(spoken, name)  # "a summer tee for weekends", not "a tee for hot days for weekends"
        behind = [way for way in ways.after if not (is_many and name == "gender" and way.startswith("for a "))]
        behind = [way for way in behind if not own.intersection(words_in(way))] or behind
        crowded = len(before) >= MAX_BEFORE
        if behind and (not ways.before or (free and (crowded or rng.random() < AFTER_CHANCE))):
            after[name] = rng.choice(behind)
        else:
            before[name] = rng.choice(ways.before)
    ordered = _in_order(before, rng)
    tail = [after[name] for name in sorted(after, key=_place_after)]
    return NounPhrase(noun, "".join(f"{word} " for word in ordered), "".join(f" {word}" for word in tail))


def _unsaid_by(noun: Noun, spoken: Mapping[str, str]) -> list[str]:
    """Attributes that need words of their own: "sports shoes" says the occasion, "denims" the material."""
    own = frozenset(words_in(f"{noun.singular} {noun.plural}"))
    own |= {word.removesuffix("s") for word in own}
    implied = ("occasion", "material", "style")
    return [
        name
        for name in sorted(spoken)
        if name != "product_type" and not (name in implied and own.issuperset(words_in(spoken[name])))
    ]


def _in_order(before: Mapping[str, str], rng: random.Random) -> list[str]:
    def place(name: str) -> int:
        if before[name] in EARLY:
            return ORDER.index("early" if name == "pattern" or rng.random() < EARLY_CHANCE else "late")
        return ORDER.index(name if name in ORDER else "style")

    places = {name: place(name) for name in sorted(before)}
    return [before[name] for name in sorted(before, key=lambda name: (places[name], name))]


def _place_after(name: str) -> int:
    return AFTER_ORDER.index(name if name in AFTER_ORDER else "style")


def _keywords(spoken: Mapping[str, str], rng: random.Random, settings: WordSettings) -> tuple[str, str]:
    """As typed into a search box: the noun among bare words, in one of several orders."""
    noun = _noun(spoken["product_type"], rng, settings)
    words: dict[str, str] = {}
    tail: list[str] = []
    for name in _unsaid_by(noun, spoken):
        ways = _ways(spoken, name)
        if name == "occasion" and lexicon.kind_of(spoken["product_type"]).occasion:
            continue
        if ways.keyword or ways.before:
            words[name] = rng.choice(_others(ways.keyword or ways.before, spoken[name], rng, settings))
        else:
            tail.append(rng.choice(_others(ways.after, spoken[name], rng, settings)))
    who = [words.pop(name) for name in ("gender", "age") if name in words]
    adjectives = _in_order(words, rng)
    named = rng.choice((noun.singular, noun.singular, noun.plural))
    orders = {"what who": [*adjectives, named, *tail, *who], "who what": [*who, *adjectives, named, *tail]}
    if adjectives and len(adjectives) < 4 and rng.random() < NOUN_FIRST_CHANCE:
        orders["noun first"] = [named, *who, *adjectives, *tail]
    order = rng.choice([name for name in sorted(orders) if not orders[name][0].startswith("for ")])
    return f"keywords, {order}", " ".join(orders[order])


def _polished(text: str, style: Style, rng: random.Random) -> str:
    """Sentences may begin with a capital; what is typed quickly does not, and leaves the question mark out."""
    if style in ("keywords", "phrase"):
        return text
    starts_with_i = text.startswith(("I ", "I'"))
    if starts_with_i or ". " in text or "? " in text or rng.random() < 0.6:
        return text[0].upper() + text[1:]
    return text.removesuffix("?") if rng.random() < 0.5 else text

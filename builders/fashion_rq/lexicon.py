"""What shoppers call a catalogue's values, and what their words claim: the tables of synonyms.toml, read both ways."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from builders import colours, wording
from builders.fashion_rq.name_words import MATERIALS, PATTERNS, STYLES
from retrieval.schema import AttributeValue

Count = Literal["one", "pair", "mass"]
STEM = 4
"""Letters that words of one stem begin with: "stripy" and "striped" (ours)."""
MISSING = frozenset({"", "na"})
"""What stands for a value that is not known, folded."""
AGE_OF: Mapping[str, str] = {"men": "adults", "women": "adults", "boys": "kids", "girls": "kids"}
"""Folded gender -> the age that its words imply."""
SAID = frozenset({"colour", "gender", "age", "occasion", "season", "pattern", "material", "style", "brand"})
"""Attributes that queries name beside the product type. A price is none (ours): it is true of one product alone."""
NO_COLOUR = frozenset({"care"})
"""Classes of products whose colour is that of their bottle."""
NO_SEASON = frozenset({"makeup", "care", "gear"})
NO_MATERIAL = frozenset({"makeup", "care"})
"""Classes of products whose "satin" is a finish."""
NAMED_WITH_VOWEL = frozenset("aefhilmnorsx")
"""Letters whose names begin with a vowel: "an F", "a U"."""
READ_AS_WORD = re.compile(r"[aeiou].*[aeiouy]|(?:[^aeiou]|f[lr]|s[chklmnpqtw]r?)[aeiouy]")
"""What begins like a word, of capitals: "FIFA", "SKAGEN"; other capitals are spelt, "FCUK", "UCB" (ours). Where a
letter and its sound have one article, "DKNY", "TWIG", either will do."""
Claims = Mapping[tuple[str, ...], Mapping[str, frozenset[str]]]
"""Words -> attribute -> folded values, any of which they may mean."""


@dataclass(frozen=True, slots=True)
class Noun:
    singular: str
    """The plural again where there is no singular."""
    plural: str
    count: Count


@dataclass(frozen=True, slots=True)
class Kind:
    nouns: tuple[Noun, ...]
    group: str
    """What one does with it: worn, under, adorn, bag, makeup, care or gear."""
    occasion: str = ""
    """Folded; what its name says it is for: "sports shoes"."""


@dataclass(frozen=True, slots=True)
class Wordings:
    """Ways to say one value. All empty: it is not said of this kind of product."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    keyword: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    pronoun: str = ""


@cache
def tables() -> Mapping[str, Any]:
    return tomllib.loads((Path(__file__).parent / "synonyms.toml").read_text(encoding="utf-8"))


@cache
def _entries(attribute: str) -> Mapping[str, Any]:
    return {wording.folded(value): entry for value, entry in tables().get(attribute, {}).items()}


@cache
def fold(value: AttributeValue | None) -> str:
    """Equal for equal values; "" for what is not known."""
    folded = "" if value is None else wording.folded(str(value))
    return "" if folded in MISSING else folded


@cache
def kind_of(product_type: str) -> Kind:
    """Its nouns; those of an unknown type are its own name in lower case."""
    entry = _entries("product_type").get(fold(product_type))
    if entry is None:
        return Kind((_unknown_noun(product_type),), "worn")
    return Kind(tuple(_nouns(entry)), entry.get("class", "worn"), fold(entry.get("occasion")))


def _nouns(entry: Mapping[str, Any]) -> Iterator[Noun]:
    plurals = entry.get("many", [plural(one) for one in entry.get("one", [])])
    for one, many in zip(entry.get("one", []), plurals, strict=True):
        yield Noun(one, many, "one")
    for word in entry.get("pair", []):
        yield Noun(word, word, "pair")
    for word in entry.get("mass", []):
        yield Noun(word, word, "mass")


def _unknown_noun(product_type: str) -> Noun:
    if wording.is_plural(product_type):
        word = wording.folded(product_type)
        return Noun(word, word, "pair")
    one = wording.noun(wording.folded(product_type))
    return Noun(one, plural(one), "one")


def plural(noun: str) -> str:
    """By the ending: "clutch" -> "clutches", "accessory" -> "accessories", "scarf" -> "scarves"."""
    if re.search(r"(?:s|sh|ch|x|z)$", noun):
        return f"{noun}es"
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun[:-1]}ves" if noun.endswith("rf") else f"{noun}s"


@cache
def wordings(attribute: str, value: str, product_type: str) -> Wordings:
    """How a value is said of such a product. "Sports" before "sandals" would name another type: that is left out."""
    kind = kind_of(product_type)
    ways = _wordings(attribute, value, kind.group)
    own = fold(product_type)
    nouns = {words for noun in kind.nouns for words in (words_in(noun.singular), words_in(noun.plural))}

    def names_another(way: str) -> bool:
        joined = [claims().get((*words_in(way), *noun), {}) for noun in nouns]
        return any(own not in means["product_type"] for means in joined if "product_type" in means)

    return replace(ways, before=tuple(way for way in ways.before if not names_another(way)))


def _wordings(attribute: str, value: str, group: str) -> Wordings:
    if not fold(value) or attribute not in SAID or (attribute == "colour" and group in NO_COLOUR):
        return Wordings()
    if attribute == "age" and fold(value) not in _entries("age"):
        return Wordings()
    if (attribute == "season" and group in NO_SEASON) or (attribute == "material" and group in NO_MATERIAL):
        return Wordings()
    entry = _entries(attribute).get(fold(value), {})
    alternatives = [each for each in ([entry] if isinstance(entry, dict) else entry) if _suits(each, group)]
    before = _joined(alternatives, "before") or (() if entry else _plain_before(attribute, value))
    return Wordings(
        before,
        _joined(alternatives, "after") or (_plain_after(attribute, before) if alternatives else ()),
        _joined(alternatives, "keyword"),
        _joined(alternatives, "people"),
        next((each["person"] for each in alternatives if "person" in each), ""),
    )


def _suits(entry: Mapping[str, Any], group: str) -> bool:
    return group in entry.get("only", (group,)) and group not in entry.get("not", ())


def _joined(entries: Iterable[Mapping[str, Any]], role: str) -> tuple[str, ...]:
    return tuple(word for entry in entries for word in entry.get(role, ()))


def _plain_before(attribute: str, value: str) -> tuple[str, ...]:
    return (" ".join(value.split()) if attribute == "brand" else wording.folded(value),)


def _plain_after(attribute: str, before: tuple[str, ...]) -> tuple[str, ...]:
    """What may follow the noun where the table gives nothing: "in navy", "made of cotton", "by Nike"."""
    if attribute == "colour":
        return tuple(f"in {word}" for word in before if not word.endswith(("coloured", "metallic")))
    if attribute == "material":
        return tuple(f"made of {word}" for word in before)
    return (f"by {before[0]}", f"from {before[0]}") if attribute == "brand" else ()


def article(text: str) -> str:
    """ "a" or "an", by the sound of what begins the text: "an HM", "a UCB", "a U.S. Polo Assn.", "a FIFA"."""
    first = re.match(r"[^\W\d_]+(?:\.[^\W\d_](?![^\W\d_]))*", text)
    letters = first[0].replace(".", "") if first else ""
    if first and text[first.end() :].startswith(("'", "’")):  # L'Oreal
        return wording.article(text.lower())
    if len(letters) == 1 or (letters.isupper() and not READ_AS_WORD.match(letters.lower())):
        return "an" if letters[0].lower() in NAMED_WITH_VOWEL else "a"
    return wording.article(text.lower())


def words_in(text: str) -> tuple[str, ...]:
    """Lower case, without apostrophes; hyphens part words: "Men's T-shirt" -> "mens", "t", "shirt"."""
    return tuple(re.findall(r"[^\W_]+", re.sub(r"['’]", "", text.lower())))


@cache
def repeats(way: str, value: str) -> bool:
    """Whether a wording holds every word of the value, in any of its forms: "with stripes" for Striped, "T-shirt" for
    Tshirts; "gym shoes" is no such wording of Sports Shoes."""
    said, own = words_in(way), words_in(value)
    return all(any(_same_stem(a, b) for a in (*said, "".join(said))) for b in own)


def _same_stem(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    return a[:STEM] == b[:STEM] or (len(short) == STEM - 1 and long in (f"{short}s", f"{short}es"))


@cache
def claims() -> Claims:
    """What words say of a product, by all tables together."""
    found: dict[tuple[str, ...], dict[str, set[str]]] = {}

    def add(phrase: str, attribute: str, values: Iterable[str]) -> None:
        found.setdefault(words_in(phrase), {}).setdefault(attribute, set()).update(map(fold, values))

    for product_type in tables()["product_type"]:
        for noun in kind_of(product_type).nouns:
            for word in (noun.singular, noun.plural):
                add(word, "product_type", [product_type])
    for word, types in tables()["wider"].items():
        add(word, "product_type", types)
    for attribute, named in (("material", MATERIALS), ("pattern", PATTERNS), ("style", STYLES)):
        for value in named:
            add(value, attribute, [value])
    for attribute in ("colour", "gender", "age", "occasion", "season", "pattern", "material", "style"):
        for value, entry in tables().get(attribute, {}).items():
            for phrase in _phrases([entry] if isinstance(entry, dict) else entry):
                add(phrase, attribute, [value])
    for word, means in tables()["read"].items():
        for attribute, values in means.items():
            add(word, attribute, values)
    _add_colours(found)
    for words in [each for each in found if each[0] in ("for", "in", "with") and _says_as_much(found, each)]:
        del found[words]  # else "for sports" would part "sports" from "shoes"
    return {each: {name: frozenset(values) for name, values in means.items()} for each, means in found.items()}


def _says_as_much(found: Mapping[tuple[str, ...], Mapping[str, set[str]]], words: tuple[str, ...]) -> bool:
    """Whether it says the same without its first word."""
    rest = found.get(words[1:], {})
    return all(values <= rest.get(name, set()) for name, values in found[words].items())


def _phrases(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        for role in ("before", "after", "keyword", "people"):
            yield from entry.get(role, ())
        yield from (f"{person}s" for person in entry.get("people", ()))  # "my dad's birthday"


def _add_colours(found: dict[tuple[str, ...], dict[str, set[str]]]) -> None:
    """Words that are always colours, though no table has them: true of a value of that very name."""
    for word in colours.FAMILIES:
        if colours.is_word(word) and word not in colours.ALSO_NAMES:
            found.setdefault((word,), {}).setdefault("colour", {word})

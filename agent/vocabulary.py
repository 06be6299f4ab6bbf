"""From the shopper's words to the catalogue's own.

A `Lexicon` is made from what a gallery knows (its facets) and the shop's language (`words.toml`). It holds, for every
phrase that names an attribute's value, the catalogue words that it stands for and whether that has to be said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from agent.words import WORD, Concept, concepts, groups, key, singular, word_list
from retrieval.protocols import Facet

MAX_WORDS = 4
SHORTEST_NOUN = 3
REMEMBERED = 4096
"""Categories and colours whose kind is worked out once."""
NOT_SPOKEN = frozenset({"master_category", "sub_category", "year", "name", "caption"})
ORDER = (
    "category",
    "colour",
    "gender",
    "sleeves",
    "neckline",
    "pattern",
    "material",
    "style",
    "length",
    "fit",
    "usage",
    "season",
)
"""Where one word names values of several attributes ("denim"), the first in this order that the gallery has wins."""
CONTEXT = {"sleeves": ("sleeve",), "neckline": ("neck", "collar"), "length": ("length",), "fit": ("fit",)}
"""Nouns that a value needs beside it ("long sleeves"), and that a catalogue may leave out ("Long")."""
NEEDS_CONTEXT = word_list("needs_context")
EVERYDAY = word_list("everyday")
"""Brand names and other values that are also everyday words: not read as values."""
SEEN = frozenset({"sleeves", "neckline", "pattern", "material", "length", "fit"})
"""Attributes that a picture shows, whether or not the catalogue lists them."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a phrase stands for in this gallery."""

    attribute: str
    values: tuple[str, ...]
    """Catalogue words; the shopper's own word for a kind or colour that it lacks, so that nothing passes; empty for
    other attributes that it does not list."""
    note: str = ""
    """What has to be said of the reading, or ""; `{said}` stands for the phrase."""
    known: bool = True
    """False when the catalogue has no such value."""

    positive: str = ""
    """The same without a "no", where the catalogue has no word of its own: "sleeveless"."""
    is_kind: bool = False
    """A style that says which garment is meant ("overcoat")."""

    def names(self, said: str) -> bool:
        """Whether the catalogue itself uses the word."""
        return key(said) in map(key, self.values)


class Lexicon:
    """Phrase -> meaning, for one gallery."""

    def __init__(self, facets: Mapping[str, Facet]) -> None:
        self.facets = facets
        self._values_by_key: dict[str, dict[str, list[str]]] = {}
        self._meanings: dict[str, dict[str, Meaning]] = {}
        for attribute, facet in facets.items():
            if not facet.is_number and attribute not in NOT_SPOKEN:
                self._add_values(attribute, tuple(facet.counts))
        for attribute, rows in concepts().items():
            for concept in rows:
                if attribute in facets and not facets[attribute].is_number:
                    self._add_concept(attribute, concept)
                elif attribute in SEEN:
                    self._add_unlisted(attribute, concept.words, concept.words[0])
        if "category" in facets:
            self._add_groups(tuple(facets["category"].counts))
        self.single_words = frozenset(self._speakable())
        self.singular_words = frozenset(map(singular, self.single_words))

    def meanings(self, words: Sequence[str]) -> Mapping[str, Meaning]:
        """Attribute -> meaning of exactly these words (lower case); empty when they name nothing."""
        return self._meanings.get("".join(map(singular, words)), {})

    def values(self, attribute: str, phrase: str) -> tuple[str, ...]:
        """Catalogue words for a phrase; empty when it has none."""
        meaning = self._meanings.get(key(phrase), {}).get(attribute)
        return meaning.values if meaning and meaning.known else ()

    def group_values(self, group: str) -> tuple[str, ...]:
        """The gallery's categories of one kind of garment."""
        facet = self.facets.get("category")
        return tuple(value for value in facet.counts if group_of(value) == group) if facet else ()

    def _add(self, phrase: str, meaning: Meaning, *, over: bool = False) -> None:
        found = self._meanings.setdefault(phrase, {})
        if phrase and (over or meaning.attribute not in found):
            found[meaning.attribute] = meaning

    def _add_values(self, attribute: str, values: Sequence[str]) -> None:
        for value in values:
            if len(value.split()) > MAX_WORDS:
                continue  # a description, not a word
            for phrase in _spellings(attribute, value):
                self._add(phrase, Meaning(attribute, (value,)))
            for phrase in _spellings(attribute, value, all_forms=True):
                self._values_by_key.setdefault(attribute, {}).setdefault(phrase, []).append(value)

    def _add_concept(self, attribute: str, concept: Concept) -> None:
        own = self._catalogue_words(attribute, concept.words)
        near = self._catalogue_words(attribute, concept.near)
        also = self._catalogue_words(attribute, concept.also)
        for word in concept.words:
            exact = self._catalogue_words(attribute, (word,))
            values = (exact if attribute != "category" and exact else own) or near
            if not values and attribute not in ("category", "colour"):
                self._add_unlisted(attribute, (word,), concept.words[0])
                continue
            said_otherwise = bool(values) and not exact and not self._plain_synonym(attribute, word, values)
            note = f"“{{said}}” was read as {listed(values, 'or')}" if said_otherwise else ""
            if also and values:
                note = f"{f'{note}, ' if note else ''}{listed(also)} items are included"
            known = values or (word,)
            self._add(
                key(word), Meaning(attribute, tuple(dict.fromkeys((*known, *also))), note, bool(values)), over=True
            )

    def _add_unlisted(self, attribute: str, words: Iterable[str], positive: str) -> None:
        """The encoder may still see it; a filter would only hide everything."""
        for word in words:
            if key(word) and not set(self._meanings.get(key(word), ())) & set(ORDER):
                self._add(key(word), Meaning(attribute, (), known=False, positive=positive))

    def _add_groups(self, categories: Sequence[str]) -> None:
        for name, group in groups().items():
            values = tuple(value for value in categories if group_of(value) == name)
            for word in group.words:
                if values:
                    self._add(key(word), Meaning("category", values))
                else:
                    self._add(key(word), Meaning("category", (word,), known=False))

    def _catalogue_words(self, attribute: str, words: Iterable[str]) -> tuple[str, ...]:
        by_key = self._values_by_key.get(attribute, {})
        return tuple(dict.fromkeys(value for word in words for value in by_key.get(key(word), ())))

    def _plain_synonym(self, attribute: str, word: str, values: tuple[str, ...]) -> bool:
        """Readings that nobody needs to be told: spelling, plural, "women's" for Women."""
        return attribute in ("gender", "season", "sleeves") or any(
            key(word) in key(value) or key(value) in key(word) for value in values
        )

    def _speakable(self) -> Iterable[str]:
        for attribute, facet in self.facets.items():
            if facet.is_number or attribute in NOT_SPOKEN:
                continue
            for value in facet.counts:
                yield from WORD.findall(value.lower())
            for concept in concepts().get(attribute, ()):
                for word in concept.words:
                    yield from WORD.findall(word)


def listed(words: Iterable[str], joint: str = "and") -> str:
    """`"Casual Shoes, Heels and Flats"`; a long list is cut."""
    shown = list(words)
    if len(shown) > 5:
        return f"{', '.join(shown[:4])} {joint} {len(shown) - 4} more"
    return f" {joint} ".join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else ""


@lru_cache(maxsize=REMEMBERED)
def group_of(category: str) -> str:
    """The kind of garment that a catalogue's category belongs to, or ""."""
    wanted = key(category)
    table = _group_by_key()
    if wanted in table:
        return table[wanted]
    for part in re.split(r"\s+and\s+|[&/,]", category):
        if key(part) in table:
            return table[key(part)]
    endings = [word for word in table if len(word) > 2 and wanted.endswith(word)]
    return table[max(endings, key=len)] if endings else ""


@lru_cache(maxsize=REMEMBERED)
def colour_family(colour: str) -> str:
    """`"neutral"`, `"blue"`, ... or "" for a colour that the table does not know."""
    wanted = key(colour)
    for concept in concepts()["colour"]:
        if wanted in map(key, concept.words):
            return concept.family
    words = colour.lower().split()
    return colour_family(words[-1]) if len(words) > 1 else ""


@cache
def _group_by_key() -> Mapping[str, str]:
    table: dict[str, str] = {}
    for concept in concepts()["category"]:
        for word in concept.words:
            table.setdefault(key(word), concept.group)
    for name, group in groups().items():
        for word in (name, *group.words):
            table.setdefault(key(word), name)
    return table


def _spellings(attribute: str, value: str, *, all_forms: bool = False) -> list[str]:
    """Keys under which a catalogue's value is spoken; `all_forms` adds those that are too ambiguous to be spoken."""
    parts = [value, *re.split(r"\s+and\s+|\s*[&/,]\s*", value)] if attribute == "category" else [value]
    keys = [key(part) for part in parts]
    if attribute == "style":
        keys += _nouns(keys[0])
    bare = keys[0]
    for noun in CONTEXT.get(attribute, ()):
        bare = bare.removesuffix(noun) or bare
    for noun in CONTEXT.get(attribute, ()):
        keys.append(bare + noun)
    if all_forms or bare not in NEEDS_CONTEXT or (attribute == "length" and bare in ("long", "short")):
        keys.append(bare)
    elif keys[0] == bare:
        keys = keys[1:]
    if attribute == "brand" and not all_forms:
        keys = [found for found in keys if value.lower() not in EVERYDAY and len(found) > 1]
    return [
        found
        for found in dict.fromkeys(keys)
        if len(found) > 1 and (all_forms or found not in EVERYDAY or attribute == "length")
    ]


def _nouns(style: str) -> Iterable[str]:
    """ "Pleated" has pleats, "ripped" rips, "fringed" fringes."""
    if style.endswith("ed") and len(style) > SHORTEST_NOUN + 2:
        stem = style[:-2]
        yield from (stem, style[:-1])
        if stem[-1] == stem[-2]:
            yield stem[:-1]

"""The shop's language as data (`words.toml`), and the form in which two words are compared."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
IRREGULAR = {
    "men": "men", "man": "man", "women": "women", "shorts": "shorts", "scarves": "scarf", "scarfs": "scarf",
    "sleeved": "sleeve", "necked": "neck", "necklines": "neck", "neckline": "neck", "collared": "collar",
    "coloured": "colour", "colored": "colour", "color": "colour", "colors": "colour", "mens": "men", "womens": "women",
    "this": "this", "plus": "plus", "lens": "lens", "always": "always", "news": "news", "series": "series",
    "clothes": "clothes", "gloves": "glove", "denims": "denims", "khakis": "khakis", "dots": "dot", "sports": "sports",
    "saris": "saree", "sari": "saree", "jewelry": "jewellery", "jewelries": "jewellery", "jewelleries": "jewellery",
}  # fmt: skip
"""Plurals that the rules of `singular` get wrong, and forms that mean the same word."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Words that mean one thing; see the head of `words.toml`."""

    words: tuple[str, ...]
    near: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    group: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A kind of garment, by its place in an outfit."""

    words: tuple[str, ...]
    goes_with: tuple[str, ...]


@cache
def concepts() -> Mapping[str, tuple[Concept, ...]]:
    """Attribute -> its concepts."""
    return {name: tuple(map(_concept, rows)) for name, rows in _table().items() if isinstance(rows, list)}


@cache
def groups() -> Mapping[str, Group]:
    return {name: Group(tuple(row["words"]), tuple(row["goes_with"])) for name, row in _table()["groups"].items()}


@cache
def scales() -> Mapping[str, tuple[str, ...]]:
    """Attribute -> its words from little to much."""
    return {attribute: tuple(words) for attribute, words in _table()["scales"].items()}


@cache
def harmony() -> Mapping[str, frozenset[str]]:
    """Colour family -> families that go well with it."""
    return {family: frozenset(others) for family, others in _table()["harmony"].items()}


@cache
def emoji() -> Mapping[str, str]:
    return {sign: word for word, signs in _table()["emoji"].items() for sign in signs}


@cache
def word_list(name: str) -> frozenset[str]:
    return frozenset(_table()["lists"][name].split())


@cache
def _table() -> dict[str, Any]:
    with Path(__file__).with_name("words.toml").open("rb") as file:
        return tomllib.load(file)


def _concept(row: Mapping[str, Any]) -> Concept:
    words = {name: tuple(row.get(name, ())) for name in ("words", "near", "also")}
    return Concept(**words, group=str(row.get("group", "")), family=str(row.get("family", "")))


@cache
def singular(word: str) -> str:
    """`"dresses"` -> `"dress"`; lower case in, lower case out. The result need not be English, only always the same."""
    word = word.removesuffix("'s").removesuffix("’s").replace("'", "").replace("’", "")
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        if word.endswith("ies") and len(word) > 4:
            word = word[:-3] + "y"
        else:
            word = word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]
    if word.endswith("ie") and len(word) > 4:
        word = word[:-2] + "y"
    return IRREGULAR.get(word, word)


@cache
def key(phrase: str) -> str:
    """Singular words without blanks: `"T-Shirts"`, `"t shirt"` and `"tshirt"` are one key."""
    return "".join(singular(word) for word in WORD.findall(phrase.lower()))

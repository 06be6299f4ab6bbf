"""Brands out of product names, for a catalogue that has no column for them: "Peter England Men Blue Shirt"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MIN_SIGHTINGS = 5
MAX_WORDS = 4
LINE_SHARE = 0.3
"""Below this share of the shorter name a longer one is a line of it: "ADIDAS Neo" is ADIDAS, "Lee Cooper" not Lee."""

_AUDIENCE = re.compile(
    r"(?<!\bmr\.)(?<!\bmr\.\s)\b(?:men|women|unisex|boys?|girls?|kids?|man|woman|mens|womens)\b", re.IGNORECASE
)
_JOINERS = {"of", "by", "and", "for", "the", "de", "la", "n"}
_NO_NAMES = (
    "a an the new original classic basic plain simple casual formal smart sports sport ethnic party "
    "travel printed print solid striped stripes stripe checked check floral slim regular relaxed fit "
    "loose long short sleeve sleeved sleeves sleeveless cropped mini midi maxi light dark bright pale "
    "deep multi set pack pair pairs of with in for and cotton linen silk wool woollen denim leather suede "
    "satin velvet knit knitted lace mesh cashmere polyester nylon black white grey gray red blue navy "
    "green olive teal turquoise yellow gold golden silver orange pink purple violet lavender maroon "
    "burgundy brown beige cream tan khaki bronze copper mustard peach coral rust charcoal ivory dress "
    "shirt t-shirt tshirt top skirt jeans trousers jacket coat shoes shoe bag watch sweater shorts young "
    "little summer winter spring autumn fall"
)
_DESCRIPTIONS = set(_NO_NAMES.split())


@dataclass(frozen=True, slots=True)
class Brands:
    """Key (folded words) of a name -> the brand as the catalogue mostly spells it."""

    names: Mapping[str, str]

    def of(self, caption: str) -> str | None:
        """The brand that a caption begins with, the longest if there are several."""
        words = _folded(caption).split()[: MAX_WORDS + 1]
        for count in range(len(words), 0, -1):
            if name := self.names.get(" ".join(words[:count])):
                return name
        return None


def find_brands(captions: Iterable[str]) -> Brands:
    """Names that stand before "Men", "Women", "Kids" ... in at least MIN_SIGHTINGS captions."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for caption in captions:
        if match := _AUDIENCE.search(caption):
            prefix = caption[: match.start()].replace('"', " ").strip(" -,:")
            if _may_be_name(prefix):
                spellings[_folded(prefix)][" ".join(prefix.split())] += 1
    counts = {key: found.total() for key, found in spellings.items() if found.total() >= MIN_SIGHTINGS}
    heads = _heads(counts)
    return Brands({key: _spelling(heads[key], counts, spellings) for key in counts})


def _may_be_name(prefix: str) -> bool:
    words = prefix.split()
    if not 1 <= len(words) <= MAX_WORDS or all(word.casefold().strip("&") in _DESCRIPTIONS for word in words):
        return False
    # "Striped cotton men's shirt" is a description: in a name, later words are capital too.
    return all(word in _JOINERS or not word[0].islower() for word in words[1:])


def _folded(text: str) -> str:
    return " ".join(text.replace("&", " and ").replace('"', " ").casefold().split())


def _heads(counts: Mapping[str, int]) -> dict[str, str]:
    """Each key -> the key of the brand that it is a line of, itself if none."""
    shorter = {key: [head for head in _beginnings(key) if head in counts] for key in counts}
    lines = Counter(head for heads in shorter.values() for head in heads)

    def head_of(key: str) -> str:
        lines_of = (head for head in shorter[key] if lines[head] > 1 or counts[key] < LINE_SHARE * counts[head])
        return next(lines_of, key)

    return {key: head_of(key) for key in counts}


def _beginnings(key: str) -> list[str]:
    words = key.split()
    return [" ".join(words[:n]) for n in range(1, len(words))]


def _spelling(key: str, counts: Mapping[str, int], spellings: Mapping[str, Counter[str]]) -> str:
    """The most frequent spelling among keys that differ in spaces and punctuation only ("Red Tape", "Redtape")."""
    alike = [other for other in counts if _squeezed(other) == _squeezed(key)] if _squeezed(key) else [key]
    best = max(alike, key=lambda other: (counts[other], other))
    return max(spellings[best].items(), key=lambda found: (found[1], found[0]))[0]


def _squeezed(key: str) -> str:
    return re.sub(r"\W", "", key)

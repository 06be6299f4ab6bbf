"""Typing errors: words that nobody knows are read as the catalogue's nearest word, and that is said."""

from __future__ import annotations

import re
from functools import cache

from agent.vocabulary import Lexicon
from agent.words import WORD, singular, word_list

LONG_ENOUGH = 5
"""Shorter everyday words are too near to others to be corrected in silence."""


def correct(text: str, lexicon: Lexicon, known_words: frozenset[str]) -> tuple[str, tuple[str, ...]]:
    """Replaces words that nobody knows by the catalogue's nearest word, at most two letters away."""
    notes: list[str] = []

    def nearest(match: re.Match[str]) -> str:
        word = match.group()
        if len(word) < 4 or not word.isalpha() or word in known_words or singular(word) in known_words:
            return word
        if word in lexicon.single_words or singular(word) in lexicon.singular_words:
            return word
        found = _closest(word, lexicon.single_words) or _closest(singular(word), lexicon.singular_words)
        if not found:  # "somthing" says nothing, however it is spelled
            return (_closest(word, _everyday()) if len(word) > LONG_ENOUGH else "") or word
        notes.append(f"“{word}” was read as “{found}”")
        return found

    return WORD.sub(nearest, text), tuple(notes)


@cache
def _everyday() -> frozenset[str]:
    return frozenset(word for word in word_list("stop") if len(word) > LONG_ENOUGH)


def _closest(word: str, words: frozenset[str]) -> str:
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    limit = 1 if len(word) < 8 else 2
    near = [
        other for other in words if len(other) > 3 and (other[0] == word[0] or sorted(other[:2]) == sorted(word[:2]))
    ]
    if len(word) == 4:  # another letter in so short a word makes another word
        near = [other for other in near if len(other) != 4 or sorted(other) == sorted(word)]
    found = process.extractOne(word, sorted(near), scorer=OSA.distance, score_cutoff=limit)
    return str(found[0]) if found else ""

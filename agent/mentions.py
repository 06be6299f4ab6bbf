"""Phrases that name values of an attribute."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agent.spans import Span
from agent.vocabulary import MAX_WORDS, ORDER, Lexicon, Meaning
from agent.words import WORD


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase that names values of an attribute."""

    meaning: Meaning
    said: str
    span: Span

    @property
    def attribute(self) -> str:
        return self.meaning.attribute

    @property
    def note(self) -> str:
        return self.meaning.note.replace("{said}", self.said)


ONLY_AFTER_FOR = frozenset(
    {"him", "her", "himself", "herself", "son", "daughter", "father", "brother", "sister", "mother"}
)
NOT_A_VALUE = re.compile(
    r"\b(?:suits? (?:me|my|him|her|you|his|the|this|that|it|these|those)|(?:would|to|will|could) suit|good evening"
    r"|in short|as long as|how long|for long|long time|no longer"
    r"|check (?:out|this|it|if|for)|watch out|(?:hey|hi|hello|thanks|oh),? man|match(?:es|ing)? the look|wide range"
    r"|(?:on|over) top\b"
    r"|top (?:it|this|that|them) off|top (?:rated|picks?)|matching set|goes? well|tie in|in the fall of|fresh look)\b"
)


_PART_OF_IT = re.compile(
    r"\b(?:this|that|it|one|ones|these|those|them|same)\b(?: but)?(?: with)?(?:out| no)(?: an?| the| any)? $"
)
""" "This without the belt": the belt is a part of it."""


def find_mentions(text: str, lexicon: Lexicon, taken: Sequence[Span] = ()) -> tuple[Mention, ...]:
    """Longest phrases first, from left to right; spans that are taken are left alone."""
    blocked = [*taken, *(match.span() for match in NOT_A_VALUE.finditer(text))]
    words = list(WORD.finditer(text))
    found: list[tuple[dict[str, Meaning], str, Span]] = []
    at = 0
    while at < len(words):
        length = _longest(text, words, at, lexicon, blocked)
        if length:
            span = (words[at].start(), words[at + length - 1].end())
            meanings = dict(lexicon.meanings([word.group() for word in words[at : at + length]]))
            if not (
                text[slice(*span)] in ONLY_AFTER_FOR and not re.search(r"\bfor (?:my |a |the )?$", text[: span[0]])
            ):
                found.append((meanings, text[slice(*span)], span))
        at += length or 1
    return tuple(_heads(text, found))


def _longest(text: str, words: Sequence[re.Match[str]], at: int, lexicon: Lexicon, blocked: Sequence[Span]) -> int:
    for length in range(min(MAX_WORDS, len(words) - at), 0, -1):
        chosen = words[at : at + length]
        if re.search(r"[,;.!?]", text[chosen[0].end() : chosen[-1].start()] if length > 1 else ""):
            continue
        if any(word.start() < end and start < word.end() for word in chosen for start, end in blocked):
            continue
        if lexicon.meanings([word.group() for word in chosen]):
            return length
    return 0


NOT_A_STYLE = frozenset({"pullover", "knit"})
"""Words for a kind of garment that some catalogues use for the style of another kind."""


def _heads(text: str, found: Sequence[tuple[dict[str, Meaning], str, Span]]) -> Iterable[Mention]:
    """Chooses one meaning for each phrase. Of neighbouring categories ("shirt dress") the last is meant; one after
    "with" or "has" ("a dress with a belt") is a detail of the one before."""
    seen_category = False
    for position, (meanings, said, span) in enumerate(found):
        candidates = dict(meanings)
        if "category" in candidates:
            following = found[position + 1] if position + 1 < len(found) else None
            is_modifier = (
                following is not None and "category" in following[0] and text[span[1] : following[2][0]] in (" ", "-")
            )
            is_detail = bool(
                (
                    seen_category
                    and re.search(r"\b(?:with|without|has|have|having)(?: an?| the| no| any)? $", text[: span[0]])
                )
                or _PART_OF_IT.search(text[: span[0]])
            )
            is_style = re.match(r"[ -](?:style|shape)\b", text[span[1] :]) is not None
            if is_modifier or is_detail or is_style:
                del candidates["category"]
            else:
                seen_category = True
        if (
            "style" in candidates
            and said not in NOT_A_STYLE
            and not candidates.get("category", candidates["style"]).names(said)
        ):
            # "bomber": the style says it more closely than the kind that it is read as
            named_kind = candidates.pop("category", None) is not None
            candidates["style"] = replace(candidates["style"], is_kind=named_kind)
        exact = [
            name for name, meaning in candidates.items() if meaning.known and said in map(str.lower, meaning.values)
        ]
        is_unlisted = not any(meaning.known for name, meaning in candidates.items() if name not in exact)
        for attribute in (*(exact if is_unlisted else ()), *ORDER, *sorted(candidates)):
            if attribute in candidates:
                yield Mention(candidates[attribute], said, span)
                break

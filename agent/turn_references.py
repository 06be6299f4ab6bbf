"""Which earlier turn a message means: "turn 2", "the first search", "two steps back", "from before"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.spans import Span

ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
CARDINALS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}

_LEDGER = (
    r"(?:search|searches|results|turns?|step|query|set|list|selection|page|request|question|ones|round|search results"
    r"|answer|suggestions)"
)
TURN_NUMBER = re.compile(
    rf"\b(?:turn|step|search|round|message)s? ?(?:number |no\.? |#)?(?P<n>\d{{1,3}}|{'|'.join(CARDINALS)})\b"
)
TURN_ORDINAL = re.compile(
    rf"\b(?:the |my |your |our )?(?:very )?(?P<n>{'|'.join(ORDINALS)}|original|initial|\d{{1,3}}(?:st|nd|rd"
    rf"|th)) {_LEDGER}\b"
)
_BACK_TO_ORDINAL = re.compile(
    rf"\bback (?:again )?to (?:the |my )?(?:very )?(?P<n>{'|'.join(ORDINALS)})(?: ones?)?"
    r"(?=\s*(?:$|[,.;:!?]|(?:and|but|then|in|with|without|for|make|only|please|again)\b))"
)
"""Without a noun, "the first" that one goes back to is the first turn, not the first item of what is shown."""
_STEPS_BACK = re.compile(
    rf"\b(?P<n>\d{{1,2}}|{'|'.join(CARDINALS)}) (?:steps?|turns?|searches|messages)(?: (?:back|ago|earlier|before))?\b"
)
_TURN_BEFORE = re.compile(
    rf"\b(?:the |my |your |our )?(?:previous|last|earlier|prior) (?:{_LEDGER}|one)\b|\b(?:the )?(?:results?|ones?"
    rf"|search|set) (?:from )?(?:just )?before(?: that)?\b"
    r"|\b(?:one|a) (?:step|turn|search) back\b|\bthe (?:results? |ones? )?(?:previous"
    r"|before)(?: ones?)?\b(?! \w+ (?:dress|shirt))"
)
_EARLIER = re.compile(
    r"\b(?:from|you showed(?: me)?|we had|i saw|i liked|shown|that was)?\s?(?:before|earlier|a while ago|previously"
    r"|at the (?:start|beginning)|a moment ago)\b"
)
_START = re.compile(r"\b(?:the )?(?:start|beginning|very first|original)\b")


@dataclass(frozen=True, slots=True)
class TurnReferent:
    """The turn that is meant: a number, or steps back from the present one (1 = the one before)."""

    span: Span
    number: int | None = None
    steps_back: int = 0


def refer_to_turn(text: str) -> TurnReferent | None:
    if match := TURN_NUMBER.search(text):
        return TurnReferent(match.span(), number=as_number(match["n"]))
    if match := TURN_ORDINAL.search(text):
        return TurnReferent(match.span(), number=as_number(match["n"]))
    if match := _BACK_TO_ORDINAL.search(text):
        return TurnReferent((match.start("n"), match.end()), number=as_number(match["n"]))
    if match := _STEPS_BACK.search(text):
        return TurnReferent(
            match.span(), steps_back=CARDINALS.get(match["n"]) or max(1, int(re.sub(r"\D", "", match["n"])))
        )
    if match := _TURN_BEFORE.search(text):
        return TurnReferent(match.span(), steps_back=1)
    if match := _START.search(text):
        return TurnReferent(match.span(), number=1)
    return None


def earlier_spans(text: str) -> tuple[Span, ...]:
    """Words like "from before", which only say where to look."""
    return tuple(match.span() for match in _EARLIER.finditer(text))


def as_number(word: str) -> int:
    """-1 for the last."""
    if word in ("last", "final"):
        return -1
    if word in ("original", "initial"):
        return 1
    return ORDINALS.get(word) or CARDINALS.get(word) or max(1, int(re.sub(r"\D", "", word)))

"""Several wishes in one message: "a white shirt and black trousers" would find black shirts if it were one wish."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agent.reading import Reading
from agent.spans import Span, overlaps
from agent.vocabulary import listed

_JOINT = re.compile(r"\s*(?:;|\.\s|,?\s*\b(?:and|plus)\b(?:\s+also\b)?|,?\s*\balso\b|,)\s*")
_BLANKS = " ,;.!?"
_GOES_WITH_IT = re.compile(
    r"\b(?:(?:goes|go|going|fits?|works?|looks? (?:good|nice|great)) (?:well |nicely |best )?with (?:it|them|that"
    r"|this|those)\b"
    r"|(?:to|that|which|will|would) (?:match|suit)(?:es|s)?(?: (?:it|them|that|this|those))?\W*$"
    r"|match(?:es|ing)? (?:it|them)\b|suits? (?:it|them)\b|to wear (?:it )?with (?:it|them)|to go with (?:it|them"
    r"|that))"
)
_SHARED = frozenset({"category", "gender", "usage", "season"})
"""What one may say once for all of them."""


def several_wishes(reading: Reading) -> tuple[str, ...]:
    """The wishes one by one when each names a garment and they want different things of it; else empty."""
    if reading.negations:
        return ()
    parts = list(_parts(reading))
    said = [{(m.attribute, m.meaning.values) for m in reading.mentions if _lies_in(m.span, part)} for part in parts]
    own = [frozenset(one for one in found if one[0] not in _SHARED) for found in said]
    names_garments = all(any(attribute == "category" for attribute, _ in found) for found in said)
    if len(parts) < 2 or not names_garments or sum(map(bool, own)) < 2 or len(set(own)) < 2:
        return ()
    genders = [m for m in reading.mentions if m.attribute == "gender"]
    shared = f" for {genders[-1].said}" if genders and not _lies_in(genders[-1].span, parts[0]) else ""
    first = [min(m.span[0] for m in reading.mentions if _lies_in(m.span, part)) for part in parts]
    wishes = [reading.text[at:end].strip(" ,;.!?") for at, (_, end) in zip(first, parts, strict=True)]
    return (wishes[0] + shared, *wishes[1:])


def wish_to_go_with(reading: Reading, pointing: Sequence[Span]) -> tuple[str, ...]:
    """ "A white shirt under 1000 and trousers that go with it": the wish, and what is to go with what it finds."""
    (start, end), *others = [*_parts(reading)] or [(0, 0)]
    if not others or overlaps((start, end), pointing):
        return ()
    kinds = [m.span for m in reading.mentioned("category")]
    to_match = [part for part in others if _GOES_WITH_IT.search(reading.text[slice(*part)])]
    named_first = [kind for kind in kinds if _lies_in(kind, (start, end))]
    if not to_match or not named_first or not any(_lies_in(kind, to_match[0]) for kind in kinds):
        return ()
    return reading.text[start : to_match[0][0]].strip(_BLANKS).removesuffix(" and").strip(_BLANKS), *(
        reading.text[slice(*part)].strip(_BLANKS) for part in to_match
    )


def goes_with_the_first(wish: str) -> bool:
    return _GOES_WITH_IT.search(wish) is not None


def note_on(wishes: Iterable[str]) -> str:
    first, *others = wishes
    later = listed(f"“{other}”" for other in others)
    return f"One thing at a time: this is for “{first}”. Next, a button below asks for {later}"


def _parts(reading: Reading) -> Iterable[tuple[int, int]]:
    start = 0
    for joint in _JOINT.finditer(reading.text):
        if joint.start() > start:
            yield start, joint.start()
        start = max(start, joint.end())
    if start < len(reading.text):
        yield start, len(reading.text)


def _lies_in(span: tuple[int, int], part: tuple[int, int]) -> bool:
    return part[0] <= span[0] and span[1] <= part[1]

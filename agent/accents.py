"""Colours of a part: the white of "blue with white stripes" is not the colour of the garment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.filters import fold

if TYPE_CHECKING:
    from agent.mentions import Mention
    from agent.vocabulary import Lexicon

SECOND = "second_colour"
_PART = (
    r"stripes?|pin ?stripes?|(?:polka )?dots?|spots?|flowers?|checks?|squares?|prints?|patterns?|motifs?|details?"
    r"|detailing|trims?|piping|accents?|edg(?:es?|ing)|stitch(?:es|ing)|lining|logos?|letters|lettering|soles?|laces?"
    r"|buttons?|collars?|cuffs?|sleeves?|pockets?|straps?|blocks?|panels?|lines?|embroidery|bows?|ribbons?|hems?|heels?"
)
_OF_A_PART = re.compile(rf" (?:\w+[ -]){{0,2}}?(?:{_PART})\b")
_NEW_CLAUSE = re.compile(r"\b(?:in|for|and|but|with|by|as|or)\b")
_HAVING = r"(?:with|has|have|having|featuring|and)"
_AFTER_HAVING = re.compile(rf"\b{_HAVING} (?:an? |some |the |its |small |big |thin |wide |bold |bright )*$")
_AFTER_WITHOUT = re.compile(r"\b(?:without|no|not|not with|not in)(?: any)? $")
_AFTER_PART = re.compile(
    rf"\b(?:(?:{_PART}|touch(?:es)?|hints?|bits?|splash(?:es)?|dash) of"
    r"|(?:details?|detailing|trims?|piping|accents?|stitching|embroidery) in) (?:some )?$"
)
_AFTER_WITH = re.compile(r"\bwith (?:some |a bit of )?$")
_WHERE_IT_IS = re.compile(r" (?:where|wherever|in place of what|instead of what) (?:it|they|that|this|now)\b")
_IS_NOW = re.compile(
    r"\b(?:where|wherever|what) (?:(?:it|they|that|this|now|one|these) )+(?:(?:is|are|was|were|now) )+(?:\w+ )?$"
)
"""What a part has now."""


def with_accents(text: str, mentions: Sequence[Mention], lexicon: Lexicon) -> tuple[Mention, ...]:
    """Colours of a part become second colours where the gallery lists those, and mere words where it does not."""
    kept: list[Mention] = []
    accents = _accents(text, mentions)
    for mention in mentions:
        if mention.attribute == "colour" and _IS_NOW.search(text[: mention.span[0]]):
            continue
        if mention not in accents:
            kept.append(mention)
        elif values := _second(mention, lexicon):
            kept.append(replace(mention, meaning=replace(mention.meaning, attribute=SECOND, values=values, note="")))
    return tuple(kept)


def _accents(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """From right to left, since "red and white stripes" shows only at its end what the red is."""
    found: list[Mention] = []
    for position in range(len(mentions) - 1, -1, -1):
        mention = mentions[position]
        if mention.attribute != "colour":
            continue
        before, after = text[: mention.span[0]], text[mention.span[1] :]
        following = mentions[position + 1] if position + 1 < len(mentions) else None
        joined = (
            following in found and text[mention.span[1] : following.span[0]] in (" and ", ", ") if following else False
        )
        part = _OF_A_PART.match(after)
        is_of_part = joined or (part is not None and not _NEW_CLAUSE.search(part.group()))
        end = mention.span[1] + (part.end() if part else 0)
        is_garment = following is not None and following.attribute == "category" and following.span[0] < end
        has_other = any(m.attribute in ("colour", "pattern") for m in mentions[:position])
        if (
            (is_of_part and _AFTER_HAVING.search(before))
            or (is_of_part and not is_garment and _AFTER_WITHOUT.search(before))
            or _AFTER_PART.search(before)
            or (has_other and _AFTER_WITH.search(before))
            or _WHERE_IT_IS.match(after)
        ):
            found.append(mention)
    return found


def _second(mention: Mention, lexicon: Lexicon) -> tuple[str, ...]:
    facet = lexicon.facets.get(SECOND)
    if facet is None or not mention.meaning.known:
        return ()
    wanted = {fold(str(value)) for value in mention.meaning.values}
    return tuple(value for value in facet.counts if fold(value) in wanted)

"""Comparisons in a text: "longer", "less formal", "cheaper than that"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.spans import Span


@dataclass(frozen=True, slots=True)
class Comparison:
    """ "longer", "less formal", "cheaper"."""

    attribute: str
    step: int
    """1 for more, -1 for less, 0 for another one."""
    span: Span


_COMPARISONS = (
    (r"(?:longer|more) sleeves?|sleeves? (?:(?:are|is|a bit|should be) )*longer|longer sleeved", "sleeves", 1),
    (r"(?:shorter|less) sleeves?|sleeves? (?:(?:are|is|a bit|should be) )*shorter|shorter sleeved", "sleeves", -1),
    (r"longer|less short|lengthier", "length", 1),
    (r"shorter|less long|(?:not (?:so|as|that|too)|less) long", "length", -1),
    (
        r"more formal|dressier|smarter|fancier|more elegant|classier|less casual|more dressy|more professional",
        "usage",
        1,
    ),
    (r"less formal|more casual|less dressy|more relaxed style|less fancy|more laid[ -]back", "usage", -1),
    (r"tighter|slimmer|more fitted|more form[ -]fitting|less loose|less baggy|snugger", "fit", -1),
    (r"looser|baggier|wider|roomier|less tight|less fitted|more relaxed|more loose|more oversized", "fit", 1),
    (
        r"(?:(?:something|anything|any) )?(?:cheaper|less (?:expensive|pricey|costly)|more affordable"
        r"|lower[ -]priced?|for less(?: money)?"
        r"|(?:costs? |for )?less than (?=the |number |this|that|it\b)(?!the (?:budget|limit))"
        r"|not (?:so|as|that|too) (?:expensive|pricey)|too (?:expensive|pricey)|inexpensive|cheap|affordable"
        r"|on a budget|budget friendly)"
        r"(?: than (?:that|this|it|the \w+(?: one)?))?",
        "price",
        -1,
    ),
    (r"more expensive|pricier|higher[ -]priced|more premium|more upmarket|higher[ -]end", "price", 1),
)
_ANOTHER = re.compile(
    r"(?:\b(?:an?|some|the|from|by|of|in|with|any) )*\b(?:an?other|other|different) (?P<attribute>brand|label"
    r"|colou?r|shade|pattern|print|material|fabric)s?\b(?: (?:than|from|to) (?:this|that|it|these|those)(?: one)?\b)?"
)
_ANOTHER_OF = {"label": "brand", "color": "colour", "shade": "colour", "print": "pattern", "fabric": "material"}
_COMPARISON_PATTERNS = tuple((re.compile(rf"\b(?:{pattern})\b"), name, step) for pattern, name, step in _COMPARISONS)


def find_comparisons(text: str) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    for pattern, attribute, step in _COMPARISON_PATTERNS:
        for match in pattern.finditer(text):
            if re.match(r"\s+(?:than\s+)?[$€£₹]?\d", text[match.end() :]) and attribute == "price":
                continue
            if not any(match.start() < other.span[1] and other.span[0] < match.end() for other in found):
                found.append(Comparison(attribute, step, match.span()))
    if not re.match(r"(?:what|which|are there|do you have|does)\b", text):  # a question asks, it does not choose
        for match in _ANOTHER.finditer(text):
            name = match["attribute"]
            found.append(Comparison(_ANOTHER_OF.get(name, name), 0, match.span()))
    return tuple(sorted(found, key=lambda comparison: comparison.span))

"""Prices in a text: "under 50", "between 20 and 40 euros", "around thirty", "cheaper", and other comparisons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.spans import Span


@dataclass(frozen=True, slots=True)
class Price:
    """Bounds on a price; None where there is none."""

    at_least: float | None
    at_most: float | None
    span: Span


_CURRENCY = r"(?:[$€£₹¥]|(?:rs\.?|inr|usd|eur|gbp|dollars?|euros?|pounds?|bucks|rupees?|quid|francs?|chf)(?![a-z]))"
_WORD_NUMBERS = {
    **{"ten": 10, "fifteen": 15, "twenty": 20, "twenty five": 25, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60},
    **{"seventy": 70, "eighty": 80, "ninety": 90, "a hundred": 100, "one hundred": 100, "hundred": 100},
    **{"two hundred": 200, "five hundred": 500, "a thousand": 1000, "one thousand": 1000},
}
_NUMBER = rf"(?:\d[\d.,]*\d|\d|{'|'.join(sorted(_WORD_NUMBERS, key=len, reverse=True))})k?"
_AMOUNT = rf"{_CURRENCY}?\s?({_NUMBER})\b\s?{_CURRENCY}?"
_PRICES = (
    (re.compile(rf"\b(?:between|from)\s+{_AMOUNT}\s*(?:and|to|-|–)\s*{_AMOUNT}"), "between"),
    (re.compile(rf"(?<![\w.]){_CURRENCY}\s?({_NUMBER})\s*(?:to|-|–)\s*{_AMOUNT}"), "between"),
    (re.compile(rf"(?<![\w.])({_NUMBER})\s*(?:to|-|–)\s*({_NUMBER})\s?{_CURRENCY}(?!\w)"), "between"),
    (
        re.compile(
            r"\b(?:(?:do not|don't|dont|not|never|nothing|none|no|can't|cannot) (?:\w+ ){0,4}?(?:above|over|more than"
            r"|beyond|exceeding)"
            r"|(?:(?:that |which )?costs? |priced? |for )?(?:under|below|less than|lower than|cheaper than|up to"
            r"|at most|no more than"
            r"|not more than|not over|within|max(?:imum)?(?: of| price)?|(?:my )?budget(?: is| of)?(?: about)?"
            r"|beneath))"
            rf"(?: price)?:?\s+{_AMOUNT}"
        ),
        "at_most",
    ),
    (re.compile(rf"<\s?{_AMOUNT}"), "at_most"),
    (re.compile(rf"{_AMOUNT}\s*(?:or less|or under|or below|max(?:imum)?|at most|or cheaper|tops)\b"), "at_most"),
    (
        re.compile(
            r"\b(?:(?:that |which )?costs? |priced? )?(?:over|above|more than|at least|no less than|not under"
            r"|starting (?:at|from)"
            rf"|min(?:imum)?(?: of)?|upwards of)\s+{_AMOUNT}"
        ),
        "at_least",
    ),
    (re.compile(rf"{_AMOUNT}\s*(?:or more|or above|and up|upwards)\b"), "at_least"),
    (re.compile(rf"\b(?:around|about|roughly|approximately|approx\.?|circa|near)\s+{_AMOUNT}"), "around"),
    (re.compile(rf"(?:~|\bfor\s+){_CURRENCY}\s?({_NUMBER})\b"), "around"),
    (re.compile(rf"\bfor\s+({_NUMBER})\s?{_CURRENCY}(?!\w)"), "around"),
)
AROUND = 0.2
""" "around 50" means 40 to 60."""
_NOT_MONEY = re.compile(
    r"\s*(?:results?|items?|options?|choices?|years?|inch(?:es)?|cm|of (?:them|these|those)"
    r"|%|percent|ones?\b|more\b|pieces)"
)


def find_prices(text: str) -> tuple[Price, ...]:
    found: list[Price] = []
    for pattern, kind in _PRICES:
        for match in pattern.finditer(text):
            overlaps = any(match.start() < price.span[1] and price.span[0] < match.end() for price in found)
            if not overlaps and not _NOT_MONEY.match(text, match.end()):
                found.append(_price(kind, [_number(group) for group in match.groups()], match.span()))
    return tuple(sorted(found, key=lambda price: price.span))


def _price(kind: str, amounts: Sequence[float], span: Span) -> Price:
    if kind == "between":
        return Price(min(amounts), max(amounts), span)
    (amount,) = amounts
    if kind == "around":
        return Price(round(amount * (1 - AROUND), 2), round(amount * (1 + AROUND), 2), span)
    return Price(None, amount, span) if kind == "at_most" else Price(amount, None, span)


def _number(text: str) -> float:
    """`"1,299"`, `"1.299,50"`, `"49,90"`, `"fifty"`, `"2k"` as a number."""
    if text in _WORD_NUMBERS:
        return float(_WORD_NUMBERS[text])
    thousands = text.endswith("k")
    digits = text.removesuffix("k")
    if digits in _WORD_NUMBERS:
        return float(_WORD_NUMBERS[digits]) * 1000
    whole, mark, decimals = digits.rpartition(max(digits, key=lambda c: digits.rfind(c) if c in ".," else -1))
    if mark in (".", ",") and len(decimals) != 3:
        number = float(re.sub(r"[.,]", "", whole) + "." + decimals) if whole else float(decimals)
    else:
        number = float(re.sub(r"[.,]", "", digits))
    return number * 1000 if thousands else number

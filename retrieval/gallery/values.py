"""Foreign cells -> clean words and numbers."""

from __future__ import annotations

import math
import re
from decimal import Decimal

_MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "none", "null", "nil", "-", "--", "?", "unknown", "undefined"}
_AMOUNT = re.compile(r"\d(?:[\d.,'’]|[\s  ](?=\d{3}(?!\d)))*")
_RANGE = re.compile(r"\s*(?:[-–—]|to|bis)\s*[^\d]{0,4}\s*", re.IGNORECASE)


def text_of(value: object) -> str:
    """One line of clean text; "" for what means that nothing is known (NA, NaN, None, "-")."""
    if value is None or isinstance(value, bytes | bytearray | dict | list | tuple):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        value = int(value) if value.is_integer() else value
    text = str(value).encode("utf-8", "replace").decode()  # a lone surrogate could not be stored
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return "" if text.casefold() in _MISSING else text


def number_of(value: object) -> float | None:
    """A number that the file gives as a number; None for text, truth values, NaN and infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def price_of(value: object) -> float | None:
    """ "Rs. 1,299", "$12.50", "12,50 €", "1.299,00", "10 - 20" (the lower) -> a number; None when it is no price."""
    number = number_of(value)
    if number is None:
        number = _written_price(text_of(value))
    return number if number is not None and number >= 0 else None


def _written_price(text: str) -> float | None:
    try:
        return number_of(float(text))
    except ValueError:
        pass
    amounts = list(_AMOUNT.finditer(text))
    if not amounts or re.search(r"-\s*$", text[: amounts[0].start()]):
        return None
    if len(amounts) > 2 or (len(amounts) == 2 and not _RANGE.fullmatch(text[amounts[0].end() : amounts[1].start()])):
        return None
    return _amount(amounts[0].group())


def _amount(written: str) -> float | None:
    """Digits with separators; the last separator is the decimal one unless three digits follow it."""
    digits = re.sub(r"[\s'’]", "", written).rstrip(".,")
    decimal = max(digits.rfind("."), digits.rfind(","))
    if decimal >= 0:
        separator, after = digits[decimal], len(digits) - decimal - 1
        both = "." in digits and "," in digits
        if digits.count(separator) > 1 or (after == 3 and not both and not digits.startswith("0")):
            decimal = -1
    whole = re.sub(r"\D", "", digits if decimal < 0 else digits[:decimal])
    try:
        return float(f"{whole or 0}.{'' if decimal < 0 else digits[decimal + 1 :]}0")
    except ValueError:
        return None

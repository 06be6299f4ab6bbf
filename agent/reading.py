"""What a message says, before anybody asks what it means here: words, values, prices, comparisons and negations.

Everything is found as a span of the corrected lower-case text, so that each later step can take its words out of the
rest: what no step takes is what the encoder gets to see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agent.vocabulary import MAX_WORDS, NEEDS_CONTEXT, ORDER, Lexicon, Meaning
from agent.words import WORD, singular

Span = tuple[int, int]
"""Character offsets, end excluded."""


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
        return self.meaning.note.format(said=self.said)


@dataclass(frozen=True, slots=True)
class Comparison:
    """ "longer", "less formal", "cheaper"."""

    attribute: str
    step: int
    """1 for more, -1 for less."""
    span: Span


@dataclass(frozen=True, slots=True)
class Price:
    """Bounds on a price; None where there is none."""

    at_least: float | None
    at_most: float | None
    span: Span


@dataclass(frozen=True, slots=True)
class Negation:
    """A "no" or "without" with its scope."""

    cue: Span
    scope: Span


@dataclass(frozen=True, slots=True)
class Reading:
    text: str
    mentions: tuple[Mention, ...]
    prices: tuple[Price, ...]
    comparisons: tuple[Comparison, ...]
    negations: tuple[Negation, ...]
    corrections: tuple[str, ...]
    """Notes on words that were read as others."""

    def mentioned(self, attribute: str) -> tuple[Mention, ...]:
        """Mentions of an attribute; a style that names a garment counts as its category."""
        is_category = attribute == "category"
        return tuple(m for m in self.mentions if m.attribute == attribute or (is_category and m.meaning.is_kind))


def within(inner: Span, outers: Iterable[Span]) -> bool:
    return any(start <= inner[0] and inner[1] <= end for start, end in outers)


def read(text: str, lexicon: Lexicon, known_words: frozenset[str]) -> Reading:
    corrected, corrections = correct(_plain(text), lexicon, known_words)
    comparisons = find_comparisons(corrected)
    prices = find_prices(corrected)
    taken = [comparison.span for comparison in comparisons] + [price.span for price in prices]
    mentions = find_mentions(corrected, lexicon, taken)
    return Reading(corrected, mentions, prices, comparisons, find_negations(corrected, mentions, taken), corrections)


def _plain(text: str) -> str:
    """Lower case, one kind of apostrophe and blank; as long as the text that it came from is irrelevant here."""
    return " ".join(text.lower().replace("’", "'").replace("`", "'").split())


# --- typing errors ---------------------------------------------------------------------------------------------------


def correct(text: str, lexicon: Lexicon, known_words: frozenset[str]) -> tuple[str, tuple[str, ...]]:
    """Replaces words that nobody knows by the catalogue's nearest word, at most two letters away."""
    notes: list[str] = []

    def nearest(match: re.Match[str]) -> str:
        word = match.group()
        if len(word) < 4 or not word.isalpha() or word in known_words or singular(word) in known_words:
            return word
        if word in lexicon.single_words or singular(word) in lexicon.singular_words:
            return word
        found = _closest(word, lexicon.single_words)
        if not found:
            return word
        notes.append(f"“{word}” was read as “{found}”")
        return found

    return WORD.sub(nearest, text), tuple(notes)


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


# --- values of attributes --------------------------------------------------------------------------------------------

ONLY_AFTER_FOR = frozenset(
    {"him", "her", "himself", "herself", "son", "daughter", "father", "brother", "sister", "mother"}
)
NOT_A_VALUE = re.compile(
    r"\b(?:suits? (?:me|my|him|her|you|his|the|this|that|it|these|those)|(?:would|to|will|could) suit|good evening|in short|as long as|how long|for long|long time|no longer"
    r"|check (?:out|this|it|if|for)|watch out|(?:hey|hi|hello|thanks|oh),? man|match(?:es|ing)? the look|wide range"
    r"|(?:on|over) top\b|top (?:rated|picks?)|matching set|goes? well|tie in|in the fall of|fresh look)\b"
)


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
    """Chooses one meaning for each phrase; of neighbouring categories ("denim jacket", "shirt dress") the last is meant,
    and one after "with" or "has" ("a dress with a belt") is a detail of the one before."""
    seen_category = False
    for position, (meanings, said, span) in enumerate(found):
        candidates = dict(meanings)
        if "category" in candidates:
            following = found[position + 1] if position + 1 < len(found) else None
            is_modifier = (
                following is not None and "category" in following[0] and text[span[1] : following[2][0]] in (" ", "-")
            )
            is_detail = seen_category and bool(
                re.search(r"\b(?:with|without|has|have|having)(?: an?| the| no)? $", text[: span[0]])
            )
            if is_modifier or is_detail:
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
        for attribute in (*ORDER, *sorted(candidates)):
            if attribute in candidates:
                yield Mention(candidates[attribute], said, span)
                break


# --- prices ----------------------------------------------------------------------------------------------------------

_CURRENCY = r"(?:[$€£₹¥]|(?:rs\.?|inr|usd|eur|gbp|dollars?|euros?|pounds?|bucks|rupees?|quid|francs?|chf)(?![a-z]))"
_WORD_NUMBERS = {"ten": 10, "fifteen": 15, "twenty": 20, "twenty five": 25, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
                 "seventy": 70, "eighty": 80, "ninety": 90, "a hundred": 100, "one hundred": 100, "hundred": 100,
                 "two hundred": 200, "five hundred": 500, "a thousand": 1000, "one thousand": 1000}  # fmt: skip
_NUMBER = rf"(?:\d[\d.,]*\d|\d|{'|'.join(sorted(_WORD_NUMBERS, key=len, reverse=True))})k?"
_AMOUNT = rf"{_CURRENCY}?\s?({_NUMBER})\b\s?{_CURRENCY}?"
_PRICES = (
    (re.compile(rf"\b(?:between|from)\s+{_AMOUNT}\s*(?:and|to|-|–)\s*{_AMOUNT}"), "between"),
    (re.compile(rf"(?<![\w.]){_CURRENCY}\s?({_NUMBER})\s*(?:to|-|–)\s*{_AMOUNT}"), "between"),
    (re.compile(rf"(?<![\w.])({_NUMBER})\s*(?:to|-|–)\s*({_NUMBER})\s?{_CURRENCY}(?!\w)"), "between"),
    (
        re.compile(
            r"\b(?:(?:that |which )?costs? |priced? |for )?(?:under|below|less than|lower than|cheaper than|up to|at most|no more than"
            r"|not more than|not over|within|max(?:imum)?(?: of| price)?|(?:my )?budget(?: is| of)?(?: about)?|beneath)"
            rf"(?: price)?:?\s+{_AMOUNT}"
        ),
        "at_most",
    ),
    (re.compile(rf"<\s?{_AMOUNT}"), "at_most"),
    (re.compile(rf"{_AMOUNT}\s*(?:or less|or under|or below|max(?:imum)?|at most|or cheaper|tops)\b"), "at_most"),
    (
        re.compile(
            r"\b(?:(?:that |which )?costs? |priced? )?(?:over|above|more than|at least|no less than|not under|starting (?:at|from)"
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
    r"\s*(?:results?|items?|years?|inch(?:es)?|cm|of (?:them|these|those)|%|percent|ones?\b|more\b|pieces)"
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


# --- comparisons -----------------------------------------------------------------------------------------------------

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
        r"(?:(?:something|anything|any) )?(?:cheaper|less (?:expensive|pricey|costly)|more affordable|lower[ -]priced?|for less(?: money)?"
        r"|not (?:so|as|that|too) (?:expensive|pricey)|too (?:expensive|pricey)|inexpensive|cheap|affordable|on a budget|budget friendly)"
        r"(?: than (?:that|this|it|the \w+(?: one)?))?",
        "price",
        -1,
    ),
    (r"more expensive|pricier|higher[ -]priced|more premium|more upmarket|higher[ -]end", "price", 1),
)
_COMPARISON_PATTERNS = tuple((re.compile(rf"\b(?:{pattern})\b"), name, step) for pattern, name, step in _COMPARISONS)


def find_comparisons(text: str) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    for pattern, attribute, step in _COMPARISON_PATTERNS:
        for match in pattern.finditer(text):
            if re.match(r"\s+(?:than\s+)?[$€£₹]?\d", text[match.end() :]) and attribute == "price":
                continue
            if not any(match.start() < other.span[1] and other.span[0] < match.end() for other in found):
                found.append(Comparison(attribute, step, match.span()))
    return tuple(sorted(found, key=lambda comparison: comparison.span))


# --- negations -------------------------------------------------------------------------------------------------------

_CUE = re.compile(
    r"\b(?:(?:anything|everything|any colou?r|all) (?:but|except)|other than|except(?:ing)?(?: for)?|instead of|rather than"
    r"|without(?: any)?|w/o|free of"
    r"|(?:i )?(?:really )?(?:do not|don't|dont|doesn't|does not|didn't|cannot|can't) (?:really )?(?:want|like|need|have|wear|show(?: me)?|stand)"
    r"(?: to see)?(?: any)?|(?:is|are|was) not|isn't|aren't|(?:but |and )?not(?: in| too| so| a| an| the| that| any| as)*|no(?: more)?|never|avoid|hate"
    r"|nothing(?: too| so)?|nor|less|fewer|minus|excluding|exclude|remove|drop|lose|skip)(?=\s)"
)
_NO_NEGATION = re.compile(
    r"\b(?:not sure|why not|no (?:problem|thanks?|idea|worries|matter|wonder|longer)|not bad|not only|or not|if not|whether or not"
    r"|no\.? ?\d|nothing else|less than|no (?:i|that|this|it|the|show|make|go|please|can|what|how|more than|less than|we|you)\b"
    r"|not more than|not over|not under|(?:do|did|does|is|are|can|would|could)n't (?:you|it|there|they|that)|not to mention|drop me|skip to)"
)
_SCOPE_END = re.compile(
    r"[,;.!?]|\b(?:but|with|in|instead|please|just|only|rather|for|from|like|under|below|show|make|something|i|it's|thanks|either|though|at all)\b"
)
_JOINT = re.compile(r"\s*(?:,?\s*(?:and|or|nor)\b|,)\s*(?:an? |any |the |no )?")


def find_negations(text: str, mentions: Sequence[Mention], taken: Sequence[Span] = ()) -> tuple[Negation, ...]:
    """A scope ends at a comma, a preposition or a new clause; a list goes on ("no red or black", "without a hood or logo")."""
    values = [*(mention.span for mention in mentions), *taken]
    blocked = [match.span() for match in _NO_NEGATION.finditer(text)] + values
    found: list[Negation] = []
    for cue in _CUE.finditer(text):
        if any(cue.start() < end and start < cue.end() for start, end in blocked):
            continue
        if found and cue.start() < found[-1].scope[1]:
            continue
        end = _scope_end(text, cue.end(), mentions)
        if text[cue.end() : end].strip():
            found.append(Negation(cue.span(), (cue.end(), end)))
    return tuple(found)


def _scope_end(text: str, start: int, mentions: Sequence[Mention]) -> int:
    """The first part up to a joint or an end, then every further part that names a value of the same attribute."""
    end = _part_end(text, start, mentions)
    while joint := _JOINT.match(text, end):
        here = {m.attribute for m in mentions if start <= m.span[0] and m.span[1] <= end}
        following = next((m for m in mentions if m.span[0] == joint.end()), None)
        next_end = _part_end(text, joint.end(), mentions)
        is_comma_only = "," in joint.group() and not re.search(r"and|or", joint.group())
        goes_on = following is not None and following.attribute in here
        if is_comma_only:
            goes_on = goes_on and bool(re.match(r".{0,20}\s(?:or|nor)\s", text[joint.end() :]))
        if following is None and not is_comma_only and re.search(r"\b(?:or|nor)\b", joint.group()):
            goes_on = next_end > joint.end()
        if not goes_on:
            return end
        end = next_end
    return end


def _part_end(text: str, start: int, mentions: Sequence[Mention]) -> int:
    stops = [
        m.start() for m in _SCOPE_END.finditer(text, start) if not within((m.start(), m.start() + 1), _spans(mentions))
    ]
    joints = [m.start() for m in re.finditer(r"\s(?:and|or|nor)\b", text) if m.start() >= start]
    inside = [joint for joint in joints if not within((joint, joint + 1), _spans(mentions))]
    end = min([*stops, *inside, len(text)])
    while end > start and text[end - 1] == " ":
        end -= 1
    return end


def _spans(mentions: Sequence[Mention]) -> list[Span]:
    return [mention.span for mention in mentions]


def without_mentions(reading: Reading, spans: Sequence[Span]) -> Reading:
    """The reading without what lies in these spans: they named an item, not a wish."""
    return replace(reading, mentions=tuple(m for m in reading.mentions if not within(m.span, spans)))


__all__ = ["NEEDS_CONTEXT", "Comparison", "Mention", "Negation", "Price", "Reading", "Span", "read", "within"]

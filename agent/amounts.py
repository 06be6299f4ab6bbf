"""How many are wanted and in which order: "two more", "only five", "the cheapest", "newest first", "sort by price"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agent.spans import Span
from agent.turn_references import CARDINALS

MOST_WANTED = 48
_FEW = {"a couple": 2, "a couple of": 2, "couple": 2, "a few": 3, "half a dozen": 6, "a dozen": 12}
_COUNTS = {**CARDINALS, **_FEW, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20}
_N = rf"(?P<n>\d{{1,2}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_NO_COUNT = r"(?!\s?(?:[$€£₹%.]|euros?|eur|pounds?|dollars?|bucks|quid|usd|gbp|rupees|rs|cm|inch|st\b|nd\b|rd\b|th\b))"
_THINGS = (
    r"(?:results?|items?|options?|ones?|pieces?|products?|examples?|suggestions?|pairs?|choices?|of (?:them|these"
    r"|those))"
)
_POLITE = (
    r"(?:(?:ok(?:ay)?|and|now|please|can|could|may|i|you|we|me|us|let|just|only|maybe|show|give|see|have|get|list"
    r"|want)[ ,]+)*"
)
_AMOUNTS = (
    re.compile(
        rf"^{_POLITE}{_N}(?: (?:more|others?|other ones|different ones|{_THINGS}))*(?: (?:please|only|is enough"
        rf"|are enough|will do|max))?\W*$"
    ),
    re.compile(
        rf"\b(?:only|just|limit(?: it| them)? to|no more than|at most|top|show|show me|give me|list"
        rf"|display) {_N}\b{_NO_COUNT}(?: (?:more|other|others|different))?(?: {_THINGS})?(?=\W|$)"
    ),
    re.compile(rf"\b{_N} (?:more|others)\b(?: {_THINGS})?"),
)
_NUMBER_OF = re.compile(r"(?:\b(?:number|nr|no|item|option|turn|step|size|than|under|over|up to|at least)\.?|#) ?$")
_ONE_MORE = re.compile(r"\b(?:one|1) (?:in|with|from|that|like)\b")

_LEAST = r"(?:cheapest|least expensive|lowest[- ]priced?|most affordable|lowest prices?|least costly)"
_MOST = r"(?:most expensive|priciest|dearest|highest[- ]priced?|most costly|highest prices?)"
_NEWEST = r"(?:newest|latest|most recent|new arrivals?|new in|what(?:'?s| is) new)"
_SORTS = (
    (re.compile(r"\b(?:sort|order|rank|arrange)(?:ed)?(?: (?:it|them|these|those|all|the results|results|by|on|in"
        r"|order|of))* (?:the )?prices?(?:[ ,]+(?:descending|high(?:est)? (?:to|first)|from high)\w*)"), "-price"),
    (re.compile(r"\b(?:price:? )?(?:from )?(?:the )?(?:most )?(?:high|highest|expensive"
        r"|dear)(?: prices?)? to (?:the )?(?:low|lowest|cheap|cheapest)\b|\bprices? (?:descending"
        r"|high to low)\b"), "-price"),
    (re.compile(r"\b(?:sort|order|rank|arrange)(?:ed)?(?: (?:it|them|these|those|all|the results|results|by|on|in"
        r"|order|of))* (?:the )?prices?\b(?: (?:ascending|low to high))?|\bby price\b"), "price"),
    (re.compile(r"\b(?:(?:sort|order|rank)(?:ed)?(?: \w+)? )?(?:prices? )?(?:from )?(?:the )?(?:low|lowest|cheap"
        r"|cheapest)(?: prices?)? to (?:the )?(?:most )?(?:high|highest|expensive|dear)\b|\bprices? (?:ascending"
        r"|low to high)\b"), "price"),
    (re.compile(rf"\b(?:the )?{_LEAST}\b"), "price"),
    (re.compile(rf"\b(?:the )?{_MOST}\b"), "-price"),
    (re.compile(rf"\b(?:the |your )?{_NEWEST}\b"), "-year"),
    (re.compile(r"\b(?:the |your )?oldest\b(?! (?:son|daughter|child|brother|sister|girl|boy))"), "year"),
)  # fmt: skip
_ASKS_WHICH = re.compile(
    r"^(?:and |so |but |ok(?:ay)? )*(?:which|who|is|are|does|do|how|why|whose|compare)\b|^what(?:'s| is| are)\b(?! new)"
)
_IS_ONE = re.compile(r" (?:one|item|option|of (?:these|them|those|the|all))\b")
_IS_MANY = re.compile(
    r"(?: (?:ones|first|to|items|options|things|results|stuff|available|in stock|please|that you have|you(?:'ve"
    r"| have)))*\W*$| (?:ones|first|items|options|products)\b"
)


@dataclass(frozen=True, slots=True)
class Amounts:
    n_wanted: int = 0
    """0: as many as are usually shown."""
    sort_by: str = ""
    """As in `Plan.sort_by`."""
    spans: tuple[Span, ...] = ()
    """The words that said so."""


def find_amounts(text: str, kinds: Sequence[Span] = (), taken: Sequence[Span] = ()) -> Amounts:
    """`kinds` are where garments are named, `taken` what was read as a price."""
    n_wanted, counted = _count(text, taken)
    sort_by, sorted_ = _order(text, kinds)
    return Amounts(n_wanted, sort_by, (*counted, *sorted_))


def _count(text: str, taken: Sequence[Span]) -> tuple[int, Sequence[Span]]:
    for pattern in _AMOUNTS:
        for match in pattern.finditer(text):
            is_other = any(match.start() < end and start < match.end() for start, end in taken)
            if is_other or _NUMBER_OF.search(text[: match.start("n")]) or _ONE_MORE.match(text, match.start("n")):
                continue
            n_items = (
                _COUNTS.get(match["n"]) or int(match["n"]) if match["n"] in _COUNTS or match["n"].isdecimal() else 0
            )
            if match["n"] in ("1", "one") and "more" not in match.group() and "only" not in match.group():
                continue  # "one" is hardly ever a number
            if 0 < n_items <= MOST_WANTED:
                return n_items, (match.span(),)
    return 0, ()


def _order(text: str, kinds: Sequence[Span]) -> tuple[str, Iterable[Span]]:
    if _ASKS_WHICH.search(text):
        return "", ()
    for pattern, sort_by in _SORTS:
        for match in pattern.finditer(text):
            said_as_order = re.search(r"\b(?:to|by|sort|order|rank|price)\b", match.group()) is not None
            if said_as_order or _is_about_many(text, match, kinds):
                return sort_by, (match.span(), *_words_of_order(text, match.end()))
    return "", ()


def _is_about_many(text: str, match: re.Match[str], kinds: Sequence[Span]) -> bool:
    """ "The cheapest ones", "your newest jackets" — "the cheapest one" is an item."""
    if _IS_ONE.match(text, match.end()):
        return False
    named = next((span for span in kinds if span[0] > match.end() - 1), None)
    if named is not None and len(text[match.end() : named[0]].split()) <= 3:
        return text[slice(*named)].endswith("s") or " you" in text[named[1] :]
    return _IS_MANY.match(text, match.end()) is not None


def _words_of_order(text: str, end: int) -> Iterator[Span]:
    if following := re.compile(r" (?:ones |items )?first\b").match(text, end):
        yield following.span()

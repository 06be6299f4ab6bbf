"""Negations in a text, and how far each of them reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.mentions import Mention
from agent.spans import Span, within


@dataclass(frozen=True, slots=True)
class Negation:
    """A "no" or "without" with its scope."""

    cue: Span
    scope: Span


_CUE = re.compile(
    r"\b(?:(?:(?:anything|everything|any colou?r|all) (?:but|except)|other than|except(?:ing)?(?: for)?|instead of"
    r"|rather than|allergic to|(?:leave|take|filter|rule|cut|kick|throw) out|(?:get|be) rid of|steer clear of"
    r"|stay away from|hide|omit|remove|exclude)(?: (?:anything|everything|all|any|those|ones|the ones)"
    r"(?: (?:with|in|that (?:is|are|has|have)))?)?"
    r"|(?:nothing|none) (?:with|in|made of|that (?:is|has))"
    r"|without(?: any)?|w/o|free of|none of (?:the|these|those)(?! (?:are|is|have|has)\b)"
    r"|(?:i )?(?:really )?(?:do not|don't|dont|doesn't|does not|didn't|cannot|can't) (?:really )?(?:want|like|need"
    r"|have|wear|show(?: me)?|stand)"
    r"(?: to see)?(?: any)?|(?:is|are|was) not|isn't|aren't|(?:but |and )?not(?: for| made of| by| from| in| with| too"
    r"| so| a| an| the| that"
    r"| any| as)*|no(?: more)?|never|neither|avoid|hate|(?:forget|ignore|never ?mind)(?: about)?(?: the)?"
    r"|nothing(?: too| so)?|nor|less|fewer|minus|excluding|drop|lose|skip)(?=\s)|\bnon(?=[- ])"
)
_NO_NEGATION = re.compile(
    r"\b(?:not sure|why not|no (?:problem|thanks?|idea|worries|matter|wonder|longer|object|issue|limit)|not bad"
    r"|not only|or not"
    r"|if not"
    r"|whether or not"
    r"|no\.? ?\d|nothing else|less than|no (?:i|that|this|it|the|show|make|go|please|can|what|how|more than"
    r"|less than|we|you)\b"
    r"|not more than|not over|not under|(?:do|did|does|is|are|can|would|could)n't (?:you|it|there|they|that)"
    r"|not to mention|drop me|skip to)"
)
_CUE_BEHIND = re.compile(
    r",? (?:(?:is|are)(?: just| really)? (?:not (?:ok(?:ay)?|my (?:thing|style|colour|color)|for me|an option"
    r"|what i want"
    r"|acceptable)|an? (?:definite )?no(?:[- ](?:go|no))?\b|out\b|off the table|excluded|banned)"
    r"|(?:does not|doesn't|do not|don't) suit me)"
)
""" "Brown is not ok": what is not wanted comes first."""
_SCOPE_END = re.compile(
    r"[,;.!?]|\b(?:but|with|in|instead|please|just|only|rather|for|from|like|under|below|show|make|something|i|it's"
    r"|thanks|either|though|at all)\b"
)
_JOINT = re.compile(r"\s*(?:,?\s*(?:and|or|nor)\b|,)\s*(?:an? |any |the |no )?")


def find_negations(text: str, mentions: Sequence[Mention], taken: Sequence[Span] = ()) -> tuple[Negation, ...]:
    """A scope ends at a comma, a preposition or a new clause; a list goes on ("no red or black")."""
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
    return (*found, *_negated_before(text, mentions))


def _negated_before(text: str, mentions: Sequence[Mention]) -> Iterator[Negation]:
    for cue in _CUE_BEHIND.finditer(text):
        said = [mention for mention in mentions if mention.span[1] == cue.start()]
        while before := next((m for m in mentions if said and _is_joined(text, m, said[0])), None):
            said.insert(0, before)
        if said:
            yield Negation(cue.span(), (said[0].span[0], cue.start()))


def _is_joined(text: str, one: Mention, other: Mention) -> bool:
    return one.attribute == other.attribute and text[one.span[1] : other.span[0]] in (" and ", " or ", ", ")


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

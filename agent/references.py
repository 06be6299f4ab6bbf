"""Which items and which turn a message means: "the second one", "the red dress from before", "it", "turn 2"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.mentions import Mention
from agent.reading import Reading
from agent.scene import Scene
from agent.spans import Span, overlaps, within
from agent.turn_references import CARDINALS, ORDINALS, TURN_NUMBER, TURN_ORDINAL, as_number, refer_to_turn
from retrieval.filters import fold
from retrieval.schema import Item, Turn

N_DESCRIBED = 3
"""A description that fits more items than this is narrowed to the best ranked ones."""

_THINGS = r"ones?|items?|products?|pictures?|photos?|images?|options?|results?|picks?|pieces?|pairs?|things?|looks?"
_ORDINAL = re.compile(
    rf"\b(?P<the>the |your |that |this )?(?:very )?(?P<n>{'|'.join(ORDINALS)}|last|final|\d{{1,2}}(?:st|nd|rd|th))"
    rf"(?: (?P<count>two|three|four|[2-6]))?(?: (?P<noun>{_THINGS}))?\b"
)
_NUMBER = re.compile(
    rf"(?:\b(?:number|nr|no|item|option|picture|result|product|pick|article)\.? ?#?|#)(?P<n>\d{{1,2}}"
    rf"|{'|'.join(list(CARDINALS)[1:])})\b"
    r"(?! (?:price|results|items|more))"
)
_AFTER_ORDINAL = re.compile(
    r"\s*(?:$|[,;.!?&]|(?:but|in|and|with|without|is|was|looks?|please|from|for|only|made|costs?|available|go|goes"
    r"|or|have|has|had"
    r"|instead|again|as|to|like|on|of|you|i|that|which|would|should|does|do|a bit|suits?|except|too|also|cheaper"
    r"|longer|shorter)\b)"
)
_NO_ORDINAL = re.compile(
    r"\b(?:last (?:year|season|week|month|time|night|summer|winter|minute)|second hand|first (?:time|class|date"
    r"|of all)|at (?:first|last)|final sale)\b"
)
_N = rf"#?(?:\d{{1,2}}|{'|'.join(list(CARDINALS)[1:])}|one)"
_COMPARED_NUMBERS = re.compile(
    rf"\b(?:compar(?:e|ing)|differ\w* (?:between|of|in)|how do|do|are|is|items?|numbers?|options?|pieces) (?P<a>{_N})"
    rf"(?:, (?P<c>{_N}),?)? (?:and|with|to|or|vs\.?|versus|against) (?P<b>{_N})\b"
    r"(?!\s?[$€£₹%]| (?:euros?|pounds|dollars))"
)
_FROM_TURN = re.compile(
    r"\b(?:from|in|of|at|on) (?:the |my |our )?(?=very |first|second|third|turn|step|start|search"
    r"|beginning|initial|original|previous|last|earlier|\d)"
)
_SUPERLATIVE = re.compile(
    r"\b(?:the )?(?P<which>cheapest|least expensive|lowest[- ]priced|most affordable|most expensive|priciest"
    r"|dearest)(?: (?:one|item|option|of (?:these|them|those|all)))?\b"
)
_NOT_PRONOUN = (
    r"(?! (?:season|summer|winter|year|week|month|time|evening|weekend|morning|kind of weather|shop|store|website"
    r"|means|is what))"
)
_PRONOUN = re.compile(
    rf"\b(?:(?P<one>it|its|this|that)|(?P<many>these|those|them|their|they)){_NOT_PRONOUN}(?: (?:exact |same |very "
    rf"|specific )*(?P<noun>{_THINGS}))?(?:'s)?\b"
)
_THAT_IS_PRONOUN = re.compile(
    r"(?:like|with|than|of|from|in|for|to|have|got|see|get|show me|match|about|but|is|does|do|was|love|want|take"
    r"|find|same|on|similar to"
    r"|make)\s$"
)
_AFTER_THAT = re.compile(r"\s*(?:$|[,;.!?]|(?:but|in|and|with|without|one|please|instead|then|thing|exact|same)\b)")
_SAME = re.compile(
    r"\b(?:(?:the |this |that )?(?:very |exact )*same(?: (?:thing|one|item|product|kind|type|sort|style))?"
    r"|similar(?: (?:one|ones|to))?|something like)\b"
)


_COMPARES = re.compile(r"\bcompar\w+|\bdiffer\w*|^(?:and |so )?(?:is|are) (?:it|this|that|these|they)\b.*\bthan\b")


@dataclass(frozen=True, slots=True)
class Referent:
    """What the message points at."""

    items: tuple[Item, ...] = ()
    turn: Turn | None = None
    """Where the items were shown, when not in the scene's own turn."""
    spans: tuple[Span, ...] = ()
    """The words that pointed."""
    is_explicit: bool = False
    """Named by number, place or description, not by "it"."""
    is_pointed: bool = False
    """The words pointed at something, whether or not it was found."""
    notes: tuple[str, ...] = ()
    missing: str = ""
    """What was named and cannot be found: "number 30"."""


def refer(reading: Reading, scene: Scene) -> Referent:
    """Explicit words win over the selection, the selection over the best result."""
    explicit = _explicit(reading, scene)
    pointing = _pronouns(reading, [*explicit.spans])
    spans = (*explicit.spans, *pointing.spans)
    if explicit.items or explicit.missing:
        other = _compared(reading, explicit, pointing, scene)
        items = tuple({item.item_id: item for item in (*other, *explicit.items)}.values())
        return Referent(items, explicit.turn, spans, True, True, explicit.notes, explicit.missing)
    items, notes = _meant(pointing.many, scene) if pointing.spans else ((scene.selected,) if scene.selected else (), ())
    return Referent(tuple(filter(None, items)), None, spans, False, bool(pointing.spans), notes)


def _compared(reading: Reading, explicit: Referent, pointing: _Pointing, scene: Scene) -> tuple[Item, ...]:
    """ "Is it cheaper than the second one?", "compare it with number 3": the one that "it" means."""
    if len(explicit.items) != 1 or not pointing.spans or not _COMPARES.search(reading.text):
        return ()
    return tuple(item for item in _meant(pointing.many, scene)[0] if item is not None)


# --- by number, place or description ---------------------------------------------------------------------------------


def _explicit(reading: Reading, scene: Scene) -> Referent:
    found = [*_by_number(reading, scene), *_by_superlative(reading, scene)]
    found += _by_description(reading, scene, [span for referent in found for span in referent.spans])
    found.sort(key=lambda referent: referent.spans[0])
    return Referent(
        items=tuple({item.item_id: item for referent in found for item in referent.items}.values()),
        turn=next((referent.turn for referent in found if referent.turn), None),
        spans=tuple(span for referent in found for span in referent.spans),
        notes=tuple(note for referent in found for note in referent.notes),
        missing=next((referent.missing for referent in found if referent.missing), ""),
    )


def _by_number(reading: Reading, scene: Scene) -> Iterable[Referent]:
    named = _turn_named(reading.text, scene)
    shown = scene.shown(named[0]) if named else scene.shown()
    if not shown:
        return
    text, turn = reading.text, named[0] if named else None
    words = [named[1]] if named else []
    blocked = [match.span() for pattern in (TURN_ORDINAL, TURN_NUMBER, _NO_ORDINAL) for match in pattern.finditer(text)]
    for n, span in _bare_numbers(text):
        yield _place(shown, n, 1, span, f"number {n}", turn, words)
    for match in _NUMBER.finditer(text):
        if not within(match.span(), blocked):
            yield _place(shown, as_number(match["n"]), 1, match.span(), f"number {match['n']}", turn, words)
    for match in _ORDINAL.finditer(text):
        if within(match.span(), blocked):
            continue
        n, count = as_number(match["n"]), as_number(match["count"] or "one")
        following = next((m for m in reading.mentioned("category") if m.span[0] == match.end() + 1), None)
        if following and not match["noun"]:
            among, where = _of_kind(following, shown, turn, scene)
            yield _place(among, n, 1, (match.start(), following.span[1]), match.group(), where, words)
        elif match["noun"] or match["count"] or (match["the"] and _AFTER_ORDINAL.match(text, match.end())):
            yield _place(shown, n, count, match.span(), match.group(), turn, words)


def _bare_numbers(text: str) -> Iterable[tuple[int, Span]]:
    """ "Compare 1 and 2", "how do 2 and 4 differ": numbers alone, where it is clear that items are compared."""
    for match in _COMPARED_NUMBERS.finditer(text):
        for group in ("a", "b", "c"):
            if match[group]:
                yield as_number(match[group]), match.span(group)


def _turn_named(text: str, scene: Scene) -> tuple[Turn, Span] | None:
    """ "The second from turn 1", "the first dress from the start": which turn's items are counted."""
    for link in _FROM_TURN.finditer(text):
        referent = refer_to_turn(text[link.end() :])
        if referent is None or text[link.end() : link.end() + referent.span[0]].strip():
            continue
        searches = [turn for turn in scene.path if turn.ranking is not None]
        if referent.number is None:
            found = searches[-1 - referent.steps_back] if referent.steps_back < len(searches) else None
        elif referent.number == 1:
            found = next(iter(searches), None)
        else:
            found = next((turn for turn in searches if turn.turn_number == referent.number), None)
        if found is not None:
            return found, (link.start(), link.end() + referent.span[1])
    return None


def _of_kind(
    kind: Mention, shown: Sequence[Item], turn: Turn | None, scene: Scene
) -> tuple[Sequence[Item], Turn | None]:
    """The items of a kind among those that are shown, else among those of the latest turn that showed any."""
    if among := [item for item in shown if item.attributes.get("category") in kind.meaning.values]:
        return among, turn
    for earlier in reversed(scene.path) if turn is None else ():
        items = scene.shown(earlier)
        if among := [item for item in items if item.attributes.get("category") in kind.meaning.values]:
            return among, earlier
    return shown, turn


def _place(
    items: Sequence[Item], n: int, count: int, span: Span, said: str, turn: Turn | None, words: Sequence[Span]
) -> Referent:
    """`words` named the turn."""
    if n == -1:
        return Referent(tuple(items[-count:]), turn, spans=(span, *words))
    if n > len(items):
        return Referent(spans=(span,), missing=f"“{said.strip()}”: {_only(len(items))} shown")
    first = 0 if count > 1 else n - 1
    return Referent(tuple(items[first : n - 1 + count]), turn, spans=(span, *words))


def _only(n_items: int) -> str:
    return "only one is" if n_items == 1 else f"only {n_items} are"


def _by_superlative(reading: Reading, scene: Scene) -> Iterable[Referent]:
    priced = [item for item in scene.shown() if isinstance(item.attributes.get("price"), float | int)]
    for match in _SUPERLATIVE.finditer(reading.text):
        if priced and not overlaps(match.span(), reading.amounts.spans):
            is_least = (
                match["which"] in ("cheapest", "least expensive", "most affordable") or "lowest" in match["which"]
            )
            chosen = sorted(priced, key=lambda item: float(item.attributes["price"]), reverse=not is_least)
            yield Referent((chosen[0],), spans=(match.span(),))


def _by_description(reading: Reading, scene: Scene, taken: Sequence[Span]) -> Iterable[Referent]:
    """ "the red one", "that striped dress": only where such an item was shown, latest turn first."""
    for match in re.finditer(r"\b(?:the|that|those|these|this)\s", reading.text):
        described = _description(reading, match.end())
        if described is None or within((match.start(), described[1]), taken):
            continue
        mentions, end = described
        is_many = reading.text[:end].endswith("ones")
        if is_many and within((match.end(), mentions[-1].span[1]), [negation.scope for negation in reading.negations]):
            continue  # "not the red ones": none of that kind, not only of those that are shown
        turn = _shown_in(mentions, scene)
        if turn is not None:
            fitting = [item for item in scene.shown(turn) if all(_fits(item, mention) for mention in mentions)]
            yield Referent(
                tuple(fitting[: N_DESCRIBED if is_many else 1]),
                turn if turn is not scene.turn else None,
                spans=((match.start(), end),),
            )


def _description(reading: Reading, start: int) -> tuple[tuple[Mention, ...], int] | None:
    """The mentions right after "the", up to "one" or a category; None when that is not how it goes on."""
    mentions: list[Mention] = []
    at = start
    while following := next((m for m in reading.mentions if m.span[0] == at), None):
        mentions.append(following)
        at = following.span[1]
        if ending := re.compile(rf" (?:{_THINGS})\b").match(reading.text, at):
            return tuple(mentions), ending.end()
        if following.attribute == "category":
            return (tuple(mentions), at) if len(mentions) > 1 else None
        at += len(re.compile(r"(?: and|,)? ?").match(reading.text, at).group())  # type: ignore[union-attr]
    return None


def _shown_in(mentions: Sequence[Mention], scene: Scene) -> Turn | None:
    for turn in dict.fromkeys(filter(None, (scene.turn, *reversed(scene.path)))):
        if any(all(_fits(item, mention) for mention in mentions) for item in scene.shown(turn) if turn.ranking):
            return turn
    return None


def _fits(item: Item, mention: Mention) -> bool:
    value = item.attributes.get(mention.attribute)
    if isinstance(value, str) and any(fold(value) == fold(str(wanted)) for wanted in mention.meaning.values):
        return True
    return mention.attribute == "colour" and isinstance(value, str) and mention.said in fold(value).split()


# --- by pointing -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pointing:
    spans: tuple[Span, ...]
    many: bool


def _pronouns(reading: Reading, taken: Sequence[Span]) -> _Pointing:
    text = reading.text
    spans: list[Span] = []
    many = False
    for match in _PRONOUN.finditer(text):
        if within(match.span(), taken):
            continue
        category = next((m for m in reading.mentioned("category") if m.span[0] == match.end() + 1), None)
        word = match.group().split()[0]
        points = word != "that" or match["noun"] or category or _points_with_that(text, match)
        if points:
            spans.append((match.start(), category.span[1] if category else match.end()))
            many = many or bool(match["many"])
    same = [match.span() for match in _SAME.finditer(text) if not within(match.span(), taken)]
    spans += same
    spans += [span for _, end in same if text[:end].endswith("same") for span in _kind_after(reading, end)]
    return _Pointing(tuple(sorted(spans)), many)


def _kind_after(reading: Reading, end: int) -> list[Span]:
    """ "The same red sheath dress": the kind and the colour name the item that is meant; a style is wanted as well."""
    named: list[Mention] = []
    at = end
    while mention := next((m for m in reading.mentions if m.span[0] == at + 1), None):
        named.append(mention)
        at = mention.span[1]
        if mention in reading.mentioned("category"):
            return [m.span for m in named if m.attribute in ("category", "colour")]
    return []


def _points_with_that(text: str, match: re.Match[str]) -> bool:
    return bool(_THAT_IS_PRONOUN.search(text[: match.start()]) and _AFTER_THAT.match(text, match.end()))


def _follows_picture(scene: Scene) -> bool:
    """After a photo "the same in blue" means what the photo shows, not the first thing that was found for it."""
    last = scene.path[-1] if scene.path else None
    return last is not None and bool(last.message.images) and last.ranking is not None and not last.plan.references


def _meant(many: bool, scene: Scene) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    if scene.selected:
        return (scene.selected,), ()
    if scene.has_upload:
        return (), ()
    asked = scene.asked_about()
    if asked and not (many and len(asked) == 1):
        return asked, ()
    shown = scene.shown()
    if many or not shown or _follows_picture(scene):
        return (), ()
    name = shown[0].caption or shown[0].item_id
    return (shown[0],), (() if len(shown) == 1 else (f"Nothing was selected, so I took the first result, {name}",))

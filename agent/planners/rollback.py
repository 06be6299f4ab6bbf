"""Going back: which earlier turn a message returns to, and what it says besides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.cues_back import RESTART, ROLLBACK
from agent.mentions import Mention, find_mentions
from agent.scene import Scene, items_of, turns_known
from agent.turn_references import TurnReferent, refer_to_turn
from agent.vocabulary import Lexicon
from retrieval.errors import MessageError
from retrieval.schema import Intent, Item, Session, Turn

_FILLER = re.compile(
    r"^[\s,.;:!?-]*(?:(?:and|but|then|now|so|please|again|instead|from there|there|results?|ones?|one|to|the|that"
    r"|this|it|search|page|step|turn|at|show me)\b[\s,.;:!?-]*)*"
)
_PICTURE = re.compile(r"\s*(?:to )?(?:the |my |that )?(?:photo|picture|image|drawing|sketch|upload|screenshot)\b")
_KEEPS = re.compile(
    r"^[\s,.;:!?-]*(?:and|then|so|now|please)?[\s,]*(?=(?:but|in|with|without|make|show|what|find|do|how|which|is"
    r"|are|cheaper|only|something|anything|the|number)\b)"
)

_AGAIN = re.compile(
    r"^(?:(?:ok(?:ay)?|and|now|please|hm+|no|actually|well|can|could|may|let|lets|let's|i|you|we|me|us|want|would|like|to"
    r"|show|see|look|at|view|open|have|give|return|revisit|what|about|how)[ ,]+)*(?:the |those |my |all the )?"
    r"(?P<what>[a-z' -]{3,40}?) (?:again|(?:from |you showed me |we had |i saw |i liked )+(?:before|earlier)"
    r"|(?:you showed me|i saw|we had|i liked) (?:first|at first))(?: (?:were|was|looked) .{0,30})?(?:[ ,]*please)?\W*$"
)
_POINTS = re.compile(r"\b(?:it|its|this|that|the same|that one|this one)\b")


@dataclass(frozen=True, slots=True)
class Return:
    turn: Turn | None
    """The turn gone back to; None for a fresh start."""
    scene: Scene
    """The conversation as it stood there."""
    rest: str = ""
    """What the message says besides going back."""
    notes: tuple[str, ...] = ()


def find_return(text: str, session: Session, scene: Scene, lexicon: Lexicon) -> Return | None:
    """None when the message does not go back. Raises MessageError for a turn that does not exist."""
    lowered = " ".join(text.lower().replace("’", "'").split())
    if RESTART.search(lowered) and session.turns:
        return Return(None, scene)
    if seen := _seen_again(lowered, session, scene, lexicon):
        return Return(seen, replace(scene, path=session.path(seen.turn_number), turn=seen))
    cue = ROLLBACK.search(lowered)
    if cue is None or (not session.turns and not _names_turn(lowered)):
        return None
    if _is_about_an_item(lowered, cue.group()):
        return None
    referent = refer_to_turn(lowered)
    if not scene.path:
        raise MessageError(f"There is nothing to go back to. {turns_known(session)}")
    turn, described = _turn_meant(lowered, cue.span(), referent, session, scene, lexicon)
    if turn is None:
        return Return(None, scene, notes=("that was the first turn, so this is the start again",))
    rest = _rest(lowered, cue.span(), referent, described)
    there = replace(scene, path=session.path(turn.turn_number), turn=_shows(turn, session))
    there = replace(there, selected=_chosen(there.turn or turn, session, scene, rest))
    return Return(there.turn or turn, there, rest)


def _chosen(turn: Turn, session: Session, scene: Scene, rest: str) -> Item | None:
    """The item of that turn with which the talk went on: it counts as selected again. One that was pointed at in words
    alone is meant only by words that point."""
    shown = {hit.item_id for hit in turn.ranking.hits} if turn.ranking else set()
    for later in reversed(session.turns):
        if later.parent != turn.turn_number:
            continue
        selected = later.message.selected
        meant = (selected,) if selected else later.plan.references if _POINTS.search(rest) else ()
        if len(meant) == 1 and meant[0] in shown:
            return next(iter(items_of(scene.catalogue, meant)), None)
    return None


def _names_turn(text: str) -> bool:
    return bool(re.search(r"\bturn \d", text))


def _is_about_an_item(text: str, cue: str) -> bool:
    """ "how much was the one before": a question, not a way back."""
    return (
        bool(re.match(r"(?:how much|what(?:'s| is| was| material| colou?r| brand)|who|is|was|does)\b", text))
        and "back" not in cue
    )


def _turn_meant(
    text: str, cue: tuple[int, int], referent: TurnReferent | None, session: Session, scene: Scene, lexicon: Lexicon
) -> tuple[Turn | None, tuple[int, int] | None]:
    """The turn, and the words of a description that named it."""
    if referent is not None and referent.number is not None:
        return _numbered(referent.number, session, scene), None
    if referent is None and (pictured := _pictured(text, cue, scene)):
        return pictured
    described = _described(text, cue, session, scene, lexicon) if referent is None else None
    if described is not None:
        return described
    return _back(session, scene, referent.steps_back if referent else 1), None


def _numbered(number: int, session: Session, scene: Scene) -> Turn:
    if number == 1:
        first = next((turn for turn in scene.path if turn.ranking is not None), None)
        return first or scene.path[0]
    try:
        return session.turn(number)
    except KeyError:
        raise MessageError(f"There is no turn {number} in this conversation. {turns_known(session)}") from None


def _back(session: Session, scene: Scene, n_steps: int) -> Turn | None:
    """None when that many steps lead before the first turn."""
    turn = _one_back(session, scene)
    for _ in range(n_steps - 1):
        if turn is None or turn.parent is None:
            return None
        turn = _shows(session.turn(turn.parent), session)
    return turn


def _one_back(session: Session, scene: Scene) -> Turn | None:
    """The turn before the one whose result is shown; a second "undo" goes one further."""
    shown = scene.turn
    while (
        shown is not None
        and shown.plan.intent is Intent.ROLLBACK
        and shown.plan.then is None
        and shown.plan.reference_turn
    ):
        shown = session.turn(shown.plan.reference_turn)
    if shown is None or shown.parent is None:
        return None
    if (
        scene.path[-1].ranking is None
        and scene.path[-1].turn_number != shown.turn_number
        and not scene.path[-1].plan.references
    ):
        return shown
    return _shows(session.turn(shown.parent), session)


def _shows(turn: Turn, session: Session) -> Turn | None:
    """The turn itself if it shows something, else the nearest before it that does."""
    return next((earlier for earlier in reversed(session.path(turn.turn_number)) if earlier.ranking is not None), None)


def _pictured(text: str, cue: tuple[int, int], scene: Scene) -> tuple[Turn, tuple[int, int]] | None:
    """ "back to the photo": the latest turn that brought a picture, the present one included."""
    named = _PICTURE.match(text, cue[1])
    brought = next((turn for turn in reversed(scene.path) if turn.message.images and turn.ranking is not None), None)
    return (brought, (cue[1], named.end())) if named and brought else None


def _seen_again(text: str, session: Session, scene: Scene, lexicon: Lexicon) -> Turn | None:
    """ "Show me the bags again": the latest earlier turn that asked for them, when something else is shown now."""
    match = _AGAIN.match(text)
    if match is None:
        return None
    mentions = find_mentions(match["what"], lexicon)
    if not any(mention.attribute == "category" for mention in mentions) or not match["what"].endswith("s"):
        return None
    searches = _searches(session, scene.path)
    found = next((turn for turn in searches if _asked_for(turn, mentions)), None)
    return found if found is not None and found is not scene.turn else None


def _searches(session: Session, path: Sequence[Turn]) -> list[Turn]:
    """The branch's own first, the latest first; then those of other branches."""
    others = [turn for turn in reversed(session.turns) if turn not in path and turn is not session.latest]
    return [turn for turn in (*reversed(path), *others) if turn.ranking is not None]


def _asked_for(turn: Turn, mentions: Sequence[Mention]) -> bool:
    filters = {f.attribute: set(map(str, f.values)) for f in turn.plan.filters if f.operator == "any_of"}
    return all(set(m.meaning.values) & filters.get(m.attribute, set()) for m in mentions)


def _described(
    text: str, cue: tuple[int, int], session: Session, scene: Scene, lexicon: Lexicon
) -> tuple[Turn, tuple[int, int]] | None:
    """ "back to the red dresses": the latest turn that asked for them, else one that showed one."""
    tail = re.compile(r"\s*(?:to )?(?:the |that |those |my |our )").match(text, cue[1])
    start = tail.end() if tail else cue[1]
    mentions = [mention for mention in find_mentions(text, lexicon) if mention.span[0] >= start]
    near = [
        mention for mention in mentions if mention.span[0] <= start + 1 or text[start : mention.span[0]].count(" ") <= 1
    ]
    run = [m for m in mentions if m.span[0] <= (near[-1].span[1] + 1 if near else -1)] if near else []
    if not tail or not run:
        return None
    span = (cue[1], run[-1].span[1])
    asked = _searches(session, scene.path[:-1] or scene.path)
    for turn in asked:
        if _asked_for(turn, run):
            return turn, span
    for turn in asked:
        if any(
            all(str(item.attributes.get(m.attribute)) in m.meaning.values for m in run) for item in scene.shown(turn)
        ):
            return turn, span
    return None


def _rest(text: str, cue: tuple[int, int], referent: TurnReferent | None, described: tuple[int, int] | None) -> str:
    """What is left without the words that went back; "" when it is only filler."""
    spans = sorted(span for span in (cue, referent.span if referent else None, described) if span)
    left, at = [], 0
    for start, end in spans:
        left.append(text[at : max(at, start)])
        at = max(at, end)
    before, after = " ".join(left).strip(), _KEEPS.sub("", text[at:].strip())
    before = re.sub(
        r"^(?:(?:ok(?:ay)?|hm+|no|actually|sorry|wait|please|can we|could you|can you|let's|i want to|i'd like to|i"
        r"|we|you|just|never ?mind|then|and|show me|yes"
        r"|liked|preferred|was|were|better|best|nicer|more|most|looked)[\s,.!]*)+$",
        "",
        before + " ",
    ).strip()
    rest = " ".join(filter(None, (before, after.strip(" ,.;:!?-"))))
    return "" if not _FILLER.sub("", rest).strip() else re.sub(r"^(?:and|then|to|from|again)\s+", "", rest)

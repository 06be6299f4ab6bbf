"""Scripted conversations: what is said, what the plan must hold, and what must be true of the results.

One JSON object a line: `name`, `gallery` ("embedded" or "catalogue") and `turns`. A turn has `say` (or `take`, the
beginning of a button's label), maybe `select` (a position in what is shown), and what is expected of it:

- `intent`, `then`, `references` (positions as in `utterances`, of what was shown before), `n_wanted`, `sort_by`
- `filters`: `"colour=Red"`, `"price<=60"` have to be in the plan; `no_filters`: attributes that must not be filtered by
- `all`: conditions that hold for every item shown; `none`: conditions that hold for no item shown
- `n_shown`, `at_least`: how many are shown; `sorted`: "price" or "-price"; `kinds`: at least so many kinds of garment
- `new`: nothing of what the turn before showed; `as_turn`: the same items as that turn
- `reply`, `not_reply`: words that the reply has or has not; `offer`: words of a button
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.runs import RunError
from eval.understanding.real_turns import SHARED
from eval.understanding.utterances import DATA, rows_of
from retrieval.errors import MessageError
from retrieval.filters import matches
from retrieval.schema import Filter, Item, Message, Session, Turn

if TYPE_CHECKING:
    from eval.understanding.shop import TalkingShop

EMBEDDED, CATALOGUE = "embedded", "catalogue"
FPI = "fpi"
_CONDITION = re.compile(r"(?P<attribute>\w+)(?P<operator>!=|<=|>=|=)(?P<value>.+)")
_OPERATORS: Mapping[str, Any] = {"=": "any_of", "!=": "none_of", "<=": "at_most", ">=": "at_least"}


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    gallery: str
    turns: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Walked:
    name: str
    place: str
    faults: tuple[str, ...]
    """What was not as expected; empty when all was."""


def read_tour(gallery: str) -> tuple[Conversation, ...]:
    """Those over one of the two galleries. Raises RunError for an expectation that does not exist."""
    found: list[Conversation] = []
    for where, row in rows_of(DATA / "tour.jsonl"):
        unknown = sorted({name for turn in row["turns"] for name in turn} - CHECKS.keys() - _SAID)
        if unknown:
            raise RunError(
                f"{where} expects {unknown[0]!r}: the expectations are listed in eval/understanding/tour.py."
            )
        found.append(Conversation(row["name"], row["gallery"], tuple(row["turns"])))
    return tuple(one for one in found if one.gallery == gallery)


def walk_all(shop: TalkingShop, catalogue: str | None = None, index: Path | None = None) -> list[Walked]:
    """`shop` is over the embedded gallery; the catalogue's part is left out, and said, where there is none at hand."""
    walked = [walk(shop, conversation) for conversation in read_tour(EMBEDDED)]
    place = Path(catalogue) if catalogue else SHARED / FPI
    if not place.exists():
        return walked
    from eval.understanding.shop import TalkingShop

    other = TalkingShop.open(str(place), index)
    return [*walked, *(walk(other, conversation) for conversation in read_tour(CATALOGUE))]


def walk(shop: TalkingShop, conversation: Conversation) -> Walked:
    session = Session("tour")
    faults: list[str] = []
    for number, expected in enumerate(conversation.turns, 1):
        message = _message(shop, session, expected)
        if message is None:
            faults.append(f"turn {number}: there is no button {expected['take']!r}")
            break
        try:
            turn = shop.assistant.respond(session, message)
        except MessageError as error:
            if expected.get("refused", "\0") not in str(error):
                faults.append(f"turn {number} was refused: {error}")
            continue
        visit = Visit(shop, session, turn)
        faults += [
            f"turn {number} ({expected.get('say') or expected.get('take')!r}): {fault}"
            for name, value in expected.items()
            if name in CHECKS
            for fault in CHECKS[name](visit, value)
        ]
        session = session.append(turn)
    return Walked(conversation.name, conversation.gallery, tuple(faults))


def _message(shop: TalkingShop, session: Session, expected: Mapping[str, Any]) -> Message | None:
    """None where a button is to be taken that is not there."""
    if "take" in expected:
        offers = session.latest.reply.offers if session.latest else ()
        plan = next((offer.plan for offer in offers if offer.label.startswith(expected["take"])), None)
        return Message(plan=plan) if plan else None
    selected = shop.shown(session)[expected["select"] - 1].item_id if "select" in expected else None
    return Message(expected["say"], selected=selected)


@dataclass(frozen=True, slots=True)
class Visit:
    """One turn of a conversation, and what went before."""

    shop: TalkingShop
    session: Session
    turn: Turn

    @property
    def items(self) -> Sequence[Item]:
        return self.shop.shown_by(self.turn)

    def at(self, where: str) -> str:
        turn, _, position = where.rpartition(":")
        items = self.shop.shown(self.session, int(turn) if turn else None)
        place = len(items) if position == "last" else int(position)
        return items[place - 1].item_id if 0 < place <= len(items) else f"nothing at {where}"


def condition_of(text: str) -> Filter:
    """Raises RunError for what is no condition."""
    said = _CONDITION.fullmatch(text)
    if said is None:
        raise RunError(f"{text!r} is no condition: write attribute=value, attribute<=number and the like.")
    operator = _OPERATORS[said["operator"]]
    values = said["value"].split("|")
    numbers = operator in ("at_most", "at_least")
    return Filter(said["attribute"], operator, tuple(map(float, values)) if numbers else tuple(values))


def _same(name: str, of_plan: Callable[[Turn], object]) -> Check:
    def check(visit: Visit, wanted: object) -> Iterator[str]:
        if (found := of_plan(visit.turn)) != wanted:
            yield f"{name} is {found!r}, not {wanted!r}"

    return check


Check = Callable[["Visit", Any], Iterator[str]]


def _references(visit: Visit, wanted: Sequence[str]) -> Iterator[str]:
    if (found := visit.turn.plan.references) != tuple(map(visit.at, wanted)):
        yield f"refers to {found}, not to {list(wanted)}"


def _filters(visit: Visit, wanted: Sequence[str]) -> Iterator[str]:
    for text in wanted:
        condition = condition_of(text)
        same = [
            f for f in visit.turn.plan.filters if (f.attribute, f.operator) == (condition.attribute, condition.operator)
        ]
        if not any(set(condition.values) <= set(f.values) for f in same):
            yield f"the plan lacks {text}: {[(f.attribute, f.operator, f.values) for f in visit.turn.plan.filters]}"


def _no_filters(visit: Visit, attributes: Sequence[str]) -> Iterator[str]:
    for condition in visit.turn.plan.filters:
        if condition.attribute in attributes:
            yield f"the plan still has {condition.attribute} {condition.values}"


def _all(visit: Visit, wanted: Sequence[str]) -> Iterator[str]:
    for text in wanted:
        wrong = [item for item in visit.items if not matches(condition_of(text), item.attributes)]
        if wrong:
            yield f"not {text}: {wrong[0].caption}"
    if not visit.items:
        yield "nothing is shown"


def _none(visit: Visit, unwanted: Sequence[str]) -> Iterator[str]:
    for text in unwanted:
        wrong = [item for item in visit.items if matches(condition_of(text), item.attributes)]
        if wrong:
            yield f"{text}: {wrong[0].caption}"


def _sorted(visit: Visit, by: str) -> Iterator[str]:
    values = [float(item.attributes[by.removeprefix("-")]) for item in visit.items]
    if values != sorted(values, reverse=by.startswith("-")):
        yield f"not in the order of {by}: {values[:5]}"


def _n_shown(visit: Visit, wanted: int) -> Iterator[str]:
    if len(visit.items) != wanted:
        yield f"{len(visit.items)} items are shown, not {wanted}"


def _at_least(visit: Visit, wanted: int) -> Iterator[str]:
    if len(visit.items) < wanted:
        yield f"only {len(visit.items)} items are shown"


def _kinds(visit: Visit, wanted: int) -> Iterator[str]:
    kinds = {str(item.attributes.get("category")) for item in visit.items}
    if len(kinds) < wanted:
        yield f"only {len(kinds)} kinds are shown: {sorted(kinds)}"


def _new(visit: Visit, is_wanted: bool) -> Iterator[str]:
    before = {item.item_id for item in visit.shop.shown(visit.session)}
    if is_wanted and any(item.item_id in before for item in visit.items):
        yield "shows again what was shown before"


def _as_turn(visit: Visit, number: int) -> Iterator[str]:
    wanted = [item.item_id for item in visit.shop.shown_by(visit.session.turn(number))]
    if [item.item_id for item in visit.items] != wanted:
        yield f"does not show what turn {number} showed"


def _reply(visit: Visit, words: Sequence[str]) -> Iterator[str]:
    for said in words:
        if said.lower() not in visit.turn.reply.text.lower():
            yield f"the reply does not say {said!r}: {visit.turn.reply.text}"


def _not_reply(visit: Visit, words: Sequence[str]) -> Iterator[str]:
    for said in words:
        if said.lower() in visit.turn.reply.text.lower():
            yield f"the reply says {said!r}: {visit.turn.reply.text}"


def _offer(visit: Visit, words: str) -> Iterator[str]:
    labels = [offer.label for offer in visit.turn.reply.offers]
    if not any(words in label for label in labels):
        yield f"no button says {words!r}: {labels}"


_SAID = frozenset({"say", "take", "select", "refused"})
CHECKS: Mapping[str, Check] = {
    "intent": _same("the intent", lambda turn: turn.plan.intent.value),
    "then": _same("what is done there", lambda turn: turn.plan.then and turn.plan.then.value),
    "n_wanted": _same("the number wanted", lambda turn: turn.plan.n_wanted),
    "sort_by": _same("the order", lambda turn: turn.plan.sort_by),
    "references": _references,
    "filters": _filters,
    "no_filters": _no_filters,
    "all": _all,
    "none": _none,
    "sorted": _sorted,
    "n_shown": _n_shown,
    "at_least": _at_least,
    "kinds": _kinds,
    "new": _new,
    "as_turn": _as_turn,
    "reply": _reply,
    "not_reply": _not_reply,
    "offer": _offer,
}

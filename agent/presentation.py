"""What a page shows of plans and sessions, as plain data: removable chips and the rows of the turn tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from agent.wording import filter_label, order_label, plan_label
from agent.words import key
from retrieval.schema import Filter, Intent, Plan, Session, Turn


@dataclass(frozen=True, slots=True)
class Chip:
    """One part of a plan, and the plan that is left when it is taken away."""

    label: str
    plan_without_it: Plan


@dataclass(frozen=True, slots=True)
class TreeRow:
    turn_number: int
    depth: int
    """How many branchings lie before it: a conversation without any stays at 0."""
    label: str
    is_current: bool


def chips(plan: Plan) -> tuple[Chip, ...]:
    """In the order: what is looked for, filters, exclusions. Empty for turns that retrieve nothing."""
    if plan.action in (Intent.ASK, Intent.OTHER):
        return ()
    base = replace(plan, intent=_runnable(plan), then=None, notes=())
    return tuple(_chips(base))


def tree(session: Session, current: int | None = None) -> tuple[TreeRow, ...]:
    """All turns, branch after branch; `current` defaults to the latest turn."""
    latest = session.latest.turn_number if session.latest else None
    marked = current if current is not None else latest
    children: dict[int | None, list[Turn]] = {}
    for turn in session.turns:
        children.setdefault(turn.parent, []).append(turn)
    return tuple(_rows(None, 0, children, marked))


def _rows(
    parent: int | None, depth: int, children: dict[int | None, list[Turn]], current: int | None
) -> Iterable[TreeRow]:
    """The first child goes on at the same depth; every later one is a branch of its own."""
    waiting = [(turn, depth + (place > 0)) for place, turn in enumerate(children.get(parent, ()))][::-1]
    while waiting:
        turn, at = waiting.pop()
        yield TreeRow(turn.turn_number, at, _label(turn), turn.turn_number == current)
        following = [(child, at + (place > 0)) for place, child in enumerate(children.get(turn.turn_number, ()))]
        waiting += following[1:][::-1] + following[:1]


def _label(turn: Turn) -> str:
    said = " ".join(turn.message.text.split())
    if said:
        return said if len(said) <= 60 else said[:57].rstrip() + "…"
    return "a picture" if turn.message.images and turn.plan.text == "" else plan_label(turn.plan)


def _chips(plan: Plan) -> Iterable[Chip]:
    if plan.text and (plan.filters or plan.references):
        yield Chip(f"“{plan.text}”", replace(plan, text=""))
    for number, item_id in enumerate(plan.references):
        others = tuple(other for other in plan.references if other != item_id)
        label = "like the chosen item" if len(plan.references) == 1 else f"like chosen item {number + 1}"
        if others or plan.text or plan.filters:
            yield Chip(
                label, replace(plan, references=others, intent=plan.intent if others else _without_reference(plan))
            )
    for condition in plan.filters:
        yield Chip(filter_label(condition), _without_filter(plan, condition))
    for wish in plan.wishes:
        yield Chip(f"{filter_label(wish)} (a wish)", _without_wish(plan, wish))
    for unwanted in plan.unwanted_texts:
        yield Chip(
            f"no {unwanted}",
            replace(plan, unwanted_texts=tuple(text for text in plan.unwanted_texts if text != unwanted)),
        )
    if plan.unwanted_items:
        yield Chip(
            "less like one item" if len(plan.unwanted_items) == 1 else f"less like {len(plan.unwanted_items)} items",
            replace(plan, unwanted_items=()),
        )
    if plan.sort_by:
        yield Chip(f"by {order_label(plan.sort_by)}", replace(plan, sort_by=""))
    if plan.n_wanted:
        yield Chip(f"only {plan.n_wanted}", replace(plan, n_wanted=0))


def _without_wish(plan: Plan, wish: Filter) -> Plan:
    words = _words_without(plan, wish)
    return replace(plan, wishes=tuple(w for w in plan.wishes if w != wish), text=" ".join(words) or plan.text)


def _words_without(plan: Plan, condition: Filter) -> list[str]:
    values = [str(value) for value in condition.values] if condition.operator == "any_of" else []
    gone = {key(part) for value in values for part in (value, *value.split())}
    return [word for word in plan.text.split() if key(word) not in gone]


def _without_filter(plan: Plan, condition: Filter) -> Plan:
    """Its words go with it, unless they are all there is: a text that still says "red" would still look for red."""
    words = _words_without(plan, condition)
    left = tuple(f for f in plan.filters if f != condition)
    is_nothing_left = not (words or left or plan.references)
    return replace(plan, filters=left, text=plan.text if is_nothing_left else " ".join(words))


def _without_reference(plan: Plan) -> Intent:
    return Intent.SEARCH if plan.action in (Intent.SAME_ITEM, Intent.SAME_ATTRIBUTE, Intent.MODIFY) else plan.intent


def _runnable(plan: Plan) -> Intent:
    """A rollback that only showed a turn again is run as what that turn was."""
    if plan.then is not None or plan.intent is not Intent.ROLLBACK:
        return plan.action
    return Intent.MODIFY if plan.references else Intent.SEARCH

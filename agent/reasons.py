"""Why these: what a result was made of, what each condition left out, and what it was moved away from."""

from __future__ import annotations

from collections.abc import Sequence

from agent.protocols import Catalogue, Outcome
from agent.scene import items_of
from agent.vocabulary import listed
from agent.wording import filter_label, item_name, order_label
from retrieval.schema import Filter, Intent, Plan, Session, Turn

N_COUNTED = 6
"""Conditions whose effect is counted."""


def explain(turn: Turn, catalogue: Catalogue) -> str:
    """For "why these?": the turn's own plan in words, with what each condition left out of the gallery."""
    plan = turn.plan
    parts = [_nearest_to(turn, catalogue)]
    if plan.filters:
        total = catalogue.count(())
        said = listed([_with_effect(condition, plan.filters, catalogue) for condition in plan.filters[:N_COUNTED]])
        parts.append(f"Of {total:,} items {catalogue.count(plan.filters):,} fit the conditions: {said}.")
    if plan.wishes:
        parts.append(f"Only a wish, since nothing fits all of it: {listed([filter_label(w) for w in plan.wishes])}.")
    away = [f"“{text}”" for text in plan.unwanted_texts]
    away += [item_name(item) for item in items_of(catalogue, plan.unwanted_items)]
    if away:
        parts.append(f"I moved away from {listed(away)}.")
    return " ".join(parts)


def _nearest_to(turn: Turn, catalogue: Catalogue) -> str:
    plan, query = turn.plan, turn.query
    if plan.sort_by:
        return f"They are sorted by {order_label(plan.sort_by)}."
    named = [item_name(item) for item in items_of(catalogue, plan.references)]
    pictured = ["your picture"] if query and query.references and not named else []
    words = [f"the words “{plan.text}”"] if plan.text else []
    to = listed([*(f"the picture of {name}" for name in named), *pictured, *words])
    if plan.action is Intent.COMPATIBLE:
        return f"They are other kinds of garment, chosen to go with {to or 'what you have'}."
    return f"They come nearest to {to}." if to else "They all fit what you asked for; nothing else set their order."


def _with_effect(condition: Filter, filters: Sequence[Filter], catalogue: Catalogue) -> str:
    n_out = left_out(condition, filters, catalogue)
    return f"{filter_label(condition)} ({f'leaves out {n_out:,}' if n_out else 'leaves out nothing more'})"


def left_out(condition: Filter, filters: Sequence[Filter], catalogue: Catalogue) -> int:
    """How many items pass all other conditions and not this one."""
    return catalogue.count([other for other in filters if other != condition]) - catalogue.count(filters)


def what_changed(session: Session, plan: Plan, outcome: Outcome) -> str:
    """What this turn's own exclusions left out, and which item it moved away from."""
    before = session.turn(plan.reference_turn).plan if plan.reference_turn is not None else None
    said: list[str] = []
    if plan.action in (Intent.SEARCH, Intent.MODIFY) and outcome.items:
        for condition in plan.filters:
            is_new = condition.operator == "none_of" and (before is None or condition not in before.filters)
            n_out = left_out(condition, plan.filters, outcome.catalogue) if is_new else 0
            if n_out:
                said.append(f"“{filter_label(condition)}” left out {n_out:,}.")
    moved = [item_id for item_id in plan.unwanted_items if before is None or item_id not in before.unwanted_items]
    if moved and outcome.items:
        names = listed([item_name(item) for item in items_of(outcome.catalogue, moved)])
        said.append(f"I moved away from {names}; “undo” takes that back.")
    return " ".join(said)

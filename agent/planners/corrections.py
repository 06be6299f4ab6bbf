"""Corrections: "no, I meant the bag" is the last message again, about something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agent.cues import CORRECTION
from agent.planners.items import ids, kept_of
from agent.planners.understanding import Understanding
from agent.references import refer
from agent.scene import Scene
from agent.wishes import Wish
from retrieval.schema import Intent, Item, Plan, Turn


def corrected(found: Understanding, compatible: Callable[[Understanding], Plan]) -> Plan | None:
    """None unless the last message was about an item, and this one names another that was shown then."""
    last = found.scene.path[-1] if found.scene.path else None
    if last is None or not CORRECTION.search(found.reading.text) or not _pointed(last, found.scene):
        return None
    before = _before(found.scene)
    items = _meant(found, before)
    if not items:
        return None
    if last.plan.action is Intent.COMPATIBLE:
        named = replace(found.referent, items=items, turn=before.turn, notes=(), missing="")
        return compatible(replace(found, scene=before, referent=named, wish=Wish()))
    filters = last.plan.filters if last.plan.action is Intent.ASK else kept_of(items, last.plan.filters, found.facets)
    turn_number = before.turn.turn_number if before.turn else None
    return replace(last.plan, references=ids(items), reference_turn=turn_number, filters=filters, notes=())


def _pointed(last: Turn, scene: Scene) -> bool:
    """A refinement of what was pointed at earlier points at nothing itself."""
    earlier = scene.path[-2].plan.references if len(scene.path) > 1 else ()
    return bool(last.plan.references) and (last.plan.action is Intent.ASK or last.plan.references != earlier)


def _before(scene: Scene) -> Scene:
    path = scene.path[:-1]
    turn = next((turn for turn in reversed(path) if turn.ranking is not None), None)
    return replace(scene, path=path, turn=turn)


def _meant(found: Understanding, before: Scene) -> tuple[Item, ...]:
    """By number, place or description, else the first of the named kind that was shown."""
    explicit = refer(found.reading, before)
    if explicit.is_explicit:
        return explicit.items
    kinds = {value for mention in found.reading.mentioned("category") for value in mention.meaning.values}
    return tuple(item for item in before.shown() if item.attributes.get("category") in kinds)[:1]

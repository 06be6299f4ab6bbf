"""From what a language model understood to a plan: one function an intent, with the same follow-ups as the rules'."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from agent.cues import MORE
from agent.planners.chat_answer import Understood
from agent.planners.items import fulfilled, gender_of, ids, kept_of, number_of, outside, own_kind, values_of, words_of
from agent.planners.understanding import again
from agent.reading import plain
from agent.scene import Scene, own_filters
from agent.vocabulary import Lexicon
from agent.wishes import carry
from retrieval.schema import Filter, Intent, Item, Message, Plan, Session, Turn


def plan_of(said: Understood, session: Session, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:
    if said.intent is not Intent.ROLLBACK:
        return _planned(said, message, scene, lexicon)
    if not said.turn:
        return Plan(Intent.ROLLBACK, notes=said.notes)
    turn = _shows(session, said.turn)
    if said.then is None:
        return replace(turn.plan, intent=Intent.ROLLBACK, then=None, reference_turn=turn.turn_number, notes=said.notes)
    there = replace(scene, path=session.path(turn.turn_number), turn=turn, selected=None)
    plan = _planned(replace(said, intent=said.then), message, there, lexicon)
    return replace(plan, intent=Intent.ROLLBACK, then=plan.intent, reference_turn=turn.turn_number)


def _planned(said: Understood, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:
    if not said.items and scene.selected is not None and said.intent is not Intent.SEARCH:
        said = replace(said, items=(scene.selected,))
    plan = _PLANS[said.intent](said, message, scene, lexicon)
    if plan.action in (Intent.ASK, Intent.OTHER):
        return replace(plan, notes=said.notes)
    return replace(plan, n_wanted=said.n_wanted, sort_by=said.sort_by or plan.sort_by, notes=said.notes)


def _search(said: Understood, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:  # noqa: ARG001
    text = said.words or words_of(said.filters)
    return Plan(Intent.SEARCH, text=text, filters=said.filters, unwanted_texts=said.unwanted_words)


def _modify(said: Understood, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:
    base = scene.turn
    if said.unwanted_items:
        return _less_like(said, base)
    if base is not None and not said.items and not scene.has_upload:
        return _refine(said, message, base)
    if not said.items and not scene.has_upload:
        return _search(said, message, scene, lexicon)
    old = fulfilled(_still(own_filters(base), said), said.items) if base and said.items else ()
    kept = _still(kept_of(said.items, old, scene.catalogue.facets), said)
    return Plan(
        Intent.MODIFY,
        text=said.words,
        reference_turn=number_of(base) if said.items else None,
        references=ids(said.items),
        filters=carry(kept, said.filters),
        unwanted_texts=_unwanted(said, base if said.items else None),
    )


def _refine(said: Understood, message: Message, base: Turn) -> Plan:
    """Nothing is pointed at: the earlier wish itself is changed. "Show me more" changes nothing of it."""
    old = base.plan
    is_more = not (said.filters or said.unwanted_words or said.open) and MORE.search(message.text.lower())
    return Plan(
        again(old),
        text=old.text if is_more else said.words or words_of(said.filters) or old.text,
        reference_turn=base.turn_number,
        references=old.references,
        filters=carry(_still(own_filters(base), said), said.filters),
        unwanted_texts=_unwanted(said, base),
        unwanted_items=old.unwanted_items,
        attribute=old.attribute if again(old) is Intent.SAME_ATTRIBUTE else "",
        sort_by=old.sort_by,
    )


def _less_like(said: Understood, base: Turn | None) -> Plan:
    old = base.plan if base else Plan(Intent.SEARCH)
    away = ids(said.unwanted_items)
    return Plan(
        Intent.MODIFY,
        text=said.words or old.text,
        reference_turn=number_of(base),
        references=tuple(item_id for item_id in old.references if item_id not in away),
        filters=carry(_still(own_filters(base), said) if base else (), said.filters),
        unwanted_texts=_unwanted(said, base),
        unwanted_items=tuple(dict.fromkeys((*old.unwanted_items, *away))),
    )


def _same_item(said: Understood, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:  # noqa: ARG001
    items = said.items or _best(scene)
    kinds = values_of(items, "category")
    asked = tuple(f for f in said.filters if f.attribute == "category" and f.operator == "any_of")
    filters = (Filter("category", "any_of", kinds),) if kinds else asked
    return Plan(Intent.SAME_ITEM, reference_turn=number_of(scene.turn), references=ids(items), filters=filters)


def _compatible(said: Understood, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:  # noqa: ARG001
    """Other kinds of garment than the item's own, unless they are asked for."""
    items = said.items or (() if said.words else _best(scene))
    own = [kind for item in items for kind in own_kind(str(item.attributes.get("category", "")), lexicon)]
    wanted = tuple(condition for condition in said.filters if not _asks_own_kind(condition, own))
    filters = outside(own, carry(gender_of(items, scene.catalogue.facets), wanted))
    return Plan(
        Intent.COMPATIBLE,
        text=said.words,
        reference_turn=number_of(scene.turn) if items else None,
        references=ids(items),
        filters=filters,
        unwanted_texts=said.unwanted_words,
    )


def _same_attribute(said: Understood, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:
    items = said.items or _best(scene)
    values = values_of(items, said.attribute) if said.attribute else ()
    if not values and not scene.has_upload:  # nothing that could be shared is known: what is like it comes nearest
        return _modify(replace(said, items=items), message, scene, lexicon)
    shared = (Filter(said.attribute, "any_of", values),) if values else ()
    filters = carry(shared, said.filters)
    return Plan(
        Intent.SAME_ATTRIBUTE,
        text=" ".join(dict.fromkeys(f"{words_of(shared)} {said.words}".split())),
        reference_turn=number_of(scene.turn),
        references=ids(items),
        filters=filters,
        unwanted_texts=said.unwanted_words,
        attribute=said.attribute,
    )


def _ask(said: Understood, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:  # noqa: ARG001
    return Plan(
        Intent.ASK,
        text=plain(message.text),
        reference_turn=number_of(scene.turn),
        references=ids(said.items),
        filters=() if said.items else said.filters,
        attribute=said.attribute,
    )


def _other(said: Understood, message: Message, scene: Scene, lexicon: Lexicon) -> Plan:  # noqa: ARG001
    return Plan(Intent.OTHER, text=plain(message.text), references=ids(said.items))


_PLANS: Mapping[Intent, Callable[[Understood, Message, Scene, Lexicon], Plan]] = {
    Intent.SEARCH: _search,
    Intent.MODIFY: _modify,
    Intent.SAME_ITEM: _same_item,
    Intent.COMPATIBLE: _compatible,
    Intent.SAME_ATTRIBUTE: _same_attribute,
    Intent.ROLLBACK: _search,
    Intent.ASK: _ask,
    Intent.OTHER: _other,
}


def _shows(session: Session, turn_number: int) -> Turn:
    """The turn gone back to, or the one before it whose result was on the page then."""
    path = session.path(turn_number)
    return next((turn for turn in reversed(path) if turn.ranking is not None), path[-1])


def _best(scene: Scene) -> tuple[Item, ...]:
    """With nothing named, the item that the talk was about, else the best result; none beside an own picture."""
    return () if scene.has_upload else (scene.asked_about()[:1] or scene.shown()[:1])


def _still(filters: Sequence[Filter], said: Understood) -> tuple[Filter, ...]:
    return tuple(condition for condition in filters if condition.attribute not in said.open)


def _unwanted(said: Understood, base: Turn | None) -> tuple[str, ...]:
    old = base.plan.unwanted_texts if base else ()
    wanted = set(said.words.split())
    return tuple(dict.fromkeys((*(text for text in old if text not in wanted), *said.unwanted_words)))


def _asks_own_kind(condition: Filter, own: Sequence[str]) -> bool:
    is_kind = condition.attribute == "category" and condition.operator == "any_of"
    return is_kind and all(value in own for value in condition.values)

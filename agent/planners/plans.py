"""From what was understood to a plan: one function an intent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.comparing import compare
from agent.planners.corrections import corrected
from agent.planners.items import fulfilled, ids, kept_of, number_of, values_of, words_of
from agent.planners.pairing import compatible, same_attribute
from agent.planners.pictures import kind_of
from agent.planners.understanding import Understanding, again, best_of, carried_unwanted, gender_said_before
from agent.scene import Scene, own_filters
from agent.spans import within
from agent.wishes import Wish, carry, drop_words
from retrieval.schema import Filter, Image, Intent, Item, Message, Plan, Turn

if TYPE_CHECKING:
    from retrieval.protocols import Facet


_ABOUT_MANY = re.compile(r"\b(?:how many|which|do you (?:have|sell|carry|stock)|come in|are there|available)\b")
"""Questions about all that fits, not about what is shown."""


_AS_WELL = re.compile(
    r"\b(?:as well|too|also)\b(?! (?:\w+ )?(?:expensive|long|short|big|small|dark|bright|much|many))|^or\b"
    r"|\bis (?:also )?(?:fine|ok(?:ay)?)\W*$"
)


def without_words(message: Message, scene: Scene) -> Plan:
    """A picture, a selection or filters alone."""
    if message.images:
        return Plan(Intent.SEARCH)
    if scene.selected is not None:
        return Plan(
            Intent.MODIFY,
            reference_turn=number_of(scene.turn),
            references=(scene.selected.item_id,),
            filters=kept_of([scene.selected], (), scene.catalogue.facets),
        )
    if scene.turn is not None and message.filters:
        old = scene.turn.plan
        return replace(
            old,
            intent=again(old),
            then=None,
            reference_turn=scene.turn.turn_number,
            filters=carry(own_filters(scene.turn), message.filters),
            notes=(),
        )
    return Plan(Intent.SEARCH)


def _search(found: Understanding) -> Plan:
    wish = compare(found.wish, (), (), found.scene.catalogue)
    filters, notes = wish.filters, wish.notes
    spoken = gender_said_before(found) if "gender" not in wish.attributes else None
    if spoken and found.scene.catalogue.count((*filters, spoken)):
        filters = (*filters, spoken)
        notes = (*notes, f"still for {spoken.values[0]}")
    text = wish.text or words_of(filters) or found.reading.text
    return Plan(Intent.SEARCH, text=text, filters=filters, unwanted_texts=wish.unwanted_texts, notes=notes)


def _modify(found: Understanding) -> Plan:
    if plan := corrected(found, compatible):
        return plan
    if found.wish.is_less_like and found.referent.items:
        return _less_like(found)
    if found.referent.items or found.scene.has_upload or found.base is None:
        return _modify_item(found)
    return _refine(found, found.base)


def _modify_item(found: Understanding) -> Plan:
    items, base = found.referent.items, found.base
    wish = compare(found.wish, items, found.scene.shown(base), found.scene.catalogue)
    is_kind_said = bool(items) or "category" in wish.attributes
    kind, kind_note = ((), ()) if is_kind_said else kind_of(found.scene.uploads, found)
    kept = kept_of(items, _still_wanted(base, items) if base and items else (), found.facets)
    if base is None and not found.scene.has_reference:
        return _search(found)
    return Plan(
        Intent.MODIFY,
        text=_with_kind(wish, items, found.facets),
        reference_turn=number_of(base) if items else None,
        references=found.item_ids,
        filters=carry((*kept, *kind), wish.filters),
        unwanted_texts=carried_unwanted(found, base if items else None),
        notes=(*found.referent.notes, *kind_note, *wish.notes),
    )


def _still_wanted(base: Turn, items: Sequence[Item]) -> tuple[Filter, ...]:
    """What gave way before, nothing fulfilled: it is wished for again."""
    own = own_filters(base)
    held = fulfilled([condition for condition in own if condition not in base.plan.wishes], items)
    return tuple(condition for condition in own if condition in base.plan.wishes or condition in held)


def _refine(found: Understanding, base: Turn) -> Plan:
    """Nothing is pointed at: the earlier wish itself is changed, and what it referred to stays."""
    wish = compare(found.wish, (), found.scene.shown(base), found.scene.catalogue)
    decided = {condition.attribute for condition in wish.filters} | wish.open
    kind, kind_note = ((), ()) if "category" in decided else kind_of(_uploads_of(base), found)
    old = drop_words(base.plan.text, decided, found.lexicon)
    new_words = [word for word in wish.text.split() if word not in old.split()]
    return Plan(
        again(base.plan),
        text=" ".join([*new_words, old]).strip() or words_of(wish.filters),
        reference_turn=base.turn_number,
        references=base.plan.references,
        filters=carry(
            (*(f for f in own_filters(base) if f.attribute not in wish.open), *kind), _added(found, base, wish)
        ),
        unwanted_texts=carried_unwanted(found, base),
        unwanted_items=base.plan.unwanted_items,
        attribute=base.plan.attribute if again(base.plan) is Intent.SAME_ATTRIBUTE else "",
        sort_by=base.plan.sort_by,
        notes=(*kind_note, *wish.notes),
    )


def _added(found: Understanding, base: Turn, wish: Wish) -> tuple[Filter, ...]:
    """ "Black as well": the new value stands beside the earlier one."""
    if not _AS_WELL.search(found.reading.text):
        return wish.filters
    old = {f.attribute: f.values for f in own_filters(base) if f.operator == "any_of"}
    return tuple(
        replace(f, values=tuple(dict.fromkeys((*old.get(f.attribute, ()), *f.values)))) if f.operator == "any_of" else f
        for f in wish.filters
    )


def _less_like(found: Understanding) -> Plan:
    base = found.base
    wish = found.wish
    old = base.plan if base else Plan(Intent.SEARCH)
    return Plan(
        Intent.MODIFY,
        text=" ".join(filter(None, (wish.text, old.text))),
        reference_turn=number_of(base),
        references=tuple(item_id for item_id in old.references if item_id not in found.item_ids),
        filters=carry(own_filters(base) if base else (), wish.filters),
        unwanted_texts=carried_unwanted(found, base),
        unwanted_items=tuple(dict.fromkeys((*old.unwanted_items, *found.item_ids))),
        notes=(*found.referent.notes, *wish.notes),
    )


def _same_item(found: Understanding) -> Plan:
    items = found.referent.items or best_of(found)
    categories = values_of(items, "category")
    filters: tuple[Filter, ...] = (Filter("category", "any_of", categories),) if categories else ()
    if not items:
        filters = tuple(f for f in found.wish.filters if f.attribute == "category" and f.operator == "any_of")
    return Plan(
        Intent.SAME_ITEM,
        reference_turn=number_of(found.base),
        references=ids(items),
        filters=filters,
        notes=found.referent.notes,
    )


def _ask(found: Understanding) -> Plan:
    about = found.wish.filters if _ABOUT_MANY.search(found.reading.text) and not found.referent.items else ()
    return Plan(
        Intent.ASK,
        text=found.reading.text,
        reference_turn=number_of(found.base),
        references=found.item_ids,
        filters=about,
        attribute=found.decision.detail or _value_asked(found),
        notes=(*found.referent.notes, *found.reading.corrections),
    )


def _value_asked(found: Understanding) -> str:
    """ "Is it cotton?" asks for the material."""
    said = [m for m in found.reading.mentions if not within(m.span, found.referent.spans)]
    return said[0].attribute if said else ""


def _other(found: Understanding) -> Plan:
    return Plan(Intent.OTHER, text=found.reading.text, references=found.item_ids, attribute=found.decision.detail)


def _missing_first(plan: Callable[[Understanding], Plan]) -> Callable[[Understanding], Plan]:
    """Asks back for an item that is named and not there, instead of guessing."""

    def planned(found: Understanding) -> Plan:
        if found.referent.missing and not found.referent.items:
            missing = f"I cannot find {found.referent.missing}"
            return Plan(Intent.OTHER, text=found.reading.text, attribute="missing", notes=(missing,))
        return plan(found)

    return planned


PLANS: Mapping[Intent, Callable[[Understanding], Plan]] = {
    Intent.SEARCH: _search,
    Intent.MODIFY: _missing_first(_modify),
    Intent.SAME_ITEM: _missing_first(_same_item),
    Intent.COMPATIBLE: _missing_first(compatible),
    Intent.SAME_ATTRIBUTE: _missing_first(same_attribute),
    Intent.ROLLBACK: _search,
    Intent.ASK: _missing_first(_ask),
    Intent.OTHER: _other,
}


def _uploads_of(base: Turn) -> tuple[Image, ...]:
    """The shopper's own pictures that a turn without a named kind or item searched with."""
    names_kind = any(f.attribute == "category" for f in base.plan.filters)
    is_free = not names_kind and not base.plan.references and base.plan.action is not Intent.COMPATIBLE
    return base.query.references if base.query is not None and is_free else ()


def _with_kind(wish: Wish, items: Sequence[Item], facets: Mapping[str, Facet]) -> str:
    """ "blue" of a dress is looked for as "blue dress": the words of an encoder were learnt from whole captions."""
    kinds = values_of(items, "category") if "category" in facets else ()
    if not wish.text or len(kinds) != 1 or "category" in wish.attributes:
        return wish.text
    return f"{wish.text} {kinds[0].lower()}"

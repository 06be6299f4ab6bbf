"""Plans for other garments than the one that is meant: what goes with it, and what shares an attribute with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.comparing import compare
from agent.cues import IN_THE_SAME, ON_OTHER_GARMENT
from agent.cues_pictures import OF_OWN_PICTURE
from agent.cues_sharing import sharing_of
from agent.mentions import Mention
from agent.planners.items import gender_of, ids, name_of, number_of, outside, own_kind, values_of, words_of
from agent.planners.understanding import Understanding, best_of, gender_said_before
from agent.wishes import Wish, carry, wish_of
from retrieval.schema import Filter, Intent, Plan

_FOR_ONE = re.compile(r"\b(?:with|for|(?:match|suit|fit)(?:s|es|ing)?) (?:the|my|this|that|these|those) ")


_WITH = re.compile(r" (?:with|for|match(?:es|ing)?|suits?|fits?|complements?|to) ")


def compatible(found: Understanding) -> Plan:
    items = found.referent.items or (() if _names_its_own_anchor(found) else best_of(found))
    if not items and not found.scene.has_upload:
        return _compatible_with_words(found)
    had = () if items else _pictured(found)
    wish = compare(_wish_beside(had, found) if had else found.wish, (), (), found.scene.catalogue)
    kinds = [str(item.attributes.get("category", "")) for item in items]
    kinds += [value for mention in had if mention.attribute == "category" for value in mention.meaning.values]
    own = tuple(value for kind in kinds for value in own_kind(kind, found.lexicon))
    wanted = tuple(_outside_own_kind(wish.filters, own))
    gender = gender_of(items, found.facets)
    filters = outside(own, carry(gender, wanted))
    return Plan(
        Intent.COMPATIBLE,
        text=wish.text,
        reference_turn=number_of(found.base) if items else None,
        references=ids(items),
        filters=filters,
        unwanted_texts=wish.unwanted_texts,
        notes=(*found.referent.notes, *wish.notes),
    )


def _pictured(found: Understanding) -> tuple[Mention, ...]:
    """ "Shoes for the red dress in my picture": what names the garment on the shopper's own picture."""
    start = max((match.end() for match in _FOR_ONE.finditer(found.reading.text)), default=None)
    if start is None or not found.scene.has_upload:
        return ()
    after = [mention for mention in found.reading.mentions if mention.span[0] >= start]
    kind = next((mention for mention in after if mention.attribute == "category"), None)
    return tuple(m for m in after if m.span[1] <= kind.span[1]) if kind else ()


def _wish_beside(had: Sequence[Mention], found: Understanding) -> Wish:
    pictured = [match.span() for match in OF_OWN_PICTURE.finditer(found.reading.text)]
    taken = [*(mention.span for mention in had), *found.referent.spans, *pictured]
    return wish_of(found.reading, taken, found.decision.cues, found.facets)


def _compatible_with_words(found: Understanding) -> Plan:
    """ "What shoes go with a navy blazer?": what is named after "with" is what the shopper has."""
    at = max((match.start() for match in _WITH.finditer(found.reading.text)), default=-1)
    had = [mention for mention in found.reading.mentions if mention.span[0] > at]
    wish = wish_of(found.reading, [m.span for m in had], found.decision.cues, found.facets)
    own = tuple(
        v
        for m in had
        if m.attribute == "category"
        for value in m.meaning.values
        for v in own_kind(value, found.lexicon)
    )
    wanted = tuple(_outside_own_kind(wish.filters, own))
    genders = tuple(Filter("gender", "any_of", m.meaning.values) for m in had if m.attribute == "gender")
    spoken = () if genders else tuple(filter(None, (gender_said_before(found),)))
    filters = outside(own, carry((*genders, *spoken), wanted))
    text = " ".join(m.said for m in had) or found.wish.text
    return Plan(
        Intent.COMPATIBLE, text=text, filters=filters, unwanted_texts=wish.unwanted_texts, notes=found.wish.notes
    )


def same_attribute(found: Understanding) -> Plan:
    items = found.referent.items or best_of(found)
    said = found.reading.text[slice(*found.decision.cues[0])] if found.decision.cues else ""
    named = tuple(filter(None, sharing_of(found.facets).named(said) or (found.decision.detail,)))
    known = [
        Filter(name, "any_of", values_of(items, name))
        for name in named
        if name in found.facets and values_of(items, name)
    ]
    unknown = [name for name in named if name not in {f.attribute for f in known}]
    wish = compare(found.wish, items, (), found.scene.catalogue)
    spoken = tuple(filter(None, (gender_said_before(found, when_searching=True),)))
    filters = carry((*spoken, *known), wish.filters)
    own = values_of(items, "category")
    if own and "category" not in wish.attributes and ON_OTHER_GARMENT.search(found.reading.text):
        filters = (*filters, Filter("category", "none_of", own))
    elif own and "category" not in wish.attributes and IN_THE_SAME.match(found.reading.text):
        filters = carry((Filter("category", "any_of", own),), filters)
    notes = tuple(
        f"the gallery does not say what {name} {name_of(items)} has, so I went by its picture"
        for name in unknown
        if items
    )
    return Plan(
        Intent.SAME_ATTRIBUTE,
        text=" ".join(dict.fromkeys(f"{words_of(known)} {wish.text}".split())),
        reference_turn=number_of(found.base),
        references=ids(items),
        filters=filters,
        unwanted_texts=wish.unwanted_texts,
        attribute=named[0] if named else "",
        notes=(*found.referent.notes, *wish.notes, *notes),
    )


def _outside_own_kind(filters: Sequence[Filter], own: Sequence[str]) -> list[Filter]:
    """Nothing of the own kind is asked for: "goes with this dress" names the dress, not a wish."""
    kept: list[Filter] = []
    for condition in filters:
        if condition.attribute == "category" and condition.operator == "any_of":
            values = tuple(value for value in condition.values if value not in own)
            if values:
                kept.append(replace(condition, values=values))
        else:
            kept.append(condition)
    return kept


def _names_its_own_anchor(found: Understanding) -> bool:
    """ "what goes with a navy blazer" while something else is shown."""
    match = re.search(r"\b(?:with|match(?:es)?|for) (?:an?|my|some) ", found.reading.text)
    return (
        bool(match)
        and not found.scene.selected
        and any(m.span[0] >= match.end() for m in found.reading.mentions if match)
    )

"""What the assistant says about what was found. Every sentence is made of the ranking and the gallery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.answers import answer
from agent.cues import OTHER_KINDS
from agent.protocols import Outcome, Relaxation
from agent.vocabulary import colour_family, group_of, listed
from agent.wording import filter_label, filters_label, item_facts, item_name
from agent.words import concepts, key
from retrieval.schema import Filter, Intent, Item, Message, Offer, Plan, Reply, Session

N_OFFERS = 4


def reply_to(session: Session, message: Message, plan: Plan, outcome: Outcome) -> Reply:
    if plan.intent is Intent.ROLLBACK and plan.then is None:
        return _back(plan, outcome)
    if plan.action is Intent.OTHER:
        return Reply(_small_talk(plan, message, outcome))
    if plan.action is Intent.ASK:
        return _answered(session, plan, outcome)
    parts = [_found(plan, outcome), _notes(plan.notes)]
    text = " ".join(filter(None, (_returned(plan), *(parts if outcome.items else reversed(parts)))))
    return Reply(text, _offers(session, plan, outcome))


# --- what was found --------------------------------------------------------------------------------------------------


def _found(plan: Plan, outcome: Outcome) -> str:
    n_shown = len(outcome.items)
    if not n_shown:
        return _nothing(plan, outcome)
    best = _named(outcome.items[0])
    if plan.action is Intent.COMPATIBLE:
        return _outfit(plan, outcome)
    if plan.action is Intent.SAME_ITEM:
        return _same(outcome)
    asked = filters_label(plan.filters)
    if not asked:
        return f"Here are {n_shown} matches. First comes {best}."
    if n_shown >= outcome.k:
        return f"{outcome.n_matching} items fit: {asked}. These {n_shown} fit best, first {best}."
    if n_shown == 1:
        return f"Only one item fits: {asked}. It is {best}."
    return f"Only {n_shown} items fit: {asked}. First comes {best}."


def _nothing(plan: Plan, outcome: Outcome) -> str:
    if not plan.filters:
        return "There is nothing more to show."
    asked = filters_label(plan.filters)
    for condition in plan.filters:
        if condition.operator == "any_of" and condition.attribute == "category" and not _known(condition, outcome):
            carried = outcome.catalogue.facets["category"].counts
            return f"There is no {filter_label(condition)} in this gallery. It has {listed(carried)}."
    if outcome.n_matching:
        return f"That was all: nothing else fits: {asked}."
    return f"Nothing in this gallery fits: {asked}." + (
        " Each button below loosens one condition." if outcome.relaxations else ""
    )


def _same(outcome: Outcome) -> str:
    best = outcome.items[0]
    if outcome.reason:
        return f"{outcome.reason[:1].upper()}{outcome.reason[1:]}. The nearest others begin with {_named(best)}."
    twins = [
        item
        for item in outcome.items
        if outcome.references and item.caption and item.caption == outcome.references[0].caption
    ]
    if twins:
        return f"{len(twins)} more with the very same name: {listed(dict.fromkeys(item_name(item) for item in twins))}."
    return f"The nearest I have is {_named(best)}. Nothing else carries the same name, so compare the pictures before you rely on it."


def _outfit(plan: Plan, outcome: Outcome) -> str:
    kinds = listed(dict.fromkeys(str(item.attributes.get("category", "item")) for item in outcome.items))
    worn = listed(item_name(item) for item in outcome.references) or (
        "your picture" if outcome.query and outcome.query.references else plan.text
    )
    reason = f": {outcome.reason}" if outcome.reason else ""
    return f"To wear with {worn} I chose {kinds}{reason}. First comes {_named(outcome.items[0])}."


def _named(item: Item) -> str:
    facts = item_facts(item)
    return f"{item_name(item)} ({facts})" if facts else item_name(item)


def _notes(notes: Sequence[str]) -> str:
    return " ".join(f"{note[:1].upper()}{note[1:]}." for note in notes)


def _returned(plan: Plan) -> str:
    return f"Back at turn {plan.reference_turn}." if plan.intent is Intent.ROLLBACK else ""


def _back(plan: Plan, outcome: Outcome) -> Reply:
    if plan.reference_turn is None:
        return Reply(f"{_notes(plan.notes)} A fresh start. What are you looking for?".strip())
    shown = f" ({filters_label(plan.filters)})" if plan.filters else ""
    if not outcome.items:
        return Reply(f"Back at turn {plan.reference_turn}, which found nothing{shown}. What shall I change?")
    return Reply(
        f"Back at turn {plan.reference_turn}: its {len(outcome.items)} results again{shown}, beginning with {_named(outcome.items[0])}."
    )


# --- without a search ------------------------------------------------------------------------------------------------

_SMALL_TALK = {
    "greeting": "Hello! Tell me what you are looking for, or show me a picture or a drawing of it.",
    "thanks": "You are welcome. Tell me if you would like to see something else.",
    "bye": "Goodbye! This conversation stays as it is if you want to go on.",
    "cart": "I can find clothes but not sell them: there is no cart, delivery or return here. I can tell you what the catalogue knows of an item.",
    "help": "Describe a garment, upload a picture or draw one. Then change it (“the same in blue, without sleeves”), ask about it"
    " (“how much is the second one?”), ask what goes with it, or go back (“back to turn 2”).",
}  # fmt: skip


def _small_talk(plan: Plan, message: Message, outcome: Outcome) -> str:
    kind = plan.attribute or next(
        (kind for kind, pattern in OTHER_KINDS.items() if pattern.search(message.text.lower())), "off_topic"
    )
    if kind == "missing":
        return f"{_notes(plan.notes)} Which one do you mean? A click on its picture selects it."
    if kind in _SMALL_TALK:
        return _SMALL_TALK[kind]
    facet = outcome.catalogue.facets.get("category")
    carried = f", such as {listed(list(facet.counts)[:4])}" if facet else ""
    return f"I only know the clothes of this gallery{carried}. What would you like to see?"


def _answered(session: Session, plan: Plan, outcome: Outcome) -> Reply:
    shown: tuple[Item, ...] = ()
    if plan.reference_turn is not None and (ranking := session.turn(plan.reference_turn).ranking):
        shown = tuple(outcome.catalogue.get([hit.item_id for hit in ranking.hits]))
    text = answer(plan, outcome.references, shown, outcome.catalogue)
    return Reply(" ".join(filter(None, (text, _notes(plan.notes)))), _item_offers(plan, outcome.references[:1]))


# --- next steps ------------------------------------------------------------------------------------------------------


def _offers(session: Session, plan: Plan, outcome: Outcome) -> tuple[Offer, ...]:
    """Where little was found, what would bring more; else what to do with the best item."""
    again = replace(plan, intent=plan.action, then=None, notes=())
    with_best = _item_offers(replace(plan, reference_turn=len(session.turns) + 1), outcome.items[:1])
    if len(outcome.items) >= outcome.k or (outcome.items and len(plan.filters) < 2):
        return with_best
    wider = [_wider_kind(again, r.dropped, outcome) or _dropped(again, r) for r in outcome.relaxations]
    return (*_near_values(again, outcome), *filter(None, wider), *with_best)[:N_OFFERS]


def _dropped(plan: Plan, relaxation: Relaxation) -> Offer:
    """Without its words as well, so that the encoder does not go on looking for them."""
    gone = {key(str(value)) for dropped in relaxation.dropped for value in dropped.values}
    words = [word for word in plan.text.split() if key(word) not in gone]
    left = tuple(f for f in plan.filters if f not in relaxation.dropped)
    label = " and ".join(f"“{filter_label(dropped)}”" for dropped in relaxation.dropped)
    return Offer(
        f"Without {label} ({relaxation.n_items})", replace(plan, filters=left, text=" ".join(words) or plan.text)
    )


def _wider_kind(plan: Plan, dropped: Sequence[Filter], outcome: Outcome) -> Offer | None:
    """Any footwear instead of anything at all."""
    (first, *others) = dropped
    groups = {group_of(str(value)) for value in first.values} - {""}
    facet = outcome.catalogue.facets.get("category")
    if others or first.attribute != "category" or first.operator != "any_of" or len(groups) != 1 or facet is None:
        return None
    group = groups.pop()
    values = tuple(value for value in facet.counts if group_of(value) == group)
    filters = tuple(replace(f, values=values) if f == first else f for f in plan.filters)
    n_items = outcome.catalogue.count(filters) if values else 0
    return Offer(f"Any {group} ({n_items})", replace(plan, filters=filters)) if n_items > outcome.n_matching else None


def _near_values(plan: Plan, outcome: Outcome) -> list[Offer]:
    """The nearest colours or kinds that the gallery has, where they bring something."""
    offers: list[Offer] = []
    for condition in plan.filters:
        if condition.operator != "any_of" or condition.attribute not in ("colour", "category"):
            continue
        for value in _near(condition, outcome):
            wider = replace(condition, values=(*_known(condition, outcome), value))
            filters = tuple(wider if f == condition else f for f in plan.filters)
            added = outcome.catalogue.count(filters) - outcome.n_matching
            if added > 0:
                offers.append(Offer(f"Also {value} ({added})", replace(plan, filters=filters)))
    return offers[:2]


def _known(condition: Filter, outcome: Outcome) -> tuple[str | float, ...]:
    facet = outcome.catalogue.facets.get(condition.attribute)
    return tuple(value for value in condition.values if facet and str(value) in facet.counts)


def _near(condition: Filter, outcome: Outcome) -> list[str]:
    facet = outcome.catalogue.facets.get(condition.attribute)
    if facet is None:
        return []
    asked = [str(value) for value in condition.values]
    families = {colour_family(value) for value in asked} - {"", "neutral"} if condition.attribute == "colour" else set()
    listed_near = {
        key(word)
        for c in concepts()[condition.attribute]
        if {key(v) for v in asked} & {key(w) for w in c.words}
        for word in c.near
    }
    near = [
        value
        for value in facet.counts
        if value not in asked and (key(value) in listed_near or colour_family(value) in families)
    ]
    return sorted(near, key=lambda value: key(value) not in listed_near)[:3]


def _item_offers(plan: Plan, items: Sequence[Item]) -> tuple[Offer, ...]:
    if not items or plan.action in (Intent.OTHER,):
        return ()
    (item,) = items
    similar = tuple(f for f in plan.filters if f.attribute in ("gender",))
    category = item.attributes.get("category")
    own = (Filter("category", "any_of", (category,)),) if category else ()
    other = (Filter("category", "none_of", (category,)),) if category else ()
    name = item_name(item)
    return (
        Offer(f"More like {name}", Plan(Intent.MODIFY, reference_turn=plan.reference_turn, references=(item.item_id,), filters=(*similar, *own))),
        Offer(f"What goes with {name}?", Plan(Intent.COMPATIBLE, reference_turn=plan.reference_turn, references=(item.item_id,), filters=(*similar, *other))),
    )  # fmt: skip

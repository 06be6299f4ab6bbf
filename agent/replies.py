"""What the assistant says about what was found. Every sentence is made of the ranking and the gallery."""

from __future__ import annotations

from collections.abc import Sequence

from agent.answers import answer
from agent.cues_other import OTHER_KINDS
from agent.offers import item_offers, known_values, offers
from agent.protocols import Outcome
from agent.reasons import explain, what_changed
from agent.scene import items_of
from agent.vocabulary import listed
from agent.wording import filter_label, filters_label, item_name, value_text
from retrieval.schema import Intent, Item, Message, Plan, Reply, Session, Turn


def reply_to(session: Session, message: Message, plan: Plan, outcome: Outcome) -> Reply:
    if plan.intent is Intent.ROLLBACK and plan.then is None:
        return _back(plan, outcome)
    if plan.action is Intent.OTHER:
        return Reply(_small_talk(plan, message, outcome))
    if plan.action is Intent.ASK:
        return _answered(session, plan, outcome)
    notes = plan.notes if outcome.items else [note for note in plan.notes if not note.endswith("items are included")]
    parts = [_found(plan, outcome), " ".join(filter(None, (what_changed(session, plan, outcome), _notes(notes))))]
    text = " ".join(filter(None, (_returned(plan), *(parts if outcome.items else reversed(parts)))))
    return Reply(text, offers(session, plan, outcome))


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
        if n_shown == 1:
            return f"There is one match: {best}."
        if outcome.query and outcome.query.references and not outcome.references and not plan.text:
            return f"Here are the {n_shown} items that look most like your picture, starting with {best}."
        return f"Here are {n_shown} matches. The best is {best}."
    if n_shown >= outcome.k:
        shown = f"Here are the best {n_shown}" if outcome.n_matching > n_shown else "Here they are"
        return f"{outcome.n_matching:,} items fit: {asked}. {shown}, starting with {best}."
    if n_shown == 1:
        return f"Only one item fits: {asked}. It is {best}."
    return f"Only {n_shown} items fit: {asked}. The best match is {best}."


def _nothing(plan: Plan, outcome: Outcome) -> str:
    if not plan.filters:
        return "There is nothing more to show."
    asked = filters_label(plan.filters)
    for condition in plan.filters:
        if (
            condition.operator == "any_of"
            and condition.attribute == "category"
            and not known_values(condition, outcome)
        ):
            carried = outcome.catalogue.facets["category"].counts
            return f"There is no {filter_label(condition)} in this gallery. It has {listed(carried)}."
    if outcome.n_matching:
        return f"That was all. Nothing else fits: {asked}."
    return f"Nothing in this gallery fits: {asked}." + (
        " The buttons below show what would fit." if outcome.relaxations else ""
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
    return (
        f"The nearest I have is {_named(best)}. I cannot tell whether it is the very same: please compare the pictures."
    )


def _outfit(plan: Plan, outcome: Outcome) -> str:
    kinds = listed(dict.fromkeys(str(item.attributes.get("category", "item")) for item in outcome.items))
    worn = listed(item_name(item) for item in outcome.references) or (
        "your picture" if outcome.query and outcome.query.references else plan.text
    )
    reason = f": {outcome.reason}" if outcome.reason else ""
    return f"To wear with {worn} I chose {kinds}{reason}. The first is {_named(outcome.items[0])}."


def _named(item: Item) -> str:
    colour, price = value_text(item, "colour"), value_text(item, "price")
    is_said = not colour or colour.lower() in item.caption.lower()
    return f"{item_name(item)}{'' if is_said else f' ({colour})'}{f' at {price}' if price else ''}"


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
    again = "its result" if len(outcome.items) == 1 else f"its {len(outcome.items)} results"
    first = _named(outcome.items[0])
    return Reply(f"Back at turn {plan.reference_turn}: {again} again{shown}. The first is {first}.")


# --- without a search ------------------------------------------------------------------------------------------------

_SMALL_TALK = {
    "language": "I understand English best. Tell me in a few English words what you are looking for, or show me a"
    " picture of it.",
    "greeting": "Hello! Tell me what you are looking for, or show me a picture or a drawing of it.",
    "thanks": "You are welcome. Tell me if you would like to see something else.",
    "bye": "Goodbye! This conversation stays as it is if you want to go on.",
    "cart": "I can find clothes but not sell them: there is no cart, no checkout and no wish list in this conversation."
    " I can tell you what the catalogue knows of an item.",
    "delivery": "I cannot tell: there are no orders and no delivery in this conversation, so I know nothing of parcels."
    " I can find clothes and tell you what the catalogue knows of them.",
    "returns": "I cannot help with returns or refunds: nothing is sold in this conversation. I can find clothes and"
    " tell you what the catalogue knows of them.",
    "price_off": "The catalogue knows one price of each item and nothing of sales, vouchers or discounts. “The cheapest"
    " ones” or “under 40” I can do.",
    "service": "I am a program that finds clothes in this gallery. I know nothing of accounts, opening hours or staff.",
    "rude": "I am sorry that I was no help. Tell me in a few words what to look for, or say “undo” to go a step back.",
    "help": "Describe a garment, upload a picture or draw one. Then change it (“the same in blue, without sleeves”),"
    " ask about it (“how much is the second one?”), ask what goes with it, or go back (“back to turn 2”).",
}


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
        shown = items_of(outcome.catalogue, [hit.item_id for hit in ranking.hits])
    if plan.attribute == "why" and plan.reference_turn is not None:
        return Reply(explain(_explained(session, plan.reference_turn), outcome.catalogue))
    text = answer(plan, outcome.references, shown, outcome.catalogue)
    return Reply(" ".join(filter(None, (text, _notes(plan.notes)))), item_offers(plan, outcome.references[:1]))


def _explained(session: Session, turn_number: int) -> Turn:
    """What a turn showed again was chosen when it was first shown."""
    turn = session.turn(turn_number)
    while turn.plan.intent is Intent.ROLLBACK and turn.plan.then is None and turn.plan.reference_turn is not None:
        turn = session.turn(turn.plan.reference_turn)
    return turn

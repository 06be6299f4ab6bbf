"""What holds for every plan, whichever planner made it: filters set by hand win, and what it names exists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agent.protocols import Catalogue
from agent.scene import items_of, look, turns_known
from agent.yielding import give_way
from retrieval.errors import MessageError
from retrieval.schema import Intent, Message, Plan, Session

MAX_CHARACTERS = 2000


def check_message(message: Message) -> None:
    """Raises MessageError for a message with nothing in it, with a whole page of text, or with half a character."""
    if len(message.text) > MAX_CHARACTERS:
        raise MessageError(f"The message is longer than {MAX_CHARACTERS} characters. Say it in a few sentences.")
    if not all(map(_is_unicode, _texts(message))):
        raise MessageError("The message holds half a character, perhaps a cut emoji. Delete it and write it again.")
    if not (message.text.strip() or message.images or message.selected or message.filters or message.plan):
        raise MessageError(
            "The message is empty. Write what you are looking for, or add a picture, a selection or a filter."
        )


def _texts(message: Message) -> Iterator[str]:
    """All that a visitor may have typed, or a session's file may have brought."""
    yield message.text
    plan = message.plan
    conditions = (*message.filters, *((*plan.filters, *plan.wishes) if plan else ()))
    yield from (value for condition in conditions for value in condition.values if isinstance(value, str))
    if plan:
        yield from (plan.text, plan.attribute, *plan.unwanted_texts)


def _is_unicode(text: str) -> bool:
    """Half of a surrogate pair is none: neither a tokenizer nor a file takes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def settle(session: Session, message: Message, plan: Plan, catalogue: Catalogue) -> Plan:
    """Raises MessageError when the plan names a turn or an item that does not exist."""
    look(session, message, catalogue)  # raises for a parent or a selection that does not exist
    if plan.reference_turn is not None and not 1 <= plan.reference_turn <= len(session.turns):
        raise MessageError(f"There is no turn {plan.reference_turn} in this conversation. {turns_known(session)}")
    named = (*plan.references, *plan.unwanted_items)
    if len(items_of(catalogue, named)) != len(named):
        raise MessageError("An item that this refers to is no longer in the gallery. Select another one.")
    if message.plan is not None:
        return plan
    if plan.action in (Intent.ASK, Intent.OTHER):
        return plan
    by_hand = {condition.attribute for condition in message.filters}
    kept = tuple(condition for condition in plan.filters if condition.attribute not in by_hand)
    return give_way(replace(plan, filters=(*kept, *message.filters)), message.filters, catalogue)

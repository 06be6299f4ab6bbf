"""Where a conversation stands when a message arrives: the turn that it builds on, what is shown, what is selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.protocols import Catalogue
from retrieval.errors import MessageError
from retrieval.schema import Filter, Image, Intent, Item, Message, Session, Turn


@dataclass(frozen=True, slots=True)
class Scene:
    path: tuple[Turn, ...]
    """The branch that the message continues, oldest first."""
    turn: Turn | None
    """The latest turn of the branch that searched, even in vain."""
    selected: Item | None
    uploads: tuple[Image, ...]
    catalogue: Catalogue

    @property
    def has_upload(self) -> bool:
        return bool(self.uploads)

    @property
    def has_reference(self) -> bool:
        return self.selected is not None or self.has_upload

    @property
    def showing(self) -> Turn | None:
        """The latest turn of the branch whose search found anything."""
        return next((turn for turn in reversed(self.path) if turn.ranking is not None and turn.ranking.hits), None)

    def shown(self, turn: Turn | None = None) -> tuple[Item, ...]:
        """The items of a turn's ranking, by default of the latest with any, as far as they are still there."""
        turn = turn or self.showing
        return items_of(self.catalogue, [hit.item_id for hit in turn.ranking.hits]) if turn and turn.ranking else ()

    def asked_about(self) -> tuple[Item, ...]:
        """What the last turn was about when it showed nothing new (a question): "it" then means the same."""
        last = self.path[-1] if self.path else None
        if last is None or last.ranking is not None or last.plan.intent is not Intent.ASK:
            return ()
        return items_of(self.catalogue, last.plan.references)


def look(session: Session, message: Message, catalogue: Catalogue) -> Scene:
    """Raises MessageError for a parent or a selected item that does not exist."""
    path = session.path(parent_of(session, message))
    turn = next((turn for turn in reversed(path) if turn.ranking is not None), None)
    selected = None
    if message.selected is not None:
        found = items_of(catalogue, [message.selected])
        if not found:
            raise MessageError("The selected item is no longer in this gallery. Select another one.")
        (selected,) = found
    return Scene(path, turn, selected, message.images, catalogue)


def parent_of(session: Session, message: Message) -> int | None:
    """The turn that a message continues. Raises MessageError for one that the session does not have."""
    if message.parent is None:
        return session.latest.turn_number if session.latest else None
    try:
        return session.turn(message.parent).turn_number
    except KeyError:
        raise MessageError(f"There is no turn {message.parent} in this conversation. {turns_known(session)}") from None


def turns_known(session: Session) -> str:
    n_turns = len(session.turns)
    if not n_turns:
        return "It has not begun yet: say what you are looking for."
    return "It has one turn so far." if n_turns == 1 else f"It has turns 1 to {n_turns}."


def items_of(catalogue: Catalogue, item_ids: Sequence[str]) -> tuple[Item, ...]:
    """One by one only when one of them is missing."""
    try:
        return tuple(catalogue.get(item_ids)) if item_ids else ()
    except KeyError:
        if len(item_ids) == 1:
            return ()
        return tuple(item for item_id in item_ids for item in items_of(catalogue, [item_id]))


def own_filters(turn: Turn) -> tuple[Filter, ...]:
    """What the words of a turn asked for: filters that were set by hand last only as long as they are set."""
    asked = (*turn.plan.filters, *turn.plan.wishes)
    return tuple(condition for condition in asked if condition not in turn.message.filters)

"""What one browser tab looks at, as a value: its session, where it stands, what is selected, compared and kept."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Self

from agent.presentation import Chip, chips
from retrieval.schema import Filter, Session, Turn

MAX_SAVED = 60


@dataclass(frozen=True, slots=True)
class View:
    """What one browser tab looks at: its session, the turn it stands on (None before the first) and the selection."""

    session: Session
    head: int | None = None
    selected: str | None = None
    pinned: str | None = None
    """item_id that waits for another one to be compared with."""
    saved: tuple[str, ...] = ()
    """item_ids that the visitor keeps, in their order; they outlive the conversation."""

    @classmethod
    def new(cls) -> Self:
        return cls(Session(secrets.token_urlsafe(16)))

    @property
    def turn(self) -> Turn | None:
        return None if self.head is None else self.session.turn(self.head)

    @property
    def branch(self) -> tuple[Turn, ...]:
        return self.session.path(self.head)

    @property
    def searched(self) -> Turn | None:
        """The latest turn of the branch that shows items."""
        return next((turn for turn in reversed(self.branch) if turn.ranking is not None), None)

    @property
    def held_filters(self) -> tuple[Filter, ...]:
        """What is set by hand at this turn."""
        return self.turn.message.filters if self.turn else ()

    def found(self) -> tuple[str, ...] | None:
        """item_ids of the latest result on this branch, best first; None when nothing was searched yet."""
        turn = self.searched
        return tuple(hit.item_id for hit in turn.ranking.hits) if turn and turn.ranking else None

    def chips(self) -> tuple[Chip, ...]:
        """The parts of what is shown; a question in between leaves them."""
        return chips(self.searched.plan) if self.searched else ()

    def at(self, turn_number: int | None) -> Self:
        """At another turn, with nothing selected. Raises KeyError for a turn that the session does not have."""
        if turn_number is not None:
            self.session.turn(turn_number)
        return replace(self, head=turn_number, selected=None, pinned=None)

    def started_over(self) -> Self:
        return replace(self.new(), saved=self.saved)

    def unselected(self) -> Self:
        return replace(self, selected=None, pinned=None)

    def pinned_for_comparison(self) -> Self:
        """The selected item waits; the next one that is selected stands beside it."""
        return replace(self, pinned=self.selected, selected=None) if self.selected else self

    def save_toggled(self) -> Self:
        """The selected item among what is kept, or no longer."""
        if self.selected is None:
            return self
        if self.selected in self.saved:
            return replace(self, saved=tuple(item_id for item_id in self.saved if item_id != self.selected))
        return replace(self, saved=(*self.saved, self.selected)[-MAX_SAVED:])

    def undone(self) -> Self:
        """One step back. Before the first step lies a new session: a turn without a parent follows the latest one."""
        return self.started_over() if self.turn is None or self.turn.parent is None else self.at(self.turn.parent)

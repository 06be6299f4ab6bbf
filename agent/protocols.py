"""What a planner must do, and what it is given. Every language model is one more file behind `Planner`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from retrieval.protocols import Facet
from retrieval.schema import Filter, Image, Item, Query, Ranking

if TYPE_CHECKING:
    from retrieval.schema import Message, Plan, Reply, Session

SentenceEncoder = Callable[[Sequence[str]], NDArray[np.float32]]
"""Sentences -> float32, shape (n, dim), unit rows."""


Tell = Callable[[str], None]
"""Gets a reply's text so far, each time that there is more of it."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The gallery as a planner sees it: its words and its items, not its vectors."""

    facets: Mapping[str, Facet]
    get: Callable[[Sequence[str]], list[Item]]
    """Items in the order asked for. Raises KeyError for an id that is not there."""
    count: Callable[[Sequence[Filter]], int]
    """How many items pass all filters."""
    nearest: Callable[[Image], list[Item]]
    """The few items that look most like a picture, the nearest first."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """What dropping filters of a plan would bring: one, or two where no single one helps."""

    dropped: tuple[Filter, ...]
    n_items: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found for a plan. query and ranking are None when nothing was retrieved."""

    catalogue: Catalogue
    query: Query | None = None
    ranking: Ranking | None = None
    items: tuple[Item, ...] = ()
    """The ranking's items, in its order."""
    references: tuple[Item, ...] = ()
    """The items that the plan names, in its order."""
    n_matching: int = 0
    """How many items of the gallery pass the filters, shown or not."""
    k: int = 0
    """How many were asked for."""
    relaxations: tuple[Relaxation, ...] = field(default=())
    """Only where fewer than k items pass; the most fruitful first."""
    reason: str = ""
    """With COMPATIBLE: why these were chosen. With SAME_ITEM: that the picture itself is in the gallery."""


class Planner(Protocol):
    """Understands a message and words the answer. Holds nothing of any session."""

    def understand(self, session: Session, message: Message, catalogue: Catalogue) -> Plan:
        """Raises MessageError for a message that names a turn or an item that does not exist."""
        ...

    def respond(self, session: Session, message: Message, plan: Plan, outcome: Outcome) -> Reply:
        """States only what the outcome and the catalogue say."""
        ...


@runtime_checkable
class Narrator(Protocol):
    """A planner whose reply can be read while it is written."""

    def narrate(self, session: Session, message: Message, plan: Plan, outcome: Outcome, tell: Tell) -> Reply:
        """As `respond`; what `tell` gets may still be replaced by the reply."""
        ...

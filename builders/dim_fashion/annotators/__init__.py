"""Who judges and words what the walk made (DIM-Fashion, step 3): `embedded` by attributes, `chat` by a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from builders.dim_fashion.drafts import DraftSession, DraftTurn


@dataclass(frozen=True, slots=True)
class BridgeReading:
    """What two similar pictures are to each other."""

    is_same: bool
    """They show the same garment."""
    modification: str = ""
    """What to say to get from the first to the second ("the same in navy"); "" when same or nothing can be said."""


@dataclass(frozen=True, slots=True)
class Enrichment:
    """A first search by words that would lead to a picture."""

    is_item_centric: bool
    """One garment is the subject; no background that words would pick up."""
    text: str = ""
    """"a red floral midi dress"; "" when not item-centric."""


class Annotator(Protocol):
    """Answers in the order asked, one for each; questions come in bulk, so that an implementation can batch them."""

    @property
    def name(self) -> str:
        """Goes into the card: changes with everything that changes an answer (model, prompts, rules)."""
        ...

    def read_bridges(self, pairs: Sequence[tuple[str, str]]) -> list[BridgeReading]:
        """Pairs of image_ids: where the user is, and where the next turn starts."""
        ...

    def enrich(self, image_ids: Sequence[str]) -> list[Enrichment]: ...

    def check_turns(self, turns: Sequence[DraftTurn]) -> list[bool]:
        """Whether each target broadly satisfies its request (Prompt A)."""
        ...

    def check_sessions(self, sessions: Sequence[DraftSession]) -> list[bool]:
        """Whether each session reads as one coherent search (Prompt B)."""
        ...

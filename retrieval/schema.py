"""The records that travel through the system. Standard library only; read this first.

A shopper's `Message` is understood as a `Plan`, the plan becomes a `Query`, the query is answered by a `Ranking` of
`Hit`s on the `Item`s of a gallery, and all of it together is one `Turn` of a `Session`. All records are frozen values:
a session is passed in and a new one is returned, so two users cannot leak into each other and a replay is repeatable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

AttributeValue = str | float
"""`"navy blue"` or, for a price, `1299.0`. Catalogue words are kept as the catalogue spells them."""

Attributes = Mapping[str, AttributeValue]
"""`{"category": "Shirts", "colour": "Navy Blue", "gender": "Men", "price": 1299.0}`; unknown ones are absent.

Names used by every reader: category, colour, gender, season, usage, brand, price, material, pattern, neckline, sleeves,
length, fit, master_category, sub_category, year. A catalogue may bring others."""

Qrels = Mapping[str, Mapping[str, int]]
"""Judgements: query_id -> item_id -> grade; above 0 is relevant."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture by name; only `retrieval.images` decodes it."""

    image_id: str
    """Hash of the file's bytes: equal ids are equal files."""
    path: str


@dataclass(frozen=True, slots=True)
class Item:
    """One product of a gallery."""

    item_id: str
    image: Image
    caption: str
    """The product's name as the catalogue gives it; may be empty for a folder of pictures."""
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on one attribute, pushed down to the store before the search.

    any_of / none_of hold catalogue words; at_most / at_least hold one number. An item without the attribute fails
    any_of, at_most and at_least, and passes none_of.
    """

    attribute: str
    operator: Literal["any_of", "none_of", "at_most", "at_least"]
    values: tuple[AttributeValue, ...]


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    """An earlier turn as an encoder sees it: what was shown and said, and the item that it led to."""

    text: str
    """As it was said."""
    references: tuple[Image, ...] = ()
    target: Image | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What is encoded into one vector. Text alone, pictures alone, or both (a *composed* query)."""

    query_id: str
    """`f"{session_id}/{turn_number}"` for a chat turn."""
    text: str = ""
    references: tuple[Image, ...] = ()
    history: tuple[HistoryTurn, ...] = ()
    request: str = ""
    """The words as they were said, for encoders that read a conversation; "" where `text` is what was said."""
    unwanted_texts: tuple[str, ...] = ()
    """Words to move away from, without a "no" or "not": `("logo", "sleeves")`."""
    unwanted_images: tuple[Image, ...] = ()
    """Pictures to move away from ("less like this")."""

    @property
    def as_said(self) -> str:
        """`request`, or `text` where that is blank; without white space around it."""
        return self.request.strip() or self.text.strip()


@dataclass(frozen=True, slots=True)
class Hit:
    """One entry of a ranking."""

    item_id: str
    score: float
    """Higher is better, whatever distance the store computes; cosine, -1 to 1."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to one query: best first, ties by item_id."""

    query_id: str
    hits: tuple[Hit, ...]


class Intent(StrEnum):
    """What a turn asks for."""

    SEARCH = "search"
    """Something new, by words, by a picture or by both."""
    MODIFY = "modify"
    """A shown item with something changed; keeps the category unless told otherwise."""
    SAME_ITEM = "same_item"
    """The same product again: in the shop, from another side; never the query's own picture."""
    COMPATIBLE = "compatible"
    """What goes with it: other kinds of garment."""
    SAME_ATTRIBUTE = "same_attribute"
    """Other items that share one attribute with it ("the same collar on something else")."""
    ROLLBACK = "rollback"
    """Back to an earlier turn, then one of the others (`Plan.then`)."""
    ASK = "ask"
    """A question about shown items; nothing is retrieved."""
    OTHER = "other"
    """Greetings, thanks, things outside clothes; nothing is retrieved."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the agent understood; shown to the user as chips, editable, and re-run on edit."""

    intent: Intent
    then: Intent | None = None
    """With ROLLBACK: what to do at the turn gone back to; None shows that turn's result again."""
    text: str = ""
    """What to look for, in words fit for the encoder (no "show me", no negations)."""
    reference_turn: int | None = None
    """The turn that this one builds on; None for a fresh search."""
    references: tuple[str, ...] = ()
    """item_ids that are meant ("the second one"). The message's own pictures are added to them."""
    filters: tuple[Filter, ...] = ()
    wishes: tuple[Filter, ...] = ()
    """Conditions that nothing fits together with the filters: they rank through the words, and hold again later."""
    unwanted_texts: tuple[str, ...] = ()
    """Exclusions that no catalogue attribute can express ("logo"); those that one can are none_of filters."""
    unwanted_items: tuple[str, ...] = ()
    """item_ids to move away from ("less like this")."""
    attribute: str = ""
    """With SAME_ATTRIBUTE: the attribute that is kept ("neckline"). With ASK: the attribute asked for, or ""."""
    n_wanted: int = 0
    """How many are asked for ("only five"); 0: as many as the shop usually shows."""
    sort_by: str = ""
    """A number of the catalogue that decides the order in place of likeness: "price" from low to high ("cheapest"),
    "-year" from high to low ("newest"); "" for none."""
    notes: tuple[str, ...] = ()
    """What the user should know of the reading: "cream" was read as the catalogue's "Off White"."""

    @property
    def action(self) -> Intent:
        """The intent that decides what is retrieved: `then` inside a rollback, else `intent`."""
        return self.then or self.intent


@dataclass(frozen=True, slots=True)
class Message:
    """What a user does in one turn. At least one of text, images, selected, filters or plan is given."""

    text: str = ""
    images: tuple[Image, ...] = ()
    """Uploads, drawings and crops, already checked and stored by `retrieval.picture_files`."""
    selected: str | None = None
    """item_id of the picture that is selected on the page."""
    filters: tuple[Filter, ...] = ()
    """Set by hand in the filter panel; hold whatever the text says."""
    parent: int | None = None
    """turn_number to continue from; None continues from the session's latest turn."""
    plan: Plan | None = None
    """A plan edited by hand (a chip removed, an offer taken): runs as it is, without being understood again."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A next step as a button: its label and the plan that it runs."""

    label: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class Reply:
    """What the assistant says. States only facts from the ranking and the gallery."""

    text: str
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished turn. query and ranking are None when nothing was retrieved (ASK, OTHER, asked back)."""

    turn_number: int
    """From 1, in the order in which turns were made, over all branches."""
    parent: int | None
    message: Message
    plan: Plan
    reply: Reply
    query: Query | None = None
    ranking: Ranking | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A tree of turns as a value: `append` returns a new session, nothing is ever overwritten."""

    session_id: str
    turns: tuple[Turn, ...] = ()

    @property
    def latest(self) -> Turn | None:
        return self.turns[-1] if self.turns else None

    def turn(self, turn_number: int) -> Turn:
        """Raises KeyError for a number that the session does not have."""
        if not 1 <= turn_number <= len(self.turns):
            raise KeyError(turn_number)
        return self.turns[turn_number - 1]

    def path(self, turn_number: int | None) -> tuple[Turn, ...]:
        """The branch that ends in this turn, oldest first; empty for None."""
        branch: list[Turn] = []
        while turn_number is not None:
            turn = self.turn(turn_number)
            branch.append(turn)
            turn_number = turn.parent
        return tuple(reversed(branch))

    def append(self, turn: Turn) -> Session:
        """Raises ValueError when the turn's number is not the next one or its parent is not an earlier turn."""
        if turn.turn_number != len(self.turns) + 1:
            raise ValueError(f"turn {turn.turn_number} cannot follow {len(self.turns)} turns")
        if turn.parent is not None and not 1 <= turn.parent < turn.turn_number:
            raise ValueError(f"turn {turn.turn_number} names parent {turn.parent}, which is not an earlier turn")
        return replace(self, turns=(*self.turns, turn))

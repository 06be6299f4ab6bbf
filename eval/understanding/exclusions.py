"""Exclusions that hold in results: messages with a "no" or "except", and what must not be among the first ten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eval.runs import RunError
from eval.understanding.utterances import DATA, rows_of

if TYPE_CHECKING:
    from eval.understanding.shop import TalkingShop
    from retrieval.schema import Item, Turn

TOP = 10


@dataclass(frozen=True, slots=True)
class Exclusion:
    text: str
    never: Mapping[str, tuple[str, ...]]
    """Attribute -> values of which none may be shown; `item` -> where an item was shown ("1:2")."""
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What a message with an exclusion found."""

    exclusion: Exclusion
    n_shown: int
    """Of the first ten, those whose attributes tell."""
    violations: tuple[str, ...]
    """Names of the items that should not be there."""


def read_exclusions() -> tuple[Exclusion, ...]:
    """In the order of the file. Raises RunError for a row without what is needed."""
    found: list[Exclusion] = []
    for where, row in rows_of(DATA / "exclusions.jsonl"):
        if not {"text", "never"} <= row.keys() <= {"text", "never", "before"}:
            raise RunError(f"{where} needs text and never, and may have before.")
        never = {name: tuple(values) for name, values in row["never"].items()}
        found.append(Exclusion(row["text"], never, tuple(row.get("before", ()))))
    return tuple(found)


def hold_all(shop: TalkingShop, exclusions: Sequence[Exclusion]) -> list[Held]:
    """Each is said to the agent, and the first ten of what it shows are looked at."""
    return [_hold(shop, exclusion) for exclusion in exclusions]


def _hold(shop: TalkingShop, exclusion: Exclusion) -> Held:
    session = shop.after((*exclusion.before, exclusion.text))
    turn = session.turns[-1]
    items = shop.shown_by(turn)[:TOP]
    wrong = [item for item in items if _is_excluded(item, exclusion.never, shop, session.turns)]
    return Held(exclusion, len(items), tuple(item.caption for item in wrong))


def _is_excluded(item: Item, never: Mapping[str, Sequence[str]], shop: TalkingShop, turns: Sequence[Turn]) -> bool:
    for attribute, values in never.items():
        if attribute == "item":
            if item.item_id in {_shown_at(where, shop, turns) for where in values}:
                return True
        elif item.attributes.get(attribute) in values:
            return True
    return False


def _shown_at(where: str, shop: TalkingShop, turns: Sequence[Turn]) -> str:
    turn, _, position = where.partition(":")
    return shop.shown_by(turns[int(turn) - 1])[int(position) - 1].item_id

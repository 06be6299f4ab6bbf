"""What the parts of the rules planner found out about one message, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.intents import Decision
from agent.mentions import find_mentions
from agent.reading import Reading, plain
from agent.references import Referent
from agent.scene import Scene, own_filters
from agent.vocabulary import Lexicon
from agent.wishes import Wish
from retrieval.schema import Filter, Intent, Item, Plan, Turn

if TYPE_CHECKING:
    from retrieval.protocols import Facet


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the parts found out about one message."""

    reading: Reading
    scene: Scene
    referent: Referent
    decision: Decision
    wish: Wish
    lexicon: Lexicon

    @property
    def base(self) -> Turn | None:
        return self.referent.turn or self.scene.turn

    @property
    def facets(self) -> Mapping[str, Facet]:
        return self.scene.catalogue.facets

    @property
    def item_ids(self) -> tuple[str, ...]:
        return tuple(item.item_id for item in self.referent.items)


def best_of(found: Understanding) -> tuple[Item, ...]:
    """With nothing named or selected, the item that the talk was about, else the best result."""
    if found.scene.selected:
        return (found.scene.selected,)
    return () if found.scene.has_upload else (found.scene.asked_about()[:1] or found.scene.shown()[:1])


def carried_unwanted(found: Understanding, base: Turn | None) -> tuple[str, ...]:
    old = base.plan.unwanted_texts if base else ()
    wanted = set(found.wish.text.split())
    return tuple(dict.fromkeys((*(text for text in old if text not in wanted), *found.wish.unwanted_texts)))


def again(plan: Plan) -> Intent:
    """A refined search is a modification; outfits and shared attributes stay what they are."""
    return plan.action if plan.action in (Intent.COMPATIBLE, Intent.SAME_ATTRIBUTE, Intent.SAME_ITEM) else Intent.MODIFY


def gender_said_before(found: Understanding, *, when_searching: bool = False) -> Filter | None:
    """Only what was said in words holds on, not what came from an item; `when_searching`: nor what changed an item."""
    for turn in reversed(found.scene.path):
        if when_searching and turn.plan.action is not Intent.SEARCH:
            continue
        said = [m for m in find_mentions(plain(turn.message.text), found.lexicon) if m.attribute == "gender"]
        filters = [f for f in own_filters(turn) if f.attribute == "gender" and f.operator == "any_of"]
        if said and filters:
            return filters[0]
    return None

"""What a language model gets to see of a turn, and the form that its answer has: small, and all of it as quoted data.

Names of products, values of a catalogue and the shopper's words reach the model only inside one JSON object of the
user's message, without control characters and cut to size. The form names what exists: the catalogue's words, the
numbers of the items on the page, the turns of the session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.amounts import MOST_WANTED
from agent.scene import Scene, items_of
from agent.vocabulary import NOT_SPOKEN, ORDER
from agent.wording import filter_label, item_name
from retrieval.chat import Part
from retrieval.filters import fold
from retrieval.schema import AttributeValue, Intent, Item, Message, Session, Turn

if TYPE_CHECKING:
    from retrieval.protocols import Facet

N_ITEMS = 12
N_TURNS = 4
N_VALUES = 30
"""The most frequent words of an attribute; what a message names is listed besides."""
N_ATTRIBUTES = 20
N_FILTERS = 8
N_EACH = 6
"""Values of one filter."""
N_MEANT = 4
"""Items that one message means."""
N_PICTURES = 2
N_RETURNS = 20
"""Turns that can be gone back to: the latest ones."""
CHARACTERS = 80
"""Of a product's name."""
PROMPTS = ("understand", "reply")
N_COPIED = 7
"""So many words in a row that stand in a prompt are no chance."""
NONE = "none"
SHOWN_OF_ITEM = ("category", "colour", "price", "brand", "material", "pattern")
_NEEDS_SCENE = (Intent.MODIFY, Intent.SAME_ITEM, Intent.SAME_ATTRIBUTE)


@dataclass(frozen=True, slots=True)
class Offered:
    """What an answer may name."""

    intents: tuple[Intent, ...]
    items: Mapping[int, Item]
    turns: tuple[int, ...]
    values: Mapping[str, tuple[str, ...]]
    """Attribute -> catalogue words."""
    numbers: Mapping[str, tuple[float, float]]
    """Attribute -> its range."""

    @property
    def attributes(self) -> tuple[str, ...]:
        return (*self.values, *self.numbers)


def offered(session: Session, message: Message, scene: Scene) -> Offered:
    facets = scene.catalogue.facets
    names = [name for name in ORDER if name in facets]
    names += [name for name in facets if name not in names and name not in NOT_SPOKEN]
    words = [name for name in names if not facets[name].is_number][:N_ATTRIBUTES]
    has_scene = scene.turn is not None or scene.has_reference
    turns = tuple(turn.turn_number for turn in session.turns)[-N_RETURNS:]
    return Offered(
        intents=tuple(
            intent
            for intent in Intent
            if (has_scene or intent not in _NEEDS_SCENE) and (turns or intent is not Intent.ROLLBACK)
        ),
        items=dict(enumerate(_in_sight(scene), 1)),
        turns=turns,
        values={name: _listed(facets[name], message.text) for name in words},
        numbers={
            name: (facet.minimum or 0.0, facet.maximum or 0.0) for name, facet in facets.items() if facet.is_number
        },
    )


def parts_of(scene: Scene, message: Message, offer: Offered) -> list[Part]:
    """The data, then the pictures that the message brings, or that of the selected item."""
    pictures = message.images[:N_PICTURES] or ((scene.selected.image,) if scene.selected else ())
    selected = [number for number, item in offer.items.items() if item == scene.selected]
    catalogue = {"words": offer.values, "numbers": offer.numbers}
    now = {
        "conversation": [_turn(turn, scene) for turn in scene.path[-N_TURNS:]],
        "items": [{"number": number, **described(item)} for number, item in offer.items.items()],
        "selected": selected[0] if selected else None,
        "pictures": len(pictures),
        "turns": offer.turns,
        "message": quoted(message.text, len(message.text)),
    }
    # what stays the same comes first, so that a server can keep it from turn to turn
    return [_json({"catalogue": catalogue}), _json(now), *(Path(picture.path) for picture in pictures)]


def schema_of(offer: Offered) -> dict[str, Any]:
    """JSON schema of an answer: only what was offered fits."""
    attributes = [NONE, *offer.attributes]
    orders = [NONE, *(sign + name for name in offer.numbers for sign in ("", "-"))]
    thens = [intent for intent in Intent if intent is not Intent.ROLLBACK]
    return _object(
        intent={"enum": [*offer.intents]},
        turn={"enum": [0, *offer.turns]},
        then={"enum": [NONE, *thens]},
        items=_numbers(offer),
        unwanted_items=_numbers(offer),
        words={"type": "string", "maxLength": 120},
        filters=_many({"anyOf": [*_conditions(offer)]} if offer.attributes else {"type": "null"}, N_FILTERS),
        unwanted_words=_many({"type": "string", "maxLength": 30}, N_MEANT),
        open=_many({"enum": [*offer.attributes]} if offer.attributes else {"type": "null"}, N_MEANT),
        attribute={"enum": attributes},
        n_wanted={"type": "integer", "minimum": 0, "maximum": MOST_WANTED},
        sort_by={"enum": orders},
    )


def described(item: Item, attributes: Iterable[str] = SHOWN_OF_ITEM) -> dict[str, AttributeValue]:
    """Name and a few attributes."""
    known = ((name, item.attributes.get(name)) for name in attributes)
    told = {name: quoted(value) if isinstance(value, str) else value for name, value in known if value is not None}
    return {"name": quoted(item_name(item)), **told}


def quoted(text: str, characters: int = CHARACTERS) -> str:
    """On one line, without control characters, not longer than that."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:characters]


@cache
def prompt(name: str) -> str:
    return (Path(__file__).parent / "chat_prompts" / f"{name}.md").read_text(encoding="utf-8").strip()


def copies_prompt(text: str, besides: str = "") -> bool:
    """Whether a text repeats a prompt's words, other than those that stand in `besides` as well."""
    instructions = frozenset().union(*map(_runs, map(prompt, PROMPTS)))
    return bool(_runs(text) & instructions - _runs(besides))


@lru_cache(maxsize=64)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words: Sequence[str] = re.findall(r"\w+", text.lower())
    return frozenset(tuple(words[at : at + N_COPIED]) for at in range(len(words) - N_COPIED + 1))


def _in_sight(scene: Scene) -> list[Item]:
    """What is on the page, what is selected, and what the last turn was about."""
    last = scene.path[-1].plan.references if scene.path else ()
    items = [*scene.shown()[:N_ITEMS], *((scene.selected,) if scene.selected else ())]
    items += items_of(scene.catalogue, last)[:N_MEANT]
    return list({item.item_id: item for item in items}.values())


def _listed(facet: Facet, said: str) -> tuple[str, ...]:
    """The most frequent words, and those that are said."""
    spoken = f" {fold(said)} "
    values = list(facet.counts)
    named = [value for value in values[N_VALUES:] if f" {fold(value)} " in spoken]
    return tuple(values[:N_VALUES] + named[:N_VALUES])


def _turn(turn: Turn, scene: Scene) -> dict[str, Any]:
    plan = turn.plan
    return {
        "turn": turn.turn_number,
        "message": quoted(turn.message.text, 200),
        "intent": plan.action,
        "words": quoted(plan.text),
        "filters": [quoted(filter_label(condition)) for condition in (*plan.filters, *plan.wishes)],
        "about": [quoted(item_name(item)) for item in items_of(scene.catalogue, plan.references)],
        "found": len(turn.ranking.hits) if turn.ranking else 0,
    }


def _conditions(offer: Offered) -> Iterable[dict[str, Any]]:
    for name, values in offer.values.items():
        yield _object(
            attribute={"enum": [name]},
            operator={"enum": ["any_of", "none_of"]},
            values={**_many({"enum": [*values]}, N_EACH), "minItems": 1},
        )
    for name in offer.numbers:
        yield _object(
            attribute={"enum": [name]},
            operator={"enum": ["at_most", "at_least"]},
            values={**_many({"type": "number"}, 1), "minItems": 1},
        )


def _numbers(offer: Offered) -> dict[str, Any]:
    return _many({"enum": [*offer.items]}, N_MEANT) if offer.items else _many({"type": "null"}, 0)


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _many(items: Mapping[str, Any], at_most: int) -> dict[str, Any]:
    return {"type": "array", "items": dict(items), "maxItems": at_most}


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

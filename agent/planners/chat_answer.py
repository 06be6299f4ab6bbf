"""From a language model's answer to what was understood: every part is checked, and what does not exist is left out.

The form of an answer is asked for, not trusted: an endpoint may ignore it, and a model may obey what a product's name
says. What passes here is what a shopper could have said as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.amounts import MOST_WANTED
from agent.planners.chat_request import N_EACH, N_FILTERS, N_MEANT, NONE, Offered, copies_prompt
from agent.vocabulary import listed
from retrieval.filters import fold
from retrieval.protocols import Facet
from retrieval.schema import Filter, Intent, Item

MOST = 1e12
"""No bound of a number is larger."""
N_WORDS = 16
LONGEST = 400
N_CHARACTERS = 24
"""Of one word."""
_WORD = re.compile(r"[^\W_]+(?:['’&+-][^\W_]+)*%?")
_ADDRESS = re.compile(r"\S*(?:://|www\.|[\\@{}<>|]|/\S*/|\.\S)\S*")
_THEN = {str(intent): intent for intent in Intent if intent is not Intent.ROLLBACK}
N_NAMED = 3
"""So many inventions are named; of more it is only said that there were more."""


@dataclass(frozen=True, slots=True)
class Understood:
    """An answer whose every part exists."""

    intent: Intent
    turn: int = 0
    then: Intent | None = None
    items: tuple[Item, ...] = ()
    unwanted_items: tuple[Item, ...] = ()
    words: str = ""
    filters: tuple[Filter, ...] = ()
    unwanted_words: tuple[str, ...] = ()
    open: frozenset[str] = frozenset()
    attribute: str = ""
    n_wanted: int = 0
    sort_by: str = ""
    notes: tuple[str, ...] = ()


def check(answer: Mapping[str, Any], offer: Offered) -> None:
    """Raises ValueError for an answer that is none, whatever it names: it is asked for once more."""
    if answer.get("intent") not in offer.intents:
        raise ValueError("it names no intent that is possible here")
    for name in ("items", "unwanted_items", "filters", "unwanted_words", "open"):
        if not isinstance(answer.get(name, []), list):
            raise ValueError(f"{name} is no list")
    if not isinstance(answer.get("words", ""), str):
        raise ValueError("words is no text")


def read_answer(answer: Mapping[str, Any], said: str, offer: Offered, facets: Mapping[str, Facet]) -> Understood:
    """Expects an answer to what was `said` that `check` has passed. What it names and nobody has is left out, with a
    note."""
    unknown: list[str] = []
    filters = _filters(answer.get("filters", []), facets, unknown)
    intent, turn = Intent(answer["intent"]), _whole(answer.get("turn"))
    if intent is Intent.ROLLBACK and turn not in (0, *offer.turns):
        unknown.append(f"turn {_shown(answer.get('turn'))}")
        intent = Intent.SEARCH
    return Understood(
        intent,
        turn if intent is Intent.ROLLBACK and turn else 0,
        _THEN.get(str(answer.get("then"))) if intent is Intent.ROLLBACK else None,
        _items(answer.get("items", []), offer, unknown),
        _items(answer.get("unwanted_items", []), offer, unknown),
        _phrase(answer.get("words", ""), said, unknown),
        filters,
        tuple(filter(None, (clean(text, 3) for text in answer.get("unwanted_words", [])[:N_MEANT]))),
        frozenset(_known(answer.get("open", []), facets, unknown)),
        next(iter(_known([answer.get("attribute", NONE)], facets, unknown)), ""),
        _amount(answer.get("n_wanted", 0), unknown),
        _order(answer.get("sort_by", NONE), facets, unknown),
        _notes(unknown),
    )


def clean(text: object, n_words: int = N_WORDS) -> str:
    """Plain words as a shopper would type them: no addresses, paths, markup or signs, and not many."""
    if not isinstance(text, str):
        return ""
    words = _WORD.findall(_ADDRESS.sub(" ", unicodedata.normalize("NFC", text[:LONGEST])))
    return " ".join([word for word in words if len(word) <= N_CHARACTERS][:n_words])


def _phrase(text: str, said: str, unknown: list[str]) -> str:
    if copies_prompt(text, said):
        unknown.append("words of its own instructions")
        return ""
    return clean(text)


def _whole(number: object) -> int | None:
    is_whole = isinstance(number, int) and not isinstance(number, bool)
    return number if is_whole and isinstance(number, int) else None


def _filters(answers: Sequence[Any], facets: Mapping[str, Facet], unknown: list[str]) -> tuple[Filter, ...]:
    """Equal conditions are put together; of one bound the last holds."""
    found: dict[tuple[str, str], Filter] = {}
    for answer in answers[:N_FILTERS]:
        if not isinstance(answer, Mapping):
            unknown.append("a condition that is none")
            continue
        name, operator, values = answer.get("attribute"), answer.get("operator"), answer.get("values")
        facet = facets.get(name) if isinstance(name, str) else None
        if facet is None or not isinstance(name, str):
            unknown.append(f"the attribute {_shown(name)}")
            continue
        values = values if isinstance(values, list) else [values]
        condition = (
            _bound(name, operator, values) if facet.is_number else _words(name, operator, values, facet, unknown)
        )
        if condition is None:
            unknown.append(f"a condition on {name} that cannot hold")
        elif condition.values:
            earlier = found.get((name, condition.operator))
            both = (*(earlier.values if earlier and not facet.is_number else ()), *condition.values)
            found[name, condition.operator] = Filter(name, condition.operator, tuple(dict.fromkeys(both)))
    return tuple(found.values())


def _bound(name: str, operator: object, values: Sequence[object]) -> Filter | None:
    number = values[0] if values else None
    if not isinstance(number, int | float) or isinstance(number, bool) or not -MOST < number < MOST:
        return None
    if operator not in ("at_most", "at_least"):
        return None
    return Filter(name, "at_most" if operator == "at_most" else "at_least", (float(number),))


def _words(name: str, operator: object, values: Sequence[object], facet: Facet, unknown: list[str]) -> Filter | None:
    """In the catalogue's own spelling. Shades go with a colour that is not wanted, unisex with a gender that is."""
    if operator not in ("any_of", "none_of"):
        return None
    spellings: dict[str, list[str]] = {}
    for value in facet.counts:
        spellings.setdefault(fold(value), []).append(value)
    known: list[str] = []
    for wanted in values[:N_EACH]:
        found = spellings.get(fold(wanted), []) if isinstance(wanted, str) else []
        if not found:
            unknown.append(f"the {name} {_shown(wanted)}")
        known += found
    if operator == "none_of" and name == "colour":
        named = {fold(colour) for colour in known}
        known += [shade for shade in facet.counts if named & set(fold(shade).split())]
    if operator == "any_of" and name == "gender" and known:
        known += spellings.get("unisex", [])
    return Filter(name, "any_of" if operator == "any_of" else "none_of", tuple(dict.fromkeys(known)))


def _items(numbers: Sequence[Any], offer: Offered, unknown: list[str]) -> tuple[Item, ...]:
    found: dict[str, Item] = {}
    for number in numbers[:N_MEANT]:
        item = offer.items.get(_whole(number) or 0)
        if item is None:
            unknown.append(f"item {_shown(number)}")
        else:
            found[item.item_id] = item
    return tuple(found.values())


def _known(names: Iterable[Any], facets: Mapping[str, Facet], unknown: list[str]) -> Iterable[str]:
    for name in names:
        if isinstance(name, str) and name in facets:
            yield name
        elif name not in (NONE, "", None):
            unknown.append(f"the attribute {_shown(name)}")


def _amount(number: object, unknown: list[str]) -> int:
    whole = _whole(number)
    if whole is not None and 0 <= whole <= MOST_WANTED:
        return whole
    unknown.append("a number of items that nobody can look at")
    return 0


def _order(name: object, facets: Mapping[str, Facet], unknown: list[str]) -> str:
    facet = facets.get(name.removeprefix("-")) if isinstance(name, str) else None
    if facet is not None and facet.is_number and isinstance(name, str):
        return name
    if name not in (NONE, "", None):
        unknown.append(f"an order by {_shown(name)}")
    return ""


def _shown(value: object) -> str:
    """What a model wrote, fit to be read by a shopper."""
    return f"“{clean(str(value)[:40], 4) or '?'}”"


def _notes(unknown: Sequence[str]) -> tuple[str, ...]:
    if not unknown:
        return ()
    named = list(dict.fromkeys(unknown))
    more = ["more of that kind"] if len(named) > N_NAMED else []
    return (f"I left out what the language model named and is not here: {listed([*named[:N_NAMED], *more])}",)

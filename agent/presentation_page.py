"""What the shop's page shows, as plain values: bubbles, captions, cards, filter controls. Knows no widget library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from agent.presentation import TreeRow
from retrieval.protocols import Facet
from retrieval.schema import AttributeValue, Filter, Item, Message, Turn

ChatMessage = dict[str, Any]
"""`{"role": "user", "content": [{"type": "text", "text": "..."}, {"path": "...", "alt_text": "..."}]}`"""

FilterValue = list[str] | float | None
"""What a filter control holds: chosen words, or a number."""

FACET_ORDER = ("category", "colour", "gender", "brand", "price", "material", "pattern", "usage", "season")
FACETS_SHOWN = 8
SHOWN_IN_CHAT = 4
"""Pictures below an answer: what an earlier turn found stays to be seen."""
WORDS_SHOWN = 80
NOT_ON_CARD = ("price", "master_category", "sub_category")
"""The price has a line of its own; the other two only say the category again, more coarsely."""
CARD_ORDER = ("category", "colour", "material", "pattern", "neckline", "sleeves", "length", "fit", "gender", "usage")


@dataclass(frozen=True, slots=True)
class FilterControl:
    """One control of the filter panel."""

    attribute: str
    operator: Literal["any_of", "at_least", "at_most"]
    label: str
    choices: tuple[tuple[str, str], ...] = ()
    """(label with count, value), for any_of."""
    minimum: float = 0.0
    maximum: float = 0.0
    step: float = 1.0

    @property
    def at_rest(self) -> float:
        """The number that leaves out nothing."""
        return self.minimum if self.operator == "at_least" else self.maximum

    def rest(self) -> FilterValue:
        """The value at which the control filters nothing."""
        return [] if self.operator == "any_of" else self.at_rest


def title(word: str) -> str:
    return word.replace("_", " ").capitalize()


def amount(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def spoken(value: AttributeValue, attribute: str = "") -> str:
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if attribute == "year" else amount(value)


def caption(item: Item) -> str:
    """Name and price, as shown under a picture and read out in its place."""
    name = item.caption or title(str(item.attributes.get("category", "Item")))
    price = item.attributes.get("price")
    return f"{name}\n{amount(price)}" if isinstance(price, float | int) else name


def said(message: Message) -> str:
    """The user's bubble: the words, or what was done without words."""
    if message.text:
        return message.text
    if message.filters:
        return "Only " + ", ".join(filter_words(condition) for condition in message.filters)
    return "" if message.images else "Like this one"


def filter_words(condition: Filter) -> str:
    values = " or ".join(spoken(value, condition.attribute) for value in condition.values)
    if condition.operator == "any_of":
        return values
    lead = {"none_of": "not", "at_most": f"{condition.attribute} up to", "at_least": f"{condition.attribute} from"}
    return f"{lead[condition.operator]} {values}"


def without_markup(text: str) -> str:
    """For places that read HTML: no tag can begin. "&" stays, since names hold it and it is harmless alone."""
    return text.replace("<", "&lt;")


def chat_messages(branch: Sequence[Turn], picture: Callable[[str], tuple[str, str]]) -> list[ChatMessage]:
    """`picture` gives (path, alternative text) for an item_id."""
    messages: list[ChatMessage] = []
    for turn in branch:
        shown = [(image.path, "Your picture") for image in turn.message.images]
        if turn.message.selected:
            shown.append(picture(turn.message.selected))
        content: list[dict[str, str]] = [{"path": path, "alt_text": alt} for path, alt in shown]
        if words := said(turn.message):
            content.append({"type": "text", "text": without_markup(words)})
        messages.append({"role": "user", "content": content})
        answer: list[dict[str, str]] = [{"type": "text", "text": without_markup(turn.reply.text)}]
        hits = turn.ranking.hits if turn.ranking else ()
        found = (picture(hit.item_id) for hit in hits[:SHOWN_IN_CHAT])
        answer += [{"path": path, "alt_text": alt} for path, alt in found]
        messages.append({"role": "assistant", "content": answer})
    return messages


def step_label(row: TreeRow) -> str:
    """Branches are set in, so that the way back to a fork can be seen."""
    return f"{'     ' * row.depth}{'↳ ' if row.depth else ''}{row.turn_number} · {row.label}"


def card_html(item: Item) -> str:
    """Name, price and attributes of one item. Everything from the catalogue is escaped."""
    names = [name for name in CARD_ORDER if name in item.attributes]
    names += sorted(name for name in item.attributes if name not in (*CARD_ORDER, *NOT_ON_CARD))
    rows = "".join(
        f"<div><dt>{escape(title(name))}</dt><dd>{escape(spoken(item.attributes[name], name))}</dd></div>"
        for name in names
    )
    price = item.attributes.get("price")
    cost = f'<p class="price">{amount(price)}</p>' if isinstance(price, float | int) else ""
    return f'<div class="item"><h3>{escape(item.caption or "This item")}</h3>{cost}<dl>{rows}</dl></div>'


def status_html(n_shown: int, n_fitting: int, *, searched: bool) -> str:
    """One line over the gallery; read aloud when it changes."""
    what = f"A look at the shop: {n_shown} of {n_fitting:,} items"
    if searched and n_shown:
        what = f"{n_shown} shown" + (f" of {n_fitting:,} that fit" if n_fitting > n_shown else "")
    elif searched:
        what = "Nothing fits all of this. Remove a part above, or take a suggestion."
    return f'<p role="status" aria-live="polite">{what}</p>'


def filter_controls(facets: Mapping[str, Facet]) -> tuple[FilterControl, ...]:
    """The controls of the filter panel, most useful first; an attribute with one word only is left out."""
    known = [name for name in FACET_ORDER if name in facets] + sorted(set(facets) - set(FACET_ORDER))
    useful = [name for name in known if facets[name].is_number or len(facets[name].counts) > 1]
    return tuple(control for name in useful[:FACETS_SHOWN] for control in _controls(name, facets[name]))


def _controls(name: str, facet: Facet) -> list[FilterControl]:
    if facet.minimum is None or facet.maximum is None:
        choices = tuple((f"{word} ({count:,})", word) for word, count in list(facet.counts.items())[:WORDS_SHOWN])
        return [FilterControl(name, "any_of", title(name), choices)]
    # About a hundred round steps, and both ends on a step: a slider cannot reach an end that lies between two.
    step = max(1.0, 10.0 ** math.floor(math.log10(max(facet.maximum - facet.minimum, 1.0) / 50)))
    low = math.floor(facet.minimum / step) * step
    high = max(math.ceil(facet.maximum / step), math.floor(facet.minimum / step) + 1) * step
    return [
        FilterControl(name, "at_least", f"{title(name)} from", (), low, high, step),
        FilterControl(name, "at_most", f"{title(name)} up to", (), low, high, step),
    ]


def chosen_filters(controls: Sequence[FilterControl], values: Sequence[FilterValue]) -> tuple[Filter, ...]:
    """Filters for the controls that are not at rest; `values` runs parallel to `controls`."""
    filters: list[Filter] = []
    for control, value in zip(controls, values, strict=True):
        if value is None or value == control.rest():
            continue
        words: tuple[AttributeValue, ...] = tuple(value) if isinstance(value, list) else (float(value),)
        filters.append(Filter(control.attribute, control.operator, words))
    return tuple(filters)


def control_values(controls: Sequence[FilterControl], filters: Sequence[Filter]) -> list[FilterValue]:
    """The reverse of `chosen_filters`: what each control shows for these filters."""
    by_name: dict[tuple[str, str], tuple[AttributeValue, ...]] = {
        (condition.attribute, condition.operator): condition.values for condition in filters
    }
    values: list[FilterValue] = []
    for control in controls:
        held = by_name.get((control.attribute, control.operator))
        if held is None:
            values.append(control.rest())
        elif control.operator == "any_of":
            values.append([str(word) for word in held])
        else:
            values.append(float(held[0]))
    return values

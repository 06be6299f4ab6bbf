"""What the shop's page shows, as plain values: chat messages, captions, cards, filter controls. Knows no widget library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from retrieval.protocols import Facet
from retrieval.schema import AttributeValue, Filter, Item, Message, Turn

ChatMessage = dict[str, Any]
"""`{"role": "user", "content": [{"type": "text", "text": "..."}, {"path": "...", "alt_text": "..."}]}`"""

FilterValue = list[str] | float | None
"""What a filter control holds: chosen words, or a number."""

FACET_ORDER = ("category", "colour", "gender", "brand", "price", "usage", "season", "material", "pattern")
FACETS_SHOWN = 8
WORDS_SHOWN = 80
CARD_ORDER = ("category", "colour", "material", "pattern", "neckline", "sleeves", "length", "fit", "gender", "usage")


@dataclass(frozen=True, slots=True)
class FilterControl:
    """One control of the filter panel."""

    attribute: str
    operator: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()
    """(label with count, value), for any_of."""
    minimum: float = 0.0
    maximum: float = 0.0

    @property
    def step(self) -> float:
        """About a hundred steps over the range, each a round number."""
        return max(1.0, float(10 ** math.floor(math.log10((self.maximum - self.minimum) / 50))))

    def rest(self) -> FilterValue:
        """The value at which the control filters nothing."""
        if self.operator == "any_of":
            return []
        return self.minimum if self.operator == "at_least" else self.maximum


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


def chat_messages(branch: Sequence[Turn], picture: Callable[[str], tuple[str, str]]) -> list[ChatMessage]:
    """`picture` gives (path, alternative text) for an item_id."""
    messages: list[ChatMessage] = []
    for turn in branch:
        shown = [(image.path, "Your picture") for image in turn.message.images]
        if turn.message.selected:
            shown.append(picture(turn.message.selected))
        content: list[dict[str, str]] = [{"path": path, "alt_text": alt} for path, alt in shown]
        if words := said(turn.message):
            content.append({"type": "text", "text": words})
        messages.append({"role": "user", "content": content})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": turn.reply.text}]})
    return messages


def card_html(item: Item) -> str:
    """Name, price and attributes of one item. Everything from the catalogue is escaped."""
    names = [name for name in CARD_ORDER if name in item.attributes]
    names += sorted(name for name in item.attributes if name not in (*CARD_ORDER, "price"))
    rows = "".join(
        f"<div><dt>{escape(title(name))}</dt><dd>{escape(spoken(item.attributes[name], name))}</dd></div>" for name in names
    )
    price = item.attributes.get("price")
    cost = f'<p class="price">{amount(price)}</p>' if isinstance(price, float | int) else ""
    return f'<div class="item"><h3>{escape(item.caption or "This item")}</h3>{cost}<dl>{rows}</dl></div>'


def status_html(n_shown: int, n_items: int, *, searched: bool) -> str:
    """One line over the gallery; read aloud when it changes."""
    what = f"{n_shown} found" if searched else f"A look at the shop: {n_shown} of {n_items:,} items"
    return f'<p role="status" aria-live="polite">{what}</p>'


def filter_controls(facets: Mapping[str, Facet]) -> tuple[FilterControl, ...]:
    """The controls of the filter panel, most useful first; an attribute with one word only is left out."""
    known = [name for name in FACET_ORDER if name in facets] + sorted(set(facets) - set(FACET_ORDER))
    controls: list[FilterControl] = []
    for name in known:
        facet = facets[name]
        if facet.minimum is not None and facet.maximum is not None and facet.minimum < facet.maximum:
            span = {"minimum": facet.minimum, "maximum": facet.maximum}
            controls.append(FilterControl(name, "at_least", f"{title(name)} from", **span))
            controls.append(FilterControl(name, "at_most", f"{title(name)} up to", **span))
        elif len(facet.counts) > 1:
            words = list(facet.counts.items())[:WORDS_SHOWN]
            choices = tuple((f"{word} ({count:,})", word) for word, count in words)
            controls.append(FilterControl(name, "any_of", title(name), choices))
    return tuple(controls[:FACETS_SHOWN])


def chosen_filters(controls: Sequence[FilterControl], values: Sequence[FilterValue]) -> tuple[Filter, ...]:
    """Filters for the controls that are not at rest; `values` runs parallel to `controls`."""
    filters: list[Filter] = []
    for control, value in zip(controls, values, strict=True):
        if value is None or value == control.rest():
            continue
        words: tuple[AttributeValue, ...] = tuple(value) if isinstance(value, list) else (float(value),)
        filters.append(Filter(control.attribute, control.operator, words))  # type: ignore[arg-type]
    return tuple(filters)


def control_values(controls: Sequence[FilterControl], filters: Sequence[Filter]) -> list[FilterValue]:
    """The reverse of `chosen_filters`: what each control shows for these filters."""
    by_name = {(condition.attribute, condition.operator): condition.values for condition in filters}
    values: list[FilterValue] = []
    for control in controls:
        held = by_name.get((control.attribute, control.operator))  # type: ignore[call-overload]
        if held is None:
            values.append(control.rest())
        elif control.operator == "any_of":
            values.append([str(word) for word in held])
        else:
            values.append(float(held[0]))
    return values

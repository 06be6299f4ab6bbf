"""What the page shows of items as HTML: strips of small pictures, two side by side. All text is escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from urllib.parse import quote

from agent.presentation_page import CARD_ORDER, NOT_ON_CARD, amount, caption, spoken, title
from retrieval.schema import AttributeValue, Item

PictureOf = Callable[[Item], str]
"""The path of an item's small picture."""


def file_url(path: str) -> str:
    """Where gradio serves a file of the shop's own folder; relative, so that it holds behind any proxy."""
    return f"gradio_api/file={quote(path)}"


def strip_html(heading: str, items: Sequence[Item], picture: PictureOf) -> str:
    """Small pictures as buttons that carry their item_id; "" for no items."""
    buttons = "".join(
        f'<li><button type="button" data-item="{escape(item.item_id)}" aria-label="{escape(caption(item))}">'
        f'<img src="{escape(file_url(picture(item)))}" alt="" loading="lazy"></button></li>'
        for item in items
    )
    return f"<h4>{escape(heading)}</h4><ul>{buttons}</ul>" if items else ""


def waiting_html(item: Item) -> str:
    """While the second item of a comparison is still to be chosen."""
    return f'<p class="waiting" role="status">Comparing “{escape(name(item))}”: now choose another item below.</p>'


def compare_html(left: Item, right: Item, picture: PictureOf) -> str:
    """A table of two columns; rows in which the two differ are marked, in words too."""
    heads = "".join(
        f'<th scope="col"><img src="{escape(file_url(picture(item)))}" alt="">{escape(name(item))}</th>'
        for item in (left, right)
    )
    rows = "".join(_row(attribute, left, right) for attribute in _attributes(left, right))
    return (
        '<table class="compare"><caption class="unseen">Two items compared</caption>'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def name(item: Item) -> str:
    return item.caption or title(str(item.attributes.get("category", "This item")))


def _attributes(left: Item, right: Item) -> list[str]:
    both = {*left.attributes, *right.attributes}
    known = [attribute for attribute in ("price", *CARD_ORDER) if attribute in both]
    return known + sorted(both.difference(known, NOT_ON_CARD))


def _row(attribute: str, left: Item, right: Item) -> str:
    values = [item.attributes.get(attribute) for item in (left, right)]
    kind = ' class="differs"' if values[0] != values[1] else ""
    cells = "".join(f"<td>{escape(_shown(value, attribute))}</td>" for value in values)
    return f'<tr{kind}><th scope="row">{escape(title(attribute))}</th>{cells}</tr>'


def _shown(value: AttributeValue | None, attribute: str) -> str:
    if value is None:
        return "–"
    return amount(value) if attribute == "price" and not isinstance(value, str) else spoken(value, attribute)

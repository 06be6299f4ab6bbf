"""From a view to what the components show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import gradio as gr

from agent import presentation_items as parts
from agent import presentation_page as show
from agent.presentation import tree
from agent.shopfront import NO_PICTURE, Shop, View
from page.layout import Page
from retrieval.schema import Item

Updates = dict[Any, Any]
"""Component -> its new value or `gr.update`; components that are not in it stay as they are."""


def render(shop: Shop, page: Page, view: View) -> Updates:
    """The whole page: it depends on nothing but the view."""
    items = shop.items(view)
    offers = view.turn.reply.offers if view.turn else ()
    pictures = [(shop.picture(item), show.caption(item)) for item in items]
    steps = [(show.step_label(row), row.turn_number) for row in tree(view.session, view.head)]
    chips = view.chips()
    plan = view.searched.plan if view.searched else None
    return {
        page.view: view,
        page.chat: render_chat(shop, view),
        page.status: show.status_html(len(items), shop.n_fitting(view), searched=view.found() is not None),
        page.gallery: gr.update(value=pictures, selected_index=None),
        page.steps: gr.update(choices=steps, value=view.head),
        page.undo: gr.update(interactive=view.turn is not None),
        page.export: gr.update(value=shop.export(view.session), interactive=bool(view.session.turns)),
        page.address: gr.update(visible=False),
        page.words: gr.update(value=plan.text if plan else "", visible=bool(chips)),
        page.edit: gr.update(visible=bool(chips)),
        **render_card(shop, page, view),
        **labelled(page.chips, [f"{chip.label}  ✕" for chip in chips]),
        **labelled(page.offers, [offer.label for offer in offers]),
        **dict(zip(page.filters, show.control_values(page.controls, plan.filters if plan else ()), strict=True)),
    }


def render_chat(shop: Shop, view: View) -> list[show.ChatMessage]:
    return show.chat_messages(view.branch, partial(_pictured, shop))


def render_card(shop: Shop, page: Page, view: View) -> Updates:
    """The selected item, or two side by side; and the strip of what is kept."""
    item = shop.item(view.selected) if view.selected else None
    pinned = shop.item(view.pinned) if view.pinned else None
    kept = shop.saved_items(view)
    updates: Updates = {
        page.view: view,
        page.saved: gr.update(value=parts.strip_html(f"Kept ({len(kept)})", kept, shop.picture), visible=bool(kept)),
        page.card: gr.update(visible=bool(item or pinned)),
    }
    if item is None and pinned is None:
        return {**updates, page.view: view.unselected()}
    alone = item is not None and pinned is None
    for component in (page.save, page.compare, *page.actions, page.card_picture):
        updates[component] = gr.update(visible=alone)
    updates[page.similar] = ""
    if pinned is not None:
        other = item if item != pinned else None
        both = parts.compare_html(pinned, other, shop.picture) if other else parts.waiting_html(pinned)
        return {**updates, page.card_text: both}
    return {**updates, **_detail(shop, page, view, item)} if item else updates


def _detail(shop: Shop, page: Page, view: View, item: Item) -> Updates:
    return {
        page.card_picture: gr.update(value=shop.picture(item, large=True), alt_text=show.caption(item), visible=True),
        page.card_text: show.card_html(item),
        page.save: gr.update(value="♥ Kept" if item.item_id in view.saved else "♡ Keep", visible=True),
        page.similar: parts.strip_html("Similar", shop.similar(item), shop.picture),
    }


def labelled(buttons: Sequence[gr.Button], labels: Sequence[str]) -> Updates:
    """As many buttons as there are labels; the rest is hidden."""
    padded = [*labels[: len(buttons)], *[""] * (len(buttons) - len(labels))]
    return {button: gr.update(value=label, visible=bool(label)) for button, label in zip(buttons, padded, strict=True)}


def _pictured(shop: Shop, item_id: str) -> tuple[str, str]:
    item = shop.item(item_id)
    return (shop.picture(item), show.caption(item)) if item else (str(NO_PICTURE), "No longer in the gallery")

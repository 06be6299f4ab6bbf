"""What happens on a click or a message: from components to agent/shopfront.py and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import gradio as gr
from gradio.context import LocalContext

from agent import presentation_page as show
from agent.presentation_items import file_url
from agent.shopfront import Shop, View
from page.layout import ITEM_ACTIONS, Page
from page.rendering import Updates, render, render_card
from retrieval.errors import FashionSearchError

EMPTY_BOX: dict[str, Any] = {"text": "", "files": []}
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}

FOCUS_BOX = "() => document.querySelector('#box textarea')?.focus()"
TAKE_BRUSH = """() => setTimeout(() => document.querySelector('#draw button[aria-label="Brush"]')?.click(), 400)"""
SCROLL_TO_CARD = "() => document.getElementById('card')?.scrollIntoView({block: 'nearest', behavior: 'smooth'})"
WAITING = "() => document.body.classList.add('waiting')"
"""Dims what is shown and moves the button; over when the answer or a notice is there."""
DONE = "() => document.body.classList.remove('waiting')"
WHOLE_ADDRESS = """(link) => {
  setTimeout(() => document.getElementById('address')?.scrollIntoView({block: 'nearest', behavior: 'smooth'}), 300);
  return link && new URL(link, window.location.origin + window.location.pathname).href;
}"""


def told(handler: Callable[..., Updates]) -> Callable[..., Updates]:
    """Our own errors become a notice and change nothing on the page; any other propagates to the log."""

    @wraps(handler)
    def run(*values: Any) -> Updates:
        try:
            return handler(*values)
        except FashionSearchError as error:
            gr.Warning(show.without_markup(str(error)), title="Not yet", duration=12)
            skipped: Updates = gr.skip()
            return skipped

    return run


def visitor() -> str:
    """The tab that the event comes from."""
    request = LocalContext.request.get(None)
    return str(request.session_hash) if request else ""


def wire(shop: Shop, page: Page, blocks: gr.Blocks) -> None:
    wire_page(shop, page, blocks)
    _wire_message(shop, page)
    _wire_pictures(shop, page)
    _wire_plan(shop, page)
    _wire_items(shop, page)


def _moving(shop: Shop, page: Page, change: Callable[..., View]) -> Callable[..., Updates]:
    """An event handler from `change(view, *values) -> view`. A tab that rested too long starts anew."""

    @told
    def handle(view: View | None, *values: Any) -> Updates:
        return shop.desk.run(visitor(), lambda: render(shop, page, change(view or View.new(), *values)))

    return handle


def _saying(shop: Shop, page: Page, words: str) -> Callable[..., Updates]:
    """An event handler that says these words, about the selected item if there is one."""

    def say(view: View, *values: show.FilterValue) -> View:
        return shop.send(view, words, (), show.chosen_filters(page.controls, values))

    return _moving(shop, page, say)


def _answering(
    event: Callable[..., Any], handler: Callable[..., Updates], inputs: list[Any], outputs: list[Any]
) -> None:
    """An event that takes its time: the page shows that it is worked on, until it is answered or refused."""
    event(None, js=WAITING, **QUIET)
    event(handler, inputs, outputs, **QUIET).then(None, js=DONE)


def wire_page(shop: Shop, page: Page, blocks: gr.Blocks) -> None:
    """Opening, starting over, moving among the steps, keeping and sharing them."""
    whole = page.changing()
    start, undo = _moving(shop, page, View.started_over), _moving(shop, page, View.undone)

    @told
    def open_page(view: View | None, kept: Any, request: gr.Request) -> Updates:
        known = tuple(item_id for item_id in kept if isinstance(item_id, str)) if isinstance(kept, list) else ()
        fresh = replace(view or View.new(), saved=known)
        token = request.query_params.get("chat", "")
        try:
            return render(shop, page, shop.opened_link(fresh, token) if token else fresh)
        except FashionSearchError as error:
            gr.Warning(show.without_markup(str(error)), title="Not yet", duration=12)
            return render(shop, page, fresh)

    @told
    def make_link(view: View | None) -> Updates:
        token = shop.desk.run(visitor(), lambda: shop.link(view or View.new()))
        return {page.address: gr.update(value=f"?chat={token}", visible=True)}

    blocks.load(open_page, [page.view, page.kept], whole, **QUIET)
    page.restart.click(start, page.view, whole, **QUIET)
    page.steps.input(_moving(shop, page, View.at), [page.view, page.steps], whole, **QUIET)
    page.undo.click(undo, page.view, whole, **QUIET)
    page.chat.clear(start, page.view, whole, **QUIET)
    page.chat.undo(undo, page.view, whole, **QUIET)
    page.open.upload(_moving(shop, page, shop.opened), [page.view, page.open], whole, **QUIET)
    page.link.click(make_link, page.view, page.address, **QUIET).then(
        None, page.address, page.address, js=WHOLE_ADDRESS, **QUIET
    )
    _answering(page.chat.retry, _moving(shop, page, shop.retry), [page.view], whole)


def _wire_message(shop: Shop, page: Page) -> None:
    whole = [*page.changing(), page.box]

    @told
    def send(view: View | None, box: dict[str, Any], *values: show.FilterValue) -> Updates:
        filters = show.chosen_filters(page.controls, values)

        def answer() -> Updates:
            return render(shop, page, shop.send(view or View.new(), box["text"] or "", box["files"], filters))

        return {**shop.desk.run(visitor(), answer), page.box: EMPTY_BOX}

    @told
    def say_example(view: View | None, event: gr.SelectData) -> Updates:
        words = event.value["text"]
        return shop.desk.run(visitor(), lambda: render(shop, page, shop.send(view or View.new(), words)))

    _answering(page.box.submit, send, [page.view, page.box, *page.filters], whole)
    _answering(page.chat.example_select, say_example, [page.view], whole)


def _wire_pictures(shop: Shop, page: Page) -> None:
    """Drawings, and parts of photos. The boards close, so that the message and its answer are in view."""

    @told
    def use_drawing(canvas: dict[str, Any] | None, box: dict[str, Any]) -> Updates:
        drawing = shop.keep_drawing((canvas or {}).get("composite"))
        return {
            page.box: {"text": box["text"], "files": [*box["files"], drawing]},
            page.draw: gr.update(open=False),
        }

    @told
    def show_photo(view: View | None, box: dict[str, Any]) -> Updates:
        photo = shop.picture_to_crop(view or View.new(), box["files"])
        return {page.region: gr.update(value={"path": photo.path, "url": file_url(photo.path)}, visible=True)}

    @told
    def use_part(region: dict[str, Any] | None, box: dict[str, Any]) -> Updates:
        chosen = region or {}
        files = shop.part_of(str(chosen.get("path", "")), chosen.get("box"), box["files"])
        return {page.box: {"text": box["text"], "files": files}, page.photo: gr.update(open=False)}

    page.draw.expand(None, js=TAKE_BRUSH, **QUIET)
    page.use.click(use_drawing, [page.editor, page.box], [page.box, page.draw], **QUIET).then(None, js=FOCUS_BOX)
    page.photo.expand(show_photo, [page.view, page.box], page.region, **QUIET)
    page.use_part.click(use_part, [page.region, page.box], [page.box, page.photo], **QUIET).then(None, js=FOCUS_BOX)


def _wire_plan(shop: Shop, page: Page) -> None:
    """What was understood, changed by hand."""
    whole = page.changing()

    def apply(view: View, words: str | None, *values: show.FilterValue) -> View:
        held = view.searched.plan.filters if view.searched else ()
        visible = show.chosen_filters(page.controls, show.control_values(page.controls, held))
        return shop.apply_filters(view, show.chosen_filters(page.controls, values), visible, words)

    page.edit.click(lambda: gr.update(open=True), None, page.panel, **QUIET).then(
        None, js="() => document.querySelector('#words textarea, #words input')?.focus()"
    )
    page.apply_filters.click(_moving(shop, page, apply), [page.view, page.words, *page.filters], whole, **QUIET)
    page.words.submit(_moving(shop, page, apply), [page.view, page.words, *page.filters], whole, **QUIET)
    page.clear_filters.click(_moving(shop, page, shop.clear_filters), page.view, whole, **QUIET)
    for number, button in enumerate(page.chips):
        button.click(_moving(shop, page, partial(shop.remove_chip, number=number)), page.view, whole, **QUIET)
    for number, button in enumerate(page.offers):
        button.click(_moving(shop, page, partial(shop.take_offer, number=number)), page.view, whole, **QUIET)


def _wire_items(shop: Shop, page: Page) -> None:
    """Choosing, keeping and comparing items."""
    whole, card = page.changing(), [page.view, *page.card_parts()]

    @told
    def select(view: View | None, event: gr.SelectData) -> Updates:
        return render_card(shop, page, shop.select(view or View.new(), event.index))

    @told
    def choose(view: View | None, event: gr.EventData) -> Updates:
        return render_card(shop, page, shop.choose(view or View.new(), str(event.item)))

    @told
    def close(view: View | None) -> Updates:
        return {
            **render_card(shop, page, (view or View.new()).unselected()),
            page.gallery: gr.update(selected_index=None),
        }

    @told
    def pin(view: View | None) -> Updates:
        after = (view or View.new()).pinned_for_comparison()
        return {**render_card(shop, page, after), page.gallery: gr.update(selected_index=None)}

    @told
    def keep(view: View | None) -> Updates:
        after = (view or View.new()).save_toggled()
        return {**render_card(shop, page, after), page.kept: list(after.saved)}

    page.gallery.select(select, page.view, card, **QUIET).then(None, js=SCROLL_TO_CARD)
    for strip in (page.similar, page.saved):
        strip.select(choose, page.view, card, **QUIET).then(None, js=SCROLL_TO_CARD)
    page.close.click(close, page.view, [*card, page.gallery], **QUIET)
    page.compare.click(pin, page.view, [*card, page.gallery], **QUIET)
    page.save.click(keep, page.view, [*card, page.kept], **QUIET)
    for words, button in zip(ITEM_ACTIONS, page.actions, strict=True):
        _answering(button.click, _saying(shop, page, words), [page.view, *page.filters], whole)

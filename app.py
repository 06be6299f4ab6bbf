"""The shop's page: `python app.py`. The only file that imports gradio; agent/shopfront.py works out what happens."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("LANCEDB_LOG", "error")

import gradio as gr
from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse
from gradio.context import LocalContext

from agent import presentation_page as show
from agent.housekeeping import THUMBNAILS, Sweeper
from agent.measures import CONTENT_TYPE
from agent.opening import ENCODER_HELP, encoder_line, open_shop
from agent.presentation import tree
from agent.shopfront import NO_PICTURE, Shop, View
from agent.understanding_step import MAX_CHARACTERS
from retrieval.errors import FashionSearchError
from retrieval.images import open_picture

log = logging.getLogger(__name__)

ASSETS = Path(__file__).parent / "assets"
N_CHIPS = 14
N_OFFERS = 6
CANVAS = (480, 400)
PENCILS: list[str | tuple[str, float]] = [
    "#1b1b1b", "#c0392b", "#2e5fa3", "#2f7d4f", "#e0b341", "#8a5a3b", "#d98aa8", "#ffffff",
]  # fmt: skip
HOUR = 3600
MAX_TABS = 1000
"""Whose conversations are kept in memory; the tab that was quiet for the longest gives way."""
GREETING = "### What are you looking for?\nSay it, show a photo or draw it. Then tell me what to change."
EXAMPLES = ("A dress for the summer", "Black shoes for men", "A warm sweater, not grey", "What goes with jeans?")
ITEM_ACTIONS = ("More like this", "Less like this", "What goes with it")
"""Sent as the words of a message about the selected item."""
EMPTY_BOX: dict[str, Any] = {"text": "", "files": []}
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}

FOCUS_BOX = "() => document.querySelector('#box textarea')?.focus()"
TAKE_BRUSH = """() => setTimeout(() => document.querySelector('#draw button[aria-label="Brush"]')?.click(), 400)"""
SCROLL_TO_CARD = "() => document.getElementById('card')?.scrollIntoView({block: 'nearest', behavior: 'smooth'})"

Updates = dict[Any, Any]
"""Component -> its new value or `gr.update`; components that are not in it stay as they are."""


@dataclass(frozen=True, slots=True)
class Page:
    """The components that events read and write."""

    view: gr.State
    restart: gr.Button
    export: gr.DownloadButton
    chat: gr.Chatbot
    box: gr.MultimodalTextbox
    undo: gr.Button
    draw: gr.Accordion
    editor: gr.ImageEditor
    load: gr.Button
    use: gr.Button
    steps: gr.Radio
    chips: Sequence[gr.Button]
    status: gr.HTML
    filters: Sequence[gr.Dropdown | gr.Slider]
    controls: Sequence[show.FilterControl]
    clear_filters: gr.Button
    apply_filters: gr.Button
    card: gr.Row
    card_picture: gr.Image
    card_text: gr.HTML
    actions: Sequence[gr.Button]
    close: gr.Button
    gallery: gr.Gallery
    offers: Sequence[gr.Button]

    def changing(self) -> list[Any]:
        """All that `render` sets."""
        singles = [self.view, self.chat, self.status, self.gallery, self.steps, self.undo, self.export]
        return [*singles, *self.card_parts(), *self.chips, *self.offers, *self.filters]

    def card_parts(self) -> list[Any]:
        return [self.card, self.card_picture, self.card_text]


# --- from a view to the page ---


def render(shop: Shop, page: Page, view: View) -> Updates:
    """The whole page: it depends on nothing but the view."""
    items = shop.items(view)
    offers = view.turn.reply.offers if view.turn else ()
    pictures = [(shop.picture(item), show.caption(item)) for item in items]
    steps = [(show.step_label(row), row.turn_number) for row in tree(view.session, view.head)]
    return {
        page.view: view,
        page.chat: show.chat_messages(view.branch, partial(_pictured, shop)),
        page.status: show.status_html(len(items), shop.n_fitting(view), searched=view.found() is not None),
        page.gallery: gr.update(value=pictures, selected_index=None),
        page.steps: gr.update(choices=steps, value=view.head),
        page.undo: gr.update(interactive=view.turn is not None),
        page.export: gr.update(value=shop.export(view.session), interactive=bool(view.session.turns)),
        **render_card(shop, page, view),
        **_labelled(page.chips, [f"{chip.label}  ✕" for chip in view.chips()]),
        **_labelled(page.offers, [offer.label for offer in offers]),
        **dict(zip(page.filters, show.control_values(page.controls, view.held_filters), strict=True)),
    }


def render_card(shop: Shop, page: Page, view: View) -> Updates:
    """The selected item."""
    item = shop.item(view.selected) if view.selected else None
    if item is None:
        return {page.view: view.unselected(), page.card: gr.update(visible=False)}
    return {
        page.view: view,
        page.card: gr.update(visible=True),
        page.card_picture: gr.update(value=shop.picture(item), alt_text=show.caption(item)),
        page.card_text: show.card_html(item),
    }


def _labelled(buttons: Sequence[gr.Button], labels: Sequence[str]) -> Updates:
    """As many buttons as there are labels; the rest is hidden."""
    padded = [*labels[: len(buttons)], *[""] * (len(buttons) - len(labels))]
    return {button: gr.update(value=label, visible=bool(label)) for button, label in zip(buttons, padded, strict=True)}


def _pictured(shop: Shop, item_id: str) -> tuple[str, str]:
    item = shop.item(item_id)
    return (shop.picture(item), show.caption(item)) if item else (str(NO_PICTURE), "No longer in the gallery")


# --- the page ---


def build_ui(shop: Shop) -> gr.Blocks:
    blocks = gr.Blocks(title="Dimity", fill_width=True, delete_cache=(HOUR, 12 * HOUR), analytics_enabled=False)
    with blocks:
        view = gr.State(time_to_live=12 * HOUR)
        header = _header()
        with gr.Row(elem_id="columns"):
            with gr.Column(scale=5, min_width=300, elem_id="talk"):
                talk = _talk_column()
            with gr.Column(scale=7, min_width=300, elem_id="results"):
                results = _results_column(show.filter_controls(shop.retriever.facets()))
        page = Page(view=view, **header, **talk, **results)
        _wire_page(shop, page, blocks)
        _wire_message(shop, page)
        _wire_results(shop, page)
    return blocks


def _header() -> dict[str, Any]:
    with gr.Row(elem_id="header"):
        gr.HTML("<h1>Dimity</h1><p>Find clothes by talking about them</p>", elem_id="brand")
        undo = gr.Button("Undo", size="sm", min_width=60, scale=0, elem_id="undo", interactive=False)
        restart = gr.Button("Start over", size="sm", min_width=60, scale=0, elem_id="restart")
        export = gr.DownloadButton("Save chat", size="sm", min_width=60, scale=0, elem_id="export", interactive=False)
    return {"undo": undo, "restart": restart, "export": export}


def _talk_column() -> dict[str, Any]:
    chat = gr.Chatbot(
        elem_id="chat", label="Conversation", show_label=False, height="100%", layout="bubble", render_markdown=False,
        placeholder=GREETING, examples=[{"text": text} for text in EXAMPLES], buttons=[], allow_file_downloads=False,
        allow_tags=False, latex_delimiters=[],
    )  # fmt: skip
    with gr.Row(elem_id="offers"):
        offers = [gr.Button(visible=False, size="sm", min_width=60, scale=0) for _ in range(N_OFFERS)]
    box = gr.MultimodalTextbox(
        elem_id="box", label="Your message", show_label=False, placeholder="Describe it, or add a photo …",
        sources=["upload"], file_types=["image"], file_count="multiple", max_plain_text_length=MAX_CHARACTERS,
    )  # fmt: skip
    with gr.Accordion("Draw or crop a picture", open=False, elem_id="draw") as draw:
        editor = gr.ImageEditor(
            type="pil", show_label=False, label="Drawing", layers=False, transforms=("crop",), canvas_size=CANVAS,
            sources=("upload", "clipboard"), brush=gr.Brush(default_size=6, colors=PENCILS), height=360, buttons=[],
        )  # fmt: skip
        gr.HTML("<p>Draw with the brush. To crop: load a photo, choose the picture tool, then the crop tool.</p>")
        with gr.Row():
            load = gr.Button("Load photo to crop", size="sm", min_width=120)
            use = gr.Button("Use this picture", size="sm", min_width=120, variant="primary")
    with gr.Accordion("Your steps", open=False, elem_id="steps"):
        steps = gr.Radio([], label="Click a step to go back; your next message continues from there")
    return {
        "chat": chat,
        "offers": offers,
        "box": box,
        "draw": draw,
        "editor": editor,
        "load": load,
        "use": use,
        "steps": steps,
    }


def _results_column(controls: Sequence[show.FilterControl]) -> dict[str, Any]:
    with gr.Row(elem_id="chips"):
        chip_buttons = [gr.Button(visible=False, size="sm", min_width=40, scale=0) for _ in range(N_CHIPS)]
    status = gr.HTML(elem_id="status")
    with gr.Accordion("Filters", open=False, elem_id="filters"):
        with gr.Row():
            filters = [_filter_widget(control) for control in controls]
        with gr.Row():
            clear_filters = gr.Button("Clear filters", size="sm")
            apply_filters = gr.Button("Show matching items", size="sm", variant="primary")
    with gr.Row(visible=False, elem_id="card") as card:
        card_picture = gr.Image(
            elem_id="card-picture", label="Selected item", show_label=False, interactive=False, buttons=[], min_width=90
        )  # fmt: skip
        with gr.Column(min_width=150):
            card_text = gr.HTML()
            with gr.Row(elem_id="card-actions"):
                actions = [gr.Button(words, size="sm", min_width=110) for words in ITEM_ACTIONS]
            close = gr.Button("Close", size="sm", elem_id="close-card")
    gallery = gr.Gallery(
        elem_id="gallery", label="Results", show_label=False, columns=4, object_fit="contain", height="auto",
        allow_preview=False, interactive=False, buttons=[],
    )  # fmt: skip
    return {
        "chips": chip_buttons, "status": status, "filters": filters, "clear_filters": clear_filters,
        "apply_filters": apply_filters, "card": card, "card_picture": card_picture, "card_text": card_text,
        "actions": actions, "close": close, "gallery": gallery, "controls": controls,
    }  # fmt: skip


def _filter_widget(control: show.FilterControl) -> gr.Dropdown | gr.Slider:
    if control.operator == "any_of":
        return gr.Dropdown(list(control.choices), value=[], multiselect=True, label=control.label, min_width=160)
    return gr.Slider(
        control.minimum, control.maximum, control.at_rest, label=control.label, min_width=160, step=control.step
    )


def theme() -> gr.themes.Base:
    """Linen, ink and plum; only fonts that every system has."""
    plum = gr.themes.Color(
        "#fbf4f8", "#f5e6ef", "#e9cbdc", "#d6a3c0", "#bd749d", "#9c4c7b", "#7d3561", "#652a4e", "#4e2140", "#3a1930",
        "#270f20",
    )  # fmt: skip
    return gr.themes.Base(
        primary_hue=plum, neutral_hue="stone", radius_size="lg", spacing_size="md",
        font=["system-ui", "Segoe UI", "Roboto", "sans-serif"], font_mono=["ui-monospace", "monospace"],
    ).set(
        body_background_fill="#f7f4ef", body_background_fill_dark="#171415",
        block_background_fill="#ffffff", block_background_fill_dark="#221e20",
        block_border_width="0px", block_shadow="none",
        button_primary_background_fill="*primary_600", button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_dark="*primary_500", button_primary_background_fill_hover_dark="*primary_600",
        button_primary_text_color="#ffffff", button_primary_text_color_dark="#ffffff",
        button_secondary_background_fill="#ffffff", button_secondary_background_fill_dark="#2e282b",
        button_secondary_border_color="#d9d2c8", button_secondary_border_color_dark="#4a4146",
        button_border_width="1px", button_transform_hover="none", input_background_fill="#ffffff",
        input_background_fill_dark="#2a2427", input_border_width="1px", input_border_color="#d9d2c8",
        input_border_color_dark="#4a4146", input_placeholder_color="#6f6862", input_placeholder_color_dark="#a89f99",
    )  # fmt: skip


# --- events ---


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


def _moving(shop: Shop, page: Page, change: Callable[..., View]) -> Callable[..., Updates]:
    """An event handler from `change(view, *values) -> view`. A tab that rested too long starts anew."""

    @told
    def handle(view: View | None, *values: Any) -> Updates:
        return shop.desk.run(visitor(), lambda: render(shop, page, change(view or View.new(), *values)))

    return handle


def visitor() -> str:
    """The tab that the event comes from."""
    request = LocalContext.request.get(None)
    return str(request.session_hash) if request else ""


def _saying(shop: Shop, page: Page, words: str) -> Callable[..., Updates]:
    """An event handler that says these words, about the selected item if there is one."""

    def say(view: View, *values: show.FilterValue) -> View:
        return shop.send(view, words, (), show.chosen_filters(page.controls, values))

    return _moving(shop, page, say)


def _wire_page(shop: Shop, page: Page, blocks: gr.Blocks) -> None:
    """Opening, starting over, moving among the steps."""
    whole = page.changing()
    start = _moving(shop, page, lambda _view: View.new())
    undo = _moving(shop, page, View.undone)
    blocks.load(start, page.view, whole, **QUIET)
    page.restart.click(start, page.view, whole, **QUIET)
    page.steps.input(_moving(shop, page, View.at), [page.view, page.steps], whole, **QUIET)
    page.undo.click(undo, page.view, whole, **QUIET)
    page.chat.clear(start, page.view, whole, **QUIET)
    page.chat.undo(undo, page.view, whole, **QUIET)
    page.chat.retry(_moving(shop, page, shop.retry), page.view, whole, **QUIET)


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

    @told
    def use_drawing(canvas: dict[str, Any] | None, box: dict[str, Any]) -> Updates:
        drawing = shop.keep_drawing((canvas or {}).get("composite"))
        # the board closes, so that the message and its answer are in view
        return {
            page.box: {"text": box["text"], "files": [*box["files"], drawing]},
            page.draw: gr.update(open=False),
        }

    @told
    def load_picture(view: View | None) -> Updates:
        return {page.editor: open_picture(shop.picture_to_crop(view or View.new()).path)}

    page.box.submit(send, [page.view, page.box, *page.filters], whole, **QUIET)
    page.chat.example_select(say_example, page.view, whole, **QUIET)
    page.draw.expand(None, js=TAKE_BRUSH)
    page.use.click(use_drawing, [page.editor, page.box], [page.box, page.draw], **QUIET).then(None, js=FOCUS_BOX)
    page.load.click(load_picture, page.view, page.editor, **QUIET)


def _wire_results(shop: Shop, page: Page) -> None:
    whole, card = page.changing(), [page.view, *page.card_parts()]

    def apply(view: View, *values: show.FilterValue) -> View:
        return shop.apply_filters(view, show.chosen_filters(page.controls, values))

    @told
    def select(view: View | None, event: gr.SelectData) -> Updates:
        return render_card(shop, page, shop.select(view or View.new(), event.index))

    @told
    def close(view: View | None) -> Updates:
        after = (view or View.new()).unselected()
        return {**render_card(shop, page, after), page.gallery: gr.update(selected_index=None)}

    page.gallery.select(select, page.view, card, **QUIET).then(None, js=SCROLL_TO_CARD)
    page.close.click(close, page.view, [*card, page.gallery], **QUIET)
    for words, button in zip(ITEM_ACTIONS, page.actions, strict=True):
        button.click(_saying(shop, page, words), [page.view, *page.filters], whole, **QUIET)
    for number, button in enumerate(page.chips):
        button.click(_moving(shop, page, partial(shop.remove_chip, number=number)), page.view, whole, **QUIET)
    for number, button in enumerate(page.offers):
        button.click(_moving(shop, page, partial(shop.take_offer, number=number)), page.view, whole, **QUIET)
    page.apply_filters.click(_moving(shop, page, apply), [page.view, *page.filters], whole, **QUIET)
    page.clear_filters.click(_moving(shop, page, shop.clear_filters), page.view, whole, **QUIET)


# --- start ---


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    logging.captureWarnings(True)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the temporary folder is removed
    with tempfile.TemporaryDirectory(prefix="dimity-") as folder:
        os.environ["GRADIO_TEMP_DIR"] = folder  # gradio serves what lies in it, and deletes it when it is old
        try:
            shop = open_shop(Path(folder), options.gallery, options.index, options.encoder)
            log.info(encoder_line(options.encoder))
            if options.check:
                return check(shop)
            Sweeper(Path(folder)).start()
            return serve(shop, options.host, options.port)
        except FashionSearchError as error:
            print(error, file=sys.stderr)
            return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="app.py", description="Find clothes by talking about them.")
    parser.add_argument("--gallery", help="CSV, JSONL, Parquet or a folder; default: the embedded gallery")
    parser.add_argument("--index", type=Path, help="directory of the index; default: in the user's cache")
    parser.add_argument("--encoder", help=ENCODER_HELP)
    parser.add_argument("--host", default="0.0.0.0" if "SPACE_ID" in os.environ else "127.0.0.1")
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--check", action="store_true", help="answer one message, print the turn and exit")
    return parser


def check(shop: Shop) -> int:
    """0 if a message is answered with items."""
    turn = shop.send(View.new(), EXAMPLES[0]).turn
    hits = turn.ranking.hits if turn and turn.ranking else ()
    print(f"> {EXAMPLES[0]}\n{turn.reply.text if turn else ''}")
    for hit in hits:
        item = shop.item(hit.item_id)
        print(f"{hit.score:.3f}  {hit.item_id}  {item.caption if item else ''}")
    return 0 if hits else 1


def add_watching(served: FastAPI, shop: Shop) -> None:
    """For those who look after the process: /healthz as JSON, /metrics for Prometheus; nothing of what visitors say."""

    @served.get("/healthz")
    async def healthz() -> JSONResponse:
        try:
            return JSONResponse({"status": "ok", "items": shop.retriever.count()})
        except FashionSearchError as error:
            log.error("not healthy: %s", error)
            return JSONResponse({"status": "failed"}, status_code=503)

    @served.get("/metrics")
    async def metrics() -> PlainTextResponse:
        return PlainTextResponse(shop.desk.measures.text(), media_type=CONTENT_TYPE)


def serve(shop: Shop, host: str, port: int) -> int:
    gr.set_static_paths([shop.folder / THUMBNAILS])  # a third of what gradio does for an answer went into checking them
    blocks = build_ui(shop)
    # More may come in than the desk takes: those who are too many are told so by it and not by the queue.
    blocks.queue(default_concurrency_limit=30, max_size=256)
    try:
        served, _, _ = blocks.launch(
            server_name=host, server_port=port, share=False, quiet=True, show_error=False, max_file_size="20mb",
            run_history=False, footer_links=[], theme=theme(), css_paths=[ASSETS / "app.css"],
            js=(ASSETS / "app.js").read_text(encoding="utf-8"), ssr_mode=False, prevent_thread_lock=True,
            state_session_capacity=MAX_TABS, enable_monitoring=False,
        )  # fmt: skip
    except OSError:
        print(
            f"Cannot listen on {host}:{port}: the port is taken or not allowed. Choose another port with --port.",
            file=sys.stderr,
        )
        return 1
    add_watching(served, shop)
    log.info("Open http://%s:%d in a browser; stop with Ctrl-C.", "localhost" if host == "0.0.0.0" else host, port)
    blocks.block_thread()
    return 0


if __name__ == "__main__":
    sys.exit(main())

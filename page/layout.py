"""The components of the page and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from agent import presentation_page as show
from agent.understanding_step import MAX_CHARACTERS

ASSETS = Path(__file__).parent.parent / "assets"
N_CHIPS = 14
N_OFFERS = 6
CANVAS = (480, 400)
PENCILS: list[str | tuple[str, float]] = [
    "#1b1b1b", "#c0392b", "#2e5fa3", "#2f7d4f", "#e0b341", "#8a5a3b", "#d98aa8", "#ffffff",
]  # fmt: skip
GREETING = "## What are you looking for?\nSay it, show a photo or draw it. Then tell me what to change."
EXAMPLES = ("A dress for the summer", "Black shoes for men", "A warm sweater, not grey", "What goes with jeans?")
ITEM_ACTIONS = ("More like this", "Less like this", "What goes with it")
"""Sent as the words of a message about the selected item."""

STRIP = """element.addEventListener('click', event => {
  const button = event.target.closest('button[data-item]');
  if (button) trigger('select', {item: button.dataset.item});
});"""
"""A strip of pictures: which of them was clicked."""
REGION = (ASSETS / "region.js").read_text(encoding="utf-8")
REGION_HTML = """<div class="frame"><img src="${value.url || ''}" alt="The photo to choose a part of">
<div class="part" tabindex="0" role="group"
aria-label="Chosen part. Arrow keys move it, shift with arrow keys sizes it."></div></div>"""


@dataclass(frozen=True, slots=True)
class Page:
    """The components that events read and write."""

    view: gr.State
    kept: gr.BrowserState
    restart: gr.Button
    export: gr.DownloadButton
    chat: gr.Chatbot
    box: gr.MultimodalTextbox
    undo: gr.Button
    draw: gr.Accordion
    editor: gr.ImageEditor
    use: gr.Button
    photo: gr.Accordion
    region: gr.HTML
    use_part: gr.Button
    steps: gr.Radio
    open: gr.UploadButton
    link: gr.Button
    address: gr.Textbox
    chips: Sequence[gr.Button]
    edit: gr.Button
    status: gr.HTML
    panel: gr.Accordion
    words: gr.Textbox
    filters: Sequence[gr.Dropdown | gr.Slider]
    controls: Sequence[show.FilterControl]
    clear_filters: gr.Button
    apply_filters: gr.Button
    card: gr.Row
    card_picture: gr.Image
    card_text: gr.HTML
    actions: Sequence[gr.Button]
    save: gr.Button
    compare: gr.Button
    close: gr.Button
    similar: gr.HTML
    saved: gr.HTML
    gallery: gr.Gallery
    offers: Sequence[gr.Button]

    def changing(self) -> list[Any]:
        """All that `render` sets."""
        singles = [self.view, self.chat, self.status, self.gallery, self.steps, self.undo, self.export, self.words]
        return [*singles, self.address, self.edit, *self.card_parts(), *self.chips, *self.offers, *self.filters]

    def card_parts(self) -> list[Any]:
        """All that `render_card` sets."""
        return [
            self.card, self.card_picture, self.card_text, self.save, self.compare, *self.actions,
            self.similar, self.saved,
        ]  # fmt: skip


def lay_out(controls: Sequence[show.FilterControl], hours: float) -> Page:
    """Inside of a `gr.Blocks`; a conversation that rests for `hours` is forgotten."""
    view = gr.State(time_to_live=int(hours * 3600))
    # The "secret" only scrambles what lies in the visitor's own browser: names of items.
    kept = gr.BrowserState([], storage_key="dimity-saved", secret="dimity")
    parts = _header()
    with gr.Row(elem_id="columns"):
        with gr.Column(scale=5, min_width=300, elem_id="talk"):
            parts |= _talk()
        with gr.Column(scale=7, min_width=300, elem_id="results"):
            parts |= _wish(controls) | _card() | _results()
    return Page(view=view, kept=kept, controls=controls, **parts)


def _header() -> dict[str, Any]:
    with gr.Row(elem_id="header"):
        gr.HTML("<h1>Dimity</h1><p>Find clothes by talking about them</p>", elem_id="brand")
        undo = gr.Button("Undo", size="sm", min_width=60, scale=0, elem_id="undo", interactive=False)
        restart = gr.Button("Start over", size="sm", min_width=60, scale=0, elem_id="restart")
        export = gr.DownloadButton("Save chat", size="sm", min_width=60, scale=0, elem_id="export", interactive=False)
    return {"undo": undo, "restart": restart, "export": export}


def _talk() -> dict[str, Any]:
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
    return {"chat": chat, "offers": offers, "box": box, **_drawing(), **_photo(), **_steps()}


def _drawing() -> dict[str, Any]:
    with gr.Accordion("Draw it", open=False, elem_id="draw") as draw:
        editor = gr.ImageEditor(
            type="pil", show_label=False, label="Drawing", layers=False, transforms=(), canvas_size=CANVAS, sources=(),
            brush=gr.Brush(default_size=6, colors=PENCILS), height=360, buttons=[],
        )  # fmt: skip
        use = gr.Button("Use this drawing", size="sm", min_width=120, variant="primary")
    return {"draw": draw, "editor": editor, "use": use}


def _photo() -> dict[str, Any]:
    with gr.Accordion("Pick a part of a photo", open=False, elem_id="photo") as photo:
        region = gr.HTML({}, html_template=REGION_HTML, js_on_load=REGION, elem_id="region", visible=False)
        use_part = gr.Button("Use this part", size="sm", min_width=120, variant="primary")
    return {"photo": photo, "region": region, "use_part": use_part}


def _steps() -> dict[str, Any]:
    with gr.Accordion("Your steps · open · share", open=False, elem_id="steps"):
        steps = gr.Radio([], label="Click a step to go back; your next message continues from there")
        with gr.Row():
            opened = gr.UploadButton("Open saved chat", size="sm", min_width=120, file_types=[".jsonl", ".zip"])
            link = gr.Button("Make a link", size="sm", min_width=120, elem_id="link")
        address = gr.Textbox(
            label="Whoever has this link sees a copy of this chat, pictures included", visible=False, interactive=False,
            elem_id="address", buttons=["copy"],
        )  # fmt: skip
    return {"steps": steps, "open": opened, "link": link, "address": address}


def _wish(controls: Sequence[show.FilterControl]) -> dict[str, Any]:
    with gr.Row(elem_id="chips"):
        chip_buttons = [gr.Button(visible=False, size="sm", min_width=40, scale=0) for _ in range(N_CHIPS)]
        edit = gr.Button("Edit", size="sm", min_width=40, scale=0, visible=False, elem_id="edit")
    status = gr.HTML(elem_id="status")
    with gr.Accordion("Filters and words", open=False, elem_id="filters") as panel:
        words = gr.Textbox(label="Words", placeholder="What to look for", elem_id="words", max_length=MAX_CHARACTERS)
        with gr.Row():
            filters = [_filter_widget(control) for control in controls]
        with gr.Row():
            clear_filters = gr.Button("Clear filters", size="sm")
            apply_filters = gr.Button("Show matching items", size="sm", variant="primary")
    return {
        "chips": chip_buttons, "edit": edit, "status": status, "panel": panel, "words": words, "filters": filters,
        "clear_filters": clear_filters, "apply_filters": apply_filters,
    }  # fmt: skip


def _card() -> dict[str, Any]:
    with gr.Row(visible=False, elem_id="card") as card:
        card_picture = gr.Image(
            elem_id="card-picture", label="Selected item", show_label=False, interactive=False, buttons=[], min_width=90
        )  # fmt: skip
        with gr.Column(min_width=150):
            card_text = gr.HTML()
            with gr.Row(elem_id="card-actions"):
                actions = [gr.Button(words, size="sm", min_width=110) for words in ITEM_ACTIONS]
                save = gr.Button("♡ Keep", size="sm", min_width=110, elem_id="save")
                compare = gr.Button("Compare", size="sm", min_width=110, elem_id="compare")
            similar = gr.HTML(js_on_load=STRIP, elem_id="similar", elem_classes="strip")
            close = gr.Button("Close", size="sm", elem_id="close-card")
    return {
        "card": card, "card_picture": card_picture, "card_text": card_text, "actions": actions, "save": save,
        "compare": compare, "close": close, "similar": similar,
    }  # fmt: skip


def _results() -> dict[str, Any]:
    saved = gr.HTML(js_on_load=STRIP, elem_id="saved", elem_classes="strip", visible=False)
    gallery = gr.Gallery(
        elem_id="gallery", label="Results", show_label=False, columns=4, object_fit="contain", height="auto",
        allow_preview=False, interactive=False, buttons=[],
    )  # fmt: skip
    return {"saved": saved, "gallery": gallery}


def _filter_widget(control: show.FilterControl) -> gr.Dropdown | gr.Slider:
    if control.operator == "any_of":
        return gr.Dropdown(list(control.choices), value=[], multiselect=True, label=control.label, min_width=160)
    return gr.Slider(
        control.minimum, control.maximum, control.at_rest, label=control.label, min_width=160, step=control.step
    )

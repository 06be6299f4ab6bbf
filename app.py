"""The shop: `python app.py` opens it, page/ shows it, agent/shopfront.py works out what happens."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("LANCEDB_LOG", "error")

import gradio as gr
from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse

from agent import presentation_page as show
from agent import zero_gpu
from agent.housekeeping import THUMBNAILS, Sweeper
from agent.measures import CONTENT_TYPE
from agent.opening import ENCODER_HELP, add_planner_options, chosen_chat, encoder_line, open_shop, planner_line
from agent.shopfront import Shop, View
from page.api import add_endpoints
from page.events import wire
from page.layout import EXAMPLES, lay_out
from page.theme import theme
from retrieval.errors import FashionSearchError

log = logging.getLogger(__name__)

ASSETS = Path(__file__).parent / "assets"
HOUR = 3600
MAX_TABS = 1000
"""Whose conversations are kept in memory; the tab that was quiet for the longest gives way."""
KEPT_HOURS = 12
FIRST_PAINT = """<style>gradio-app:not(:has(.gradio-container))::before { content: "Dimity"; display: block;
padding: 14px 22px; font: 600 1.75rem Georgia, serif; }</style>"""
"""There before any script is."""


def build_ui(shop: Shop) -> gr.Blocks:
    blocks = gr.Blocks(
        title="Dimity", fill_width=True, delete_cache=(HOUR, KEPT_HOURS * HOUR), analytics_enabled=False
    )  # fmt: skip
    with blocks:
        page = lay_out(show.filter_controls(shop.retriever.facets()), KEPT_HOURS)
        wire(shop, page, blocks)
        add_endpoints(shop)
    return blocks


# --- start ---


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    logging.captureWarnings(True)
    for client in ("httpx", "httpx2"):
        logging.getLogger(client).setLevel(logging.WARNING)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the temporary folder is removed
    with tempfile.TemporaryDirectory(prefix="dimity-") as folder:
        os.environ["GRADIO_TEMP_DIR"] = folder  # gradio serves what lies in it, and deletes it when it is old
        try:
            chat = chosen_chat(options)
            shop = open_shop(Path(folder), options.gallery, options.index, options.encoder, chat)
            shop = replace(shop, kept=options.links)
            log.info("%s %s", encoder_line(options.encoder), planner_line(chat))
            if options.check:
                return check(shop)
            zero_gpu.announce()
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
    add_planner_options(parser)
    parser.add_argument("--links", type=Path, help="directory of conversations behind links; default: while it runs")
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
            js=(ASSETS / "app.js").read_text(encoding="utf-8"), ssr_mode=False, head=FIRST_PAINT,
            prevent_thread_lock=True, state_session_capacity=MAX_TABS, enable_monitoring=False,
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

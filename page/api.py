"""The same turns for programs, by Gradio's client or plain HTTP. A conversation is sent along, and returned."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import gradio as gr
from gradio.events import api

from agent.presentation_page import without_markup
from agent.shopfront import UPLOADS, Shop, View
from page.events import visitor
from retrieval.errors import FashionSearchError, ImageError
from retrieval.picture_files import store_upload
from retrieval.schema import Item
from retrieval.sessions import plan_to_dict, session_from_jsonl, session_to_jsonl

Answer = dict[str, Any]


def add_endpoints(shop: Shop) -> None:
    """Inside of a `gr.Blocks`."""

    def say(text: str = "", pictures: list[str] | None = None, item: str = "", session: str = "") -> Answer:
        """One turn: words, pictures (base64) or an item's id; `session` is what the turn before returned, or "".

        Returns reply, items (id, name, attributes, score), plan, offers and the session to go on with.
        """
        return _refusing(lambda: shop.desk.run(visitor(), lambda: _said(shop, text, pictures or [], item, session)))

    def similar(item: str) -> Answer:
        """The items whose pictures are nearest to this item's, nearest first."""
        return _refusing(lambda: shop.desk.run(visitor(), lambda: _similar(shop, item)))

    api(say, api_name="say")
    api(similar, api_name="similar")


def _said(shop: Shop, text: str, pictures: list[str], item: str, session: str) -> Answer:
    before = session_from_jsonl(session, shop.folder / UPLOADS) if session else View.new().session
    view = View(before, before.latest.turn_number if before.latest else None)
    view = shop.choose(view, item) if item else view
    files = [store_upload(_bytes(picture), shop.folder / UPLOADS).path for picture in pictures]
    after = shop.send(view, text, files)
    turn = after.turn
    assert turn is not None  # `send` made it
    scores = {hit.item_id: hit.score for hit in turn.ranking.hits} if turn.ranking else {}
    return {
        "reply": turn.reply.text,
        "items": [{**_shown(found), "score": scores[found.item_id]} for found in shop.items(after)] if scores else [],
        "plan": plan_to_dict(turn.plan),
        "offers": [offer.label for offer in turn.reply.offers],
        "session": session_to_jsonl(after.session),
    }


def _similar(shop: Shop, item_id: str) -> Answer:
    item = shop.item(shop.choose(View.new(), item_id).selected or "")
    return {"items": [_shown(found) for found in shop.similar(item)] if item else []}


def _shown(item: Item) -> Answer:
    return {"id": item.item_id, "name": item.caption, "attributes": dict(item.attributes)}


def _bytes(picture: str) -> bytes:
    """Of base64, with or without "data:image/...;base64," before it."""
    try:
        return base64.b64decode(picture.partition(",")[2] if picture.startswith("data:") else picture, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageError("A picture is sent as base64 of its file's bytes.") from error


def _refusing(answer: Any) -> Answer:
    """Our own errors reach the caller as they are; any other stays in the log."""
    try:
        result: Answer = answer()
        return result
    except FashionSearchError as error:
        raise gr.Error(without_markup(str(error)), print_exception=False) from error

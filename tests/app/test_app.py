"""The page's wiring and the command line, without a browser."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from PIL import Image as Pictures

import app
from agent import presentation_page as show
from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from agent.shopfront import Shop, View
from page.events import told
from page.layout import Page, lay_out
from page.rendering import Updates, labelled, render
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import MessageError
from retrieval.images import open_picture
from retrieval.picture_files import image_id
from retrieval.retriever import Retriever
from retrieval.schema import Image, Item
from retrieval.stores.memory import MemoryStore


def shop_of(folder: Path, captions: tuple[str, ...]) -> Shop:
    items = []
    for number, caption in enumerate(captions):
        path = folder / f"{number}.png"
        Pictures.new("RGB", (40, 50 + number), (9 * number, 90, 90)).save(path)
        colour, category = caption.split()
        attributes = {"category": category, "colour": colour, "price": 10.0 + number}
        items.append(Item(str(number), Image(image_id(path.read_bytes()), str(path)), caption, attributes))
    encoder, store = HashingEncoder(), MemoryStore(64)
    store.add(items, encoder.encode_items(items, [open_picture(item.image.path) for item in items]))
    store.commit()
    retriever = Retriever(encoder, store)
    return Shop.open(Assistant(retriever, RulesPlanner()), retriever, folder / "served")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    captions = ("Red Dress", "Blue Dress", "Black Dress", "Red Boots", "Blue Boots", "Grey Shirt")
    return shop_of(tmp_path_factory.mktemp("shop"), captions)


@pytest.fixture(scope="module")
def page(shop: Shop) -> Page:
    with gr.Blocks():
        return lay_out(show.filter_controls(shop.retriever.facets()), 1)


def test_only_the_two_named_endpoints_are_for_programs(shop: Shop) -> None:
    blocks = app.build_ui(shop)
    outward = {event.api_name for event in blocks.fns.values() if event.api_visibility != "private"}
    assert outward == {"say", "similar"}


def test_every_component_that_changes_is_set_by_a_new_view(shop: Shop, page: Page) -> None:
    updates = render(shop, page, View.new())
    assert set(updates) >= set(page.changing()) - set(page.card_parts())
    assert set(updates) <= set(page.changing())


def test_an_answer_fills_chat_gallery_chips_and_steps(shop: Shop, page: Page) -> None:
    updates = render(shop, page, shop.send(View.new(), "a red dress"))
    assert [message["role"] for message in updates[page.chat]] == ["user", "assistant"]
    assert updates[page.gallery]["value"][0][1] == "Red Dress\n10"
    assert updates[page.chips[0]]["visible"]
    assert updates[page.steps]["value"] == 1
    assert updates[page.export]["interactive"]


def test_paths_on_the_page_are_only_such_as_the_shop_made(shop: Shop, page: Page) -> None:
    updates = render(shop, page, shop.send(View.new(), "https://example.org/dress.png or /etc/passwd"))
    assert all(Path(path).is_relative_to(shop.folder) for path, _ in updates[page.gallery]["value"])
    parts = [part for message in updates[page.chat] for part in message["content"]]
    assert all(Path(part["path"]).is_relative_to(shop.folder) for part in parts if "path" in part)
    assert [part["type"] for part in updates[page.chat][0]["content"]] == ["text"]


def test_more_labels_than_buttons_are_cut_and_fewer_hide_the_rest() -> None:
    buttons = [gr.Button() for _ in range(2)]
    assert [update["visible"] for update in labelled(buttons, ["a"]).values()] == [True, False]
    assert [update["value"] for update in labelled(buttons, ["a", "b", "c"]).values()] == ["a", "b"]


def test_our_own_errors_become_a_notice_and_leave_the_page_as_it_is() -> None:
    def refuse(_view: View) -> Updates:
        raise MessageError("Type something first.")

    with pytest.warns(UserWarning, match="Type something first"):
        outcome: Any = told(refuse)(View.new())
    assert outcome == gr.skip()


def test_any_other_error_is_a_bug_and_goes_up() -> None:
    def fail(_view: View) -> Updates:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        told(fail)(View.new())


def test_a_check_prints_the_answer_and_succeeds(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.check(shop) == 0
    assert "Dress" in capsys.readouterr().out


def test_a_check_without_any_result_fails(tmp_path: Path) -> None:
    assert app.check(shop_of(tmp_path, ("Grey Tie", "Red Tie"))) == 1


def test_a_port_that_is_taken_is_reported(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert app.serve(shop, "127.0.0.1", port) == 1
    assert f"127.0.0.1:{port}" in capsys.readouterr().err


def test_a_gallery_that_is_not_there_ends_with_what_to_do(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))  # put back afterwards
    missing = tmp_path / "nothing.csv"
    assert app.main(["--gallery", str(missing), "--index", str(tmp_path / "index"), "--check"]) == 1
    assert "nothing.csv does not exist" in capsys.readouterr().err

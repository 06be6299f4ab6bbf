"""Questions of somebody who waits: over real HTTP to a small server that speaks the protocol."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from retrieval.chat import ChatEndpoint, ChatSettings, Form, LiveChat, LiveSettings, Question
from retrieval.errors import ChatError

SCHEMA = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}


def known_kind(answer: Mapping[str, Any]) -> None:
    if answer.get("kind") not in ("dress", "shirt"):
        raise ValueError("it is no kind")


KIND = Question("a message", "Kind?", ["a dress"], Form("kind", SCHEMA, known_kind))
TEXT = Question("a reply", "Say it.", ["a dress"], max_tokens=50)


def live(server: Any, seconds: float = 60.0, rest_s: float = 20.0) -> LiveChat:
    return LiveChat(ChatEndpoint(server.url, "m", settings=ChatSettings()), LiveSettings(seconds, rest_s))


def test_an_answer_is_streamed_by_schema_and_not_kept(chat_server: Any) -> None:
    chat_server.answer = lambda _: (200, '{"kind": "dress"}')
    chat = live(chat_server)
    assert [chat.ask(KIND), chat.ask(KIND)] == [{"kind": "dress"}] * 2
    assert len(chat_server.requests) == 2
    assert chat_server.requests[0]["stream"] is True
    assert chat_server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_words_come_as_they_are_written(chat_server: Any) -> None:
    chat_server.pause_s = 0.1
    chat_server.answer = lambda _: (200, "A red dress, as you wished.")
    began = time.monotonic()
    pieces = live(chat_server).words(TEXT)
    first = next(pieces)
    after_first = time.monotonic() - began
    assert first + "".join(pieces) == "A red dress, as you wished."
    assert time.monotonic() - began > after_first + 0.2


def test_words_come_without_the_thoughts_before_them(chat_server: Any) -> None:
    chat_server.answer = lambda _: (200, "<think>red, or blue?</think>A red dress.")
    assert "".join(live(chat_server).words(TEXT)) == "A red dress."


def test_short_words_that_are_no_thought_come_whole(chat_server: Any) -> None:
    chat_server.answer = lambda _: (200, "<th")
    assert "".join(live(chat_server).words(TEXT)) == "<th"


def test_an_endpoint_that_does_not_stream_answers_whole(chat_server: Any) -> None:
    chat_server.streams = False
    chat_server.answer = lambda _: (200, "A red dress.")
    assert list(live(chat_server).words(TEXT)) == ["A red dress."]


def test_an_unusable_answer_is_asked_for_once_more_and_then_given_up(chat_server: Any) -> None:
    replies = iter(['{"kind": "tree"}', '{"kind": "shirt"}', "no", "no", "no"])
    chat_server.answer = lambda _: (200, next(replies))
    chat = live(chat_server)
    assert chat.ask(KIND) == {"kind": "shirt"}
    with pytest.raises(ChatError, match="no usable answer about a message"):
        chat.ask(KIND)
    assert [body["temperature"] for body in chat_server.requests] == [0.0, 0.3, 0.0, 0.3]


def test_a_server_that_fails_is_asked_twice_and_then_left_alone_for_a_while(chat_server: Any) -> None:
    chat_server.answer = lambda _: (503, "starting")
    chat = live(chat_server, rest_s=0.5)
    with pytest.raises(ChatError, match="503"):
        chat.ask(KIND)
    assert len(chat_server.requests) == 2
    with pytest.raises(ChatError, match="left alone"):
        chat.ask(KIND)
    assert len(chat_server.requests) == 2
    time.sleep(0.6)
    chat_server.answer = lambda _: (200, '{"kind": "shirt"}')
    assert chat.ask(KIND) == {"kind": "shirt"}


def test_a_slow_drip_is_given_up_in_time(chat_server: Any) -> None:
    chat_server.pause_s = 0.2
    chat_server.answer = lambda _: (200, '{"kind": "dress"}' + " " * 400)
    began = time.monotonic()
    with pytest.raises(ChatError, match=r"took longer than 1\.0 seconds"):
        live(chat_server, seconds=1.0).ask(KIND)
    assert time.monotonic() - began < 2


def test_a_server_that_says_nothing_is_given_up_in_time(chat_server: Any) -> None:
    said = threading.Event()
    chat_server.answer = lambda _: (200, str(said.wait(10)))
    began = time.monotonic()
    with pytest.raises(ChatError):
        live(chat_server, seconds=0.5).ask(KIND)
    assert time.monotonic() - began < 1.5
    said.set()


def test_an_endless_answer_is_cut_off(chat_server: Any) -> None:
    chat_server.n_characters = 1000
    chat_server.answer = lambda _: (200, "x" * 9_000)
    with pytest.raises(ChatError, match="more than 8000 characters"):
        "".join(live(chat_server).words(TEXT))


def test_what_nobody_listens_at_is_an_error_at_once() -> None:
    chat = LiveChat(ChatEndpoint("http://127.0.0.1:9/v1", "m"))
    began = time.monotonic()
    with pytest.raises(ChatError, match="cannot be reached"):
        chat.ask(KIND)
    assert time.monotonic() - began < 3


def test_a_page_instead_of_an_answer_is_an_error(chat_server: Any) -> None:
    chat_server.raw = b"<html>maintenance</html>"
    with pytest.raises(ChatError, match="no JSON"):
        live(chat_server).ask(KIND)


def test_an_endpoint_that_does_not_know_a_field_is_asked_without_it_from_then_on(chat_server: Any) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, str]:
        if "chat_template_kwargs" in body:
            return 400, "Unrecognized request argument supplied: chat_template_kwargs"
        return 200, '{"kind": "dress"}'

    chat_server.answer = answer
    chat = live(chat_server)
    assert [chat.ask(KIND), chat.ask(KIND)] == [{"kind": "dress"}] * 2
    assert ["chat_template_kwargs" in body for body in chat_server.requests] == [True, False, False]


def test_an_endpoint_that_takes_no_pictures_gets_the_words_alone_from_then_on(chat_server: Any, tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, str]:
        if any(part["type"] == "image_url" for part in body["messages"][1]["content"]):
            return 500, "image input is not supported - hint: you may need to provide the mmproj"
        return 200, '{"kind": "dress"}'

    Image.new("RGB", (8, 8), "red").save(tmp_path / "red.png")
    chat_server.answer = answer
    chat = live(chat_server)
    shown = Question("a message", "Kind?", ["this", tmp_path / "red.png"], KIND.form)
    assert chat.ask(shown) == {"kind": "dress"}
    n_asked = len(chat_server.requests)
    assert chat.ask(shown) == {"kind": "dress"}
    assert len(chat_server.requests) == n_asked + 1
    assert "chat_template_kwargs" in chat_server.requests[-1]


def test_a_key_that_is_refused_is_said_and_not_tried_again(chat_server: Any) -> None:
    chat_server.answer = lambda _: (401, "no")
    with pytest.raises(ChatError, match="DIMITY_CHAT_API_KEY"):
        live(chat_server).ask(KIND)
    assert len(chat_server.requests) == 1

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from retrieval.chat import ChatEndpoint, ChatSettings, Form, Question
from retrieval.chat.cache import AnswerCache
from retrieval.chat.questions import parse
from retrieval.errors import ChatError, ImageError

SCHEMA = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}


def known_kind(answer: Mapping[str, Any]) -> None:
    if answer.get("kind") not in ("dress", "shirt"):
        raise ValueError("it is no kind")


KIND = Form("kind", SCHEMA, known_kind)


def endpoint(server: Any, cache: Path | None = None) -> ChatEndpoint:
    return ChatEndpoint(server.url, "m", cache, ChatSettings(retries=0, timeout_s=20))


def test_a_text_is_asked_for_without_a_schema_and_comes_without_thoughts(chat_server: Any) -> None:
    chat_server.answer = lambda _: (200, "<think>red?</think> a red dress\n")
    assert endpoint(chat_server).ask("You sell clothes.", ["What is this?"], max_tokens=7) == "a red dress"
    body = chat_server.requests[0]
    assert "response_format" not in body
    assert body["max_tokens"] == 7
    assert [message["content"] for message in body["messages"]] == [
        "You sell clothes.", [{"type": "text", "text": "What is this?"}]
    ]  # fmt: skip


def test_a_form_is_asked_for_until_its_check_is_content(chat_server: Any) -> None:
    replies = iter(['{"kind": "tree"}', '{"kind": "dress"}'])
    chat_server.answer = lambda _: (200, next(replies))
    assert endpoint(chat_server).ask("You sell clothes.", ["A dress?"], KIND) == {"kind": "dress"}
    assert chat_server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


def test_an_empty_text_is_no_answer(chat_server: Any) -> None:
    chat_server.answer = lambda _: (200, "  ")
    with pytest.raises(ChatError, match=r"no usable answer about 'What is this\?' in 3 tries.*as long as this program"):
        endpoint(chat_server).ask("", ["What is this?"])


def test_a_decoded_picture_is_asked_about_like_a_file(chat_server: Any, tmp_path: Path) -> None:
    chat_server.answer = lambda _: (200, "grey")
    picture = Image.new("RGB", (1024, 512), "grey")
    picture.save(tmp_path / "grey.png")
    asked = endpoint(chat_server)
    assert [asked.ask("Colour?", [part]) for part in (picture, tmp_path / "grey.png", picture.copy())] == ["grey"] * 3
    one, other = (body["messages"][1]["content"][0]["image_url"]["url"] for body in chat_server.requests)
    assert one.startswith("data:image/jpeg;base64,")
    assert len(one) == len(other)


def test_many_answers_come_in_the_order_asked_and_equal_questions_are_asked_once(chat_server: Any) -> None:
    chat_server.answer = lambda body: (200, body["messages"][1]["content"][0]["text"].upper())
    asked = [Question(f"word {word}", "Aloud.", [word]) for word in ("a", "b", "a", "c")]
    assert [answer["text"] for answer in endpoint(chat_server).answers("Words", asked)] == ["A", "B", "A", "C"]
    assert len(chat_server.requests) == 3


def test_answers_are_kept_for_another_run_and_another_question_is_asked(chat_server: Any, tmp_path: Path) -> None:
    cache = tmp_path / "kept" / "answers.jsonl"
    chat_server.answer = lambda _: (200, '{"kind": "shirt"}')
    endpoint(chat_server, cache).ask("Kind?", ["one"], KIND)
    again = endpoint(chat_server, cache)
    assert again.ask("Kind?", ["one"], KIND) == {"kind": "shirt"}
    assert len(chat_server.requests) == 1
    again.ask("Kind?", ["one"], Form("kind", SCHEMA | {"title": "Kind"}))
    again.ask("Which kind?", ["one"], KIND)
    again.ask("Kind?", ["one"], KIND, max_tokens=5)
    again.ask("Kind?", ["one"])
    assert len(chat_server.requests) == 5


def test_a_picture_that_is_none_is_an_error(chat_server: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.png").write_text("milk")
    with pytest.raises(ImageError, match=r"notes\.png"):
        endpoint(chat_server).ask("Kind?", [tmp_path / "notes.png"])


def test_half_a_character_is_no_answer(chat_server: Any) -> None:
    chat_server.answer = lambda _: (200, json.dumps("x")[:-1] + "\ud800")
    with pytest.raises(ChatError, match="no usable answer"):
        endpoint(chat_server).ask("Kind?", ["one"])


def test_a_file_that_is_no_cache_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk\nbread\n")
    with pytest.raises(ChatError, match="Line 1 of"):
        AnswerCache(path)
    assert path.read_text() == "milk\nbread\n"


@pytest.mark.parametrize("content", ['<think>{"a": 2}?</think>{"a": 1}', '```json\n{"a": 1}\n```', ' {"a": 1} '])
def test_thoughts_and_fences_around_an_answer_are_passed_over(content: str) -> None:
    assert parse(content) == {"a": 1}


@pytest.mark.parametrize("content", ["", "[1]", "yes", '{"a": 1} {"a": 2}'])
def test_a_reply_that_is_no_object_is_refused(content: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse(content)

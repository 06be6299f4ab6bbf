from __future__ import annotations

import base64
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pictures

from retrieval.baselines.imagescope import ImageScope, ScopeSettings, open_imagescope
from retrieval.chat import ChatEndpoint, ChatSettings
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import ChatError, EncoderError, MessageError
from retrieval.protocols import Reranker
from retrieval.schema import Image, Item, Query

N = 6
STATEMENTS = [{"text": "It is a dress", "is_true": True}, {"text": "It is red", "is_true": False}]
READING = {"thoughts": "t", "core": "a dress", "details": "blue", "whole": "a blue dress", "statements": STATEMENTS}


@pytest.fixture
def items(tmp_path: Path) -> list[Item]:
    made = []
    for number in range(N):
        path = tmp_path / f"{number}.png"
        Pictures.new("RGB", (60, 80), (number * 40, 0, 0)).save(path)
        made.append(Item(str(number), Image(str(number), str(path)), ""))
    return made


def number_of(body: dict[str, Any]) -> int:
    """Which item the last picture shows."""
    urls = [part["image_url"]["url"] for part in body["messages"][-1]["content"] if part["type"] == "image_url"]
    picture = Pictures.open(io.BytesIO(base64.b64decode(urls[-1].partition(",")[2])))
    return round(picture.convert("RGB").getpixel((5, 5))[0] / 40)  # type: ignore[index]


def words(body: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text")


def answering(
    is_true: Callable[[int, str], bool], is_wanted: Callable[[int], bool] = lambda _: False, reading: Any = None
) -> Callable[[dict[str, Any]], tuple[int, str]]:
    def answer(body: dict[str, Any]) -> tuple[int, str]:
        form = body["response_format"]["json_schema"]["name"]
        if form == "reading":
            return 200, json.dumps(reading(body) if reading else READING)
        holds = is_true(number_of(body), words(body)) if form == "is_true" else is_wanted(number_of(body))
        return 200, json.dumps({form: "yes" if holds else "no"})

    return answer


def scope(server: Any, retries: int = 0, timeout_s: float = 20.0, **settings: Any) -> ImageScope:
    endpoint = ChatEndpoint(server.url, "m", settings=ChatSettings(retries=retries, timeout_s=timeout_s))
    return ImageScope(HashingEncoder(), endpoint, ScopeSettings(**settings))


def query(items: list[Item]) -> Query:
    return Query("s/1", "the same, but not red", (items[0].image,))


def asked(server: Any, form: str) -> list[dict[str, Any]]:
    return [body for body in server.requests if body["response_format"]["json_schema"]["name"] == form]


def test_the_query_is_the_mean_of_its_descriptions(chat_server: Any, items: list[Item]) -> None:
    chat_server.answer = answering(lambda *_: True)
    (found,) = scope(chat_server).encode_queries([query(items)])
    texts = HashingEncoder().encode_queries([Query("", text) for text in ("a dress", "blue", "a blue dress")])
    mean = texts.mean(axis=0)
    assert np.allclose(found, mean / np.linalg.norm(mean), atol=1e-6)


def test_candidates_stand_by_the_statements_that_come_out_right(chat_server: Any, items: list[Item]) -> None:
    """Items 2 and 4 are dresses, all but 4 are red: 4 has both right, 2 one, and the others none."""
    chat_server.answer = answering(lambda n, said: n in (2, 4) if "dress" in said else n != 4)
    assert scope(chat_server).rerank(query(items), items) == ["4", "2", "0", "1", "3", "5"]


def test_only_the_first_candidates_are_verified_and_the_rest_stays(chat_server: Any, items: list[Item]) -> None:
    chat_server.answer = answering(lambda n, said: n in (2, 4) and "dress" in said)
    made = scope(chat_server, n_verified=3)
    assert made.rerank(query(items), items) == ["2", "0", "1", "3", "4", "5"]
    assert len(asked(chat_server, "is_true")) == 3 * len(STATEMENTS)
    assert made.rerank_depth == 3


def test_the_first_candidate_that_is_accepted_as_a_whole_goes_to_the_front(chat_server: Any, items: list[Item]) -> None:
    chat_server.answer = answering(lambda *_: True, lambda n: n in (1, 2))
    assert scope(chat_server).rerank(query(items), items) == ["1", "0", "2", "3", "4", "5"]
    assert [number_of(body) for body in asked(chat_server, "is_wanted")] == [0, 1]


def test_where_none_is_accepted_the_verified_order_stays(chat_server: Any, items: list[Item]) -> None:
    chat_server.answer = answering(lambda n, said: n == 5 and "dress" in said)
    assert scope(chat_server, n_evaluated=2).rerank(query(items), items) == ["5", "0", "1", "2", "3", "4"]
    assert [number_of(body) for body in asked(chat_server, "is_wanted")] == [5, 0]


def test_of_several_readings_the_one_that_agrees_most_is_taken(chat_server: Any, items: list[Item]) -> None:
    same = dict.fromkeys(("core", "details", "whole"), "a blue dress")
    odd = dict.fromkeys(("core", "details", "whole"), "wooden table")
    chat_server.answer = answering(lambda *_: True, reading=lambda body: READING | (odd if body["seed"] == 1 else same))
    (found,) = scope(chat_server, samples=3).encode_queries([query(items)])
    assert np.allclose(found, HashingEncoder().encode_queries([Query("", "a blue dress")])[0], atol=1e-6)
    assert sorted(body["seed"] for body in chat_server.requests) == [1, 2, 3]
    assert all(body["temperature"] > 0 for body in chat_server.requests)


def test_reading_twice_asks_once(chat_server: Any, items: list[Item]) -> None:
    chat_server.answer = answering(lambda *_: True)
    made = scope(chat_server)
    made.encode_queries([query(items)])
    made.rerank(query(items), items)
    assert len(asked(chat_server, "reading")) == 1


@pytest.mark.parametrize(
    "broken",
    [
        {"statements": []},
        {"statements": [{"text": "It is red"}]},
        {"statements": [{"text": " ", "is_true": True}]},
        {"statements": STATEMENTS * 4},
        {"core": ""},
        {"whole": None},
    ],
)
def test_a_malformed_reading_is_asked_for_again_and_then_an_error(
    chat_server: Any, items: list[Item], broken: dict[str, Any]
) -> None:
    chat_server.answer = answering(lambda *_: True, reading=lambda _: READING | broken)
    with pytest.raises(ChatError, match="no usable answer about what s/1 wants in 3 tries"):
        scope(chat_server).encode_queries([query(items)])


def test_a_verifier_that_says_neither_yes_nor_no_is_an_error(chat_server: Any, items: list[Item]) -> None:
    good = answering(lambda *_: True)

    def answer(body: dict[str, Any]) -> tuple[int, str]:
        return good(body) if body in asked(chat_server, "reading") else (200, '{"is_true": "maybe"}')

    chat_server.answer = answer
    with pytest.raises(ChatError, match="neither yes nor no"):
        scope(chat_server).rerank(query(items), items)


@pytest.mark.parametrize("form", ["reading", "is_true", "is_wanted"])
def test_a_refusal_in_any_stage_is_an_error_and_no_order(chat_server: Any, items: list[Item], form: str) -> None:
    good = answering(lambda *_: True)

    def answer(body: dict[str, Any]) -> tuple[int, str]:
        return (400, "no pictures here") if body in asked(chat_server, form) else good(body)

    chat_server.answer = answer
    with pytest.raises(ChatError, match=r"refused .* with 400"):
        scope(chat_server).rerank(query(items), items)


def test_an_endpoint_that_says_nothing_is_an_error(chat_server: Any, items: list[Item]) -> None:
    def slow(_: dict[str, Any]) -> tuple[int, str]:
        time.sleep(0.6)
        return 200, json.dumps(READING)

    chat_server.answer = slow
    with pytest.raises(ChatError, match="cannot be reached"):
        scope(chat_server, timeout_s=0.1).encode_queries([query(items)])


def test_candidates_without_pictures_are_refused(chat_server: Any, items: list[Item]) -> None:
    with pytest.raises(MessageError, match="without pictures"):
        scope(chat_server).rerank(query(items), [Item("x", Image("x", ""), "a dress")])


def test_it_is_a_reranker_over_the_towers_index(chat_server: Any) -> None:
    made = scope(chat_server)
    assert isinstance(made, Reranker)
    assert made.manifest == HashingEncoder().manifest
    assert made.query_revision != scope(chat_server, n_evaluated=0).query_revision


@pytest.mark.parametrize("settings", [{"depth": 3}, {"samples": 0}, {"n_verified": "many"}, 3])
def test_settings_that_are_none_are_refused(tmp_path: Path, settings: Any) -> None:
    card = {"kind": "imagescope", "url": "http://localhost:1/v1", "model": "m", "settings": settings}
    (tmp_path / "card.json").write_text(json.dumps(card))
    with pytest.raises(EncoderError, match="none of ImageScope's"):
        open_imagescope(tmp_path, HashingEncoder())

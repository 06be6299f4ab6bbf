from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from builders.fashion_rq.lexicon import words_in
from builders.fashion_rq.query_chat import SCHEMA, ChatWriter, problem, prompt_text
from builders.fashion_rq.query_writing import Asked, Plan
from builders.fashion_rq.truth import unsaid
from retrieval.chat import ChatSettings
from retrieval.errors import ChatError

WANTED = {"product_type": "Shirts", "colour": "Navy Blue", "gender": "Men", "age": "Adults"}
GOOD = ["navy shirt for men", "I need a navy blue shirt for my husband", "do you sell men's shirts in navy?"]
PLAN = Plan((Asked("1/2/3", WANTED, 3),), {}, frozenset({"Nike", "Only"}))


def writer(folder: Path, server: Any, model: str = "m") -> ChatWriter:
    settings = ChatSettings(retries=1, timeout_s=20.0, concurrency=2)
    return ChatWriter(server.url, model, folder / "work" / "answers.jsonl", settings)


def replies(*rounds: list[str]) -> Any:
    waiting = iter(rounds)
    return lambda _: (200, json.dumps({"queries": next(waiting)}))


def words(body: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in body["messages"][-1]["content"])


def test_what_is_wanted_is_asked_by_schema(chat_server: Any, tmp_path: Path) -> None:
    chat_server.answer = replies(GOOD)
    assert writer(tmp_path, chat_server).write(PLAN, 0) == [GOOD]
    body = chat_server.requests[0]
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["messages"][0]["content"] == prompt_text()
    assert "colour: Navy Blue" in words(body)
    assert "Write 3 requests" in words(body)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("navy shirt", "2 words"), ("a navy shirt for men " * 6, "30 words"), ("navy shirts for women", "gender"),
        ("a red and navy shirt for men", "red"), ("a navy shirt for men to wear to the gym", "gym"),
        ("a navy t-shirt for men", "product type"), ("Nike navy shirt for men", "Nike"),
        ("a navy shirt for men under 500", "number"), ("cheap navy shirts for men", "cheap"),
        ("a navy shirt\u200b for men", "strange"), ("a striped navy shirt for men", "striped"),
    ],
)  # fmt: skip
def test_requests_that_do_not_hold_are_told_why(text: str, reason: str) -> None:
    brands = re.compile(r"\b(?:Nike|Only)\b")
    assert re.search(reason, problem(text, WANTED, brands))
    assert problem(text, WANTED, brands)


@pytest.mark.parametrize("text", [*GOOD, "Only navy shirts, for men"])
def test_requests_that_hold_have_no_problem(text: str) -> None:
    assert problem(text, WANTED) == ""


def test_a_wanted_brand_may_hold_a_number_and_a_colour() -> None:
    wanted = {"product_type": "Jeans", "brand": "Jealous 21"}
    assert problem("jeans by Jealous 21 please", wanted) == ""
    assert problem("jeans by Jealous 21 in size 8", wanted) == "it names a number"
    assert problem("Red Tape jeans please", {"product_type": "Jeans", "brand": "Red Tape"}) == ""


def test_refused_and_repeated_requests_are_asked_for_again_with_the_reason(chat_server: Any, tmp_path: Path) -> None:
    chat_server.answer = replies([GOOD[0], "Navy shirt, for men!", "a red shirt for men"], GOOD[1:])
    assert writer(tmp_path, chat_server).write(PLAN, 0) == [GOOD]
    again = words(chat_server.requests[1])
    assert "Write 2 requests" in again
    assert "Navy shirt, for men! (it is there already)" in again
    assert "a red shirt for men (it does not say the colour)" in again


def test_after_three_rounds_the_grammar_helps_out(chat_server: Any, tmp_path: Path) -> None:
    chat_server.answer = lambda _: (200, json.dumps({"queries": [GOOD[0], "a red skirt for women"]}))
    made = writer(tmp_path, chat_server)
    texts = made.write(PLAN, 0)[0]
    assert len(chat_server.requests) == 3
    assert texts[0] == GOOD[0]
    assert len({words_in(text) for text in texts}) == 3
    assert all(unsaid(text, WANTED) == [] for text in texts)
    assert made.n_replaced == 2


def test_more_than_was_asked_for_is_left(chat_server: Any, tmp_path: Path) -> None:
    chat_server.answer = replies([*GOOD, "men's navy shirts please"])
    assert writer(tmp_path, chat_server).write(PLAN, 0) == [GOOD]


def test_an_interrupted_run_asks_only_what_is_left(chat_server: Any, tmp_path: Path) -> None:
    chat_server.answer = replies([GOOD[0]], GOOD[1:])
    first = writer(tmp_path, chat_server).write(PLAN, 0)
    chat_server.close()
    assert writer(tmp_path, chat_server).write(PLAN, 0) == first


def test_answers_of_another_form_are_an_error_that_names_the_leaf(chat_server: Any, tmp_path: Path) -> None:
    chat_server.answer = lambda _: (200, '{"queries": "navy shirt for men"}')
    with pytest.raises(ChatError, match="the queries of leaf 1/2/3"):
        writer(tmp_path, chat_server).write(PLAN, 0)


def test_the_name_tells_model_and_prompt(chat_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = writer(tmp_path, chat_server).name
    assert re.fullmatch(r"chat-m-[0-9a-f]{8}", one)
    assert writer(tmp_path, chat_server, "n").name != one
    monkeypatch.setattr("builders.fashion_rq.query_chat.prompt_text", lambda: "other words")
    assert writer(tmp_path, chat_server).name != one

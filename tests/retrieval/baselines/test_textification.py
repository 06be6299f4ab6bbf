from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pictures

from retrieval.baselines.textification import ChatTextification, open_prompt, open_textification
from retrieval.chat import ChatEndpoint, ChatSettings
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import ChatError, EncoderError, MessageError
from retrieval.schema import HistoryTurn, Image, Query


@pytest.fixture
def shown(tmp_path: Path) -> list[Image]:
    made = []
    for number in range(3):
        path = tmp_path / f"{number}.png"
        Pictures.new("RGB", (60, 80), (number * 80, 0, 0)).save(path)
        made.append(Image(str(number), str(path)))
    return made


def textification(server: Any, prompt: str = "qwen", **settings: Any) -> ChatTextification:
    made = ChatSettings(**{"retries": 0, "timeout_s": 20.0, **settings})
    return ChatTextification(HashingEncoder(), ChatEndpoint(server.url, "m", settings=made), open_prompt(prompt))


def form_of(body: dict[str, Any]) -> str:
    """Its words with <picture> where pictures are."""
    parts = body["messages"][-1]["content"]
    return "\n".join(part["text"] if part["type"] == "text" else "<picture>" for part in parts)


def conversation(shown: Sequence[Image]) -> Query:
    history = (HistoryTurn("a summer dress", (), shown[0]), HistoryTurn("in blue", (shown[0],), shown[1]))
    return Query("s/3", "with long sleeves", (shown[1],), history)


def test_the_whole_conversation_is_told_in_its_order_and_greedily(chat_server: Any, shown: list[Image]) -> None:
    chat_server.answer = lambda _: (200, '{"description": " a blue  dress with long sleeves "}')
    assert textification(chat_server).descriptions([conversation(shown)]) == ["a blue dress with long sleeves"]
    (body,) = chat_server.requests
    said = form_of(body)
    places = [said.index(words) for words in ("a summer dress", "in blue", "with long sleeves")]
    assert places == sorted(places)
    assert said.count("<picture>") == 2
    assert body["temperature"] == 0
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["description"]


def test_the_vector_is_that_of_the_description(chat_server: Any, shown: list[Image]) -> None:
    chat_server.answer = lambda _: (200, '{"description": "a blue dress"}')
    towers = HashingEncoder()
    found = textification(chat_server).encode_queries([conversation(shown)])
    assert np.allclose(found, towers.encode_queries([Query("", "a blue dress")]))


def test_a_completion_ends_where_its_example_ends(chat_server: Any, shown: list[Image]) -> None:
    chat_server.answer = lambda _: (200, " a blue dress<|endofchunk|>\nRequest: another one\nWanted item: a hat")
    assert textification(chat_server, "openflamingo").descriptions([conversation(shown)]) == ["a blue dress"]
    (body,) = chat_server.requests
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert form_of(body).endswith("Request: with long sleeves\nWanted item:")
    assert "response_format" not in body


def test_pictures_and_requests_interleave_in_a_completion(chat_server: Any, shown: list[Image]) -> None:
    chat_server.answer = lambda _: (200, "a dress")
    textification(chat_server, "openflamingo").descriptions([conversation(shown)])
    told = form_of(chat_server.requests[0]).partition("Request: a summer dress\nWanted item:")[2]
    assert told.split("\n")[:4] == ["", "<picture>", "Request: in blue", "Wanted item:"]


@pytest.mark.parametrize("reply", ["no JSON", '{"description": ""}', '{"text": "a dress"}', '{"description": 3}',
                                   '{"description": "I\'m sorry, I cannot help with that."}',
                                   json.dumps({"description": "very " * 61})])  # fmt: skip
def test_a_malformed_description_is_asked_for_again_and_then_an_error(
    chat_server: Any, shown: list[Image], reply: str
) -> None:
    chat_server.answer = lambda _: (200, reply)
    with pytest.raises(ChatError, match=r"no usable answer about the item that s/3 wants in 3 tries"):
        textification(chat_server).encode_queries([conversation(shown)])
    assert len(chat_server.requests) == 3


@pytest.mark.parametrize("reply", ["<|endofchunk|>", "Sorry, no."])
def test_a_completion_without_description_is_an_error(chat_server: Any, shown: list[Image], reply: str) -> None:
    chat_server.answer = lambda _: (200, reply)
    with pytest.raises(EncoderError, match="did not describe the item that s/3 wants"):
        textification(chat_server, "openflamingo").encode_queries([conversation(shown)])


def test_a_refusal_is_an_error_that_says_what_to_do(chat_server: Any, shown: list[Image]) -> None:
    chat_server.answer = lambda _: (401, "who are you?")
    with pytest.raises(ChatError, match=r"refused .* with 401 .*DIMITY_CHAT_API_KEY"):
        textification(chat_server).encode_queries([conversation(shown)])


def test_an_endpoint_that_says_nothing_is_an_error(chat_server: Any, shown: list[Image]) -> None:
    def slow(_: dict[str, Any]) -> tuple[int, str]:
        time.sleep(0.6)
        return 200, '{"description": "too late"}'

    chat_server.answer = slow
    with pytest.raises(ChatError, match="cannot be reached"):
        textification(chat_server, timeout_s=0.1).encode_queries([conversation(shown)])


def test_words_in_place_of_a_picture_are_refused(chat_server: Any) -> None:
    with pytest.raises(MessageError, match="known by words alone"):
        textification(chat_server).encode_queries([Query("q", "like this", (Image("p", ""),))])
    assert chat_server.requests == []


def test_another_prompt_or_model_is_another_revision(chat_server: Any) -> None:
    one, other = textification(chat_server), textification(chat_server, "openflamingo")
    assert one.query_revision != other.query_revision
    assert one.manifest == other.manifest == HashingEncoder().manifest


def test_a_folder_names_endpoint_and_prompt_and_keeps_the_answers(
    chat_server: Any, shown: list[Image], tmp_path: Path
) -> None:
    chat_server.answer = lambda _: (200, '{"description": "a dress"}')
    folder = tmp_path / "system"
    folder.mkdir()
    card = {"format": 1, "kind": "textification", "url": chat_server.url, "model": "m", "prompt": "qwen"}
    (folder / "card.json").write_text(json.dumps(card))
    for _ in range(2):
        open_textification(folder, HashingEncoder()).encode_queries([conversation(shown)])
    assert len(chat_server.requests) == 1
    assert (folder / "answers.jsonl").is_file()


@pytest.mark.parametrize(
    ("card", "problem"),
    [
        ({"kind": "tracker"}, "not the card of a system"),
        ({"kind": "textification", "model": "m"}, "lacks url"),
        ({"kind": "textification", "url": "http://localhost:1/v1", "model": "m", "prompt": "x"}, "no prompt 'x'"),
        ({"kind": "textification", "url": "http://localhost:1/v1", "model": "m", "prompt": "../../x"}, "no prompt"),
        (
            {"kind": "textification", "url": "http://localhost:1/v1", "model": "m", "prompt": "imagescope_context"},
            "no prompt of textification",
        ),
    ],
)
def test_a_card_that_lacks_something_is_refused(tmp_path: Path, card: dict[str, Any], problem: str) -> None:
    (tmp_path / "card.json").write_text(json.dumps(card))
    with pytest.raises(EncoderError, match=problem):
        open_textification(tmp_path, HashingEncoder())

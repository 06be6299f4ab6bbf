from __future__ import annotations

import base64
import io
import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from builders.dim_fashion.annotators import BridgeReading, Enrichment, questions
from builders.dim_fashion.annotators.chat import ChatAnnotator
from builders.dim_fashion.drafts import DraftTurn
from builders.instances import SourceImage
from retrieval.benchmark import Task
from retrieval.chat import KEY_VARIABLE, ChatSettings
from retrieval.chat.cache import AnswerCache
from retrieval.errors import ChatError

Reply = tuple[int, str]
NAMES = [f"s/{number}" for number in range(12)]


@pytest.fixture
def server(chat_server: Any) -> Any:
    return chat_server


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    for number, name in enumerate(NAMES):
        path = tmp_path / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (900, 600), (number * 20, 0, 0)).save(path)
    return tmp_path


def annotator(folder: Path, server: Any, model: str = "m", **settings: Any) -> ChatAnnotator:
    images = {name: SourceImage(name, f"{name}.png") for name in NAMES}
    made = ChatSettings(**{"retries": 1, "timeout_s": 20.0, **settings})
    return ChatAnnotator(
        images, lambda name: folder / f"{name}.png", server.url, model, folder / "cache" / "answers.jsonl", made
    )


def sent(body: dict[str, Any]) -> list[Image.Image]:
    parts = [part for part in body["messages"][-1]["content"] if part["type"] == "image_url"]
    found = []
    for part in parts:
        head, _, data = part["image_url"]["url"].partition(",")
        assert head == "data:image/jpeg;base64"
        found.append(Image.open(io.BytesIO(base64.b64decode(data, validate=True))))
    return found


def words(body: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text")


def number_of(picture: Image.Image) -> int:
    red = picture.convert("RGB").getpixel((5, 5))
    assert isinstance(red, tuple)
    return round(red[0] / 20)


def test_answers_come_in_the_order_asked_whoever_is_ready_first(server: Any, pictures: Path) -> None:
    def answer(body: dict[str, Any]) -> Reply:
        number = number_of(sent(body)[0])
        time.sleep(0.02 * (12 - number))
        return 200, json.dumps({"is_item_centric": True, "text": f"a dress of number {number}"})

    server.answer = answer
    found = annotator(pictures, server).enrich(NAMES)
    assert found == [Enrichment(True, f"a dress of number {number}") for number in range(12)]


def test_no_more_questions_run_at_once_than_allowed(server: Any, pictures: Path) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def answer(_: dict[str, Any]) -> Reply:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.03)
        with lock:
            running -= 1
        return 200, '{"is_item_centric": false, "text": ""}'

    server.answer = answer
    annotator(pictures, server, concurrency=3).enrich(NAMES)
    assert most == 3


def test_pictures_arrive_small_and_in_their_places(server: Any, pictures: Path) -> None:
    server.answer = lambda _: (200, '{"is_same": false, "modification": " the same  in red "}')
    found = annotator(pictures, server).read_bridges([("s/3", "s/7")])
    assert found == [BridgeReading(is_same=False, modification="the same in red")]
    shown = sent(server.requests[0])
    assert [number_of(picture) for picture in shown] == [3, 7]
    assert {picture.size for picture in shown} == {(512, 341)}
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == questions.schema("bridge")
    assert server.requests[0]["messages"][0]["content"] == questions.prompt_text("bridge")


def test_the_same_garment_needs_no_words(server: Any, pictures: Path) -> None:
    server.answer = lambda _: (200, '{"is_same": true, "modification": "nothing to change"}')
    assert annotator(pictures, server).read_bridges([("s/3", "s/7")]) == [BridgeReading(is_same=True)]


def test_a_turn_is_asked_with_task_words_and_pictures(server: Any, pictures: Path) -> None:
    turn = DraftTurn(Task.ASFR, "d", "the same  collar", "s/2", ("s/1",), attribute="collar")
    assert annotator(pictures, server).check_turns([turn]) == [True]
    assert "Task: asfr, attribute: collar" in words(server.requests[0])
    assert 'Words: "the same collar"' in words(server.requests[0])
    assert [number_of(picture) for picture in sent(server.requests[0])] == [1, 2]


def test_a_session_sends_each_picture_once(server: Any, pictures: Path) -> None:
    server.answer = lambda _: (200, '{"is_reasonable": "no"}')
    session = (
        DraftTurn(Task.T2I, "d", "a shirt", "s/1"),
        DraftTurn(Task.CIR, "d", "in red", "s/2", ("s/1",)),
        DraftTurn(Task.CIR, "d", "back to turn 1, in blue", "s/4", ("s/1",), rollback_to=1),
    )
    assert annotator(pictures, server).check_sessions([session]) == [False]
    assert [number_of(picture) for picture in sent(server.requests[0])] == [1, 2, 4]
    asked = words(server.requests[0])
    assert asked.count("Shown: picture 1 again") == 2
    assert "Turn 3. Task: cir, going back to turn 1" in asked


def test_what_was_answered_is_not_asked_again(server: Any, pictures: Path) -> None:
    turns = [DraftTurn(Task.CIR, "d", "in red", "s/2", ("s/1",)), DraftTurn(Task.CIR, "d", "in blue", "s/2", ("s/1",))]
    assert annotator(pictures, server).check_turns([*turns, turns[0]]) == [True, True, True]
    assert len(server.requests) == 2
    server.close()
    assert annotator(pictures, server).check_turns(turns) == [True, True]


def test_another_picture_model_or_prompt_is_another_question(
    server: Any, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = DraftTurn(Task.CIR, "d", "in red", "s/2", ("s/1",))
    annotator(pictures, server).check_turns([turn])
    annotator(pictures, server, model="n").check_turns([turn])
    Image.new("RGB", (90, 60), "white").save(pictures / "s/1.png")
    annotator(pictures, server).check_turns([turn])
    before = annotator(pictures, server).name
    monkeypatch.setattr(questions, "prompt_text", lambda prompt: f"Other words for {prompt}.")
    annotator(pictures, server).check_turns([turn])
    assert len(server.requests) == 4
    assert annotator(pictures, server).name != before


def test_the_name_tells_the_model(server: Any, pictures: Path) -> None:
    one, other = annotator(pictures, server, model="m"), annotator(pictures, server, model="n")
    assert re.fullmatch(r"chat-m-[0-9a-f]{8}", one.name)
    assert one.name != other.name


def test_a_broken_answer_is_asked_for_again_a_little_differently(server: Any, pictures: Path) -> None:
    replies = iter(['{"is_reasonable": "ye', '{"is_reasonable": "perhaps"}', '```json\n{"is_reasonable": "no"}\n```'])
    server.answer = lambda _: (200, next(replies))
    assert annotator(pictures, server).check_turns([DraftTurn(Task.T2I, "d", "a shirt", "s/1")]) == [False]
    assert [body["temperature"] for body in server.requests] == [0.0, 0.3, 0.7]


def test_a_model_that_never_answers_properly_is_an_error_that_names_the_question(server: Any, pictures: Path) -> None:
    server.answer = lambda _: (200, "Sure! It looks fine.")
    with pytest.raises(ChatError, match=r"no usable answer about the step from s/1 to s/2 in 3 tries.*Sure"):
        annotator(pictures, server).read_bridges([("s/1", "s/2")])
    assert len(server.requests) == 3


def test_a_server_that_stumbles_is_asked_again(server: Any, pictures: Path) -> None:
    replies = iter([(500, "stumbled"), (200, '{"is_reasonable": "yes"}')])
    server.answer = lambda _: next(replies)
    assert annotator(pictures, server).check_turns([DraftTurn(Task.T2I, "d", "a shirt", "s/1")]) == [True]


def test_a_server_that_keeps_failing_is_an_error(server: Any, pictures: Path) -> None:
    server.answer = lambda _: (503, "overloaded")
    with pytest.raises(ChatError, match=r"503 .*overloaded.*Run again later"):
        annotator(pictures, server).check_turns([DraftTurn(Task.T2I, "d", "a shirt", "s/1")])
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "advice"), [(401, KEY_VARIABLE), (404, "Is the model's name 'm' right"), (400, "Does it take pictures")]
)
def test_a_wrong_configuration_fails_at_once_and_says_what_to_do(
    server: Any, pictures: Path, status: int, advice: str
) -> None:
    server.answer = lambda _: (status, "no")
    with pytest.raises(ChatError, match=re.escape(advice)):
        annotator(pictures, server, concurrency=1).enrich(NAMES[:1])
    assert len(server.requests) == 1


def test_a_failure_stops_the_questions_that_wait(server: Any, pictures: Path) -> None:
    server.answer = lambda _: (401, "no")
    with pytest.raises(ChatError):
        annotator(pictures, server, concurrency=1).enrich(NAMES)
    assert len(server.requests) < len(NAMES)


def test_an_address_without_a_server_is_an_error(server: Any, pictures: Path) -> None:
    server.close()
    with pytest.raises(ChatError, match="cannot be reached"):
        annotator(pictures, server).enrich(NAMES[:1])


def test_a_picture_that_is_gone_is_an_error_that_names_it(server: Any, pictures: Path) -> None:
    (pictures / "s/1.png").unlink()
    with pytest.raises(ChatError, match="s/1"):
        annotator(pictures, server).enrich(["s/1"])


def test_the_key_comes_from_the_environment(server: Any, pictures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answer = lambda _: (200, '{"is_item_centric": false, "text": ""}')
    annotator(pictures, server).enrich(["s/1"])
    monkeypatch.setenv(KEY_VARIABLE, "sesame")
    annotator(pictures, server).enrich(["s/2"])
    assert server.keys == ["Bearer none", "Bearer sesame"]


def test_an_interrupted_run_goes_on_where_it_was(server: Any, pictures: Path) -> None:
    def fails_at_the_fifth(_: dict[str, Any]) -> Reply:
        good = len(server.requests) < 5
        return (200, '{"is_item_centric": false, "text": ""}') if good else (401, "no more")

    server.answer = fails_at_the_fifth
    with pytest.raises(ChatError):
        annotator(pictures, server, concurrency=1).enrich(NAMES)
    kept = pictures / "cache" / "answers.jsonl"
    assert len(kept.read_bytes().splitlines()) == 4
    with kept.open("ab") as file:
        file.write(b'{"key": "cut in the mid')
    server.requests.clear()
    server.answer = lambda _: (200, '{"is_item_centric": false, "text": ""}')
    assert annotator(pictures, server).enrich(NAMES) == [Enrichment(False)] * 12
    assert len(server.requests) == 8
    assert len(AnswerCache(kept)._answers) == 12


@pytest.mark.parametrize(
    ("prompt", "answer", "problem"),
    [
        ("bridge", {"is_same": "no", "modification": ""}, "is_same"), ("bridge", {"is_same": False}, "missing"),
        ("bridge", {"is_same": False, "modification": "very " * 30}, "30 words"),
        ("bridge", {"is_same": False, "modification": "\ud800"}, "surrogates"),
        ("enrichment", {"is_item_centric": True, "text": " "}, "no text"),
        ("turn_check", {"is_reasonable": True}, "is_reasonable"),
    ],
)  # fmt: skip
def test_answers_of_another_form_are_refused(prompt: str, answer: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        questions.check(prompt, answer)


@pytest.mark.parametrize("content", [["a"], 5, None, "[" * 100_000, '{"is_reasonable": "\ud800"}'])
def test_a_content_of_any_form_is_an_error_that_names_the_question(server: Any, pictures: Path, content: Any) -> None:
    server.answer = lambda _: (200, content)
    with pytest.raises(ChatError, match="no usable answer"):
        annotator(pictures, server).check_turns([DraftTurn(Task.T2I, "s", "a dress", "s/1")])


@pytest.mark.parametrize(
    "body", [b"\xff\xfe\x00", b"<html>", b"", b"[" * 100_000, b'{"choices": 5}', b'{"choices": [5]}', b'["choices"]']
)
def test_a_body_of_any_form_is_an_error_that_names_the_question(server: Any, pictures: Path, body: bytes) -> None:
    server.raw = body
    with pytest.raises(ChatError, match="no usable answer"):
        annotator(pictures, server).check_turns([DraftTurn(Task.T2I, "s", "a dress", "s/1")])


@pytest.mark.parametrize(
    "address",
    ["localhost:8000/v1", "ftp://x/v1", "http:///v1", "http://[::1/v1", "http://a\nb/v1", "http://x:99999999"],
)
def test_what_is_no_address_is_refused_before_anything_is_built(tmp_path: Path, address: str) -> None:
    with pytest.raises(ChatError, match="no address"):
        ChatAnnotator({}, Path, address, "m", tmp_path / "answers.jsonl")


def test_a_key_that_no_header_can_carry_is_refused(
    server: Any, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "Schlüssel")
    with pytest.raises(ChatError, match=KEY_VARIABLE):
        annotator(pictures, server).enrich(NAMES[:1])


@pytest.mark.parametrize("text", ["a\x00b", "x" * 400])
def test_what_no_shopper_types_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="nothing that a shopper types"):
        questions.check("bridge", {"is_same": False, "modification": text})

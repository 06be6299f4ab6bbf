from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval import schema
from retrieval.errors import MessageError
from retrieval.schema import Filter, Image, Intent, Message, Offer, Plan, Reply, Session, Turn
from retrieval.sessions import (
    message_from_dict,
    message_to_dict,
    plan_from_dict,
    plan_to_dict,
    session_from_jsonl,
    session_to_jsonl,
    turn_from_dict,
    turn_to_dict,
)

words = st.text(max_size=12)
numbers = st.floats(allow_nan=False, allow_infinity=False)
images = st.builds(Image, words, st.from_regex(r"[\w ]{1,9}\.jpg", fullmatch=True))
filters = st.builds(
    Filter, words, st.sampled_from(["any_of", "none_of", "at_most", "at_least"]), st.tuples(words | numbers)
)
some_words = st.lists(words, max_size=2).map(tuple)
plans = st.builds(
    Plan,
    intent=st.sampled_from(Intent),
    then=st.none() | st.sampled_from(Intent),
    text=words,
    reference_turn=st.none() | st.integers(1, 9),
    references=some_words,
    filters=st.lists(filters, max_size=2).map(tuple),
    unwanted_texts=some_words,
    unwanted_items=some_words,
    attribute=words,
    notes=some_words,
)
some_images = st.lists(images, max_size=2).map(tuple)
messages = st.builds(
    Message,
    text=words,
    images=some_images,
    selected=st.none() | words,
    filters=st.lists(filters, max_size=1).map(tuple),
    parent=st.none() | st.integers(1, 9),
    plan=st.none() | plans,
)
replies = st.builds(Reply, words, st.lists(st.builds(Offer, words, plans), max_size=1).map(tuple))
history = st.builds(schema.HistoryTurn, words, some_images, st.none() | images)
queries = st.builds(
    schema.Query,
    words,
    text=words,
    references=some_images,
    history=st.lists(history, max_size=1).map(tuple),
    unwanted_texts=some_words,
    unwanted_images=some_images,
)
hits = st.builds(schema.Hit, words, numbers)
rankings = st.builds(schema.Ranking, words, st.lists(hits, max_size=3).map(tuple))
BARE = Turn(1, None, Message("hello"), Plan(Intent.OTHER), Reply("Hello!"))


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    session = Session(draw(st.from_regex(r"[\w-]{1,64}", fullmatch=True)))
    for number in range(1, draw(st.integers(1, 4))):
        parent = draw(st.none() | st.integers(1, number - 1)) if number > 1 else None
        query, ranking = draw(st.none() | queries), draw(st.none() | rankings)
        turn = Turn(number, parent, draw(messages), draw(plans), draw(replies), query, ranking)
        session = session.append(turn)
    return session


@settings(max_examples=60, deadline=None)
@given(sessions())
def test_a_session_comes_back_as_it_was(session: Session) -> None:
    text = session_to_jsonl(session)
    assert session_from_jsonl(text) == session
    assert session_from_jsonl(text.encode().decode().replace("\n", "\r\n")) == session
    assert text.count("\n") == 1 + len(session.turns)


@settings(max_examples=60, deadline=None)
@given(plans, messages)
def test_plans_and_messages_come_back_through_json(plan: Plan, message: Message) -> None:
    assert plan_from_dict(json.loads(json.dumps(plan_to_dict(plan)))) == plan
    assert message_from_dict(json.loads(json.dumps(message_to_dict(message)))) == message


def test_defaults_are_left_out_and_the_header_comes_first() -> None:
    lines = session_to_jsonl(Session("s1", (BARE,))).splitlines()
    assert json.loads(lines[0]) == {"format": "dimity-session", "version": 1, "session_id": "s1"}
    assert json.loads(lines[1]) == {
        "turn_number": 1,
        "parent": None,
        "message": {"text": "hello"},
        "plan": {"intent": "other"},
        "reply": {"text": "Hello!"},
    }


def test_no_folder_of_this_machine_is_written_and_pictures_are_found_again() -> None:
    pictures = (Image("a", "/home/shopper/secret/a.jpg"), Image("b", "C:\\Users\\shopper\\b.png"))
    session = Session("s1", (Turn(1, None, Message("x", pictures), Plan(Intent.SEARCH), Reply("y")),))
    text = session_to_jsonl(session)
    assert "shopper" not in text
    read = session_from_jsonl(text, "pictures").turns[0].message.images
    assert [image.path for image in read] == [str(Path("pictures", "a.jpg")), str(Path("pictures", "b.png"))]


def test_words_of_all_languages_stay_readable() -> None:
    session = Session("s1", (Turn(1, None, Message("váy đỏ \u2028 👗"), Plan(Intent.SEARCH), Reply("y")),))
    assert "váy đỏ \u2028 👗" in session_to_jsonl(session)
    assert session_from_jsonl(session_to_jsonl(session)) == session


def test_half_a_letter_can_be_written_to_a_file() -> None:
    session = Session("s1", (Turn(1, None, Message("\ud83d"), Plan(Intent.SEARCH), Reply("y")),))
    assert session_from_jsonl(session_to_jsonl(session).encode().decode()) == session


def damaged(**changes: Any) -> str:
    return json.dumps({**turn_to_dict(BARE), **changes})


HEADER = session_to_jsonl(Session("s1"))
DAMAGED = {
    "not json": "{",
    "no object": "[1]",
    "nan": damaged(ranking={"query_id": "q", "hits": [{"item_id": "a", "score": float("nan")}]}),
    "unknown key": damaged(extra=1),
    "number as text": damaged(turn_number="1"),
    "truth as number": damaged(turn_number=True),
    "wrong number": damaged(turn_number=2),
    "later parent": damaged(parent=1),
    "no intent": damaged(plan={}),
    "strange intent": damaged(plan={"intent": "dance"}),
    "intent of another type": damaged(plan={"intent": ["search"]}),
    "text for a list": damaged(plan={"intent": "search", "references": "ab"}),
    "strange operator": damaged(
        plan={"intent": "search", "filters": [{"attribute": "a", "operator": "or", "values": []}]}
    ),
    "null text": damaged(message={"text": None}),
    "null value": damaged(message={"filters": [{"attribute": "a", "operator": "any_of", "values": [None]}]}),
    "huge score": damaged(ranking={"query_id": "q", "hits": [{"item_id": "a", "score": 10**400}]}),
    "folder of a foreign system": damaged(message={"images": [{"image_id": "a", "path": "..\\secret.jpg"}]}),
    "NUL in a name": damaged(message={"images": [{"image_id": "a", "path": "a\0.jpg"}]}),
    "no file": damaged(message={"images": [{"image_id": "a", "path": ".."}]}),
    "folder": damaged(message={"images": [{"image_id": "a", "path": "../../secret.jpg"}]}),
    "windows folder": damaged(message={"images": [{"image_id": "a", "path": "..\\secret.jpg"}]}),
    "parent folder": damaged(message={"images": [{"image_id": "a", "path": ".."}]}),
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_line_is_named(line: str) -> None:
    with pytest.raises(MessageError, match=r"^Line 2 of the session file"):
        session_from_jsonl(HEADER + line + "\n")


def test_the_place_in_the_line_is_named() -> None:
    with pytest.raises(MessageError, match=r"turn\.plan\.intent is 'dance' instead of one of search, modify"):
        session_from_jsonl(HEADER + DAMAGED["strange intent"])
    with pytest.raises(MessageError, match=r"turn\.message\.images\[0\]\.path"):
        session_from_jsonl(HEADER + DAMAGED["folder"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("hello", "not JSON"),
        ('{"a": 1}', "not the header"),
        (HEADER.replace('"version": 1', '"version": 2'), "version 2, this program reads 1"),
        (HEADER.replace('"s1"', '""'), "no session_id"),
        (HEADER.replace('"s1"', '"../s1"'), "no session_id"),
    ],
)
def test_a_wrong_header_is_refused(text: str, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        session_from_jsonl(text)


@pytest.mark.parametrize(
    "line", [HEADER.replace('"version": 1', f'"version": {"9" * 4000}'), HEADER + "\n" + json.dumps({"x" * 4000: 1})]
)
def test_a_long_mistake_is_told_in_short(line: str) -> None:
    with pytest.raises(MessageError) as raised:
        session_from_jsonl(line)
    assert len(str(raised.value)) < 400


def test_a_damaged_plan_turn_or_message_is_refused() -> None:
    for read in (plan_from_dict, turn_from_dict, message_from_dict):
        with pytest.raises(MessageError, match="unknown key 'nonsense'"):
            read({"nonsense": 1})


def test_only_the_standard_library_is_imported() -> None:
    code = "import sys; before = set(sys.modules); import retrieval.sessions; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    tops = {name.partition(".")[0] for name in done.stdout.split()}
    assert tops <= {*sys.stdlib_module_names, "retrieval"}

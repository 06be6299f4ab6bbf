"""Turns that a language model understands and words, over real HTTP to a small server that speaks the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agent.assistant import Assistant
from agent.planners.chat import NOT_WORDED, ChatPlanner, ChatUse
from agent.planners.rules import RulesPlanner
from retrieval.chat import ChatEndpoint, LiveChat, LiveSettings
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Image, Intent, Message, Plan, Session, Turn

NOTHING: dict[str, Any] = {
    "turn": 0, "then": "none", "items": [], "unwanted_items": [], "words": "", "filters": [], "unwanted_words": [],
    "open": [], "attribute": "none", "n_wanted": 0, "sort_by": "none",
}  # fmt: skip
RED_DRESS = {"attribute": "colour", "operator": "any_of", "values": ["Red"]}
STOOD_IN = "The language model did not answer, so the built-in understanding stood in."

Shop = Callable[..., Assistant]
Answers = Callable[..., None]


@pytest.fixture
def shop(chat_server: Any, studio: Retriever) -> Shop:
    def opened(*, sees: bool = True, words: bool = False, seconds: float = 60.0) -> Assistant:
        chat = LiveChat(ChatEndpoint(chat_server.url, "m"), LiveSettings(seconds))
        return Assistant(studio, ChatPlanner(chat, RulesPlanner(), ChatUse(sees, words)), k=8)

    return opened


@pytest.fixture
def understood(chat_server: Any) -> Answers:
    """The server fills in the form with these, in turn, and words every reply with `said`."""

    def answer(*forms: dict[str, Any], said: str = "Here you are.") -> None:
        waiting = iter(forms)

        def reply(body: dict[str, Any]) -> tuple[int, str]:
            if "response_format" not in body:
                return 200, said
            return 200, json.dumps(NOTHING | next(waiting))

        chat_server.answer = reply

    return answer


def talk(assistant: Assistant, *texts: str, images: tuple[Image, ...] = ()) -> tuple[Session, Turn]:
    session = Session("s")
    for text in texts:
        session = session.append(assistant.respond(session, Message(text, images)))
    assert session.latest is not None
    return session, session.latest


def asked(server: Any, number: int = 0) -> dict[str, Any]:
    """The data of a request."""
    found: dict[str, Any] = {}
    for part in server.requests[number]["messages"][1]["content"]:
        if part["type"] == "text":
            found |= json.loads(part["text"])
    return found


# --- understanding ---


def test_a_form_becomes_a_typed_plan_and_finds_what_it_says(shop: Shop, understood: Answers) -> None:
    price = {"attribute": "price", "operator": "at_most", "values": [60]}
    understood({"intent": "search", "words": "red dress", "filters": [RED_DRESS, price]})
    _, turn = talk(shop(), "ein rotes Kleid unter 60")
    assert turn.plan == Plan(
        Intent.SEARCH,
        text="red dress",
        filters=(Filter("colour", "any_of", ("Red",)), Filter("price", "at_most", (60.0,))),
    )
    assert turn.ranking is not None
    assert turn.ranking.hits
    assert "language model" not in turn.reply.text


def test_a_refinement_keeps_what_was_asked_for_before(shop: Shop, understood: Answers) -> None:
    blue = {"attribute": "colour", "operator": "any_of", "values": ["Blue"]}
    kind = {"attribute": "category", "operator": "any_of", "values": ["Dress"]}
    understood(
        {"intent": "search", "words": "red dress", "filters": [RED_DRESS, kind]},
        {"intent": "modify", "words": "blue dress", "filters": [blue]},
    )
    _, turn = talk(shop(), "a red dress", "make it blue")
    assert turn.plan.filters == (Filter("category", "any_of", ("Dress",)), Filter("colour", "any_of", ("Blue",)))
    assert turn.plan.reference_turn == 1


def test_attributes_may_be_opened_again(shop: Shop, understood: Answers) -> None:
    understood(
        {"intent": "search", "words": "red dress", "filters": [RED_DRESS]},
        {"intent": "modify", "words": "dress", "open": ["colour"]},
    )
    _, turn = talk(shop(), "a red dress", "any colour")
    assert turn.plan.filters == ()


def test_an_item_is_meant_by_its_number_on_the_page_and_keeps_its_kind(shop: Shop, understood: Answers) -> None:
    understood({"intent": "search", "words": "dress"}, {"intent": "modify", "words": "green", "items": [2]})
    session, turn = talk(shop(), "a dress", "the second in green")
    shown = session.turns[0].ranking
    assert shown is not None
    assert turn.plan.references == (shown.hits[1].item_id,)
    assert [condition.attribute for condition in turn.plan.filters][:1] == ["category"]


def test_less_like_an_item_moves_away_from_it(shop: Shop, understood: Answers) -> None:
    understood({"intent": "search", "words": "dress"}, {"intent": "modify", "unwanted_items": [1]})
    session, turn = talk(shop(), "a dress", "less like the first")
    first = session.turns[0].ranking
    assert first is not None
    assert turn.plan.unwanted_items == (first.hits[0].item_id,)
    assert turn.ranking is not None
    assert first.hits[0].item_id not in {hit.item_id for hit in turn.ranking.hits}


def test_what_goes_with_an_item_is_of_another_kind(shop: Shop, studio: Retriever, understood: Answers) -> None:
    kind = {"attribute": "category", "operator": "any_of", "values": ["Dress"]}
    understood({"intent": "search", "words": "dress", "filters": [kind]}, {"intent": "compatible", "items": [1]})
    _, turn = talk(shop(), "a dress", "what goes with it?")
    assert turn.ranking is not None
    found = studio.get([hit.item_id for hit in turn.ranking.hits])
    assert found
    assert "Dress" not in {item.attributes["category"] for item in found}


def test_a_shared_attribute_is_taken_from_the_item(shop: Shop, studio: Retriever, understood: Answers) -> None:
    jacket = {"attribute": "category", "operator": "any_of", "values": ["Jacket"]}
    understood(
        {"intent": "search", "words": "jacket", "filters": [jacket]},
        {"intent": "same_attribute", "items": [1], "attribute": "material"},
    )
    _, turn = talk(shop(), "a jacket", "other things of the same material")
    assert turn.plan.filters == (Filter("material", "any_of", ("Denim",)),)
    assert turn.plan.attribute == "material"


def test_going_back_shows_an_earlier_turn_or_changes_it(shop: Shop, understood: Answers) -> None:
    blue = {"attribute": "colour", "operator": "any_of", "values": ["Blue"]}
    understood(
        {"intent": "search", "words": "red dress", "filters": [RED_DRESS]},
        {"intent": "search", "words": "jacket"},
        {"intent": "rollback", "turn": 1},
        {"intent": "rollback", "turn": 1, "then": "modify", "words": "blue dress", "filters": [blue]},
    )
    session, turn = talk(shop(), "a red dress", "a jacket", "back to the dress", "back to turn 1, but blue")
    assert session.turns[2].plan.intent is Intent.ROLLBACK
    assert session.turns[2].ranking is not None
    assert session.turns[0].ranking is not None
    assert session.turns[2].ranking.hits == session.turns[0].ranking.hits
    assert (turn.plan.then, turn.plan.filters) == (Intent.MODIFY, (Filter("colour", "any_of", ("Blue",)),))
    assert turn.parent == 1


def test_a_question_is_answered_from_the_catalogue(shop: Shop, understood: Answers) -> None:
    understood({"intent": "search", "words": "jacket"}, {"intent": "ask", "items": [1], "attribute": "price"})
    _, turn = talk(shop(), "a jacket", "how much is the first?")
    assert turn.ranking is None
    assert turn.reply.text.startswith("Price of")


def test_filters_set_by_hand_win_over_the_model(shop: Shop, understood: Answers) -> None:
    understood({"intent": "search", "words": "red dress", "filters": [RED_DRESS]})
    by_hand = Filter("colour", "any_of", ("Blue",))
    turn = shop().respond(Session("s"), Message("a red dress", filters=(by_hand,)))
    assert turn.plan.filters == (by_hand,)


# --- the request ---


def test_the_form_offers_what_exists_and_nothing_else(shop: Shop, understood: Answers, chat_server: Any) -> None:
    understood({"intent": "search", "words": "dress"}, {"intent": "ask"})
    talk(shop(), "a dress", "hm")
    first, second = (body["response_format"]["json_schema"]["schema"]["properties"] for body in chat_server.requests)
    assert first["intent"]["enum"] == ["search", "compatible", "ask", "other"]
    assert first["items"]["maxItems"] == 0
    assert second["items"]["items"]["enum"] == list(range(1, 9))
    assert second["turn"]["enum"] == [0, 1]
    colours = second["filters"]["items"]["anyOf"][1]["properties"]
    assert colours["attribute"]["enum"] == ["colour"]
    assert "Navy Blue" in colours["values"]["items"]["enum"]
    assert chat_server.requests[0]["max_tokens"] == 500


def test_the_request_is_small_however_long_the_talk(shop: Shop, understood: Answers, chat_server: Any) -> None:
    understood(*[{"intent": "search", "words": "dress"}] * 12)
    talk(shop(), *["a dress " + "x" * 400] * 12)
    data = asked(chat_server, -1)
    assert [turn["turn"] for turn in data["conversation"]] == [8, 9, 10, 11]
    assert max(len(turn["message"]) for turn in data["conversation"]) == 200
    assert len(json.dumps(data)) < 9000


def test_pictures_are_sent_only_where_the_turn_brings_them_and_the_model_takes_them(
    shop: Shop, understood: Answers, chat_server: Any, upload: Image
) -> None:
    understood(*[{"intent": "search", "words": "dress"}] * 3)
    talk(shop(), "a dress")
    talk(shop(), "like this", images=(upload,))
    talk(shop(sees=False), "like this", images=(upload,))
    kinds = [[part["type"] for part in body["messages"][1]["content"]] for body in chat_server.requests]
    assert kinds == [["text", "text"], ["text", "text", "image_url"], ["text", "text"]]


def test_a_picture_without_words_asks_no_model(shop: Shop, chat_server: Any, upload: Image) -> None:
    _, turn = talk(shop(), "", images=(upload,))
    assert turn.plan.intent is Intent.SEARCH
    assert chat_server.requests == []


# --- standing in ---


def test_where_the_model_fails_the_built_in_understanding_stands_in_and_says_so(
    shop: Shop, chat_server: Any, assistant: Assistant
) -> None:
    chat_server.answer = lambda _: (503, "starting")
    _, turn = talk(shop(words=True), "a red dress")
    _, built_in = talk(assistant, "a red dress")
    assert turn.plan.filters == built_in.plan.filters
    assert turn.ranking == built_in.ranking
    assert turn.reply.text == f"{built_in.reply.text} {STOOD_IN}"


@pytest.mark.parametrize("content", ["no", "[]", '{"intent": "buy"}', '{"intent": "search", "filters": "all"}', "{}"])
def test_an_answer_that_is_no_form_counts_as_none(shop: Shop, chat_server: Any, content: str) -> None:
    chat_server.answer = lambda _: (200, content)
    _, turn = talk(shop(), "a red dress")
    assert turn.reply.text.endswith(STOOD_IN)
    assert len(chat_server.requests) == 2


def test_small_talk_says_as_well_that_the_built_in_understanding_stood_in(shop: Shop, chat_server: Any) -> None:
    chat_server.answer = lambda _: (401, "no")
    _, turn = talk(shop(), "thanks")
    assert turn.reply.text.startswith("You are welcome")
    assert turn.reply.text.endswith(STOOD_IN)


def test_a_slow_model_costs_no_more_than_its_time(shop: Shop, chat_server: Any) -> None:
    chat_server.pause_s = 0.3
    chat_server.answer = lambda _: (200, json.dumps(NOTHING | {"intent": "search"}))
    _, turn = talk(shop(seconds=0.6), "a red dress")
    assert turn.reply.text.endswith(STOOD_IN)


# --- words ---


def test_the_reply_is_worded_by_the_model_and_heard_sentence_by_sentence(shop: Shop, understood: Answers) -> None:
    understood({"intent": "search", "words": "dress"}, said="Here are eight of them. The first comes nearest.")
    heard: list[str] = []
    turn = shop(words=True).respond(Session("s"), Message("a dress"), heard.append)
    assert heard == ["Here are eight of them.", "Here are eight of them. The first comes nearest."]
    assert turn.reply.text == heard[-1]
    assert turn.reply.offers


def test_words_that_no_fact_bears_are_replaced_by_the_built_in_ones(shop: Shop, understood: Answers) -> None:
    understood({"intent": "search", "words": "dress"}, said="Here you are. All of them are 70% off.")
    heard: list[str] = []
    turn = shop(words=True).respond(Session("s"), Message("a dress"), heard.append)
    assert heard == ["Here you are."]
    assert turn.reply.text.startswith("Here are 8 matches.")


def test_without_words_the_built_in_ones_stand_in_and_say_so(shop: Shop, chat_server: Any, understood: Answers) -> None:
    understood({"intent": "search", "words": "dress"})
    form = chat_server.answer
    chat_server.answer = lambda body: form(body) if "response_format" in body else (503, "busy")
    _, turn = talk(shop(words=True), "a dress")
    assert turn.reply.text.startswith("Here are 8 matches.")
    assert turn.reply.text.endswith(NOT_WORDED)


def test_an_edited_plan_runs_without_the_model(shop: Shop, chat_server: Any) -> None:
    edited = Plan(Intent.SEARCH, text="dress", filters=(Filter("colour", "any_of", ("Red",)),))
    turn = shop(words=True).respond(Session("s"), Message("Without: Blue", plan=edited))
    assert turn.plan == edited
    assert chat_server.requests == []

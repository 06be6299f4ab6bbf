"""What an encoder that reads conversations is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from retrieval.retriever import Retriever
from retrieval.schema import Image, Intent, Message, Query, Session, Turn

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings

Chat = Callable[..., tuple[Session, Turn]]


def query_of(turn: Turn) -> Query:
    assert turn.query is not None
    return turn.query


def said(turn: Turn) -> list[str]:
    return [earlier.text for earlier in query_of(turn).history]


def first(turn: Turn) -> str:
    assert turn.ranking is not None
    return turn.ranking.hits[0].item_id


def test_a_request_is_what_was_said_and_not_what_was_made_of_it(chat: Chat) -> None:
    query = query_of(chat("Hi! I am looking for a red dress, please")[1])

    assert query.text == "red dress"
    assert query.request == "Hi! I am looking for a red dress, please"


def test_where_nothing_was_selected_a_turn_led_to_its_best_result(chat: Chat, studio: Retriever) -> None:
    session, turn = chat("dresses", "in blue")
    (earlier,) = query_of(turn).history
    (best,) = studio.get([first(session.turn(1))])

    assert earlier.target == best.image


def test_every_intent_that_builds_on_something_has_the_branch_as_history(chat: Chat) -> None:
    begun, _ = chat("red dresses", Message("in blue", selected="i000"))
    for words, intent in (
        ("the same item from another side", Intent.SAME_ITEM),
        ("what goes with it?", Intent.COMPATIBLE),
        ("others with the same pattern", Intent.SAME_ATTRIBUTE),
        ("but sleeveless", Intent.MODIFY),
    ):
        _, turn = chat(Message(words, selected="i001"), session=begun)
        assert turn.plan.intent is intent
        assert said(turn) == ["red dresses", "in blue"], words
        assert query_of(turn).history[-1].target == query_of(turn).references[0]


def test_a_turn_gone_back_to_leaves_out_what_came_after_it(chat: Chat) -> None:
    _, turn = chat("dresses", Message("in blue", selected="i000"), "in white", "back to turn 1, but in green")

    assert turn.plan.then is Intent.MODIFY
    assert said(turn) == ["dresses"]
    assert query_of(turn).request == "back to turn 1, but in green"


def test_a_result_that_was_shown_again_is_no_turn_of_its_own(chat: Chat) -> None:
    _, turn = chat("dresses", "in blue", "back to turn 1", "in green")

    assert said(turn) == ["dresses"]


def test_a_question_in_between_is_not_read(chat: Chat) -> None:
    _, turn = chat("dresses", "how much is the first one?", Message("in blue", selected="i000"))

    assert said(turn) == ["dresses"]


def test_after_a_fresh_search_the_branch_begins_with_it(chat: Chat) -> None:
    _, turn = chat("red dresses", "sneakers", "in white")

    assert said(turn) == ["sneakers"]


def test_a_photo_in_between_continues_the_conversation_unless_it_starts_a_search(chat: Chat, upload: Image) -> None:
    begun, _ = chat("dresses")
    changed = chat(Message("like this but in blue", images=(upload,)), session=begun)[1]
    searched = chat(Message("", images=(upload,)), session=begun)[1]

    assert said(changed) == ["dresses"]
    assert query_of(changed).references == (upload,)
    assert said(searched) == []


def test_an_edited_plan_takes_the_place_of_the_turn_that_it_edits(chat: Chat) -> None:
    begun, turn = chat("dresses", Message("in blue and sleeveless", selected="i000"))
    edited = replace(turn.plan, text="blue dress", filters=turn.plan.filters[:1], reference_turn=None)
    after, again = chat(Message("Without: Sleeveless", plan=edited), session=begun)
    _, further = chat("in white", session=after)

    assert query_of(again).request == "blue dress"
    assert said(again) == ["dresses"]
    assert said(further) == ["dresses", "blue dress"]


def test_an_offer_about_a_result_continues_the_conversation(chat: Chat) -> None:
    begun, turn = chat("dresses")
    offer = next(offer for offer in turn.reply.offers if offer.label.startswith("What goes with"))
    _, after = chat(Message(offer.label, plan=replace(offer.plan, reference_turn=None)), session=begun)

    assert said(after) == ["dresses"]
    assert query_of(after).history[0].target == query_of(after).references[0]


def test_more_of_the_same_asks_the_same_again(chat: Chat) -> None:
    before = chat("dresses", Message("like this in blue", selected="i000"))[1]
    _, turn = chat("dresses", Message("like this in blue", selected="i000"), "show me more")

    assert query_of(turn).request == "like this in blue"
    assert query_of(turn).history == query_of(before).history


def test_filters_set_by_hand_leave_what_was_said(chat: Chat) -> None:
    begun, turn = chat("dresses", Message("in blue", selected="i000"))
    _, filtered = chat(Message(filters=turn.plan.filters[:1]), session=begun)

    assert query_of(filtered).request == "in blue"
    assert said(filtered) == ["dresses"]


class Listening:
    """An encoder that keeps the queries it is asked for."""

    def __init__(self, retriever: Retriever) -> None:
        self._encoder = retriever.encoder
        self.manifest = retriever.encoder.manifest
        self.encode_items = retriever.encoder.encode_items
        self.heard: list[Query] = []

    def encode_queries(self, queries: list[Query]) -> Embeddings:
        self.heard += queries
        return self._encoder.encode_queries(queries)


def heard(retriever: Retriever, planner: RulesPlanner, *messages: Message) -> list[Query]:
    """The queries of the last message."""
    encoder = Listening(retriever)
    assistant = Assistant(Retriever(encoder, retriever.store), planner, k=8)
    session = Session("s")
    for message in messages:
        encoder.heard.clear()
        session = session.append(assistant.respond(session, message))
    return encoder.heard


def test_each_kind_of_an_outfit_is_asked_for_by_name(studio: Retriever, planner: RulesPlanner) -> None:
    queries = heard(studio, planner, Message("dresses"), Message("what goes with it?"))

    assert {query.request for query in queries} >= {
        "I need footwear to go with this",
        "I need bags to go with this",
    }
    assert all(len(query.history) == 1 for query in queries)


def test_a_kind_that_the_shopper_named_is_asked_for_in_the_same_words(studio: Retriever, planner: RulesPlanner) -> None:
    (query,) = heard(studio, planner, Message("dresses"), Message("which shoes go with it?"))

    assert query.request == "which shoes go with it?"


def test_what_the_shopper_named_alone_is_what_has_to_be_matched(studio: Retriever, planner: RulesPlanner) -> None:
    queries = heard(studio, planner, Message("what goes with a red dress?"))

    assert "I need footwear to go with red dress" in {query.request for query in queries}


def test_a_garment_in_a_photo_is_recognised_by_the_photo_alone(
    studio: Retriever, planner: RulesPlanner, upload: Image
) -> None:
    queries = heard(studio, planner, Message("what goes with this?", images=(upload,)))

    assert any(q.references == (upload,) and not q.text and not q.request and not q.history for q in queries)

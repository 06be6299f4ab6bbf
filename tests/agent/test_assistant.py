"""The one door: whole conversations, and what must never happen in one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from agent.planners.scripted import ScriptedPlanner
from retrieval.errors import FashionSearchError, FilterError, MessageError
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Image, Intent, Message, Plan, Session, Turn

Chat = Callable[..., tuple[Session, Turn]]
GOLDEN = Path(__file__).parent.parent / "golden" / "agent_session.jsonl"
RED = Filter("colour", "any_of", ("Red",))
DRESS = Filter("category", "any_of", ("Dress",))

CONVERSATION = (
    "Hi! I am looking for a red dress",
    "make it longer",
    "in blue, without sleeves",
    "how much is it and what is it made of?",
    "undo",
    "go back to turn 1 but in green",
    "what goes with it?",
    "only shoes, not white",
    "the second one in black",
    "is there anything cheaper?",
    "the same colour on something else",
    "back to the first search",
    "trainers for my husband under a hundred",
    "show me ponchos",
    "cheers!",
)


def hits(turn: Turn) -> tuple[str, ...]:
    assert turn.ranking is not None
    return tuple(hit.item_id for hit in turn.ranking.hits)


# --- golden ----------------------------------------------------------------------------------------------------------


def test_a_replayed_conversation_matches_its_golden_file(chat: Chat) -> None:
    session, _ = chat(*CONVERSATION)
    lines = "".join(json.dumps(_summary(turn), ensure_ascii=False) + "\n" for turn in session.turns)
    if os.environ.get("DIMITY_GOLDEN") == "rewrite":
        GOLDEN.write_text(lines, encoding="utf-8")

    assert lines == GOLDEN.read_text(encoding="utf-8")


def test_the_same_conversation_twice_is_the_same_session(chat: Chat) -> None:
    assert chat(*CONVERSATION) == chat(*CONVERSATION)


def _summary(turn: Turn) -> dict[str, object]:
    plan = turn.plan
    return {
        "turn": turn.turn_number,
        "parent": turn.parent,
        "said": turn.message.text,
        "intent": plan.intent.value,
        "then": plan.then and plan.then.value,
        "text": plan.text,
        "references": plan.references,
        "filters": [[f.attribute, f.operator, list(f.values)] for f in plan.filters],
        "unwanted": [*plan.unwanted_texts, *plan.unwanted_items],
        "found": None if turn.ranking is None else list(hits(turn)[:3]),
        "reply": turn.reply.text,
        "offers": [offer.label for offer in turn.reply.offers],
    }


# --- turns and branches ----------------------------------------------------------------------------------------------


def test_a_turn_follows_the_latest_one_or_the_parent_that_is_named(assistant: Assistant) -> None:
    session = Session("s")
    for text in ("dresses", "in red"):
        session = session.append(assistant.respond(session, Message(text)))

    assert assistant.respond(session, Message("in blue")).parent == 2
    assert assistant.respond(session, Message("in blue", parent=1)).parent == 1


def test_going_back_grows_a_branch_and_shows_the_same_again(chat: Chat) -> None:
    session, turn = chat("red dresses", "sneakers", "handbags", "go back to turn 1")

    assert (turn.plan.intent, turn.plan.then, turn.parent) == (Intent.ROLLBACK, None, 1)
    assert hits(turn) == hits(session.turns[0])
    assert turn.query is not None
    assert turn.query.query_id == "s/4"
    assert turn.ranking is not None
    assert turn.ranking.query_id == "s/4"


def test_going_back_with_a_wish_carries_it_in_then(chat: Chat) -> None:
    _, turn = chat("red dresses", "sneakers", "go back to turn 1 but in blue")

    assert (turn.plan.intent, turn.plan.then, turn.parent) == (Intent.ROLLBACK, Intent.MODIFY, 1)
    assert turn.plan.filters == (DRESS, Filter("colour", "any_of", ("Blue",)))


@pytest.mark.parametrize("text", ["go back to turn 1 and make it red", "go back to turn 1 but in red"])
def test_going_back_returns_to_the_item_that_was_selected_there(chat: Chat, text: str) -> None:
    session, first = chat("blue things")
    third = hits(first)[2]
    _, turn = chat(Message("make it green", selected=third), "sneakers", text, session=session)

    assert (turn.plan.then, turn.plan.reference_turn) == (Intent.MODIFY, 1)
    assert turn.plan.references == (third,)


def test_going_back_returns_to_the_item_that_was_pointed_at_if_the_words_point_again(chat: Chat) -> None:
    session, first = chat("dresses")
    session, _ = chat("the third one in green", "sneakers", session=session)

    assert chat("go back to turn 1 and make it red", session=session)[1].plan.references == (hits(first)[2],)
    assert chat("go back to turn 1 but in red", session=session)[1].plan.references == ()


@pytest.mark.parametrize(
    ("text", "parent"),
    [
        ("undo", 2),
        ("previous", 2),
        ("the one before", 2),
        ("go back", 2),
        ("go back one step", 2),
        ("back to the first search", 1),
        ("take me back to the start", 1),
        ("show me the first results again", 1),
        ("return to step 2", 2),
        ("back to turn two", 2),
        ("back to the sneakers", 2),
        ("go back to the red dresses", 1),
    ],
)
def test_ways_to_say_which_turn_to_go_back_to(chat: Chat, text: str, parent: int) -> None:
    assert chat("red dresses", "sneakers", "handbags", text)[1].parent == parent


def test_a_second_undo_goes_one_further_back(chat: Chat) -> None:
    session, turn = chat("red dresses", "sneakers", "handbags", "undo", "undo")

    assert hits(turn) == hits(session.turns[0])


def test_undoing_the_first_turn_is_a_fresh_start(chat: Chat) -> None:
    _, turn = chat("red dresses", "undo")

    assert turn.parent is None
    assert turn.ranking is None


def test_a_branch_knows_nothing_of_another_branch(chat: Chat) -> None:
    session, _ = chat("dresses", "in red")
    _, here = chat(Message("under 60", parent=1), session=session)

    assert RED not in here.plan.filters
    assert session.turns == chat("dresses", "in red")[0].turns


def test_after_a_fresh_start_nothing_of_before_is_carried_on(chat: Chat) -> None:
    assert chat("red dresses for women", "start over", "under 60")[1].plan.filters == (
        Filter("price", "at_most", (60.0,)),
    )


def test_two_sessions_share_nothing(assistant: Assistant, chat: Chat) -> None:
    alone = chat("dresses", "in blue", by=assistant)[0]
    one, other = Session("s"), Session("other")
    for mine, theirs in (("dresses", "sneakers for men"), ("in blue", "under 100")):
        one = one.append(assistant.respond(one, Message(mine)))
        other = other.append(assistant.respond(other, Message(theirs)))

    assert one == alone
    assert not any(f.attribute == "colour" for turn in other.turns for f in turn.plan.filters)


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (Message(), "empty"),
        (Message("   "), "empty"),
        (Message("red " * 600), "longer than 2000"),
        (Message("red \ud83d"), "half a character"),
        (Message("red", filters=(Filter("colour", "any_of", ("\udc00",)),)), "half a character"),
        (Message(plan=Plan(Intent.SEARCH, text="\ud800")), "half a character"),
        (Message(plan=Plan(Intent.SEARCH, unwanted_texts=("\ud800",))), "half a character"),
        (Message("red", parent=7), "no turn 7"),
        (Message("go back to turn 9"), "no turn 9"),
        (Message("like this", selected="gone"), "Select another one"),
        (Message(plan=Plan(Intent.MODIFY, text="x", references=("gone",))), "Select another one"),
        (Message(plan=Plan(Intent.MODIFY, text="x", reference_turn=5)), "no turn 5"),
    ],
)
def test_what_does_not_exist_is_an_error_that_says_so(chat: Chat, message: Message, says: str) -> None:
    session, _ = chat("dresses")

    with pytest.raises(MessageError, match=says):
        chat(message, session=session)


def test_a_filter_on_what_the_gallery_lacks_is_an_error_and_not_an_empty_answer(chat: Chat) -> None:
    with pytest.raises(FilterError):
        chat(Message("dresses", filters=(Filter("weight", "any_of", ("heavy",)),)))


# --- what is retrieved -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello", "Hello"),
        ("thanks a lot!", "welcome"),
        ("add it to my cart", "no cart"),
        ("what's the weather tomorrow", "only know the clothes"),
        ("what can you do", "Describe a garment"),
        ("how much is the second one", "Price of"),
        ("which one is the cheapest", "cheapest of these, at 20"),
        ("what brand is the first one", "Brand of"),
        ("is the first one cotton?", "does not say the material"),
        ("what sizes does it come in", "does not say the size"),
        ("compare the first two", "differ in"),
        ("how many dresses do you have", "8 items"),
        ("which brands do you carry", "Dimity (24)"),
        ("how many items are there", "48 items"),
    ],
)
def test_talk_and_questions_retrieve_nothing(chat: Chat, text: str, says: str) -> None:
    turn = chat("dresses", text)[1]

    assert (turn.query, turn.ranking) == (None, None)
    assert says in turn.reply.text


def test_it_goes_on_meaning_the_item_that_was_asked_about(chat: Chat) -> None:
    session, turn = chat("dresses", "what brand is the third one", "and how much is it")

    assert turn.plan.references == (hits(session.turns[0])[2],)


def test_a_question_in_between_does_not_lose_what_is_refined(chat: Chat) -> None:
    assert DRESS in chat("dresses", "how much is the second one", "in red")[1].plan.filters


def test_results_pass_every_filter_and_the_reply_counts_them(chat: Chat, studio: Retriever) -> None:
    turn = chat("formal dresses under 40")[1]
    items = studio.get(hits(turn))

    assert all(item.attributes["category"] == "Dress" for item in items)
    assert all(item.attributes["usage"] == "Formal" for item in items)
    assert f"Only {len(items)} items fit" in turn.reply.text


def test_nothing_found_is_said_and_a_looser_search_is_only_offered(chat: Chat) -> None:
    session, turn = chat("red dresses over 100")
    assert hits(turn) == ()
    assert "Nothing in this gallery fits" in turn.reply.text

    offer = next(offer for offer in turn.reply.offers if offer.label.startswith("Without “price"))
    _, taken = chat(Message(plan=offer.plan), session=session)

    assert len(hits(taken)) == 1
    assert "(1)" in offer.label


def test_a_kind_that_is_not_carried_is_said_with_the_nearest_as_an_offer(chat: Chat) -> None:
    turn = chat("ponchos")[1]

    assert hits(turn) == ()
    assert "There is no poncho in this gallery" in turn.reply.text
    assert any("outerwear" in offer.label for offer in turn.reply.offers)


def test_where_no_single_filter_helps_two_are_offered_together(chat: Chat) -> None:
    turn = chat("red denim handbag over 1000")[1]

    assert hits(turn) == ()
    assert any("” and “" in offer.label for offer in turn.reply.offers)


def test_every_offer_can_be_taken(chat: Chat) -> None:
    session, turn = chat("red dresses", "in blue", "what goes with it")

    for earlier in session.turns:
        for offer in earlier.reply.offers:
            assert hits(chat(Message(plan=offer.plan, parent=turn.turn_number), session=session)[1])


def test_the_number_on_an_offer_is_the_number_that_it_finds(chat: Chat) -> None:
    session, turn = chat("red dresses under 30")

    for offer in turn.reply.offers:
        if offer.label.startswith("Without"):
            found = hits(chat(Message(plan=offer.plan), session=session)[1])
            assert offer.label.endswith(f"({len(found)})")


def test_show_me_more_shows_what_was_not_shown_yet(studio: Retriever, planner: RulesPlanner, chat: Chat) -> None:
    small = Assistant(studio, planner, k=3)
    session, turn = chat("dresses", "show me more", "show me more", by=small)
    shown = [item_id for earlier in session.turns for item_id in hits(earlier)]

    assert len(shown) == len(set(shown)) == 8
    assert len(hits(turn)) == 2


def test_what_is_pointed_at_is_not_shown_again(chat: Chat) -> None:
    assert "i003" not in hits(chat("dresses", Message("more like this", selected="i003"))[1])


def test_filters_set_by_hand_win_over_the_words_and_last_as_long_as_they_are_set(chat: Chat) -> None:
    session, turn = chat(Message("blue dresses", filters=(RED,)))
    assert set(turn.plan.filters) == {DRESS, RED}

    assert RED not in chat("under 60", session=session)[1].plan.filters


def test_filters_alone_are_a_search(chat: Chat, studio: Retriever) -> None:
    first = chat(Message(filters=(RED,)))[1]
    refined = chat("dresses", Message(filters=(RED,)))[1]

    assert {item.attributes["colour"] for item in studio.get(hits(first))} == {"Red"}
    assert [item.caption for item in studio.get(hits(refined))] == ["Dimity Red Dress"]


def test_a_plan_edited_by_hand_runs_as_it_is(chat: Chat) -> None:
    plan = Plan(Intent.SEARCH, text="blue", filters=(RED, DRESS), notes=("kept",))

    assert chat(Message("dresses in green", plan=plan))[1].plan == plan


def test_the_query_holds_ids_text_references_and_the_branch(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("red dresses", Message("in blue", selected="i000"), Message("longer", selected="i001"))
    query = turn.query

    assert query is not None
    assert query.query_id == "s/3"
    assert [image.image_id for image in query.references] == ["picture-001"]
    assert [earlier.text for earlier in query.history] == ["red dresses", "in blue"]
    assert query.request == "longer"
    assert [earlier.target and earlier.target.image_id for earlier in query.history] == ["picture-000", "picture-001"]


def test_a_fresh_search_has_no_history(chat: Chat) -> None:
    turn = chat("red dresses", "sneakers")[1]

    assert turn.query is not None
    assert turn.query.history == ()


def test_the_same_item_is_never_the_querys_own_picture(chat: Chat, studio: Retriever) -> None:
    (own,) = studio.get(["i000"])
    uploaded = chat(Message("do you have this exact one", images=(own.image,)))[1]
    selected = chat("dresses", Message("the same item from another side", selected="i000"))[1]
    shop_picture = Image(own.image.image_id, own.image.path)
    by_equal_file = chat(Message("find this", images=(shop_picture,)))[1]

    for turn in (uploaded, selected, by_equal_file):
        assert turn.plan.intent is Intent.SAME_ITEM
        assert len(hits(turn)) > 0
        assert "i000" not in hits(turn)
    assert "That very picture is in the gallery as Dimity Red Dress" in uploaded.reply.text


# --- nothing else than our own errors --------------------------------------------------------------------------------

_SAID = """the second one red dress not without no in under 50 cheaper than it this that same but go back to turn 2
undo first last what goes with how much is and or , . ? longer sleeves blue colour brand something else like less"""
_WORDS = st.sampled_from(_SAID.split())
_TEXT = st.one_of(st.text(max_size=60), st.lists(_WORDS, min_size=1, max_size=12).map(" ".join))


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(_TEXT, min_size=1, max_size=3), selected=st.sampled_from([None, "i003"]))
def test_any_text_is_answered_or_refused_by_our_own_error(
    assistant: Assistant, texts: list[str], selected: str | None
) -> None:
    session = Session("s")
    session = session.append(assistant.respond(session, Message("dresses")))
    for text in texts:
        with suppress(FashionSearchError):
            session = session.append(assistant.respond(session, Message(text, selected=selected)))
    assert all(turn.reply.text for turn in session.turns)


def test_a_scripted_planner_can_replace_the_rules(studio: Retriever, chat: Chat) -> None:
    script = ScriptedPlanner([Plan(Intent.SEARCH, text="red", filters=(RED,)), Plan(Intent.OTHER)])
    session, turn = chat("anything", "at all", "again", by=Assistant(studio, script, k=4))

    assert [t.plan.intent for t in session.turns] == [Intent.SEARCH, Intent.OTHER, Intent.SEARCH]
    assert turn.reply.text == "search: 4 shown"


def test_a_script_without_a_plan_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ScriptedPlanner([])


def test_a_bug_is_not_swallowed(studio: Retriever) -> None:
    class Broken(ScriptedPlanner):
        def understand(self, *args: object) -> Plan:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Assistant(studio, Broken([Plan(Intent.OTHER)])).respond(Session("s"), Message("x"))


def test_a_session_is_not_changed_by_an_answer(chat: Chat, assistant: Assistant) -> None:
    session, _ = chat("dresses")
    before = replace(session)
    assistant.respond(session, Message("in red"))

    assert session == before

"""How many, in which order, what one item lends another, and why something is shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.amounts import find_amounts
from agent.assistant import Assistant
from agent.protocols import Catalogue
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Intent, Message, Session, Turn

Chat = Callable[..., tuple[Session, Turn]]


@pytest.mark.parametrize(
    ("text", "n_wanted"),
    [
        ("two more", 2),
        ("only five", 5),
        ("just show me three", 3),
        ("show me 10 of them", 10),
        ("a couple more please", 2),
        ("show me number 4", 0),
        ("under 50", 0),
        ("size 10 please", 0),
        ("only 50 euros", 0),
        ("the first one", 0),
        ("500 more", 0),
    ],
)
def test_how_many_are_wanted(text: str, n_wanted: int) -> None:
    assert find_amounts(text).n_wanted == n_wanted


@pytest.mark.parametrize(
    ("text", "sort_by"),
    [
        ("the cheapest ones", "price"),
        ("cheapest first", "price"),
        ("sort by price", "price"),
        ("from expensive to cheap", "-price"),
        ("most expensive ones", "-price"),
        ("newest first", "-year"),
        ("the cheapest one", ""),
        ("which is the cheapest?", ""),
        ("something cheaper", ""),
    ],
)
def test_in_which_order(text: str, sort_by: str) -> None:
    assert find_amounts(text).sort_by == sort_by


def prices(turn: Turn, assistant_retriever: Retriever) -> list[float]:
    assert turn.ranking is not None
    items = assistant_retriever.get([hit.item_id for hit in turn.ranking.hits])
    return [float(item.attributes["price"]) for item in items]


def test_the_cheapest_are_the_cheapest_of_all_that_fit(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("jackets", "the cheapest ones")
    jackets = Filter("category", "any_of", ("Jacket",))
    low = prices(turn, studio)
    assert low == sorted(low)
    assert studio.count([jackets, Filter("price", "at_most", (low[-1],))]) == len(low)


def test_an_order_holds_for_the_next_change(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("show me dresses", "most expensive first", "for women")
    assert turn.plan.sort_by == "-price"
    assert prices(turn, studio) == sorted(prices(turn, studio), reverse=True)


def test_an_order_that_the_catalogue_does_not_know_is_said(chat: Chat) -> None:
    _, turn = chat("dresses", "newest first")
    assert turn.plan.sort_by == ""
    assert "does not say the year" in turn.reply.text


def test_two_more_are_two_that_were_not_shown(chat: Chat) -> None:
    session, turn = chat("everything for women", "only three", "two more")
    first, second = (session.turn(n).ranking for n in (2, 3))
    assert first is not None
    assert second is not None
    assert (len(first.hits), len(second.hits)) == (3, 2)
    assert not {hit.item_id for hit in first.hits} & {hit.item_id for hit in second.hits}
    assert turn.plan.n_wanted == 2


def test_one_item_lends_another_its_colour(chat: Chat, catalogue: Catalogue) -> None:
    session, turn = chat("show me jackets", "like the first, in the colour of the third")
    assert session.turn(1).ranking is not None
    shown = catalogue.get([hit.item_id for hit in session.turn(1).ranking.hits])  # type: ignore[union-attr]
    assert turn.plan.intent is Intent.MODIFY
    assert turn.plan.references == (shown[0].item_id,)
    assert Filter("colour", "any_of", (shown[2].attributes["colour"],)) in turn.plan.filters


def test_another_garment_in_the_colour_of_one_is_another_wish(chat: Chat) -> None:
    _, turn = chat("show me jackets", "a dress in the colour of the third")
    assert turn.plan.intent is Intent.SAME_ATTRIBUTE


def test_the_first_of_a_kind_that_was_shown_earlier(chat: Chat) -> None:
    session, turn = chat("dresses", "jackets", "how much is the first dress?")
    assert session.turn(1).ranking is not None
    assert turn.plan.references == (session.turn(1).ranking.hits[0].item_id,)  # type: ignore[union-attr]


def test_why_says_what_each_condition_left_out(chat: Chat) -> None:
    _, turn = chat("dresses, not red", "why these?")
    assert turn.plan.intent is Intent.ASK
    assert "not Red (leaves out 1)" in turn.reply.text


def test_what_an_exclusion_left_out_is_said(chat: Chat) -> None:
    assert "“not Red” left out 1" in chat("dresses, not red")[1].reply.text


def test_moving_away_is_said_and_taken_back(chat: Chat) -> None:
    session, turn = chat("dresses", "less like the first", "undo")
    assert "moved away from" in session.turn(2).reply.text
    assert turn.ranking is not None
    assert session.turn(1).ranking is not None
    assert turn.ranking.hits == session.turn(1).ranking.hits  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("add the second to my basket", "no cart"),
        ("do you ship abroad?", "delivery"),
        ("can I return it?", "returns"),
        ("any discounts?", "discounts"),
        ("I want to talk to a human", "program"),
    ],
)
def test_what_cannot_be_done_is_said_by_its_name(assistant: Assistant, text: str, said: str) -> None:
    assert said in assistant.respond(Session("s"), Message(text)).reply.text

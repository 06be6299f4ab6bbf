"""Chips and the turn tree, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agent.presentation import chips, tree
from agent.wording import filters_label
from retrieval.schema import Filter, Intent, Message, Plan, Session, Turn

Chat = Callable[..., tuple[Session, Turn]]


def test_each_chip_carries_the_plan_without_its_part(chat: Chat) -> None:
    plan = chat("red dresses under 60, no logo")[1].plan
    labels = {chip.label: chip.plan_without_it for chip in chips(plan)}

    assert set(labels) == {"“red dresses”", "Red", "Dress", "price up to 60", "no logo"}
    assert Filter("colour", "any_of", ("Red",)) not in labels["Red"].filters
    assert labels["Red"].text == "dresses"
    assert labels["no logo"].unwanted_texts == ()
    assert labels["“red dresses”"].text == ""


def test_every_chip_can_be_removed_and_run(chat: Chat) -> None:
    session, turn = chat("dresses", "the second one in red, not floral", "less like the first one")

    for earlier in session.turns:
        for chip in chips(earlier.plan):
            assert chat(Message(plan=chip.plan_without_it, parent=turn.turn_number), session=session)[1].reply.text


def test_without_its_item_a_modification_is_a_search() -> None:
    plan = Plan(Intent.MODIFY, text="blue", references=("a",), filters=(Filter("colour", "any_of", ("Blue",)),))
    (without,) = [chip.plan_without_it for chip in chips(plan) if "chosen" in chip.label]

    assert without.intent is Intent.SEARCH
    assert without.references == ()


def test_an_order_and_a_count_are_chips_that_can_be_taken_away() -> None:
    plan = Plan(Intent.SEARCH, text="dress", sort_by="-year", n_wanted=5)
    order, count = chips(plan)
    assert (order.label, count.label) == ("by year, from high to low", "only 5")
    assert order.plan_without_it == replace(plan, sort_by="")
    assert count.plan_without_it == replace(plan, n_wanted=0)


def test_turns_that_retrieve_nothing_have_no_chips(chat: Chat) -> None:
    assert chips(chat("hello")[1].plan) == ()


def test_chips_of_a_turn_gone_back_to_run_what_it_was(chat: Chat) -> None:
    plan = chat("red dresses", "sneakers", "undo")[1].plan

    assert {chip.plan_without_it.intent for chip in chips(plan)} == {Intent.SEARCH}


def test_a_straight_conversation_is_one_branch(chat: Chat) -> None:
    rows = tree(chat("dresses", "in red", "under 60")[0])

    assert [(row.turn_number, row.depth, row.is_current) for row in rows] == [
        (1, 0, False),
        (2, 0, False),
        (3, 0, True),
    ]
    assert [row.label for row in rows] == ["dresses", "in red", "under 60"]


def test_a_rollback_is_a_branch_beside_what_followed(chat: Chat) -> None:
    rows = tree(chat("dresses", "in red", "under 60", "go back to turn 1 but in blue", "sneakers")[0], current=3)

    assert [(row.turn_number, row.depth) for row in rows] == [(1, 0), (2, 0), (3, 0), (4, 1), (5, 1)]
    assert [row.turn_number for row in rows if row.is_current] == [3]


def test_an_empty_session_has_no_rows() -> None:
    assert tree(Session("s")) == ()


def test_a_long_conversation_does_not_recurse(chat: Chat) -> None:
    session, turn = chat("dresses")
    for number in range(2, 2002):
        session = session.append(Turn(number, number - 1, turn.message, turn.plan, turn.reply))

    assert len(tree(session)) == 2001


def test_a_long_list_of_conditions_is_cut_in_a_sentence() -> None:
    filters = (
        Filter("category", "any_of", ("Dress",)),
        Filter("colour", "any_of", ("Red",)),
        Filter("gender", "any_of", ("Women", "Unisex")),
        Filter("length", "any_of", ("Mini", "Midi", "Maxi", "Knee Length", "Short")),
        Filter("price", "at_most", (50.0,)),
        Filter("usage", "any_of", ("Party",)),
        Filter("brand", "none_of", ("Acme",)),
        Filter("sleeves", "any_of", ("Sleeveless",)),
    )
    label = filters_label(filters)
    assert label.startswith("Red Dress for Women, price up to 50, ")
    assert "Mini, Midi, Maxi or 2 more" in label
    assert label.endswith(" and 2 more conditions")

"""What a change of an item keeps, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from agent.protocols import Catalogue
from agent.reading import read
from agent.retrieval_step import catalogue_of
from agent.vocabulary import Lexicon
from agent.wishes import carry
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Intent, Message, Session, Turn

Chat = Callable[..., tuple[Session, Turn]]
RED_JACKET, BLUE_JACKET = "i040", "i041"


def any_of(attribute: str, *values: str) -> Filter:
    return Filter(attribute, "any_of", values)


def test_what_the_chosen_item_does_not_fulfil_is_no_longer_asked_of_it(chat: Chat) -> None:
    plan = chat("blue jackets", Message("like this, but in linen", selected=RED_JACKET))[1].plan

    assert any_of("colour", "Blue") not in plan.filters
    assert any_of("category", "Jacket") in plan.filters


def test_what_the_chosen_item_fulfils_is_still_asked(chat: Chat) -> None:
    plan = chat("blue jackets", Message("this one for women", selected=BLUE_JACKET))[1].plan

    assert any_of("colour", "Blue") in plan.filters


def test_a_budget_holds_whatever_is_chosen(chat: Chat) -> None:
    plan = chat("jackets under 30", Message("this one in black", selected=RED_JACKET))[1].plan

    assert Filter("price", "at_most", (30.0,)) in plan.filters


def test_a_new_pattern_leaves_the_second_colour_of_the_old_one_behind() -> None:
    old = (any_of("second_colour", "White"), any_of("colour", "Blue"))

    assert carry(old, (any_of("pattern", "Solid"),)) == (any_of("colour", "Blue"), any_of("pattern", "Solid"))
    assert carry(old, (any_of("colour", "Red"),)) == (any_of("second_colour", "White"), any_of("colour", "Red"))


@pytest.mark.parametrize("text", ["the same sneakers in black", "the same red sneakers in black"])
def test_the_kind_after_the_same_names_the_item_that_is_meant(chat: Chat, text: str) -> None:
    plan = chat("jackets", Message(text, selected=RED_JACKET))[1].plan

    assert {any_of("category", "Jacket"), any_of("colour", "Black")} <= set(plan.filters)
    assert any_of("category", "Sneakers") not in plan.filters


def test_instead_of_this_is_a_change_of_it_and_not_away_from_it(chat: Chat) -> None:
    plan = chat("jackets", Message("instead of this, trousers in black", selected=RED_JACKET))[1].plan

    assert (plan.intent, plan.references, plan.unwanted_items) == (Intent.MODIFY, (RED_JACKET,), ())
    assert {any_of("category", "Trousers"), any_of("colour", "Black")} <= set(plan.filters)


def test_a_kind_before_style_is_no_kind(catalogue: Catalogue) -> None:
    lexicon = Lexicon(catalogue.facets)

    assert not read("in a sneakers style", lexicon, frozenset({"style"})).mentioned("category")
    assert read("sneakers in any style", lexicon, frozenset({"style"})).mentioned("category")


def test_going_back_with_a_reason_leaves_only_the_change(chat: Chat) -> None:
    plan = chat("jackets", "sneakers", "I liked turn 1 better, go back to it. the same in black")[1].plan

    assert (plan.intent, plan.then, plan.reference_turn) == (Intent.ROLLBACK, Intent.MODIFY, 1)
    assert plan.text == "black jacket"


def test_a_block_of_a_colour_is_a_pattern_with_a_second_colour(detailed: Retriever, planner: RulesPlanner) -> None:
    plan = planner.understand(Session("s"), Message("a jacket in red with a block of white"), catalogue_of(detailed))

    assert {any_of("colour", "Red"), any_of("second_colour", "White")} <= set(plan.filters)


@pytest.mark.parametrize("text", ["not with white stripes", "no white stripes please", "without white stripes"])
def test_the_colour_of_a_part_that_is_unwanted_is_no_colour_of_the_garment(
    detailed: Retriever, studio: Retriever, planner: RulesPlanner, text: str
) -> None:
    for retriever in (detailed, studio):
        turn = Assistant(retriever, planner, k=8).respond(Session("s"), Message(f"trousers, {text}"))
        assert not any(f.attribute == "colour" for f in turn.plan.filters)
        excluded = Filter("second_colour", "none_of", ("White",)) in turn.plan.filters
        assert excluded or turn.plan.unwanted_texts == ("white stripes",)


def test_a_garment_of_an_unwanted_colour_is_left_out_by_its_colour(chat: Chat) -> None:
    plan = chat("no black heels please")[1].plan

    assert Filter("colour", "none_of", ("Black",)) in plan.filters


@pytest.mark.parametrize("text", ["how high is the heel?", "how tall are the heels of the first one?"])
def test_the_height_of_a_heel_is_asked_for(detailed: Retriever, chat: Chat, planner: RulesPlanner, text: str) -> None:
    _, turn = chat("sneakers", text, by=Assistant(detailed, planner, k=8))

    assert (turn.plan.intent, turn.plan.attribute) == (Intent.ASK, "heel")
    assert "Flat" in turn.reply.text

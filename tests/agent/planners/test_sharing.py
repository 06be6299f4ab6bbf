"""What shares an attribute, the same item seen otherwise, and the shopper's own picture, in many words each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from agent.protocols import Catalogue
from agent.retrieval_step import catalogue_of
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Image, Intent, Message, Plan, Session, Turn

Says = Callable[..., Plan]
Chat = Callable[..., tuple[Session, Turn]]


@pytest.fixture(scope="module")
def says(detailed: Retriever, planner: RulesPlanner) -> Says:
    """The plan for a message after dresses were shown and one item was chosen."""
    assistant, catalogue = Assistant(detailed, planner, k=8), catalogue_of(detailed)
    shown = Session("s").append(assistant.respond(Session("s"), Message("show me dresses")))

    def plan(text: str, selected: str | None = "i040", images: tuple[Image, ...] = ()) -> Plan:
        session = Session("new") if images else shown
        return planner.understand(session, Message(text, images=images, selected=selected), catalogue)

    return plan


SHARED = (
    ("only the material should stay as it is", "material"),
    ("just the fabric has to remain the same", "material"),
    ("I like the pattern here, find more that share it", "pattern"),
    ("I love this colour, what else has it?", "colour"),
    ("the fabric is gorgeous, anything else in it?", "material"),
    ("keep the neckline and change the rest", "neckline"),
    ("leave the collar as it is and show me something else", "neckline"),
    ("just keep the sleeves, everything else can be different", "sleeves"),
    ("keep only the colour", "colour"),
    ("the collar should remain, the rest may change", "neckline"),
    ("change everything except the collar", "neckline"),
    ("everything but the pattern may change", "pattern"),
    ("the neckline is all that matters", "neckline"),
    ("what matters to me is the fabric", "material"),
    ("all I care about is the print", "pattern"),
    ("the only thing I want to keep is the heel", "heel"),
    ("I only care about the sleeves", "sleeves"),
    ("same strap, but a different one please", "strap"),
    ("same closure but another pair please", "closure"),
    ("something else with the same closure", "closure"),
    ("show me others with the same heel", "heel"),
    ("more with the same fastening", "closure"),
    ("a different bag with the same kind of strap", "strap"),
    ("other items with identical pockets", "pockets"),
    ("another pair with this heel height", "heel"),
    ("more things with a heel like this", "heel"),
    ("anything else with the material of this one: Canvas", "material"),
    ("other dresses with the sleeves of this one", "sleeves"),
    ("others with the same length (Full Length)", "length"),
    ("do you have others sharing this neckline?", "neckline"),
    ("which other garments share its pattern?", "pattern"),
    ("what else comes in this fit?", "fit"),
    ("everything with that style", "style"),
    ("what else has the same second colour?", "second_colour"),
)


@pytest.mark.parametrize(("text", "attribute"), SHARED)
def test_who_keeps_one_attribute_wants_others_that_share_it(says: Says, text: str, attribute: str) -> None:
    plan = says(text)

    assert (plan.intent, plan.attribute) == (Intent.SAME_ATTRIBUTE, attribute)
    assert plan.references == ("i040",)


@pytest.mark.parametrize(
    "text",
    [
        "the same jacket in black",
        "keep the colour but make it longer",
        "I like the colour but make the sleeves longer",
        "the pattern is nice, do you have it in blue?",
        "I like the neckline, can I see it in red?",
        "only the colour should change",
        "in the same colour but with long sleeves",
        "same style but in red",
        "the same style in other colours",
        "the same long sleeves jacket in red",
        "something like this with pockets",
        "a jacket like this that has pockets",
        "do you have it with white stripes?",
        "does this come with the same strap in gold?",
    ],
)
def test_who_changes_the_item_itself_does_not_want_others(says: Says, text: str) -> None:
    assert says(text).intent is Intent.MODIFY


@pytest.mark.parametrize(
    "text",
    [
        "what is the neckline of this one?",
        "what material is it?",
        "does it have pockets?",
        "is this the same colour as the second one?",
    ],
)
def test_a_question_about_an_attribute_stays_one(says: Says, text: str) -> None:
    assert says(text).intent is Intent.ASK


def test_only_the_shared_attribute_is_filtered_on(says: Says) -> None:
    plan = says("keep the collar and change the rest")

    assert plan.filters == (Filter("neckline", "any_of", ("Shirt Collar",)),)


def test_several_attributes_can_be_shared(says: Says) -> None:
    plan = says("keep the neckline and the sleeves, all else may change")

    assert {f.attribute for f in plan.filters} == {"neckline", "sleeves"}


def test_the_kind_that_the_words_name_is_kept(says: Says) -> None:
    assert Filter("category", "any_of", ("Dress",)) in says("dresses with the same collar").filters


def test_another_garment_is_any_other_one(says: Says) -> None:
    assert says("something else with the same collar").filters == (Filter("neckline", "any_of", ("Shirt Collar",)),)


def test_a_value_that_is_said_counts_although_the_item_does_not_list_it(says: Says) -> None:
    plan = says("others with the same length (Full Length)")

    assert plan.filters == (Filter("length", "any_of", ("Full Length",)),)


@pytest.mark.parametrize(
    ("before", "attributes"),
    [(("jackets for men",), {"gender", "colour"}), (("jackets", "make it blue and for men"), {"colour"})],
)
def test_for_whom_one_searches_is_kept_and_what_changed_an_item_is_not(
    chat: Chat, planner: RulesPlanner, catalogue: Catalogue, before: tuple[str, ...], attributes: set[str]
) -> None:
    plan = planner.understand(chat(*before)[0], Message("what else has this colour?", selected="i040"), catalogue)

    assert {f.attribute for f in plan.filters} == attributes


@pytest.mark.parametrize(
    "text",
    [
        "can I see it differently?",
        "can I see them differently?",
        "can I see it from another side",
        "show it another way",
        "show me this jacket another way",
        "can I see it in a different pose?",
        "got any other pictures of it?",
        "more photos please",
        "are there more images?",
        "can you turn it around?",
        "what does it look like from behind?",
    ],
)
def test_who_wants_to_see_it_otherwise_means_the_same_item(says: Says, text: str) -> None:
    assert says(text).intent is Intent.SAME_ITEM


@pytest.mark.parametrize(
    "text",
    [
        "where can I buy this?",
        "where could I get this jacket?",
        "can I buy this here?",
        "do you sell this?",
        "do you have this in store?",
        "do you have these in stock",
        "is this in stock?",
        "find me this wallet",
        "find these shoes in the shop",
        "which one is this?",
        "do you sell the jacket in my picture?",
        "the jacket in this photo please",
        "I took a photo of it, find the product",
        "I saw this jacket, which one is it?",
    ],
)
def test_what_is_on_an_uploaded_picture_is_looked_for_in_the_shop(says: Says, upload: Image, text: str) -> None:
    assert says(text, None, (upload,)).intent is Intent.SAME_ITEM


def test_where_to_buy_what_the_shop_shows_is_a_matter_of_the_cart(says: Says) -> None:
    assert says("where can I buy this?").intent is Intent.OTHER


def test_the_kind_that_a_picture_is_said_to_show_is_kept(says: Says, upload: Image) -> None:
    plan = says("do you sell the jacket in my picture?", None, (upload,))

    assert plan.filters == (Filter("category", "any_of", ("Jacket",)),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("do you have what I drew in red?", "red"),
        ("find the jacket that I drew, in red", "jacket red"),
        ("the jacket of this drawing in red", "jacket red"),
        ("like my sketch, in red", "red"),
    ],
)
def test_the_encoder_is_not_told_that_there_is_a_picture(says: Says, upload: Image, text: str, words: str) -> None:
    plan = says(text, None, (upload,))

    assert plan.intent is Intent.MODIFY
    assert plan.text == words


@pytest.mark.parametrize(
    "text",
    [
        "which jacket completes this outfit?",
        "what would complete this look?",
        "which shoes round off this outfit?",
        "shoes that finish the look",
        "a bag to top it off",
        "to complete it I need shoes",
        "what's missing from this outfit?",
    ],
)
def test_what_completes_an_outfit_goes_with_it(says: Says, text: str) -> None:
    assert says(text).intent is Intent.COMPATIBLE


def test_a_top_that_looks_different_completes_nothing(says: Says) -> None:
    assert says("a top that looks different").intent is not Intent.COMPATIBLE

"""What a shopper takes back: "no, I meant ...", "any colour", "another brand"."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.schema import Filter, Intent, Session, Turn

Chat = Callable[..., tuple[Session, Turn]]


def wanted(turn: Turn, attribute: str) -> tuple[str, ...]:
    return tuple(
        str(v) for f in turn.plan.filters if f.attribute == attribute and f.operator == "any_of" for v in f.values
    )


def test_a_corrected_question_is_asked_of_the_other_item(chat: Chat) -> None:
    session, _ = chat("red sneakers", "any colour is fine", "how much is the first one?")
    _, turn = chat("no, I meant the third one", session=session)
    shown = session.turn(2).ranking
    assert turn.plan.intent is Intent.ASK
    assert shown is not None
    assert turn.plan.references == (shown.hits[2].item_id,)
    assert turn.reply.text.startswith("Price of")


def test_a_corrected_outfit_is_made_for_the_other_item(chat: Chat) -> None:
    session, _ = chat("a dress", "what goes with the second one")
    _, turn = chat("no, I meant the first one", session=session)
    shown = session.turn(1).ranking
    assert shown is not None
    assert turn.plan.intent is Intent.COMPATIBLE
    assert turn.plan.references == (shown.hits[0].item_id,)


def test_a_corrected_refinement_keeps_what_was_said_before(chat: Chat) -> None:
    _, turn = chat("a dress", "what goes with the first one", "in blue", "no, I meant the bag")
    assert turn.plan.intent is Intent.COMPATIBLE
    assert wanted(turn, "category") == ("Handbag",)
    assert wanted(turn, "colour") == ("Blue", "Navy Blue") or wanted(turn, "colour") == ("Blue",)


def test_a_corrected_gender_keeps_the_garment(chat: Chat) -> None:
    _, turn = chat("blue sneakers for women", "sorry, I meant for men")
    assert wanted(turn, "category") == ("Sneakers",)
    assert wanted(turn, "gender") == ("Men",)


@pytest.mark.parametrize("words", ["any colour is fine", "remove the colour", "the colour doesn't matter"])
def test_an_attribute_can_be_left_open_again(chat: Chat, words: str) -> None:
    _, turn = chat("a red dress", words)
    assert wanted(turn, "category") == ("Dress",)
    assert wanted(turn, "colour") == ()
    assert "red" not in turn.plan.text


@pytest.mark.parametrize(
    ("words", "attribute"),
    [("a different brand than this", "brand"), ("in another colour", "colour"), ("Other brands please", "brand")],
)
def test_another_value_leaves_out_that_of_the_item(chat: Chat, words: str, attribute: str) -> None:
    session, _ = chat("red sneakers", words)
    turn = session.turns[-1]
    assert turn.plan.intent is Intent.MODIFY
    (excluded,) = [f for f in turn.plan.filters if f.operator == "none_of"]
    assert excluded.attribute == attribute
    assert len(excluded.values) == 1


def test_neither_nor_excludes_both(chat: Chat) -> None:
    _, turn = chat("a dress", "neither red nor black")
    (excluded,) = [f for f in turn.plan.filters if f.operator == "none_of"]
    assert {"Red", "Black"} <= set(excluded.values)


def test_a_question_for_other_colours_is_no_choice(chat: Chat) -> None:
    _, turn = chat("a red dress", "what other colours do you have?")
    assert turn.plan.intent is Intent.ASK


def test_what_is_forgotten_is_left_out(chat: Chat) -> None:
    _, turn = chat("a red dress", "forget the red")
    assert Filter("colour", "none_of", ("Red",)) in turn.plan.filters
    assert wanted(turn, "category") == ("Dress",)

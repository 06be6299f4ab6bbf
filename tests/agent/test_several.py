"""Several wishes in one message, and words that are no English."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.mentions import Mention
from agent.planners.rules import RulesPlanner
from agent.protocols import Catalogue
from agent.reading import plain, read
from agent.several import several_wishes
from agent.vocabulary import Lexicon, Meaning
from retrieval.protocols import Facet
from retrieval.schema import Filter, Intent, Message, Session, Turn

Chat = Callable[..., tuple[Session, Turn]]


def wishes(text: str, catalogue: Catalogue) -> tuple[str, ...]:
    return several_wishes(read(text, Lexicon(catalogue.facets), frozenset()))


def test_two_garments_of_different_colours_are_two_wishes(catalogue: Catalogue) -> None:
    assert wishes("a white dress and black trousers", catalogue) == ("white dress", "black trousers")
    assert wishes("I need a blue jacket; also brown sneakers", catalogue) == ("blue jacket", "brown sneakers")


def test_whom_they_are_for_holds_for_all(catalogue: Catalogue) -> None:
    assert wishes("a white t-shirt and black trousers for men", catalogue)[0] == "white t-shirt for men"


@pytest.mark.parametrize(
    "text", ["a red and white dress", "a dress and a bag", "a dress, a bag and sneakers in red", "red dress, not black"]
)
def test_one_wish_stays_one(catalogue: Catalogue, text: str) -> None:
    assert wishes(text, catalogue) == ()


def test_the_first_of_several_is_answered_and_the_next_is_named(chat: Chat) -> None:
    _, turn = chat("a white dress and black trousers")
    assert Filter("category", "any_of", ("Dress",)) in turn.plan.filters
    assert "asks for “black trousers”" in turn.reply.text
    assert turn.reply.offers[0].label == "Next: black trousers"
    assert Filter("category", "any_of", ("Trousers",)) in turn.reply.offers[0].plan.filters


def test_what_is_to_go_with_the_first_is_asked_for_with_what_was_found(chat: Chat) -> None:
    _, turn = chat("a white dress under 1000 and a handbag that goes with it")
    assert turn.plan.intent is Intent.SEARCH
    assert Filter("price", "at_most", (1000.0,)) in turn.plan.filters
    following = turn.reply.offers[0].plan
    assert following.intent is Intent.COMPATIBLE
    assert turn.ranking is not None
    assert following.references == (turn.ranking.hits[0].item_id,)
    assert Filter("category", "any_of", ("Handbag",)) in following.filters


def test_an_item_that_is_pointed_at_needs_no_first_wish(chat: Chat) -> None:
    assert chat("dresses", "shoes that go with the second one")[1].plan.intent is Intent.COMPATIBLE


@pytest.mark.parametrize("text", ["rotes Kleid", "zapatos negros para hombre", "платье", "赤いドレス"])
def test_another_language_is_told_from_idle_talk(chat: Chat, text: str) -> None:
    _, turn = chat(text)
    assert "English" in turn.reply.text


def test_pictograms_are_words(chat: Chat) -> None:
    _, turn = chat("👗 🔴")
    assert {(f.attribute, f.values) for f in turn.plan.filters} == {("category", ("Dress",)), ("colour", ("Red",))}


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("for my 8 year old girl", "for my girl"),
        ("for my 5 year old", "for my kid"),
        ("a <b>red</b> dress https://example.org/x", "a red dress"),
    ],
)
def test_ages_and_markup_are_read_as_people_mean_them(text: str, understood: str) -> None:
    assert plain(text) == understood


def test_a_misspelt_everyday_word_is_not_looked_for(chat: Chat) -> None:
    _, turn = chat("somthing red")
    assert "somthing" not in turn.plan.text


def test_braces_in_a_catalogue_are_not_a_template() -> None:
    mention = Mention(Meaning("category", ("{{x}}",), "“{said}” was read as {{x}} {0}"), "thing", (0, 5))
    assert mention.note == "“thing” was read as {{x}} {0}"


def test_a_category_of_one_letter_is_never_heard() -> None:
    lexicon = Lexicon({"category": Facet({"{{x}}": 3, "Dress": 2})})
    assert not lexicon.meanings(["x"])
    assert lexicon.meanings(["dress"])


def test_what_fits_is_counted_within_the_kind_that_is_asked_for(chat: Chat) -> None:
    _, turn = chat("blue sneakers", "what colours do dresses come in?")
    assert turn.reply.text.startswith("For Dress the gallery has")
    assert "(1)" in turn.reply.text


def test_which_of_these_names_those_that_fit(chat: Chat) -> None:
    _, turn = chat("sneakers", "which of these are red?")
    assert turn.reply.text.startswith("Red, 1 of these 8:")


def test_the_planner_is_safe_without_an_encoder(catalogue: Catalogue) -> None:
    plan = RulesPlanner().understand(Session("s"), Message("what do you have?"), catalogue)
    assert (plan.intent, plan.attribute) == (Intent.ASK, "category")

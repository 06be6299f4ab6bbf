"""What a model may say of what was found."""

from __future__ import annotations

import pytest

from agent.planners.chat_request import prompt
from agent.planners.chat_words import Facts, UnfoundedError, founded
from agent.protocols import Catalogue
from agent.vocabulary import Lexicon
from retrieval.schema import Image, Item

DRESS = Item(
    "a", Image("a", "a.png"), "Acme Red Dress", {"category": "Dress", "colour": "Red", "price": 1299.5, "brand": "Acme"}
)
TOLD = "2 items fit: Red Dress. Here they are, starting with Acme Red Dress at 1299.50."


def said(text: str, catalogue: Catalogue, message: str = "is it a cotton dress?") -> str:
    facts = Facts(message, TOLD, (DRESS,))
    return "".join(founded([text[at : at + 5] for at in range(0, len(text), 5)], facts, Lexicon(catalogue.facets)))


@pytest.mark.parametrize(
    "text",
    [
        "I found two red dresses for you. The best is the Acme Red Dress at 1,299.50.",
        "The first one would suit a summer party!",
        "The catalogue does not say whether it is cotton.",
        "It's lovely, isn't it?",
    ],
)
def test_what_the_facts_bear_is_said_as_it_was_written(catalogue: Catalogue, text: str) -> None:
    assert said(text, catalogue) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("It costs 40.", "no fact says 40"),
        ("Yes, it is made of cotton.", "Cotton"),
        ("Here is a blue dress.", "Blue"),
        ("I also found sneakers.", "Sneakers"),
        ("It comes with free shipping.", "free shipping"),
        ("See http://shop.example.org/x for more.", "address or markup"),
        ("Write to me at a@example.org.", "address or markup"),
        ("Look at evil.com for more.", "address or markup"),
        ("<img src=x> Hello.", "address or markup"),
        ("**Buy** it.", "address or markup"),
        ("The file is in /etc/passwd now.", "address or markup"),
        ("Right\u202e to left.", "address or markup"),
        ("So nice. " * 60, "too long"),
        ("It is a", "cut off"),
        ("  ", "says nothing"),
    ],
)
def test_what_no_fact_bears_is_refused(catalogue: Catalogue, text: str, reason: str) -> None:
    with pytest.raises(UnfoundedError, match=reason):
        said(text, catalogue)


def test_the_instructions_are_not_repeated(catalogue: Catalogue) -> None:
    for name in ("understand", "reply"):
        first = prompt(name).replace("\n", " ").split(". ")[0] + "."
        with pytest.raises(UnfoundedError, match="instructions"):
            said(first, catalogue)


def test_sentences_before_one_that_does_not_hold_were_heard_and_one_that_is_cut_off_is_left_out(
    catalogue: Catalogue,
) -> None:
    facts, lexicon = Facts("a dress", TOLD, (DRESS,)), Lexicon(catalogue.facets)
    heard: list[str] = []
    with pytest.raises(UnfoundedError):
        heard.extend(founded(["Here you are. It costs 40. ", "Bye."], facts, lexicon))
    assert heard == ["Here you are. "]
    assert list(founded(["Here you are. It is"], facts, lexicon)) == ["Here you are. "]

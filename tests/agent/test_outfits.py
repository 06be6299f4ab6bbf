"""What goes with what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.assistant import Assistant
from agent.vocabulary import colour_family, group_of
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Image, Intent, Message, Session, Turn

Chat = Callable[..., tuple[Session, Turn]]


@pytest.mark.parametrize(
    ("category", "group"),
    [
        ("T-shirt", "tops"),
        ("Tshirts", "tops"),
        ("Casual Shoes", "footwear"),
        ("Formal Shoes", "footwear"),
        ("Track Pants", "bottoms"),
        ("Dresses", "dresses"),
        ("Rain Jacket", "outerwear"),
        ("Laptop Bag", "bags"),
        ("Necklace and Chains", "jewellery"),
        ("Sunglasses", "accessories"),
        ("Perfume and Body Mist", "beauty"),
        ("Golf Shoes", "footwear"),
        ("Basketballs", ""),
    ],
)
def test_categories_of_any_catalogue_have_their_place_in_an_outfit(category: str, group: str) -> None:
    assert group_of(category) == group


@pytest.mark.parametrize(
    ("colour", "family"),
    [("Navy Blue", "neutral"), ("grey", "neutral"), ("Teal", "green"), ("Royal Blue", "blue"), ("Xyz", "")],
)
def test_colours_belong_to_families(colour: str, family: str) -> None:
    assert colour_family(colour) == family


@pytest.mark.parametrize("start", ["dresses", "t-shirts", "trousers", "sneakers", "handbags", "jackets"])
def test_no_item_of_the_same_kind_goes_with_an_item(chat: Chat, studio: Retriever, start: str) -> None:
    _, turn = chat(start, "what goes with it?")
    (item,) = studio.get(turn.plan.references)
    assert turn.ranking is not None
    found = studio.get([hit.item_id for hit in turn.ranking.hits])

    assert turn.plan.intent is Intent.COMPATIBLE
    assert found
    assert group_of(str(item.attributes["category"])) not in {group_of(str(i.attributes["category"])) for i in found}


def test_several_kinds_are_interleaved_best_first(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("dresses", "what goes with it?")
    assert turn.ranking is not None
    kinds = [item.attributes["category"] for item in studio.get([hit.item_id for hit in turn.ranking.hits])]
    scores = [hit.score for hit in turn.ranking.hits]

    assert len(set(kinds[:3])) == 3
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


def test_a_kind_that_is_asked_for_is_the_only_one(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("dresses", "which shoes go with the second one?")
    assert turn.ranking is not None

    assert {i.attributes["category"] for i in studio.get([h.item_id for h in turn.ranking.hits])} == {"Sneakers"}


def test_they_are_for_the_same_person(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("dresses", "what goes with it?")

    assert Filter("gender", "any_of", ("Women",)) in turn.plan.filters


def test_the_reason_is_true_of_every_item(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("red dress", "what goes with it?")
    assert turn.ranking is not None
    found = studio.get([hit.item_id for hit in turn.ranking.hits])

    if "all in colours that go with red" in turn.reply.text:
        assert {colour_family(str(item.attributes["colour"])) for item in found} <= {"neutral", "red", "blue", "green"}
    else:
        assert any(
            colour_family(str(item.attributes["colour"])) not in ("neutral", "red", "blue", "green") for item in found
        )


def test_an_uploaded_garment_is_recognised_by_what_is_near_it(chat: Chat, upload: Image, studio: Retriever) -> None:
    _, turn = chat(Message("what goes with this?", images=(upload,)))
    assert turn.ranking is not None

    assert "the nearest here to your picture" in turn.reply.text
    assert "your picture" in turn.reply.text


def test_words_alone_can_name_what_the_shopper_has(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("what goes with a red dress?")
    assert turn.ranking is not None

    assert "Dress" not in {i.attributes["category"] for i in studio.get([h.item_id for h in turn.ranking.hits])}


def test_refining_an_outfit_keeps_it_an_outfit(chat: Chat, studio: Retriever) -> None:
    _, turn = chat("red dress", "which shoes go with it?", "in black")
    assert turn.ranking is not None
    found = studio.get([hit.item_id for hit in turn.ranking.hits])

    assert turn.plan.intent is Intent.COMPATIBLE
    assert {(item.attributes["category"], item.attributes["colour"]) for item in found} <= {("Sneakers", "Black")}


def test_it_works_in_the_words_of_another_catalogue(chat: Chat, real_assistant: Assistant, real: Retriever) -> None:
    _, turn = chat("tshirts", "what goes with it?", by=real_assistant)
    assert turn.ranking is not None
    kinds = {str(i.attributes["category"]) for i in real.get([h.item_id for h in turn.ranking.hits])}

    assert kinds
    assert kinds.isdisjoint({"Tshirts", "Kurtas", "Dresses"})

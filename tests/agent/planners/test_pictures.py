"""Photo and words: what kind of garment is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image as Pillow

from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from retrieval.encoders.hashing import HashingEncoder
from retrieval.picture_files import image_id
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Image, Intent, Item, Message, Session, Turn
from retrieval.stores.memory import MemoryStore

RED, BLUE = (200, 20, 20), (20, 40, 200)


def picture(path: Path, colour: tuple[int, int, int]) -> Image:
    Pillow.new("RGB", (8, 8), colour).save(path)
    return Image(image_id(path.read_bytes()), str(path))


def shop_of(folder: Path, red: Sequence[str]) -> Assistant:
    """The red items have these categories; the blue ones are of all kinds."""
    items = [
        Item(
            f"{number:02d}", picture(folder / f"{number}.png", colour), category, {"category": category, "colour": name}
        )
        for number, (category, colour, name) in enumerate(
            [*((kind, (200, 20, 20 + n), "Red") for n, kind in enumerate(red))]
            + [(kind, (20, 40 + n, 200), "Blue") for n, kind in enumerate(("Dress", "Boots", "Sandals", "Shirt") * 4)]
        )
    ]
    encoder = HashingEncoder()
    store = MemoryStore(encoder.dim)
    store.add(items, encoder.encode_items(items, [Pillow.open(item.image.path).convert("RGB") for item in items]))
    store.commit()
    return Assistant(Retriever(encoder, store), RulesPlanner(), k=4)


def say(assistant: Assistant, *messages: Message) -> Turn:
    session = Session("s")
    for message in messages:
        session = session.append(assistant.respond(session, message))
    return session.turns[-1]


def kinds(turn: Turn) -> set[str]:
    return {str(v) for f in turn.plan.filters if f.attribute == "category" for v in f.values}


@pytest.fixture
def photo(tmp_path: Path) -> Image:
    return picture(tmp_path / "photo.png", RED)


def test_a_photo_with_words_keeps_its_kind_and_says_so(tmp_path: Path, photo: Image) -> None:
    turn = say(shop_of(tmp_path, ["Dress"] * 14), Message("this in blue", (photo,)))
    assert kinds(turn) == {"Dress"}
    assert "seems to show “Dress”" in turn.reply.text


def test_words_that_follow_a_photo_keep_its_kind(tmp_path: Path, photo: Image) -> None:
    turn = say(shop_of(tmp_path, ["Dress"] * 14), Message(images=(photo,)), Message("in blue"))
    assert kinds(turn) == {"Dress"}


def test_near_categories_of_one_kind_are_kept_together(tmp_path: Path, photo: Image) -> None:
    turn = say(shop_of(tmp_path, ["Boots", "Sandals"] * 7), Message("this in blue", (photo,)))
    assert kinds(turn) == {"Boots", "Sandals"}


def test_a_kind_that_is_named_wins_over_the_photo(tmp_path: Path, photo: Image) -> None:
    turn = say(shop_of(tmp_path, ["Dress"] * 14), Message("a shirt like this", (photo,)))
    assert kinds(turn) == {"Shirt"}


def test_a_photo_that_shows_no_clear_kind_decides_nothing(tmp_path: Path, photo: Image) -> None:
    turn = say(shop_of(tmp_path, ["Dress", "Boots", "Shirt", "Scarf", "Jeans"] * 3), Message("in blue", (photo,)))
    assert kinds(turn) == set()


def test_a_photo_alone_is_answered_by_what_looks_most_like_it(tmp_path: Path, photo: Image) -> None:
    turn = say(shop_of(tmp_path, ["Dress"] * 14), Message(images=(photo,)))
    assert "look most like your picture" in turn.reply.text


def test_after_a_photo_the_same_means_what_it_shows(photo: Image, tmp_path: Path) -> None:
    turn = say(shop_of(tmp_path, ["Dress"] * 14), Message(images=(photo,)), Message("the same but in blue"))

    assert turn.plan.references == ()
    assert turn.query is not None
    assert photo in turn.query.references


@pytest.mark.parametrize("text", ["go back to the photo", "back to my picture"])
def test_back_to_the_photo_is_back_to_the_turn_that_brought_it(photo: Image, tmp_path: Path, text: str) -> None:
    turn = say(shop_of(tmp_path, ["Dress"] * 14), Message(images=(photo,)), Message("in blue"), Message(text))

    assert turn.parent == 1
    assert turn.query is not None
    assert photo in turn.query.references


@pytest.mark.parametrize(
    "text",
    [
        "boots for the dress in my picture",
        "which boots go with this dress?",
        "find boots to match the dress in my photo",
    ],
)
def test_what_is_to_go_with_the_garment_in_a_photo_is_no_other_one_of_it(
    tmp_path: Path, photo: Image, text: str
) -> None:
    turn = say(shop_of(tmp_path, ["Dress"] * 14), Message(text, (photo,)))

    assert turn.plan.intent is Intent.COMPATIBLE
    assert kinds(turn) == {"Boots"}


def test_what_goes_with_the_garment_in_a_photo_is_anything_but_another_one(tmp_path: Path, photo: Image) -> None:
    turn = say(shop_of(tmp_path, ["Dress"] * 14), Message("what goes with the dress in my picture?", (photo,)))

    assert Filter("category", "none_of", ("Dress",)) in turn.plan.filters

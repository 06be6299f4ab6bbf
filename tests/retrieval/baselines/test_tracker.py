from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from retrieval.baselines.tracker import AttributeTracker
from retrieval.baselines.tracker_state import described, follow, joined, open_vocabulary, read_request
from retrieval.encoders.embedded import EmbeddedEncoder
from retrieval.errors import MessageError
from retrieval.protocols import Encoder, Manifest
from retrieval.schema import HistoryTurn, Image, Query

DIM = 4096


class WordTowers:
    """A text is the bag of its words, and a picture that of its name: what it shows can be read from its vector."""

    manifest = Manifest("words", "1", DIM)

    def __init__(self) -> None:
        self.column: dict[str, int] = {}
        self.n_texts = 0

    def encode_items(self, items: Sequence[Any], pictures: Sequence[Any]) -> Any:
        return np.stack([self.vector(item.caption) for item in items])

    def encode_queries(self, queries: Sequence[Query]) -> Any:
        self.n_texts += sum(bool(query.text) for query in queries)
        words = [query.text or " ".join(image.path for image in query.references) for query in queries]
        return np.stack([self.vector(each) for each in words])

    def vector(self, words: str) -> Any:
        vector = np.zeros(DIM, np.float32)
        for word in words.split():
            vector[self.column.setdefault(word, len(self.column))] = 1
        return vector / np.linalg.norm(vector)


def image(words: str) -> Image:
    return Image(words, words)


def wanted(*texts: str) -> dict[str, str]:
    return dict(follow(texts, open_vocabulary())[0].said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("blue instead of silver", {"colour": "blue"}),
        ("the same, but with pink where it is mustard", {"second_colour": "pink"}),
        ("in red with a block of grey", {"colour": "red", "pattern": "colour block", "second_colour": "grey"}),
        ("longer, in knee length and with navy stripes",
         {"length": "knee length", "pattern": "striped", "second_colour": "navy blue"}),
        ("a teal satin skinny tie", {"colour": "teal", "material": "satin", "style": "skinny tie", "kind": "tie"}),
        ("denim shorts for men", {"material": "denim", "style": "denim", "kind": "shorts", "gender": "men"}),
        ("can I see it differently?", {}),
    ],
)  # fmt: skip
def test_words_are_read_as_attributes(text: str, said: dict[str, str]) -> None:
    assert read_request(text, open_vocabulary()).said == said


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("show me others with the same pattern", "pattern"),
        ("keep the length and change the rest", "length"),
        ("I like the colour here, find more that share it", "colour"),
        ("only the sleeves should stay as it is", "sleeves"),
        ("the same, but camouflage, in a bomber style and in satin", ""),
        ("change the colour to red", ""),
    ],
)
def test_the_attribute_that_alone_stays_is_found(text: str, kept: str) -> None:
    assert read_request(text, open_vocabulary()).kept == kept


def test_what_was_said_holds_in_later_turns_until_it_is_changed() -> None:
    assert wanted("a red cotton dress", "the same in blue", "more pictures of this dress") == {
        "colour": "blue",
        "material": "cotton",
        "kind": "dress",
    }


def test_going_back_forgets_what_came_between() -> None:
    assert wanted("a red dress", "in blue", "in linen", "go back to turn 1, then in wool")["colour"] == "red"


def test_what_goes_with_an_item_shares_only_for_whom_it_is() -> None:
    assert wanted("a red party dress for women", "heels that match, please") == {
        "gender": "women",
        "usage": "party",
        "kind": "heels",
    }


def test_a_new_pattern_drops_the_second_colour_of_the_old_one() -> None:
    assert wanted("a shirt with white dots", "make it plain") == {"kind": "shirt", "pattern": "plain"}


def test_the_style_of_another_kind_than_the_seen_one_falls() -> None:
    seen = {"kind": "sandals", "colour": "red", "style": "gladiator"}
    new, _ = follow(["show me heels like this"], open_vocabulary())
    assert joined(new, seen) == {"kind": "heels", "colour": "red"}


def test_a_caption_has_the_form_that_the_text_tower_knows() -> None:
    state = {
        "kind": "boots",
        "colour": "tan",
        "style": "chelsea",
        "heel": "low heel",
        "gender": "men",
        "usage": "casual",
    }
    assert described(state) == "tan chelsea boots with low heel for men, casual"


def test_what_the_picture_shows_is_kept_and_what_is_asked_for_changes() -> None:
    shown = image("green floral dress for women")
    (said,) = AttributeTracker(WordTowers()).descriptions([Query("q", "the same in purple", (shown,))])
    assert "purple" in said
    assert "green" not in said
    assert {"floral", "dress", "women"} <= set(said.replace(",", "").split())


def test_a_turn_that_goes_back_starts_from_the_picture_chosen_there() -> None:
    first, second = image("green dress"), image("yellow coat")
    history = (HistoryTurn("a dress", (), first), HistoryTurn("a coat that goes with it", (first,), second))
    query = Query("q", "back to turn 1, with stripes", (second,), history)
    (said,) = AttributeTracker(WordTowers()).descriptions([query])
    assert "green striped" in said
    assert "dress" in said


def test_a_history_of_the_branch_alone_leaves_the_reference_as_it_is() -> None:
    shown = image("yellow coat")
    query = Query("q", "back to turn 3, in red", (shown,), (HistoryTurn("a coat", (), shown),))
    (said,) = AttributeTracker(WordTowers()).descriptions([query])
    assert "red" in said
    assert "coat" in said


def test_a_first_search_by_words_is_its_own_description() -> None:
    said = "red dress by Veldra, please"
    assert AttributeTracker(WordTowers()).descriptions([Query("q", said)]) == [said]


def test_the_kept_attribute_alone_is_described() -> None:
    query = Query("q", "others with the same pattern", (image("red striped shirt for men"),))
    assert AttributeTracker(WordTowers()).descriptions([query]) == ["striped"]


def test_equal_captions_are_encoded_once() -> None:
    towers = WordTowers()
    tracker = AttributeTracker(towers)
    query = Query("q", "the same in purple", (image("green dress"),))
    tracker.encode_queries([query])
    before = towers.n_texts
    tracker.encode_queries([query, query])
    assert towers.n_texts == before


def test_an_empty_query_is_refused() -> None:
    with pytest.raises(MessageError, match="nothing to search for"):
        AttributeTracker(WordTowers()).encode_queries([Query("q")])


def test_the_shipped_towers_are_towers_of_a_tracker() -> None:
    towers: Encoder = EmbeddedEncoder.open()
    tracker: Encoder = AttributeTracker(towers)
    found = tracker.encode_queries([Query("q", "a red dress"), Query("r", "a red dress")])
    assert tracker.manifest == towers.manifest
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert np.array_equal(found[0], found[1])

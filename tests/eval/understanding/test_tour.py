"""Scripted conversations over the embedded gallery, and what the walk notices. That over a catalogue: the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.runs import RunError
from eval.understanding import tour
from eval.understanding.shop import TalkingShop
from eval.understanding.tour import CATALOGUE, EMBEDDED, Conversation, condition_of, read_tour, walk
from retrieval.schema import Filter


@pytest.mark.parametrize("conversation", read_tour(EMBEDDED), ids=lambda conversation: conversation.name)
def test_a_conversation_goes_as_expected(shop: TalkingShop, conversation: Conversation) -> None:
    assert walk(shop, conversation).faults == ()


def test_there_are_many_conversations_with_different_names() -> None:
    names = [one.name for gallery in (EMBEDDED, CATALOGUE) for one in read_tour(gallery)]
    assert len(names) == len(set(names)) >= 60


def test_what_is_not_as_expected_is_said(shop: TalkingShop) -> None:
    expected = {
        "say": "red dresses",
        "intent": "ask",
        "filters": ["colour=Blue"],
        "all": ["colour=Blue"],
        "none": ["colour=Red"],
        "n_shown": 1,
        "reply": ["bicycle"],
        "offer": "bicycle",
        "sorted": "price",
        "no_filters": ["colour"],
        "kinds": 2,
    }
    said = " ".join(walk(shop, Conversation("wrong", EMBEDDED, (expected, {"take": "Nothing"}))).faults)
    faults = (
        "the intent is",
        "lacks colour=Blue",
        "not colour=Blue",
        "colour=Red:",
        "not 1",
        "'bicycle'",
        "no button says",
    )
    for fault in (*faults, "not in the order", "still has colour", "only 1 kinds", "no button 'Nothing'"):
        assert fault in said


def test_a_refusal_that_is_not_expected_is_a_fault(shop: TalkingShop) -> None:
    assert "was refused" in walk(shop, Conversation("empty", EMBEDDED, ({"say": " "},))).faults[0]


def test_an_unknown_expectation_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = '{"name": "a", "gallery": "embedded", "turns": [{"say": "a", "shown": 3}]}'
    (tmp_path / "tour.jsonl").write_text(row, encoding="utf-8")
    monkeypatch.setattr(tour, "DATA", tmp_path)
    with pytest.raises(RunError, match="expects 'shown'"):
        read_tour(EMBEDDED)


def test_conditions_are_read() -> None:
    assert condition_of("price<=60") == Filter("price", "at_most", (60.0,))
    assert condition_of("colour!=Red|Blue") == Filter("colour", "none_of", ("Red", "Blue"))
    with pytest.raises(RunError, match="no condition"):
        condition_of("red")

"""Drafts become records: judgements apart from sessions, rollbacks in words, one gallery picture a place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from builders.dim_fashion.drafts import DraftTurn
from builders.dim_fashion.records import benchmark_images, recorded_sessions
from builders.instances import Coverage, SourceData, SourceImage
from retrieval.benchmark import Task

SESSION = (
    DraftTurn(Task.T2I, "a", "a red dress", "a/1"),
    DraftTurn(Task.ASFR, "b", "same collar", "a/2", ("a/1",), positives=("a/2", "a/3"), negatives=("a/4", "a/5")),
    DraftTurn(Task.CIR, "a", "in navy", "a/6", ("a/1",), rollback_to=1),
)


def test_judgements_and_pools_are_apart_from_what_the_user_says() -> None:
    records = recorded_sessions([SESSION], ["test"], "bench", seed=1)
    (session,) = records.sessions
    assert session.session_id == "bench-000001"
    assert records.qrels == {
        "bench-000001/1": {"a/1": 1},
        "bench-000001/2": {"a/2": 1, "a/3": 1},
        "bench-000001/3": {"a/6": 1},
    }
    assert records.pools == {"bench-000001/2": ["a/2", "a/3", "a/4", "a/5"]}


def test_a_rollback_names_its_turn_and_keeps_the_request() -> None:
    texts = Counter(
        recorded_sessions([SESSION] * 40, ["test"] * 40, "bench", seed=1).sessions[number].turns[2].text
        for number in range(40)
    )
    assert len(texts) > 2
    assert all("turn 1" in text and "in navy" in text for text in texts)


def test_the_gallery_shows_one_picture_of_a_place_and_every_candidate() -> None:
    kinds = {"a/1": "product", "a/2": "street", "a/3": "product", "a/4": "sketch", "a/5": "cutout", "a/9": "product"}
    images = {name: SourceImage(name, f"{name}.jpg", kind) for name, kind in kinds.items()}  # type: ignore[arg-type]
    source = SourceData("a", Path(), images, (), Coverage(), "1")
    shown = DraftTurn(Task.CIR, "a", "in red", "a/2", ("a/1",))
    made = benchmark_images([source], {"a/9"}, {"a/1", "a/4"}, [(shown,)])
    assert {image.image_id: image.in_gallery for image in made} == {
        "a/1": True,
        "a/2": True,
        "a/3": False,
        "a/4": False,
        "a/5": False,
    }

"""Instances over pictures that stand for their duplicates."""

from __future__ import annotations

from builders.dim_fashion.usable import first_of_place, usable
from builders.instances import Instance, SourceImage
from retrieval.benchmark import Task

IMAGES = {name: SourceImage(name, f"{name}.jpg") for name in ("a/1", "a/2", "b/1", "b/2")}
PLACES = {"a/1": 0, "a/2": 1, "b/1": 0, "b/2": 3}
FIRSTS = {0: "a/1", 1: "a/2", 3: "b/2"}


def test_the_first_by_name_stands_for_its_duplicates_and_one_that_a_shop_shows_before_it() -> None:
    assert first_of_place(IMAGES, PLACES) == FIRSTS
    sketched = {**IMAGES, "a/1": SourceImage("a/1", "a.png", "sketch")}
    assert first_of_place(sketched, PLACES)[0] == "b/1"


def test_targets_and_references_are_named_by_the_picture_that_stands_for_them() -> None:
    (kept,), dropped = usable([Instance("i", Task.CIR, "b", "in red", "b/1", ("b/2",))], PLACES, FIRSTS)
    assert (kept.target, kept.references) == ("a/1", ("b/2",))
    assert not dropped


def test_an_instance_without_its_pictures_or_with_its_target_in_sight_is_dropped() -> None:
    lost = Instance("i", Task.CIR, "b", "in red", "b/9", ("b/2",))
    same = Instance("j", Task.CIR, "b", "in red", "b/1", ("a/1",))
    kept, dropped = usable([lost, same], PLACES, FIRSTS)
    assert kept == []
    assert dropped == {"picture cannot be decoded": 1, "target is a duplicate of a reference": 1}


def test_a_pool_holds_a_place_once_and_never_the_references() -> None:
    names = [f"c/{n}" for n in range(70)]
    places = {name: n for n, name in enumerate(names)} | {"d/1": 1, "d/5": 5}
    firsts = {place: name for name, place in reversed(places.items())} | {1: "c/1", 5: "c/5"}
    query = Instance(
        "i",
        Task.ASFR,
        "c",
        "the same collar",
        "c/1",
        ("d/5",),
        "collar",
        ("c/1", "d/1", "c/5", "c/2", "c/3", "c/4", "c/6", "c/7", "c/8"),
        tuple(names[10:62]),
    )
    (kept,), _ = usable([query], places, firsts)
    assert kept.positives == ("c/1", "c/2", "c/3", "c/4", "c/6", "c/7", "c/8")
    assert len(kept.negatives) == 50
    small = Instance("j", Task.ASFR, "c", "the same", "c/1", ("d/5",), "collar", query.positives[:5], query.negatives)
    assert usable([small], places, firsts)[1] == {"pool is too small without duplicates": 1}

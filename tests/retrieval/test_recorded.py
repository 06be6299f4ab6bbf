from pathlib import Path

import pytest

from retrieval.benchmark import Benchmark, BenchmarkImage, RecordedSession, RecordedTurn, Task
from retrieval.recorded import examples, held_out_products, product_of


def turn(number, chosen, *references, back=None):
    return RecordedTurn(number, Task.CIR, "s", f"words {number}", chosen, references, back)


SESSION = RecordedSession(
    "a",
    "test",
    (
        turn(1, "red"),
        turn(2, "blue", "red"),
        turn(3, "shoes", "blue"),
        turn(4, "green", "red", back=1),
        turn(5, "belt", "green", "shoes"),
    ),
)
QRELS = {"a/2": {"blue": 1, "navy": 2, "red": 0}}


@pytest.fixture
def benchmark():
    names = ("red", "blue", "navy", "shoes", "green", "belt", "hat")
    images = {name: BenchmarkImage(name, "s", f"{name}.png", product_id=name[:1]) for name in names}
    return Benchmark(Path("b"), {}, (SESSION,), images, QRELS, {}, {"s": Path("pictures")})


@pytest.mark.parametrize("reading", ["previous", "resolved"])
def test_what_a_turn_starts_from_is_meant_in_either_reading(benchmark, reading):
    meant = [example.meant for example in examples(benchmark, [SESSION], reading)]
    assert meant == [(), ("red",), ("blue",), ("red",), ("green", "shoes")]


def test_after_a_rollback_what_is_shown_is_what_is_meant_in_one_reading_alone(benchmark):
    previous, resolved = (examples(benchmark, [SESSION], reading)[3] for reading in ("previous", "resolved"))
    shown = [[image.image_id for image in example.query.references] for example in (previous, resolved)]
    assert shown == [["shoes"], ["red"]]
    assert [past.target.image_id for past in previous.query.history] == ["red", "blue", "shoes"]
    assert [past.target.image_id for past in resolved.query.history] == ["red"]
    assert previous.meant == resolved.meant == ("red",)


def test_right_is_what_was_judged_so_or_else_what_was_chosen(benchmark):
    found = [example.positives for example in examples(benchmark, [SESSION], "previous")[:3]]
    assert found == [("red",), ("blue", "navy"), ("shoes",)]


def test_held_out_are_the_products_of_other_splits_by_what_they_show_choose_and_accept(benchmark):
    assert held_out_products(benchmark) == {"r", "b", "s", "g", "n"}
    assert product_of(benchmark.images["hat"]) == "h"
    assert product_of(BenchmarkImage("hat", "s", "hat.png")) == "hat"

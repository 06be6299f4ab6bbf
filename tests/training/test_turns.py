from pathlib import Path

import numpy as np
import torch

from retrieval.benchmark import Benchmark, BenchmarkImage, Task
from retrieval.fashion_am.turns import Turns, kin_of
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.recorded import Example
from retrieval.schema import Image, Query

LOOKS = [(kind, colour) for kind in ("dress", "shirt", "bag") for colour in ("red", "blue")]
NAMES = [f"{kind}-{colour}-{i}" for kind, colour in LOOKS for i in range(4)]
VECTORS = PictureVectors({name: row for row, name in enumerate(NAMES)}, np.eye(len(NAMES), dtype=np.float32))


def image(name):
    kind, colour, _ = name.split("-")
    attributes = {"category": kind, "colour": colour}
    return BenchmarkImage(name, "s", f"{name}.png", in_gallery=True, attributes=attributes)


BENCHMARK = Benchmark(Path("b"), {}, (), {name: image(name) for name in NAMES}, {}, {}, {})


def example(name, *more, shown=()):
    query = Query(f"q/{name}", "words", tuple(Image(each, "") for each in shown))
    return Example(query, Task.CIR, name, tuple(sorted((name, *more))), None, 0)


def columns(batch):
    return [NAMES[row] for row in batch.candidates.argmax(1).tolist()]


def test_kin_are_other_products_of_the_gallery_of_the_same_kind_and_colour():
    drawn_from = [name for name in NAMES if name != "dress-red-3"]
    kin = kin_of(BENCHMARK, drawn_from)
    assert kin["dress-red-0"] == ["dress-red-1", "dress-red-2"]
    assert kin["dress-red-3"] == ["dress-red-0", "dress-red-1", "dress-red-2"]
    assert kin.keys() == set(NAMES)


def test_each_target_brings_kin_of_its_own_to_the_candidates():
    readings = [[example("dress-red-0"), example("bag-blue-1")]]
    turns = Turns(readings, VECTORS, NAMES, 2, 0, kin=kin_of(BENCHMARK, NAMES), hard=3)
    for epoch in range(5):
        (batch,) = turns.epoch(epoch)
        found = columns(batch)
        assert len(found) == len(set(found))
        assert {name[:-2] for name in found} == {"dress-red", "bag-blue"}
        assert 3 <= sum(name.startswith("dress") for name in found) <= 4, "three drawn, the target may be among them"
    (without,) = Turns(readings, VECTORS, NAMES, 2, 0, kin=kin_of(BENCHMARK, NAMES)).epoch(0)
    assert sorted(columns(without)) == ["bag-blue-1", "dress-red-0"]


def test_a_target_stands_in_its_column_and_other_right_answers_and_what_is_shown_are_masked():
    right = example("dress-red-0", "dress-red-1", shown=["dress-red-2"])
    for epoch in range(8):
        (batch,) = Turns([[right]], VECTORS, NAMES, 1, 0, kin=kin_of(BENCHMARK, NAMES), hard=4).epoch(epoch)
        found, target = columns(batch), columns(batch)[int(batch.target[0])]
        masked = {name for name, hidden in zip(found, batch.masked[0].tolist(), strict=True) if hidden}
        assert target in right.positives
        assert masked == {"dress-red-0", "dress-red-1", "dress-red-2"} - {target}
        assert "dress-red-3" in found


def test_an_epoch_is_the_same_for_the_same_seed_and_another_for_another():
    readings = [[example(name) for name in NAMES]]

    def epoch(seed, number):
        turns = Turns(readings, VECTORS, NAMES, 6, 5, seed, kin=kin_of(BENCHMARK, NAMES), hard=2)
        return [(batch.examples, columns(batch)) for batch in turns.epoch(number)]

    assert epoch(0, 0) == epoch(0, 0)
    assert epoch(0, 0) != epoch(1, 0)
    assert epoch(0, 0) != epoch(0, 1)


def test_each_turn_is_taken_in_one_of_its_readings():
    one, other = example("dress-red-0"), example("dress-red-0", shown=["bag-red-0"])
    turns = Turns([[one] * 8, [other] * 8], VECTORS, NAMES, 8)
    (batch,) = turns.epoch(0)
    assert {each.query.references for each in batch.examples} == {(), other.query.references}
    assert torch.equal(batch.target, torch.zeros(8, dtype=torch.int64))

import json

import pytest
from PIL import Image as Pillow

from builders.dim_fashion.writing import write_benchmark
from retrieval.baselines.encoder import KINDS, open_baseline
from retrieval.baselines.train import main
from retrieval.benchmark import BenchmarkImage, RecordedSession, RecordedTurn, Task
from retrieval.fashion_am.turns import Turns
from retrieval.recorded import Example
from retrieval.schema import HistoryTurn, Image, Query

COLOURS = {"red": (200, 20, 20), "blue": (20, 40, 200), "green": (10, 150, 30), "black": (10, 10, 10)}
SOURCE = "squares"


def session(number, split, first, second):
    a, b = f"{SOURCE}/{first}", f"{SOURCE}/{second}"
    turns = (
        RecordedTurn(1, Task.T2I, SOURCE, f"a {first} square", a),
        RecordedTurn(2, Task.CIR, SOURCE, f"make it {second}", b, (a,)),
        RecordedTurn(3, Task.CIR, SOURCE, f"back to turn 1, but {second}", b, (a,), 1),
        RecordedTurn(4, Task.ASFR, SOURCE, "what else has this shape?", a, (b,), None, "shape"),
    )
    return RecordedSession(f"s{number}", split, turns)


@pytest.fixture(scope="module")
def benchmark_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("benchmark") / "squares"
    pictures = folder / "pictures"
    pictures.mkdir(parents=True)
    for colour, value in COLOURS.items():
        Pillow.new("RGB", (32, 40), value).save(pictures / f"{colour}.png")
    images = [BenchmarkImage(f"{SOURCE}/{each}", SOURCE, f"{each}.png", "product", True) for each in COLOURS]
    sessions = [
        session(1, "train", "red", "blue"),
        session(2, "train", "green", "black"),
        session(3, "val", "blue", "red"),
    ]
    pools = {f"{each.session_id}/4": sorted(image.image_id for image in images) for each in sessions}
    qrels = {each.query_id(turn): {turn.chosen: 1} for each in sessions for turn in each.turns}
    write_benchmark(folder, sessions, images, qrels, pools, {"name": "squares"}, {SOURCE: pictures})
    return folder


@pytest.fixture(scope="module")
def train(benchmark_folder, tmp_path_factory):
    vectors = tmp_path_factory.mktemp("vectors")

    def run(kind, out, *more):
        common = ["--benchmark", benchmark_folder, "--vectors", vectors, "--out", out, "--export", out / "system"]
        return main([kind, *map(str, common), "--batch", "4", "--epochs", "2", "--width", "16", *more])

    return run


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_command_trains_exports_and_prints_scores_beside_late_fusion(kind, train, tmp_path, capsys):
    assert train(kind, tmp_path) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["validation"].keys() == printed["late_fusion"].keys() >= {"success@5", "success@8", "map"}
    card = json.loads((tmp_path / "system" / "card.json").read_text())
    assert card["training"]["validation"] == printed["validation"]
    history = (HistoryTurn("a red square", (), Image("", str(tmp_path / "picture.png"))),)
    Pillow.new("RGB", (32, 40), "red").save(tmp_path / "picture.png")
    encoder = open_baseline(tmp_path / "system")
    vectors = encoder.encode_queries([Query("a", "make it blue", history=history), Query("b", "make it blue")])
    assert vectors.shape == (2, 256)
    assert vectors[0] @ vectors[1] < 0.9999


def test_the_same_command_again_goes_on_from_the_checkpoint(train, tmp_path):
    assert train("dialog_manager", tmp_path) == 0
    first = (tmp_path / "system" / "weights.safetensors").read_bytes()
    (tmp_path / "system" / "weights.safetensors").unlink()
    assert train("dialog_manager", tmp_path) == 0
    assert (tmp_path / "system" / "weights.safetensors").read_bytes() == first


def test_another_seed_does_not_go_on_from_this_ones_checkpoint(train, tmp_path, capsys):
    assert train("dialog_manager", tmp_path) == 0
    assert train("dialog_manager", tmp_path, "--seed", "1") == 2
    assert "other settings" in capsys.readouterr().err


def test_turns_of_a_session_stand_together_in_another_order_each_epoch(train):
    turns = [Example(Query(f"s{s}/{t}", "x"), Task.T2I, "i", ("i",), None, 0) for s in range(9) for t in (1, 2)]

    class Vectors:
        def of(self, image_ids):
            return [[1.0]] * len(image_ids)

    batches = Turns([turns], Vectors(), [], batch=2, by_session=True)
    orders = [[tuple(e.query.query_id for e in b.examples) for b in batches.epoch(epoch)] for epoch in (0, 1)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == [(f"s{s}/1", f"s{s}/2") for s in range(9)]

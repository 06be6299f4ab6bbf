"""Stages 1 and 2 as they are called, on a catalogue of coloured garments: trained, cut short, gone on with, refused."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from PIL import Image as Pillow

from builders.dim_fashion.writing import write_benchmark
from retrieval.benchmark import BenchmarkImage, RecordedSession, RecordedTurn, Task
from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.fashion_am import background, language, stage_files, trunk_folder
from retrieval.fashion_am.train import main

COLOURS = ["red", "blue", "green", "black", "white", "pink", "grey", "brown", "navy", "olive"]
N_TRAIN = 7


def row(number: int, split: str, shade: int) -> dict[str, object]:
    colour = COLOURS[number % len(COLOURS)]
    picture = Pillow.new("RGB", (60, 80), "white")
    picture.paste(colour, (15, 15, 45, 50 + shade))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return {"id": f"{split}{number}", "split": split, "image": buffer.getvalue(), "usage": "Casual",
            "productDisplayName": f"{colour} shirt", "articleType": "Shirts", "baseColour": colour.title(),
            "gender": "Men", "season": "Summer"}  # fmt: skip


def write_catalogue(folder: Path, shade: int = 0) -> Path:
    """shade: pictures of other pixels, and nothing else, for another one."""
    folder.mkdir()
    rows = [row(i, "train", shade) for i in range(N_TRAIN)] + [row(i, "val", shade) for i in range(10)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "fpi.parquet")
    return folder


def write_sessions(folder: Path) -> Path:
    """One of them touches a product of the train split, which must not be trained on."""
    images = [
        BenchmarkImage(f"fpi/{name}", "fpi", "", in_gallery=True, caption="a shirt") for name in ("train6", "test0")
    ]
    turn = RecordedTurn(1, Task.T2I, "fpi", "a shirt", "fpi/train6", ("fpi/test0",), None, "")
    session = RecordedSession("s1", "test", (turn,))
    write_benchmark(folder, [session], images, {session.query_id(turn): {turn.chosen: 1}}, {}, {"name": "two"}, {})
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A benchmark, a catalogue, another of equal words and other pictures, and the caches of all runs."""
    folder = tmp_path_factory.mktemp("stages")
    write_sessions(folder / "benchmark")
    write_catalogue(folder / "catalogue")
    write_catalogue(folder / "other", shade=9)
    return folder


def train(place: Path, stage: str, out: Path, *, fpi: str = "catalogue", start: Path = DEFAULT_FOLDER) -> int:
    folders = {"start": start, "benchmark": place / "benchmark", "fpi": place / fpi, "caches": place / "caches"}
    options = [text for name, folder in folders.items() for text in (f"--{name}", str(folder))]
    return main([stage, *options, "--out", str(out), "--epochs", "2", "--batch", "3", "--threads", "1"])


@pytest.fixture(scope="module", params=["background", "language"])
def whole(place, request) -> Path:
    """The --out of a stage that was never cut short, named after it."""
    out = place / request.param
    assert train(place, request.param, out) == 0
    return out


def test_a_stage_leaves_a_tower_that_learnt_and_a_card_that_says_of_what(whole):
    card = json.loads((whole / "card.json").read_text())
    assert card["stage"] == whole.name
    assert card["products"] == {"catalogue": N_TRAIN - 1}, "all but the one that a test session asks for"
    assert 0 <= card["scores"]["success@1"] <= 1
    trained, start = (stage_files.read_picture_tower(folder) for folder in (whole, DEFAULT_FOLDER))
    assert not torch.equal(trained.head.linear.weight, start.head.linear.weight)


def test_a_stage_that_was_killed_goes_on_to_the_same_tower(place, whole, tmp_path, monkeypatch, capsys):
    module, loss = {"background": (background, "align_loss"), "language": (language, "caption_loss")}[whole.name]
    compute, n_done = getattr(module, loss), 0

    def killed_at_the_fourth(*arguments):
        nonlocal n_done
        n_done += 1
        if n_done == 4:
            raise KeyboardInterrupt
        return compute(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(module, loss, killed_at_the_fourth)
        assert train(place, whole.name, tmp_path) == 130
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 2
    assert not (tmp_path / "card.json").exists()
    assert train(place, whole.name, tmp_path) == 0
    assert json.loads(capsys.readouterr().out) == json.loads((whole / "card.json").read_text())["scores"]
    assert (tmp_path / stage_files.PICTURE).read_bytes() == (whole / stage_files.PICTURE).read_bytes()


def test_a_stage_does_not_go_on_with_other_pictures(place, whole, capsys):
    assert train(place, whole.name, whole, fpi="other") == 2
    assert "was made with other settings (items and their pictures): choose another --out" in capsys.readouterr().err


def test_a_stage_does_not_go_on_from_another_tower(place, whole, tmp_path, capsys):
    tower = stage_files.read_picture_tower(DEFAULT_FOLDER)
    tower.head.linear.bias.data += 0.1
    stage_files.write_picture_tower(tower, tmp_path, {"stage": "other"})
    assert train(place, whole.name, whole, start=tmp_path) == 2
    assert "was made with other settings (tower of --start): choose another --out" in capsys.readouterr().err


def test_both_stages_and_all_towers_of_one_trunk_share_its_folder(place, whole):
    (folder,) = (place / "caches").glob("trunk*")
    tower = stage_files.read_picture_tower(whole)
    assert trunk_folder.folder_of(place / "caches", tower) == folder
    stored = trunk_folder.stored_weights(folder / "trunk.onnx", tower.state_dict())
    assert folder.name == f"trunk-{trunk_folder.key_of(stored)}"

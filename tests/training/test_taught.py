from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as PillowImage

from retrieval.benchmark import Benchmark, BenchmarkImage, RecordedSession, RecordedTurn, Task
from retrieval.errors import TrainingError
from retrieval.fashion_am.taught import open_taught
from retrieval.fashion_am.vectors import PictureVectors, joined

NAMES = ("a", "b", "c", "d", "e", "f")


class ByColour:
    name = "by-colour"

    def encode_pictures(self, pictures):
        colours = np.array([np.asarray(picture).reshape(-1, 3).mean(0) for picture in pictures], np.float32) + 1
        return colours / np.linalg.norm(colours, axis=1, keepdims=True)


def session(name, split, start, target):
    first = RecordedTurn(1, Task.T2I, "s", "words", start)
    return RecordedSession(name, split, (first, RecordedTurn(2, Task.CIR, "s", "in blue", target, (start,))))


def benchmark(folder, checksum, *sessions):
    images = {name: BenchmarkImage(name, "s", f"{name}.png", in_gallery=True) for name in NAMES}
    return Benchmark(folder, {"checksum": f"sha256:{checksum}"}, sessions, images, {}, {}, {"s": folder})


@pytest.fixture
def pictures(tmp_path):
    for i, name in enumerate(NAMES):
        PillowImage.new("RGB", (8, 8), (40 * i, 200 - 30 * i, 90)).save(tmp_path / f"{name}.png")
    return tmp_path


def test_the_sessions_of_a_further_benchmark_train_whatever_their_split(pictures, tmp_path):
    first = benchmark(pictures, "one", session("m/1", "train", "a", "b"), session("m/2", "test", "c", "d"))
    also = benchmark(pictures, "two", session("n/1", "test", "e", "f"))
    taught = open_taught(first, [also], ByColour(), tmp_path / "kept", single=False)
    asked = [[example.query.query_id for example in reading] for reading in taught.readings]
    assert asked == [["m/1/1", "m/1/2", "n/1/1", "n/1/2"]] * 2
    assert taught.negatives == ["a", "b", "e", "f"]
    assert taught.made_of == "sha256:one sha256:two"


def test_a_further_benchmark_that_touches_what_is_held_out_is_refused(pictures, tmp_path):
    first = benchmark(pictures, "one", session("m/1", "train", "a", "b"), session("m/2", "val", "c", "d"))
    also = benchmark(pictures, "two", session("n/1", "train", "e", "d"))
    with pytest.raises(TrainingError, match=r"n/1/2 .* touches d, .*--without"):
        open_taught(first, [also], ByColour(), tmp_path / "kept", single=False)


def test_vectors_of_two_benchmarks_are_joined_where_a_name_means_one_picture():
    one = PictureVectors({"a": 0, "b": 1}, np.eye(3, dtype=np.float32)[:2])
    other = PictureVectors({"b": 0, "c": 1}, np.eye(3, dtype=np.float32)[1:])
    both = joined(one, other)
    np.testing.assert_array_equal(both.of(["a", "b", "c"]), np.eye(3))
    with pytest.raises(TrainingError, match="--seed"):
        joined(one, replace(other, row={"a": 0, "c": 1}))

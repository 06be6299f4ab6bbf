"""Vectors of pictures: kept, gone on with, and never taken from pictures that changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from builders.dim_fashion import vectors
from builders.dim_fashion.vectors import picture_vectors
from retrieval.encoders.hashing import HashingEncoder


class CountingEncoder(HashingEncoder):
    """Says how many pictures it was asked for, and may be stopped after some."""

    n_encoded = 0
    stop_after = 10_000

    def encode_items(self, items, pictures):
        if self.n_encoded >= self.stop_after:
            raise KeyboardInterrupt
        self.n_encoded += len(items)
        return super().encode_items(items, pictures)


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    made = []
    for number in range(7):
        path = tmp_path / f"{number}.png"
        Image.new("RGB", (24, 24), (number * 30, 90, 160)).save(path)
        made.append(path)
    return made


def test_rows_follow_the_paths_and_a_broken_picture_has_a_reason(tmp_path: Path, paths: list[Path]) -> None:
    paths[2].write_bytes(b"not a picture")
    found, reasons = picture_vectors(HashingEncoder(), paths, tmp_path / "cache", progress=False)
    assert [bool(reason) for reason in reasons] == [False, False, True, False, False, False, False]
    assert not found[2].any()
    assert np.allclose(np.linalg.norm(np.delete(found, 2, axis=0), axis=1), 1, atol=1e-5)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path, paths: list[Path], monkeypatch) -> None:
    monkeypatch.setattr(vectors, "CHUNK", 2)
    encoder = CountingEncoder()
    encoder.stop_after = 4
    with pytest.raises(KeyboardInterrupt):
        picture_vectors(encoder, paths, tmp_path / "cache", progress=False)
    second = CountingEncoder()
    found, _ = picture_vectors(second, paths, tmp_path / "cache", progress=False)
    assert second.n_encoded == 3
    whole, _ = picture_vectors(HashingEncoder(), paths, tmp_path / "other", progress=False)
    assert np.array_equal(found, whole)


def test_a_changed_picture_is_encoded_again_and_old_vectors_go(tmp_path: Path, paths: list[Path]) -> None:
    before, _ = picture_vectors(HashingEncoder(), paths, tmp_path / "cache", progress=False)
    Image.new("RGB", (30, 24), (200, 10, 10)).save(paths[0])
    after, _ = picture_vectors(HashingEncoder(), paths, tmp_path / "cache", progress=False)
    assert not np.allclose(before[0], after[0])
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.parametrize("left", [0, 300])
def test_a_chunk_that_a_crash_has_cut_is_made_again(tmp_path: Path, paths: list[Path], left: int) -> None:
    before, _ = picture_vectors(HashingEncoder(), paths, tmp_path / "cache", progress=False)
    [chunk] = (tmp_path / "cache").iterdir()
    chunk.write_bytes(chunk.read_bytes()[:left])
    encoder = CountingEncoder()
    after, _ = picture_vectors(encoder, paths, tmp_path / "cache", progress=False)
    assert encoder.n_encoded == len(paths)
    assert np.array_equal(after, before)

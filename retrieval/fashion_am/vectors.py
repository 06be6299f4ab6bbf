"""Vectors of a benchmark's pictures by one picture tower, encoded once and kept, for stage 3 and the baselines."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from tqdm import tqdm

from retrieval import images
from retrieval.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL.Image import Image as Picture

    from retrieval.benchmark import Benchmark
    from retrieval.protocols import Embeddings

log = logging.getLogger(__name__)
BATCH = 256
SAME_WITHIN = 1e-3
"""Numbers of two vectors of one picture."""


class PictureEncoder(Protocol):
    """Decoded RGB pictures to unit vectors (n, dim); `name` changes whenever the vectors would."""

    @property
    def name(self) -> str: ...

    def encode_pictures(self, pictures: Sequence[Picture]) -> Embeddings: ...


@dataclass(frozen=True, slots=True)
class PictureVectors:
    """Unit vectors, float32 (n, dim), and the row of each image_id."""

    row: Mapping[str, int]
    vectors: Embeddings

    def of(self, image_ids: Sequence[str]) -> Embeddings:
        """(len(image_ids), dim). Raises KeyError for a picture that is not there."""
        return self.vectors[[self.row[image_id] for image_id in image_ids]]


def joined(one: PictureVectors, other: PictureVectors) -> PictureVectors:
    """All pictures of both. Raises TrainingError where one image_id is not one picture."""
    shared = sorted(one.row.keys() & other.row.keys())
    if shared and np.abs(one.of(shared) - other.of(shared)).max() > SAME_WITHIN:
        raise TrainingError("Two benchmarks give one image_id to two pictures: build them with the same --seed.")
    new = sorted(other.row.keys() - one.row.keys())
    row = {**one.row, **{image_id: len(one.vectors) + at for at, image_id in enumerate(new)}}
    return PictureVectors(row, np.concatenate([one.vectors, other.of(new)]))


def picture_vectors(benchmark: Benchmark, encoder: PictureEncoder, out: Path) -> PictureVectors:
    """All pictures of the benchmark, sorted by image_id; `out` keeps them for the same pictures and encoder.

    Raises ImageError for a picture that cannot be decoded.
    """
    image_ids = sorted(image_id for image_id, image in benchmark.images.items() if image.path)
    made_of = {"encoder": encoder.name, "benchmark": benchmark.card.get("checksum"), "n": len(image_ids)}
    note, file = out / "vectors.json", out / "vectors.npy"
    if not (note.is_file() and json.loads(note.read_text("utf8")) == made_of):
        out.mkdir(parents=True, exist_ok=True)
        note.unlink(missing_ok=True)
        vectors = np.concatenate(list(_encoded(benchmark, encoder, image_ids)))
        with (out / "vectors.tmp").open("wb") as open_file:
            np.save(open_file, vectors)
        (out / "vectors.tmp").replace(file)
        (out / "vectors.json.tmp").write_text(json.dumps(made_of), "utf8")
        (out / "vectors.json.tmp").replace(note)
    return PictureVectors({image_id: row for row, image_id in enumerate(image_ids)}, np.load(file, mmap_mode="r"))


def _encoded(benchmark: Benchmark, encoder: PictureEncoder, image_ids: Sequence[str]) -> Iterator[Embeddings]:
    for at in tqdm(range(0, len(image_ids), BATCH), desc="Pictures", mininterval=10):
        paths = [str(benchmark.picture_path(image_id)) for image_id in image_ids[at : at + BATCH]]
        yield encoder.encode_pictures([images.open_picture(path, images.UPLOAD_SIDE) for path in paths])

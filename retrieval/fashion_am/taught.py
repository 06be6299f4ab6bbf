"""What query encoders are taught with: recorded turns in two readings, single turns, and where negatives come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval.benchmark import Benchmark
from retrieval.errors import TrainingError
from retrieval.fashion_am.single_turns import single_turns
from retrieval.fashion_am.turns import train_pictures
from retrieval.fashion_am.vectors import PictureEncoder, PictureVectors, joined, picture_vectors
from retrieval.recorded import Example, References, examples, held_out_products, product_of

READINGS: tuple[References, References] = ("previous", "resolved")


@dataclass(frozen=True, slots=True)
class Taught:
    readings: tuple[Sequence[Example], Sequence[Example]]
    """The same turns in both `READINGS`."""
    negatives: Sequence[str]
    """image_ids: right answers of these turns."""
    vectors: PictureVectors
    """Of all pictures of the benchmarks."""
    made_of: str
    """Checksums of the benchmarks."""


def open_taught(
    benchmark: Benchmark, also: Sequence[Benchmark], encoder: PictureEncoder, folder: Path, *, single: bool
) -> Taught:
    """The train split of `benchmark`, and every session of the benchmarks in `also`. single: single turns of the first
    as well. `folder` keeps the vectors.

    Raises TrainingError where `also` asks for a product that a val or test session of `benchmark` touches.
    """
    vectors = picture_vectors(benchmark, encoder, folder)
    extra = single_turns(benchmark) if single else []
    first, second = (list(examples(benchmark, benchmark.split("train"), reading)) for reading in READINGS)
    negatives = {*train_pictures(benchmark, [*first, *extra])}
    for each in also:
        refuse_held_out(benchmark, each)
        checksum = str(each.card["checksum"])
        vectors = joined(vectors, picture_vectors(each, encoder, folder / checksum.removeprefix("sha256:")[:12]))
        some = [examples(each, each.sessions, reading) for reading in READINGS]
        first, second = [*first, *some[0]], [*second, *some[1]]
        negatives |= {*train_pictures(each, some[0])}
    made_of = " ".join(str(each.card["checksum"]) for each in (benchmark, *also))
    return Taught(([*first, *extra], [*second, *extra]), sorted(negatives), vectors, made_of)


def refuse_held_out(benchmark: Benchmark, other: Benchmark) -> None:
    """Raises TrainingError where a session of `other` shows, asks for or accepts a held-out product of `benchmark`."""
    held_out = held_out_products(benchmark)
    for turn in examples(other, other.sessions, "resolved"):
        for image_id in (turn.chosen, *turn.positives, *turn.meant):
            if (product := product_of(other.images[image_id])) in held_out:
                raise TrainingError(
                    f"{turn.query.query_id} of {other.folder} touches {product}, which a val or test session of "
                    f"{benchmark.folder} touches too. Build it with --without {benchmark.folder}."
                )

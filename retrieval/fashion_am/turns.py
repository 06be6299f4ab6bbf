"""Recorded turns as training batches for query encoders: FashionAM's stage 3 and the trained baselines alike."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from retrieval.benchmark import Benchmark, BenchmarkImage
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.recorded import Example, product_of


@dataclass(frozen=True, slots=True)
class TurnBatch:
    """Queries and what `losses.query_loss` needs beside their vectors."""

    examples: tuple[Example, ...]
    candidates: Tensor
    """(m, dim) float32 gallery vectors: one for each distinct target of the batch, then drawn negatives."""
    target: Tensor
    """(n,) int64: column of each query's target."""
    masked: Tensor
    """(n, m) bool: other right answers of the query, and what it starts from, which is never shown again."""


class Turns:
    """Training turns in two readings, of which each epoch takes one of each turn by chance.

    readings: lists of the same turns in the same order, e.g. with references `previous` and `resolved`. gallery:
    image_ids from which `negatives` more columns are drawn a batch. kin: image_id -> gallery pictures that are easily
    taken for it, of which `hard` a target are drawn as well. by_session: the turns of a session stand together in an
    epoch's order, for models that go through the history they share once.
    """

    def __init__(
        self,
        readings: Sequence[Sequence[Example]],
        vectors: PictureVectors,
        gallery: Sequence[str],
        batch: int,
        negatives: int = 0,
        seed: int = 0,
        by_session: bool = False,
        kin: Mapping[str, Sequence[str]] | None = None,
        hard: int = 0,
    ) -> None:
        self._readings = readings
        self._vectors = vectors
        self._gallery = list(gallery)
        self._batch = batch
        self._negatives = min(negatives, len(self._gallery))
        self._seed = seed
        self._kin = kin or {}
        self._hard = hard
        self._groups = _by_session(readings[0]) if by_session else [[i] for i in range(len(readings[0]))]

    @property
    def n_batches(self) -> int:
        """The last short batch is left out."""
        return len(self._readings[0]) // self._batch

    def epoch(self, epoch: int) -> Iterator[TurnBatch]:
        """In an order fixed by seed and epoch."""
        rng = random.Random(f"turns/{self._seed}/{epoch}")
        groups = list(self._groups)
        rng.shuffle(groups)
        order = [i for group in groups for i in group]
        for at in range(0, self.n_batches * self._batch, self._batch):
            chosen = [rng.choice(self._readings)[i] for i in order[at : at + self._batch]]
            yield self._batched(chosen, rng)

    def _batched(self, examples: list[Example], rng: random.Random) -> TurnBatch:
        """An attribute query has many right answers: one of them is drawn."""
        targets = [rng.choice(example.positives) for example in examples]
        hard = [image_id for target in targets for image_id in self._drawn_kin(target, rng)]
        columns = list(dict.fromkeys([*targets, *hard, *rng.sample(self._gallery, self._negatives)]))
        place = {image_id: column for column, image_id in enumerate(columns)}
        masked = np.zeros((len(examples), len(columns)), bool)
        for row, (example, target) in enumerate(zip(examples, targets, strict=True)):
            others = (*example.positives, *(image.image_id for image in example.query.references))
            masked[row, [place[image_id] for image_id in others if image_id in place and image_id != target]] = True
        return TurnBatch(
            tuple(examples),
            torch.from_numpy(np.array(self._vectors.of(columns))),
            torch.tensor([place[target] for target in targets]),
            torch.from_numpy(masked),
        )

    def _drawn_kin(self, target: str, rng: random.Random) -> list[str]:
        alike = self._kin.get(target, ())
        return rng.sample(alike, min(self._hard, len(alike)))


def train_pictures(benchmark: Benchmark, turns: Iterable[Example]) -> list[str]:
    """Gallery pictures that are right answers of training turns: the pool from which negatives are drawn.

    What val and test ask for has no part in it, neither by being among them nor by being left out.
    """
    right = {image_id for turn in turns for image_id in (turn.chosen, *turn.positives)}
    return sorted(image_id for image_id in right if benchmark.images[image_id].in_gallery)


def kin_of(benchmark: Benchmark, gallery: Sequence[str]) -> dict[str, list[str]]:
    """For every gallery picture other products of `gallery` of the same kind and colour: what only a closer look tells
    apart. Nothing where the kind is not known."""
    alike: dict[tuple[object, object], list[BenchmarkImage]] = {}
    for image in (benchmark.images[image_id] for image_id in gallery):
        alike.setdefault(_looks(image), []).append(image)
    return {
        image.image_id: [
            other.image_id
            for other in alike.get(_looks(image), ())
            if "category" in image.attributes and product_of(other) != product_of(image)
        ]
        for image in benchmark.gallery()
    }


def _looks(image: BenchmarkImage) -> tuple[object, object]:
    return image.attributes.get("category"), image.attributes.get("colour")


def _by_session(turns: Sequence[Example]) -> list[list[int]]:
    sessions: dict[str, list[int]] = {}
    for i, turn in enumerate(turns):
        sessions.setdefault(turn.query.query_id.rpartition("/")[0], []).append(i)
    return list(sessions.values())

"""What stage 3's query encoder is trained with: its settings, and its batches as tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from retrieval.fashion_am.context import Template
from retrieval.fashion_am.packing import Packed, pack, pad
from retrieval.fashion_am.texts import TextBank
from retrieval.fashion_am.vectors import PictureVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings
    from retrieval.recorded import Example
    from retrieval.schema import Image, Query

PICTURES = 3
"""Place of the pictures among the tensors: they and what follows is all that the residual reads."""
Inputs = tuple[Tensor, ...]
"""`packing.Padded` as tensors, in its order."""


@dataclass(frozen=True, slots=True)
class QuerySettings:
    """Stage 3 at size `mini`.

    On one core in bf16, 1.4 s a step of 256 turns: 27 minutes for three epochs over the embedded benchmark with further
    sessions beside it (100,558 turns; `--also`), after three for the residual alone and about fifteen for vectors and
    words that --vectors keeps. Expected on its val split then, over the towers of stage 2: success@5 .528 with
    references "previous" and .533 "resolved" (late fusion .326 with the first), mean average precision .696 (.447).
    """

    epochs: int = 3
    batch: int = 256
    negatives: int = 2048
    """Gallery vectors drawn for a batch, beside its own targets."""
    hard: int = 0
    """Gallery pictures of its kind and colour beside every target (ours); 4 lost .013 success@5."""
    temperature: float = 0.07
    layers: int = 2
    """Of MiniLM's six, from above; those below have read each text by itself, once and for all."""
    suffix: int = 8
    picture_tokens: int = 2
    max_tokens: int = 160
    """Of a context; what is older is cut."""
    residual: bool = True
    """Add a late fusion with learned amounts (ours); without it the paper's head alone."""
    pointer: float = 0.3
    """Weight of a loss that the residual's attention finds the pictures that a turn starts from (ours): after a
    rollback the item of the turn gone back to."""
    single: bool = True
    """Train on the benchmark's products as single turns too (`single_turns`)."""
    alone_epochs: int = 4
    """Epochs in which the residual is trained without the backbone, beforehand."""
    alone_average: float = 0.99
    """Decay of the running average of its weights then."""
    lora_rate: float = 2e-3
    head_rate: float = 2e-3
    """Of everything that is new: suffix, projector, head, the residual's attention."""
    weight_decay: float = 0.01
    dropout: float = 0.0
    """Within LoRA."""
    warmup: int = 20
    average: float = 0.98
    """Decay of the running average of the weights, which is what is kept."""
    chunk: int = 32
    cached: bool = False
    """Gradients by chunk, at a third more time; without it the whole batch's graph is held (2 GB)."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """`packing.Sources` of what was encoded before the training."""

    vectors: PictureVectors
    features: Mapping[str, NDArray[np.float32]]
    """Joint vector and sentence vector of a text."""
    bank: TextBank

    def pictures(self, images: Sequence[Image]) -> Embeddings:
        return self.vectors.of([image.image_id for image in images])

    def texts(self, texts: Sequence[str]) -> Embeddings:
        return np.array([self.features[text] for text in texts])

    def words(self, texts: Sequence[str]) -> Sequence[NDArray[np.float16]]:
        return [self.bank.of(text)[1:-1].numpy() for text in texts]

    def n_words(self, text: str) -> int:
        return self.bank.length(text) - 2


class QueryData:
    """Packs queries and turns them into a batch's tensors."""

    def __init__(self, settings: QuerySettings, template: Template, kept: Kept) -> None:
        self._settings, self._template, self.kept = settings, template, kept
        self._packed: dict[Query, Packed] = {}

    def packed(self, query: Query) -> Packed:
        if query not in self._packed:
            self._packed[query] = pack(
                query, self._template, self.kept.n_words, self._settings.max_tokens, self._settings.picture_tokens
            )
        return self._packed[query]

    def by_length(self, queries: Sequence[Query]) -> list[int]:
        """Positions of the queries, the shortest context first: neighbours need little padding."""
        lengths = [self.packed(query).length for query in queries]
        return sorted(range(len(queries)), key=lambda i: lengths[i])

    def chunks(self, queries: Sequence[Query]) -> list[Inputs]:
        size = self._settings.chunk
        contexts = [self.packed(query) for query in queries]
        return [self._inputs(contexts[at : at + size]) for at in range(0, len(contexts), size)]

    def pointed_chunks(self, examples: Sequence[Example]) -> list[Inputs]:
        """The chunks of their queries, each with one more tensor (n, p): 1 at the pictures that are meant."""
        size = self._settings.chunk
        chunks = self.chunks([example.query for example in examples])
        for i, inputs in enumerate(chunks):
            some = examples[i * size : (i + 1) * size]
            meant = torch.zeros(inputs[PICTURES].shape[:2])
            for row, example in enumerate(some):
                shown = self.packed(example.query).pictures
                meant[row, : len(shown)] = torch.tensor([float(image.image_id in example.meant) for image in shown])
            chunks[i] = (*inputs, meant)
        return chunks

    def _inputs(self, contexts: Sequence[Packed]) -> Inputs:
        padded = pad(contexts, self._settings.picture_tokens, self.kept.vectors.vectors.shape[1], self.kept)
        return tuple(torch.from_numpy(array) for array in padded.arrays().values())

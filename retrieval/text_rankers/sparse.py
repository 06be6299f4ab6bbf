"""SPLADE++: a text as weights of the vocabulary's words (Table 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from retrieval.text_rankers.loading import Checkpoint, open_checkpoint
from retrieval.text_rankers.pairs import read_rows, tokenized

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.text_rankers.recipes import Sparse


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the words that are not 0, by their place in the vocabulary, rising."""

    places: NDArray[np.int32]
    values: NDArray[np.float32]


class SparseReader:
    """Implements `pairs.Reader`; `open` is how it is made."""

    def __init__(self, checkpoint: Checkpoint, recipe: Sparse) -> None:
        self._checkpoint = checkpoint
        self._recipe = recipe
        self._max_length = min(recipe.max_length, checkpoint.longest)

    @classmethod
    def open(cls, recipe: Sparse, name: str, device: str | None = None) -> SparseReader:
        """Raises EncoderError, DependencyError."""
        return cls(open_checkpoint("AutoModelForMaskedLM", name, device), recipe)

    @property
    def revision(self) -> str:
        return f"{self._checkpoint.revision}/{self._recipe}"

    def queries(self, texts: Sequence[str]) -> list[Weights]:
        return self._weights(texts, "Queries")

    def listings(self, texts: Sequence[str]) -> list[Weights]:
        return self._weights(texts, "Listings")

    def similarity(self, query: Weights, listing: Weights) -> float:
        _, at, its = np.intersect1d(query.places, listing.places, assume_unique=True, return_indices=True)
        return float(query.values[at] @ listing.values[its])

    def _weights(self, texts: Sequence[str], what: str) -> list[Weights]:
        ids = tokenized(self._checkpoint.tokenizer, texts, self._max_length)
        return read_rows(ids, self._read, self._checkpoint.device.type, what)

    def _read(self, ids: list[Sequence[int]]) -> list[Weights]:
        with torch.inference_mode():
            batch = self._checkpoint.padded(ids)
            logits = self._checkpoint.model(**batch).logits
            logits.masked_fill_(batch["attention_mask"][:, :, None] == 0, -torch.inf)
            # log(1 + ReLU(.)) rises: it may be taken of the maximum, which needs far less memory.
            dense = torch.log1p(torch.relu(logits.amax(1).float())).cpu().numpy()
            found = [np.flatnonzero(row) for row in dense]
            return [Weights(places.astype(np.int32), row[places]) for row, places in zip(dense, found, strict=True)]

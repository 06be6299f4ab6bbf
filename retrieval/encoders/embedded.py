"""The default encoder, late fusion over the two towers: weights in `assets/encoder`.

A composed query is late fusion in the joint space: pictures and words are encoded apart, weighted and added, unwanted
ones subtracted. It needs no training beyond the two towers and stays as the late-fusion baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.encoders.towers import DEFAULT_FOLDER as DEFAULT_FOLDER
from retrieval.encoders.towers import Towers, encode_once, unit
from retrieval.errors import MessageError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Manifest
    from retrieval.schema import Image, Item, Query

TEXT_WEIGHT = 1.0
PICTURE_WEIGHT = 1.0
UNWANTED_WEIGHT = 0.5
"""Late fusion: weights of the words, of the mean of the pictures, and of what is unwanted (subtracted)."""
CAPTION_WEIGHT = 0.0


class EmbeddedEncoder:
    """Implements `protocols.Encoder` with the shipped towers; `open` is how it is made."""

    def __init__(self, towers: Towers) -> None:
        self.towers = towers

    @classmethod
    def open(cls, folder: Path = DEFAULT_FOLDER, caption_weight: float = CAPTION_WEIGHT) -> EmbeddedEncoder:
        """Load the weights. Raises EncoderError when files are missing, damaged or of another version.

        caption_weight: how much an item's name counts beside its picture (0: the picture alone, as benchmarks want).
        """
        return cls(Towers.open(folder, caption_weight))

    @property
    def manifest(self) -> Manifest:
        return self.towers.manifest

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        return self.towers.encode_items(items, pictures)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        """Late fusion of each query's text and references; `history` is not read by this encoder."""
        for query in queries:
            if not (query.text.strip() or query.references):
                raise MessageError("There is nothing to search for: write a few words or add a picture.")
        texts = encode_once(
            [text for query in queries for text in (query.text, *query.unwanted_texts) if text.strip()],
            lambda distinct: self.towers.encode_texts(distinct)[0],
        )
        pictures = self.towers.encode_references(
            [image for query in queries for image in (*query.references, *query.unwanted_images)]
        )
        vectors = [fused(query, texts, pictures, self.manifest.dim) for query in queries]
        return unit(np.array(vectors, np.float32).reshape(len(queries), self.manifest.dim))

    def remember(self, embeddings: Mapping[str, NDArray[np.float32]]) -> None:
        """As `protocols.RemembersPictures`."""
        self.towers.remember(embeddings)

    def encode_pictures(self, pictures: Sequence[Picture]) -> Embeddings:
        """Decoded RGB pictures -> float32 (n, dim), unit rows."""
        return self.towers.encode_pictures(pictures)

    def encode_sentences(self, texts: Sequence[str]) -> Embeddings:
        """Texts in the sentence space of all-MiniLM-L6-v2 (meaning, not looks): float32 (n, 384), unit rows."""
        return self.towers.encode_texts(texts)[1]


def fused(
    query: Query, texts: dict[str, NDArray[np.float32]], pictures: dict[Image, NDArray[np.float32]], dim: int
) -> NDArray[np.float32]:
    vector = np.zeros(dim, np.float32)
    if query.text.strip():
        vector += TEXT_WEIGHT * texts[query.text]
    if query.references:
        vector += PICTURE_WEIGHT * np.mean([pictures[image] for image in query.references], axis=0)
    return vector - UNWANTED_WEIGHT * unwanted_mean(query, texts, pictures, dim)


def unwanted_mean(
    query: Query, texts: dict[str, NDArray[np.float32]], pictures: dict[Image, NDArray[np.float32]], dim: int
) -> NDArray[np.float32]:
    """Mean of what the query is to move away from, (dim,); 0 for nothing."""
    unwanted = [texts[t] for t in query.unwanted_texts if t.strip()] + [pictures[i] for i in query.unwanted_images]
    mean: NDArray[np.float32] = np.mean(unwanted, axis=0) if unwanted else np.zeros(dim, np.float32)
    return mean

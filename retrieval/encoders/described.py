"""An encoder for galleries without pictures: each item, and each reference, counts by the words of its caption.

Some data sets came down to their texts. Words stand where pictures stood, in the same joint space and with the same
weights of the late fusion, so that the agent in front of it does not notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.encoders.embedded import PICTURE_WEIGHT, TEXT_WEIGHT, UNWANTED_WEIGHT
from retrieval.encoders.towers import unit
from retrieval.errors import MessageError
from retrieval.schema import Query

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Encoder, Manifest
    from retrieval.schema import Image, Item

NOTHING = "clothes"
"""Stands for an empty caption: every item needs a direction."""


class DescribedEncoder:
    """Implements `protocols.Encoder` over another one's text side; `captions` maps image_id to words."""

    def __init__(self, encoder: Encoder, captions: Mapping[str, str]) -> None:
        self._encoder = encoder
        self._captions = captions

    @property
    def manifest(self) -> Manifest:
        inner = self._encoder.manifest
        return replace(inner, revision=f"{inner.revision}/items=captions")

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:  # noqa: ARG002
        """Pictures are not looked at, and need not be there."""
        return self._encode([Query(item.item_id, item.caption.strip() or NOTHING) for item in items])

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        """A reference whose image_id has no caption is a shopper's own picture, and is encoded as one."""
        for query in queries:
            if not (query.text.strip() or query.references):
                raise MessageError("There is nothing to search for: write a few words or add a picture.")
        parts = dict.fromkeys(part for query in queries for part in self._parts(query))
        vectors = dict(zip(parts, self._encode(list(parts)), strict=True))
        fused = [self._fused(query, vectors) for query in queries]
        return unit(np.array(fused, np.float32).reshape(len(queries), self.manifest.dim))

    def _parts(self, query: Query) -> list[Query]:
        texts = [_words(text) for text in (query.text, *query.unwanted_texts) if text.strip()]
        return [*texts, *(self._stand_in(image) for image in (*query.references, *query.unwanted_images))]

    def _fused(self, query: Query, vectors: Mapping[Query, NDArray[np.float32]]) -> NDArray[np.float32]:
        vector = np.zeros(self.manifest.dim, np.float32)
        if query.text.strip():
            vector += TEXT_WEIGHT * vectors[_words(query.text)]
        if query.references:
            vector += PICTURE_WEIGHT * np.mean([vectors[self._stand_in(image)] for image in query.references], axis=0)
        unwanted = [vectors[_words(text)] for text in query.unwanted_texts if text.strip()]
        unwanted += [vectors[self._stand_in(image)] for image in query.unwanted_images]
        if unwanted:
            vector -= UNWANTED_WEIGHT * np.mean(unwanted, axis=0)
        return vector

    def _stand_in(self, image: Image) -> Query:
        caption = self._captions.get(image.image_id)
        return Query("", references=(image,)) if caption is None else _words(caption.strip() or NOTHING)

    def _encode(self, queries: Sequence[Query]) -> Embeddings:
        if not queries:
            return np.zeros((0, self.manifest.dim), np.float32)
        return self._encoder.encode_queries(queries)


def _words(text: str) -> Query:
    return Query("", text)

"""A test double: words are hashed, pictures become coarse colours. It understands nothing.

It obeys the whole `Encoder` contract without weights, in microseconds and always with the same answer, so that stores,
agent and pages can be tested for real: an item that shares words with the query scores higher, and a picture finds
itself first. Never use it to judge the quality of a search.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import MessageError
from retrieval.protocols import Manifest

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings
    from retrieval.schema import Image, Item, Query

    Vector = NDArray[np.float64]

GRID = 2
N_COLOURS = GRID * GRID * 3 + 1
"""Mean red, green and blue of each cell, and one constant that keeps mid-grey from being nothing."""
TEXT_WEIGHT = 0.7
PICTURE_WEIGHT = 0.3
HISTORY_WEIGHT = 0.2
UNWANTED_WEIGHT = 0.5


class HashingEncoder:
    """The first dims hold hashed words, the last 13 the colours of a 2 x 2 grid."""

    def __init__(self, dim: int = 64) -> None:
        if dim < 2 * N_COLOURS:
            raise ValueError(f"dim must be at least {2 * N_COLOURS}, not {dim}")
        self.dim = dim

    @property
    def manifest(self) -> Manifest:
        return Manifest(encoder="hashing", revision="1", dim=self.dim)

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        rows = [self._item(item, picture) for item, picture in zip(items, pictures, strict=True)]
        return np.asarray(rows, dtype=np.float32).reshape(len(items), self.dim)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        rows = [self._query(query) for query in queries]
        return np.asarray(rows, dtype=np.float32).reshape(len(queries), self.dim)

    def _item(self, item: Item, picture: Picture) -> Vector:
        words = " ".join([item.caption, *(str(value) for value in item.attributes.values())])
        vector = PICTURE_WEIGHT * self._picture(picture)
        if words.strip():
            vector = vector + TEXT_WEIGHT * self._text(words)
        return _unit(vector)

    def _query(self, query: Query) -> Vector:
        if not query.text.strip() and not query.references:
            raise MessageError("There is nothing to search for: write a few words or add a picture.")
        wanted = np.zeros(self.dim)
        if query.text.strip():
            wanted += TEXT_WEIGHT * self._text(query.text)
        wanted += PICTURE_WEIGHT * self._mean(self._image(image) for image in query.references)
        for turn in query.history:
            if turn.text.strip():
                wanted += HISTORY_WEIGHT * TEXT_WEIGHT * self._text(turn.text)
        unwanted = self._mean(self._text(text) for text in query.unwanted_texts if text.strip())
        unwanted += self._mean(self._image(image) for image in query.unwanted_images)
        moved = wanted - UNWANTED_WEIGHT * np.linalg.norm(wanted) * unwanted
        return _unit(moved) if np.linalg.norm(moved) > 1e-6 else _unit(wanted)

    def _mean(self, vectors: Iterable[Vector]) -> Vector:
        found = list(vectors)
        return np.mean(found, axis=0) if found else np.zeros(self.dim)

    def _text(self, text: str) -> Vector:
        vector = np.zeros(self.dim)
        for word in re.findall(r"\w+", text.lower()) or [text]:
            vector[_slot(word, self.dim - N_COLOURS)] += 1.0
        return _unit(vector)

    def _image(self, image: Image) -> Vector:
        from retrieval.images import open_picture

        return self._picture(open_picture(image.path))

    def _picture(self, picture: Picture) -> Vector:
        cells = np.asarray(picture.convert("RGB").resize((GRID, GRID)), dtype=np.float64) / 255 - 0.5
        vector = np.zeros(self.dim)
        vector[-N_COLOURS:] = [*cells.ravel(), 0.1]
        return _unit(vector)


@lru_cache(maxsize=65536)
def _slot(word: str, n_slots: int) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % n_slots


def _unit(vector: Vector) -> Vector:
    length: float = float(np.linalg.norm(vector))
    return vector / length

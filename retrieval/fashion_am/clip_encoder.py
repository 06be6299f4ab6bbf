"""CLIP as an encoder of the shop: galleries at the paper's size, and late fusion over them as the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from retrieval import images
from retrieval.encoders.embedded import fused
from retrieval.encoders.towers import encode_once, unit
from retrieval.errors import MessageError
from retrieval.fashion_am.clip import Clip
from retrieval.protocols import Manifest

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings
    from retrieval.schema import Image, Item, Query

BATCH = 64


class ClipEncoder:
    """Implements `protocols.Encoder`, and `vectors.PictureEncoder` for training."""

    def __init__(self, towers: Clip, name: str = "clip") -> None:
        self._towers = towers.eval()
        self._manifest = Manifest(name, towers.revision(), towers.dim)

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    @property
    def name(self) -> str:
        return f"{self._manifest.encoder}/{self._manifest.revision}"

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:  # noqa: ARG002
        """Names do not count, as benchmarks want it."""
        return self.encode_pictures(pictures)

    def encode_pictures(self, pictures: Sequence[Picture]) -> Embeddings:
        """Decoded RGB pictures -> float32 (n, dim), unit rows."""
        parts = [np.zeros((0, self._manifest.dim), np.float32)]
        for at in range(0, len(pictures), BATCH):
            pixels = np.stack([self._towers.pixels(picture) for picture in pictures[at : at + BATCH]])
            with torch.no_grad():
                parts.append(self._towers.encode(torch.from_numpy(pixels)).cpu().numpy())
        return np.concatenate(parts)

    def encode_texts(self, texts: Sequence[str]) -> Embeddings:
        """float32 (n, dim), unit rows."""
        parts = [np.zeros((0, self._manifest.dim), np.float32)]
        for at in range(0, len(texts), BATCH):
            with torch.no_grad():
                parts.append(self._towers.encode_texts(texts[at : at + BATCH]).cpu().numpy())
        return np.concatenate(parts)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        """Late fusion of each query's text and references; `history` is not read."""
        for query in queries:
            if not (query.text.strip() or query.references):
                raise MessageError("There is nothing to search for: write a few words or add a picture.")
        said = [text for query in queries for text in (query.text, *query.unwanted_texts) if text.strip()]
        shown = [image for query in queries for image in (*query.references, *query.unwanted_images)]
        texts, pictures = encode_once(said, self.encode_texts), encode_once(shown, self._encode_images)
        vectors = [fused(query, texts, pictures, self._manifest.dim) for query in queries]
        return unit(np.array(vectors, np.float32).reshape(len(queries), self._manifest.dim))

    def _encode_images(self, references: Sequence[Image]) -> Embeddings:
        return self.encode_pictures([images.open_picture(image.path, images.UPLOAD_SIDE) for image in references])

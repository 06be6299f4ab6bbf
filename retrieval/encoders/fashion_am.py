"""FashionAM's running encoder: a whole conversation becomes one vector, by `query.onnx` over the shared towers.

The gallery's side is the towers alone, so that late fusion over the same towers shares its index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.encoders.embedded import UNWANTED_WEIGHT, unwanted_mean
from retrieval.encoders.towers import Towers, open_session, read_card, unit
from retrieval.encoders.words import Words
from retrieval.errors import EncoderError, MessageError
from retrieval.fashion_am.context import Template, open_template
from retrieval.fashion_am.packing import Padded, pack, pad

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.fashion_am.packing import Packed
    from retrieval.protocols import Embeddings, Manifest
    from retrieval.schema import Image, Item, Query

KIND, QUERY = "fashion_am", "query.onnx"
BATCH = 32


class FashionAMEncoder:
    """Implements `protocols.Encoder`; `open` is how it is made. A vector does not depend on the others of its batch."""

    def __init__(
        self,
        towers: Towers,
        words: Words,
        session: Any,
        pack: Callable[[Query], Packed],
        picture_tokens: int,
        query_revision: str,
    ) -> None:
        self.towers = towers
        self.words = words
        self.query_revision = query_revision
        self._session = session
        self._pack = pack
        self._picture_tokens = picture_tokens

    @classmethod
    def open(cls, folder: Path, caption_weight: float = 0.0) -> FashionAMEncoder:
        """Raises EncoderError when files are missing, damaged, of another version, or made for other towers."""
        card = read_card(folder)
        template, settings = _template_of(folder, card), card.get("query")
        if not isinstance(settings, dict) or not {"max_tokens", "picture_tokens"} <= settings.keys():
            raise EncoderError(f"The card in {folder} does not describe a query encoder: train and export it again.")
        max_tokens, picture_tokens = int(settings["max_tokens"]), int(settings["picture_tokens"])
        session = open_session(folder / QUERY)
        if [each.name for each in session.get_inputs()] != [each.name for each in fields(Padded)]:
            raise EncoderError(f"The query encoder in {folder} was exported by another version: train it again.")
        words = Words.open(folder, card)
        return cls(
            Towers.open(folder, caption_weight),
            words,
            session,
            lambda query: pack(query, template, words.n_words, max_tokens, picture_tokens),
            picture_tokens,
            str(card.get("query_revision", "")),
        )

    @property
    def manifest(self) -> Manifest:
        """Of the gallery's vectors."""
        return self.towers.manifest

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        return self.towers.encode_items(items, pictures)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        """Reads history, references and request; what is unwanted is subtracted as in late fusion."""
        for query in queries:
            if not (query.as_said or query.references):
                raise MessageError("There is nothing to search for: write a few words or add a picture.")
        contexts = [self._pack(query) for query in queries]
        pictures = self.towers.encode_references(
            [image for each in contexts for image in each.pictures]
            + [image for query in queries for image in query.unwanted_images]
        )
        said = [text for each in contexts for text in each.texts]
        unwanted = [text for query in queries for text in query.unwanted_texts if text.strip()]
        texts = self.towers.recent_text_features([*said, *unwanted])
        vectors = self._encoded(contexts, pictures, texts)
        dim = self.manifest.dim
        joint = {text: texts[text][:dim] for text in unwanted}
        away = [unwanted_mean(query, joint, pictures, dim) for query in queries]
        return unit(vectors - UNWANTED_WEIGHT * np.array(away, np.float32).reshape(len(queries), dim))

    def encode_pictures(self, pictures: Sequence[Picture]) -> Embeddings:
        """Decoded RGB pictures -> float32 (n, dim), unit rows."""
        return self.towers.encode_pictures(pictures)

    def encode_sentences(self, texts: Sequence[str]) -> Embeddings:
        """Texts in the sentence space of all-MiniLM-L6-v2 (meaning, not looks): float32 (n, 384), unit rows."""
        return self.towers.encode_texts(texts)[1]

    def _encoded(
        self,
        contexts: Sequence[Packed],
        pictures: dict[Image, NDArray[np.float32]],
        texts: dict[str, NDArray[np.float32]],
    ) -> Embeddings:
        """(n, dim), unit rows. Batches hold contexts of like length: less padding."""
        vectors = np.zeros((len(contexts), self.manifest.dim), np.float32)
        order = sorted(range(len(contexts)), key=lambda i: contexts[i].length)
        sources = _Sources(pictures, texts, self.words)
        for at in range(0, len(order), BATCH):
            rows = order[at : at + BATCH]
            padded = pad([contexts[row] for row in rows], self._picture_tokens, self.manifest.dim, sources)
            vectors[rows] = self._session.run(None, padded.arrays())[0]
        return vectors


@dataclass(frozen=True, slots=True)
class _Sources:
    """`packing.Sources` of queries whose pictures and texts the towers have read."""

    picture_vectors: dict[Image, NDArray[np.float32]]
    text_vectors: dict[str, NDArray[np.float32]]
    reader: Words

    def pictures(self, images: Sequence[Image]) -> Embeddings:
        return np.stack([self.picture_vectors[image] for image in images])

    def texts(self, texts: Sequence[str]) -> Embeddings:
        return np.stack([self.text_vectors[text] for text in texts])

    def words(self, texts: Sequence[str]) -> Sequence[NDArray[np.float32]]:
        return self.reader.of(texts)


def _template_of(folder: Path, card: dict[str, Any]) -> Template:
    described = card.get("template")
    if not isinstance(described, dict):
        raise EncoderError(f"The card in {folder} names no context template: train and export it again.")
    template = open_template(described.get("name", ""))
    if template.revision != described.get("revision"):
        raise EncoderError(
            f"The query encoder in {folder} was trained with other words around the conversation than those of the "
            f"template {template.name!r} here: restore the template, or train again."
        )
    return template

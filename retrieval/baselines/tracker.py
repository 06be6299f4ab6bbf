"""Textification without a language model: an attribute state tracker writes what is wanted, the text tower reads it.

What a picture shows is predicted by the towers themselves (zero-shot: of the phrases for each attribute the one whose
text vector is nearest to the picture's vector), never read from a catalogue. What the conversation says changes it
(`tracker_state`), one caption is written from the result, and its text vector is the query: all that the caption cannot
say of a picture is lost, which is what this baseline is there to show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.baselines.tracker_state import (
    SEEN,
    State,
    Wanted,
    described,
    follow,
    joined,
    open_vocabulary,
)
from retrieval.errors import MessageError
from retrieval.protocols import Manifest
from retrieval.schema import Image, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Encoder
    from retrieval.schema import Item

    Vector = NDArray[np.float32]


class AttributeTracker:
    """Implements `protocols.Encoder` over any encoder that reads a text, or a picture, alone; items are its items."""

    def __init__(self, towers: Encoder) -> None:
        self.towers = towers
        self._vocabulary = open_vocabulary()
        self._texts: dict[str, Vector] = {}

    @property
    def manifest(self) -> Manifest:
        return self.towers.manifest

    @property
    def query_revision(self) -> str:
        return f"tracker/{self._vocabulary.revision}"

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        return self.towers.encode_items(items, pictures)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        vectors = self._text_vectors(self.descriptions(queries))
        return vectors.reshape(len(queries), self.manifest.dim)

    def descriptions(self, queries: Sequence[Query]) -> list[str]:
        """The caption of what each query wants."""
        followed = [self._followed(query) for query in queries]
        distinct = list(dict.fromkeys(image for _, images in followed for image in images))
        pictures = dict(zip(distinct, self._picture_vectors(distinct), strict=True)) if distinct else {}
        return [
            self._description(query, wanted, [pictures[image] for image in images])
            for query, (wanted, images) in zip(queries, followed, strict=True)
        ]

    def _followed(self, query: Query) -> tuple[Wanted, tuple[Image, ...]]:
        """What is wanted and the pictures that it starts from. Raises MessageError for an empty query."""
        text = query.request or query.text
        if not (text.strip() or query.references):
            raise MessageError("There is nothing to search for: write a few words or add a picture.")
        wanted, back_to = follow([*(turn.text for turn in query.history), text], self._vocabulary)
        target = query.history[back_to - 1].target if back_to else None
        return wanted, (target,) if target else query.references

    def _description(self, query: Query, wanted: Wanted, pictures: Sequence[Vector]) -> str:
        """Of a first search by words these words, which say more than is read of them (a brand, a name)."""
        if not pictures and not query.history:
            return query.request or query.text
        seen = self._seen(np.mean(pictures, axis=0), wanted) if pictures else {}
        return described(joined(wanted, seen)) or query.request or query.text

    def _seen(self, picture: Vector, wanted: Wanted) -> State:
        kinds = [kind for kind, entry in self._vocabulary.kinds.items() if entry.guess]
        kind = self._nearest(picture, {kind: {"kind": kind} for kind in kinds})
        seen = {"kind": kind}
        for attribute in SEEN if wanted.from_picture is None else sorted(wanted.from_picture):
            choices = self._vocabulary.choices(attribute, kind)
            if choices:
                seen[attribute] = self._nearest(picture, {word: {"kind": kind, attribute: word} for word in choices})
        return seen

    def _nearest(self, picture: Vector, states: Mapping[str, State]) -> str:
        """The key of the state whose caption's vector is nearest."""
        vectors = self._text_vectors([described(state) for state in states.values()])
        return list(states)[int(np.argmax(vectors @ picture))]

    def _picture_vectors(self, images: Sequence[Image]) -> Embeddings:
        return self.towers.encode_queries([Query("", references=(image,)) for image in images])

    def _text_vectors(self, texts: Sequence[str]) -> Embeddings:
        missing = [text for text in dict.fromkeys(texts) if text not in self._texts]
        if missing:
            vectors = self.towers.encode_queries([Query("", text=text) for text in missing])
            self._texts.update(zip(missing, vectors, strict=True))
        return np.array([self._texts[text] for text in texts], np.float32)

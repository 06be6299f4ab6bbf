"""Contexts as padded arrays for `mini`'s query encoder, in training and at run time alike. It imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from retrieval.encoders.towers import SENTENCE_DIM
from retrieval.fashion_am.context import Template, lines_of
from retrieval.schema import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings
    from retrieval.schema import Query

ABSENT, CURRENT, EARLIER = 0, 1, 2
"""Roles of a picture: padding; one that the current request starts from; one of the history."""
N_ROLES = 3
WORD_DIM = 384
BETWEEN = 16
"""Tokens of the words around a request and its pictures, at most."""


class Sources(Protocol):
    """What a context's pictures and texts look like to the query encoder."""

    def pictures(self, images: Sequence[Image]) -> Embeddings:
        """(n, dim) gallery vectors."""
        ...

    def texts(self, texts: Sequence[str]) -> Embeddings:
        """(n, dim + 384) joint vectors, the sentence vectors behind them."""
        ...

    def words(self, texts: Sequence[str]) -> Sequence[NDArray[np.floating[Any]]]:
        """Of each text (t, 384) hidden states of its tokens, without those of its ends."""
        ...


@dataclass(frozen=True, slots=True)
class Packed:
    """One context: texts that are read word by word, and pictures, by their place in `pictures`."""

    parts: tuple[str | int, ...]
    sizes: tuple[int, ...]
    """Tokens of each part; of a text the first so many."""
    pictures: tuple[Image, ...]
    roles: tuple[int, ...]
    said: tuple[str, ...]
    """For each picture the request with which it was chosen; "" for one that the user brought along."""
    request: str
    """The current one; "" for none."""

    @property
    def texts(self) -> tuple[str, ...]:
        """What the text tower encodes as a whole."""
        return tuple(text for text in (*self.said, self.request) if text)

    @property
    def words(self) -> tuple[str, ...]:
        """What is read word by word."""
        return tuple(part for part in self.parts if isinstance(part, str))

    @property
    def length(self) -> int:
        return sum(self.sizes)


@dataclass(frozen=True, slots=True)
class Padded:
    """Contexts of one batch, padded on the right."""

    words: Embeddings
    """(n, t, 384) hidden states of words; 0 at pictures and padding."""
    slots: NDArray[np.int64]
    """(n, t); 0 at words, i * picture_tokens + j + 1 at token j of picture i."""
    mask: NDArray[np.int64]
    """(n, t); 1 at tokens."""
    pictures: Embeddings
    """(n, p, dim) gallery vectors; p is at least 1."""
    roles: NDArray[np.int64]
    """(n, p)."""
    said: Embeddings
    """(n, p, dim) joint text vectors of what each picture was chosen with; 0 for nothing."""
    requests: Embeddings
    """(n, dim + 384) joint text vectors, then sentence vectors; 0 where there are no words."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """By the names of the query encoder's inputs, in their order."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def pack(
    query: Query, template: Template, n_words: Callable[[str], int], max_tokens: int, picture_tokens: int
) -> Packed:
    """The context of a query. What does not fit is cut from its oldest end, and a request that would leave no room for
    its own pictures from the end of its words. n_words: tokens of a text."""
    room = max(max_tokens - picture_tokens * len(query.references) - BETWEEN, BETWEEN)
    parts: list[str | int] = []
    pictures: list[Image] = []
    for line in lines_of(query, template):
        if isinstance(line, Image):
            parts.append(len(pictures))
            pictures.append(line)
        else:
            parts += _pieces(line)
    sizes = [min(n_words(part), room) if isinstance(part, str) else picture_tokens for part in parts]
    oldest = _oldest_that_fits(sizes, max_tokens)
    kept = parts[oldest:]
    first = len(pictures) - sum(isinstance(part, int) for part in kept)
    shown = tuple(pictures[first:])
    current = {image.image_id for image in query.references}
    said = {past.target.image_id: past.text.strip() for past in query.history if past.target}
    return Packed(
        tuple(part if isinstance(part, str) else part - first for part in kept),
        tuple(sizes[oldest:]),
        shown,
        tuple(CURRENT if image.image_id in current else EARLIER for image in shown),
        tuple(said.get(image.image_id, "") for image in shown),
        query.as_said,
    )


def texts_of(query: Query) -> tuple[str, ...]:
    """What the text tower may have to encode as a whole: the current request, then those of the history."""
    return (query.as_said, *(past.text.strip() for past in query.history))


def words_of(query: Query, template: Template) -> Iterable[str]:
    """What may have to be read word by word."""
    return (piece for line in lines_of(query, template) if not isinstance(line, Image) for piece in _pieces(line))


def _pieces(line: tuple[str, ...]) -> list[str]:
    return [piece for each in line if (piece := each.strip())]


def _oldest_that_fits(sizes: Sequence[int], room: int) -> int:
    for at in range(len(sizes) - 1, -1, -1):
        room -= sizes[at]
        if room < 0:
            return at + 1
    return 0


def pad(contexts: Sequence[Packed], picture_tokens: int, dim: int, sources: Sources) -> Padded:
    """One batch."""
    n, p = len(contexts), max([1, *(len(each.pictures) for each in contexts)])
    t = max(each.length for each in contexts)
    words = np.zeros((n, t, WORD_DIM), np.float32)
    slots, mask = np.zeros((n, t), np.int64), np.zeros((n, t), np.int64)
    texts = sorted({text for each in contexts for text in each.words})
    states = dict(zip(texts, sources.words(texts), strict=True)) if texts else {}
    for row, each in enumerate(contexts):
        at = 0
        for part, size in zip(each.parts, each.sizes, strict=True):
            if isinstance(part, str):
                words[row, at : at + size] = states[part][:size]
            else:
                slots[row, at : at + size] = part * picture_tokens + 1 + np.arange(size)
            at += size
        mask[row, :at] = 1
    return Padded(words, slots, mask, *_shown(contexts, p, dim, sources), *_said(contexts, p, dim, sources))


def _shown(contexts: Sequence[Packed], p: int, dim: int, sources: Sources) -> tuple[Embeddings, NDArray[np.int64]]:
    """`Padded.pictures` and `Padded.roles`."""
    pictures, roles = np.zeros((len(contexts), p, dim), np.float32), np.zeros((len(contexts), p), np.int64)
    for row, each in enumerate(contexts):
        roles[row, : len(each.roles)] = each.roles
    if shown := [image for each in contexts for image in each.pictures]:
        pictures[roles != ABSENT] = sources.pictures(shown)
    return pictures, roles


def _said(contexts: Sequence[Packed], p: int, dim: int, sources: Sources) -> tuple[Embeddings, Embeddings]:
    """`Padded.said` and `Padded.requests`."""
    said = np.zeros((len(contexts), p, dim), np.float32)
    requests = np.zeros((len(contexts), dim + SENTENCE_DIM), np.float32)
    texts = sorted({text for each in contexts for text in each.texts})
    vector = dict(zip(texts, sources.texts(texts), strict=True)) if texts else {}
    for row, each in enumerate(contexts):
        for i, text in enumerate(each.said):
            if text:
                said[row, i] = vector[text][:dim]
        if each.request:
            requests[row] = vector[each.request]
    return said, requests

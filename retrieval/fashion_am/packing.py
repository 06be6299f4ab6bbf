"""Contexts as padded arrays for `mini`'s query encoder, in training and at run time alike. It imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.encoders.towers import SENTENCE_DIM
from retrieval.fashion_am.context import Template, context_of
from retrieval.schema import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings
    from retrieval.schema import Query

    Tokenize = Callable[[str], Sequence[int]]
    """Token ids of a text, without special tokens."""

ABSENT, CURRENT, EARLIER = 0, 1, 2
"""Roles of a picture: padding; one that the current request starts from; one of the history."""
N_ROLES = 3
START_TOKEN = 101
"""[CLS] of all BERT vocabularies."""
BETWEEN = 8
"""Tokens of a template's own words around the current request, at most."""


@dataclass(frozen=True, slots=True)
class Packed:
    """One context: token ids in which -1 - i stands for all tokens of picture i."""

    tokens: tuple[int, ...]
    pictures: tuple[Image, ...]
    roles: tuple[int, ...]
    said: tuple[str, ...]
    """For each picture the last request with which it was chosen; "" for none, or one without words."""
    request: str
    """The current one; "" for none."""

    @property
    def texts(self) -> tuple[str, ...]:
        """What the text tower encodes."""
        return tuple(text for text in (*self.said, self.request) if text)

    def length(self, picture_tokens: int) -> int:
        return len(self.tokens) + len(self.pictures) * (picture_tokens - 1)


@dataclass(frozen=True, slots=True)
class Padded:
    """Contexts of one batch, padded on the right."""

    ids: NDArray[np.int64]
    """(n, t); 0 at pictures and padding."""
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


def pack(query: Query, template: Template, tokenize: Tokenize, max_tokens: int, picture_tokens: int) -> Packed:
    """The context of a query. What does not fit is cut from its oldest end, and a request that would leave no room for
    its own pictures from the end of its words."""
    tokens: list[int] = []
    pictures: list[Image] = []
    room = max_tokens - 1 - picture_tokens * len(query.references) - BETWEEN
    request = _fitting(query.as_said, max(room, BETWEEN), tokenize)
    for part in context_of(replace(query, text=request, request=request), template):
        if isinstance(part, Image):
            pictures.append(part)
            tokens.append(-len(pictures))
        else:
            tokens += tokenize(part)
    kept = _newest(tokens, max_tokens - 1, picture_tokens)
    first = len(pictures) - sum(token < 0 for token in kept)
    shown = tuple(pictures[first:])
    current = {image.image_id for image in query.references}
    said = {past.target.image_id: past.text.strip() for past in query.history if past.target}
    return Packed(
        (START_TOKEN, *(token + first if token < 0 else token for token in kept)),
        shown,
        tuple(CURRENT if image.image_id in current else EARLIER for image in shown),
        tuple(said.get(image.image_id, "") for image in shown),
        query.as_said,
    )


def words_of(query: Query) -> tuple[str, ...]:
    """The current request, then those of the history: what the text tower may have to encode."""
    return (query.as_said, *(past.text.strip() for past in query.history))


def _fitting(text: str, room: int, tokenize: Tokenize) -> str:
    """As much of the text's beginning as has at most `room` tokens."""
    while (n := len(tokenize(text))) > room:
        text = text[: len(text) * room // n]
    return text


def _newest(tokens: Sequence[int], room: int, picture_tokens: int) -> Sequence[int]:
    for at in range(len(tokens) - 1, -1, -1):
        room -= picture_tokens if tokens[at] < 0 else 1
        if room < 0:
            return tokens[at + 1 :]
    return tokens


def pad(
    contexts: Sequence[Packed],
    picture_tokens: int,
    dim: int,
    vectors_of: Callable[[Sequence[Image]], Embeddings],
    texts_of: Callable[[Sequence[str]], Embeddings],
) -> Padded:
    """One batch. `vectors_of` gives the vectors of its pictures, `texts_of` those of its texts, as (k, dim + 384): the
    joint vectors, the sentence vectors behind them."""
    n, p = len(contexts), max([1, *(len(each.pictures) for each in contexts)])
    t = max(each.length(picture_tokens) for each in contexts)
    ids, slots, mask = (np.zeros((n, t), np.int64) for _ in range(3))
    roles = np.zeros((n, p), np.int64)
    pictures = np.zeros((n, p, dim), np.float32)
    for row, each in enumerate(contexts):
        at = 0
        for token in each.tokens:
            if token < 0:
                first = (-token - 1) * picture_tokens + 1
                slots[row, at : at + picture_tokens] = range(first, first + picture_tokens)
                at += picture_tokens
            else:
                ids[row, at] = token
                at += 1
        mask[row, :at] = 1
        roles[row, : len(each.roles)] = each.roles
    shown = [image for each in contexts for image in each.pictures]
    if shown:
        pictures[roles != ABSENT] = vectors_of(shown)
    return Padded(ids, slots, mask, pictures, roles, *_words(contexts, p, dim, texts_of))


def _words(
    contexts: Sequence[Packed], p: int, dim: int, texts_of: Callable[[Sequence[str]], Embeddings]
) -> tuple[Embeddings, Embeddings]:
    """`Padded.said` and `Padded.requests`."""
    said = np.zeros((len(contexts), p, dim), np.float32)
    requests = np.zeros((len(contexts), dim + SENTENCE_DIM), np.float32)
    texts = sorted({text for each in contexts for text in each.texts})
    vector = dict(zip(texts, texts_of(texts), strict=True)) if texts else {}
    for row, each in enumerate(contexts):
        for i, text in enumerate(each.said):
            if text:
                said[row, i] = vector[text][:dim]
        if each.request:
            requests[row] = vector[each.request]
    return said, requests

"""Contexts as padded arrays for `mini`'s query encoder, in training and at run time alike. It imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

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


@dataclass(frozen=True, slots=True)
class Packed:
    """One context: token ids in which -1 - i stands for all tokens of picture i."""

    tokens: tuple[int, ...]
    pictures: tuple[Image, ...]
    roles: tuple[int, ...]
    request: str
    """What is encoded by the text tower as well; "" for none."""

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
    requests: Embeddings
    """(n, dim) joint text vectors; 0 where there are no words."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """By the names of the query encoder's inputs, in their order."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def pack(query: Query, template: Template, tokenize: Tokenize, max_tokens: int, picture_tokens: int) -> Packed:
    """The context of a query. What does not fit is cut from its oldest end."""
    tokens: list[int] = []
    pictures: list[Image] = []
    for part in context_of(query, template):
        if isinstance(part, Image):
            pictures.append(part)
            tokens.append(-len(pictures))
        else:
            tokens += tokenize(part)
    kept = _newest(tokens, max_tokens - 1, picture_tokens)
    first = len(pictures) - sum(token < 0 for token in kept)
    shown = tuple(pictures[first:])
    current = {image.image_id for image in query.references}
    return Packed(
        (START_TOKEN, *(token + first if token < 0 else token for token in kept)),
        shown,
        tuple(CURRENT if image.image_id in current else EARLIER for image in shown),
        (query.request or query.text).strip(),
    )


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
    """One batch. `vectors_of` gives the vectors of its pictures, `texts_of` those of its requests, as (k, dim)."""
    n, p = len(contexts), max([1, *(len(each.pictures) for each in contexts)])
    t = max(each.length(picture_tokens) for each in contexts)
    ids, slots, mask = (np.zeros((n, t), np.int64) for _ in range(3))
    roles = np.zeros((n, p), np.int64)
    pictures, requests = np.zeros((n, p, dim), np.float32), np.zeros((n, dim), np.float32)
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
    worded = [row for row, each in enumerate(contexts) if each.request]
    if worded:
        requests[worded] = texts_of([contexts[row].request for row in worded])
    return Padded(ids, slots, mask, pictures, roles, requests)

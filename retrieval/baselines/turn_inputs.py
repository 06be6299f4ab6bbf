"""What the trained baselines read: a conversation as its turns, each with frozen features of its pictures and words.

A turn shows its references, and where it has none the picture that the turn before led to; the mean of the pictures'
vectors stands for them. Its words are the joint vector of the request and, for the models that read tokens, the hidden
states of the frozen text trunk (four layers of all-MiniLM-L6-v2), which the towers share.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.fashion_am.text_trunk import TextTrunk
from retrieval.fashion_am.texts import TextBank
from retrieval.schema import Image, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.encoders.towers import Towers
    from retrieval.fashion_am.vectors import PictureVectors
    from retrieval.protocols import Embeddings

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
MAX_KEPT = 8192
"""Texts whose features are kept at a time (about 90 MB of hidden states)."""


@dataclass(frozen=True, slots=True)
class TurnInput:
    """One turn of a conversation; equal inputs are computed once."""

    request: str
    pictures: tuple[Image, ...]


def turn_inputs(query: Query) -> tuple[TurnInput, ...]:
    """All earlier turns and the current one, oldest first."""
    turns, led_to = [], None
    for past in query.history:
        turns.append(_turn(past.text, past.references, led_to))
        led_to = past.target
    return (*turns, _turn(query.request or query.text, query.references, led_to))


def _turn(request: str, references: tuple[Image, ...], led_to: Image | None) -> TurnInput:
    return TurnInput(" ".join(request.split()), references or ((led_to,) if led_to else ()))


class Features(Protocol):
    """Frozen features by picture and by text."""

    def pictures(self, images: Sequence[Image]) -> Embeddings:
        """(len(images), dim), unit rows."""
        ...

    def texts(self, texts: Sequence[str]) -> Embeddings:
        """(len(texts), dim), unit rows; none of the texts is empty."""
        ...

    def states(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Hidden states (n, t, 384) and their mask (n, t); an empty text has the marks of its ends alone."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFeatures:
    """Features that were computed before the training; pictures are known by image_id."""

    picture_vectors: PictureVectors
    text_vectors: Mapping[str, NDArray[np.float32]]
    bank: TextBank | None
    """None where no model reads tokens."""

    def pictures(self, images: Sequence[Image]) -> Embeddings:
        return self.picture_vectors.of([image.image_id for image in images])

    def texts(self, texts: Sequence[str]) -> Embeddings:
        return np.stack([self.text_vectors[text] for text in texts])

    def states(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        if self.bank is None:
            raise ValueError("no hidden states were stored")
        return self.bank.batch(texts)


class TowerFeatures:
    """Features computed when they are asked for, and kept for the next turns of the same conversations.

    The text trunk is loaded on the first use of `states`.
    """

    def __init__(self, towers: Towers) -> None:
        self._towers = towers
        self._trunk: TextTrunk | None = None
        self._texts: dict[str, NDArray[np.float32]] = {}
        self._states: dict[str, Tensor] = {}

    def pictures(self, images: Sequence[Image]) -> Embeddings:
        vectors = self._towers.encode_references(images)
        return np.stack([vectors[image] for image in images])

    def texts(self, texts: Sequence[str]) -> Embeddings:
        vectors = _looked_up(self._texts, texts, lambda new: self._towers.encode_texts(new)[0])
        return np.stack(vectors)

    def states(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        self._trunk = trunk = self._trunk or TextTrunk()
        found = _looked_up(self._states, texts, trunk.states)
        lengths = torch.tensor([len(states) for states in found])
        mask = torch.arange(int(lengths.max()))[None] < lengths[:, None]
        return nn.utils.rnn.pad_sequence(found, batch_first=True).float(), mask


def _looked_up(kept: dict[K, V], keys: Sequence[K], encode: Callable[[Sequence[K]], Iterable[V]]) -> list[V]:
    """In the order of `keys`; those that are not kept are encoded together."""
    if len(kept) > MAX_KEPT:
        kept.clear()
    if new := [key for key in dict.fromkeys(keys) if key not in kept]:
        kept.update(zip(new, encode(new), strict=True))
    return [kept[key] for key in keys]


@dataclass(frozen=True, slots=True)
class TurnFeatures:
    """Features of some turns, in their order."""

    pictures: Tensor
    """(n, dim) mean of a turn's pictures; 0 for none."""
    shown: Tensor
    """(n,) bool: whether the turn has a picture."""
    texts: Tensor
    """(n, dim) joint vectors of the requests; 0 for none."""
    states: Tensor
    """(n, t, 384) hidden states; without any token for a model that reads none."""
    mask: Tensor
    """(n, t) bool: True for tokens."""


@dataclass(frozen=True, slots=True)
class Conversations:
    """Some conversations as a forest: what several of them begin with is one path, so that it is computed once."""

    turns: tuple[TurnInput, ...]
    """Distinct."""
    levels: tuple[tuple[Tensor, Tensor], ...]
    """For all nodes at one depth, the row of the parent in the level above (0 at the first) and that of the turn."""
    ends: Tensor
    """Node in which each conversation ends, counted over all levels."""

    @classmethod
    def of(cls, conversations: Sequence[Sequence[TurnInput]]) -> Conversations:
        """None of them is empty."""
        turn_row: dict[TurnInput, int] = {}
        levels: list[dict[tuple[int, int], int]] = []
        ends = []
        for conversation in conversations:
            row = 0
            for depth, turn in enumerate(conversation):
                if depth == len(levels):
                    levels.append({})
                key = (row, turn_row.setdefault(turn, len(turn_row)))
                row = levels[depth].setdefault(key, len(levels[depth]))
            ends.append((len(conversation) - 1, row))
        starts = np.cumsum([0, *(len(level) for level in levels)])
        return cls(
            turns=tuple(turn_row),
            levels=tuple(
                (torch.tensor([p for p, _ in level]), torch.tensor([t for _, t in level])) for level in levels
            ),
            ends=torch.tensor([int(starts[depth]) + row for depth, row in ends]),
        )


def turn_features(turns: Sequence[TurnInput], features: Features, dim: int, reads_tokens: bool) -> TurnFeatures:
    """Each distinct picture and text is looked up once."""
    images = list(dict.fromkeys(image for turn in turns for image in turn.pictures))
    pictures = dict(zip(images, features.pictures(images), strict=True)) if images else {}
    texts = list(dict.fromkeys(turn.request for turn in turns if turn.request))
    joint = dict(zip(texts, features.texts(texts), strict=True)) if texts else {}
    nothing = np.zeros(dim, np.float32)
    means = [np.mean([pictures[i] for i in turn.pictures], axis=0) if turn.pictures else nothing for turn in turns]
    states, mask = torch.zeros(len(turns), 0, 1), torch.zeros(len(turns), 0, dtype=torch.bool)
    if reads_tokens:
        states, mask = features.states([turn.request for turn in turns])
    return TurnFeatures(
        pictures=torch.from_numpy(np.stack(means)),
        shown=torch.tensor([bool(turn.pictures) for turn in turns]),
        texts=torch.from_numpy(np.stack([joint.get(turn.request, nothing) for turn in turns])),
        states=states,
        mask=mask,
    )

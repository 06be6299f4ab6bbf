"""The frame of the trained baselines: a state carried over the turns of a conversation, and a vector from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from retrieval.baselines.turn_inputs import Conversations, Features, TurnFeatures, turn_features, turn_inputs
from retrieval.schema import Query


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The shape of a model."""

    dim: int = 256
    """Of the gallery's space."""
    width: int = 512
    dropout: float = 0.1


class ConversationModel(nn.Module, ABC):
    """Reads turns one after the other. Turns go through `read` once, however many conversations share them."""

    reads_tokens: ClassVar[bool]

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self.settings = settings

    @abstractmethod
    def read(self, turns: TurnFeatures) -> tuple[Tensor, ...]:
        """What a turn says by itself: tensors with one row a turn."""

    @abstractmethod
    def step(self, state: Tensor | None, turn: tuple[Tensor, ...]) -> Tensor:
        """The states after these turns, one row each; `state` holds those before, None at the first turn."""

    @abstractmethod
    def answer(self, state: Tensor) -> Tensor:
        """States -> vectors (n, dim) of any length."""

    def forward(self, conversations: Conversations, turns: TurnFeatures) -> Tensor:
        """Unit vectors (number of conversations, dim). turns: features of `conversations.turns`."""
        read = self.read(turns)
        state, answers = None, []
        for parent, turn in conversations.levels:
            state = self.step(None if state is None else state[parent], tuple(part[turn] for part in read))
            answers.append(self.answer(state))
        return F.normalize(torch.cat(answers)[conversations.ends], dim=1)

    def encode(self, queries: Sequence[Query], features: Features) -> Tensor:
        conversations = Conversations.of([turn_inputs(query) for query in queries])
        turns = turn_features(conversations.turns, features, self.settings.dim, self.reads_tokens)
        vectors: Tensor = self(conversations, turns)
        return vectors

"""CFIR (Yuan and Lam 2021): words by self-attention, a TIRG composer in each turn, a GRU over the turns.

The composer is that of Vo et al. 2019 (eqs. 2-4): a gate on the picture plus a residual, both from picture and words.
Layer normalisation stands for its batch normalisation, so that a vector does not depend on its batch. The words start
from hidden states of the frozen text trunk.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from retrieval.baselines.conversation_model import ConversationModel, ModelSettings
from retrieval.baselines.turn_inputs import TurnFeatures
from retrieval.fashion_am.towers import TEXT_WIDTH, mean_over_tokens

HEADS = 8


class Composer(nn.Module):
    """Text-image residual gating: two (n, width) -> (n, width)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate = self._mixed(width)
        self.residual = self._mixed(width)
        self.weights = nn.Parameter(torch.tensor([1.0, 1.0]))

    @staticmethod
    def _mixed(width: int) -> nn.Sequential:
        first, second = nn.Linear(2 * width, 2 * width), nn.Linear(2 * width, width)
        return nn.Sequential(nn.LayerNorm(2 * width), nn.ReLU(), first, nn.ReLU(), second)

    def forward(self, picture: Tensor, words: Tensor) -> Tensor:
        both = torch.cat([picture, words], 1)
        kept = torch.sigmoid(self.gate(both)) * picture
        composed: Tensor = self.weights[0] * kept + self.weights[1] * self.residual(both)
        return composed


class Cfir(ConversationModel):
    """The state is the GRU's, (n, width)."""

    reads_tokens: ClassVar[bool] = True

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__(settings)
        width = settings.width
        self.picture = nn.Linear(settings.dim, width)
        self.words = nn.Linear(TEXT_WIDTH, width)
        self.attention = nn.TransformerEncoderLayer(width, HEADS, 2 * width, settings.dropout, batch_first=True)
        self.composer = Composer(width)
        self.dropout = nn.Dropout(settings.dropout)
        self.tracker = nn.GRUCell(width, width)
        self.head = nn.Linear(width, settings.dim)

    def read(self, turns: TurnFeatures) -> tuple[Tensor, ...]:
        attended = self.attention(self.words(turns.states), src_key_padding_mask=~turns.mask)
        picture = self.picture(turns.pictures * self.settings.dim**0.5)
        return (self.dropout(self.composer(picture, mean_over_tokens(attended, turns.mask))),)

    def step(self, state: Tensor | None, turn: tuple[Tensor, ...]) -> Tensor:
        after: Tensor = self.tracker(turn[0], state)
        return after

    def answer(self, state: Tensor) -> Tensor:
        vectors: Tensor = self.head(self.dropout(state))
        return vectors

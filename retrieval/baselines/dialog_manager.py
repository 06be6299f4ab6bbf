"""Dialog Manager (Guo et al. 2018): picture and words of a turn are added, a GRU goes over the turns.

As in the comparison of the FashionAM paper, the frozen towers' vectors stand for the original picture network and the
bigram network of the words.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from retrieval.baselines.conversation_model import ConversationModel, ModelSettings
from retrieval.baselines.turn_inputs import TurnFeatures


class DialogManager(ConversationModel):
    """The state is the GRU's, (n, width)."""

    reads_tokens: ClassVar[bool] = False

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__(settings)
        self.picture = nn.Linear(settings.dim, settings.width)
        self.text = nn.Linear(settings.dim, settings.width)
        self.dropout = nn.Dropout(settings.dropout)
        self.tracker = nn.GRUCell(settings.width, settings.width)
        self.head = nn.Linear(settings.width, settings.dim)

    def read(self, turns: TurnFeatures) -> tuple[Tensor, ...]:
        scale = self.settings.dim**0.5  # unit vectors have small numbers
        return (self.dropout(self.picture(turns.pictures * scale) + self.text(turns.texts * scale)),)

    def step(self, state: Tensor | None, turn: tuple[Tensor, ...]) -> Tensor:
        after: Tensor = self.tracker(turn[0], state)
        return after

    def answer(self, state: Tensor) -> Tensor:
        vectors: Tensor = self.head(self.dropout(state))
        return vectors

"""MAI (Chen et al. 2025): query tokens gather each turn's picture and words, and go on pruned to the next turn.

As in BLIP-2's Q-Former, learnable tokens attend to each other and then to the turn. Between turns only the tokens that
the others attend to most are kept; at the next turn they stand beside the learnable ones, so that a conversation of any
length carries the same number. Supervision is by turn: every recorded turn is a training query.
Our towers give one vector of a picture where EVA-CLIP gives a grid: it is projected to several tokens, which hold no
places. Words are hidden states of the frozen text trunk.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from retrieval.baselines.conversation_model import ConversationModel, ModelSettings
from retrieval.baselines.turn_inputs import TurnFeatures
from retrieval.fashion_am.towers import TEXT_WIDTH

HEADS = 8
N_QUERIES, N_KEPT, N_PICTURE_TOKENS, N_BLOCKS = 8, 4, 4, 2


class Block(nn.Module):
    """Attention among tokens (n, q, width), then to the turn (n, t, width), then a two-layer map; norms come first."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.among = nn.MultiheadAttention(width, HEADS, dropout, batch_first=True)
        self.across = nn.MultiheadAttention(width, HEADS, dropout, batch_first=True)
        self.map = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, turn: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The new tokens, and how much each one was attended to by all, (n, q) with rows that sum to 1."""
        normed = self.norms[0](tokens)
        change, weights = self.among(normed, normed, normed)
        tokens = tokens + self.dropout(change)
        change, _ = self.across(self.norms[1](tokens), turn, turn, key_padding_mask=~mask, need_weights=False)
        tokens = tokens + self.dropout(change)
        return tokens + self.dropout(self.map(self.norms[2](tokens))), weights.mean(1)


class Mai(ConversationModel):
    """The state is the kept tokens, (n, N_KEPT, width)."""

    reads_tokens: ClassVar[bool] = True

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__(settings)
        width = settings.width
        self.queries = nn.Parameter(torch.randn(N_QUERIES, width) * 0.02)
        self.picture = nn.Linear(settings.dim, N_PICTURE_TOKENS * width)
        self.words = nn.Linear(TEXT_WIDTH, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(width, settings.dropout) for _ in range(N_BLOCKS))
        self.last_norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, settings.dim)

    def read(self, turns: TurnFeatures) -> tuple[Tensor, ...]:
        """Tokens (n, N_PICTURE_TOKENS + t, width) and their mask; a turn without picture has no picture tokens."""
        pictures = self.picture(turns.pictures * self.settings.dim**0.5).unflatten(1, (N_PICTURE_TOKENS, -1))
        tokens = self.norm(torch.cat([pictures, self.words(turns.states)], 1))
        return tokens, torch.cat([turns.shown[:, None].expand(-1, N_PICTURE_TOKENS), turns.mask], 1)

    def step(self, state: Tensor | None, turn: tuple[Tensor, ...]) -> Tensor:
        read, mask = turn
        tokens = self.queries.expand(len(read), -1, -1)
        if state is not None:
            tokens = torch.cat([state, tokens], 1)
        attended = tokens.new_zeros(tokens.shape[:2])
        for block in self.blocks:
            tokens, attended = block(tokens, read, mask)
        return pruned(tokens, attended, N_KEPT)

    def answer(self, state: Tensor) -> Tensor:
        vectors: Tensor = self.head(self.last_norm(state).mean(1))
        return vectors


def pruned(tokens: Tensor, attended: Tensor, n_kept: int) -> Tensor:
    """The n_kept tokens of each row that were attended to most, in their order: (n, q, width) -> (n, n_kept, width)."""
    kept = attended.topk(n_kept, dim=1).indices.sort(dim=1).values
    return tokens.gather(1, kept[:, :, None].expand(-1, -1, tokens.shape[2]))

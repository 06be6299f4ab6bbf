"""The query encoder of stage 3: a backbone reads a conversation, learnable suffix embeddings gather what is wanted."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from retrieval.encoders.towers import SENTENCE_DIM
from retrieval.fashion_am.packing import ABSENT, CURRENT, EARLIER, N_ROLES

SUFFIX_STD = 0.02
START_LOGITS = {CURRENT: 4.0, EARLIER: -2.0}
"""Before training: of pictures that the request starts from, and of those of the history; 0 is for no picture."""
HIDDEN = 1024


@dataclass(frozen=True, slots=True)
class Shown:
    """What the residual reads: (n, p, dim) gallery vectors of the context's pictures with their `packing` roles
    (n, p), the context's positions that belong to each (n, p, t), joint text vectors of what each was chosen with
    (n, p, dim) and of the request, with its sentence vector behind, (n, dim + 384), 0 for no words."""

    pictures: Tensor
    roles: Tensor
    places: Tensor
    said: Tensor
    requests: Tensor


class QueryEncoder(nn.Module):
    """Embedded contexts to unit vectors (n, dim): the paper's retrieval head over M suffix states.

    backbone: a transformers model without a language model's head, called with inputs_embeds, attention_mask and
    position_ids; LoRA, if any, is already in it. With a `residual` (ours) the answer is the sum of two unit vectors:
    the head's and the residual's. Each learns by itself, for what the residual has learnt by heart is no longer in the
    loss of a sum.
    """

    def __init__(self, backbone: nn.Module, width: int, dim: int, suffix: int, residual: bool = False) -> None:
        super().__init__()
        self.backbone = backbone
        self.suffix = nn.Parameter(torch.randn(suffix, width) * SUFFIX_STD)
        self.head = Head(width, dim)
        self.residual = Residual(width, dim) if residual else None

    def forward(
        self,
        embeddings: Tensor,
        mask: Tensor,
        positions: Tensor,
        shown: Shown | None = None,
        meant: Tensor | None = None,
    ) -> Tensor:
        """embeddings (n, t, width), mask (n, t) of 1 at tokens; positions (n, t), or (axes, n, t) where the backbone
        has several. Padding may stand on either side: the suffix follows the largest position.

        In training the head's vectors alone. meant (n, p), for training with a residual: 1 at the pictures that a query
        starts from. Then the result has one more column, the attention's share of these; 1 where there are none.
        """
        last, context = self.states(embeddings, mask, positions)
        pooled = self.head.norm(last.mean(1))
        vectors = F.normalize(self.head.linear(pooled).float(), dim=1)
        if self.residual is None or shown is None:
            return vectors
        if self.training and meant is None:
            return vectors
        weights = self.residual.attention(pooled, context, shown)
        if not self.training:
            beside = F.normalize(self.residual.fused(weights, shown).float(), dim=1)
            vectors = F.normalize(vectors + beside, dim=1)
        if meant is None:
            return vectors
        share = torch.where(meant.sum(1) > 0, (weights * meant).sum(1), torch.ones_like(weights[:, 0]))
        return torch.cat([vectors, share[:, None]], 1)

    def states(self, embeddings: Tensor, mask: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Last hidden states of the suffix (n, M, width) and of the context (n, t, width)."""
        m = len(self.suffix)
        suffix = self.suffix.to(embeddings.dtype).expand(
            embeddings.shape[0], -1, -1
        )  # len() would be fixed by an export
        seen = positions.masked_fill(mask == 0, 0)
        following = (seen.amax((0, 2)) if positions.dim() == 3 else seen.amax(1))[:, None] + 1
        following = following + torch.arange(m, device=mask.device)
        states = self.backbone(
            inputs_embeds=torch.cat([embeddings, suffix], 1),
            attention_mask=torch.cat([mask, torch.ones_like(following)], 1),
            position_ids=torch.cat([positions, following.expand(*positions.shape[:-1], m)], -1),
        ).last_hidden_state
        return states[:, -m:], states[:, :-m]


class Head(nn.Module):
    """LayerNorm and a linear map; (n, width) -> (n, dim)."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(self.norm(x))


class Residual(nn.Module):
    """Late fusion with learned amounts (ours): attention over the context's pictures, plus the request's own vector,
    plus what a small network makes of both, of the request's sentence vector and of the words with which the pictures
    were chosen. Untrained it is about late fusion of the current references and words. The network is trained alone;
    then the backbone learns where the attention goes."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.favour = nn.Parameter(torch.tensor([START_LOGITS.get(role, 0.0) for role in range(N_ROLES)]))
        self.gain = nn.Parameter(torch.ones(()))
        self.up, self.across = nn.Linear(3 * dim + SENTENCE_DIM, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.amounts, self.down = nn.Linear(HIDDEN, 2), nn.Linear(HIDDEN, dim)
        for linear in (self.amounts, self.down):
            _start_at_zero(linear)

    def alone(self, pictures: Tensor, roles: Tensor, said: Tensor, requests: Tensor) -> Tensor:
        """What it makes where the backbone has no say: unit vectors (n, dim)."""
        shown = Shown(pictures, roles, roles, said, requests)
        return F.normalize(self.fused(_shares(self.favour[roles], roles), shown), dim=1)

    def of_its_own(self) -> list[nn.Parameter]:
        """Those that count without a backbone."""
        parts = (self.up, self.across, self.amounts, self.down)
        return [self.favour, *(parameter for part in parts for parameter in part.parameters())]

    def fused(self, weights: Tensor, shown: Shown) -> Tensor:
        picture, said = ((weights[:, None] @ each).squeeze(1) for each in (shown.pictures, shown.said))
        request, sentence = shown.requests.tensor_split([picture.shape[1]], 1)
        parts = [part * part.shape[1] ** 0.5 for part in (picture, said, request, sentence)]  # unit: small numbers
        hidden = F.gelu(self.up(torch.cat(parts, 1)))
        hidden = hidden + F.gelu(self.across(hidden))
        amounts = 1 + self.amounts(hidden)
        late: Tensor = amounts[:, :1] * picture + amounts[:, 1:] * request + self.down(hidden)
        return late

    def attention(self, pooled: Tensor, context: Tensor, shown: Shown) -> Tensor:
        """Weights (n, p) of the pictures, together at most 1; the rest is for no picture."""
        places = shown.places.to(context.dtype)
        states = places @ context / places.sum(2, keepdim=True).clamp(min=1)
        agreement = (self.key(states) @ self.query(pooled)[:, :, None]).squeeze(2) / pooled.shape[1] ** 0.5
        return _shares((self.gain * agreement + self.favour[shown.roles]).float(), shown.roles)


def _shares(logits: Tensor, roles: Tensor) -> Tensor:
    """Softmax over the pictures that are there and "none", whose logit is 0 and whose share is left out."""
    logits = logits.masked_fill(roles == ABSENT, float("-inf"))
    return torch.cat([torch.zeros_like(logits[:, :1]), logits], 1).softmax(1)[:, 1:]


def _start_at_zero(linear: nn.Linear) -> None:
    for parameter in linear.parameters():
        nn.init.zeros_(parameter)

"""Attribute exclusivity loss (Figure 2): products of one attribute tuple lie together, others apart, on every level.

The paper gives no formula; ours is the supervised contrastive loss with the mean over positives outside of the
logarithm, on the vector that a level has reached so far.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def exclusivity_loss(levels: Tensor, tuples: Tensor, temperature: float) -> Tensor:
    """levels (n_levels, n, dim): the cumulative quantised vectors; tuples (n, n_levels): number of the attribute tuple.

    A scalar: the mean over levels, and within a level over products that share their tuple with another of the batch;
    0 where no two do.
    """
    return torch.stack(
        [_contrast(F.normalize(level, dim=1), tuples[:, at], temperature) for at, level in enumerate(levels)]
    ).mean()


def _contrast(unit: Tensor, keys: Tensor, temperature: float) -> Tensor:
    own = torch.eye(len(unit), dtype=torch.bool, device=unit.device)
    logits = (unit @ unit.T / temperature).masked_fill(own, float("-inf"))
    # The diagonal's -inf never meets a weight of 0, which would be NaN.
    log_share = torch.log_softmax(logits, dim=1).masked_fill(own, 0.0)
    same = ((keys[:, None] == keys[None]) & ~own).to(unit.dtype)
    n_same = same.sum(1)
    anchors = n_same > 0
    if not bool(anchors.any()):
        return unit.sum() * 0.0
    return -((same * log_share).sum(1)[anchors] / n_same[anchors]).mean()

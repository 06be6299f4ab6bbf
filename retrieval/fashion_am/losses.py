"""Contrastive losses. Similarities are cosines; `scale` is 1 / temperature."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F


def multi_positive_loss(logits: Tensor, positives: Tensor) -> Tensor:
    """Symmetric cross-entropy with several positives a row, as in SupCon (Khosla et al. 2020, eq. 2, outside the log).

    logits: (n, m) scaled similarities. positives: (n, m) bool, at least one a row and a column. With one positive on
    the diagonal this is CLIP's loss.
    """
    weights = positives.to(logits.dtype)
    rows = _cross_entropy(logits, weights)
    columns = _cross_entropy(logits.T, weights.T)
    return (rows + columns) / 2


def _cross_entropy(logits: Tensor, weights: Tensor) -> Tensor:
    """Mean over rows of the cross-entropy against each row's weights, normalised to sum to 1."""
    log_probabilities = F.log_softmax(logits, dim=1).masked_fill(weights == 0, 0.0)
    return -(log_probabilities * weights / weights.sum(1, keepdim=True)).sum(1).mean()


def query_loss(
    queries: Tensor, candidates: Tensor, target: Tensor, masked: Tensor, temperature: float = 0.07
) -> Tensor:
    """InfoNCE from queries to gallery vectors (the paper's stage 3), one positive a query.

    queries (n, d) and candidates (m, d): unit rows; only queries need gradients. target (n,) int64: column of each
    query's positive. masked (n, m) bool: columns that count neither way, since they are right for the query as well;
    never the target itself.
    """
    logits = (queries @ candidates.T / temperature).masked_fill(masked, float("-inf"))
    return F.cross_entropy(logits, target)

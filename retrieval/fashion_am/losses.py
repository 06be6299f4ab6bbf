"""Contrastive losses. Similarities are cosines; `scale` is 1 / temperature."""

from __future__ import annotations

import torch
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


def align_loss(raw: Tensor, clean: Tensor, scale: Tensor, mu: float) -> Tensor:
    """Stage 1: symmetric contrastive loss of raw pictures with their clean ones, plus mu times the mean of 1 - cosine.

    raw, clean: unit rows (n, d), row by row of the same item; only raw needs gradients.
    """
    target = torch.arange(len(raw), device=raw.device)
    logits = scale * raw @ clean.T
    contrastive = (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
    return contrastive + mu * (1 - (raw * clean).sum(1)).mean()


def caption_loss(
    pictures: Tensor, texts: Tensor, positives: Tensor, others: Tensor, masked: Tensor, scale: Tensor
) -> Tensor:
    """Stage 2: symmetric InfoNCE of pictures with texts; more texts are negatives of the pictures alone.

    pictures, texts (n, d): unit rows. positives (n, n) bool: picture i and text j belong together. others (m, d):
    further texts, of which masked (n, m) bool fit the picture as well and do not count.
    """
    weights = positives.to(pictures.dtype)
    logits = scale * pictures @ texts.T
    beside = (scale * pictures @ others.T).masked_fill(masked, float("-inf"))
    rows = _cross_entropy(torch.cat([logits, beside], 1), F.pad(weights, (0, others.shape[0])))
    return (rows + _cross_entropy(logits.T, weights.T)) / 2

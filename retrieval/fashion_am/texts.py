"""Texts as cached hidden states of the frozen text trunk."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from retrieval.fashion_am.towers import TextTower

log = logging.getLogger(__name__)

MAX_TOKENS = 48
"""Longer texts are cut; the longest product name of the catalogue has 38 tokens."""


def open_tokenizer(file: Path) -> Tokenizer:
    """The tokenizer of all-MiniLM-L6-v2 with our length; also what the running encoder loads."""
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()
    return tokenizer


def tokenized(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Token ids (n, t) int64 and mask (n, t) bool."""
    encodings = tokenizer.encode_batch(list(texts))
    ids = torch.tensor([e.ids for e in encodings], dtype=torch.long)
    return ids, torch.tensor([e.attention_mask for e in encodings], dtype=torch.bool)


class TextBank:
    """Hidden states of many texts, ragged, in half precision: about 10 kB a text."""

    def __init__(self, tower: TextTower, tokenizer: Tokenizer, texts: Iterable[str], batch: int = 256) -> None:
        unique = sorted(set(texts), key=lambda text: (len(text), text))
        self.row = {text: i for i, text in enumerate(unique)}
        self.starts = [0]
        chunks: list[Tensor] = []
        for at in range(0, len(unique), batch):
            ids, mask = tokenized(tokenizer, unique[at : at + batch])
            with torch.no_grad():
                states = tower.trunk(ids, mask).half()
            chunks.append(states[mask])
            for length in mask.sum(1).tolist():
                self.starts.append(self.starts[-1] + length)
        self.states = torch.cat(chunks)
        log.info("text bank: %d texts, %d tokens", len(unique), len(self.states))

    def batch(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """States (n, t, 384) float32 and mask (n, t) bool of texts that are in the bank."""
        spans = [(self.starts[self.row[t]], self.starts[self.row[t] + 1]) for t in texts]
        width = max(stop - start for start, stop in spans)
        states = torch.zeros(len(texts), width, self.states.shape[1])
        mask = torch.from_numpy(np.arange(width)[None] < np.array([b - a for a, b in spans])[:, None])
        for i, (start, stop) in enumerate(spans):
            states[i, : stop - start] = self.states[start:stop].float()
        return states, mask

"""Texts as cached hidden states of the frozen text trunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from tqdm import tqdm

from retrieval.fashion_am.towers import TEXT_WIDTH, TextTower

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

    def __init__(self, texts: Sequence[str], starts: Sequence[int], states: Tensor) -> None:
        """texts: distinct. Those of text i are states[starts[i]:starts[i + 1]], each of shape (384,)."""
        self.row = {text: i for i, text in enumerate(texts)}
        self.starts = starts
        self.states = states

    @classmethod
    def encode(cls, tower: TextTower, tokenizer: Tokenizer, texts: Iterable[str], batch: int = 256) -> TextBank:
        unique = sorted(set(texts), key=lambda text: (len(text), text))
        starts = [0]
        chunks: list[Tensor] = []
        for at in tqdm(range(0, len(unique), batch), desc="Texts", mininterval=10):
            ids, mask = tokenized(tokenizer, unique[at : at + batch])
            with torch.no_grad():
                chunks.append(tower.trunk(ids, mask).half()[mask])
            for length in mask.sum(1).tolist():
                starts.append(starts[-1] + length)
        return cls(unique, starts, torch.cat(chunks))

    @classmethod
    def cached(cls, tower: TextTower, tokenizer: Tokenizer, texts: Iterable[str], file: Path) -> TextBank:
        """All these texts; those that `file` holds are not encoded again, and it holds all of them afterwards."""
        bank = cls([], [0], torch.zeros(0, TEXT_WIDTH, dtype=torch.half))
        if file.exists():
            kept = torch.load(file, weights_only=True)
            bank = cls(kept["texts"], kept["starts"], kept["states"])
        if missing := set(texts) - bank.row.keys():
            bank = bank.joined(cls.encode(tower, tokenizer, missing))
            kept = {"texts": list(bank.row), "starts": list(bank.starts), "states": bank.states}
            torch.save(kept, file.with_suffix(".tmp"))
            file.with_suffix(".tmp").replace(file)
        return bank

    def joined(self, other: TextBank) -> TextBank:
        """Both together; they have no text in common."""
        starts = [*self.starts, *(self.starts[-1] + start for start in other.starts[1:])]
        return TextBank([*self.row, *other.row], starts, torch.cat([self.states, other.states]))

    def of(self, text: str) -> Tensor:
        """States (t, 384) of a text that is in the bank, in half precision."""
        row = self.row[text]
        return self.states[self.starts[row] : self.starts[row + 1]]

    def length(self, text: str) -> int:
        """Number of tokens of a text that is in the bank."""
        row = self.row[text]
        return self.starts[row + 1] - self.starts[row]

    def batch(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """States (n, t, 384) float32 and mask (n, t) bool of texts that are in the bank."""
        spans = [(self.starts[self.row[t]], self.starts[self.row[t] + 1]) for t in texts]
        width = max(stop - start for start, stop in spans)
        states = torch.zeros(len(texts), width, self.states.shape[1])
        mask = torch.from_numpy(np.arange(width)[None] < np.array([b - a for a, b in spans])[:, None])
        for i, (start, stop) in enumerate(spans):
            states[i, : stop - start] = self.states[start:stop].float()
        return states, mask

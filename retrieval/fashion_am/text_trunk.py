"""The frozen lower layers of the text tower: hidden states of the words of a text that is read by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from torch import Tensor

from retrieval.fashion_am.base_weights import base_weights
from retrieval.fashion_am.texts import TextBank, open_tokenizer
from retrieval.fashion_am.towers import TextTower, load_minilm

STATES = "text_states.pt"
"""Keeps them, in the folder of a run's vectors."""


class TextTrunk:
    """Four layers of all-MiniLM-L6-v2 from its pinned package. Raises DependencyError."""

    def __init__(self) -> None:
        _, minilm = base_weights()
        self.tower = TextTower(1).eval()
        load_minilm(self.tower, minilm / "model.safetensors")
        self._tokenizer = open_tokenizer(minilm / "tokenizer.json")

    def bank(self, texts: Iterable[str], file: Path) -> TextBank:
        """Hidden states of all these texts; `file` keeps them."""
        return TextBank.cached(self.tower, self._tokenizer, texts, file)

    def states(self, texts: Sequence[str]) -> list[Tensor]:
        """Hidden states of each of these distinct texts, (t, 384) in half precision."""
        bank = TextBank.encode(self.tower, self._tokenizer, texts)
        return [bank.of(text) for text in texts]

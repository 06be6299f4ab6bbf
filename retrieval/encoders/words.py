"""Texts word by word: hidden states of the text tower's lower layers in ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.encoders.recent import Recent
from retrieval.encoders.towers import BATCH, TOKENIZER, find_file, open_session, open_tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = "words.onnx"
MAX_WORDS = 128
"""Tokens of a text; longer ones are cut."""


class Words:
    """Safe to use from several threads. `open` is how it is made."""

    def __init__(self, session: Any, tokenizer: Any) -> None:
        tokenizer.enable_truncation(MAX_WORDS + 2)
        self._session, self._tokenizer = session, tokenizer
        self._kept: Recent[str] = Recent(self._read)

    @classmethod
    def open(cls, folder: Path, card: dict[str, Any]) -> Words:
        """Raises EncoderError when files are missing or damaged."""
        return cls(open_session(find_file(folder, card, WORDS)), open_tokenizer(find_file(folder, card, TOKENIZER)))

    def n_words(self, text: str) -> int:
        return len(self._tokenizer.encode(text).ids) - 2

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Of each text (t, 384), without its ends; one that was read lately is not read again."""
        states = self._kept.of(texts)
        return [states[text] for text in texts]

    def _read(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Batches hold texts of one length: a text's states do not depend on the others."""
        ids = [self._tokenizer.encode(text).ids for text in texts]
        states: dict[int, NDArray[np.float32]] = {}
        for rows in _alike(ids):
            batch = np.array([ids[row] for row in rows], np.int64)
            found = self._session.run(None, {"ids": batch, "mask": np.ones_like(batch)})[0]
            states |= {row: own[1:-1] for row, own in zip(rows, found, strict=True)}
        return [states[row] for row in range(len(texts))]


def _alike(ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Rows of equal length, at most BATCH together."""
    by_length: dict[int, list[int]] = {}
    for row, each in enumerate(ids):
        by_length.setdefault(len(each), []).append(row)
    for rows in by_length.values():
        yield from (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))

"""A cross-encoder reads query and listing together: the relevance oracle that attribute weights are derived from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from retrieval.errors import EncoderError
from retrieval.text_rankers.loading import Checkpoint, open_checkpoint
from retrieval.text_rankers.pairs import read_in_batches

if TYPE_CHECKING:
    from retrieval.text_rankers.recipes import CrossEncoder


class CrossEncoderOracle:
    """Implements `pairs.TextRanker`; `open` is how it is made."""

    def __init__(self, checkpoint: Checkpoint, recipe: CrossEncoder) -> None:
        self._checkpoint = checkpoint
        self._recipe = recipe
        self._max_length = min(recipe.max_length, checkpoint.longest)

    @classmethod
    def open(cls, recipe: CrossEncoder, name: str, device: str | None = None) -> CrossEncoderOracle:
        """Raises EncoderError for a model that gives not one logit but several, and as `open_checkpoint` does."""
        checkpoint = open_checkpoint("AutoModelForSequenceClassification", name, device)
        if checkpoint.model.config.num_labels != 1:
            raise EncoderError(
                f"{name} tells {checkpoint.model.config.num_labels} classes apart: name a cross-encoder with one logit."
            )
        return cls(checkpoint, recipe)

    @property
    def revision(self) -> str:
        return f"{self._checkpoint.revision}/{self._recipe}"

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Raw logits, before any sigmoid. Equal pairs are read once."""
        distinct = list(dict.fromkeys(pairs))
        if not distinct:
            return []
        read = self._checkpoint.tokenizer(
            [query for query, _ in distinct],
            [listing for _, listing in distinct],
            truncation="longest_first",
            max_length=self._max_length,
            return_token_type_ids="token_type_ids" in self._checkpoint.tokenizer.model_input_names,
        )
        ids, kinds = read["input_ids"], read.get("token_type_ids")

        def scores(batch: list[int]) -> list[float]:
            return self._read([ids[at] for at in batch], [kinds[at] for at in batch] if kinds else None)

        lengths = [len(row) for row in ids]
        found = read_in_batches(lengths, scores, self._checkpoint.device.type, "Pairs")
        by_pair = dict(zip(distinct, found, strict=True))
        return [by_pair[pair] for pair in pairs]

    def _read(self, ids: Sequence[Sequence[int]], kinds: Sequence[Sequence[int]] | None) -> list[float]:
        """`kinds` tell query and listing apart, in models that have them."""
        with torch.inference_mode():
            batch = self._checkpoint.padded(ids)
            if kinds is not None:
                batch["token_type_ids"] = self._checkpoint.filled(kinds, 0)
            logits: list[float] = self._checkpoint.model(**batch).logits[:, 0].float().tolist()
            return logits

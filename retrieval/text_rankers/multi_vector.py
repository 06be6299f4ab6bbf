"""ColBERTv2: a text as unit vectors of its tokens, compared by MaxSim (Table 11)."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from retrieval.errors import DependencyError, EncoderError
from retrieval.fashion_am.torchvision_import import ensure_torchvision
from retrieval.text_rankers.loading import Checkpoint, open_checkpoint
from retrieval.text_rankers.pairs import read_rows, tokenized

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.text_rankers.recipes import MultiVector

    Vectors = NDArray[np.float16]

DIM = 128


def model_class() -> Any:
    """BERT with a linear map behind it, under the names that ColBERT's checkpoints have. Raises DependencyError."""
    ensure_torchvision()
    try:
        from transformers import BertModel, BertPreTrainedModel
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error

    class ColBERT(BertPreTrainedModel):
        def __init__(self, config: Any) -> None:
            super().__init__(config)
            self.bert = BertModel(config)
            self.linear = nn.Linear(config.hidden_size, DIM, bias=False)
            self.post_init()

    return ColBERT


class MultiVectorReader:
    """Implements `pairs.Reader`; `open` is how it is made.

    Vectors are kept in half precision and multiplied in full.
    """

    def __init__(self, checkpoint: Checkpoint, recipe: MultiVector) -> None:
        self._checkpoint = checkpoint
        self._recipe = recipe
        tokenizer = checkpoint.tokenizer
        marks = tokenizer.convert_tokens_to_ids([recipe.query_mark, recipe.listing_mark])
        if tokenizer.unk_token_id in marks or tokenizer.mask_token_id is None:
            raise EncoderError(
                f"The tokenizer lacks {recipe.query_mark}, {recipe.listing_mark} or a mask: this is no checkpoint of "
                "ColBERT."
            )
        self._query_mark, self._listing_mark = marks
        self._skipped = sorted(
            ids[0] for sign in string.punctuation if (ids := tokenizer.encode(sign, add_special_tokens=False))
        )
        """Ids of punctuation: a listing's vectors there are not compared."""

    @classmethod
    def open(cls, recipe: MultiVector, name: str, device: str | None = None) -> MultiVectorReader:
        """Raises EncoderError, DependencyError."""
        return cls(open_checkpoint(model_class(), name, device, unread="bert.pooler."), recipe)

    @property
    def revision(self) -> str:
        return f"{self._checkpoint.revision}/{self._recipe}"

    def queries(self, texts: Sequence[str]) -> list[Vectors]:
        """Of all 32 places each: masks are not attended to, and are compared like words."""
        ids = self._marked(texts, self._recipe.query_length, self._query_mark)
        return read_rows(ids, self._read_queries, self._checkpoint.device.type, "Queries")

    def listings(self, texts: Sequence[str]) -> list[Vectors]:
        ids = self._marked(texts, self._recipe.listing_length, self._listing_mark)
        return read_rows(ids, self._read_listings, self._checkpoint.device.type, "Listings")

    def similarity(self, query: Vectors, listing: Vectors) -> float:
        """A listing always has the vectors of its marks."""
        return float((query.astype(np.float32) @ listing.astype(np.float32).T).max(1).sum())

    def _marked(self, texts: Sequence[str], length: int, mark: int) -> list[list[int]]:
        """[CLS], the mark of the kind of text, the words, [SEP]."""
        rows = tokenized(self._checkpoint.tokenizer, texts, length - 1)
        return [[row[0], mark, *row[1:]] for row in rows]

    def _read_queries(self, ids: list[Sequence[int]]) -> list[Vectors]:
        length, mask = self._recipe.query_length, self._checkpoint.tokenizer.mask_token_id
        filled = [[*row, *[mask] * (length - len(row))] for row in ids]
        return list(self._vectors(filled, [len(row) for row in ids]))

    def _read_listings(self, ids: list[Sequence[int]]) -> list[Vectors]:
        vectors = self._vectors(ids, [len(row) for row in ids])
        kept = [np.flatnonzero(~np.isin(row, self._skipped)) for row in ids]
        return [each[places] for each, places in zip(vectors, kept, strict=True)]

    def _vectors(self, ids: Sequence[Sequence[int]], attended: Sequence[int]) -> Vectors:
        """(n, t, 128), unit vectors of all places."""
        with torch.inference_mode():
            batch = self._checkpoint.padded(ids)
            places = torch.arange(batch["input_ids"].shape[1], device=self._checkpoint.device)[None]
            mask = (places < torch.tensor(attended, device=self._checkpoint.device)[:, None]).long()
            model = self._checkpoint.model
            states = model.linear(model.bert(input_ids=batch["input_ids"], attention_mask=mask).last_hidden_state)
            vectors: Vectors = nn.functional.normalize(states.float(), dim=2).half().cpu().numpy()
            return vectors

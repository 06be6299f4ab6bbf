"""Scores pairs of texts by what is made of each text alone: a query or a listing is read once, in batches by length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from torch import Tensor

R = TypeVar("R")
MAX_ROWS = 64
MAX_TOKENS, MAX_TOKENS_CUDA = 4096, 1 << 15
"""Of a batch with its padding, on the processor and on a GPU."""


class TextRanker(Protocol):
    """Scores (query text, listing text) pairs."""

    @property
    def revision(self) -> str:
        """Changes with all that changes a score."""
        ...

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """In the order of the pairs; higher is better."""
        ...


class Reader(Protocol[R]):
    """What a model makes of texts alone. A text's outcome does not depend on the others of its batch."""

    @property
    def revision(self) -> str: ...

    def queries(self, texts: Sequence[str]) -> list[R]: ...

    def listings(self, texts: Sequence[str]) -> list[R]: ...

    def similarity(self, query: R, listing: R) -> float: ...


@dataclass(frozen=True, slots=True)
class PairRanker(Generic[R]):
    """Implements `TextRanker` by a reader; listings that were read are kept for the next call."""

    reader: Reader[R]
    _listings: dict[str, R] = field(default_factory=dict)

    @property
    def revision(self) -> str:
        return self.reader.revision

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        asked = list(dict.fromkeys(query for query, _ in pairs))
        queries = dict(zip(asked, self.reader.queries(asked), strict=True))
        new = list(dict.fromkeys(listing for _, listing in pairs if listing not in self._listings))
        self._listings.update(zip(new, self.reader.listings(new), strict=True))
        return [self.reader.similarity(queries[query], self._listings[listing]) for query, listing in pairs]


def read_in_batches(
    lengths: Sequence[int], read: Callable[[list[int]], Sequence[R]], device: str, what: str
) -> list[R]:
    """Outcomes in the order of the texts, of so many tokens each; `read` gets the positions of a batch's texts."""
    from tqdm import tqdm

    found: dict[int, R] = {}
    max_tokens = MAX_TOKENS_CUDA if device == "cuda" else MAX_TOKENS
    with tqdm(total=len(lengths), desc=what, unit="text", mininterval=5, disable=len(lengths) <= MAX_ROWS) as bar:
        for batch in by_length(lengths, max_tokens):
            found.update(zip(batch, read(batch), strict=True))
            bar.update(len(batch))
    return [found[at] for at in range(len(lengths))]


def read_rows(
    rows: Sequence[Sequence[int]], read: Callable[[list[Sequence[int]]], Sequence[R]], device: str, what: str
) -> list[R]:
    """Outcomes in the order of `rows`, which are token ids."""
    lengths = [len(row) for row in rows]
    return read_in_batches(lengths, lambda batch: read([rows[at] for at in batch]), device, what)


def by_length(lengths: Sequence[int], max_tokens: int, max_rows: int = MAX_ROWS) -> Iterator[list[int]]:
    """Positions in batches of like length, the longest first: what does not fit into memory fails at once."""
    order = sorted(range(len(lengths)), key=lambda at: -lengths[at])
    while order:
        size = max(1, min(max_rows, max_tokens // max(1, lengths[order[0]])))
        yield order[:size]
        order = order[size:]


def tokenized(tokenizer: Any, texts: Sequence[str], max_length: int) -> list[list[int]]:
    """Token ids with the tokenizer's marks, cut, without padding."""
    if not texts:
        return []
    read: Mapping[str, list[list[int]]] = tokenizer(list(texts), truncation=True, max_length=max_length)
    return read["input_ids"]


def mean_over_tokens(states: Tensor, mask: Tensor) -> Tensor:
    """(n, t, d) and (n, t) -> (n, d)."""
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)

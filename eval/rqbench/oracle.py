"""Relevance oracles: what says how relevant a listing is to a query where attribute weights are derived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from retrieval.errors import BenchmarkError
from retrieval.text_rankers.recipes import RECIPES, CrossEncoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings
    from retrieval.text_rankers.pairs import TextRanker

ENCODER = "encoder"
BATCH = 64
LOGIT_SCALE = 20.0
"""Of a cosine (ours): the printed differences depend on it, the weights, which are shares, do not."""


class Oracle(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def revision(self) -> str:
        """Changes with everything that changes a logit."""
        ...

    @property
    def description(self) -> str:
        """A sentence for the report, without its full stop."""
        ...

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Of (query text, listing text): shape (len(pairs),), higher is more relevant."""
        ...


class EncoderOracle:
    """The default: an encoder's cosine of both texts, scaled. It reads them apart, unlike the paper's oracle."""

    name = ENCODER

    def __init__(self, encode: Callable[[Sequence[str]], Embeddings], revision: str) -> None:
        """encode: texts -> unit rows."""
        self._encode = encode
        self.revision = f"{revision} x{LOGIT_SCALE:g}"

    @classmethod
    def open(cls, place: str | None = None) -> EncoderOracle:
        """place: a name or a folder as the app takes it; None: the shipped encoder. Raises EncoderError."""
        from eval.rqbench.system_encoder import open_shipped, words_encoder

        opened = open_shipped(place)
        return cls(words_encoder(opened.encoder), opened.revision)

    @property
    def description(self) -> str:
        return (
            f"the encoder's cosine of both texts times {LOGIT_SCALE:g} ({self.revision}), a stand-in for the paper's "
            "cross-encoder: query and listing are read apart"
        )

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        from tqdm import tqdm

        texts = sorted({text for pair in pairs for text in pair}, key=lambda text: (len(text), text))
        rows = {text: row for row, text in enumerate(texts)}
        starts = tqdm(range(0, len(texts), BATCH), desc="Oracle", unit="batch", disable=None)
        embeddings = np.concatenate([self._encode(texts[at : at + BATCH]) for at in starts]).astype(np.float64)
        queries, listings = ([rows[pair[at]] for pair in pairs] for at in (0, 1))
        found: NDArray[np.float64] = LOGIT_SCALE * np.einsum("nd,nd->n", embeddings[queries], embeddings[listings])
        return found


@dataclass(frozen=True, slots=True)
class RankerOracle:
    """A cross-encoder, as the paper's oracle is."""

    name: str
    ranker: TextRanker

    @property
    def revision(self) -> str:
        return self.ranker.revision

    @property
    def description(self) -> str:
        return f"the logits of {self.name} ({self.revision})"

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        return np.asarray(self.ranker.logits(pairs), np.float64)


def open_oracle(name: str, device: str | None = None) -> Oracle:
    """`encoder` or `cross-encoder`; `NAME@PLACE` has another folder or hub checkpoint.

    Raises BenchmarkError for an unknown name, EncoderError for weights that cannot be had, DependencyError for a
    library that is not installed.
    """
    kind, _, place = name.partition("@")
    if kind == ENCODER:
        return EncoderOracle.open(place or None)
    known = [each for each, recipe in RECIPES.items() if isinstance(recipe, CrossEncoder)]
    if kind not in known:
        raise BenchmarkError(f"There is no oracle {kind!r:.60}. Known: {', '.join([ENCODER, *known])}.")
    from retrieval.text_rankers.opening import open_text_ranker

    return RankerOracle(name, open_text_ranker(kind, place or None, device))

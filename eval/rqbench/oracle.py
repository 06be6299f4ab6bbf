"""Relevance oracles: what says how relevant a listing is to a query where attribute weights are derived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from retrieval.schema import Query

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from retrieval.protocols import Encoder
    from retrieval.text_rankers.pairs import TextRanker

LOGIT_SCALE = 20.0
"""Of a cosine (ours): the printed differences depend on it, the weights, which are shares, do not."""
BATCH = 256


EMBEDDED = "embedded"


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
    """The embedded default: an encoder's cosine of both texts, scaled. No cross-encoder, unlike the paper's oracle."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @classmethod
    def open(cls, folder: Path | None = None) -> EncoderOracle:
        """None: the shipped encoder. Raises EncoderError as `open_encoder`."""
        from retrieval.encoders.embedded import DEFAULT_FOLDER
        from retrieval.encoders.opening import open_encoder

        return cls(open_encoder(folder or DEFAULT_FOLDER))

    @property
    def name(self) -> str:
        return self._encoder.manifest.encoder

    @property
    def revision(self) -> str:
        return f"{self._encoder.manifest.revision} x{LOGIT_SCALE:g}"

    @property
    def description(self) -> str:
        return (
            f"the text-text cosine of {self.name} times {LOGIT_SCALE:g}, a stand-in for the paper's cross-encoder: "
            "both texts are encoded apart"
        )

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        from tqdm import tqdm

        texts = sorted({text for pair in pairs for text in pair})
        rows = {text: row for row, text in enumerate(texts)}
        vectors = []
        for start in tqdm(range(0, len(texts), BATCH), desc="oracle", unit="batch", disable=None):
            batch = [Query(f"oracle/{row}", text) for row, text in enumerate(texts[start : start + BATCH])]
            vectors.append(self._encoder.encode_queries(batch))
        embeddings = np.concatenate(vectors).astype(np.float64)
        queries, listings = ([rows[pair[at]] for pair in pairs] for at in (0, 1))
        found: NDArray[np.float64] = LOGIT_SCALE * np.einsum("nd,nd->n", embeddings[queries], embeddings[listings])
        return found


class RankerOracle:
    """A text ranker of a hub; the paper's kind is a cross-encoder."""

    def __init__(self, name: str, ranker: TextRanker) -> None:
        self.name = name
        self._ranker = ranker

    @property
    def revision(self) -> str:
        return self._ranker.revision

    @property
    def description(self) -> str:
        return f"the scores of the text ranker {self.name} ({self.revision})"

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        return np.asarray(self._ranker.logits(pairs), np.float64)


def open_oracle(name: str, device: str | None = None) -> Oracle:
    """`EMBEDDED`, or a text ranker's name, or NAME@PLACE for another checkpoint of it: a hub name or a folder.

    Raises EncoderError for what is not known or cannot be had, DependencyError without torch.
    """
    if name == EMBEDDED:
        return EncoderOracle.open()
    from retrieval.text_rankers.opening import open_text_ranker

    ranker, _, place = name.partition("@")
    return RankerOracle(name, open_text_ranker(ranker, place or None, device))

"""How each published text ranker reads and pools, after the paper's Tables 11 to 13. Standard library only.

What these tables do not list is marked as ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Pooling = Literal["mean", "first_last", "pooler", "mean_dense", "last"]
"""Over tokens: their mean; the mean of the first and the last layer, over tokens; the model's own pooler; the mean
behind a dense layer that the checkpoint brings; the last token."""
EosPolicy = Literal["none", "auto", "manual"]
"""Of the end mark that the last token is: left to the tokenizer, or appended here after cutting the text."""
Similarity = Literal["cosine", "dot"]
TASK = "Given a fashion product search query, retrieve relevant product listings that match the query"
"""The query instruction of Table 13; listings have none."""


@dataclass(frozen=True, slots=True)
class Dense:
    """One vector a text."""

    hub: str
    pooling: Pooling
    max_length: int
    """In tokens, marks and instruction included."""
    query_prefix: str = ""
    eos: EosPolicy = "none"
    similarity: Similarity = "cosine"
    bfloat16: bool = False
    """Half precision where the device has it."""


@dataclass(frozen=True, slots=True)
class Sparse:
    """Weights over the vocabulary, max(log(1 + ReLU(.))) of the logits over the tokens; compared by dot product."""

    hub: str
    max_length: int = 512


@dataclass(frozen=True, slots=True)
class MultiVector:
    """A unit vector a token, compared by the sum of each query token's best match (MaxSim)."""

    hub: str
    query_length: int = 32
    """Shorter queries are filled up with mask tokens, whose vectors count as well."""
    listing_length: int = 180
    query_mark: str = "[unused0]"
    listing_mark: str = "[unused1]"


@dataclass(frozen=True, slots=True)
class CrossEncoder:
    """Reads query and listing together; its one logit is the score. Which one, the paper does not say (ours)."""

    hub: str
    max_length: int = 512


Recipe = Dense | Sparse | MultiVector | CrossEncoder

_QWEN_PREFIX = f"Instruct: {TASK}\nQuery:"
_MISTRAL_PREFIX = f"Instruct: {TASK}\nQuery: "
"""Each family's own form around the paper's instruction (ours: the paper gives the instruction alone)."""


def _qwen(size: str) -> Dense:
    return Dense(f"Qwen/Qwen3-Embedding-{size}", "last", 8192, _QWEN_PREFIX, "auto", bfloat16=True)


RECIPES: Mapping[str, Recipe] = {
    "splade": Sparse("naver/splade-cocondenser-ensembledistil"),
    "colbert": MultiVector("colbert-ir/colbertv2.0"),
    # Trained with the plain dot product; for the others, which the paper leaves open, cosine (ours).
    "contriever": Dense("facebook/contriever-msmarco", "mean", 512, similarity="dot"),
    "roberta-large": Dense("FacebookAI/roberta-large", "first_last", 512),
    "simcse": Dense("princeton-nlp/sup-simcse-roberta-large", "pooler", 512),
    "sentence-t5": Dense("sentence-transformers/sentence-t5-large", "mean_dense", 256),
    # As its model card has it: a small dense system that runs anywhere (ours).
    "all-minilm": Dense("sentence-transformers/all-MiniLM-L6-v2", "mean", 256),
    "qwen3-embedding-0.6b": _qwen("0.6B"),
    "qwen3-embedding-4b": _qwen("4B"),
    "qwen3-embedding-8b": _qwen("8B"),
    "e5-mistral": Dense("intfloat/e5-mistral-7b-instruct", "last", 4096, _MISTRAL_PREFIX, "manual", bfloat16=True),
    "sfr-mistral": Dense("Salesforce/SFR-Embedding-Mistral", "last", 4096, _MISTRAL_PREFIX, "auto", bfloat16=True),
    "cross-encoder": CrossEncoder("cross-encoder/ms-marco-MiniLM-L12-v2"),
}

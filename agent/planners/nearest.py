"""Intents by example: the labelled sentences that lie nearest to a message vote for its intent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from agent.protocols import SentenceEncoder
from retrieval.schema import Intent

N_NEIGHBOURS = 7
SHARPNESS = 12.0
"""How much nearer examples count more: weights are exp(SHARPNESS * cosine)."""

Example = tuple[str, Intent]


@cache
def load_examples() -> tuple[Example, ...]:
    """The examples that ship with the planner, in the order of the file."""
    lines = Path(__file__).with_name("examples.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return tuple((row["text"], Intent(row["intent"])) for row in rows)


class NearestExamples:
    """Encodes the examples once, when it is made."""

    def __init__(self, encode: SentenceEncoder, examples: Sequence[Example]) -> None:
        self._encode = encode
        self._intents = [intent for _, intent in examples]
        self._embeddings = encode([text for text, _ in examples])

    def vote(self, text: str) -> Mapping[Intent, float]:
        """Intent -> share of the vote, adding up to 1; only intents with a vote."""
        (embedding,) = self._encode([text])
        similarities = self._embeddings @ embedding
        nearest = np.argsort(-similarities, kind="stable")[:N_NEIGHBOURS]
        weights = np.exp(SHARPNESS * (similarities[nearest] - similarities[nearest[0]]))
        votes: dict[Intent, float] = {}
        for row, weight in zip(nearest, weights / weights.sum(), strict=True):
            votes[self._intents[row]] = votes.get(self._intents[row], 0.0) + float(weight)
        return votes

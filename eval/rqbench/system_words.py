"""Systems that read a query's and a listing's words alone, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eval.rqbench.systems import Pairs
    from retrieval.rq_benchmark import RQBenchmark


@dataclass(frozen=True, slots=True)
class ByWords:
    """Implements `systems.System`."""

    name: str
    revision: str
    logits: Callable[[Sequence[tuple[str, str]]], Sequence[float]]
    """Scores of (query text, listing text) pairs, in their order."""

    def score(self, benchmark: RQBenchmark, pairs: Pairs) -> Mapping[str, Sequence[float]]:
        texts = [
            (benchmark.queries[query_id].text, benchmark.listings[item_id].text)
            for query_id, item_ids in pairs.items()
            for item_id in item_ids
        ]
        scores = iter(self.logits(texts))
        return {query_id: [next(scores) for _ in item_ids] for query_id, item_ids in pairs.items()}

"""BM25 over the words of the listings (the paper's Table 11)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from retrieval.errors import BenchmarkError, DependencyError

if TYPE_CHECKING:
    from eval.rqbench.systems import Pairs
    from retrieval.rq_benchmark import RQBenchmark

K1, B = 1.2, 0.75
STOP_WORDS, STEMMER = "english", "porter"


class Lexical:
    """Implements `systems.System`; idf counts all listings of the benchmark, candidates or not.

    Raises DependencyError where bm25s or PyStemmer is not installed.
    """

    def __init__(self, name: str) -> None:
        try:
            import bm25s
            import Stemmer
        except ImportError as error:
            raise DependencyError(f"{error}: pip install -r requirements-build.txt") from error
        # bm25s sets its own logger to DEBUG when it is imported, past the level that the program has chosen.
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        self.name = name
        self.revision = f"bm25s {bm25s.__version__}/k1={K1:g}/b={B:g}/{STOP_WORDS}/{STEMMER}"
        self._stemmer = Stemmer.Stemmer(STEMMER)
        self._listings: Mapping[str, object] | None = None
        self._rows: dict[str, int] = {}
        self._index: Any = None

    def score(self, benchmark: RQBenchmark, pairs: Pairs) -> Mapping[str, Sequence[float]]:
        """0 for a candidate that has none of the query's words. Raises BenchmarkError where no listing has any."""
        if self._listings is not benchmark.listings:
            self._read(benchmark)
        query_ids = list(pairs)
        tokens = self._tokens([benchmark.queries[query_id].text for query_id in query_ids])
        return {
            query_id: self._scores(words, [self._rows[item_id] for item_id in pairs[query_id]])
            for query_id, words in zip(query_ids, tokens, strict=True)
        }

    def _read(self, benchmark: RQBenchmark) -> None:
        import bm25s

        self._rows = {item_id: row for row, item_id in enumerate(benchmark.listings)}
        words = self._tokens([each.text for each in benchmark.listings.values()])
        if not any(words):
            raise BenchmarkError(
                f"No listing of {benchmark.folder} has a word that BM25 reads: score a system that reads pictures."
            )
        self._index = bm25s.BM25(k1=K1, b=B)
        self._index.index(words, show_progress=False)
        self._listings = benchmark.listings

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        import bm25s

        tokens: list[list[str]] = bm25s.tokenize(
            list(texts), stopwords=STOP_WORDS, stemmer=self._stemmer, return_ids=False, show_progress=False
        )
        return tokens

    def _scores(self, words: list[str], rows: Sequence[int]) -> list[float]:
        known = self._index.get_tokens_ids(words) if words else []
        if not known:
            return [0.0] * len(rows)
        scores: list[float] = self._index.get_scores_from_ids(known)[list(rows)].tolist()
        return scores

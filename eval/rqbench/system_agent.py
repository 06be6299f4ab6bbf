"""The agent as a system: each query is the first message of a new session, and the shop's own answer ranks it all."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agent.assistant import Assistant
from agent.opening import sentences_of
from agent.planners.rules import RulesPlanner
from eval.rqbench.system_encoder import OpenedEncoder, open_shipped
from eval.rqbench.system_index import index_candidates
from eval.workers import code_hash
from retrieval.errors import ChatError, FashionSearchError
from retrieval.retriever import Retriever
from retrieval.schema import Message, Query, Session

if TYPE_CHECKING:
    from agent.protocols import Planner
    from eval.rqbench.systems import Opening, Pairs
    from retrieval.protocols import Encoder
    from retrieval.rq_benchmark import RQBenchmark
    from retrieval.schema import Turn
    from retrieval.stores.memory import MemoryStore

log = logging.getLogger(__name__)
BELOW_FOUND = 2.0
"""Taken from the cosine of what the agent did not find, so that it comes after all that it found."""
SHOWN_FROM = 64
"""Messages from which progress is shown."""
MODULES = ("eval/rqbench/system_agent.py", "eval/rqbench/system_index.py", "eval/rqbench/system_encoder.py")
"""Beside agent and retrieval, what a score depends on."""


def open_agent(name: str, opening: Opening) -> AgentSystem:
    """With the encoder that the app takes, or that of the folder. Raises EncoderError."""
    return AgentSystem(name, open_shipped(opening.place), opening.cache)


class AgentSystem:
    """Implements `systems.System`. A score is 1 / rank over the whole gallery of candidates; what the turn's filters
    left out, and all where it found nothing, comes below in the order of the encoder's similarity."""

    def __init__(self, name: str, opened: OpenedEncoder, cache: Path) -> None:
        self.name = name
        self.revision = f"{opened.revision}/{code_hash(packages=('agent', 'retrieval'), modules=MODULES)}"
        self._encoder = opened.encoder
        self._planner = RulesPlanner(sentences_of(opened.encoder))
        self._cache = cache
        self._shop: _Shop | None = None
        self._benchmark: RQBenchmark | None = None
        self._known: dict[str, Mapping[str, float]] = {}
        """query_id -> scores of its candidates in any task: a message is answered once."""

    def score(self, benchmark: RQBenchmark, pairs: Pairs) -> Mapping[str, Sequence[float]]:
        """A message that the agent answers with an error, or without looking for anything, is counted and told."""
        from tqdm import tqdm

        opened = self._opened_for(benchmark)
        new = [query_id for query_id in pairs if not set(pairs[query_id]) <= self._known.get(query_id, {}).keys()]
        n_unanswered = 0
        for query_id in tqdm(new, desc="Asking", unit="query", mininterval=5, disable=len(new) < SHOWN_FROM):
            message = Message(benchmark.queries[query_id].text)
            turn = opened.answer(query_id, message)
            n_unanswered += turn is None or turn.ranking is None
            self._known[query_id] = opened.scores(_candidates(benchmark, query_id, pairs[query_id]), message, turn)
        if n_unanswered:
            log.warning("%d of %d messages led to no search: the encoder alone ranks them", n_unanswered, len(new))
        return {query_id: [self._known[query_id][item_id] for item_id in pairs[query_id]] for query_id in pairs}

    def _opened_for(self, benchmark: RQBenchmark) -> _Shop:
        if self._shop is None or self._benchmark is not benchmark:
            store = index_candidates(benchmark, self._encoder, self._cache)
            self._shop, self._benchmark, self._known = _Shop(self._encoder, self._planner, store), benchmark, {}
        return self._shop


class _Shop:
    """The agent over a gallery, whose answers go down to the last item."""

    def __init__(self, encoder: Encoder, planner: Planner, store: MemoryStore) -> None:
        self._encoder = encoder
        self._store = store
        self._assistant = Assistant(Retriever(encoder, store), planner, store.count())

    def answer(self, query_id: str, message: Message) -> Turn | None:
        """None for an error that a shopper would see. Raises ChatError: a silent model is no property of a message."""
        try:
            return self._assistant.respond(Session(query_id), message)
        except ChatError:
            raise
        except FashionSearchError as error:
            log.info("%s: %s", query_id, error)
            return None

    def scores(self, item_ids: Sequence[str], message: Message, turn: Turn | None) -> dict[str, float]:
        hits = turn.ranking.hits if turn and turn.ranking else ()
        ranks = {hit.item_id: rank for rank, hit in enumerate(hits, 1)}
        scores = {item_id: 1 / ranks[item_id] for item_id in item_ids if item_id in ranks}
        if others := [item_id for item_id in item_ids if item_id not in ranks]:
            query = turn.query if turn and turn.query else Query("", message.text, request=message.text)
            cosines = self._store.embeddings(others) @ self._encoder.encode_queries([query])[0]
            scores.update(zip(others, (cosines - BELOW_FOUND).tolist(), strict=True))
        return scores


def _candidates(benchmark: RQBenchmark, query_id: str, asked: Sequence[str]) -> list[str]:
    """Of all tasks."""
    known = {item_id for by_query in benchmark.candidates.values() for item_id in by_query.get(query_id, ())}
    return sorted(known.union(asked))

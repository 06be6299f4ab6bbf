"""Ranks recorded turns by a system alone, without an agent: the paper's way of scoring.

A query is the turn's words with its history (`recorded.query_of`), compared by cosine with the whole gallery, or with
its own candidates (ASFR). What it starts from is left out of its ranking, whatever the system; there are no filters.
Turns of equal number are encoded together, since in live history the next one starts from what this one found.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from eval.opening import (
    History,
    Request,
    index_gallery,
    is_described,
    open_system,
    picked,
    read_requested,
    references_stay,
    sessions_of,
)
from eval.runs import ALONE, Run, RunWriter, TurnRecord, claimed, refuse_foreign
from eval.workers import code_hash, settings_of
from retrieval.errors import ChatError, FashionSearchError
from retrieval.protocols import RemembersPictures, Reranker
from retrieval.recorded import References, query_of
from retrieval.retriever import DEFAULT_K
from retrieval.schema import Hit, Image, Item
from retrieval.stores.contract import SCORE_DECIMALS, best_hits, unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.benchmark import Benchmark, RecordedSession, RecordedTurn
    from retrieval.protocols import Embeddings, Encoder, Manifest
    from retrieval.schema import Query

AT_ONCE = 256
"""Sessions that are played side by side; what a killed run had of them is lost."""
BATCH = 64
"""Queries that are encoded at a time."""
RANKING = ("eval/alone.py", "eval/opening.py")
"""Modules beside retrieval's that a ranking depends on."""


class Gallery:
    """Items with their unit vectors."""

    def __init__(self, item_ids: Sequence[str], embeddings: Embeddings) -> None:
        """`embeddings` has shape (n_items, dim), unit rows."""
        self.item_ids = tuple(item_ids)
        self.embeddings = np.ascontiguousarray(embeddings)
        self.row = {item_id: row for row, item_id in enumerate(self.item_ids)}

    def rows(self, item_ids: Collection[str]) -> list[int]:
        """Where these are, sorted; those that are not here have no row."""
        return sorted(self.row[item_id] for item_id in item_ids if item_id in self.row)

    def by_path(self, benchmark: Benchmark) -> dict[str, NDArray[np.float32]]:
        """Vectors by the files that they were made of."""
        return {str(benchmark.picture_path(item_id)): self.embeddings[row] for item_id, row in self.row.items()}


@dataclass(frozen=True, slots=True)
class Protocol:
    """How turns become queries, and how much of a ranking is kept."""

    history: History
    references: References
    depth: int
    references_stay: bool = False
    """What a query starts from is a candidate too, as some benchmarks have it."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A query's unit vector, or the error for which it has none."""

    embedding: NDArray[np.float32] | None
    error: str
    ms: float
    """Its share of the time that its batch took."""


def alone(request: Request, out: Path, references: References = "previous", *, progress: bool = True) -> Run:
    """Rank every turn of the split, or go on with a run that was interrupted.

    Raises BenchmarkError, RunError, EncoderError, StoreError or ChatError; a query that cannot be encoded is part of
    the run.
    """
    from tqdm import tqdm

    refuse_foreign(out)
    benchmark = read_requested(request)
    sessions = sessions_of(benchmark, request)
    encoder = open_system(request, benchmark)
    indexed = index_gallery(request, benchmark, encoder)
    settings = {
        **settings_of(request, benchmark, sessions, indexed, encoder.manifest),
        "protocol": ALONE,
        "references": references,
        "planner": "none",
        "agent": code_hash(packages=("retrieval",), modules=RANKING),
    }
    with claimed(out):
        writer = RunWriter(out, settings, sessions)
        if writer.left:
            gallery = read_gallery(indexed.index, encoder.manifest)
            protocol = Protocol(request.history, references, settings["depth"], references_stay(benchmark))
            if request.caption_weight == 0 and not is_described(benchmark):
                _remember(encoder, gallery.by_path(benchmark))
            ranker = Ranker(benchmark, encoder, gallery, protocol)
            with tqdm(total=len(sessions), initial=len(sessions) - len(writer.left), unit="session", desc="Ranking",
                      disable=not progress) as bar:  # fmt: skip
                for at in range(0, len(writer.left), AT_ONCE):
                    some = writer.left[at : at + AT_ONCE]
                    writer.add(ranker.play(some))
                    bar.update(len(some))
        return writer.finish()


def read_gallery(index: Path, manifest: Manifest) -> Gallery:
    """All that an index holds, sorted by item_id."""
    from retrieval.stores.lance import LanceStore

    with LanceStore.open(index, manifest) as store:
        item_ids = sorted(store.fingerprints())
        return Gallery(item_ids, store.embeddings(item_ids))


def _remember(encoder: Encoder, embeddings: Mapping[str, NDArray[np.float32]]) -> None:
    """A gallery's picture has one vector, as item and as reference: it need not be encoded again."""
    for each in (encoder, getattr(encoder, "towers", None)):
        if isinstance(each, RemembersPictures):
            each.remember(embeddings)
            return


class Ranker:
    """Plays sessions side by side; holds nothing of a session that was played."""

    def __init__(self, benchmark: Benchmark, encoder: Encoder, gallery: Gallery, protocol: Protocol) -> None:
        self._benchmark = benchmark
        self._encoder = encoder
        self._gallery = gallery
        self._protocol = protocol

    def play(self, sessions: Sequence[RecordedSession]) -> list[TurnRecord]:
        """In the order of the sessions."""
        taken: list[list[str | None]] = [[] for _ in sessions]
        records: list[list[TurnRecord]] = [[] for _ in sessions]
        for place in range(max((len(session.turns) for session in sessions), default=0)):
            rows = [row for row, session in enumerate(sessions) if place < len(session.turns)]
            turns = [sessions[row].turns[place] for row in rows]
            queries = [
                query_of(self._benchmark, sessions[row], turn, taken[row], self._protocol.references)
                for row, turn in zip(rows, turns, strict=True)
            ]
            answers = encode_each(self._encoder, queries)
            for row, turn, query, answer in zip(rows, turns, queries, answers, strict=True):
                record, hits = self._answered(turn, query, answer)
                records[row].append(record)
                taken[row].append(turn.chosen if self._protocol.history == "recorded" else picked(hits, turn.chosen))
        return [record for played in records for record in played]

    def _answered(self, turn: RecordedTurn, query: Query, answer: Encoded) -> tuple[TurnRecord, Sequence[Hit]]:
        """With the hits that a shop would show at the least."""
        started = time.perf_counter()
        pool = self._benchmark.pools.get(query.query_id)
        relevant = self._benchmark.qrels.get(query.query_id)
        own = {image.image_id for image in query.references if image.image_id in self._gallery.row}
        left_out = set() if self._protocol.references_stay else own
        depth = self._protocol.depth if pool is None else len(pool)
        hits: list[Hit] = []
        if answer.embedding is not None:
            hits = rank(self._gallery, answer.embedding, max(depth, DEFAULT_K), left_out, pool)
            if isinstance(self._encoder, Reranker):
                hits = reranked(self._benchmark, self._encoder, query, hits)
        candidates = self._gallery.row.keys() if pool is None else set(pool)
        record = TurnRecord(
            query_id=query.query_id,
            task=turn.task.value,
            dataset=turn.dataset,
            origin=turn.origin,
            n_candidates=len(candidates) - len(left_out & candidates),
            hits=tuple(hits[:depth] if relevant is not None else hits[:DEFAULT_K]),
            ms=round(answer.ms + 1000 * (time.perf_counter() - started), 2),
            relevant=dict(relevant) if relevant is not None else None,
            in_pool=pool is not None,
            rollback_to=turn.rollback_to,
            references=tuple(sorted(own)),
            meant=turn.references,
            left_out=tuple(sorted(left_out & candidates & (relevant or {}).keys())),
            error=answer.error,
        )
        return record, hits


def rank(
    gallery: Gallery,
    embedding: NDArray[np.float32],
    k: int,
    left_out: Collection[str] = (),
    pool: Collection[str] | None = None,
) -> list[Hit]:
    """The k nearest items of the gallery, or of the pool, best first, as a store's exact search ranks them."""
    rows = None if pool is None else gallery.rows(set(pool) - set(left_out))
    among = gallery.embeddings if rows is None else gallery.embeddings[rows]
    scores = among @ embedding
    if rows is None:
        scores[gallery.rows(left_out)] = -np.inf
    found = np.flatnonzero(scores > _bound(scores, k))
    ids = (gallery.item_ids[at if rows is None else rows[at]] for at in found)
    return best_hits(zip(ids, map(float, scores[found]), strict=True), k)


def reranked(benchmark: Benchmark, reranker: Reranker, query: Query, hits: Sequence[Hit]) -> list[Hit]:
    """The first hits in the order that the system gives them. A place keeps its score, or gets the least one above that
    of the next place: equal scores would be ranked by their ids.

    Raises ChatError: a model that does not answer ends the run, which goes on from there when it is started again.
    """
    first, rest = hits[: reranker.rerank_depth], hits[reranker.rerank_depth :]
    order = reranker.rerank(query, [_item(benchmark, hit.item_id) for hit in first])
    above = rest[0].score if rest else -math.inf
    placed = []
    for hit, item_id in zip(reversed(first), reversed(order), strict=True):
        above = max(hit.score, math.nextafter(above, math.inf))
        placed.append(Hit(item_id, above))
    return [*reversed(placed), *rest]


def _item(benchmark: Benchmark, image_id: str) -> Item:
    known = benchmark.images[image_id]
    path = str(benchmark.picture_path(image_id)) if known.path else ""
    return Item(image_id, Image(image_id, path), known.caption, known.attributes)


def _bound(scores: NDArray[np.float32], k: int) -> float:
    """Below all scores that are among the k highest once they are rounded."""
    if len(scores) <= k:
        return -np.inf
    return float(np.partition(scores, len(scores) - k)[len(scores) - k]) - 2 * 10.0**-SCORE_DECIMALS


def encode_each(encoder: Encoder, queries: Sequence[Query]) -> Iterator[Encoded]:
    """In batches; where one fails, query by query, so that it costs no other its answer.

    Raises ChatError: a model that does not answer is no property of a query.
    """
    for at in range(0, len(queries), BATCH):
        some = queries[at : at + BATCH]
        started = time.perf_counter()
        try:
            embeddings = unit_rows(encoder.encode_queries(some), len(some), encoder.manifest.dim)
        except ChatError:
            raise
        except FashionSearchError as failed:
            if len(some) > 1:
                for query in some:
                    yield from encode_each(encoder, [query])
            else:
                yield Encoded(None, f"{type(failed).__name__}: {failed}", _since(started))
        else:
            share = _since(started) / len(some)
            yield from (Encoded(embedding, "", share) for embedding in embeddings)


def _since(started: float) -> float:
    return 1000 * (time.perf_counter() - started)

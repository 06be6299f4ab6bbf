"""Replays recorded sessions through the agent of the shop, turn by turn."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from agent.assistant import Assistant, parent_for
from agent.query import excluded
from eval.opening import History, Stage, picked, picture_of
from eval.runs import TurnRecord
from retrieval.benchmark import Benchmark, RecordedSession, RecordedTurn
from retrieval.errors import ChatError, FashionSearchError, ImageError
from retrieval.retriever import DEFAULT_K, Retriever
from retrieval.schema import Hit, Intent, Message, Plan, Query, Ranking, Reply, Session, Turn
from retrieval.stores.pool import PoolStore

WARM_UP = "a red dress"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the agent made of a message: a turn, or the error that the shopper would see."""

    message: Message
    turn: Turn | None
    error: str
    ms: float


class Player:
    """Plays sessions on one stage; holds nothing of a session that was played."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._assistant = Assistant(Retriever(stage.encoder, stage.store), stage.planner, stage.depth)
        self._item_ids = frozenset(stage.store.fingerprints())
        """Those whose picture could not be used are not among them."""
        self._assistant.respond(Session("warm-up"), Message(WARM_UP))  # what is read once is no turn's time

    def play(self, recorded: RecordedSession) -> list[TurnRecord]:
        session = Session(recorded.session_id)
        taken: str | None = None
        records = []
        for turn in recorded.turns:
            before = recorded.turns[turn.turn_number - 2].chosen if turn.turn_number > 1 else None
            answer = self._answer(session, recorded, turn, before, taken)
            records.append(self._record(session, recorded, turn, answer))
            session = session.append(_appended(session, answer, turn.chosen, self._stage))
            taken = picked(hits_of(answer.turn), turn.chosen)
        return records

    def _answer(
        self, session: Session, recorded: RecordedSession, turn: RecordedTurn, before: str | None, taken: str | None
    ) -> Answer:
        assistant = self._assistant_for(recorded.query_id(turn))
        message, found, error = Message(turn.text), None, ""
        started = time.perf_counter()
        try:
            message = message_of(self._stage.benchmark, turn, before, self._stage.history, taken)
            found = assistant.respond(session, message)
        except ChatError:  # no property of the turn: the run goes on when the model answers again
            raise
        except FashionSearchError as failed:
            error = f"{type(failed).__name__}: {failed}"
        return Answer(message, found, error, 1000 * (time.perf_counter() - started))

    def _assistant_for(self, query_id: str) -> Assistant:
        """The same one, over the query's own candidates where it has some."""
        pool = self._stage.benchmark.pools.get(query_id)
        if pool is None:
            return self._assistant
        stage = self._stage
        known = [item_id for item_id in pool if item_id in self._item_ids]
        return Assistant(Retriever(stage.encoder, PoolStore(stage.store, known)), stage.planner, len(pool))

    def _record(self, session: Session, recorded: RecordedSession, turn: RecordedTurn, answer: Answer) -> TurnRecord:
        query_id = recorded.query_id(turn)
        benchmark = self._stage.benchmark
        pool, relevant = benchmark.pools.get(query_id), benchmark.qrels.get(query_id)
        candidates = self._item_ids if pool is None else frozenset(pool)
        hits, left_out = hits_of(answer.turn), left_out_of(session, answer.turn) & candidates
        if answer.turn and self._stage.references_stay and answer.turn.plan.action is not Intent.COMPATIBLE:
            hits, left_out = put_back(self._stage, answer.turn, left_out), frozenset()
        plan = answer.turn.plan if answer.turn else None
        return TurnRecord(
            query_id=query_id,
            task=turn.task.value,
            dataset=turn.dataset,
            origin=turn.origin,
            n_candidates=len(candidates) - len(left_out),
            hits=hits if relevant is not None else hits[:DEFAULT_K],
            ms=round(answer.ms, 2),
            relevant=dict(relevant) if relevant is not None else None,
            in_pool=pool is not None,
            rollback_to=turn.rollback_to,
            intent=plan.intent.value if plan else "",
            then=plan.then.value if plan and plan.then else "",
            reference_turn=plan.reference_turn if plan else None,
            references=plan.references if plan else (),
            meant=turn.references,
            left_out=tuple(sorted(left_out.intersection(relevant or ()))),
            reply=answer.turn.reply.text if answer.turn else "",
            error=answer.error,
        )


def hits_of(turn: Turn | None) -> tuple[Hit, ...]:
    return turn.ranking.hits if turn and turn.ranking else ()


def left_out_of(session: Session, turn: Turn | None) -> frozenset[str]:
    """What the agent did not rank, since the turn starts from it or an equal plan has shown it already."""
    if turn is None or turn.ranking is None or (turn.plan.intent is Intent.ROLLBACK and turn.plan.then is None):
        return frozenset()
    return frozenset(excluded(session, turn.message, turn.plan))


def put_back(stage: Stage, turn: Turn, item_ids: Collection[str]) -> tuple[Hit, ...]:
    """The turn's ranking with these items where their cosine to its query puts them, if they pass its filters.

    Not for outfits, whose scores are of several queries.
    """
    hits = hits_of(turn)
    if not item_ids or turn.query is None:
        return hits
    known = [item_id for item_id in sorted(item_ids) if item_id in stage.store.fingerprints()]
    found = Retriever(stage.encoder, PoolStore(stage.store, known)).search(turn.query, len(known), turn.plan.filters)
    ranked = {hit.item_id: hit for hit in (*hits, *found.hits)}.values()
    return tuple(sorted(ranked, key=lambda hit: (-hit.score, hit.item_id))[: stage.depth])


def message_of(
    benchmark: Benchmark, turn: RecordedTurn, before: str | None, history: History, taken: str | None
) -> Message:
    """What the recorded user did, as the page would send it; the turn's own `chosen` has no part in it.

    `before` is the item chosen one turn before, `taken` the one that the live user took. Who goes back says so in
    words alone. Raises ImageError for a picture that cannot be read.
    """
    if turn.rollback_to is not None or not turn.references:
        return Message(turn.text)
    if turn.references == (before,) and history == "live":
        return Message(turn.text, selected=taken)
    images = [benchmark.images[image_id] for image_id in turn.references]
    if len(images) == 1 and images[0].in_gallery:
        return Message(turn.text, selected=images[0].image_id)
    try:
        return Message(turn.text, images=tuple(picture_of(benchmark, image) for image in images))
    except OSError as error:
        raise ImageError(f"A picture of the query cannot be read: {error}.") from error


def _appended(session: Session, answer: Answer, chosen: str, stage: Stage) -> Turn:
    """The turn as the next ones see it: as long as a shop shows it, and in recorded history with the recorded choice
    first. A failed turn keeps its number, so that "back to turn 3" means the same."""
    turn = answer.turn or _failed(session, answer)
    if turn.ranking is not None:
        turn = replace(turn, ranking=replace(turn.ranking, hits=turn.ranking.hits[:DEFAULT_K]))
    image = stage.benchmark.images.get(chosen)
    if stage.history == "live" or image is None or not image.in_gallery:
        return turn
    query_id = f"{session.session_id}/{turn.turn_number}"
    ranking = Ranking(query_id, chosen_first(hits_of(turn), chosen))
    return replace(turn, query=turn.query or Query(query_id, answer.message.text), ranking=ranking)


def chosen_first(hits: Sequence[Hit], chosen: str) -> tuple[Hit, ...]:
    """Its score is just above the others', so that the order stays that of the scores."""
    others = [hit for hit in hits if hit.item_id != chosen]
    score = math.nextafter(others[0].score, math.inf) if others else 1.0
    return (Hit(chosen, score), *others)


def _failed(session: Session, answer: Answer) -> Turn:
    plan = Plan(Intent.SEARCH, text=answer.message.text)
    parent = parent_for(session, answer.message, plan)
    return Turn(len(session.turns) + 1, parent, answer.message, plan, Reply(answer.error))

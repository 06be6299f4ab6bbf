"""Recorded turns as queries with their right answers: what query encoders are trained on, and scored on alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.benchmark import Benchmark, BenchmarkImage, RecordedSession, RecordedTurn, Task
from retrieval.schema import HistoryTurn, Image, Query

References = Literal["previous", "resolved"]
"""From which picture a turn starts that goes back to an earlier one. `previous`: from the one chosen just before, as in
the paper: the model itself has to find the earlier one in the history. `resolved`: from the earlier one, with the
history of its branch alone, as the agent's plan gives it."""


@dataclass(frozen=True, slots=True)
class Example:
    """One recorded turn. Images bear the benchmark's image_ids."""

    query: Query
    task: Task
    chosen: str
    """image_id with which the recorded user went on."""
    positives: tuple[str, ...]
    """Sorted image_ids that are right; `chosen` alone where nothing is judged."""
    rollback_to: int | None
    n_before: int
    """Number of preceding turns of the session, whether or not the history holds them all."""
    meant: tuple[str, ...] = ()
    """image_ids that the turn starts from, in either reading: after a rollback the item of the turn gone back to."""


def examples(benchmark: Benchmark, sessions: Iterable[RecordedSession], references: References) -> list[Example]:
    """All turns, with the recorded choices as history (teacher forcing). Raises BenchmarkError for unknown pictures'
    folders."""
    made = []
    for session in sessions:
        for turn in session.turns:
            made.append(_example(benchmark, session, turn, references))
    return made


def _example(benchmark: Benchmark, session: RecordedSession, turn: RecordedTurn, references: References) -> Example:
    query_id = session.query_id(turn)
    judged = benchmark.qrels.get(query_id, {})
    positives = tuple(sorted(image_id for image_id, grade in judged.items() if grade > 0)) or (turn.chosen,)
    return Example(
        query=query_of(benchmark, session, turn, [each.chosen for each in session.turns], references),
        task=turn.task,
        chosen=turn.chosen,
        positives=positives,
        rollback_to=turn.rollback_to,
        n_before=turn.turn_number - 1,
        meant=turn.references,
    )


def query_of(
    benchmark: Benchmark,
    session: RecordedSession,
    turn: RecordedTurn,
    chosen: Sequence[str | None],
    references: References,
) -> Query:
    """The query of a turn when `chosen[i]` was taken in turn i + 1, recorded or not; None where nothing was found.

    Only earlier turns' choices are read. A reference that is the recorded choice of an earlier turn is replaced by what
    was chosen there. Where words stand for a picture, it has no path.
    """

    def image(image_id: str) -> Image:
        is_picture = bool(benchmark.images[image_id].path)
        return Image(image_id, str(benchmark.picture_path(image_id)) if is_picture else "")

    def taken(turn_number: int) -> Image | None:
        image_id = chosen[turn_number - 1]
        return None if image_id is None else image(image_id)

    def started(turn_number: int) -> tuple[Image, ...]:
        found = taken(turn_number)
        return () if found is None else (found,)

    def shown(each: RecordedTurn) -> tuple[Image, ...]:
        if each.rollback_to is not None and references == "previous":
            return started(each.turn_number - 1)
        start = each.rollback_to or each.turn_number - 1
        if start and each.references == (session.turns[start - 1].chosen,):
            return started(start)
        return tuple(image(image_id) for image_id in each.references)

    before = session.turns[: turn.turn_number - 1] if references == "previous" else branch(session, turn)
    return Query(
        query_id=session.query_id(turn),
        text=turn.text,
        references=shown(turn),
        history=tuple(HistoryTurn(past.text, shown(past), taken(past.turn_number)) for past in before),
    )


def branch(session: RecordedSession, turn: RecordedTurn) -> tuple[RecordedTurn, ...]:
    """The turns that this one builds on, oldest first: a rollback leaves out what came after the turn gone back to."""
    path: list[RecordedTurn] = []
    number = turn.turn_number
    while (number := session.turns[number - 1].rollback_to or number - 1) > 0:
        path.append(session.turns[number - 1])
    return tuple(reversed(path))


def held_out_products(benchmark: Benchmark) -> frozenset[str]:
    """product_ids that a validation or test session shows, asks for or accepts as an answer."""
    touched: set[str] = set()
    for session in benchmark.sessions:
        if session.split == "train":
            continue
        for turn in session.turns:
            judged = benchmark.qrels.get(session.query_id(turn), {})
            shown = (turn.chosen, *turn.references, *(image_id for image_id, grade in judged.items() if grade > 0))
            touched.update(product_of(benchmark.images[image_id]) for image_id in shown)
    return frozenset(touched)


def product_of(image: BenchmarkImage) -> str:
    """Its product, or itself where no product is known."""
    return image.product_id or image.image_id

"""Scores of a run: means over queries with their intervals and what chance gives, whole and broken down.

Queries on the whole gallery and queries with candidates of their own (ASFR) are never averaged together. Every judged
query counts; one whose turn failed or found nothing scores 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from eval.metrics import (
    Block,
    best_gain,
    block_found,
    block_gain,
    block_precisions,
    block_reciprocal_rank,
    block_success,
    blocks_of,
    random_order,
    session_intervals,
    with_ties,
)
from eval.runs import Run, RunError, TurnRecord
from retrieval.benchmark import Task
from retrieval.schema import Intent

if TYPE_CHECKING:
    from numpy.typing import NDArray

CUTOFFS = (1, 5, 8, 10, 50)
N_DCG = 10

Measure = Callable[[Sequence[Block], Sequence[int]], float]
"""Blocks of a ranking, and all grades above 0 -> value."""

EXPECTED: Mapping[Task, tuple[Intent, ...]] = {
    Task.T2I: (Intent.SEARCH,),
    Task.SKETCH2IMG: (Intent.SEARCH, Intent.MODIFY),  # a drawing with words: "this cut in tan"
    Task.STREET2SHOP: (Intent.SEARCH, Intent.SAME_ITEM),
    Task.IN_SHOP: (Intent.SAME_ITEM,),
    Task.CIR: (Intent.MODIFY,),
    Task.COMPATIBLE: (Intent.COMPATIBLE,),
    Task.ASFR: (Intent.SAME_ATTRIBUTE,),
}
"""Which intents of the agent are right for a recorded task. A rollback has to be one, to the right turn."""
ROLLBACK_ROW, FAILED = "rollback", "failed"


@dataclass(frozen=True, slots=True)
class Scored:
    """Queries of one kind with their values."""

    records: tuple[TurnRecord, ...]
    measures: tuple[str, ...]
    values: NDArray[np.float64]
    """Shape (n_queries, n_measures)."""
    random: NDArray[np.float64]
    """What a random order is expected to give, of the same shape."""


@dataclass(frozen=True, slots=True)
class Cell:
    value: float
    low: float
    high: float
    """A 95 % interval, whole sessions resampled."""
    random: float


@dataclass(frozen=True, slots=True)
class Row:
    """Means over one group of queries."""

    name: str
    n_queries: int
    n_sessions: int
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Routing:
    """How recorded tasks were understood."""

    counts: Mapping[str, Mapping[str, int]]
    """Task, or "rollback" -> intent, or "failed" -> turns."""
    right: Mapping[str, int]
    """Task, or "rollback" -> turns understood rightly."""
    n_items_returned_to: int
    """Rollbacks that started from the very item that was chosen there."""


def gallery_measures(depth: int, *, is_full: bool) -> dict[str, Measure]:
    """The name says down to which rank a ranking is looked at; MRR without a number is over the full ranking."""
    measures: dict[str, Measure] = {}
    for k in CUTOFFS:
        measures[f"success@{k}"] = partial(_success, k)
    for k in CUTOFFS:
        measures[f"recall@{k}"] = partial(_recall, k)
    measures["MRR" if is_full else f"MRR@{depth}"] = lambda blocks, _: block_reciprocal_rank(blocks, depth)
    measures[f"nDCG@{N_DCG}"] = _ndcg
    return {name: measure for name, measure in measures.items() if _cutoff(name) <= depth}


def pool_measures() -> dict[str, Measure]:
    return {
        "mAP": lambda blocks, grades: block_precisions(blocks) / len(grades),
        "MRR": lambda blocks, _: block_reciprocal_rank(blocks),
        f"nDCG@{N_DCG}": _ndcg,
    }


def _success(k: int, blocks: Sequence[Block], _: Sequence[int]) -> float:
    return block_success(blocks, k)


def _recall(k: int, blocks: Sequence[Block], grades: Sequence[int]) -> float:
    return block_found(blocks, k) / len(grades)


def _ndcg(blocks: Sequence[Block], grades: Sequence[int]) -> float:
    return block_gain(blocks, N_DCG) / best_gain(grades, N_DCG)


def _cutoff(name: str) -> int:
    return int(name.partition("@")[2] or 0)


def score_run(run: Run) -> tuple[Scored, Scored]:
    """Queries on the whole gallery, and queries with candidates of their own. Raises RunError if there are neither."""
    judged = [record for record in run.turns if record.relevant is not None]
    if not judged:
        raise RunError(f"No turn of the run in {run.folder} is judged: there is nothing to score.")
    measures = gallery_measures(int(run.settings["depth"]), is_full=bool(run.settings["is_full_depth"]))
    gallery = score([record for record in judged if not record.in_pool], measures)
    return gallery, score([record for record in judged if record.in_pool], pool_measures())


def score(records: Sequence[TurnRecord], measures: Mapping[str, Measure]) -> Scored:
    values = np.zeros((len(records), len(measures)))
    random = np.zeros_like(values)

    @cache
    def chance(n_items: int, reachable: tuple[int, ...], grades: tuple[int, ...]) -> list[float]:
        return [measure(random_order(n_items, reachable), grades) for measure in measures.values()]

    for row, record in enumerate(records):
        relevant = record.relevant or {}
        grades, reachable = _grades(relevant), _grades(relevant, record.left_out)
        if not grades:
            continue  # nothing can be found: 0, and counted
        blocks = blocks_of(with_ties(record.hits), relevant)
        values[row] = [measure(blocks, grades) for measure in measures.values()]
        random[row] = chance(max(record.n_candidates, len(reachable)), reachable, grades)
    return Scored(tuple(records), tuple(measures), values, random)


def _grades(relevant: Mapping[str, int], left_out: Sequence[str] = ()) -> tuple[int, ...]:
    return tuple(sorted(grade for item_id, grade in relevant.items() if grade > 0 and item_id not in left_out))


def count_out_of_reach(turns: Sequence[TurnRecord]) -> int:
    """Judged queries whose relevant items were all left out of the ranking: they score 0 whatever the encoder finds."""
    relevant = [(record.relevant or {}, record.left_out) for record in turns]
    return sum(bool(_grades(grades)) and not _grades(grades, left_out) for grades, left_out in relevant)


def row_of(scored: Scored, name: str, keep: Callable[[TurnRecord], bool] | None = None) -> Row | None:
    """Means over the queries that are kept; None without any."""
    rows = [row for row, record in enumerate(scored.records) if keep is None or keep(record)]
    if not rows:
        return None
    sessions = [scored.records[row].session_id for row in rows]
    low, high = session_intervals(scored.values[rows], sessions)
    value, random = scored.values[rows].mean(axis=0), scored.random[rows].mean(axis=0)
    cells = {
        measure: Cell(float(value[at]), float(low[at]), float(high[at]), float(random[at]))
        for at, measure in enumerate(scored.measures)
    }
    return Row(name, len(rows), len(set(sessions)), cells)


def breakdowns(scored: Scored) -> dict[str, list[Row]]:
    """What is broken down -> its groups, in a fixed order."""
    keys: Mapping[str, Callable[[TurnRecord], str]] = {
        "by task": lambda record: record.task,
        "by number of earlier turns": lambda record: str(record.n_earlier),
        "by rollback": lambda record: "rollback" if record.rollback_to is not None else "no rollback",
        "by data set": lambda record: record.dataset,
        "by origin": lambda record: record.origin,
    }
    return {title: _groups(scored, key) for title, key in keys.items()}


def _groups(scored: Scored, key: Callable[[TurnRecord], str]) -> list[Row]:
    def row(name: str) -> Row | None:
        return row_of(scored, name, lambda record: key(record) == name)

    names = sorted({key(record) for record in scored.records}, key=_group_order)
    return [found for name in names if (found := row(name)) is not None]


def _group_order(name: str) -> tuple[int, str]:
    tasks = [task.value for task in Task]
    place = int(name) if name.isdigit() else tasks.index(name) if name in tasks else 0
    return place, name


def route(turns: Sequence[TurnRecord]) -> Routing:
    """Of all turns, judged or not."""
    counts: dict[str, Counter[str]] = {}
    right: Counter[str] = Counter()
    for record in turns:
        name = ROLLBACK_ROW if record.rollback_to is not None else record.task
        counts.setdefault(name, Counter())[record.intent or FAILED] += 1
        right[name] += _is_right(record)
    order = sorted(counts, key=lambda name: (name == ROLLBACK_ROW, _group_order(name)))
    returned = sum(record.rollback_to is not None and record.references == record.meant for record in turns)
    return Routing({name: dict(counts[name]) for name in order}, {name: right[name] for name in order}, returned)


def _is_right(record: TurnRecord) -> bool:
    if record.rollback_to is not None:
        return record.intent == Intent.ROLLBACK and record.reference_turn == record.rollback_to
    return record.intent in EXPECTED[Task(record.task)]


def latencies(turns: Sequence[TurnRecord]) -> dict[str, float]:
    """Milliseconds of a turn, models loaded."""
    times = [record.ms for record in turns]
    return {f"p{level}": float(np.percentile(times, level)) for level in (50, 90, 99)}

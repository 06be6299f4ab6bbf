"""Runs systems over a benchmark and keeps their scores on disk; what is finished is not scored again.

OUT/runs/NAME/settings.json   system, revision, benchmark checksum: scores are gone on with under the same alone
OUT/runs/NAME/T1.run ...      scores of one task in TREC form; a file is there once its task is finished
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from eval.rqbench.attributes import Asked, asked_of
from eval.rqbench.metrics import (
    MEASURES,
    Fitted,
    Scores,
    class_measures,
    paraphrase_measures,
    ranked,
    ranking_measures,
    sibling_measures,
)
from eval.runs import RunError, locked, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from eval.rqbench.resampling import Measured
    from eval.rqbench.systems import System
    from retrieval.rq_benchmark import RQBenchmark, TaskName

FORMAT, VERSION = "dimity-rq-run", 1
RUNS, SETTINGS, LOCK, TAG = "runs", "settings.json", "rqbench.lock", "dimity"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """All that one system's scores are worth."""

    name: str
    revision: str
    measures: Mapping[str, Measured]
    """"T1 nDCG@10" -> its values, for the tasks that were asked for."""
    fitted: Fitted | None
    """None without T2."""
    asked: Sequence[Asked]
    """Empty without T1."""


@contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Two commands never write one folder. Raises RunError for one that is being written, and for a file."""
    for folder in (out, out / RUNS):
        if folder.exists() and not folder.is_dir():
            raise RunError(f"{folder} is a file. Choose another --out.")
    with locked(out / LOCK, f"Another command scores into {out}. Wait for it, or choose another --out."):
        yield


def result_of(benchmark: RQBenchmark, tasks: Sequence[TaskName], system: System, out: Path) -> Result:
    """Scores what is not scored yet, then measures. `check_tasks` comes before."""
    scores = run_system(benchmark, tasks, system, out / RUNS / folder_name(system.name))
    measures: dict[str, Measured] = {}
    fitted = None
    for task in tasks:
        if task == "T2":
            found, fitted = class_measures(benchmark, scores[task])
        else:
            found = _MEASURED[task](benchmark, scores[task])
        measures.update({f"{task} {name}": found[name] for name in MEASURES[task]})
    asked = asked_of(benchmark, scores["T1"]) if "T1" in scores else []
    return Result(system.name, system.revision, measures, fitted, asked)


_MEASURED = {"T1": ranking_measures, "T3": sibling_measures, "T4": paraphrase_measures}


def folder_name(name: str) -> str:
    """Of a system, which may be called like a model of a hub: two names never give one folder."""
    plain = re.sub(r"[^A-Za-z0-9._+-]+", "_", name).strip(".")
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def run_system(
    benchmark: RQBenchmark, tasks: Sequence[TaskName], system: System, folder: Path
) -> dict[TaskName, Scores]:
    """Raises RunError for a folder of another benchmark or system, and for scores that are missing or no numbers."""
    _claim(benchmark, system, folder)
    left = [task for task in tasks if not _run_path(folder, task).is_file()]
    if left:
        log.info("%s scores %s", system.name, ", ".join(left))
        scored = _score(benchmark, left, system)
        for task in left:
            of_task = {
                query_id: {item_id: scored[query_id][item_id] for item_id in labels}
                for query_id, labels in benchmark.candidates[task].items()
            }
            write_whole(_run_path(folder, task), _trec_lines(of_task))
    return {task: read_scores(benchmark, task, folder) for task in tasks}


def _run_path(folder: Path, task: TaskName) -> Path:
    return folder / f"{task}.run"


def _claim(benchmark: RQBenchmark, system: System, folder: Path) -> None:
    path = folder / SETTINGS
    wanted = {
        "format": FORMAT, "version": VERSION, "system": system.name, "revision": system.revision,
        "benchmark": benchmark.card["checksum"],
    }  # fmt: skip
    if not path.is_file():
        if folder.exists() and not (
            folder.is_dir() and all(each.name.endswith(".partial") for each in folder.iterdir())
        ):
            raise RunError(f"{folder} holds something else than scores. Choose another --out.")
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, [json.dumps(wanted, indent=2, ensure_ascii=False)])
        return
    found = _read_settings(path)
    changed = sorted(name for name in {**found, **wanted} if found.get(name) != wanted.get(name))
    if changed:
        raise RunError(
            f"The scores in {folder} were made with another {', '.join(changed)}: choose another --out, or delete them."
        )


def _read_settings(path: Path) -> Mapping[str, Any]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is damaged ({error}): delete its folder and score again.") from error
    if not isinstance(settings, dict):
        raise RunError(f"{path} is damaged: delete its folder and score again.")
    return settings


def _score(benchmark: RQBenchmark, tasks: Sequence[TaskName], system: System) -> dict[str, dict[str, float]]:
    """query_id -> item_id -> score; a pair that stands in several tasks is scored once."""
    pairs: dict[str, dict[str, None]] = {}
    for task in tasks:
        for query_id, labels in benchmark.candidates[task].items():
            pairs.setdefault(query_id, {}).update(dict.fromkeys(labels))
    asked = {query_id: list(pairs[query_id]) for query_id in sorted(pairs)}
    answered = system.score(benchmark, asked)
    found = {}
    for query_id, item_ids in asked.items():
        scores = answered.get(query_id)
        if scores is None or len(scores) != len(item_ids):
            n = "no" if scores is None else f"{len(scores)}"
            raise RunError(
                f"{system.name} gave {n} scores for the {len(item_ids)} candidates of query {query_id}: a system has "
                "to score every pair."
            )
        found[query_id] = {item_id: float(score) for item_id, score in zip(item_ids, scores, strict=True)}
        if not all(map(isfinite, found[query_id].values())):
            wrong = next(item_id for item_id, score in found[query_id].items() if not isfinite(score))
            raise RunError(
                f"{system.name} scored product {wrong} for query {query_id} with {found[query_id][wrong]}, which is no "
                "number that can be ranked. Look at the texts of both, or at the system's precision."
            )
    return found


def _trec_lines(scores: Scores) -> Iterable[str]:
    for query_id, of_query in scores.items():
        for rank, item_id in enumerate(ranked(of_query), 1):
            yield f"{query_id} Q0 {item_id} {rank} {of_query[item_id]!r} {TAG}"


def read_scores(benchmark: RQBenchmark, task: TaskName, folder: Path) -> Scores:
    """Raises RunError for a file that does not hold one finite score for every candidate of the task."""
    path = _run_path(folder, task)
    found: dict[str, dict[str, float]] = {query_id: {} for query_id in benchmark.candidates[task]}
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            query_id, _, item_id, _, score, _ = line.split()
            found[query_id][item_id] = float(score)
    except (ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged ({error}): delete it, the task is scored again.") from error
    for query_id, labels in benchmark.candidates[task].items():
        if found[query_id].keys() != labels.keys() or not all(map(isfinite, found[query_id].values())):
            raise RunError(f"{path} lacks scores of query {query_id}: delete it, the task is scored again.")
    return found

"""Measures of the four tasks, per query or group of paraphrases (the paper's section 4 and Table 2).

Every measure of rankings is its expectation over all orders of items with equal scores, exact (ours): any fixed order
of ties would be the same for all paraphrases, and would count as consistency. T1, T3 and T4 fit nothing and count the
queries of both parts; T2 is reported on part "test" (ours: the paper names no parts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from eval.metrics import Ranked, best_gain, block_found, block_gain, ndcg_at, random_order, recall_at, with_ties
from eval.rqbench.resampling import Measured, mean_over
from eval.rqbench.thresholds import Cuts, accuracy, classify, confusion, fit_cuts, macro_f1
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import LABELS, Label, Part, RQBenchmark, TaskName, grade
from retrieval.schema import Hit

if TYPE_CHECKING:
    from numpy.typing import NDArray

Scores = Mapping[str, Mapping[str, float]]
"""query_id -> item_id -> score of one task's candidates."""
DEPTH, SIBLING_DEPTH = 10, 3
CONSISTENCY_DEPTHS = (5, 10)
MEASURES: Mapping[TaskName, tuple[str, ...]] = {
    "T1": ("nDCG@10", "Recall@10"),
    "T2": ("Accuracy", "Macro-F1"),
    "T3": ("nDCG@3", "Recall@3"),
    "T4": ("Consistency@5", "Consistency@10"),
}
N_GUESSES = 2000
"""Random labellings that T2's macro-F1 of chance is the mean of."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """T2's cuts of one system, and what they give where they were fitted."""

    cuts: Cuts
    accuracy: float
    macro_f1: float
    n_pairs: int


def ranked(scores: Mapping[str, float]) -> list[str]:
    """item_ids, best first, ties by item_id."""
    return sorted(scores, key=lambda item_id: (-scores[item_id], item_id))


def blocks_by_score(scores: Mapping[str, float]) -> list[tuple[str, ...]]:
    """item_ids of equal scores together, best first."""
    return with_ties([Hit(item_id, scores[item_id]) for item_id in ranked(scores)])


def check_tasks(benchmark: RQBenchmark, tasks: Sequence[TaskName]) -> None:
    """Raises BenchmarkError for a task that cannot be scored."""
    for task in tasks:
        by_query = benchmark.candidates[task]
        if not by_query:
            raise BenchmarkError(
                f"The benchmark in {benchmark.folder} has no query of {task}: choose others by --tasks."
            )
        for query_id, labels in by_query.items():
            if any(len(name.split()) != 1 for name in (query_id, *labels)):
                raise BenchmarkError(
                    f"Query {query_id!r} of {task}, or a candidate of it, has an id with a space, which a run in TREC "
                    "form cannot hold: build the benchmark again with other ids."
                )
            if task in ("T1", "T3") and "exact" not in labels.values():
                raise BenchmarkError(f"Query {query_id} of {task} has no exact candidate: build the benchmark again.")
        if task == "T2":
            for part in ("validation", "test"):
                if not _queries_of(benchmark, part):
                    raise BenchmarkError(
                        f"No query of T2 in {benchmark.folder} is of part {part}: its thresholds are fitted on "
                        "validation and reported on test. Build the benchmark with both, or leave T2 out by --tasks."
                    )
        if task == "T4" and not _groups(benchmark):
            raise BenchmarkError(f"No group of T4 in {benchmark.folder} has two paraphrases: leave T4 out by --tasks.")


def ranking_measures(benchmark: RQBenchmark, scores: Scores) -> dict[str, Measured]:
    """T1: nDCG@10 with gains of 3, 2, 1, 0 (linear, ours); Recall@10 of the exact candidates."""
    return _of_rankings(benchmark, "T1", scores, DEPTH, {label: grade(label) for label in LABELS})


def sibling_measures(benchmark: RQBenchmark, scores: Scores) -> dict[str, Measured]:
    """T3: nDCG@3 and Recall@3 of the exact candidate among its siblings."""
    return _of_rankings(benchmark, "T3", scores, SIBLING_DEPTH, {"exact": 1})


def _of_rankings(
    benchmark: RQBenchmark, task: TaskName, scores: Scores, k: int, gains: Mapping[Label, int]
) -> dict[str, Measured]:
    found = []
    for query_id, labels in benchmark.candidates[task].items():
        ranking = blocks_by_score(scores[query_id])
        graded = {item_id: gains.get(label, 0) for item_id, label in labels.items()}
        exact = {item_id: 1 for item_id, label in labels.items() if label == "exact"}
        values = ndcg_at(ranking, graded, k), recall_at(ranking, exact, k)
        random = _random(k, tuple(sorted(graded.values())), len(exact))
        found.append((benchmark.queries[query_id].leaf, values, random))
    leaves = [leaf for leaf, _, _ in found]
    return {
        name: mean_over(leaves, [values[at] for _, values, _ in found], [random[at] for _, _, random in found])
        for at, name in enumerate(MEASURES[task])
    }


@cache
def _random(k: int, grades: tuple[int, ...], n_exact: int) -> tuple[float, float]:
    """nDCG and recall that a random order is expected to give."""
    gains = [each for each in grades if each]
    ndcg = block_gain(random_order(len(grades), gains), k) / best_gain(gains, k)
    return ndcg, block_found(random_order(len(grades), [1] * n_exact), k) / n_exact


def class_measures(benchmark: RQBenchmark, scores: Scores) -> tuple[dict[str, Measured], Fitted]:
    """T2 on part "test", all pairs counted alike, with cuts of the highest accuracy on part "validation"."""
    known = _pairs(benchmark, scores, "validation")
    truth = np.concatenate([grades for _, grades in known.values()])
    values = np.concatenate([found for found, _ in known.values()])
    cuts = fit_cuts(values, truth)
    there = confusion(truth, classify(values, cuts))
    fitted = Fitted(cuts, float(accuracy(there)), float(macro_f1(there)), len(truth))

    asked = _pairs(benchmark, scores, "test")
    leaves = tuple(benchmark.queries[query_id].leaf for query_id in asked)
    counts = np.stack([confusion(grades, classify(found, cuts)) for found, grades in asked.values()])
    guessed = _guessed_macro_f1(counts.sum(axis=0))
    measured = (Measured(leaves, counts, accuracy, 1 / len(LABELS)), Measured(leaves, counts, macro_f1, guessed))
    return dict(zip(MEASURES["T2"], measured, strict=True)), fitted


def _queries_of(benchmark: RQBenchmark, part: Part) -> list[str]:
    return [query_id for query_id in benchmark.candidates["T2"] if benchmark.queries[query_id].part == part]


def _pairs(
    benchmark: RQBenchmark, scores: Scores, part: Part
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """query_id -> scores and grades of its candidates."""
    found = {}
    for query_id in _queries_of(benchmark, part):
        labels = benchmark.candidates["T2"][query_id]
        values = np.array([scores[query_id][item_id] for item_id in labels], np.float64)
        found[query_id] = values, np.array([grade(label) for label in labels.values()], np.int64)
    return found


def _guessed_macro_f1(counts: NDArray[np.float64]) -> float:
    """Of labels drawn alike for every pair; has no closed form."""
    n = len(LABELS)
    rng = np.random.default_rng(0)
    of_each = counts.reshape(n, n).sum(axis=1).astype(np.int64)
    guesses = np.stack([rng.multinomial(total, np.full(n, 1 / n), size=N_GUESSES) for total in of_each], axis=1)
    return float(macro_f1(guesses.reshape(N_GUESSES, n * n).astype(np.float64)).mean())


def paraphrase_measures(benchmark: RQBenchmark, scores: Scores) -> dict[str, Measured]:
    """T4: what the first k of two paraphrases share, mean over the pairs of a group, then over groups."""
    groups = _groups(benchmark)
    leaves = [benchmark.queries[queries[0]].leaf for queries in groups.values()]
    rankings = [[blocks_by_score(scores[query_id]) for query_id in queries] for queries in groups.values()]
    sizes = [len(scores[queries[0]]) for queries in groups.values()]
    return {
        name: mean_over(
            leaves,
            [consistency_at(each, k) for each in rankings],
            [min(1.0, k / size) for size in sizes],
        )
        for name, k in zip(MEASURES["T4"], CONSISTENCY_DEPTHS, strict=True)
    }


def consistency_at(rankings: Sequence[Ranked], k: int) -> float:
    """Mean over the pairs of rankings of the share of the first k that both hold; k is at most the candidates' number.

    All rankings hold the same items; two random orders are expected to share k / n of them.
    """
    chances = [_chances_at(ranking, k) for ranking in rankings]
    n_places = sum(chances[0].values())
    shared = [sum(chance * b.get(item_id, 0.0) for item_id, chance in a.items()) for a, b in combinations(chances, 2)]
    return float(np.mean(shared)) / n_places


def _chances_at(ranking: Ranked, k: int) -> dict[str, float]:
    """item_id -> chance that it stands in the first k; without those that have none."""
    found: dict[str, float] = {}
    before = 0
    for entry in ranking:
        item_ids = (entry,) if isinstance(entry, str) else entry
        if before < k:
            found.update(dict.fromkeys(item_ids, min(1.0, (k - before) / len(item_ids))))
        before += len(item_ids)
    return found


def _groups(benchmark: RQBenchmark) -> dict[str, list[str]]:
    """group_id -> its queries of T4; one query alone has nothing to agree with.

    Raises BenchmarkError where paraphrases have other candidates.
    """
    groups: dict[str, list[str]] = {}
    for query_id in benchmark.candidates["T4"]:
        groups.setdefault(benchmark.queries[query_id].group_id, []).append(query_id)
    for group_id, queries in groups.items():
        if len({frozenset(benchmark.candidates["T4"][query_id]) for query_id in queries}) > 1:
            raise BenchmarkError(f"The paraphrases of group {group_id} have other candidates each: build again.")
    return {group_id: queries for group_id, queries in groups.items() if len(queries) > 1}

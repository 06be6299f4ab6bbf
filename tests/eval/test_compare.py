import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eval.compare import compare, comparison_table, mean_table, permutation_test
from eval.runs import Run, RunError, TurnRecord
from retrieval.schema import Hit

SETTINGS = {
    "benchmark": "b",
    "checksum": "sha256:1",
    "split": "test",
    "limit": None,
    "history": "recorded",
    "encoder": "e 1",
    "gallery_hash": "0123",
    "n_gallery": 10,
    "n_skipped": 0,
    "agent": "c0de",
    "depth": 10,
    "is_full_depth": True,
}


def run(ranks: list[int], **changes) -> Run:
    """One session a query; the relevant item at that rank."""
    turns = []
    for number, rank in enumerate(ranks):
        hits = tuple(Hit("it" if place == rank else f"x{place}", 1.0 / place) for place in range(1, 11))
        turns.append(TurnRecord(f"s{number}/1", "cir", "d", "source", 10, hits, 1.0, {"it": 1}))
    return Run(Path("runs/some"), {**SETTINGS, **changes}, tuple(turns))


def test_the_permutation_test_agrees_with_all_permutations():
    differences = np.array([[0.5], [0.2], [-0.1], [0.4], [0.3]])
    observed = abs(differences.sum())
    signed = [abs(sum(s * d for s, d in zip(signs, differences[:, 0], strict=True))) for signs in
              itertools.product((1, -1), repeat=5)]  # fmt: skip
    exact = sum(value >= observed - 1e-12 for value in signed) / len(signed)
    (p,) = permutation_test(differences, list("abcde"))
    assert p == pytest.approx(exact, abs=0.01)


def test_turns_of_a_session_change_places_together():
    differences = np.full((8, 1), 0.5)
    assert permutation_test(differences, ["one"] * 8)[0] == 1
    assert permutation_test(differences, list("abcdefgh"))[0] < 0.02


def test_equal_runs_do_not_differ_and_a_better_one_does():
    a = run([3, 2, 6] * 10)
    (same,) = compare(a, a).values()
    assert all((d.low, d.high, d.p) == (0, 0, 1) for d in same)
    (better,) = compare(a, run([1] * 30)).values()
    first = next(d for d in better if d.measure == "success@1")
    assert (first.a, first.b) == (0, 1)
    assert first.p < 0.001
    (worse,) = compare(run([1] * 30), a).values()
    assert [(d.a, d.b, d.p) for d in worse] == [(d.b, d.a, d.p) for d in better]


@pytest.mark.parametrize(
    "changes",
    [
        {"checksum": "sha256:2"},
        {"split": "val"},
        {"limit": 3},
        {"gallery_hash": "4567"},
        {"n_skipped": 1},
        {"references_stay": True},
    ],
)
def test_runs_over_other_queries_or_another_gallery_are_not_compared(changes):
    with pytest.raises(RunError, match=next(iter(changes))):
        compare(run([1]), run([1], **changes))


def test_the_table_names_both_runs_and_the_denominator():
    text = comparison_table(run([1, 4]), run([2, 4], history="live"))
    assert "recorded history" in text
    assert "live history" in text
    assert "gallery 0123 of 10" in text
    assert "whole gallery: 2 queries" in text


def test_the_mean_over_benchmarks_counts_each_once():
    text = mean_table([run([1] * 9, benchmark="dress"), run([9], benchmark="shirt")])
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line.startswith("  ")}
    assert lines["dress"][1:3] == ["9", "1.000"]
    assert lines["shirt"][1:3] == ["1", "0.000"]
    assert lines["mean"][1:3] == ["10", "0.500"]
    assert lines["random"][2] == "0.100"


@pytest.mark.parametrize(
    "changes",
    [
        {"encoder": "e 2"},
        {"agent": "other"},
        {"limit": 3},
        {"references_stay": True},
        {"is_full_depth": False},
        {"split": "val"},
        {"history": "live"},
    ],
)
def test_runs_that_were_measured_differently_have_no_mean(changes):
    with pytest.raises(RunError, match=f"another {next(iter(changes))} each"):
        mean_table([run([1]), run([1], **changes)])


def test_depths_differ_with_the_galleries_unless_rankings_are_cut():
    mean_table([run([1], depth=10), run([1], depth=12)])
    with pytest.raises(RunError, match="another depth each"):
        mean_table([run([1], is_full_depth=False), run([1], depth=12, is_full_depth=False)])


def test_the_mean_says_whether_references_are_candidates_and_what_is_skipped():
    assert "no ranking, by design of the agent" in mean_table([run([1])])
    text = mean_table([run([1], references_stay=True, n_skipped=2)])
    assert "as in the benchmark's own protocol" in text
    assert "2 without a usable picture" in text


def test_a_run_of_pools_alone_has_no_mean():
    pools = run([1])
    pools = replace(pools, turns=tuple(replace(turn, in_pool=True) for turn in pools.turns))
    with pytest.raises(RunError, match="no query on the whole gallery"):
        mean_table([pools])

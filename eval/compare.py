"""Compares runs over the same queries: two side by side with a paired test, or several as a mean over benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eval.metrics import session_intervals, session_sums
from eval.report import Table, as_text, candidates_sentence, system_words
from eval.runs import Run, RunError
from eval.scores import Scored, row_of, score_run

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_PERMUTATIONS = 10_000
SAME = ("checksum", "split", "limit", "gallery_hash", "n_skipped", "references_stay")
"""Settings that two runs must share to be compared: the queries and what is ranked for them."""
SAME_IN_MEAN = (
    "split", "history", "protocol", "references", "system", "encoder", "agent", "limit", "is_full_depth",
    "references_stay",
)  # fmt: skip
"""Settings that runs over several benchmarks must share to have a mean; where rankings are cut, `depth` too."""
BLOCK = 500
"""Permutations that are tried at a time."""
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure of two runs, b - a."""

    measure: str
    a: float
    b: float
    low: float
    high: float
    """A 95 % interval of the difference, whole sessions resampled."""
    p: float
    """Two-sided, of a paired permutation test."""


def compare(a: Run, b: Run) -> dict[str, list[Difference]]:
    """Kind of query -> measures. Raises RunError for runs over different queries."""
    refuse_other_queries(a, b)
    titles = ("whole gallery", "candidates of the query's own (ASFR)")
    pairs = zip(titles, score_run(a), score_run(b), strict=True)
    return {title: _differences(ours, theirs) for title, ours, theirs in pairs if ours.records}


def refuse_other_queries(a: Run, b: Run) -> None:
    """Raises RunError for runs over different queries, or another gallery."""
    for name in SAME:
        one, other = a.settings.get(name), b.settings.get(name)
        if one != other:
            raise RunError(
                f"{a.folder} and {b.folder} have another {name} ({one!r} and {other!r}): compare runs over the same "
                "queries and the same gallery."
            )


def _differences(a: Scored, b: Scored) -> list[Difference]:
    measures = [name for name in a.measures if name in b.measures]
    first = a.values[:, [a.measures.index(name) for name in measures]]
    second = b.values[:, [b.measures.index(name) for name in measures]]
    sessions = [record.session_id for record in a.records]
    low, high = session_intervals(second - first, sessions)
    p = permutation_test(second - first, sessions)
    means = first.mean(axis=0), second.mean(axis=0)
    return [Difference(name, *(float(part[at]) for part in (*means, low, high, p))) for at, name in enumerate(measures)]


def permutation_test(
    differences: NDArray[np.float64], sessions: Sequence[str], *, n_samples: int = N_PERMUTATIONS, seed: int = 0
) -> NDArray[np.float64]:
    """Two-sided p of the mean difference, shape (n_measures,): how often one at least as large comes about when the
    two runs change places at random, session by session. `differences` has shape (n_queries, n_measures)."""
    sums = session_sums(differences, sessions)[0]
    observed = np.abs(sums.sum(axis=0)) - ROUNDING * len(differences)
    rng = np.random.default_rng(seed)
    extreme = np.zeros(sums.shape[1])
    for start in range(0, n_samples, BLOCK):
        signs = rng.integers(0, 2, (min(BLOCK, n_samples - start), len(sums))) * 2.0 - 1.0
        extreme += (np.abs(signs @ sums) >= observed).sum(axis=0)
    p: NDArray[np.float64] = (extreme + 1) / (n_samples + 1)
    return p


def comparison_table(a: Run, b: Run) -> str:
    lines = [f"a: {_described(a)}", f"b: {_described(b)}"]
    for title, differences in compare(a, b).items():
        n_queries = sum(turn.relevant is not None and turn.in_pool == (title != "whole gallery") for turn in a.turns)
        rows = [
            (d.measure, f"{d.a:.3f}", f"{d.b:.3f}", f"{d.b - d.a:+.3f}", f"{d.low:+.3f} to {d.high:+.3f}", f"{d.p:.4f}")
            for d in differences
        ]
        lines += ["", f"{title}: {n_queries:,} queries", as_text(Table(_HEAD, rows))]
    return "\n".join(lines)


_HEAD = ("measure", "a", "b", "b - a", "95 % interval", "p")


def _described(run: Run) -> str:
    settings = run.settings
    skipped = f" and {settings['n_skipped']:,} without a usable picture" if settings["n_skipped"] else ""
    return (
        f"{run.folder} ({settings['benchmark']}, {settings['split']}, {settings['history']} history, "
        f"{system_words(settings)}, gallery {settings['gallery_hash']} of {settings['n_gallery']:,}{skipped}, "
        f"rank {settings['depth']:,}, code {settings['agent']})"
    )


def mean_table(runs: Sequence[Run]) -> str:
    """One line a run, then the mean over runs: each benchmark counts the same, however many queries it has.

    Of queries on the whole gallery. Raises RunError where a run has none, or where they were measured differently.
    """
    _check_mean(runs)
    rows = []
    for run in runs:
        row = row_of(score_run(run)[0], str(run.settings["benchmark"]))
        if row is None:
            raise RunError(f"The run in {run.folder} has no query on the whole gallery.")
        rows.append(row)
    measures = [
        name for name in rows[0].cells if not name.startswith("recall") and all(name in row.cells for row in rows)
    ]
    lines = [(r.name, f"{r.n_queries:,}", *(f"{r.cells[name].value:.3f}" for name in measures)) for r in rows]
    means = [float(np.mean([row.cells[name].value for row in rows])) for name in measures]
    random = [float(np.mean([row.cells[name].random for row in rows])) for name in measures]
    total = f"{sum(row.n_queries for row in rows):,}"
    lines += [("mean", total, *(f"{value:.3f}" for value in means))]
    lines += [("random", total, *(f"{value:.3f}" for value in random))]
    said = [*map(_described, runs), candidates_sentence(runs[0].settings)]
    return "\n".join([*said, "", as_text(Table(("", "queries", *measures), lines))])


def _check_mean(runs: Sequence[Run]) -> None:
    is_cut = not all(run.settings["is_full_depth"] for run in runs)
    for name in (*SAME_IN_MEAN, *(("depth",) if is_cut else ())):
        values = sorted({str(run.settings.get(name)) for run in runs})
        if len(values) > 1:
            raise RunError(f"These runs have another {name} each ({', '.join(values)}): they have no mean.")

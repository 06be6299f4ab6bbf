"""The tables of a comparison: the paper's Tables 2, 3, 9 and 10 with its rows beside ours, and what differs.

Every value stands with its 95 % interval; what chance gives is a row of its own, equal for all systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, Any

from eval.report import Section, Table, as_text
from eval.rqbench import published
from eval.rqbench.attributes import attribute_measures, weighted_relevance
from eval.rqbench.metrics import MEASURES
from eval.rqbench.resampling import LEVEL, N_SAMPLES, Difference, Estimate, Measured, difference, estimate

if TYPE_CHECKING:
    from eval.rqbench.scoring import Result
    from eval.rqbench.twins import Effect
    from eval.rqbench.weights import Weights
    from retrieval.rq_benchmark import RQBenchmark, TaskName

FORMAT, VERSION = "dimity-rqbench", 1
RELEVANCE, PUBLISHED_RELEVANCE = "Rel.", "Rel. (paper's w)"
RANDOM, BEST, OTHER_DATA, NOT_ASKED, NONE = "random", "best order", "published, other data", "not asked", "-"
COLUMNS_OF_TEXT = 4
"""Measures side by side in a terminal."""
PUBLISHED_COLUMNS: tuple[str, ...] = tuple(f"{task} {name}" for task, names in MEASURES.items() for name in names)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All values of the systems over one benchmark, ready to be written."""

    benchmark: RQBenchmark
    tasks: Sequence[TaskName]
    results: Sequence[Result]
    weights: Weights | None
    """None where the paper's are used, or T1 is left out, or no query names an attribute."""
    values: Mapping[str, Mapping[str, Estimate]]
    """System -> measure, of the tasks."""
    attributes: Mapping[str, Mapping[str, Estimate]]
    """System -> attribute, or a weighted relevance."""
    differences: Mapping[tuple[str, str], Mapping[str, Difference]]
    """Two systems, in their order -> measure, of the tasks and of the weighted relevance."""


def compare(
    benchmark: RQBenchmark, tasks: Sequence[TaskName], results: Sequence[Result], weights: Weights | None
) -> Comparison:
    of_tasks = {each.name: each.measures for each in results}
    relevances = {each.name: _relevances(each, weights) for each in results}
    shares = {each.name: {**relevances[each.name], **attribute_measures(each.asked)} for each in results}
    return Comparison(
        benchmark, tasks, results, weights, _estimated(of_tasks), _estimated(shares),
        {
            (a.name, b.name): _differences({**a.measures, **relevances[a.name]}, {**b.measures, **relevances[b.name]})
            for a, b in combinations(results, 2)
        },
    )  # fmt: skip


def _relevances(result: Result, weights: Weights | None) -> dict[str, Measured]:
    named = {PUBLISHED_RELEVANCE: {name: each.weight for name, each in published.WEIGHTS.items()}}
    if weights:
        named = {RELEVANCE: dict(weights.weights), **named}
    found = {name: weighted_relevance(result.asked, each) for name, each in named.items()}
    return {name: measured for name, measured in found.items() if measured}


def _estimated(measured: Mapping[str, Mapping[str, Measured]]) -> dict[str, dict[str, Estimate]]:
    return {system: {name: estimate(each) for name, each in values.items()} for system, values in measured.items()}


def _differences(a: Mapping[str, Measured], b: Mapping[str, Measured]) -> dict[str, Difference]:
    return {name: difference(a[name], b[name]) for name in a}


def sections_of(comparison: Comparison, n_columns: int | None = None) -> list[Section]:
    """n_columns: how many measures stand in one table; None is all."""
    found = [Section("What was measured", protocol(comparison)), _tasks(comparison, n_columns)]
    if "T2" in comparison.tasks:
        found.append(_thresholds(comparison))
    if "T1" in comparison.tasks:
        found.append(_attributes(comparison, n_columns))
    if comparison.weights:
        found.append(_weights(comparison.weights))
    if comparison.differences:
        found.append(_compared(comparison, n_columns))
    return found


def text_of(comparison: Comparison) -> str:
    """For a terminal."""
    lines: list[str] = []
    for section in sections_of(comparison, COLUMNS_OF_TEXT):
        lines += ["", section.title]
        for part in section.parts:
            lines += ["", part if isinstance(part, str) else as_text(part)]
    return "\n".join(lines[1:])


def protocol(comparison: Comparison) -> list[str]:
    """What every number depends on, in sentences."""
    benchmark = comparison.benchmark
    counts = []
    for task in comparison.tasks:
        by_query = benchmark.candidates[task]
        counts.append(f"{task} {len(by_query):,} queries, {sum(map(len, by_query.values())):,} pairs")
    n_leaves = len({query.leaf for query in benchmark.queries.values()})
    encoder = benchmark.card.get("encoder", {}).get("encoder", "an encoder that its card does not name")
    return [
        f"Benchmark {benchmark.card.get('name', benchmark.folder.name)}, checksum {benchmark.card['checksum']}: "
        f"{'; '.join(counts)}; {n_leaves:,} leaves.",
        "Systems: " + ", ".join(f"{each.name} ({each.revision})" for each in comparison.results) + ".",
        f"Labels are relations in a hierarchy over vectors of {encoder}: systems that compare by these vectors have an "
        "advantage over others.",
        "Rankings by score; equal scores count as the mean over all their orders (ours). T1: gains of 3, 2, 1, 0 for "
        "exact, sibling, related, irrelevant, linear; Recall of the exact candidates. T2: test queries alone, all "
        "others count the queries of both parts. T3: the exact candidate alone is relevant. T4: share of the first k "
        "that two paraphrases have in common, mean over the pairs of a group, then over groups.",
        f"Intervals: {LEVEL * 100:g} %, {N_SAMPLES:,} bootstrap samples of whole leaves, since paraphrases of a leaf "
        "depend on each other. Random: what a random order, or a random label, is expected to give (exact; macro-F1 "
        "simulated).",
        f"Rows marked '{OTHER_DATA}' are from the paper's tables: another catalogue sample, other queries.",
    ]


def _tasks(comparison: Comparison, n_columns: int | None) -> Section:
    measures = [f"{task} {name}" for task in comparison.tasks for name in MEASURES[task]]
    others = {name: dict(zip(PUBLISHED_COLUMNS, values, strict=True)) for name, values in published.TASKS.items()}
    return Section("Tasks (Table 2)", _tables(measures, comparison.values, others, n_columns))


def _tables(
    names: Sequence[str],
    values: Mapping[str, Mapping[str, Estimate]],
    others: Mapping[str, Mapping[str, float]],
    n_columns: int | None,
) -> list[str | Table]:
    first = next(iter(values.values()))
    tables: list[str | Table] = []
    for part in _split(names, n_columns):
        rows = [(system, *(_cell(found.get(name)) for name in part)) for system, found in values.items()]
        rows.append((RANDOM, *(f"{first[name].random:.3f}" if name in first else NONE for name in part)))
        if any(first[name].best < 1 for name in part if name in first):
            rows.append((BEST, *(f"{first[name].best:.3f}" if name in first else NONE for name in part)))
        rows += [
            (f"{system} ({OTHER_DATA})", *(f"{found[name]:.3f}" if name in found else NONE for name in part))
            for system, found in others.items()
        ]
        tables.append(Table(("", *part), rows))
    return tables


def _split(names: Sequence[str], n_columns: int | None) -> list[Sequence[str]]:
    n = n_columns or len(names)
    return [names[start : start + n] for start in range(0, len(names), n)]


def _cell(found: Estimate | None) -> str:
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]" if found else NOT_ASKED


def _thresholds(comparison: Comparison) -> Section:
    rows = [
        (
            result.name, *(f"{cut:.4g}" for cut in result.fitted.cuts),
            f"{result.fitted.accuracy:.3f}", f"{result.fitted.macro_f1:.3f}", f"{result.fitted.n_pairs:,}",
        )
        for result in comparison.results
        if result.fitted
    ]  # fmt: skip
    head = ("", "related from", "sibling from", "exact from", "accuracy there", "macro-F1 there", "pairs")
    said = (
        "Cuts of the highest accuracy on the validation queries, the same for all queries (ours). Accuracy and "
        "macro-F1 of Table 2 are those of the same cuts on the test queries."
    )
    return Section("Thresholds of T2", [said, Table(head, rows)])


def _attributes(comparison: Comparison, n_columns: int | None) -> Section:
    title = "Weighted relevance and attribute scores (Table 3)"
    asked = {name for values in comparison.attributes.values() for name in values}
    if not asked:
        return Section(title, ["No query of T1 names an attribute: not asked."])
    relevances = [name for name in (RELEVANCE, PUBLISHED_RELEVANCE) if name in asked]
    more = sorted(asked - {*relevances, *published.ATTRIBUTES})
    others = {
        name: dict(zip((PUBLISHED_RELEVANCE, *published.ATTRIBUTES), values, strict=True))
        for name, values in published.ATTRIBUTE_SCORES.items()
    }
    counts = next(iter(comparison.attributes.values()))
    named = ", ".join(
        f"{name} {counts[name].n_units:,}" for name in (*relevances, *published.ATTRIBUTES, *more) if name in counts
    )
    said = (
        "Attribute score: of the first ten of T1 the share that has the value which the words name, mean over the "
        "queries that name the attribute (ours). Relevance: their mean by weight within a query, mean over the queries "
        "that name an attribute of weight; once with our weights, once with the paper's six. Best order: "
        "what the candidates allow, fewer than ten of which may have the value; the paper does not say what its scores "
        f"are shares of, and only the order of systems can be compared with it. Queries: {named}."
    )
    return Section(
        title, [said, *_tables([*relevances, *published.ATTRIBUTES, *more], comparison.attributes, others, n_columns)]
    )


def _weights(weights: Weights) -> Section:
    names = sorted(weights.weights, key=lambda name: (-weights.weights[name], name))
    names += [name for name in published.WEIGHTS if name not in names]
    said = (
        f"Oracle: {weights.oracle}. Twins: two products that differ in the attribute alone, asked for by a query that "
        "names it; mean difference of the logits, twin pairs resampled. Ridge: logits on attribute matches within "
        "queries. w: the mean of both shares, scaled to a sum of 1 (ours). Published columns: other data, another "
        "oracle; only shares and order can be compared."
    )
    twins = [(name, *_twins_row(weights.effects.get(name), published.WEIGHTS.get(name))) for name in names]
    blended = [(name, *_weight_row(weights, name, published.WEIGHTS.get(name))) for name in names]
    head = ("", "N", "twin pairs", "difference", "sign", "published N", "published difference", "published sign")
    second = ("", "ridge", "VIF", "w", "published ridge", "published VIF", "published w")
    return Section("Attribute weights (Tables 9 and 10)", [said, Table(head, twins), Table(second, blended)])


def _twins_row(effect: Effect | None, paper: published.Weight | None) -> tuple[str, ...]:
    ours, theirs = (NONE,) * 4, (NONE,) * 3
    if effect:
        ours = f"{effect.n:,}", f"{effect.n_pairs:,}", _signed(effect), f"{effect.sign_consistency:.2f}"
    if paper:
        theirs = f"{paper.n:,}", _signed(paper), f"{paper.sign_consistency:.2f}"
    return *ours, *theirs


def _weight_row(weights: Weights, name: str, paper: published.Weight | None) -> tuple[str, ...]:
    coefficient, weight = weights.coefficients.get(name), weights.weights.get(name)
    ours = (f"{coefficient.ridge:.3f}", f"{coefficient.vif:.2f}") if coefficient else (NONE, NONE)
    theirs = (f"{paper.coefficient:.3f}", f"{paper.vif:.2f}", f"{paper.weight:.3f}") if paper else (NONE,) * 3
    return *ours, f"{weight:.3f}" if weight is not None else NONE, *theirs


def _signed(found: Effect | published.Weight) -> str:
    return f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def _compared(comparison: Comparison, n_columns: int | None) -> Section:
    names = list(next(iter(comparison.differences.values())))
    parts: list[str | Table] = [
        "First less second, with the interval of the difference and its two-sided p, both systems resampled with the "
        "same leaves. The p are not corrected for the number of comparisons."
    ]
    for part in _split(names, n_columns):
        rows = [
            (f"{a} - {b}", *(_difference(found[name]) for name in part))
            for (a, b), found in comparison.differences.items()
        ]
        parts.append(Table(("", *part), rows))
    return Section("Differences", parts)


def _difference(found: Difference) -> str:
    p = f"{found.p:.3f}" if found.p >= 0.001 else "<0.001"
    return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}] p {p}"


def plain(comparison: Comparison) -> dict[str, Any]:
    """For JSON: every value, unrounded; null for an infinite cut."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "benchmark": comparison.benchmark.card["checksum"],
        "tasks": list(comparison.tasks),
        "systems": [
            {
                "name": each.name,
                "revision": each.revision,
                "measures": {name: asdict(value) for name, value in comparison.values[each.name].items()},
                "attributes": {name: asdict(value) for name, value in comparison.attributes[each.name].items()},
                "thresholds": [cut if isfinite(cut) else None for cut in each.fitted.cuts] if each.fitted else None,
            }
            for each in comparison.results
        ],
        "weights": asdict(comparison.weights) if comparison.weights else None,
        "differences": [
            {"a": a, "b": b, "measures": {name: asdict(value) for name, value in found.items()}}
            for (a, b), found in comparison.differences.items()
        ],
    }

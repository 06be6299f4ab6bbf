"""STATS.md of a build: the paper's Tables 1, 5, 6, 7 and 8 filled in, with the published numbers beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from builders.fashion_rq import published
from builders.fashion_rq.hierarchy import attribute_columns
from builders.fashion_rq.leaves import DEPTH, above
from builders.fashion_rq.lexicon import fold
from builders.fashion_rq.purity import level_records
from builders.markdown import NOTHING, table
from retrieval.rq_benchmark import LABELS, TASKS, Label, RQBenchmark, TaskName

TASK_NAMES: Mapping[TaskName, str] = {
    "T1": "T1: ranking",
    "T2": "T2: relevance classification",
    "T3": "T3: sibling discrimination",
    "T4": "T4: paraphrase robustness",
}
Reports = Mapping[str, Sequence[Mapping[str, Any]]]
"""Codebook -> the records of its levels, as `purity.level_records` has them."""


def write_stats(benchmark: RQBenchmark) -> str:
    """Markdown, the same for equal input."""
    parts = [
        f"# {benchmark.card.get('name', 'FASHION-RQ')}: statistics",
        _made_by(benchmark.card),
        *_catalogue(benchmark),
        *hierarchy_tables(_reports(benchmark)),
        *_composition(benchmark),
        *_labels(benchmark),
        *_queries(benchmark),
        *_left_out(benchmark.card),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _made_by(card: Mapping[str, Any]) -> str:
    said = [(name, card[name]) for name in ("command", "checksum", "seed", "writer", "gallery") if name in card]
    said += [(f"encoder.{name}", value) for name, value in card.get("encoder", {}).items()]
    said += [(f"settings.{name}", value) for name, value in sorted(card.get("settings", {}).items())]
    return "\n".join(f"- {name}: `{value}`" for name, value in said)


def _catalogue(benchmark: RQBenchmark) -> Iterator[str]:
    yield "## Table 1: the catalogue and the clusters that are asked for"
    listings = benchmark.listings.values()
    rows: list[Sequence[object]] = [("products", len(benchmark.listings), "")]
    for name in sorted({name for listing in listings for name in listing.attributes} | published.CATALOGUE.keys()):
        n_values = len({str(value) for one in listings if fold(value := one.attributes.get(name))})
        rows.append((f"values of {name.replace('_', ' ')}", n_values or "", published.CATALOGUE.get(name, "")))
    asked = {query.leaf for query in benchmark.queries.values()}
    clusters = [len({above(leaf)[depth] for leaf in asked}) for depth in range(DEPTH)]
    rows.append(("clusters at levels 1 / 2 / 3", _steps(clusters), _steps(published.CLUSTERS)))
    rows.append(("clusters in all", sum(clusters), sum(published.CLUSTERS)))
    yield table(("", "here", "published"), rows)


def _steps(numbers: Sequence[int]) -> str:
    return " / ".join(map(str, numbers))


def hierarchy_tables(reports: Reports) -> Iterator[str]:
    """Tables 5 and 6."""
    yield from _purity(reports)
    yield from _fragmentation(reports)


def _purity(reports: Reports) -> Iterator[str]:
    yield "## Table 5: weighted attribute purity"
    rows = []
    for name, there in published.PURITY.items():
        here = [level["purity"].get(name) for levels in reports.values() for level in levels]
        rows.append((name.replace("_", " "), *map(_percent, here), *map(_percent, there)))
    heads = [f"{codebook}, level {level['level']}" for codebook, levels in reports.items() for level in levels]
    yield table(("attribute", *heads, *(f"published, {size}" for size in published.CODEBOOKS)), rows)
    yield (
        "By the size of the codebook. Share of the products that have the commonest value of their cluster; the paper "
        "does not say of which level."
    )


def _reports(benchmark: RQBenchmark) -> Reports:
    """Of the benchmark's own codebook from its listings, of others from the card."""
    listings = list(benchmark.listings.values())
    codes = np.array([listing.codes for listing in listings], np.int64)
    own = int(benchmark.card.get("settings", {}).get("codebook", codes.max() + 1))
    levels = level_records(codes, own, attribute_columns(listings))
    reports = {**benchmark.card.get("hierarchies", {}), str(own): levels}
    return dict(sorted(reports.items(), key=lambda pair: int(pair[0])))


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{share:.1%}"


def _fragmentation(reports: Reports) -> Iterator[str]:
    yield "## Table 6: clusters by level"
    rows: list[Sequence[object]] = []
    for codebook, levels in reports.items():
        for level in levels:
            size = f"{level['items_per_cluster']:.1f}"
            published_levels = published.FRAGMENTATION.get(int(codebook))
            there = published_levels[level["level"] - 1] if published_levels else ("", "")
            use = (f"{level['perplexity']:.1f}", level["dead"])
            rows.append((f"{codebook}, D{level['level']}", level["clusters"], size, *use, *there))
    heads = ("clusters", "items a cluster", "perplexity", "dead codes", "clusters, published", "items, published")
    yield table(("codebook, level", *heads), rows)
    yield "The paper's Table 6 contradicts itself: 156 clusters at level 1 are more than a codebook of 128 can give."


def _composition(benchmark: RQBenchmark) -> Iterator[str]:
    yield "## Table 7: composition of the tasks"
    rows = []
    for task in TASKS:
        rows_of_task = benchmark.candidates[task]
        sizes = [len(labels) for labels in rows_of_task.values()]
        there = published.TASKS[task]
        leaves = {benchmark.queries[query_id].leaf for query_id in rows_of_task}
        here = (len(sizes), sum(sizes), _range(sizes), len(leaves))
        rows.append((TASK_NAMES[task], *here, there.n_queries, there.n_pairs, there.candidates, there.n_leaves))
    heads = ("queries", "pairs", "candidates a query", "leaves")
    yield table(("task", *heads, *(f"{head}, published" for head in heads)), rows)
    groups = Counter(query.group_id for query in benchmark.queries.values())
    words = [len(query.text.split()) for query in benchmark.queries.values()]
    of_both = [
        ("groups of paraphrases", len(groups), 416),
        ("paraphrases a group", _range(list(groups.values())), published.PARAPHRASES),
        ("words a query", _range(words), published.QUERY_WORDS),
    ]
    yield table(("", "here", "published"), of_both)


def _range(numbers: Sequence[int]) -> str:
    return f"{min(numbers)}–{max(numbers)} (mean {sum(numbers) / len(numbers):.2f})" if numbers else NOTHING


def label_shares(benchmark: RQBenchmark, task: TaskName) -> dict[Label, float]:
    """Of the pairs of a task; empty for a task without."""
    counts = Counter(label for labels in benchmark.candidates[task].values() for label in labels.values())
    return {label: counts[label] / counts.total() for label in reversed(LABELS)} if counts else {}


def _labels(benchmark: RQBenchmark) -> Iterator[str]:
    yield "## Table 8: labels of the pairs"
    rows = []
    for task in TASKS:
        here, there = label_shares(benchmark, task), published.LABEL_SHARES.get(task, {})
        beside = [(_percent(here.get(label)), _percent(there.get(label))) for label in reversed(LABELS)]
        rows.append((TASK_NAMES[task], *(cell for pair in beside for cell in pair)))
    yield table(("task", *(f"{label}{end}" for label in reversed(LABELS) for end in ("", ", published"))), rows)


def _queries(benchmark: RQBenchmark) -> Iterator[str]:
    yield "## Queries"
    queries = benchmark.queries.values()
    parts = Counter(query.part for query in queries)
    leaves = Counter({query.leaf: query.part for query in queries}.values())
    yield table(("part", "leaves", "queries"), [(part, leaves[part], parts[part]) for part in sorted(parts)])
    named = Counter(name for query in queries for name in query.wanted)
    values = {name: len({query.wanted[name] for query in queries if name in query.wanted}) for name in named}
    order = sorted(named, key=lambda name: (-named[name], name))
    rows = [(name, named[name], _percent(named[name] / len(queries)), values[name]) for name in order]
    yield table(("attribute that is named", "queries", "share", "values"), rows)
    asked = Counter(len(query.wanted) for query in queries)
    yield table(("attributes in a query", "queries"), sorted(asked.items()))
    words = Counter(len(query.text.split()) for query in queries)
    yield table(("words in a query", "queries"), sorted(words.items()))
    yield f"{len({query.text.casefold() for query in queries}):,} of the {len(queries):,} queries differ."


def _left_out(card: Mapping[str, Any]) -> Iterator[str]:
    yield "## Left out"
    counts = card.get("counts", {})
    satisfying = counts.get("left_out", {})
    rows = [
        (TASK_NAMES[task], label, n) for task in TASKS for label in LABELS if (n := satisfying.get(task, {}).get(label))
    ]
    yield table(("task", "label", "left out"), rows, n_words=2)
    yield (
        "Draws of products of a lower grade that have everything the words ask for: they are no candidates, since "
        "their label could not be told. Drawn for each query anew, in T4 for each group."
    )
    dropped = counts.get("dropped_groups", {})
    lost: list[Sequence[object]] = [(f"groups of paraphrases: {reason}", n) for reason, n in sorted(dropped.items())]
    lost += [(f"products: {reason}", n) for reason, n in sorted(counts.get("dropped_products", {}).items())]
    if n_untrue := counts.get("untrue_queries"):
        lost.append(("queries: their words are not true of an exact product", n_untrue))
    if lost:
        yield table(("left out because", "number"), lost)

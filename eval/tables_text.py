"""The tables of `eval tables` as they are read: per cent, one decimal, the published rows marked as other data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from eval.plots import lines_by_turn
from eval.report import Section, Table
from eval.runs import ALONE
from eval.scores import Cell, Row
from eval.tables_parts import Difference, Part, Result, best_other, our
from eval.tables_scores import Paired, Value
from retrieval.baselines.published import (
    PUBLISHED_ABLATION,
    PUBLISHED_DIM_FASHION,
    PUBLISHED_MT_FASHION_IQ,
    PUBLISHED_SCOPE,
    PublishedRow,
)

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT = {"success@1": "R@1", "success@5": "R@5", "success@8": "R@8", "mAP": "mAP"}
"""As the paper calls them; with one right answer success is its recall."""
SHOWN = ("success@5", "success@8")
NOTHING = "–"
OTHER_DATA = "published, other data"
TITLES = {
    "systems": "systems (as the paper's Table 3)",
    "ablations": "ablations (as the paper's Table 5)",
    "scope": "what stage 2 trains (as the paper's Table 9)",
}
CATEGORIES = ("dress", "shirt", "toptee")


def sections_of(parts: Sequence[Part]) -> list[Section]:
    sections = [Section("What was measured", list(_protocol(parts)))]
    for part in parts:
        sections += [_systems(part)] if part.of("systems") else []
        sections += [_of_settings(part, table) for table in ("ablations", "scope") if part.of(table)]
        sections += _by_turn(part)
    return [*sections, _published_elsewhere(), _runs(parts)]


def _protocol(parts: Sequence[Part]) -> Iterator[str | Table]:
    first = parts[0].results[0]
    settings = first.runs[0].settings
    yield (
        f"Benchmark {settings['benchmark']}, checksum {settings['checksum']}, split {settings['split']}: "
        f"{settings['n_sessions']:,} sessions, {settings['n_turns']:,} turns. {len(first.gallery.records):,} judged "
        f"queries are on the whole gallery of {settings['n_gallery']:,} items (all tasks but ASFR), "
        f"{len(first.pools.records):,} within candidates of their own (ASFR). Per cent. R@k: whether anything right is "
        "among the first k. Every query counts; one that failed or found nothing scores 0."
    )
    yield (
        "Alone: the query vector of the recorded turn with its history, by cosine against the whole gallery, without "
        "what the query starts from; no agent, no filters. In the agent: the same sessions replayed through the shop's "
        "agent, whose plan decides on references, history and filters. Recorded history: each turn starts from the "
        "recorded choice before it. Live: from the recorded choice if the system showed it among its first "
        f"{settings['shown']}, else from its best hit."
    )
    yield (
        "Means are over queries and seeds; ± is the standard deviation of the seeds' means (n - 1). Intervals: 95 %, "
        "percentile bootstrap of 1,000 samples, each of as many sessions and as many seeds as there are, both drawn "
        "with replacement, all drawn seeds on the same drawn sessions; with one seed, over sessions alone. A "
        "difference draws the sessions once for both systems and the seeds of each for itself. p: two-sided "
        "permutation test of the seeds' means, in which the two systems change places session by session; it says "
        "nothing of the spread between seeds. The best other system is the one with the highest R@5 on these very "
        "queries."
    )


def _head(part: Part) -> str:
    return f"{'Alone' if part.protocol == ALONE else 'In the agent'}, {part.history} history"


def _systems(part: Part) -> Section:
    results = part.of("systems")
    tasks = list(results[0].by_task)
    columns = [("", name) for name in SHOWN] + [(task, name) for task in tasks for name in SHOWN] + [("", "mAP")]
    counts = [_count(results[0], *column) for column in columns]
    rows = [["queries", "", *(f"{count:,}" for count in counts)]]
    rows += [[each.row.name, str(len(each.runs)), *(_mean(each, *column) for column in columns)] for each in results]
    rows += [["random order", "", *(_percent(_value(results[0], *column), lambda v: v.random) for column in columns)]]
    rows += [_published(row, columns) for row in PUBLISHED_DIM_FASHION]
    wide = Table(("", "seeds", *(_title(*column) for column in columns)), rows)
    parts: list[str | Table] = [wide, "Overall, with the spread over seeds and intervals:", _with_intervals(results)]
    parts += [_of_paired(each) for each in part.differences if each.table == "systems"]
    parts += [_sources(PUBLISHED_DIM_FASHION)]
    return Section(f"{_head(part)}: {TITLES['systems']}", parts)


def _of_settings(part: Part, table: str) -> Section:
    """Ablations and scopes: R@1 too."""
    results = part.of(table)
    parts: list[str | Table] = [_with_intervals(results, ("success@1", *SHOWN, "mAP"))]
    differences = [each for each in part.differences if each.table == table]
    if differences:
        parts += [f"{differences[0].ours} less each other row:", _differences_table(differences)]
    if table == "scope":
        columns = [("", name) for name in SHORT]
        head = ("", "seeds", *SHORT.values())
        parts += [Table(head, [_published(row, columns) for row in PUBLISHED_SCOPE]), _sources(PUBLISHED_SCOPE)]
    else:
        parts += ["Published of the same settings, R@5 on MT-FashionIQ:", _categories_table(PUBLISHED_ABLATION)]
    return Section(f"{_head(part)}: {TITLES[table]}", parts)


def _with_intervals(results: Sequence[Result], names: Sequence[str] = (*SHOWN, "mAP")) -> Table:
    rows = [
        [
            each.row.name,
            str(len(each.runs)),
            f"{each.n_failed:,}",
            *(_whole(each.overall.get(name)) for name in names),
        ]
        for each in results
    ]
    return Table(("", "seeds", "failed turns", *(SHORT[name] for name in names)), rows)


def _of_paired(difference: Difference) -> Table:
    """Ours against the best other system, whole and by task."""
    groups: Mapping[str, Sequence[Paired]] = {"": difference.overall, **difference.by_task}
    rows = [
        [_title(task, each.measure), f"{each.n_queries:,}", *_numbers(each)]
        for task, some in groups.items()
        for each in some
        if each.measure in (*SHOWN, "mAP")
    ]
    head = ("", "queries", difference.other, difference.ours, "difference", "95 % interval", "p")
    return Table((f"{difference.ours} less {difference.other}", *head[1:]), rows)


def _differences_table(differences: Sequence[Difference]) -> Table:
    rows = [
        [f"{difference.other}, {SHORT[each.measure]}", f"{each.n_queries:,}", *_numbers(each)]
        for difference in differences
        for each in difference.overall
    ]
    return Table(("", "queries", "other", differences[0].ours, "difference", "95 % interval", "p"), rows)


def _numbers(each: Paired) -> list[str]:
    return [
        f"{100 * each.other:.1f}",
        f"{100 * each.ours:.1f}",
        f"{100 * (each.ours - each.other):+.1f}",
        f"{100 * each.low:+.1f} to {100 * each.high:+.1f}",
        f"{each.p:.4f}",
    ]


def _by_turn(part: Part) -> list[Section]:
    """As Figure 4, of ours and of the best other system; of the first row where none is ours."""
    results = part.of("systems") or list(part.results)
    ours = our(results, "systems") or results[0]
    other = best_other(results)
    shown = [ours] if other is None or other is ours else [ours, other]
    parts: list[str | Table] = [_turns_table(each) for each in shown]
    title = f"{_head(part)}: by number of earlier turns (as the paper's Figure 4)"
    return [Section(title, [f"The plot is of {ours.row.name}.", *parts], _plot(ours))]


def _turns_table(result: Result) -> Table:
    names = (*SHOWN, "mAP")
    rows = []
    for number, values in result.by_earlier.items():
        counts = [str(values[name].n_queries) if name in values else "0" for name in ("success@5", "mAP")]
        rows.append([str(number), *counts, *(_whole(values.get(name)) for name in names)])
    head = (f"{result.row.name}, earlier turns", "queries", "ASFR queries", *(SHORT[name] for name in names))
    return Table(head, rows)


def _plot(result: Result) -> str:
    def rows(name: str) -> list[Row]:
        return [
            Row(str(number), values[name].n_queries, 0, {SHORT[each]: _cell(value) for each, value in values.items()})
            for number, values in result.by_earlier.items()
            if name in values
        ]

    drawn = [SHORT[name] for name in SHOWN if name in result.overall]
    series = {"gallery": (rows("success@5"), drawn), "pools": (rows("mAP"), ["mAP"])}
    kept = {name: pair for name, pair in series.items() if pair[0] and pair[1]}
    return lines_by_turn({name: pair[0] for name, pair in kept.items()}, {name: pair[1] for name, pair in kept.items()})


def _cell(value: Value) -> Cell:
    return Cell(value.mean, value.low, value.high, value.random)


def _published_elsewhere() -> Section:
    return Section(
        "Published on MT-FashionIQ",
        ["Other data and other models than above; R@5.", _categories_table(PUBLISHED_MT_FASHION_IQ)],
    )


def _categories_table(published: Sequence[PublishedRow]) -> Table:
    columns = [("", "success@5"), *((category, "success@5") for category in CATEGORIES)]
    rows = [[*_published(row, columns), row.source] for row in published]
    return Table(("", "", "overall", *CATEGORIES, "source"), rows)


def _published(row: PublishedRow, columns: Sequence[tuple[str, str]]) -> list[str]:
    """Cells of what there is; * marks what is told as a difference only."""
    cells = []
    for part, name in columns:
        key = f"{name}/{part}" if part else name
        mark = "*" if key in row.resolved else ""
        cells.append(f"{100 * row.figures[key]:.1f}{mark}" if key in row.figures else NOTHING)
    return [f"{row.system} ({OTHER_DATA})", "", *cells]


def _sources(published: Sequence[PublishedRow]) -> str:
    sources: dict[str, list[str]] = {}
    for row in published:
        sources.setdefault(row.source, []).append(row.system)
    told = "; ".join(f"{', '.join(systems)}: {source}" for source, systems in sources.items())
    ahead = "".join(
        f" FashionAM is {100 * points:.1f} points ahead of {row.system} on {key.partition('/')[2]}, "
        f"{SHORT[key.partition('/')[0]]}, neither figure at hand."
        for row in published
        for key, points in row.behind.items()
    )
    return (
        f"Published rows are of the paper's own benchmark and models. {told}. *: told as a difference from FashionAM "
        f"only.{ahead}"
    )


def _runs(parts: Sequence[Part]) -> Section:
    rows = []
    for part in parts:
        for result in part.results:
            for run in result.runs:
                system = run.settings.get("system") or {}
                rows.append(
                    [
                        result.row.name,
                        part.protocol,
                        part.history,
                        str(run.settings.get("references", NOTHING)),
                        str(system.get("kind", NOTHING)),
                        str(system.get("query_revision", NOTHING)),
                        str(run.settings["encoder"]),
                        str(run.settings["agent"]),
                    ]
                )
    head = ("", "protocol", "history", "references", "kind", "query encoder", "gallery encoder", "code")
    return Section("Runs", ["Runs of different code were made by different versions.", Table(head, rows)])


def _title(part: str, name: str) -> str:
    return f"{part} {SHORT[name]}" if part else f"ASFR {name}" if name == "mAP" else f"overall {SHORT[name]}"


def _value(result: Result, task: str, name: str) -> Value | None:
    return (result.by_task.get(task, {}) if task else result.overall).get(name)


def _count(result: Result, task: str, name: str) -> int:
    value = _value(result, task, name)
    return value.n_queries if value else 0


def _mean(result: Result, task: str, name: str) -> str:
    return _percent(_value(result, task, name), lambda value: value.mean)


def _percent(value: Value | None, of: Callable[[Value], float]) -> str:
    return NOTHING if value is None else f"{100 * of(value):.1f}"


def _whole(value: Value | None) -> str:
    if value is None:
        return NOTHING
    spread = "" if value.spread is None else f" ± {100 * value.spread:.1f}"
    return f"{100 * value.mean:.1f}{spread} ({100 * value.low:.1f}–{100 * value.high:.1f})"

"""Writes what a run is worth: `report.md` and a self-contained `report.html`, and the short table for a terminal."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.plots import bars, lines_by_turn
from eval.runs import ALONE, Run, write_whole
from eval.scores import (
    EXPECTED,
    ROLLBACK_ROW,
    Routing,
    Row,
    Scored,
    breakdowns,
    count_out_of_reach,
    latencies,
    route,
    row_of,
    score_run,
)

SHORT = ("success@1", "success@5", "success@8")
DRAWN = ("success@5", "success@8")
POOLS = "mAP"
GALLERY_TITLE, POOLS_TITLE = "Whole gallery (all tasks but ASFR)", "Candidates of the query's own (ASFR)"
STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
table{border-collapse:collapse;margin:.6rem 0 1.4rem;font-size:.9em;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .4rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
svg{max-width:100%;height:auto}.wide{overflow-x:auto}p{overflow-wrap:anywhere}"""


@dataclass(frozen=True, slots=True)
class Table:
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    parts: Sequence[str | Table]
    """Paragraphs and tables."""
    svg: str = ""
    """In the page alone."""


def write_report(run: Run) -> tuple[Path, Path]:
    """report.md and report.html in the run's folder. Raises RunError when no turn is judged."""
    title = f"{run.settings['benchmark']}, {run.settings['split']}, {run.settings['history']} history"
    sections = sections_of(run)
    paths = run.folder / "report.md", run.folder / "report.html"
    write_whole(paths[0], [as_markdown(title, sections)])
    write_whole(paths[1], [as_page(title, sections)])
    return paths


def sections_of(run: Run) -> list[Section]:
    gallery, pools = score_run(run)
    sections = [Section("What was measured", protocol(run.settings, gallery, pools))]
    for title, scored in ((GALLERY_TITLE, gallery), (POOLS_TITLE, pools)):
        overall = row_of(scored, "overall")
        if overall is not None:
            sections.append(Section(title, [_denominator(overall), measures_table(overall)]))
    sections += _broken_down(gallery, pools)
    return [*sections, _times(run)] if is_alone(run.settings) else [*sections, _routing(run), _times(run)]


def protocol(settings: Mapping[str, Any], gallery: Scored, pools: Scored) -> list[str]:
    """What every number depends on, in sentences."""
    finder = "system" if is_alone(settings) else "agent"
    history = {
        "recorded": "Each turn starts from the recorded choice of the turn before (history=recorded).",
        "live": f"Each turn starts from what the {finder} itself found: the recorded choice if it was among the first "
        f"{settings['shown']}, else the best hit (history=live).",
    }
    limited = f" Only the first {settings['limit']:,} sessions." if settings["limit"] is not None else ""
    skipped = ""
    if settings["n_skipped"]:
        skipped = f"; {settings['n_skipped']:,} more have no usable picture and cannot be found"
    return [
        f"Benchmark {settings['benchmark']}, checksum {settings['checksum']}, split {settings['split']}: "
        f"{settings['n_sessions']:,} sessions, {settings['n_turns']:,} turns, {settings['n_queries']:,} judged "
        f"({len(gallery.records):,} on the whole gallery, {len(pools.records):,} with candidates of their own)."
        f"{limited}",
        f"Gallery {settings['gallery_hash']} of {settings['n_gallery']:,} items{skipped}; compared exactly by cosine; "
        f"rankings down to rank {settings['depth']:,}, asked for at once where the shop asks for "
        f"{settings['shown']}. {candidates_sentence(settings)}",
        f"Encoder {system_words(settings)}; planner {settings['planner']}; code {settings['agent']}. "
        f"{history[settings['history']]} {_way_back(settings)}",
        f"Every judged query counts; one that failed or found nothing scores 0. {_ties_sentence(settings)} Intervals: "
        "95 %, whole sessions resampled. Random: a random order of the same candidates.",
    ]


def is_alone(settings: Mapping[str, Any]) -> bool:
    return settings.get("protocol") == ALONE


def system_words(settings: Mapping[str, Any]) -> str:
    """Who answered: the gallery's vectors, and what made the queries' where it is something else."""
    system = settings.get("system") or {}
    how = "alone" if is_alone(settings) else "in the agent"
    if not system:
        return f"{settings['encoder']} {how}"
    return f"{system['name']} ({system['kind']} {system['query_revision']}) over {settings['encoder']} {how}"


def _way_back(settings: Mapping[str, Any]) -> str:
    if not is_alone(settings):
        return "Who goes back to an earlier turn says so in words alone."
    return {
        "previous": "Who goes back to an earlier turn says so in words alone: the query starts from the item chosen "
        "one turn before, and its history holds all turns before it (references=previous).",
        "resolved": "A query that goes back starts from the item chosen in the turn gone back to, and its history "
        "holds the turns that this one builds on (references=resolved).",
    }[settings["references"]]


def candidates_sentence(settings: Mapping[str, Any]) -> str:
    if is_alone(settings):
        stay = "candidates, as in the benchmark's own protocol" if settings.get("references_stay") else "left out of it"
        return f"Items that a query starts from are {stay}. No agent, no filters: the system's query vectors alone."
    if settings.get("references_stay"):
        return (
            "Items that a query starts from are candidates, as in the benchmark's own protocol: the agent would not "
            "show them again, a replay puts them back where their cosine puts them (not among what goes with an item, "
            "which has no one cosine)."
        )
    return "Items that a query starts from are not shown again and so are in no ranking, by design of the agent."


def _ties_sentence(settings: Mapping[str, Any]) -> str:
    said = "Items of equal score count by their expectation over all orders"
    if settings["is_full_depth"]:
        return f"{said}."
    return f"{said}; a tie that rank {settings['depth']:,} cuts counts as it was kept."


def _denominator(row: Row) -> str:
    return f"{row.n_queries:,} queries of {row.n_sessions:,} sessions."


def measures_table(row: Row) -> Table:
    return Table(
        ("measure", "value", "95 % interval", "random"),
        [
            (name, f"{cell.value:.3f}", f"{cell.low:.3f} to {cell.high:.3f}", f"{cell.random:.3f}")
            for name, cell in row.cells.items()
        ],
    )


def _broken_down(gallery: Scored, pools: Scored) -> list[Section]:
    by_gallery, by_pools = breakdowns(gallery), breakdowns(pools)
    sections = []
    for title, rows in by_gallery.items():
        parts: list[str | Table] = []
        measures = [name for name in gallery.measures if name in SHORT or name.startswith("MRR")]
        if rows:
            parts.append(groups_table(rows, measures))
        if by_pools[title] and title != "by task":
            parts += ["ASFR:", groups_table(by_pools[title], pools.measures)]
        if parts:
            sections.append(Section(title[0].upper() + title[1:], parts, _drawn(title, rows, by_pools[title])))
    return sections


def _drawn(title: str, rows: Sequence[Row], pool_rows: Sequence[Row]) -> str:
    drawn = [name for name in DRAWN if rows and name in rows[0].cells]
    if title == "by task" and rows and drawn:
        return bars(rows, drawn)
    if title == "by number of earlier turns":
        return lines_by_turn({"gallery": rows, "pools": pool_rows}, {"gallery": drawn, "pools": [POOLS]})
    return ""


def groups_table(rows: Sequence[Row], measures: Sequence[str]) -> Table:
    """One line a group: each measure with its interval, and what chance gives."""
    head = ["", "queries"]
    lines = [[row.name, f"{row.n_queries:,}"] for row in rows]
    for measure in measures:
        head += [measure, "random"]
        for line, cell in zip(lines, (row.cells[measure] for row in rows), strict=True):
            line += [f"{cell.value:.3f} ({cell.low:.3f}–{cell.high:.3f})", f"{cell.random:.3f}"]
    return Table(head, lines)


def _routing(run: Run) -> Section:
    routing = route(run.turns)
    intents = sorted({intent for counts in routing.counts.values() for intent in counts})
    rows = []
    for name, counts in routing.counts.items():
        n_turns = sum(counts.values())
        share = f"{routing.right[name] / n_turns:.3f}"
        rows.append((name, f"{n_turns:,}", *(f"{counts.get(intent, 0):,}" for intent in intents), share))
    total, right = len(run.turns), sum(routing.right.values())
    mapping = "; ".join(f"{task.value}: {' or '.join(right)}" for task, right in EXPECTED.items())
    return Section(
        "How turns were understood",
        [
            f"Recorded task against the agent's intent, of all {total:,} turns: {right / total:.3f} right. Right is "
            f"{mapping}. A rollback has to be one, to the recorded turn.",
            Table(("recorded", "turns", *intents, "right"), rows),
            *_returned(routing),
            *_out_of_reach(run),
        ],
    )


def _returned(routing: Routing) -> list[str]:
    n_turns = sum(routing.counts.get(ROLLBACK_ROW, {}).values())
    if not n_turns:
        return []
    return [
        f"{routing.n_items_returned_to:,} of {n_turns:,} rollbacks started from the very item that was chosen there."
    ]


def _out_of_reach(run: Run) -> list[str]:
    if not (n := count_out_of_reach(run.turns)):
        return []
    return [
        f"{n:,} of {run.settings['n_queries']:,} judged queries score 0 because all that is relevant was left out: "
        "the turn starts from it, or an earlier turn of an equal plan has shown it and the words ask for more."
    ]


def _times(run: Run) -> Section:
    times = latencies(run.turns)
    failed = sum(bool(turn.error) for turn in run.turns)
    return Section(
        "Time and failures",
        [
            "Milliseconds a turn, models loaded: "
            + ", ".join(f"{name} {value:,.0f}" for name, value in times.items())
            + f". {failed:,} of {len(run.turns):,} turns failed with an error that a shopper would see"
            + (" (they score 0)." if failed else "."),
        ],
    )


def short_table(run: Run) -> str:
    """For a terminal."""
    gallery, pools = score_run(run)
    lines = protocol(run.settings, gallery, pools)[:3]
    for title, scored in ((GALLERY_TITLE, gallery), (POOLS_TITLE, pools)):
        overall = row_of(scored, "overall")
        if overall is not None:
            lines += ["", f"{title}: {_denominator(overall)}", as_text(measures_table(overall))]
    return "\n".join([*lines, "", str(_times(run).parts[0])])


def as_text(table: Table) -> str:
    widths = [max(len(row[at]) for row in (table.head, *table.rows)) for at in range(len(table.head))]
    return "\n".join(
        "  " + "  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in (table.head, *table.rows))
    )


def as_markdown(title: str, sections: Sequence[Section]) -> str:
    lines = [f"# {title}"]
    for section in sections:
        lines += ["", f"## {section.title}"]
        for part in section.parts:
            lines += ["", part if isinstance(part, str) else _markdown_table(part)]
    return "\n".join(lines)


def _markdown_table(table: Table) -> str:
    marks = ["---", *("---:" for _ in table.head[1:])]
    rows = (table.head, marks, *table.rows)
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def as_page(title: str, sections: Sequence[Section]) -> str:
    body = [f"<h1>{html.escape(title)}</h1>"]
    for section in sections:
        body.append(f"<h2>{html.escape(section.title)}</h2>")
        body.append(section.svg)
        for part in section.parts:
            body.append(f"<p>{html.escape(part)}</p>" if isinstance(part, str) else _html_table(part))
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body>\n'
        + "\n".join(filter(None, body))
        + "\n</body></html>"
    )


def _html_table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return (
        '<div class="wide"><table>'
        + row(table.head, "th")
        + "".join(row(r, "td") for r in table.rows)
        + "</table></div>"
    )

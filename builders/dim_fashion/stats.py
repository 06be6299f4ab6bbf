"""STATS.md of a build: the paper's Tables 1, 2, 6, 7 and 8 filled in, with the published numbers beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from builders.dim_fashion import published
from builders.dim_fashion.audit import AuditReport, audit
from builders.dim_fashion.audit_figures import Figures
from builders.markdown import NOTHING, table
from retrieval.benchmark import Benchmark, BenchmarkImage, RecordedTurn, Split, Task

SPLITS: tuple[Split, ...] = get_args(Split)
TASK_NAMES = {
    Task.T2I: "T2I",
    Task.SKETCH2IMG: "Sketch2Img",
    Task.STREET2SHOP: "Street2Shop",
    Task.IN_SHOP: "In-Shop",
    Task.CIR: "CIR",
    Task.COMPATIBLE: "Compat.",
    Task.ASFR: "ASFR",
}
SHOWN_FINDINGS = 20


def write_stats(benchmark: Benchmark, report: AuditReport | None = None) -> str:
    """Markdown, the same for equal input; `report` is the benchmark's audit where it was made before."""
    card = benchmark.card
    report = report or audit(benchmark)
    parts = [
        f"# {card.get('name', 'Benchmark')}: statistics",
        _made_by(card),
        *_outcome(report),
        *_session_sets(benchmark, report.figures, str(card.get("name", "this build"))),
        *_turns_by_task(benchmark),
        *_images_by_source(benchmark),
        *_lengths(benchmark),
        *_bridges(card.get("bridges", ())),
        *_components(benchmark, report.figures),
        *_refinement(card.get("refinement", {}), report.figures),
        *_balance(report.figures),
        *_coverage(card.get("sources", ())),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else NOTHING


def _made_by(card: Mapping[str, Any]) -> str:
    """What the figures belong to."""
    settings = card.get("settings", {})
    said = [
        *((name, card[name]) for name in ("command", "checksum", "seed", "annotator") if name in card),
        *((f"encoder.{name}", value) for name, value in card.get("encoder", {}).items()),
        *((f"settings.{name}", settings[name]) for name in sorted(settings)),
    ]
    return "\n".join(f"- {name}: `{value}`" for name, value in said)


def _outcome(report: AuditReport) -> Iterator[str]:
    yield "## Audit"
    if report.is_clean:
        yield f"{len(report.by_rule())} rules checked on {report.figures.n_turns:,} turns: none is broken."
        return
    yield f"**{len(report.findings):,} violations.**"
    yield table(("rule", "violations"), ((rule, n) for rule, n in report.by_rule().items() if n))
    yield "\n".join(f"- {finding}" for finding in report.findings[:SHOWN_FINDINGS])


def _session_sets(benchmark: Benchmark, figures: Figures, name: str) -> Iterator[str]:
    yield "## Table 1: data sets of sessions"
    turns = [turn for session in benchmark.sessions for turn in session.turns]
    lengths = [len(session.turns) for session in benchmark.sessions]
    here = published.SessionSet(
        f"**{name}** (this build)",
        figures.n_sessions,
        figures.n_turns,
        str(len({turn.task for turn in turns})),
        _query_forms(turns),
        f"{min(lengths)} to {max(lengths)}" if lengths else "",
        f"yes ({_share(figures.n_rollbacks, figures.n_turns)} of turns)" if figures.n_rollbacks else "no",
        "counted here",
    )
    header = ("data set", "tasks", "queries", "turns a session", "rollback", "known from", "sessions", "turns", "mean")
    yield table(header, map(_session_set, (*published.SESSION_SETS, here)), n_words=6)
    yield "Only what is published in numbers is shown."


def _session_set(row: published.SessionSet) -> tuple[object, ...]:
    mean = f"{row.n_turns / row.n_sessions:.2f}" if row.n_turns and row.n_sessions else ""
    return row.name, row.tasks, row.queries, row.lengths, row.rollback, row.source, row.n_sessions, row.n_turns, mean


def _query_forms(turns: Iterable[RecordedTurn]) -> str:
    """In the words of `published.SESSION_SETS`."""
    shown = {_query_form(turn) for turn in turns}
    pictures = [form for form in ("picture", "sketch", "street photo", "outfit") if form in shown]
    with_words = f"{' or '.join(filter(None, (', '.join(pictures[:-1]), pictures[-1])))} + words" if pictures else ""
    return "; ".join(filter(None, ("words" if "words" in shown else "", with_words)))


def _query_form(turn: RecordedTurn) -> str:
    if not turn.references:
        return "words"
    if len(turn.references) > 1:
        return "outfit"
    return {Task.SKETCH2IMG: "sketch", Task.STREET2SHOP: "street photo"}.get(turn.task, "picture")


def _turns_by_task(benchmark: Benchmark) -> Iterator[str]:
    yield "## Table 2: turns by task"
    counts = Counter((turn.task, session.split) for session in benchmark.sessions for turn in session.turns)
    whole = sum(counts.values())
    rows: list[Sequence[object]] = []
    for task, name in TASK_NAMES.items():
        of_task = sum(counts[task, split] for split in SPLITS)
        rows.append((name, *(counts[task, split] for split in SPLITS), of_task, _share(of_task, whole)))
    rows.append(("total", *(sum(counts[task, split] for task in Task) for split in SPLITS), whole, ""))
    yield table(("task", *SPLITS, "total", "share"), rows)
    yield (f"Published: {published.N_TURNS:,} turns in all; the paper's values by task are not reproduced here.")
    of_dataset = Counter(
        (turn.dataset, turn.task) for session in benchmark.sessions for turn in session.turns if turn.origin == "source"
    )
    rows = [(dataset, TASK_NAMES[task], n) for (dataset, task), n in sorted(of_dataset.items())]
    yield table(("data set", "task", "turns from its instances"), rows, n_words=2)


def _images_by_source(benchmark: Benchmark) -> Iterator[str]:
    yield "## Table 6: images by data set"
    in_sessions = _images_in_sessions(benchmark)
    everywhere = Counter(_source(image, benchmark) for image in benchmark.images)
    gallery = Counter(image.source for image in benchmark.images.values() if image.in_gallery)
    rows: list[Sequence[object]] = []
    others = dict.fromkeys(sorted(everywhere | in_sessions))
    for task, name, source, n_published in published.IMAGES:
        is_here = source in others
        counts = (in_sessions[source], gallery[source], everywhere[source]) if is_here else ("", "", "")
        others.pop(source, None)
        rows.append((TASK_NAMES[task], name, *counts, n_published))
    tasks = _tasks_of_sources(benchmark)
    for source in others:
        counts = (in_sessions[source], gallery[source], everywhere[source])
        rows.append((", ".join(tasks.get(source, ())), source, *counts, ""))
    rows.append(("total", "", *(counted.total() for counted in (in_sessions, gallery, everywhere)), published.N_IMAGES))
    yield table(("task", "data set", "in sessions", "in the gallery", "in all", "published"), rows, n_words=2)
    yield "In sessions: shown or chosen in a turn. In all: the gallery, and pictures that occur only in queries."


def _images_in_sessions(benchmark: Benchmark) -> Counter[str]:
    """Source -> distinct images that a turn shows or chooses."""
    met = {
        picture
        for session in benchmark.sessions
        for turn in session.turns
        for picture in (*turn.references, turn.chosen)
    }
    return Counter(_source(picture, benchmark) for picture in met)


def _source(image_id: str, benchmark: Benchmark) -> str:
    image: BenchmarkImage | None = benchmark.images.get(image_id)
    return image.source if image else "unknown"


def _tasks_of_sources(benchmark: Benchmark) -> dict[str, list[str]]:
    """Source -> tasks of the turns that bring its images into a session, in the order of `TASK_NAMES`."""
    met = {
        (_source(picture, benchmark), turn.task)
        for session in benchmark.sessions
        for turn in session.turns
        for picture in (*(turn.references if turn.turn_number == 1 else ()), turn.chosen)
    }
    return {
        source: [name for task, name in TASK_NAMES.items() if (source, task) in met]
        for source in sorted({source for source, _ in met})
    }


def _lengths(benchmark: Benchmark) -> Iterator[str]:
    yield "## Table 7: turns of a session"
    counts = Counter((len(session.turns), session.split) for session in benchmark.sessions)
    rows = [_length(str(n), {n}, counts) for n in sorted({*published.LENGTHS, *(n for n, _ in counts)})]
    rows.append(_length("total", {*published.LENGTHS, *(n for n, _ in counts)}, counts))
    columns = (*SPLITS, "total")
    yield table(("turns", *(f"{name}{beside}" for name in columns for beside in ("", ", published"))), rows)


def _length(name: str, lengths: set[int], counts: Counter[tuple[int, Split]]) -> list[object]:
    """Here and published, by split and in all."""
    here = [sum(counts[n, split] for n in lengths) for split in SPLITS]
    there = [sum(published.LENGTHS[n][split] for n in lengths if n in published.LENGTHS) for split in SPLITS]
    pairs = zip((*here, sum(here)), (*there, sum(there)), strict=True)
    return [name, *(number for pair in pairs for number in pair)]


def _bridges(measured: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield "## Table 8: bridges by threshold"
    here = {round(float(row["threshold"]), 4): (row["edges"], row["images"]) for row in measured}
    rows = [
        (f"{threshold:.2f}", *(here.get(threshold) or ("", "")), *(published.BRIDGES.get(threshold) or ("", "")))
        for threshold in sorted({*here, *published.BRIDGES})
    ]
    yield table(("cosine", "edges", "images", "edges, published", "images, published"), rows)
    yield "Edges join images of different data sets and count once; images are those with at least one edge."


def _components(benchmark: Benchmark, figures: Figures) -> Iterator[str]:
    """As the split counted them, whose signatures leave out the words that go back to a turn; the audit's own count on
    the written texts, which holds them, beside it."""
    yield "## Split: components of sessions that share a retrieval"
    made = benchmark.card.get("counts", {})
    rows: list[Sequence[object]] = [
        ("turns", made.get("turns"), figures.n_turns, published.N_TURNS),
        ("unique signatures", made.get("unique_signatures"), figures.n_signatures, published.N_SIGNATURES),
        ("components", made.get("components"), figures.n_components, published.N_COMPONENTS),
        (
            "components of one session",
            made.get("single_components"),
            figures.n_single_components,
            published.N_SINGLE_COMPONENTS,
        ),
        ("sessions in the largest", None, figures.largest_component, None),
        ("images in sessions of several splits", None, figures.n_shared_images, None),
    ]
    for split in SPLITS:
        there = sum(of_length[split] for of_length in published.LENGTHS.values())
        here = len(benchmark.split(split))
        rows.append((f"{split} sessions", None, _share(here, figures.n_sessions), _share(there, published.N_SESSIONS)))
    yield table(("", "split", "audit", "published"), rows)
    yield "The split takes a request without the words that go back to a turn; the audit counts texts as they stand."


def _refinement(counts: Mapping[str, Any], figures: Figures) -> Iterator[str]:
    yield "## Refinement"
    rows = [(name, n, None) for name, n in _flat(counts)]
    fell = published.N_DROPPED_SESSIONS
    yield table(
        ("", "here", "published"),
        [*rows, ("sessions that stayed", figures.n_sessions, published.N_SESSIONS)],
    )
    yield f"Published: {fell:,} sessions fell in the checks ({_share(fell, fell + published.N_SESSIONS)} of all)."


def _flat(counts: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    """Names with blanks for `_`; nested ones after a colon."""
    for key, value in counts.items():
        name = before + key.replace("_", " ")
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}: ")
        else:
            yield name, f"{value:.4g}" if isinstance(value, float) else value


def _balance(figures: Figures) -> Iterator[str]:
    yield "## Turns"
    names = {str(task): name for task, name in TASK_NAMES.items()}
    rows: list[Sequence[object]] = [
        *((f"origin: {name}", n, _share(n, figures.n_turns)) for name, n in figures.origins.items()),
        *((f"first turn: {names[task]}", n, _share(n, figures.n_sessions)) for task, n in figures.first_tasks.items()),
        ("rollback turns", figures.n_rollbacks, _share(figures.n_rollbacks, figures.n_turns)),
        (
            "sessions with a rollback",
            figures.n_rollback_sessions,
            _share(figures.n_rollback_sessions, figures.n_sessions),
        ),
        ("distinct texts", figures.n_texts, _share(figures.n_texts, figures.n_turns)),
        ("distinct targets", figures.n_targets, _share(figures.n_targets, figures.n_turns)),
    ]
    yield table(("", "number", "share"), rows)


def _coverage(sources: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not sources:
        return
    yield "## Sources"
    keys = ("n_records", "n_kept", "n_missing_pictures", "n_images", "n_instances")
    rows = [(row["name"], f"`{row['revision']}`", *(row.get(key) for key in keys)) for row in sources]
    header = ("data set", "revision", "records", "kept", "missing pictures", "images", "instances")
    yield table(header, rows, n_words=2)
    reasons = [
        (row["name"], kind, reason, n)
        for row in sources
        for kind in ("dropped", "tolerated")
        for reason, n in sorted(row.get(kind, {}).items())
    ]
    if reasons:
        yield table(("data set", "became", "reason", "records"), reasons, n_words=3)

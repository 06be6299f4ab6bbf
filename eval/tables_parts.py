"""What `eval tables` sets side by side: rows scored over their seeds, whole and by task and by number of earlier turns,
and the differences between ours and the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eval.runs import Run
from eval.tables_runs import Measured
from eval.tables_scores import Paired, Seeds, Value, paired, seeds_of, values_of
from eval.tables_spec import RowSpec
from retrieval.benchmark import Task

GALLERY, POOLS = ("success@1", "success@5", "success@8"), ("mAP",)
LEADING = "success@5"
"""What the best of the other systems is chosen by; mAP where no query is on the whole gallery."""


@dataclass(frozen=True, slots=True)
class Result:
    """A row's values under one protocol and history."""

    row: RowSpec
    runs: tuple[Run, ...] = field(repr=False)
    gallery: Seeds = field(repr=False)
    pools: Seeds = field(repr=False)
    overall: Mapping[str, Value]
    """Measure -> value, mAP among them."""
    by_task: Mapping[str, Mapping[str, Value]]
    by_earlier: Mapping[int, Mapping[str, Value]]
    """Number of earlier turns -> measure -> value."""

    @property
    def n_failed(self) -> int:
        """Turns that ended with an error, of all seeds."""
        return sum(bool(turn.error) for run in self.runs for turn in run.turns)


@dataclass(frozen=True, slots=True)
class Difference:
    """Ours against another row."""

    table: str
    other: str
    ours: str
    overall: Sequence[Paired]
    by_task: Mapping[str, Sequence[Paired]]


@dataclass(frozen=True, slots=True)
class Part:
    """All that was measured under one protocol and history."""

    protocol: str
    history: str
    results: tuple[Result, ...]
    differences: tuple[Difference, ...]

    def of(self, table: str) -> list[Result]:
        return [result for result in self.results if table in result.row.tables]


def parts_of(found: Sequence[Measured]) -> list[Part]:
    """In the order in which protocols and histories come up."""
    keys = dict.fromkeys((each.protocol, each.history) for each in found)
    return [_part(*key, [each for each in found if (each.protocol, each.history) == key]) for key in keys]


def _part(protocol: str, history: str, found: Sequence[Measured]) -> Part:
    results = tuple(_result(each.row, each.runs) for each in found)
    return Part(protocol, history, results, tuple(_differences(results)))


def _result(row: RowSpec, runs: tuple[Run, ...]) -> Result:
    gallery, pools = seeds_of(runs)
    tasks = [task.value for task in Task if any(record.task == task.value for record in gallery.records)]
    earlier = sorted({record.n_earlier for record in (*gallery.records, *pools.records)})
    return Result(
        row=row,
        runs=runs,
        gallery=gallery,
        pools=pools,
        overall=_both(gallery, pools),
        by_task={task: values_of(_of_task(gallery, task), GALLERY) for task in tasks},
        by_earlier={number: _both(_after(gallery, number), _after(pools, number)) for number in earlier},
    )


def _both(gallery: Seeds, pools: Seeds) -> dict[str, Value]:
    return {**values_of(gallery, GALLERY), **values_of(pools, POOLS)}


def _of_task(seeds: Seeds, task: str) -> Seeds:
    return seeds.kept(lambda record: record.task == task)


def _after(seeds: Seeds, n_earlier: int) -> Seeds:
    return seeds.kept(lambda record: record.n_earlier == n_earlier)


def _differences(results: Sequence[Result]) -> list[Difference]:
    """Ours against the best of the other systems, and against each ablation."""
    found = []
    if (ours := our(results, "systems")) is not None and (best := best_other(results)) is not None:
        found.append(_difference("systems", best, ours))
    for table in ("ablations", "scope"):
        if (ours := our(results, table)) is not None:
            others = [each for each in results if table in each.row.tables and each is not ours]
            found += [_difference(table, other, ours) for other in others]
    return found


def our(results: Sequence[Result], table: str) -> Result | None:
    """The row that the others of a table are compared with: the first that says so."""
    return next((each for each in results if table in each.row.tables and each.row.ours), None)


def best_other(results: Sequence[Result]) -> Result | None:
    """The system that is not ours with the highest mean success@5, chosen on the very queries that are reported.

    None where there is no other, or too little was ranked to tell.
    """
    others = [each for each in results if "systems" in each.row.tables and not each.row.ours]
    shared = (name for name in (LEADING, *POOLS) if all(name in each.overall for each in others))
    if (leading := next(shared, None)) is None:
        return None
    return max(others, key=lambda each: each.overall[leading].mean, default=None)


def _difference(table: str, other: Result, ours: Result) -> Difference:
    return Difference(
        table=table,
        other=other.row.name,
        ours=ours.row.name,
        overall=[*paired(other.gallery, ours.gallery, GALLERY), *paired(other.pools, ours.pools, POOLS)],
        by_task={
            task: paired(_of_task(other.gallery, task), _of_task(ours.gallery, task), GALLERY) for task in ours.by_task
        },
    )

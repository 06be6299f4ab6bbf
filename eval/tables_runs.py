"""The runs of `eval tables`: those that are finished are read, those that are missing are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from eval.compare import refuse_other_queries
from eval.opening import History, Request, read_system
from eval.runs import AGENT, ALONE, SETTINGS, Run, RunError, read_run, read_settings
from eval.tables_spec import RowSpec, Spec
from retrieval.benchmark import read_card


@dataclass(frozen=True, slots=True)
class Measured:
    """A row's runs under one protocol and history, one a seed."""

    row: RowSpec
    protocol: str
    history: str
    runs: tuple[Run, ...]


def measured(spec: Spec, out: Path, n_workers: int = 1) -> list[Measured]:
    """Rows in their order, of each its protocols and histories. Raises RunError for runs over different queries."""
    found = [each for row in spec.rows for each in (_made(spec, row, out, n_workers) if row.folders else _given(row))]
    for each in found:
        for run in each.runs:
            refuse_other_queries(found[0].runs[0], run)
    return found


def _given(row: RowSpec) -> Iterator[Measured]:
    runs: dict[tuple[str, str], list[Run]] = {}
    for run in map(read_run, row.runs):
        key = str(run.settings.get("protocol", AGENT)), str(run.settings["history"])
        runs.setdefault(key, []).append(run)
    for (protocol, history), some in runs.items():
        if len({str(run.settings.get("references")) for run in some}) > 1:
            raise RunError(f"The runs of {row.name!r} have other references each: give each a row of its own.")
        yield Measured(row, protocol, history, tuple(some))


def _made(spec: Spec, row: RowSpec, out: Path, n_workers: int) -> Iterator[Measured]:
    for protocol in row.protocols:
        for history in row.histories:
            yield Measured(
                row,
                protocol,
                history,
                tuple(
                    _run(spec, folder, protocol, history, out / _name(spec, row, seed, protocol, history), n_workers)
                    for seed, folder in enumerate(row.folders)
                ),
            )


def _name(spec: Spec, row: RowSpec, seed: int, protocol: str, history: str) -> str:
    parts = [row.folder_name, str(seed), protocol, history]
    return "-".join([*parts, *([spec.references] if protocol == ALONE and spec.references != "previous" else [])])


def _run(spec: Spec, folder: Path, protocol: str, history: History, out: Path, n_workers: int) -> Run:
    if spec.benchmark is None:
        raise RunError(f"Without a benchmark there is nothing that {folder} could answer.")
    if (finished := _finished(spec, folder, protocol, history, out)) is not None:
        return finished
    request = Request(
        benchmark=spec.benchmark,
        split=spec.split,
        history=history,
        encoder=folder,
        limit=spec.limit,
        pictures=spec.pictures,
        index=spec.index,
    )
    if protocol == ALONE:
        from eval.alone import alone

        return alone(request, out, spec.references)
    from eval.workers import replay

    return replay(request, out, n_workers)


def _finished(spec: Spec, folder: Path, protocol: str, history: History, out: Path) -> Run | None:
    """The run in `out`, if it is whole and of what is asked for, by whatever version of the code."""
    if spec.benchmark is None or not (out / SETTINGS).is_file():
        return None
    wanted = {
        "checksum": read_card(spec.benchmark)["checksum"],
        "split": spec.split,
        "history": history,
        "limit": spec.limit,
        "protocol": protocol,
        "references": spec.references if protocol == ALONE else None,
        "system": asdict(read_system(folder)),
    }
    settings = read_settings(out)
    if any(settings.get(name) != value for name, value in wanted.items()):
        return None
    try:
        return read_run(out)
    except RunError:
        return None  # begun and not ended: whoever makes it goes on with it, or says what is wrong

"""What `eval tables` is to set side by side: rows with their systems or runs, read from TOML, JSON or a folder of runs.

    title = "DIM-Fashion, embedded"          # optional
    benchmark = "runs/dim-fashion"           # folders are relative to this file
    split = "test"
    protocols = ["alone", "agent"]           # default: alone; a row may name its own, and its own histories
    histories = ["recorded", "live"]         # default: recorded
    pictures = { fpi = "data/fpi" }          # optional, as limit, index and references (previous or resolved)

    [[rows]]
    name = "FashionAM"
    tables = ["systems", "ablations", "scope"]
    folders = ["systems/fam-0", "systems/fam-1", "systems/fam-2"]    # one a seed
    ours = true                              # what the other rows are compared with

A row may give `runs`, folders of finished runs, in place of `folders`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from eval.opening import History
from eval.runs import AGENT, ALONE, SETTINGS, RunError, read_settings
from retrieval.recorded import References

Table = Literal["systems", "ablations", "scope"]
"""The paper's Tables 3, 5 and 9."""
KEYS = {
    "title", "benchmark", "split", "protocols", "histories", "references", "limit", "index", "pictures", "rows",
}  # fmt: skip
LISTS = ("tables", "folders", "runs", "protocols", "histories")
ROW_KEYS = {"name", "ours", *LISTS}
TITLE = "Systems side by side"
OURS = "fashion_am"
"""The kind of system that a folder of runs is compared with."""


@dataclass(frozen=True, slots=True)
class RowSpec:
    """One system, or one setting of it, by seed."""

    name: str
    tables: tuple[Table, ...] = ("systems",)
    folders: tuple[Path, ...] = ()
    """Systems, whose runs are made where they are missing."""
    runs: tuple[Path, ...] = ()
    """Finished runs."""
    ours: bool = False
    protocols: tuple[str, ...] = (ALONE,)
    histories: tuple[History, ...] = ("recorded",)

    @property
    def folder_name(self) -> str:
        """What the folders of its runs are called after."""
        return re.sub(r"[\W_]+", "-", self.name.lower()).strip("-")


@dataclass(frozen=True, slots=True)
class Spec:
    rows: tuple[RowSpec, ...]
    title: str = TITLE
    benchmark: Path | None = None
    """None where all rows give runs."""
    split: str = "test"
    references: References = "previous"
    limit: int | None = None
    index: Path | None = None
    pictures: Mapping[str, Path] = field(default_factory=dict)


def read_spec(path: Path) -> Spec:
    """Raises RunError for what is neither a specification nor a folder of runs, or names what there is not."""
    if path.is_dir():
        return _of_runs(path)
    try:
        text = path.read_text(encoding="utf-8")
        read = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{path} is no specification in TOML or JSON ({error}).") from error
    try:
        spec = _spec(read, path.resolve().parent)
    except KeyError as error:
        raise RunError(f"{path} is no specification of tables: {error} is missing. See eval/tables_spec.py.") from error
    except (TypeError, AttributeError, ValueError) as error:
        raise RunError(f"{path} is no specification of tables: {error}. See eval/tables_spec.py.") from error
    missing = [each for row in spec.rows for each in (*row.folders, *row.runs) if not each.is_dir()]
    if missing:
        raise RunError(f"{path} names {missing[0]}, which is no folder.")
    return spec


def _spec(read: Mapping[str, Any], home: Path) -> Spec:
    _refuse_others("the specification", read, KEYS)
    usual = {name: read[name] for name in ("protocols", "histories") if name in read}
    rows = tuple(_row({**usual, **row}, home) for row in read["rows"])
    if not rows or len({row.folder_name for row in rows}) < len(rows):
        raise ValueError("it needs rows, each with a name of its own: of other letters or digits")
    benchmark, index, limit = read.get("benchmark"), read.get("index"), read.get("limit")
    if benchmark is None and any(row.folders for row in rows):
        raise ValueError("rows with folders need a benchmark")
    if not isinstance(limit, int | None):
        raise TypeError(f"the limit is {limit!r}")
    return Spec(
        rows=rows,
        title=str(read.get("title", TITLE)),
        benchmark=None if benchmark is None else home / benchmark,
        split=str(read.get("split", "test")),
        references=_one_of(read.get("references", "previous"), get_args(References)),
        limit=limit,
        index=None if index is None else home / index,
        pictures={str(source): home / folder for source, folder in read.get("pictures", {}).items()},
    )


def _row(read: Mapping[str, Any], home: Path) -> RowSpec:
    _refuse_others("a row", read, ROW_KEYS)
    if texts := [key for key in LISTS if isinstance(read.get(key), str)]:
        raise TypeError(f"{texts[0]} of row {read['name']!r} is a word, not a list")
    row = RowSpec(
        name=str(read["name"]),
        tables=tuple(_one_of(each, get_args(Table)) for each in read.get("tables", ["systems"])),
        folders=tuple(home / str(each) for each in read.get("folders", [])),
        runs=tuple(home / str(each) for each in read.get("runs", [])),
        ours=bool(read.get("ours", False)),
        protocols=tuple(_one_of(each, (ALONE, AGENT)) for each in read.get("protocols", [ALONE])),
        histories=tuple(_one_of(each, get_args(History)) for each in read.get("histories", ["recorded"])),
    )
    if bool(row.folders) == bool(row.runs):
        raise ValueError(f"row {row.name!r} needs either folders or runs")
    return row


def _one_of(value: Any, known: tuple[Any, ...]) -> Any:
    if value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(known)}")
    return value


def _refuse_others(what: str, read: Mapping[str, Any], known: set[str]) -> None:
    if others := sorted(read.keys() - known):
        raise ValueError(f"{what} has {others[0]!r}, which is none of {', '.join(sorted(known))}")


def _of_runs(folder: Path) -> Spec:
    """One row for the runs of each system. Which of them differ by their seed alone no run says: a specification
    does."""
    found = sorted(path.parent for path in folder.rglob(SETTINGS))
    if not found:
        raise RunError(f"There is no run below {folder}. Give a specification, or a folder of finished runs.")
    rows: dict[tuple[str, ...], list[Path]] = {}
    for run in found:
        rows.setdefault(_system_key(read_settings(run)), []).append(run)
    return Spec(
        rows=tuple(
            RowSpec(_row_name(key, rows), runs=tuple(runs), ours=key[0] == OURS) for key, runs in sorted(rows.items())
        ),
        title=f"Runs in {folder.name}",
    )


def _system_key(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Kind and name, what made the queries, what made the items; the last alone where a run names no system."""
    encoder = str(settings.get("encoder"))
    system = settings.get("system") or {"kind": "", "name": encoder}
    return str(system["kind"]), str(system["name"]), str(system.get("query_revision", "")), encoder


def _row_name(key: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> str:
    """As much of the key as no other has."""
    keys = list(others)
    lengths = (n for n in range(2, len(key)) if sum(each[:n] == key[:n] for each in keys) == 1)
    return " ".join(filter(None, key[: next(lengths, len(key))]))

"""Runs on disk: what was asked and answered, turn by turn, with all that is needed to score it.

settings.json   what was answered, by what; a run goes on only under the same settings
turns.jsonl     one TurnRecord a line, in the order of the sessions
run.trec        the rankings of all judged queries, in TREC form
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any, get_args

from retrieval.benchmark import RecordedSession, Task
from retrieval.errors import FashionSearchError
from retrieval.recorded import References
from retrieval.schema import Hit

FORMAT = "dimity-run"
VERSION = 1
SETTINGS, TURNS, TREC, LOCK = "settings.json", "turns.jsonl", "run.trec", "run.lock"
TAG = "dimity"
AGENT, ALONE = "agent", "alone"
"""Protocols: through the agent with its plans and filters, or a system's query vectors alone. A run whose settings name
none is of the first."""
WORDS = ("benchmark", "checksum", "split", "history", "planner", "agent", "encoder", "gallery_hash")
NUMBERS = ("depth", "shown", "n_gallery", "n_skipped", "n_sessions", "n_turns", "n_queries")
"""Settings without which a run cannot be reported, beside `limit` and `is_full_depth`."""
SYSTEM = ("kind", "name", "query_revision")
"""What tells a system from others; older runs name none."""


class RunError(FashionSearchError):
    """A run that cannot be read, gone on with or compared."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One replayed turn."""

    query_id: str
    task: str
    dataset: str
    origin: str
    n_candidates: int
    """Items among which this turn was ranked: the gallery, or the query's own pool, without those left out."""
    hits: tuple[Hit, ...]
    """Best first, down to the run's depth; of a turn that is not judged only what a shop shows."""
    ms: float
    """Milliseconds that the answer took."""
    relevant: Mapping[str, int] | None = None
    """item_id -> grade; None for a turn that is not judged."""
    in_pool: bool = False
    rollback_to: int | None = None
    intent: str = ""
    """Of the agent's plan; "" when the turn failed."""
    then: str = ""
    reference_turn: int | None = None
    references: tuple[str, ...] = ()
    """Gallery items that the plan starts from."""
    meant: tuple[str, ...] = ()
    """Pictures that the recorded user started from."""
    left_out: tuple[str, ...] = ()
    """Relevant items that the plan excluded from the ranking: the agent does not show them again."""
    reply: str = ""
    error: str = ""

    @property
    def session_id(self) -> str:
        return self.query_id.rpartition("/")[0]

    @property
    def n_earlier(self) -> int:
        """Turns before this one."""
        return int(self.query_id.rpartition("/")[2]) - 1


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    folder: Path
    settings: Mapping[str, Any]
    turns: tuple[TurnRecord, ...] = field(repr=False)


def to_line(record: TurnRecord) -> str:
    written: dict[str, Any] = {}
    for each in fields(record):
        value = getattr(record, each.name)
        if each.default is MISSING or value != each.default:
            written[each.name] = [[hit.item_id, hit.score] for hit in value] if each.name == "hits" else value
    return json.dumps(written, ensure_ascii=False, allow_nan=False)


def from_line(line: str) -> TurnRecord:
    """Raises ValueError, TypeError, KeyError or AttributeError for a damaged line."""
    values = json.loads(line)
    hits = tuple(Hit(item_id, score) for item_id, score in values["hits"])
    named = {name: tuple(values[name]) for name in ("references", "meant", "left_out") if name in values}
    record = TurnRecord(**{**values, "hits": hits, **named})
    _check(record)
    return record


def _check(record: TurnRecord) -> None:
    """Raises ValueError for a value that cannot be scored."""
    Task(record.task)
    if record.n_earlier < 0 or not record.session_id:
        raise ValueError(f"no query_id: {record.query_id!r:.60}")
    grades = (record.relevant or {}).values()
    whole = (record.n_candidates, *grades, record.reference_turn or 0, record.rollback_to or 0)
    texts = (record.dataset, record.origin, record.intent, *(hit.item_id for hit in record.hits))
    if not all(isinstance(value, int) for value in whole) or not all(isinstance(text, str) for text in texts):
        raise ValueError("a value of another type")
    if not all(isinstance(number, int | float) and isfinite(number) for number in (record.ms, *_scores(record))):
        raise ValueError("a score that is no number")


def _scores(record: TurnRecord) -> Iterator[float]:
    return (hit.score for hit in record.hits)


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Two replays never write one run. Raises RunError for what is not a run, or one that is being written."""
    refuse_foreign(folder)
    with locked(folder / LOCK, f"Another replay writes {folder}. Wait for it, or choose another --out."):
        yield


@contextmanager
def locked(file: Path, refusal: str) -> Iterator[None]:
    """Raises RunError, in the words of `refusal`, while another process holds the file; makes its folder."""
    from filelock import FileLock, Timeout

    file.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(file, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise RunError(refusal) from error
    try:
        yield
    finally:
        lock.release()


def refuse_foreign(folder: Path) -> None:
    """Raises RunError for a folder, or file, that holds something else than a run."""
    is_foreign = folder.exists() and not folder.is_dir()
    if folder.is_dir() and not (folder / SETTINGS).exists():
        is_foreign = any(path.name not in (LOCK, f"{SETTINGS}.partial") for path in folder.iterdir())
    if is_foreign:
        raise RunError(f"{folder} holds something else than a run. Choose another --out.")


class RunWriter:
    """Writes a run, or goes on with one that was interrupted."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], sessions: Sequence[RecordedSession]) -> None:
        """Raises RunError for a folder that holds something else, or a run under other settings."""
        self.folder = folder
        self._check_settings(settings)
        self.records = self._resumed(sessions)
        """All that was played so far."""
        n_turns = len(self.records)
        self.left: list[RecordedSession] = []
        """The sessions that are still to be played, in order."""
        for session in sessions:
            if n_turns > 0:
                n_turns -= len(session.turns)
            else:
                self.left.append(session)

    def add(self, records: Sequence[TurnRecord]) -> None:
        """One session's turns, all at once."""
        with (self.folder / TURNS).open("a", encoding="utf-8", newline="\n") as file:
            file.write("".join(f"{to_line(record)}\n" for record in records))
        self.records.extend(records)

    def finish(self) -> Run:
        """Write the TREC form, once all sessions are played."""
        write_whole(self.folder / TREC, trec_lines(self.records))
        return Run(self.folder, read_settings(self.folder), tuple(self.records))

    def _check_settings(self, settings: Mapping[str, Any]) -> None:
        path = self.folder / SETTINGS
        wanted = {"format": FORMAT, "version": VERSION, **json.loads(json.dumps(settings))}
        if path.exists():
            found = read_settings(self.folder)
            changed = sorted(name for name in {**found, **wanted} if found.get(name) != wanted.get(name))
            if changed:
                raise RunError(
                    f"The run in {self.folder} was begun with another {', '.join(changed)}: choose another --out, or "
                    "delete it."
                )
            return
        refuse_foreign(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, [json.dumps(wanted, indent=2, ensure_ascii=False)])

    def _resumed(self, sessions: Sequence[RecordedSession]) -> list[TurnRecord]:
        """Whole sessions alone are kept: what a killed run left of the next one is played again."""
        path = self.folder / TURNS
        if not path.exists():
            return []
        found = _read_turns(path, is_finished=False)
        kept: list[TurnRecord] = []
        for session in sessions:
            part = found[len(kept) : len(kept) + len(session.turns)]
            if [record.query_id for record in part] != [session.query_id(turn) for turn in session.turns]:
                break
            kept += part
        write_whole(path, map(to_line, kept))
        return kept


def read_settings(folder: Path) -> Mapping[str, Any]:
    """Raises RunError for a folder without a run, or with one of another version."""
    path = folder / SETTINGS
    if not path.is_file():
        raise RunError(f"There is no run in {folder}: make one with `python -m eval replay --help`.")
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is damaged ({error}): replay again.") from error
    if not isinstance(settings, dict) or settings.get("format") != FORMAT:
        raise RunError(f'{path} is not of a run ("format": "{FORMAT}").')
    if settings.get("version") != VERSION:
        raise RunError(f"The run in {folder} has version {settings.get('version')!r}, this program reads {VERSION}.")
    system = settings.get("system", dict.fromkeys(SYSTEM, ""))
    if not isinstance(system, dict) or not all(isinstance(system.get(name), str) for name in SYSTEM):
        raise RunError(f"{path} is damaged (system is not told by {', '.join(SYSTEM)}): replay again.")
    return settings


def read_run(folder: Path) -> Run:
    """Raises RunError for a run that is unfinished or damaged."""
    settings = read_settings(folder)
    damaged = [name for name in WORDS if not isinstance(settings.get(name), str)]
    damaged += [name for name in NUMBERS if not isinstance(settings.get(name), int)]
    damaged += [name for name in ("limit",) if not isinstance(settings.get(name, ""), int | None)]
    damaged += [name for name in ("is_full_depth",) if not isinstance(settings.get(name), bool)]
    if settings.get("protocol") == ALONE and settings.get("references") not in get_args(References):
        damaged.append("references")
    if damaged:
        raise RunError(f"{folder / SETTINGS} is damaged ({damaged[0]} is missing or of another type): replay again.")
    path = folder / TURNS
    turns = _read_turns(path, is_finished=True) if path.exists() else []
    if len(turns) != settings["n_turns"]:
        raise RunError(
            f"The run in {folder} is not finished ({len(turns)} of {settings['n_turns']} turns): give the same replay "
            "command again, it goes on from there."
        )
    return Run(folder, settings, tuple(turns))


def _read_turns(path: Path, *, is_finished: bool) -> list[TurnRecord]:
    """The last line may be cut where a run was killed."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    whole, cut = lines[:-1], lines[-1]
    if cut and is_finished:
        whole.append(cut)
    found = []
    for number, line in enumerate(whole, 1):
        try:
            found.append(from_line(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise RunError(f"Line {number} of {path} is damaged ({error}): delete the run and replay again.") from error
    return found


def trec_lines(records: Iterable[TurnRecord]) -> Iterable[str]:
    """query_id Q0 item_id rank score tag, of judged queries."""
    for record in records:
        if record.relevant is not None:
            for rank, hit in enumerate(record.hits, 1):
                yield f"{record.query_id} Q0 {hit.item_id} {rank} {hit.score!r} {TAG}"


def write_whole(path: Path, lines: Iterable[str]) -> None:
    new = path.with_name(f"{path.name}.partial")
    with new.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
    new.replace(path)

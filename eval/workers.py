"""Plays sessions in processes of their own, each with its own assistant; answers come in the order of the sessions."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from eval.opening import (
    Indexed,
    Request,
    index_gallery,
    open_stage,
    open_system,
    read_requested,
    read_system,
    references_stay,
    sessions_of,
)
from eval.runs import AGENT, Run, RunError, RunWriter, TurnRecord, claimed, refuse_foreign
from retrieval.protocols import Reranker
from retrieval.retriever import DEFAULT_K

if TYPE_CHECKING:
    from eval.replay import Player
    from retrieval.benchmark import Benchmark, RecordedSession
    from retrieval.protocols import Encoder, Manifest

AHEAD = 4
"""Sessions that wait in line for each worker: what is played and not yet written is lost when a run is killed."""
TRAINING = ("retrieval", "fashion_am")
READING = ("context.py", "contexts", "packing.py", "chat.py", "clip.py", "clip_encoder.py")
"""What encoders use of the training's package."""
PLAYING = ("eval/opening.py", "eval/replay.py")
"""Modules beside the agent's that an answer depends on."""


def replay(request: Request, out: Path, n_workers: int = 1, *, progress: bool = True) -> Run:
    """Play every session of the split, or go on with a run that was interrupted.

    Raises BenchmarkError, RunError, EncoderError, StoreError or ChatError; what else goes wrong inside a
    turn is part of the run.
    """
    from tqdm import tqdm

    if n_workers < 1:
        raise RunError(f"--workers is {n_workers}: at least one has to work.")
    refuse_foreign(out)
    benchmark = read_requested(request)
    sessions = sessions_of(benchmark, request)
    encoder = open_system(request, benchmark)
    _refuse_reranker(request, encoder)
    indexed = index_gallery(request, benchmark, encoder)
    with claimed(out):
        settings = settings_of(request, benchmark, sessions, indexed, encoder.manifest)
        writer = RunWriter(out, {**settings, "protocol": AGENT, "planner": "rules", "agent": code_hash()}, sessions)
        n_useful = min(n_workers, len(writer.left), os.cpu_count() or 1)  # more would only take memory
        if writer.left:
            with tqdm(total=len(sessions), initial=len(sessions) - len(writer.left), unit="session", desc="Replaying",
                      disable=not progress) as bar:  # fmt: skip
                for records in _played(request, indexed.index, writer.left, n_useful):
                    writer.add(records)
                    bar.update()
        return writer.finish()


def _refuse_reranker(request: Request, encoder: Encoder) -> None:
    """Raises RunError for a system whose answers the agent would show without their last stage."""
    if isinstance(encoder, Reranker):
        raise RunError(
            f"The system in {request.encoder} looks at the first of a ranking once more, which the agent does not ask "
            "for: score it with `python -m eval alone`, or in tables under the protocol alone."
        )


def settings_of(
    request: Request,
    benchmark: Benchmark,
    sessions: Sequence[RecordedSession],
    indexed: Indexed,
    manifest: Manifest,
) -> Mapping[str, Any]:
    """What an answer depends on beside the code, and the denominators that a report names."""
    query_ids = [session.query_id(turn) for session in sessions for turn in session.turns]
    return {
        "benchmark": str(benchmark.card.get("name", benchmark.folder.name)),
        "checksum": benchmark.card["checksum"],
        "split": request.split,
        "history": request.history,
        "limit": request.limit,
        "depth": request.depth if request.depth is not None else indexed.n_items,
        "is_full_depth": request.depth is None or request.depth >= indexed.n_items,
        "shown": DEFAULT_K,
        "system": asdict(read_system(request.encoder)),
        "encoder": f"{manifest.encoder} {manifest.revision}",
        "gallery_hash": indexed.gallery_hash,
        "references_stay": references_stay(benchmark),
        "n_gallery": indexed.n_items,
        "n_skipped": indexed.n_skipped,
        "n_sessions": len(sessions),
        "n_turns": len(query_ids),
        "n_queries": sum(query_id in benchmark.qrels for query_id in query_ids),
    }


@cache
def code_hash(
    root: Path = Path(__file__).parents[1],
    packages: tuple[str, ...] = ("agent", "retrieval"),
    modules: tuple[str, ...] = PLAYING,
) -> str:
    """Of what decides how a turn is answered: a run does not go on with another agent.

    Read once a process, since its code stays what it was when it began, whatever is edited meanwhile.
    """
    digest = hashlib.sha256()
    for path in sorted(_code(root, packages, modules)):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _code(root: Path, packages: tuple[str, ...], modules: tuple[str, ...]) -> Iterator[Path]:
    """All files, words and tables too, but for those of training and hidden ones."""
    for path in (path for package in packages for path in root.glob(f"{package}/**/*")):
        parts = path.relative_to(root).parts
        is_training = parts[:2] == TRAINING and not set(parts[2:3]) & set(READING)
        is_other = "__pycache__" in parts or is_training or any(part.startswith(".") for part in parts)
        if path.is_file() and not is_other:
            yield path
    yield from (root / name for name in modules)


def _played(
    request: Request, index: Path, sessions: Sequence[RecordedSession], n_workers: int
) -> Iterator[list[TurnRecord]]:
    if n_workers == 1:
        player = _player(request, index)
        yield from map(player.play, sessions)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_workers, context, initializer=_open, initargs=(request, index)) as pool:
        waiting = []
        try:
            for session in sessions:
                waiting.append(pool.submit(_play, session))
                if len(waiting) >= AHEAD * n_workers:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        except BrokenProcessPool as error:
            raise RunError(
                "A worker was ended from outside, perhaps for want of memory. Give the same command again, it goes on "
                "from there; fewer --workers need less memory."
            ) from error
        finally:
            for future in waiting:
                future.cancel()


def _player(request: Request, index: Path) -> Player:
    from eval.replay import Player

    return Player(open_stage(request, index))


_opened: list[Player] = []
"""In a worker: the one player of its process."""


def _open(request: Request, index: Path) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    _opened.append(_player(request, index))


def _end_with_parent() -> None:
    """A killed replay cannot end its workers; they would wait for sessions for ever."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _play(session: RecordedSession) -> list[TurnRecord]:
    return _opened[0].play(session)

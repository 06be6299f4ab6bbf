"""Writes benchmark folders: every file under a temporary name, the card last, so that half a benchmark is none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builders.sources import SOURCES
from retrieval.benchmark import (
    CARD,
    FORMAT,
    IMAGES,
    POOLS,
    QRELS,
    ROOTS,
    SESSIONS,
    VERSION,
    BenchmarkImage,
    RecordedSession,
    checksum_of,
    to_line,
)
from retrieval.errors import BenchmarkError
from retrieval.schema import Qrels

STATS = "STATS.md"
PARTIAL = ".partial"
LOCK = "build.lock"
PARTS: Mapping[str, frozenset[str]] = {
    "work": frozenset({"vectors", "trial", "answers.jsonl", LOCK}),
    "pictures": frozenset(SOURCES),
}
"""What a build makes in the folders that it goes on from."""


def refuse_foreign(folder: Path) -> None:
    """Raises BenchmarkError for a folder that holds something else than a benchmark or a begun build of one."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BenchmarkError(f"{folder} is a file. Choose another --out.")
    known = {CARD, SESSIONS, IMAGES, QRELS, POOLS, ROOTS, STATS, "pictures", "work", "index"}
    foreign = sorted(path.name for path in folder.iterdir() if path.name.removesuffix(PARTIAL) not in known)
    if foreign:
        raise BenchmarkError(f"{folder} holds other files ({foreign[0]!r}), and is no benchmark. Choose another --out.")
    card = folder / CARD
    if card.exists() and f'"format": "{FORMAT}"' not in card.read_text(encoding="utf-8", errors="replace"):
        raise BenchmarkError(f"{card} is not the card of a benchmark. Choose another --out.")


@contextmanager
def claimed(folder: Path, sources: Mapping[str, Path | None]) -> Iterator[None]:
    """The folder is this build's own while it lasts; the system ends the claim when the process ends, however it ends.

    `sources` names the folders that are read. Raises BenchmarkError when another build is at work there, or the folder
    holds something of the user's.
    """
    from filelock import FileLock, Timeout

    refuse_foreign(folder)
    _refuse_others_parts(folder)
    for name, original in sources.items():
        if original is not None and original.is_dir() and _overlap(folder.resolve(), original.resolve()):
            raise BenchmarkError(
                f"{folder} and the files of {name} ({original}) lie within each other, so that what is built would be "
                "read as original files. Choose another --out."
            )
    (folder / "work").mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "work" / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise BenchmarkError(f"Another build is at work in {folder}. Wait for it, or choose another --out.") from error
    try:
        yield
    finally:
        lock.release()


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _refuse_others_parts(folder: Path) -> None:
    """Folders of ours by name alone are somebody else's, and would be tidied up."""
    for name, known in PARTS.items():
        place = folder / name
        if not place.is_dir():
            continue
        foreign = sorted(path.name for path in place.iterdir() if path.name not in known)
        if foreign:
            raise BenchmarkError(f"{place} holds other files ({foreign[0]!r}). Choose another --out.")


def write_benchmark(
    folder: Path,
    sessions: Sequence[RecordedSession],
    images: Iterable[BenchmarkImage],
    qrels: Qrels,
    pools: Mapping[str, Sequence[str]],
    card: Mapping[str, Any],
    roots: Mapping[str, Path],
    stats: str = "",
) -> dict[str, Any]:
    """Write all files in place of what was there and return the card, with format, version and checksum added.

    `stats` is the text of STATS.md. Pictures inside the folder are named relative to it. Raises BenchmarkError for a
    folder of something else.
    """
    refuse_foreign(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / SESSIONS, (to_line(session) for session in sessions))
    _write(folder / IMAGES, (to_line(image) for image in sorted(images, key=lambda image: image.image_id)))
    _write(folder / QRELS, _judgements(qrels))
    _write(folder / POOLS, (_pool(query_id, pools[query_id]) for query_id in sorted(pools, key=_order)))
    written = {name: folder / (name + PARTIAL) for name in (SESSIONS, IMAGES, QRELS, POOLS)}
    full = {"format": FORMAT, "version": VERSION, **card, "checksum": checksum_of(written)}
    _write(folder / ROOTS, [json.dumps(_named_roots(folder, roots), indent=2, sort_keys=True)])
    _write(folder / STATS, [stats.rstrip("\n")])
    _write(folder / CARD, [json.dumps(full, indent=2, ensure_ascii=False)])
    (folder / CARD).unlink(missing_ok=True)  # from here to the last rename there is no finished benchmark
    for name in (SESSIONS, IMAGES, QRELS, POOLS, ROOTS, STATS, CARD):
        (folder / (name + PARTIAL)).replace(folder / name)
    return full


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.with_name(path.name + PARTIAL).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def _judgements(qrels: Qrels) -> Iterable[str]:
    for query_id in sorted(qrels, key=_order):
        for item_id in sorted(qrels[query_id]):
            yield f"{query_id} 0 {item_id} {qrels[query_id][item_id]}"


def _order(query_id: str) -> tuple[str, int]:
    session_id, _, number = query_id.rpartition("/")
    return session_id, int(number)


def _pool(query_id: str, candidates: Sequence[str]) -> str:
    return json.dumps({"query_id": query_id, "candidates": list(candidates)}, ensure_ascii=False)


def _named_roots(folder: Path, roots: Mapping[str, Path]) -> dict[str, str]:
    """Relative inside the folder, so that it can be moved; absolute elsewhere."""
    here = folder.resolve()
    places = {source: root.resolve() for source, root in roots.items()}
    return {
        source: place.relative_to(here).as_posix() if place.is_relative_to(here) else str(place)
        for source, place in places.items()
    }

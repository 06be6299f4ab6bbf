"""Writes benchmark folders: every file under a temporary name, the card last, so that half a benchmark is none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builders.folders import (
    LOCK,
    PARTIAL,
    WORK,
    at_work,
    finish,
    refuse_others,
    refuse_others_parts,
    write_partial,
)
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
from retrieval.schema import Qrels

STATS = "STATS.md"
PARTS: Mapping[str, frozenset[str]] = {
    WORK: frozenset({"vectors", "trial", "answers.jsonl", LOCK}),
    "pictures": frozenset(SOURCES),
}
"""What a build makes in the folders that it goes on from."""


def refuse_foreign(folder: Path) -> None:
    """Raises BenchmarkError for a folder that holds something else than a benchmark or a begun build of one."""
    known = {CARD, SESSIONS, IMAGES, QRELS, POOLS, ROOTS, STATS, "pictures", WORK, "index"}
    refuse_others(folder, known, CARD, FORMAT)


@contextmanager
def claimed(folder: Path, sources: Mapping[str, Path | None]) -> Iterator[None]:
    """The folder is this build's own while it lasts; the system ends the claim when the process ends, however it ends.

    `sources` names the folders that are read. Raises BenchmarkError when another build is at work there, or the folder
    holds something of the user's.
    """
    refuse_foreign(folder)
    refuse_others_parts(folder, PARTS)
    with at_work(folder, sources):
        yield


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
    write_partial(folder / SESSIONS, (to_line(session) for session in sessions))
    write_partial(folder / IMAGES, (to_line(image) for image in sorted(images, key=lambda image: image.image_id)))
    write_partial(folder / QRELS, _judgements(qrels))
    write_partial(folder / POOLS, (_pool(query_id, pools[query_id]) for query_id in sorted(pools, key=_order)))
    written = {name: folder / (name + PARTIAL) for name in (SESSIONS, IMAGES, QRELS, POOLS)}
    full = {"format": FORMAT, "version": VERSION, **card, "checksum": checksum_of(written)}
    write_partial(folder / ROOTS, [json.dumps(_named_roots(folder, roots), indent=2, sort_keys=True)])
    write_partial(folder / STATS, [stats.rstrip("\n")])
    write_partial(folder / CARD, [json.dumps(full, indent=2, ensure_ascii=False)])
    (folder / CARD).unlink(missing_ok=True)  # from here to the last rename there is no finished benchmark
    for name in (SESSIONS, IMAGES, QRELS, POOLS, ROOTS, STATS, CARD):
        finish(folder / name)
    return full


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

"""Writes benchmark folders: everything beside the place first, the card last, so that half a benchmark is none."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from builders.fashion_rq.tasks import Candidates, Composed
from builders.folders import LOCK, WORK, at_work, refuse_others, refuse_others_parts, write_lines
from retrieval.errors import BenchmarkError, ImageError
from retrieval.images import sniff_extension
from retrieval.rq_benchmark import (
    CANDIDATES,
    CARD,
    CHECKED,
    FORMAT,
    LISTINGS,
    PICTURES,
    QRELS,
    QUERIES,
    STATS,
    TASKS,
    VERSION,
    Label,
    Listing,
    checksum_of,
    grade,
    to_line,
)

BEGUN = "settings.json"
"""Below `work`: the settings of the build that was begun there."""
ANSWERS = "answers.jsonl"
"""Below `work`: what a model answered."""
MADE = frozenset({LOCK, BEGUN, ANSWERS, "catalogue", "vectors", "hierarchy", "trial"})
"""What a build makes below `work`."""
PLAIN_NAME = re.compile(r"[\w.-]{1,100}")


@contextmanager
def claimed(folder: Path, gallery: Path) -> Iterator[None]:
    """The folder is this build's own while it lasts. Raises BenchmarkError when another build is at work there, or the
    folder holds something of the user's."""
    refuse_others(folder, {CARD, *CHECKED, PICTURES, STATS, WORK}, CARD, FORMAT)
    refuse_others_parts(folder, {WORK: MADE})
    if (folder / PICTURES).exists() and not (folder / CARD).exists() and not (folder / WORK).exists():
        raise BenchmarkError(f"{folder} holds a folder {PICTURES!r} that no build made. Choose another --out.")
    if (folder / PICTURES).is_dir() and (folder / CARD).exists():
        foreign = sorted({path.name for path in (folder / PICTURES).iterdir()} - _pictures_of(folder))
        if foreign:
            raise BenchmarkError(f"{folder / PICTURES} holds other files ({foreign[0]!r}). Choose another --out.")
    with at_work(folder, {"the gallery": gallery}):
        yield


def _pictures_of(folder: Path) -> set[str]:
    """Those that the listings name. Raises BenchmarkError where these are damaged."""
    try:
        with (folder / LISTINGS).open(encoding="utf-8") as lines:
            return {str(json.loads(line)["picture"]) for line in lines}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BenchmarkError(
            f"{folder / LISTINGS} is damaged ({error}), and cannot tell which pictures are the benchmark's. Choose "
            f"another --out, or delete {folder / CARD}: it is built anew from what was kept."
        ) from error


def write_benchmark(
    folder: Path,
    listings: Iterable[Listing],
    composed: Composed,
    pictures: Mapping[str, Path],
    card: Mapping[str, Any],
) -> dict[str, Any]:
    """Write all files but STATS.md into a folder of no other use and return the card, with format, version and
    checksum added.

    `pictures` says where the picture of a product lies; those of candidates are copied, byte by byte. Raises
    BenchmarkError for ids that cannot stand in judgements, ImageError for a picture that is gone.
    """
    (folder / PICTURES).mkdir(parents=True)
    shown = {item_id for rows in composed.candidates.values() for labels in rows.values() for item_id in labels}
    names = {item_id: _copy(pictures[item_id], item_id, folder) for item_id in sorted(shown) if item_id in pictures}
    lines = (replace(one, picture=names.get(one.item_id, "")) for one in listings)
    write_lines(folder / LISTINGS, map(to_line, sorted(lines, key=lambda one: one.item_id)))
    write_lines(folder / QUERIES, map(to_line, composed.queries))
    write_lines(folder / CANDIDATES, _candidate_lines(composed.candidates))
    for task, name in QRELS.items():
        write_lines(folder / name, _judgements(composed.candidates[task]))
    full = {"format": FORMAT, "version": VERSION, **card, "checksum": checksum_of(folder)}
    write_lines(folder / CARD, [json.dumps(full, indent=2, ensure_ascii=False)])
    return full


def publish(trial: Path, folder: Path) -> None:
    """Put what was written in `trial`, on the same disk, in place of what `folder` held, the card last."""
    (folder / CARD).unlink(missing_ok=True)  # from here to the last rename there is no finished benchmark
    if (folder / PICTURES).exists():
        shutil.rmtree(folder / PICTURES)
    for name in (PICTURES, *CHECKED, STATS, CARD):
        (trial / name).replace(folder / name)
    trial.rmdir()


def _copy(picture: Path, item_id: str, folder: Path) -> str:
    try:
        data = picture.read_bytes()
    except OSError as error:
        raise ImageError(
            f"{picture}, the picture of product {item_id}, cannot be read ({error.strerror}): put it back, then the "
            "same command goes on."
        ) from error
    stem = item_id if PLAIN_NAME.fullmatch(item_id) else hashlib.sha256(item_id.encode()).hexdigest()[:16]
    name = f"{stem}{sniff_extension(data) or picture.suffix}"
    (folder / PICTURES / name).write_bytes(data)
    return name


def _candidate_lines(candidates: Candidates) -> Iterator[str]:
    for task in TASKS:
        for query_id, labels in sorted(candidates[task].items()):
            yield json.dumps({"task": task, "query_id": query_id, "candidates": labels}, ensure_ascii=False)


def _judgements(rows: Mapping[str, Mapping[str, Label]]) -> Iterator[str]:
    for query_id, labels in sorted(rows.items()):
        for item_id, label in sorted(labels.items()):
            if len(item_id.split()) != 1:
                raise BenchmarkError(f"The product's id {item_id!r:.60} holds blanks: judgements cannot name it.")
            yield f"{query_id} 0 {item_id} {grade(label)}"

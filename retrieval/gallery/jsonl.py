"""JSONL: one object a line."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from retrieval.errors import GalleryError
from retrieval.gallery.records import Row, Skipped, Source

HEAD = 50
"""Lines from which the columns are learned."""


def open_jsonl(path: Path) -> Source:
    """Raises GalleryError when the file cannot be read."""
    try:
        head = [row.values for row in islice(_rows(path, None), HEAD) if isinstance(row, Row)]
    except OSError as error:
        raise GalleryError(f"{path} cannot be read: {error.strerror}.") from error
    columns = tuple(dict.fromkeys(name for values in head for name in values))
    return Source(str(path), columns, partial(_rows, path), partial(_count, path), path.parent)


def _rows(path: Path, only: Collection[str] | None) -> Iterator[Row | Skipped]:
    with path.open("rb") as file:
        for line, raw in enumerate(file, 1):
            try:
                text = raw.decode("utf-8-sig" if line == 1 else "utf-8").strip()
                values = json.loads(text) if text else None
            except (ValueError, RecursionError):
                yield Skipped(str(path), line, "it is not JSON in UTF-8")
                continue
            if isinstance(values, dict):
                yield Row(str(path), line, {key: values[key] for key in values if only is None or key in only})
            elif text:
                yield Skipped(str(path), line, "it is not a JSON object")


def _count(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())

"""JSONL: one object a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

from retrieval.errors import GalleryError
from retrieval.gallery.records import Row, Skipped, Source
from retrieval.gallery.values import number_of, price_of, text_of


def open_jsonl(path: Path) -> Source:
    """Reads the file once for its columns. Raises GalleryError when it cannot be read or is one JSON list."""
    columns: dict[str, None] = {}
    numbers: Counter[str] = Counter()
    words: Counter[str] = Counter()
    try:
        if _is_one_list(path):
            raise GalleryError(f"{path} is one JSON list. Write one object a line, without brackets around them all.")
        for row in _rows(path, frozenset(), None):
            if isinstance(row, Row):
                columns.update(dict.fromkeys(row.values))
                numbers.update(name for name, value in _flat(row.values) if price_of(value) is not None)
                words.update(name for name, value in _flat(row.values) if text_of(value) and price_of(value) is None)
    except OSError as error:
        raise GalleryError(f"{path} cannot be read: {error.strerror}.") from error
    worded = frozenset(name for name in words if words[name] >= numbers[name])
    return Source(str(path), tuple(columns), partial(_rows, path, worded), partial(_count, path), path.parent)


def _is_one_list(path: Path) -> bool:
    with path.open("rb") as file:
        first = next((line.strip() for line in file if line.strip()), b"").removeprefix(b"\xef\xbb\xbf")
    if not first.startswith(b"["):
        return False
    try:
        return any(isinstance(value, dict) for value in json.loads(first))
    except (ValueError, RecursionError):
        return True


def _flat(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Names and values of a row and of what is nested in it as "attributes"."""
    nested = values.get("attributes")
    yield from values.items()
    if isinstance(nested, Mapping):
        yield from nested.items()


def _rows(path: Path, worded: Collection[str], only: Collection[str] | None) -> Iterator[Row | Skipped]:
    """`worded` names columns that are mostly words (sizes: 38, "M", "L"): their numbers are given as words too."""
    with path.open("rb") as file:
        for line, raw in enumerate(file, 1):
            try:
                text = raw.decode("utf-8-sig" if line == 1 else "utf-8").strip()
                values = json.loads(text) if text else None
            except (ValueError, RecursionError):
                yield Skipped(str(path), line, "it is not JSON in UTF-8")
                continue
            if isinstance(values, dict):
                values = _as_words(values, worded)
                yield Row(str(path), line, {key: values[key] for key in values if only is None or key in only})
            elif text:
                yield Skipped(str(path), line, "it is not a JSON object")


def _as_words(values: Mapping[str, object], worded: Collection[str]) -> dict[str, object]:
    def translated(name: str, value: object) -> object:
        if name == "attributes" and isinstance(value, Mapping):
            return _as_words(value, worded)
        return text_of(value) if name in worded and number_of(value) is not None else value

    return {name: translated(name, value) for name, value in values.items()}


def _count(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())

"""CSV and TSV as they are found: any usual encoding and delimiter, stray quotes, NULs, commas in the last column."""

from __future__ import annotations

import codecs
import csv
import logging
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from retrieval.errors import GalleryError
from retrieval.gallery.records import Row, Skipped, Source

log = logging.getLogger(__name__)

MAX_RECORD_LINES = 100
"""A quoted cell that runs on for longer began with a stray quote."""


def open_table(path: Path) -> Source:
    """Raises GalleryError when the file cannot be read or has no header."""
    encoding = _encoding(path)
    lines = _Lines(path, encoding)
    try:
        first = lines.read_line()
        if not first.strip():
            raise GalleryError(f"{path} is empty. Give a table with a header line.")
        delimiter = max(",;\t", key=first.count)
        header = [name.strip() for name in next(csv.reader([first], delimiter=delimiter))]
    finally:
        lines.close()
    rows = partial(_rows, path, encoding, delimiter, header)
    return Source(str(path), tuple(header), rows, partial(_count, path), path.parent)


def _encoding(path: Path) -> str:
    """UTF-16 by its mark, else UTF-8 if the whole file is valid, else the Windows code page."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            block = file.read(1 << 20)
            if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return "utf-16"
            while block:
                decoder.decode(block)
                block = file.read(1 << 20)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    except OSError as error:
        raise GalleryError(f"{path} cannot be read: {error.strerror}.") from error
    return "utf-8-sig"


class _Lines:
    """Physical lines without NULs; remembers those handed out since `start`, and takes them back."""

    def __init__(self, path: Path, encoding: str) -> None:
        self._file = path.open(encoding=encoding, errors="replace", newline="")
        self._returned: list[str] = []
        self.taken: list[str] = []
        self.line = 0
        """Lines handed out in all."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if len(self.taken) > MAX_RECORD_LINES:
            raise StopIteration
        line = self.read_line()
        if not line:
            raise StopIteration
        self.taken.append(line)
        return line

    def read_line(self) -> str:
        line = self._returned.pop() if self._returned else self._file.readline().replace("\0", "")
        self.line += bool(line)
        return line

    def start(self) -> None:
        self.taken = []

    def keep_first(self) -> str:
        """Take all lines but the first back."""
        self._returned.extend(reversed(self.taken[1:]))
        self.line -= len(self.taken) - 1
        return self.taken[0]

    def close(self) -> None:
        self._file.close()


def _rows(
    path: Path, encoding: str, delimiter: str, header: list[str], only: Collection[str] | None
) -> Iterator[Row | Skipped]:
    wanted = {name: i for i, name in reversed(list(enumerate(header))) if name and (only is None or name in only)}
    joined: list[int] = []
    lines = _Lines(path, encoding)
    try:
        lines.read_line()  # the header
        for line, cells in _records(lines, delimiter, len(header)):
            if len(cells) < len(header):
                yield Skipped(str(path), line, f"it has {len(cells)} cells, the header has {len(header)}")
                continue
            if len(cells) > len(header):
                joined.append(line)
                cells = [*cells[: len(header) - 1], delimiter.join(cells[len(header) - 1 :])]
            yield Row(str(path), line, {name: cells[i] for name, i in wanted.items()})
    finally:
        lines.close()
    if joined and only is None:
        shown = ", ".join(map(str, joined[:20])) + (" ..." if len(joined) > 20 else "")
        log.warning("%s: %d lines have more cells than the header; the rest was joined into %r (lines %s)",
                    path, len(joined), header[-1], shown)  # fmt: skip


def _records(lines: _Lines, delimiter: str, width: int) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each record; blank lines are left out."""
    while True:
        lines.start()
        line = lines.line + 1
        try:
            cells = next(csv.reader(lines, delimiter=delimiter))
        except StopIteration:
            return
        except csv.Error:
            cells = []
        if len(lines.taken) > 1 and not _is_one_record(lines.taken, delimiter, width):
            cells = _one_line(lines.keep_first(), delimiter)
        elif not cells and lines.taken[0].strip():
            cells = _one_line(lines.taken[0], delimiter)
        if any(cell.strip() for cell in cells):
            yield line, cells


def _is_one_record(taken: list[str], delimiter: str, width: int) -> bool:
    """Whether lines that a quote holds together are well-formed, rather than swallowed by a stray quote."""
    if len(taken) > MAX_RECORD_LINES:
        return False
    try:
        records = list(csv.reader(taken, delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return len(records) == 1 and len(records[0]) >= width


def _one_line(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # a cell beyond the reader's limit
        return line.rstrip("\r\n").split(delimiter)


def _count(path: Path) -> int:
    """Lines but the header: right, or a little too high where cells hold line breaks."""
    with path.open("rb") as file:
        return max(0, sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")) - 1)

"""CSV and TSV as they are found: any usual encoding and delimiter, stray quotes, NULs, commas in the last column."""

from __future__ import annotations

import codecs
import csv
import logging
import re
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from retrieval.errors import GalleryError
from retrieval.gallery.records import Row, Skipped, Source

log = logging.getLogger(__name__)

MAX_RECORD_LINES = 100
"""A quoted cell that runs on for longer began with a stray quote."""
DELIMITERS = ",;\t|"


def open_table(path: Path) -> Source:
    """Raises GalleryError when the file cannot be read or has no header."""
    encoding = _encoding(path)
    lines = _Lines(path, encoding)
    try:
        _, header = _header(lines)
    finally:
        lines.close()
    if not header:
        raise GalleryError(f"{path} is empty. Give a table with a header line.")
    return Source(str(path), tuple(header), partial(_rows, path, encoding), partial(_count, path), path.parent)


def _header(lines: _Lines) -> tuple[str, list[str]]:
    """The delimiter and the columns' names, from the first line with words; none if there is no such line."""
    first = lines.read_line()
    while first and not first.strip():
        first = lines.read_line()
    told = re.fullmatch(r'"?sep=(.)"?', first.strip("\r\n"), re.IGNORECASE)  # Excel's own note to itself
    if told:
        first = lines.read_line()
    delimiter = told[1] if told and told[1] in DELIMITERS else max(DELIMITERS, key=first.count)
    names = _one_line(first, delimiter) if first else []
    if names is None:
        raise GalleryError(f"{lines.path} has no header line: its first line is one long text.")
    return delimiter, [name.strip() for name in names]


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
        self.path = path
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


def _rows(path: Path, encoding: str, only: Collection[str] | None) -> Iterator[Row | Skipped]:
    joined: list[int] = []
    lines = _Lines(path, encoding)
    try:
        delimiter, header = _header(lines)
        wanted = {name: i for i, name in reversed(list(enumerate(header))) if name and (only is None or name in only)}
        if only is None:
            _warn(path, encoding, header)
        for line, cells in _records(lines, delimiter, len(header)):
            if cells is None:
                yield Skipped(str(path), line, f"it has a cell of more than {csv.field_size_limit()} characters")
                continue
            while len(cells) > len(header) and not cells[-1].strip():
                cells.pop()  # delimiters at the end of the line
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


def _warn(path: Path, encoding: str, header: list[str]) -> None:
    if encoding == "cp1252":
        log.warning("%s is not UTF-8 and is read as Windows-1252; if letters look wrong, save it as UTF-8", path)
    if twice := sorted({name for name in header if name and header.count(name) > 1}):
        log.warning("%s: of columns with the same name the first is read: %s", path, ", ".join(twice))


def _records(lines: _Lines, delimiter: str, width: int) -> Iterator[tuple[int, list[str] | None]]:
    """Line number and cells of each record, None for one with a cell that is too long; no blank lines."""
    while True:
        lines.start()
        line = lines.line + 1
        cells: list[str] | None
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
        if cells is None or any(cell.strip() for cell in cells):
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


def _one_line(line: str, delimiter: str) -> list[str] | None:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # a cell beyond the reader's limit: where it ends can only be guessed
        return None


def _count(path: Path) -> int:
    """Lines but the header: right, or a little too high where cells hold line breaks."""
    with path.open("rb") as file:
        return max(0, sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")) - 1)

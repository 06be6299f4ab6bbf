"""What the readers of one format hand to the rest: rows as they stand in the file, and why a row was left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row or a file that is not in the gallery, and why."""

    file: str
    line: int
    """From 1: the line of a text file (the header is line 1), the row of a Parquet file; 0 for a folder's picture."""
    reason: str
    """In words, for people; what a program needs to know is in the next two."""
    missing_picture: str = ""
    """The picture that the row names and that is not there; "" where that is not the reason."""
    repeats_id: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    file: str
    line: int
    values: Mapping[str, object]
    """Foreign column name -> foreign value."""


@dataclass(frozen=True, slots=True)
class Source:
    """A gallery that was found but not read yet."""

    name: str
    columns: tuple[str, ...]
    """Foreign column names, as far as they are known before reading."""
    rows: Callable[[Collection[str] | None], Iterator[Row | Skipped]]
    """A fresh reading of all rows; a format that can read some columns alone does so."""
    count: Callable[[], int | None]
    """Number of rows for a progress bar, without reading them properly; None when it is not known."""
    root: Path | None = None
    """The folder that relative picture paths start from and may not leave."""
    cheap: bool = True
    """Whether a second reading costs little."""


class RowError(Exception):
    """Why one row cannot be an item; becomes a Skipped."""

    def __init__(self, reason: str, *, missing_picture: str = "", repeats_id: bool = False) -> None:
        super().__init__(reason)
        self.missing_picture = missing_picture
        self.repeats_id = repeats_id

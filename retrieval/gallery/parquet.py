"""Parquet files with pictures inside (bytes, or a hub data set's struct of bytes and path) or with paths."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from retrieval.errors import GalleryError
from retrieval.gallery.records import Row, Source

log = logging.getLogger(__name__)

BATCH = 32
"""Rows at a time, with pictures of up to 20 MB in each."""


def open_parquet(paths: Sequence[Path], name: str, root: Path) -> Source:
    """One gallery of all files, in the order given. Raises GalleryError for a damaged file."""
    columns = dict.fromkeys(column for path in paths for column in _opened(path).schema_arrow.names)
    return Source(name, tuple(columns), partial(_rows, paths), partial(_count, paths), root)


def _opened(path: Path) -> Any:
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path)
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        with path.open("rb") as file:
            if file.read(23) == b"version https://git-lfs":
                raise GalleryError(f"{path} is a Git LFS pointer; run `git lfs pull` first.") from error
        raise GalleryError(f"{path} is not a readable Parquet file; fetch it again.") from error


def _rows(paths: Sequence[Path], only: Collection[str] | None) -> Iterator[Row]:
    for path in paths:
        file, row = _opened(path), 0
        columns = [name for name in file.schema_arrow.names if only is None or name in only]
        try:
            for batch in file.iter_batches(BATCH, columns=columns, use_threads=False):
                listed = [_listed(column) for column in batch.columns]
                for cells in zip(*listed, strict=True):
                    row += 1
                    yield Row(str(path), row, dict(zip(batch.schema.names, cells, strict=True)))
        except (OSError, ValueError) as error:
            raise GalleryError(f"{path} is damaged after row {row}; fetch it again.") from error
        finally:
            file.close()


def _listed(column: Any) -> list[object]:
    try:
        return list(column.to_pylist())
    except Exception as error:  # of many kinds: a date beyond Python's, an unknown time zone, text that is not UTF-8
        log.warning("values that cannot be read are left out: %s", error)
        return [_value(cell) for cell in column]


def _value(cell: Any) -> object:
    try:
        return cast(object, cell.as_py())
    except Exception:  # see _listed
        return None


def _count(paths: Sequence[Path]) -> int:
    return sum(_opened(path).metadata.num_rows for path in paths)

"""A plain folder of pictures: the name is the caption, the sub-folder is the category."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from retrieval.gallery.records import Row, Skipped, Source
from retrieval.images import EXTENSIONS

_UNREADABLE = {".heic", ".heif", ".tif", ".tiff", ".svg", ".psd"}


def open_folder(path: Path) -> Source:
    return Source(str(path), ("id", "image", "caption", "category"), partial(_rows, path), partial(_count, path), path)


def has_pictures(path: Path) -> bool:
    """Also true for pictures of kinds that are not read: the reader then says so."""
    return any(file.suffix.lower() in EXTENSIONS or file.suffix.lower() in _UNREADABLE for file in _files(path, []))


def _files(root: Path, closed: list[OSError]) -> Iterator[Path]:
    """All but hidden ones; folders that cannot be opened are added to `closed`."""
    for folder, folders, names in os.walk(root, onerror=closed.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _rows(root: Path, only: Collection[str] | None) -> Iterator[Row | Skipped]:
    closed: list[OSError] = []
    for file in _files(root, closed):
        if file.suffix.lower() in _UNREADABLE:
            yield Skipped(str(file), 0, "pictures of this kind are not read; save it as JPEG or PNG")
        elif file.suffix.lower() in EXTENSIONS:
            relative = file.relative_to(root)
            values = {
                "id": relative.with_suffix("").as_posix(),
                "image": relative.as_posix(),
                "caption": _caption(file.stem),
                "category": _words(relative.parent.name),
            }
            yield Row(str(file), 0, {name: values[name] for name in values if only is None or name in only})
    for error in closed:
        yield Skipped(str(error.filename), 0, f"the folder cannot be opened: {error.strerror}")


def _words(name: str) -> str:
    return " ".join(re.sub(r"[_\-.+]+", " ", name).split())


def _caption(stem: str) -> str:
    """Empty for a camera's or a data base's name ("IMG_2041", "1163", "9f86d081884c7d65")."""
    words = _words(stem)
    return words if re.search(r"[^\W\d_]{2,}", re.sub(r"\b(?:img|dsc|dscn|dcim|pxl|image|photo)\b|\b[0-9a-f]{8,}\b", "",
                                                     words, flags=re.IGNORECASE)) else ""  # fmt: skip


def _count(root: Path) -> int:
    return sum(file.suffix.lower() in EXTENSIONS for file in _files(root, []))

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
    return next((True for file in _files(path) if file.suffix.lower() in EXTENSIONS), False)


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _rows(root: Path, only: Collection[str] | None) -> Iterator[Row | Skipped]:
    for file in _files(root):
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


def _words(name: str) -> str:
    return " ".join(re.sub(r"[_\-.+]+", " ", name).split())


def _caption(stem: str) -> str:
    """Empty for a camera's or a data base's name ("IMG_2041", "1163", "9f86d081884c7d65")."""
    words = _words(stem)
    return words if re.search(r"[^\W\d_]{2,}", re.sub(r"\b(?:img|dsc|dscn|dcim|pxl|image|photo)\b|\b[0-9a-f]{8,}\b", "",
                                                     words, flags=re.IGNORECASE)) else ""  # fmt: skip


def _count(root: Path) -> int:
    return sum(file.suffix.lower() in EXTENSIONS for file in _files(root))

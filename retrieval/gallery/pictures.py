"""Where a row's picture lies: a path inside the gallery's folder, or bytes that are written out once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from retrieval.errors import GalleryError
from retrieval.gallery.records import RowError
from retrieval.gallery.values import text_of
from retrieval.images import EXTENSIONS, MAX_BYTES, sniff_extension, write_once
from retrieval.picture_files import image_id
from retrieval.schema import Image


@dataclass(slots=True)
class Pictures:
    root: Path | None
    """Relative paths start here and may not leave it."""
    kept: Path
    """Pictures that come as bytes are written below this folder."""
    _real_root: str = field(default="", init=False)

    def find(self, value: object, item_id: str) -> tuple[Image, str]:
        """The picture, and a name that the item can have if the gallery gives it none. Raises RowError."""
        if isinstance(value, Mapping):
            data, path = value.get("bytes"), value.get("path")
            value = data if isinstance(data, bytes) and data else path
        if isinstance(value, bytes):
            return self._write(value)
        if isinstance(value, str) and value:
            return self._read(_short(value), self._inside(value))
        if item_id and self.root is not None:
            return self._read(_short(item_id), self._by_id(item_id))
        raise RowError("it names no picture")

    def _write(self, data: bytes) -> tuple[Image, str]:
        extension = _checked(data, "its picture")
        name = image_id(data)
        path = self.kept / name[:2] / f"{name}{extension}"
        try:
            write_once(path, data)
        except OSError as error:
            raise GalleryError(
                f"{path} cannot be written ({error.strerror}): make room, or choose another directory for the index."
            ) from error
        return Image(name, str(path)), name

    def _read(self, shown: str, path: Path) -> tuple[Image, str]:
        try:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            raise RowError(f"its picture {shown!r} cannot be opened") from error
        _checked(data, f"its picture {shown!r}")
        return Image(image_id(data), str(path)), path.stem

    def _inside(self, relative: str) -> Path:
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://", relative):
            raise RowError("its picture is a web address; pictures are not downloaded, so give a file")
        shown = _short(relative)
        if self.root is None:
            raise RowError(f"its picture is the path {shown!r}, and this gallery has no folder")
        spellings = [relative, text_of(relative), text_of(relative).replace("\\", "/")]  # as it stands, if it can be so
        for plain in map(PurePosixPath, dict.fromkeys(spellings)):
            if plain.is_absolute() or ".." in plain.parts:
                raise RowError(f"its picture {shown!r} lies outside of the gallery's folder")
            for path in (self.root / plain, self.root / "images" / plain):
                if _is_file(path):
                    return self._not_escaping(path, shown)
        if re.match(r"[a-zA-Z]:", relative):
            raise RowError(f"its picture {shown!r} lies outside of the gallery's folder")
        raise RowError(f"its picture {shown!r} does not exist", missing_picture=shown)

    def _by_id(self, item_id: str) -> Path:
        assert self.root is not None
        if re.fullmatch(r"[\w.@+ -]+", item_id) and item_id.strip("."):
            for extension in EXTENSIONS:
                path = self.root / "images" / f"{item_id}{extension}"
                if _is_file(path):
                    return self._not_escaping(path, item_id)
        shown = f"images/{_short(item_id)}.jpg"
        raise RowError(f"there is no picture {shown}", missing_picture=shown)

    def _not_escaping(self, path: Path, shown: str) -> Path:
        assert self.root is not None
        if not self._real_root:
            self._real_root = str(self.root.resolve())
        if not path.resolve().is_relative_to(self._real_root):
            raise RowError(f"its picture {shown!r} lies outside of the gallery's folder")
        return path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have, or a folder that is closed to us
        return False


def _short(name: str) -> str:
    return name if len(name) <= 200 else f"{name[:150]}..."


def _checked(data: bytes, shown: str) -> str:
    """The extension that fits the bytes. Only what costs nothing: the pixels are decoded later, once."""
    if not data:
        raise RowError(f"{shown} is empty")
    if len(data) > MAX_BYTES:
        raise RowError(f"{shown} is larger than {MAX_BYTES // 2**20} MB")
    if data.startswith(b"version https://git-lfs"):
        raise RowError(f"{shown} is a Git LFS pointer; run `git lfs pull` first")
    extension = sniff_extension(data)
    if extension is None:
        raise RowError(f"{shown} is not a picture of a kind that can be read here")
    return extension

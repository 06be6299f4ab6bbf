"""Pictures as files that are named by their content: uploads, parts cut out of them, thumbnails."""

from __future__ import annotations

import hashlib
import io
import math
import os
from collections.abc import Sequence
from pathlib import Path

from PIL.Image import Image as Picture

from retrieval import images, schema
from retrieval.errors import ImageError
from retrieval.images import UPLOAD_SIDE

MIN_SIDE = 8
"""Shortest side, in pixels, of a picture that is kept."""
_LOSSY = {"JPEG", "MPO", "WEBP", "AVIF"}
"""Formats of which a picture is kept as JPEG, all others as PNG."""
Box = Sequence[float]


def image_id(data: bytes) -> str:
    """Hash of a picture file's bytes, 20 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()[:20]


def store_upload(
    source: bytes | str | Path | Picture, directory: str | Path, name: str = "The picture"
) -> schema.Image:
    """Check a picture and keep it as the file that the page shows and the encoder reads.

    The file is upright, sRGB, on white, its longest side at most UPLOAD_SIDE, without metadata, and named by its
    content: the same picture gives the same file. Raises ImageError.
    """
    if isinstance(source, Picture):
        return _keep(images.normalise(source, name, UPLOAD_SIDE), Path(directory), lossy=False, name=name)
    if not isinstance(source, bytes):
        name = Path(source).name
    data = source if isinstance(source, bytes) else images.read(Path(source))
    found = images.decode_whole(data, name, UPLOAD_SIDE)
    if found.is_plain and min(found.picture.size) >= MIN_SIDE:
        # Kept byte for byte: a picture of the gallery that is uploaded again is recognised by its id.
        return _keep_bytes(data, Path(directory), images.sniff_extension(data) or ".png")
    return _keep(found.picture, Path(directory), lossy=found.format in _LOSSY, name=name)


def crop(image: schema.Image, box: Box, directory: str | Path) -> schema.Image:
    """Keep a part of a picture as a picture of its own.

    `box` is left, top, right, bottom of the upright picture: shares of its sides when all four are within 0 to 1, else
    pixels. What lies outside of the picture is cut off. Raises ImageError when nothing usable is left.
    """
    path = Path(image.path)
    whole = images.decode_whole(images.read(path), path.name)
    part = whole.picture.crop(_pixel_box(box, whole.picture.size))
    small = images.shrunk(part, UPLOAD_SIDE)
    return _keep(small, Path(directory), lossy=whole.format in _LOSSY, name="The selected part")


def thumbnail(image: schema.Image, directory: str | Path, side: int = 384) -> Path:
    """A small copy of the picture, made once: the file as it is where that will do, else a JPEG. Raises ImageError."""
    source, stem = Path(image.path), f"{image.image_id}-{side}"
    for extension in dict.fromkeys((source.suffix.lower(), ".jpg")):
        if (made := Path(directory, stem + extension)).exists():
            return made
    data = images.read(source)
    plain = images.plain_extension(data, source.name, side)
    path = Path(directory, stem + (plain or ".jpg"))
    images.write_once(path, data if plain else _encoded(images.decode(data, source.name, side), "JPEG"))
    return path


def _pixel_box(box: Box, size: tuple[int, int]) -> tuple[int, int, int, int]:
    if len(box) != 4 or not all(math.isfinite(value) for value in box):
        raise ImageError("The selection is not a box. Draw it again: left, top, right, bottom.")
    width, height = size
    across, down = (width, height) if all(0 <= value <= 1 for value in box) else (1, 1)
    left, right = (round(min(max(value * across, 0), width)) for value in (box[0], box[2]))
    top, bottom = (round(min(max(value * down, 0), height)) for value in (box[1], box[3]))
    if right - left < MIN_SIDE or bottom - top < MIN_SIDE:
        raise ImageError(f"The selection is smaller than {MIN_SIDE} pixels or outside. Draw a larger one.")
    return left, top, right, bottom


def _encoded(picture: Picture, kind: str) -> bytes:
    buffer = io.BytesIO()
    if kind == "JPEG":
        picture.save(buffer, "JPEG", quality=95, subsampling=0)
    else:
        picture.save(buffer, "PNG")
    return buffer.getvalue()


def _keep(picture: Picture, directory: Path, *, lossy: bool, name: str) -> schema.Image:
    if min(picture.size) < MIN_SIDE:
        raise ImageError(
            f"{images.shown_name(name)} is only {picture.width} x {picture.height} pixels. Choose a larger one."
        )
    kind, extension = ("JPEG", ".jpg") if lossy else ("PNG", ".png")
    return _keep_bytes(_encoded(picture, kind), directory, extension)


def _keep_bytes(data: bytes, directory: Path, extension: str) -> schema.Image:
    name = image_id(data)
    path = directory / f"{name}{extension}"
    images.write_once(path, data)
    os.utime(path)  # sent again, it is as new as any
    return schema.Image(name, str(path))

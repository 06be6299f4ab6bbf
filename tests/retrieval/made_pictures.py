"""Pictures that tests decode and keep, good and broken ones."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

from PIL import Image, ImageDraw

WHITE = (255, 255, 255)
RED = (220, 30, 40)


def encoded(picture: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def corner_marked(width: int = 60, height: int = 40) -> Image.Image:
    """White with a red block in the upper left corner."""
    picture = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(picture).rectangle((0, 0, 15, 15), fill=RED)
    return picture


def png_claiming(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100))


PHOTO = encoded(Image.effect_noise((200, 160), 60).convert("RGB"), "JPEG")
BROKEN = {
    "zero bytes": b"",
    "truncated jpeg": PHOTO[: len(PHOTO) // 2],
    "jpeg header alone": PHOTO[:20],
    "truncated png": encoded(Image.effect_noise((200, 160), 60))[:9000],
    "truncated webp": encoded(Image.effect_noise((200, 160), 60).convert("RGB"), "WEBP")[:3000],
    "text": b"this is a list of shirts\n" * 20,
    "svg": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="http://169.254.169.254/"/></svg>',
    "html": b"<!DOCTYPE html><html><body>404</body></html>",
    "heic": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 100,
    "huge claim": png_claiming(60000, 60000),
    "large claim": png_claiming(9000, 9000),
    "no width": png_claiming(0, 100),
    "strip": png_claiming(10000, 2),
    "gd": b"\xff\xff\x7f\xff\x7f\xff\0\xff\xff\xff\xff" + b"\0" * 1026,
}

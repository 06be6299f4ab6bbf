"""Pictures: the only place that decodes them, so that the page and the encoders see the same pixels.

Every picture leaves here upright, in sRGB, on white, as mode RGB. Safe to call from several threads: Pillow keeps no
state between pictures and no global setting of it is changed.
"""

from __future__ import annotations

import io
import logging
import math
import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageCms, ImageMath, UnidentifiedImageError, features
from PIL.Image import Image as Picture
from PIL.Image import Resampling, Transpose

from retrieval.errors import ImageError

log = logging.getLogger(__name__)

MAX_BYTES = 20 * 1024 * 1024
MAX_PIXELS = 50_000_000
MAX_ASPECT = 40
"""Longest side over shortest; beyond it nothing is left after scaling."""
UPLOAD_SIDE = 1024
"""Longest side, in pixels, of a stored upload, and of any picture that is encoded."""
DRAFT = 1.5
"""Sides of a JPEG as it is decoded, at least, in sides wanted. A photo of 4000 x 3000 pixels becomes 2000 x 1500 on its
way to 1024 x 768, in 70 ms in place of 170 and as near to the original; at 1 others would lose up to 6 dB."""
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", *(["AVIF"] if features.check("avif") else []))
EXTENSIONS = {
    ".jpg": "JPEG", ".jpeg": "JPEG", ".jpe": "JPEG", ".jfif": "JPEG", ".png": "PNG", ".webp": "WEBP", ".gif": "GIF",
    ".bmp": "BMP", ".avif": "AVIF",
}  # fmt: skip
_ADVICE = "Save it as JPEG or PNG and try again."
_ORIENTATION_TAG = 0x0112
_UPRIGHT = {
    2: Transpose.FLIP_LEFT_RIGHT, 3: Transpose.ROTATE_180, 4: Transpose.FLIP_TOP_BOTTOM, 5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270, 7: Transpose.TRANSVERSE, 8: Transpose.ROTATE_90,
}  # fmt: skip
_SIGNATURES = (
    (b"\xff\xd8\xff", ".jpg"), (b"\x89PNG\r\n\x1a\n", ".png"), (b"GIF8", ".gif"), (b"BM", ".bmp"),
)  # fmt: skip


def sniff_extension(data: bytes) -> str | None:
    """The extension that fits the first bytes (".jpg"), None when they are of no format that is read here."""
    for signature, extension in _SIGNATURES:
        if data.startswith(signature):
            return extension
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ".webp"
    if data[4:8] == b"ftyp" and b"avi" in data[8:32]:
        return ".avif"
    return None


def open_picture(path: str | Path, max_side: int | None = None) -> Picture:
    """Read and decode a file. The longest side is at most `max_side`; pictures are never enlarged.

    Raises ImageError for anything that cannot be used.
    """
    return decode(read(Path(path)), Path(path).name, max_side)


def decode(data: bytes, name: str, max_side: int | None = None) -> Picture:
    """Decode a file's bytes like `open_picture`; `name` is what an error calls the picture."""
    return decode_whole(data, name, max_side).picture


@dataclass(frozen=True, slots=True)
class Decoded:
    """A picture and what is known of the file that it was."""

    picture: Picture
    format: str
    """One of FORMATS, or another that Pillow reads as one of them (MPO as JPEG)."""
    is_plain: bool
    """The file is sRGB, of fitting size, and carries nothing but pixels (no place, camera, profile or comment)."""


def decode_whole(data: bytes, name: str, max_side: int | None = None) -> Decoded:
    """Like `decode`, with what is known of the file."""
    return _decode(data, shown_name(name), max_side)


def plain_extension(data: bytes, name: str, side: int) -> str | None:
    """The extension of a file that can be shown as it is, by its header alone: sRGB, one frame, at most `side` pixels,
    nothing in it but pixels. None for one that has to be made ready first. Raises ImageError."""
    shown = shown_name(name)
    with _open(data, shown) as picture:
        _check_size(picture.size, shown)
        return sniff_extension(data) if max(picture.size) <= side and _is_plain(picture) else None


def normalise(picture: Picture, name: str, max_side: int | None = None) -> Picture:
    """A picture of another origin as it would be, had it been decoded here. Raises ImageError."""
    shown = shown_name(name)
    _check_size(picture.size, shown)
    try:
        return _normalised(picture, max_side)
    except Exception as error:  # see _decode
        raise ImageError(f"{shown} could not be read. {_ADVICE}") from error


def read(path: Path) -> bytes:
    """A file's bytes, as they are. Raises ImageError where there is none, or one that is too heavy."""
    shown = shown_name(path.name)
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                raise ImageError(_too_heavy(shown))
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ImageError(f"{shown} does not exist. Choose the picture again.") from error
    except (OSError, ValueError) as error:
        raise ImageError(f"{shown} cannot be opened. Choose another picture.") from error


def write_once(path: Path, data: bytes) -> None:
    """Write a file that is named by its content, whole or not at all; one that is there already is left alone."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _decode(data: bytes, shown: str, max_side: int | None) -> Decoded:
    if not data:
        raise ImageError(f"{shown} is empty. Choose another picture.")
    if len(data) > MAX_BYTES:
        raise ImageError(_too_heavy(shown))
    if max_side is not None and max_side < 1:
        raise ValueError(f"max_side is {max_side}; it must be at least 1")
    picture = _open(data, shown)
    with picture:
        _check_size(picture.size, shown)
        kind, plain = picture.format or "", _is_plain(picture)
        try:
            if max_side is not None:
                # JPEG's own scaling, by 2, 4 or 8, is quick but coarse: some is left to be resampled properly.
                picture.draft(None, _fitted(picture.size, math.ceil(DRAFT * max_side)))
            picture.load()
            return Decoded(_normalised(picture, max_side), kind, plain)
        except Exception as error:  # decoders raise whatever a damaged file leads them to
            raise ImageError(f"{shown} is damaged or cut off and could not be read. {_ADVICE}") from error


def _open(data: bytes, shown: str) -> Picture:
    """Read the header alone."""
    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise ImageError(_too_many_pixels(shown)) from error
    except UnidentifiedImageError as error:
        raise ImageError(_not_a_picture(data, shown)) from error
    except Exception as error:  # see _decode
        raise ImageError(f"{shown} is damaged and could not be read. {_ADVICE}") from error


def _check_size(size: tuple[int, int], shown: str) -> None:
    width, height = size
    if width < 1 or height < 1:
        raise ImageError(f"{shown} has no pixels. Choose another picture.")
    if width * height > MAX_PIXELS:
        raise ImageError(_too_many_pixels(shown))
    if max(size) > MAX_ASPECT * min(size):
        raise ImageError(f"{shown} is a strip of {width} x {height} pixels. Cut out the part that matters.")


def _is_plain(picture: Picture) -> bool:
    pixels_only = {"jfif", "jfif_version", "jfif_unit", "jfif_density", "dpi", "progressive", "progression"}
    if picture.format == "WEBP":
        pixels_only |= {"loop", "background"}  # which Pillow names for every one
    return (
        picture.format in {"JPEG", "PNG", "WEBP"}
        and picture.mode == "RGB"
        and not getattr(picture, "is_animated", False)
        and max(picture.size) <= UPLOAD_SIDE
        and pixels_only.issuperset(picture.info)
    )


def _normalised(picture: Picture, max_side: int | None) -> Picture:
    orientation = _orientation(picture)
    if picture.mode in {"RGB", "RGBA", "L", "CMYK"} and "transparency" not in picture.info:
        picture = shrunk(picture, max_side)  # first, because colour conversion of fifty million pixels takes seconds
    picture = shrunk(_on_white(picture), max_side)
    if orientation in _UPRIGHT:
        picture = picture.transpose(_UPRIGHT[orientation])
    picture.info = {}
    return picture


def _orientation(picture: Picture) -> int:
    try:
        return int(picture.getexif().get(_ORIENTATION_TAG, 1))
    except Exception as error:  # damaged metadata is no reason to refuse the pixels
        log.debug("EXIF of a picture is damaged: %s", error)
        return 1


def _on_white(picture: Picture) -> Picture:
    profile = picture.info.get("icc_profile")
    if picture.mode.startswith("I"):
        picture = _eight_bit(picture)
    if picture.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in picture.info:
        rgba = picture.convert("RGBA")
        canvas = Image.new("RGB", rgba.size, "white")
        canvas.paste(_in_srgb(rgba.convert("RGB"), profile), mask=rgba.getchannel("A"))
        return canvas
    if picture.mode not in {"RGB", "L", "CMYK"}:
        picture = picture.convert("RGB")
    return _in_srgb(picture, profile)


def _eight_bit(picture: Picture) -> Picture:
    """16-bit grey to L (65535 becomes 255; Pillow's own conversion would clip), or LA if one grey is transparent."""
    wide = picture.convert("I")
    grey = wide.point(lambda value: value * (1 / 257) + 0.5).convert("L")
    clear = picture.info.get("transparency")
    grey.info = {}
    if isinstance(clear, int):
        grey.putalpha(ImageMath.lambda_eval(lambda v: v["convert"]((v["wide"] != clear) * 255, "L"), wide=wide))
    return grey


def _in_srgb(picture: Picture, profile: object) -> Picture:
    """Mode RGB. A profile that is damaged or of another kind of colour is passed over: the picture counts as sRGB."""
    if isinstance(profile, bytes) and profile:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(picture, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError) as error:
            log.debug("a colour profile was passed over: %s", error)
        else:
            if converted is not None:
                return converted
    return picture.convert("RGB")


def _fitted(size: tuple[int, int], side: int) -> tuple[int, int]:
    scale = min(1.0, side / max(size))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def shrunk(picture: Picture, side: int | None) -> Picture:
    """Its longest side at most `side`."""
    if side is None or max(picture.size) <= side:
        return picture
    info = picture.info
    smaller = picture.resize(_fitted(picture.size, side), Resampling.LANCZOS, reducing_gap=3.0)
    smaller.info = info
    return smaller


def shown_name(name: str) -> str:
    """A file's name as an error shows it: without folders and control characters, and short."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in name.replace("\\", "/").rsplit("/", 1)[-1])
    return (clean if len(clean) <= 80 else f"{clean[:60]}...{clean[-15:]}") or "The picture"


def _too_heavy(shown: str) -> str:
    return f"{shown} is larger than {MAX_BYTES // 2**20} MB. Make the picture smaller and try again."


def _too_many_pixels(shown: str) -> str:
    return f"{shown} has more than {MAX_PIXELS // 10**6} million pixels. Make the picture smaller and try again."


def _not_a_picture(data: bytes, shown: str) -> str:
    head = data[:512].lstrip().lower()
    kinds = (
        ("an SVG drawing", b"<svg" in head),
        ("a HEIC picture", data[4:8] == b"ftyp" and data[8:12] in {b"heic", b"heix", b"mif1", b"msf1", b"hevc"}),
        ("a TIFF picture", data[:4] in {b"II*\0", b"MM\0*"}),
        ("a PDF document", data[:4] == b"%PDF"),
        ("a web page", b"<html" in head or b"<!doctype html" in head),
    )
    kind = next((kind for kind, found in kinds if found), None)
    if kind:
        return f"{shown} is {kind}, which cannot be read here. {_ADVICE}"
    if sniff_extension(data):
        return f"{shown} is damaged or cut off and could not be read. {_ADVICE}"
    return f"{shown} is not a picture of a kind that can be read here ({', '.join(FORMATS)}). {_ADVICE}"

"""Pictures: the only place that decodes them, so that the page and the encoders see the same pixels.

Every picture leaves here upright, in sRGB, on white, as mode RGB. Safe to call from several threads: Pillow keeps no
state between pictures and no global setting of it is changed.
"""

from __future__ import annotations

import hashlib
import io
import logging
import math
import os
import uuid
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageCms, ImageMath, UnidentifiedImageError, features
from PIL.Image import Image as Picture
from PIL.Image import Resampling, Transpose

from retrieval import schema
from retrieval.errors import ImageError

log = logging.getLogger(__name__)

MAX_BYTES = 20 * 1024 * 1024
MAX_PIXELS = 50_000_000
MAX_ASPECT = 40
"""Longest side over shortest; beyond it nothing is left after scaling."""
MIN_UPLOAD_SIDE = 8
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
_LOSSY = {"JPEG", "MPO", "WEBP", "AVIF"}
_ADVICE = "Save it as JPEG or PNG and try again."
_ORIENTATION_TAG = 0x0112
_UPRIGHT = {
    2: Transpose.FLIP_LEFT_RIGHT, 3: Transpose.ROTATE_180, 4: Transpose.FLIP_TOP_BOTTOM, 5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_270, 7: Transpose.TRANSVERSE, 8: Transpose.ROTATE_90,
}  # fmt: skip
_SIGNATURES = (
    (b"\xff\xd8\xff", ".jpg"), (b"\x89PNG\r\n\x1a\n", ".png"), (b"GIF8", ".gif"), (b"BM", ".bmp"),
)  # fmt: skip
Box = Sequence[float]


def image_id(data: bytes) -> str:
    """Hash of a picture file's bytes, 20 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()[:20]


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
    return decode(_read(Path(path)), Path(path).name, max_side)


def decode(data: bytes, name: str, max_side: int | None = None) -> Picture:
    """Decode a file's bytes like `open_picture`; `name` is what an error calls the picture."""
    return _decode(data, _shown(name), max_side)[0]


def store_upload(
    source: bytes | str | Path | Picture, directory: str | Path, name: str = "The picture"
) -> schema.Image:
    """Check a picture and keep it as the file that the page shows and the encoder reads.

    The file is upright, sRGB, on white, its longest side at most UPLOAD_SIDE, without metadata, and named by its
    content: the same picture gives the same file. Raises ImageError.
    """
    if isinstance(source, Picture):
        shown = _shown(name)
        _check_size(source.size, shown)
        try:
            return _keep(_normalised(source, UPLOAD_SIDE), Path(directory), lossy=False, name=shown)
        except ImageError:
            raise
        except Exception as error:  # see _decode
            raise ImageError(f"{shown} could not be read. {_ADVICE}") from error
    if isinstance(source, bytes):
        data, shown = source, _shown(name)
    else:
        data, shown = _read(Path(source)), _shown(Path(source).name)
    picture, kind, plain = _decode(data, shown, UPLOAD_SIDE)
    if plain and min(picture.size) >= MIN_UPLOAD_SIDE:
        # Kept byte for byte: a picture of the gallery that is uploaded again is recognised by its id.
        return _keep_bytes(data, Path(directory), ".jpg" if kind == "JPEG" else ".png")
    return _keep(picture, Path(directory), lossy=kind in _LOSSY, name=shown)


def crop(image: schema.Image, box: Box, directory: str | Path) -> schema.Image:
    """Keep a part of a picture as a picture of its own.

    `box` is left, top, right, bottom of the upright picture: shares of its sides when all four are within 0 to 1, else
    pixels. What lies outside of the picture is cut off. Raises ImageError when nothing usable is left.
    """
    path = Path(image.path)
    picture, kind, _ = _decode(_read(path), _shown(path.name), None)
    part = picture.crop(_pixel_box(box, picture.size))
    return _keep(_shrunk(part, UPLOAD_SIDE), Path(directory), lossy=kind in _LOSSY, name="The selected part")


def thumbnail(image: schema.Image, directory: str | Path, side: int = 384) -> Path:
    """A small JPEG of the picture, made once. Raises ImageError."""
    path = Path(directory) / f"{image.image_id}-{side}.jpg"
    if not path.exists():
        write_once(path, _encoded(open_picture(image.path, side), "JPEG"))
    return path


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


def _read(path: Path) -> bytes:
    shown = _shown(path.name)
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                raise ImageError(_too_heavy(shown))
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise ImageError(f"{shown} does not exist. Choose the picture again.") from error
    except (OSError, ValueError) as error:
        raise ImageError(f"{shown} cannot be opened. Choose another picture.") from error


def _decode(data: bytes, shown: str, max_side: int | None) -> tuple[Picture, str, bool]:
    """The picture, the format it came in, and whether its bytes are already what `store_upload` would keep."""
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
            return _normalised(picture, max_side), kind, plain
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
    """An sRGB file of fitting size that carries nothing but pixels (no place, camera, profile or comment)."""
    pixels_only = {"jfif", "jfif_version", "jfif_unit", "jfif_density", "dpi", "progressive", "progression"}
    return (
        picture.format in {"JPEG", "PNG"}
        and picture.mode == "RGB"
        and max(picture.size) <= UPLOAD_SIDE
        and pixels_only.issuperset(picture.info)
    )


def _normalised(picture: Picture, max_side: int | None) -> Picture:
    orientation = _orientation(picture)
    if picture.mode in {"RGB", "RGBA", "L", "CMYK"} and "transparency" not in picture.info:
        picture = _shrunk(picture, max_side)  # first, because colour conversion of fifty million pixels takes seconds
    picture = _shrunk(_on_white(picture), max_side)
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


def _shrunk(picture: Picture, side: int | None) -> Picture:
    if side is None or max(picture.size) <= side:
        return picture
    info = picture.info
    smaller = picture.resize(_fitted(picture.size, side), Resampling.LANCZOS, reducing_gap=3.0)
    smaller.info = info
    return smaller


def _pixel_box(box: Box, size: tuple[int, int]) -> tuple[int, int, int, int]:
    if len(box) != 4 or not all(math.isfinite(value) for value in box):
        raise ImageError("The selection is not a box. Draw it again: left, top, right, bottom.")
    width, height = size
    across, down = (width, height) if all(0 <= value <= 1 for value in box) else (1, 1)
    left, right = (round(min(max(value * across, 0), width)) for value in (box[0], box[2]))
    top, bottom = (round(min(max(value * down, 0), height)) for value in (box[1], box[3]))
    if right - left < MIN_UPLOAD_SIDE or bottom - top < MIN_UPLOAD_SIDE:
        raise ImageError(f"The selection is smaller than {MIN_UPLOAD_SIDE} pixels or outside. Draw a larger one.")
    return left, top, right, bottom


def _encoded(picture: Picture, kind: str) -> bytes:
    buffer = io.BytesIO()
    if kind == "JPEG":
        picture.save(buffer, "JPEG", quality=95, subsampling=0)
    else:
        picture.save(buffer, "PNG")
    return buffer.getvalue()


def _keep(picture: Picture, directory: Path, *, lossy: bool, name: str) -> schema.Image:
    if min(picture.size) < MIN_UPLOAD_SIDE:
        raise ImageError(f"{name} is only {picture.width} x {picture.height} pixels. Choose a larger one.")
    kind, extension = ("JPEG", ".jpg") if lossy else ("PNG", ".png")
    return _keep_bytes(_encoded(picture, kind), directory, extension)


def _keep_bytes(data: bytes, directory: Path, extension: str) -> schema.Image:
    name = image_id(data)
    path = directory / f"{name}{extension}"
    write_once(path, data)
    return schema.Image(name, str(path))


def _shown(name: str) -> str:
    """A file name as an error shows it: without folders and control characters, and short."""
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

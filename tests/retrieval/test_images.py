"""Each kind of awkward picture is made here by Pillow, decoded, and looked at pixel by pixel."""

from __future__ import annotations

import io
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageFile

from retrieval import images
from retrieval.errors import ImageError
from tests.retrieval.made_pictures import BROKEN, PHOTO, RED, WHITE, corner_marked, encoded


def near(pixel: object, wanted: tuple[int, int, int], tolerance: int = 6) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(a - b) <= tolerance for a, b in zip(pixel, wanted, strict=True))


def wide_gamut_profile() -> bytes:
    """An RGB profile in which red and green have changed places: any use of it is plain to see."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    tags = {bytes(profile[i : i + 4]): i for i in range(132, 132 + 12 * struct.unpack(">I", profile[128:132])[0], 12)}
    red, green = tags[b"rXYZ"], tags[b"gXYZ"]
    profile[red + 4 : red + 12], profile[green + 4 : green + 12] = (
        profile[green + 4 : green + 12],
        profile[red + 4 : red + 12],
    )
    return bytes(profile)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "AVIF"])
def test_every_allowed_format_is_read_as_rgb(kind: str) -> None:
    if kind not in images.FORMATS:
        pytest.skip(f"this Pillow has no {kind}")
    picture = images.decode(encoded(Image.new("RGB", (32, 24), RED), kind), "shirt")
    assert (picture.mode, picture.size) == ("RGB", (32, 24))
    assert near(picture.getpixel((5, 5)), RED)


@pytest.mark.parametrize("kind", ["TIFF", "PPM", "ICO", "PCX"])
def test_a_format_that_is_not_allowed_is_refused(kind: str) -> None:
    with pytest.raises(ImageError, match=r"^shirt is .*Save it as JPEG or PNG"):
        images.decode(encoded(Image.new("RGB", (32, 24), RED), kind), "shirt")


@pytest.mark.parametrize(
    ("orientation", "size", "corner"),
    [
        (1, (60, 40), (3, 3)),
        (2, (60, 40), (56, 3)),
        (3, (60, 40), (56, 36)),
        (4, (60, 40), (3, 36)),
        (5, (40, 60), (3, 3)),
        (6, (40, 60), (36, 3)),
        (7, (40, 60), (36, 56)),
        (8, (40, 60), (3, 56)),
    ],
)
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_exif_orientation_is_applied(
    kind: str, orientation: int, size: tuple[int, int], corner: tuple[int, int]
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = images.decode(encoded(corner_marked(), kind, exif=exif.tobytes(), quality=95), "phone.jpg")
    assert picture.size == size
    assert near(picture.getpixel(corner), RED, 25)
    assert near(picture.getpixel((size[0] // 2, size[1] // 2)), WHITE, 25)


def test_orientation_holds_for_scaled_pictures_too() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = images.decode(encoded(corner_marked(), "JPEG", exif=exif.tobytes()), "phone.jpg", max_side=30)
    assert picture.size == (20, 30)
    assert near(picture.getpixel((17, 2)), RED, 30)


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
def test_damaged_exif_does_not_cost_the_picture() -> None:
    data = encoded(Image.new("RGB", (32, 24), RED), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xff broken")
    assert near(images.decode(data, "x.jpg").getpixel((5, 5)), RED)


@pytest.mark.parametrize(
    ("mode", "clear", "full"),
    [("RGBA", (0, 0, 0, 0), (*RED, 255)), ("LA", (0, 0), (0, 255)), ("PA", (0, 0, 0, 0), (*RED, 255))],
)
def test_transparency_becomes_white(mode: str, clear: tuple[int, ...], full: tuple[int, ...]) -> None:
    source = Image.new("RGBA" if mode == "PA" else mode, (40, 40), clear)
    source.paste(full, (0, 0, 20, 40))
    picture = images.decode(encoded(source), "cutout.png")
    assert picture.getpixel((30, 20)) == WHITE
    assert picture.getpixel((5, 20)) in {RED, (0, 0, 0)}


def test_half_transparency_is_mixed_with_white() -> None:
    picture = images.decode(encoded(Image.new("RGBA", (20, 20), (0, 0, 0, 128))), "veil.png")
    assert near(picture.getpixel((5, 5)), (127, 127, 127), 1)


@pytest.mark.parametrize("transparency", [0, bytes([0, 255])], ids=["index", "table"])
def test_a_palette_with_transparency_becomes_white(transparency: int | bytes) -> None:
    source = Image.new("P", (40, 40), 0)
    source.putpalette([0, 0, 0, *RED])
    source.paste(1, (0, 0, 20, 40))
    picture = images.decode(encoded(source, "PNG", transparency=transparency), "cutout.png")
    assert picture.getpixel((30, 20)) == WHITE
    assert picture.getpixel((5, 20)) == RED


@pytest.mark.parametrize(("mode", "colour"), [("RGB", (1, 2, 3)), ("L", 7), ("1", 0)])
def test_a_png_with_one_transparent_colour_becomes_white(mode: str, colour: Any) -> None:
    source = Image.new(mode, (40, 40), 255 if mode != "RGB" else RED)
    source.paste(colour, (0, 0, 20, 40))
    picture = images.decode(encoded(source, "PNG", transparency=colour), "cutout.png")
    assert picture.getpixel((5, 20)) == WHITE
    assert picture.getpixel((30, 20)) == (RED if mode == "RGB" else WHITE)


@pytest.mark.parametrize("max_side", [None, 16])
def test_sixteen_bit_grey_is_scaled_not_clipped(max_side: int | None) -> None:
    source = Image.new("I;16", (32, 32))
    source.paste(32896, (0, 0, 32, 32))
    picture = images.decode(encoded(source), "grey16.png", max_side)
    assert near(picture.getpixel((8, 8)), (128, 128, 128), 1)


def test_sixteen_bit_grey_keeps_its_ends() -> None:
    source = Image.new("I;16", (32, 32))
    source.paste(65535, (0, 0, 16, 32))
    picture = images.decode(encoded(source), "grey16.png")
    assert (picture.getpixel((8, 8)), picture.getpixel((24, 8))) == (WHITE, (0, 0, 0))


def test_a_transparent_grey_of_a_sixteen_bit_png_becomes_white() -> None:
    row = struct.pack("<H", 1000) * 16 + bytes(32)
    data = encoded(Image.frombytes("I;16", (32, 32), row * 32))
    transparent = struct.pack(">I", 2) + b"tRNS" + struct.pack(">H", 1000)
    transparent += struct.pack(">I", zlib.crc32(transparent[4:]))
    at = data.index(b"IDAT") - 4
    picture = images.decode(data[:at] + transparent + data[at:], "grey16.png")
    assert (picture.getpixel((8, 8)), picture.getpixel((24, 8))) == (WHITE, (0, 0, 0))


def test_a_cmyk_jpeg_keeps_its_colours() -> None:
    source = Image.new("RGB", (32, 32), RED).convert("CMYK")
    data = encoded(source, "JPEG", quality=95)
    assert Image.open(io.BytesIO(data)).mode == "CMYK"
    assert near(images.decode(data, "print.jpg").getpixel((8, 8)), RED, 8)


@pytest.mark.parametrize("mode", ["L", "1", "P"])
def test_grey_and_palette_pictures_become_rgb(mode: str) -> None:
    picture = images.decode(encoded(Image.new("RGB", (32, 32), WHITE).convert(mode)), "x.png")
    assert (picture.mode, picture.getpixel((3, 3))) == ("RGB", WHITE)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_colour_profile_is_converted_to_srgb(kind: str) -> None:
    data = encoded(Image.new("RGB", (32, 32), (200, 0, 0)), kind, icc_profile=wide_gamut_profile(), quality=95)
    red, green, _ = images.decode(data, "x").getpixel((8, 8))  # type: ignore[misc]
    assert green > 150
    assert red < 60


def test_a_colour_profile_holds_behind_transparency() -> None:
    source = Image.new("RGBA", (32, 32), (200, 0, 0, 255))
    source.paste((0, 0, 0, 0), (0, 0, 16, 32))
    picture = images.decode(encoded(source, icc_profile=wide_gamut_profile()), "x.png")
    assert picture.getpixel((4, 4)) == WHITE
    assert near(picture.getpixel((24, 4)), (0, 200, 0), 60)


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
@pytest.mark.parametrize("profile", [b"not a profile", wide_gamut_profile()[:200]], ids=["nonsense", "cut off"])
def test_a_broken_colour_profile_counts_as_srgb(mode: str, profile: bytes) -> None:
    source = Image.new("RGB", (32, 32), (90, 90, 90)).convert(mode)
    assert near(images.decode(encoded(source, "JPEG", icc_profile=profile), "x").getpixel((8, 8)), (90, 90, 90))


def test_a_profile_for_another_kind_of_colour_counts_as_srgb() -> None:
    source = Image.new("L", (32, 32), 90)
    assert near(images.decode(encoded(source, icc_profile=wide_gamut_profile()), "x").getpixel((8, 8)), (90, 90, 90))


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_an_animation_is_its_first_frame(kind: str) -> None:
    frames = [Image.new("RGB", (32, 32), colour) for colour in (RED, (0, 0, 255), (0, 255, 0))]
    data = encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=100)
    assert near(images.decode(data, "moving").getpixel((8, 8)), RED)


def test_a_picture_is_scaled_to_its_longest_side_and_never_enlarged() -> None:
    data = encoded(Image.new("RGB", (400, 200), RED), "JPEG")
    assert images.decode(data, "x", max_side=100).size == (100, 50)
    assert images.decode(data, "x", max_side=4000).size == (400, 200)


def test_a_scaled_jpeg_looks_like_the_scaled_original() -> None:
    gradient = Image.linear_gradient("L").resize((1600, 1600)).convert("RGB")
    small = images.decode(encoded(gradient, "JPEG", quality=95), "x", max_side=100)
    wanted = gradient.resize((100, 100), Image.Resampling.LANCZOS)
    assert all(near(small.getpixel((50, y)), wanted.getpixel((50, y)), 4) for y in range(0, 100, 9))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "max_side", "decoded"),
    [((4000, 3000), 1024, (2000, 1500)), ((3000, 4000), 1024, (1500, 2000)), ((2048, 1536), 1024, (2048, 1536)),
     ((1600, 1200), 384, (800, 600)), ((900, 30), 600, (900, 30))],
)  # fmt: skip
def test_a_large_jpeg_is_decoded_at_half_its_size_where_that_leaves_enough(
    size: tuple[int, int], max_side: int, decoded: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    normalised = images._normalised

    def noting(picture: Image.Image, side: int | None) -> Image.Image:
        seen.append(picture.size)
        return normalised(picture, side)

    monkeypatch.setattr(images, "_normalised", noting)
    small = images.decode(encoded(Image.new("RGB", size, RED), "JPEG"), "photo.jpg", max_side)
    assert seen == [decoded]
    assert max(small.size) == max_side


@pytest.mark.parametrize("max_side", [0, -3])
def test_a_senseless_side_is_the_callers_fault(max_side: int) -> None:
    with pytest.raises(ValueError, match="max_side"):
        images.decode(encoded(corner_marked()), "x", max_side)


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_be_used_is_refused_with_the_files_name(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "shirt.jpg"
    path.write_bytes(data)
    with pytest.raises(ImageError, match=r"^shirt\.jpg .*\.$") as raised:
        images.open_picture(path)
    assert str(tmp_path) not in str(raised.value)


def test_the_reason_is_named() -> None:
    for key, words in {"svg": "SVG", "heic": "HEIC", "html": "web page", "huge claim": "million pixels"}.items():
        with pytest.raises(ImageError, match=words):
            images.decode(BROKEN[key], "x.jpg")


def test_a_file_that_is_too_heavy_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "heavy.jpg"
    with path.open("wb") as file:
        file.truncate(images.MAX_BYTES + 1)
    with pytest.raises(ImageError, match=r"heavy\.jpg is larger than 20 MB"):
        images.open_picture(path)
    monkeypatch.setattr(images, "MAX_BYTES", 100)
    with pytest.raises(ImageError, match="larger"):
        images.decode(PHOTO, "x")


@pytest.mark.parametrize("name", ["missing.jpg", ".", "nul\0byte.jpg"])
def test_a_path_that_is_no_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ImageError):
        images.open_picture(tmp_path / name)


def test_a_name_is_shown_without_folders_and_control_characters() -> None:
    with pytest.raises(ImageError, match=r"^a\?b\.jpg is not a picture"):
        images.decode(b"text", "/home/someone/a\nb.jpg")


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["JPEG", "PNG", "WEBP", "GIF", "BMP"]), st.data())
def test_damage_anywhere_gives_a_picture_or_an_image_error(kind: str, data: st.DataObject) -> None:
    damaged = bytearray(encoded(corner_marked(), kind))
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        picture = images.decode(bytes(damaged), "damaged", max_side=32)
    except ImageError:
        return
    assert picture.mode == "RGB"
    assert max(picture.size) <= 32


def test_no_global_setting_of_pillow_is_changed() -> None:
    assert not ImageFile.LOAD_TRUNCATED_IMAGES


def test_threads_get_the_same_pixels() -> None:
    wanted = images.decode(PHOTO, "x", 64).tobytes()
    with ThreadPoolExecutor(4) as pool:
        assert all(
            pixels == wanted for pixels in pool.map(lambda _: images.decode(PHOTO, "x", 64).tobytes(), range(40))
        )

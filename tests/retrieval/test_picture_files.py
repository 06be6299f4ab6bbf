from __future__ import annotations

import mimetypes
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from retrieval import schema
from retrieval.errors import ImageError
from retrieval.images import open_picture, write_once
from retrieval.picture_files import crop, image_id, store_upload, thumbnail
from tests.retrieval.made_pictures import BROKEN, PHOTO, RED, WHITE, corner_marked, encoded


def test_an_upload_is_upright_small_and_without_metadata(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "camera"
    data = encoded(corner_marked(3000, 2000), "JPEG", exif=exif.tobytes())
    stored = store_upload(data, tmp_path)
    picture = Image.open(stored.path)
    assert picture.size == (683, 1024)
    assert not picture.getexif()
    assert stored.image_id == image_id(Path(stored.path).read_bytes())


@pytest.mark.parametrize(("kind", "options"), [("JPEG", {"comment": b"my address"}), ("JPEG", {}), ("PNG", {})])
def test_a_small_upload_tells_nothing_of_camera_or_place_either(
    kind: str, options: dict[str, Any], tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[0x010F] = "camera of mine"
    data = encoded(corner_marked(), kind, exif=exif.tobytes(), **options)
    stored = Path(store_upload(data, tmp_path).path).read_bytes()
    assert b"camera of mine" in data
    assert b"camera of mine" not in stored
    assert b"my address" not in stored


def test_a_drawing_in_memory_has_the_limits_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="strip of 900 x 10 pixels"):
        store_upload(Image.new("RGB", (900, 10)), tmp_path)
    with pytest.raises(ImageError, match="50 million pixels"):
        store_upload(Image.new("1", (10_000, 5_001)), tmp_path)


def test_the_same_upload_gives_the_same_file(tmp_path: Path) -> None:
    data = encoded(Image.new("RGBA", (50, 50), (0, 0, 255, 100)))
    path = tmp_path / "drawing.png"
    path.write_bytes(data)
    uploads = tmp_path / "uploads"
    stored = {store_upload(source, uploads) for source in (data, path, str(path), Image.open(path))}
    assert len(stored) == 1
    assert [file.name for file in uploads.iterdir()] == [Path(stored.pop().path).name]


def test_a_plain_picture_is_kept_byte_for_byte_so_that_its_id_is_recognised(tmp_path: Path) -> None:
    stored = store_upload(PHOTO, tmp_path)
    assert stored.image_id == image_id(PHOTO)
    assert Path(stored.path).read_bytes() == PHOTO
    assert store_upload(stored.path, tmp_path) == stored


def test_a_drawing_in_memory_lies_on_white(tmp_path: Path) -> None:
    stored = store_upload(Image.new("RGBA", (64, 64), (0, 0, 0, 0)), tmp_path)
    assert open_picture(stored.path).getpixel((9, 9)) == WHITE


def test_an_upload_of_a_few_pixels_is_refused(tmp_path: Path) -> None:
    for source in (Image.new("RGB", (3, 3)), encoded(Image.new("RGB", (3, 3)))):
        with pytest.raises(ImageError, match="only 3 x 3 pixels"):
            store_upload(source, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_be_read_is_refused_and_leaves_nothing(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"^The picture "):
        store_upload(data, tmp_path / "uploads")
    assert not (tmp_path / "uploads").exists()


@pytest.mark.parametrize("box", [(0.0, 0.0, 0.5, 0.5), (0, 0, 30, 20), (-50, -9, 30, 20)])
def test_a_crop_is_a_picture_of_its_own(box: tuple[float, ...], tmp_path: Path) -> None:
    whole = store_upload(corner_marked(), tmp_path)
    part = crop(whole, box, tmp_path)
    picture = open_picture(part.path)
    assert picture.size == (30, 20)
    assert picture.getpixel((3, 3)) == RED
    assert part != whole


@pytest.mark.parametrize(
    "box",
    [
        (0, 0, 0, 0),
        (0.5, 0.5, 0.2, 0.9),
        (100, 100, 200, 200),
        (0, 0, 4, 40),
        (0, 0, 1),
        (float("nan"), 0, 1, 1),
        (0, 0, float("inf"), 1),
    ],
)
def test_a_senseless_crop_is_refused(box: tuple[float, ...], tmp_path: Path) -> None:
    whole = store_upload(corner_marked(), tmp_path)
    with pytest.raises(ImageError, match="selection"):
        crop(whole, box, tmp_path)


def test_a_thumbnail_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "large.jpg"
    path.write_bytes(encoded(Image.new("RGB", (900, 600), RED), "JPEG"))
    picture = schema.Image(image_id(path.read_bytes()), str(path))
    small = thumbnail(picture, tmp_path / "small", side=90)
    assert Image.open(small).size == (90, 60)
    path.unlink()
    assert thumbnail(picture, tmp_path / "small", side=90) == small


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_thumbnail_of_a_small_plain_picture_is_the_file_itself(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"small.{kind}"
    path.write_bytes(encoded(corner_marked(), kind))
    picture = schema.Image("a.b", str(path))
    small = thumbnail(picture, tmp_path / "small", side=90)
    assert small.read_bytes() == path.read_bytes()
    assert Image.MIME[kind] == mimetypes.guess_type(small)[0]
    path.unlink()
    assert thumbnail(picture, tmp_path / "small", side=90) == small


def test_a_thumbnail_of_a_small_picture_that_is_not_plain_is_made_ready(tmp_path: Path) -> None:
    turned = Image.Exif()
    turned[0x0112] = 6
    frames = [Image.new("RGB", (60, 40), colour) for colour in ("red", "blue")]
    contents = {
        "turned.jpg": encoded(corner_marked(60, 40), "JPEG", exif=turned),
        "clear.png": encoded(Image.new("RGBA", (60, 40), (0, 0, 0, 0))),
        "moving.webp": encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:]),
        "grey.png": encoded(Image.new("I;16", (60, 40))),
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
        shown = Image.open(thumbnail(schema.Image(name, str(tmp_path / name)), tmp_path / "small", side=90))
        assert (shown.format, shown.mode, getattr(shown, "n_frames", 1)) == ("JPEG", "RGB", 1)
        assert shown.size == ((40, 60) if name == "turned.jpg" else (60, 40))


def test_an_upload_that_is_sent_again_is_as_new_as_any(tmp_path: Path) -> None:
    first = Path(store_upload(PHOTO, tmp_path).path)
    os.utime(first, (1, 1))
    assert Path(store_upload(PHOTO, tmp_path).path) == first
    assert first.stat().st_mtime > 1


def test_a_moving_upload_is_kept_as_its_first_frame(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (60, 40), colour) for colour in ("red", "blue")]
    kept = store_upload(encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:]), tmp_path)
    assert getattr(Image.open(kept.path), "n_frames", 1) == 1


def test_writing_leaves_no_temporary_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_once(tmp_path / "a.png", b"data")
    assert list(tmp_path.iterdir()) == []

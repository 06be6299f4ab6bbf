"""Cluttered grounds; the command runs the real encoder over ten pictures."""

from __future__ import annotations

import io
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageDraw

from eval.__main__ import main
from eval.grounds import compared, encode_both, on_photo, read_photos
from eval.t2i import Score
from retrieval import schema
from retrieval.errors import GalleryError
from retrieval.fashion_am.cutouts.ground import GroundCutter
from retrieval.protocols import Manifest

COLOURS = ("Red", "Blue", "Green", "Black")


def product(colour: str, ground: str = "white") -> Image.Image:
    picture = Image.new("RGB", (60, 80), ground)
    ImageDraw.Draw(picture).rectangle((15, 15, 45, 65), fill=colour.lower())
    return picture


def png(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two photos of the val split in which each pixel is another, and a plain one for training."""
    noise = np.random.default_rng(0).integers(0, 255, (2, 90, 120, 3), dtype=np.uint8)
    rows = [{"split": "val", "image": png(Image.fromarray(one))} for one in noise]
    rows.append({"split": "train", "image": png(Image.new("RGB", (90, 90), "orange"))})
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "photos.parquet")
    return tmp_path / "photos.parquet"


class MeanColour:
    """A picture's mean colour, and of nothing else."""

    manifest = Manifest("mean", "1", 3)

    def encode_items(self, items, pictures):
        return np.array([np.asarray(picture).mean((0, 1)) for picture in pictures], np.float32)


def items(folder: Path, pictures: list[Image.Image]) -> list[schema.Item]:
    found = []
    for number, picture in enumerate(pictures):
        picture.save(folder / f"{number}.png")
        found.append(schema.Item(str(number), schema.Image(str(number), str(folder / f"{number}.png")), ""))
    return found


def test_only_photos_of_the_val_split_are_grounds(photos: Path) -> None:
    read = read_photos(photos)
    assert [photo.size for photo in read] == [(120, 90)] * 2


def test_without_val_photos_there_is_no_measurement(tmp_path: Path) -> None:
    file = tmp_path / "photos.parquet"
    pq.write_table(pa.Table.from_pylist([{"split": "train", "image": b""}]), file)
    with pytest.raises(GalleryError, match="no photo of split 'val'"):
        read_photos(file)
    pq.write_table(pa.Table.from_pylist([{"picture": b""}]), file)
    with pytest.raises(GalleryError, match="columns split and image"):
        read_photos(file)


def test_the_item_stays_and_its_ground_is_a_piece_of_a_photo(photos: Path) -> None:
    picture = product("red")
    moved = on_photo(picture, GroundCutter().cut(picture), read_photos(photos), random.Random(0))
    assert moved.size == picture.size
    assert moved.getpixel((30, 40)) == (255, 0, 0)
    corner = np.asarray(moved.crop((0, 0, 12, 12)), float)
    assert corner.mean() < 220
    assert corner.std() > 5


def test_an_item_s_ground_depends_on_its_id_alone(photos: Path, tmp_path: Path) -> None:
    some = items(tmp_path, [product("red"), product("red"), product("blue")])
    read = read_photos(photos)
    both = encode_both(MeanColour(), some, read, GroundCutter())
    assert not np.array_equal(both.cluttered[0], both.cluttered[1])
    backwards = encode_both(MeanColour(), some[::-1], read, GroundCutter())
    np.testing.assert_array_equal(backwards.cluttered[::-1], both.cluttered)
    np.testing.assert_array_equal(both.plain[0], both.plain[1])


def test_a_picture_that_cannot_be_cut_stays_and_is_counted(photos: Path, tmp_path: Path) -> None:
    some = items(tmp_path, [product("red"), product("red", "tan"), product("white")])
    both = encode_both(MeanColour(), some, read_photos(photos), GroundCutter())
    np.testing.assert_array_equal(both.cluttered[1:], both.plain[1:])
    assert not np.array_equal(both.cluttered[0], both.plain[0])
    assert both.uncut == Counter({"the ground was not told from the item": 1, "no item was found": 1})


def test_the_loss_has_an_interval_over_pairs() -> None:
    def score(values: tuple[float, ...]) -> Score:
        return Score("held-out", "names", "success@1", float(np.mean(values)), 0, 1, 0, values)

    line = compared([score((1, 1, 0, 1))], [score((0, 0, 0, 1))]).splitlines()[-1]
    assert line.split() == ["names", "4", "success@1", "0.750", "0.250", "0.500", "0.000", "to", "1.000"]
    even = compared([score((1, 0, 1, 0))], [score((0.5, -0.5, 0.5, -0.5))]).splitlines()[-1]
    assert even.endswith(" 0.500 to 0.500")


def test_the_command_prints_plain_and_cluttered_side_by_side(
    photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {
            "id": number,
            "productDisplayName": f"{colour} Shirt {number}",
            "articleType": "Shirts",
            "baseColour": colour,
            "gender": "Men",
            "split": "val" if number < 5 else "train",
            "image": png(product(colour, "white" if number else "tan")),
        }
        for number, colour in enumerate(COLOURS * 2)
    ]
    (tmp_path / "catalogue").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "catalogue" / "a.parquet")
    arguments = ["t2i", "--gallery", str(tmp_path / "catalogue"), "--index", str(tmp_path / "index")]
    assert main([*arguments, "--grounds", str(photos)]) == 0
    first = capsys.readouterr().out
    assert first.startswith("encoder: dimity-embedded")
    assert "grounds: 2 photos; 4 of 5 pictures cut by ground-" in first
    assert "left as they are: 1 the ground was not told from the item" in first
    assert "gallery: held-out 5 [" in first
    assert first.count("precision@10") == 3
    assert main([*arguments, "--grounds", str(photos)]) == 0
    assert capsys.readouterr().out == first

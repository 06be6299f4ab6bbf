"""A catalogue's columns by a mapping file."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders.fashion_rq.mapping import DEFAULT, read_mapping
from retrieval.errors import GalleryError
from retrieval.schema import Image, Item

PICTURE = Image("1", "1.png")


def write(folder: Path, text: str) -> Path:
    path = folder / "shop.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_columns_of_fashion_product_images_get_the_benchmarks_names() -> None:
    item = Item(
        "1", PICTURE, "Turtle Men Shirt", {"category": "Shirts", "colour": "Blue", "gender": "Men", "usage": "Casual"}
    )
    assert read_mapping(DEFAULT).attributes(item) == {
        "product_type": "Shirts", "colour": "Blue", "gender": "Men", "age": "Adults", "occasion": "Casual"
    }  # fmt: skip


def test_boys_and_girls_are_kids() -> None:
    assert read_mapping().attributes(Item("1", PICTURE, "", {"gender": "Girls"}))["age"] == "Kids"


def test_another_catalogues_columns_are_found_under_its_own_spelling(tmp_path: Path) -> None:
    mapping = read_mapping(write(tmp_path, '[columns]\nproduct_type = "Garment Group"\noccasion = "Worn For"\n'))
    item = Item("1", PICTURE, "", {"garment_group": "Coats", "worn_for": "Rain", "colour": "Red"})
    assert mapping.attributes(item) == {"product_type": "Coats", "occasion": "Rain"}


def test_a_word_that_says_nothing_is_no_value(tmp_path: Path) -> None:
    mapping = read_mapping(write(tmp_path, '[columns]\ncolour = "colour"\n[missing]\nwords = ["Other"]\n'))
    assert mapping.attributes(Item("1", PICTURE, "", {"colour": "other"})) == {}


def test_brands_of_names_are_taken_only_where_the_mapping_says_so(tmp_path: Path) -> None:
    item = Item("1", PICTURE, "Puma Men Shoe", {"brand": "Puma"})
    assert read_mapping().attributes(item) == {"brand": "Puma"}
    assert read_mapping(write(tmp_path, '[columns]\ncolour = "colour"\n')).attributes(item) == {}


def test_a_name_may_stand_in_a_column_that_no_gallery_knows(tmp_path: Path) -> None:
    mapping = read_mapping(write(tmp_path, '[columns]\ncolour = "colour"\nname = "Titel"\n'))
    assert mapping.name(Item("1", PICTURE, "", {"titel": "Blaues Hemd"})) == "Blaues Hemd"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[columns\n", "no TOML"),
        ('[colums]\ncolour = "c"\n', "unknown table 'colums'"),
        ('[columns]\ncolor = "c"\n', "unknown color"),
        ('[columns]\nname = "title"\n', "no attribute"),
        ("[columns]\ncolour = 3\n", "no column's name"),
        ('[columns]\ncolour = "colour"\npicture = "view"\n', "cannot be the column 'view'"),
        ('[columns]\ncolour = "title"\n', "cannot be the column 'title'"),
        ('[columns]\ncolour = "colour"\n[names]\nread = ["price"]\n', "price cannot be read from names"),
        ('[columns]\ncolour = "colour"\n[age]\nkids = "Boys"\n', "has to be a list of words"),
    ],
)
def test_a_mapping_that_cannot_serve_says_why(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(GalleryError, match=words):
        read_mapping(write(tmp_path, text))


def test_a_missing_mapping_says_so(tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match=r"none\.toml cannot be read"):
        read_mapping(tmp_path / "none.toml")

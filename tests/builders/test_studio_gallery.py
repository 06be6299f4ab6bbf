"""The embedded gallery as it is committed, and the writers that made it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-build.txt)")

from PIL import Image

from builders.studio.__main__ import main
from builders.studio.assortment import counts, stock
from builders.studio.gallery import write_gallery, write_sample

GALLERY = Path(__file__).parents[2] / "assets" / "gallery"


@pytest.fixture(scope="module")
def items() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GALLERY / "items.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def card() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((GALLERY / "card.json").read_text(encoding="utf-8"))
    return loaded


def test_the_gallery_holds_at_least_1000_items_of_at_least_28_kinds(items: list[dict[str, Any]]) -> None:
    kinds = Counter(item["category"] for item in items)
    assert len(items) >= 1000
    assert len(kinds) >= 28
    assert min(kinds.values()) >= 12


def test_the_gallery_folder_has_at_most_14_megabytes() -> None:
    assert sum(file.stat().st_size for file in GALLERY.rglob("*") if file.is_file()) <= 14 * 1024 * 1024


def test_every_item_has_its_picture_and_every_picture_its_item(items: list[dict[str, Any]]) -> None:
    files = {f"images/{file.name}" for file in (GALLERY / "images").iterdir()}
    assert files == {item["image"] for item in items}
    assert len({item["id"] for item in items}) == len(items)


def test_pictures_are_384_by_512(items: list[dict[str, Any]]) -> None:
    for item in items[::40]:
        with Image.open(GALLERY / item["image"]) as picture:
            assert picture.size == (384, 512)


def test_the_checksum_on_the_card_is_that_of_the_files(items: list[dict[str, Any]], card: dict[str, Any]) -> None:
    digest = hashlib.sha256()
    for item in items:
        digest.update((GALLERY / item["image"]).read_bytes())
    digest.update((GALLERY / "items.jsonl").read_bytes())
    assert card["checksum"] == "sha256:" + digest.hexdigest()
    assert card["n"] == len(items)


def test_colours_are_well_spread(items: list[dict[str, Any]]) -> None:
    colours = Counter(item["colour"] for item in items)
    assert len(colours) >= 24
    assert max(colours.values()) < 0.12 * len(items)
    dresses = Counter(item["colour"] for item in items if item["category"] == "Dress")
    assert len(dresses) >= 20
    assert max(dresses.values()) <= 10


MAIN = ("Black", "White", "Blue", "Navy Blue", "Red", "Green", "Grey", "Beige", "Pink", "Yellow", "Brown", "Purple")


def _found(items: list[dict[str, Any]], *genders: str, **words: str) -> list[dict[str, Any]]:
    return [
        item
        for item in items
        if all(item.get(name) == word for name, word in words.items()) and (not genders or item["gender"] in genders)
    ]


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        *(("Dress", 88), ("Shirt", 58), ("T-shirt", 58), ("Sneakers", 48), ("Heels", 34), ("Boots", 34)),
        *((kind, 38) for kind in ("Jacket", "Coat", "Skirt", "Trousers", "Jeans", "Sweater", "Blouse", "Handbag")),
    ],
)
def test_kinds_that_shoppers_refine_have_depth(items: list[dict[str, Any]], kind: str, least: int) -> None:
    assert len(_found(items, category=kind)) >= least


def test_no_two_items_have_one_name(items: list[dict[str, Any]]) -> None:
    assert len({item["name"] for item in items}) == len(items)


@pytest.mark.parametrize("colour", MAIN)
def test_dresses_of_every_main_colour_differ_in_sleeves_length_and_pattern(
    items: list[dict[str, Any]], colour: str
) -> None:
    dresses = _found(items, category="Dress", colour=colour)
    assert len(dresses) >= 5
    assert len({dress["sleeves"] for dress in dresses}) >= 3
    assert len({dress["length"] for dress in dresses}) >= 3
    assert "Solid" in {dress["pattern"] for dress in dresses} != {"Solid"}


@pytest.mark.parametrize("colour", ["Red", "Blue", "Black", "White", "Green"])
@pytest.mark.parametrize("sleeves", ["Sleeveless", "Short Sleeves", "Long Sleeves"])
def test_a_dress_may_be_refined_by_colour_and_sleeves(items: list[dict[str, Any]], colour: str, sleeves: str) -> None:
    assert _found(items, category="Dress", colour=colour, sleeves=sleeves)


@pytest.mark.parametrize("colour", ["Red", "Blue", "Black", "White", "Green", "Pink"])
def test_there_are_dresses_for_a_summer_party_one_without_sleeves(items: list[dict[str, Any]], colour: str) -> None:
    party = _found(items, category="Dress", colour=colour, usage="Party", season="Summer")
    assert len(party) >= 2
    assert "Sleeveless" in {dress["sleeves"] for dress in party}


@pytest.mark.parametrize("colour", ["Red", "Black", "Blue"])
def test_dresses_of_a_colour_are_for_every_usage_and_several_seasons(items: list[dict[str, Any]], colour: str) -> None:
    dresses = _found(items, category="Dress", colour=colour)
    assert {dress["usage"] for dress in dresses} == {"Casual", "Formal", "Party"}
    assert len({dress["season"] for dress in dresses}) >= 3


@pytest.mark.parametrize("kind", ["Shirt", "Blouse", "Trousers", "Sweater", "Skirt", "Coat"])
def test_the_office_and_the_weekend_find_something(items: list[dict[str, Any]], kind: str) -> None:
    assert len({item["colour"] for item in _found(items, category=kind, usage="Formal")}) >= 6
    assert len(_found(items, category=kind, usage="Casual")) >= 10


@pytest.mark.parametrize("gender", ["Men", "Women"])
@pytest.mark.parametrize(("kind", "least"), [("Sneakers", 4), ("Boots", 3)])
def test_black_shoes_are_there_for_men_and_women(
    items: list[dict[str, Any]], kind: str, least: int, gender: str
) -> None:
    assert len(_found(items, gender, "Unisex", category=kind, colour="Black")) >= least


@pytest.mark.parametrize("gender", ["Men", "Women"])
@pytest.mark.parametrize("kind", ["Sneakers", "Boots"])
@pytest.mark.parametrize("colour", ["Brown", "White"])
def test_brown_and_white_shoes_are_there_for_men_and_women(
    items: list[dict[str, Any]], kind: str, colour: str, gender: str
) -> None:
    assert _found(items, gender, category=kind, colour=colour)


def test_values_are_words_or_numbers_and_never_empty(items: list[dict[str, Any]]) -> None:
    for item in items:
        assert isinstance(item["price"], float)
        words = [value for name, value in item.items() if name != "price"]
        assert all(isinstance(word, str) and word not in ("", "None", "NA") for word in words)


def test_writing_again_gives_the_same_checksum_and_replaces_the_folder(tmp_path: Path) -> None:
    first = write_gallery(tmp_path / "g", 33, 5, height=96)
    (tmp_path / "g" / "stray.txt").write_text("x")
    second = write_gallery(tmp_path / "g", 33, 5, height=96)
    assert first == second
    assert not (tmp_path / "g" / "stray.txt").exists()
    assert not (tmp_path / "g.partial").exists()


def test_a_folder_of_something_else_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    assert main(["gallery", "--n", "1", "--out", str(tmp_path)]) == 2
    assert "Choose another --out" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["letters.txt"]


def test_the_command_prints_the_card_that_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gallery", "--n", "2", "--out", str(tmp_path / "g")]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "g" / "card.json").read_text())


def test_a_contact_sheet_has_a_row_for_each_kind(tmp_path: Path) -> None:
    arguments = ["sheet", "--each", "3", "--height", "64", "--kinds", "Tie", "Tote Bag", "--out"]
    assert main([*arguments, str(tmp_path / "sheet.png")]) == 0
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.size == (3 * 48, 2 * (64 + 14))


def test_a_kind_that_cannot_be_drawn_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sheet", "--kinds", "Spacesuit", "--out", "sheet.png"])
    assert "T-shirt" in capsys.readouterr().err


@pytest.mark.parametrize("n", [1, 33, 500, 1100])
def test_counts_add_up(n: int) -> None:
    assert sum(counts(n).values()) == n


def test_another_seed_gives_other_garments() -> None:
    assert stock(40, 1) != stock(40, 2)
    assert len(stock(41, 1)) == 41


def test_nothing_in_stock_is_odd_to_wear() -> None:
    garments = stock(1100, 1)
    assert not [g for g in garments if g.season == "Summer" and g.material in ("Wool", "Velvet", "Corduroy")]
    assert not [g for g in garments if g.season == "Winter" and g.material in ("Linen", "Chiffon")]


def test_a_sample_that_was_not_finished_is_not_said_to_be_done(tmp_path: Path) -> None:
    write_sample(tmp_path, 1, 7, 96)
    (tmp_path / "items.jsonl.partial").mkdir()  # so that the list cannot be written
    with pytest.raises(IsADirectoryError):
        write_sample(tmp_path, 1, 7, 96)
    assert not (tmp_path / "DONE").exists()


def test_a_sample_has_two_pictures_and_captions_for_each_garment(tmp_path: Path) -> None:
    write_sample(tmp_path, 6, 7, 96)
    lines = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 6
    for line in lines:
        assert len(line["captions"]) >= 3
        for view in ("image", "sketch"):
            with Image.open(tmp_path / line[view]) as picture:
                assert picture.size == (72, 96)
    assert (tmp_path / "DONE").exists()

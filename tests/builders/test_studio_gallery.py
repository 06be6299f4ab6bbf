"""The embedded gallery as it is committed, and the writers that made it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-dev.txt)")

from PIL import Image

from builders.studio.gallery import spread_garments, write_gallery, write_sample

GALLERY = Path(__file__).parents[2] / "assets" / "gallery"


@pytest.fixture(scope="module")
def items() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GALLERY / "items.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def card() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((GALLERY / "card.json").read_text(encoding="utf-8"))
    return loaded


def test_the_gallery_holds_at_least_600_items_of_at_least_20_kinds(items: list[dict[str, Any]]) -> None:
    kinds = Counter(item["category"] for item in items)
    assert len(items) >= 600
    assert len(kinds) >= 20
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
    assert max(dresses.values()) <= 2


def test_values_are_words_or_numbers_and_never_empty(items: list[dict[str, Any]]) -> None:
    for item in items:
        assert isinstance(item.pop("price"), float)
        assert all(isinstance(value, str) and value not in ("", "None", "NA") for value in item.values())


def test_writing_again_gives_the_same_checksum_and_replaces_the_folder(tmp_path: Path) -> None:
    first = write_gallery(tmp_path / "g", 33, 5, height=96)
    (tmp_path / "g" / "stray.txt").write_text("x")
    second = write_gallery(tmp_path / "g", 33, 5, height=96)
    assert first == second
    assert not (tmp_path / "g" / "stray.txt").exists()
    assert not (tmp_path / "g.partial").exists()


def test_another_seed_gives_other_garments() -> None:
    assert spread_garments(40, 1) != spread_garments(40, 2)
    assert len(spread_garments(41, 1)) == 41


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

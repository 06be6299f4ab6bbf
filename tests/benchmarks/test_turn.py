from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image as Pillow

from agent import shopfront
from agent.opening import open_shop
from agent.shopfront import Shop
from benchmarks.turn import PARTS, Clock, Timed, fitted, main, photo, play, report

COLOURS = ("red", "blue", "black", "green", "white", "navy")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder = tmp_path_factory.mktemp("turn")
    rows = ["id,image,name,category,colour,gender"]
    for number, (kind, colour) in enumerate((kind, c) for kind in ("Dress", "Shoes", "Shirt") for c in COLOURS):
        Pillow.new("RGB", (60, 80 + number), colour).save(folder / f"{number}.jpg")
        rows.append(f"{number},{number}.jpg,{colour.title()} {kind},{kind},{colour.title()},Women")
    (folder / "items.csv").write_text("\n".join(rows), encoding="utf-8")
    return open_shop(folder / "served", str(folder / "items.csv"), folder / "index", "late-fusion")


@pytest.fixture(scope="module")
def turns(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Timed]]:
    clock = Clock()
    with fitted(shop, clock):
        yield play(shop, clock, 1, tmp_path_factory.mktemp("photos"))


def test_all_parts_of_a_turn_add_up_to_it_and_none_is_counted_twice(turns: list[Timed]) -> None:
    assert {part for turn in turns for part in turn.parts} == set(PARTS)
    assert all(times >= 0 for turn in turns for part in turn.parts.values() for times in part)
    words, with_photo = turns[0], next(turn for turn in turns if turn.kind == "photo")
    assert "upload" not in words.parts
    assert with_photo.parts["upload"][0] > 0
    assert with_photo.total(0) > with_photo.parts["upload"][0]


def test_every_kind_of_turn_has_a_line(turns: list[Timed]) -> None:
    lines = list(report(turns, {"search": 0.5}))

    assert [line.split("  ")[0] for line in lines[-11:]] == [*(turn.kind for turn in turns), "all"]


def test_time_inside_a_part_is_not_time_of_the_part_around_it() -> None:
    clock = Clock()
    with clock.part("outer"), clock.part("inner"):
        time.sleep(0.02)

    assert clock.spent["inner"][0] >= 0.02
    assert clock.spent["outer"][0] < 0.02


def test_what_was_fitted_to_the_shop_is_taken_off_the_module(shop: Shop) -> None:
    before = shopfront.store_upload
    with fitted(shop, Clock()):
        assert shopfront.store_upload is not before
    assert shopfront.store_upload is before


def test_no_two_photos_are_the_same_file(tmp_path: Path) -> None:
    picture = Pillow.new("RGB", (60, 80), "red")

    assert photo(picture, (64, 80), 1) == photo(picture, (64, 80), 1)
    assert photo(picture, (64, 80), 1) != photo(picture, (64, 80), 2)


def test_an_encoder_that_is_not_there_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--encoder", "nowhere"]) == 1
    assert "nowhere" in capsys.readouterr().err

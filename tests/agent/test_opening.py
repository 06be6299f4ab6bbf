"""Where an index is kept, and that an opened shop answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent import opening
from agent.opening import default_index, encoder_folder, encoder_line, open_query_encoder, open_shop, sentences_of
from agent.shopfront import View
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import EncoderError, GalleryError, StoreError


def test_each_gallery_and_each_encoder_has_an_index_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    places = {default_index("a.csv", HashingEncoder()), default_index("b.csv", HashingEncoder())}
    places.add(default_index("a.csv", HashingEncoder()))
    assert len(places) == 2
    assert all(place.is_relative_to(tmp_path) for place in places)


def test_where_the_cache_cannot_be_written_a_temporary_index_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    place = default_index("a.csv", HashingEncoder())
    assert place.is_dir()
    place.rmdir()


def test_a_shop_over_a_csv_with_a_bad_row_answers_and_lists_what_was_skipped(tmp_path: Path) -> None:
    from PIL import Image

    rows = ["id,image,name,category,colour"]
    for number, colour in enumerate(("red", "blue", "black")):
        Image.new("RGB", (60, 80), colour).save(tmp_path / f"{number}.jpg")
        rows.append(f"{number},{number}.jpg,{colour.title()} Dress,Dress,{colour.title()}")
    rows.append("9,missing.jpg,Grey Dress,Dress,Grey")
    (tmp_path / "items.csv").write_text("\n".join(rows), encoding="utf-8")
    shop = open_shop(tmp_path / "served", str(tmp_path / "items.csv"), tmp_path / "index")
    assert [item.caption for item in shop.items(shop.send(View.new(), "a red dress"))] == ["Red Dress"]
    assert "missing.jpg" in (tmp_path / "index" / "skipped.tsv").read_text(encoding="utf-8")
    again = open_shop(tmp_path / "served", index=tmp_path / "index")
    assert again.retriever.count() == 3


def test_a_gallery_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match=r"nothing\.csv"):
        open_shop(tmp_path, str(tmp_path / "nothing.csv"), tmp_path / "index")


def test_a_directory_that_is_no_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "holiday.txt").write_text("no index")
    with pytest.raises(StoreError):
        open_shop(tmp_path, index=tmp_path)


def test_fashion_am_searches_where_its_weights_are_there_and_late_fusion_where_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = {"fashion-am": tmp_path / "fashion_am", "late-fusion": tmp_path / "encoder"}
    monkeypatch.setattr(opening, "ENCODERS", folders)
    assert encoder_folder(None) == folders["late-fusion"]
    assert encoder_line(None) == f"Searching with late-fusion: there is no FashionAM in {folders['fashion-am']}."
    folders["fashion-am"].mkdir()
    (folders["fashion-am"] / "card.json").write_text("{}")
    assert encoder_folder(None) == folders["fashion-am"]
    assert encoder_line(None) == "Searching with fashion-am."
    assert encoder_folder("late-fusion") == folders["late-fusion"]
    assert encoder_line("late-fusion") == "Searching with late-fusion."
    assert encoder_line("elsewhere") == "Searching with elsewhere."


def test_an_encoder_may_be_named_by_its_folder() -> None:
    folder = encoder_folder("late-fusion")
    assert open_query_encoder(str(folder)).manifest == open_query_encoder("late-fusion").manifest


@pytest.mark.parametrize("wrong", ["fashion-an", "tests"])
def test_what_is_no_encoder_is_refused_in_one_line(wrong: str) -> None:
    with pytest.raises(EncoderError) as refused:
        open_query_encoder(wrong)
    assert wrong in str(refused.value)
    assert "\n" not in str(refused.value)


def test_intents_are_decided_in_the_shipped_sentence_space_whatever_searches() -> None:
    shipped = sentences_of(open_query_encoder("late-fusion"))(["what goes with it?"])
    assert (sentences_of(HashingEncoder())(["what goes with it?"]) == shipped).all()

"""Where an index is kept, and that an opened shop answers."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from agent import opening
from agent.opening import (
    ChatModel,
    add_planner_options,
    chosen_chat,
    default_index,
    encoder_folder,
    encoder_line,
    open_query_encoder,
    open_shop,
    planner_line,
    sentences_of,
)
from agent.shopfront import View
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import ChatError, EncoderError, GalleryError, StoreError


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


def chosen(*arguments: str) -> ChatModel | None:
    parser = argparse.ArgumentParser()
    add_planner_options(parser)
    return chosen_chat(parser.parse_args(arguments))


def test_the_built_in_planner_understands_unless_a_model_is_named() -> None:
    assert chosen() is None
    chat = chosen("--planner", "chat", "--chat-url", "http://localhost:1/v1", "--chat-model", "m", "--chat-blind")
    assert chat == ChatModel("http://localhost:1/v1", "m", sees_pictures=False)
    assert planner_line(chat).startswith("Understanding with m at http://localhost:1/v1")
    assert planner_line(None) == "Understanding with the built-in planner."


@pytest.mark.parametrize(
    "arguments",
    [
        ("--chat-url", "http://localhost:1/v1"),
        ("--planner", "chat"),
        ("--planner", "chat", "--chat-url", "http://localhost:1/v1"),
        ("--planner", "chat", "--chat-url", "http://a/v1", "--chat-model", "m", "--chat-seconds", "0"),
    ],
)
def test_options_that_do_not_belong_together_are_refused_in_one_line(arguments: tuple[str, ...]) -> None:
    with pytest.raises(ChatError) as refused:
        chosen(*arguments)
    assert "--chat" in str(refused.value)


def test_a_shop_with_a_model_answers_with_its_plan_and_words_as_they_come(tmp_path: Path, chat_server: Any) -> None:
    from PIL import Image

    rows = ["id,image,name,category,colour"]
    for number, colour in enumerate(("red", "blue")):
        Image.new("RGB", (60, 80), colour).save(tmp_path / f"{number}.jpg")
        rows.append(f"{number},{number}.jpg,{colour.title()} Dress,Dress,{colour.title()}")
    (tmp_path / "items.csv").write_text("\n".join(rows), encoding="utf-8")
    red = {"attribute": "colour", "operator": "any_of", "values": ["Red"]}
    form = json.dumps({"intent": "search", "words": "red dress", "filters": [red]})
    chat_server.answer = lambda body: (200, form if "response_format" in body else "This one is red. It is a dress.")
    shop = open_shop(
        tmp_path / "served", str(tmp_path / "items.csv"), tmp_path / "index", chat=ChatModel(chat_server.url, "m")
    )
    heard: list[str] = []
    view = shop.send(View.new(), "ein rotes Kleid", tell=heard.append)
    assert [item.caption for item in shop.items(view)] == ["Red Dress"]
    assert heard == ["This one is red.", "This one is red. It is a dress."]


def test_what_is_no_address_of_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ChatError, match="no address"):
        open_shop(tmp_path, chat=ChatModel("ftp://models", "m"))

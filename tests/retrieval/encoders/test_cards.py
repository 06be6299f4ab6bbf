import json
from pathlib import Path

import pytest

from retrieval.encoders import cards
from retrieval.encoders.towers import DEFAULT_FOLDER
from retrieval.errors import EncoderError

ASSETS = DEFAULT_FOLDER.parent


def system(folder: Path, **values: object) -> Path:
    folder.mkdir(parents=True)
    cards.write(folder, {"format": cards.FORMAT, **values})
    return folder


@pytest.mark.parametrize("name", ["encoder", "fashion_am"])
def test_a_shipped_card_is_written_as_it_lies_there(name: str, tmp_path: Path) -> None:
    cards.write(tmp_path, cards.read(ASSETS / name))
    assert (tmp_path / "card.json").read_bytes() == (ASSETS / name / "card.json").read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["card.json"]


def test_a_missing_card_and_a_damaged_one_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="no encoder in"):
        cards.read(tmp_path)
    for text in ('{"format": 1', "[1]", "[" * 100_000):
        (tmp_path / "card.json").write_text(text)
        with pytest.raises(EncoderError, match="is damaged"):
            cards.read(tmp_path)


def test_a_system_is_replaced_whole(tmp_path: Path) -> None:
    out = system(tmp_path / "system", name="old")
    (out / "old.onnx").write_text("weights")
    with cards.replaced(out) as building:
        (building / "new.onnx").write_text("weights")
        assert (out / "old.onnx").is_file(), "until all is there"
        cards.write(building, {"format": cards.FORMAT, "name": "new"})
    assert sorted(file.name for file in out.iterdir()) == ["card.json", "new.onnx"]
    assert [file.name for file in tmp_path.iterdir()] == ["system"]
    assert cards.read(out)["name"] == "new"


def test_what_fails_leaves_the_system_that_was_there(tmp_path: Path) -> None:
    out = system(tmp_path / "system", name="old")

    def fill() -> None:
        with cards.replaced(out) as building:
            (building / "new.onnx").write_text("half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fill()
    assert cards.read(out)["name"] == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["system"]


def test_a_link_goes_on_to_lead_to_the_system(tmp_path: Path) -> None:
    out = system(tmp_path / "system", name="old")
    (tmp_path / "link").symlink_to(out)
    with cards.replaced(tmp_path / "link") as building:
        cards.write(building, {"format": cards.FORMAT, "name": "new"})
    assert (tmp_path / "link").is_symlink()
    assert cards.read(out)["name"] == "new"


@pytest.mark.parametrize("card", [None, "{}", json.dumps({"format": "dim-fashion"}), "{"])
def test_what_is_no_system_is_not_replaced(card: str | None, tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    if card is not None:
        (tmp_path / "card.json").write_text(card)
    for path in (tmp_path, tmp_path / "letters.txt"):
        with pytest.raises(EncoderError, match="Choose another --export"), cards.replaced(path):
            pass
    assert (tmp_path / "letters.txt").read_text() == "dear"


def test_the_folder_that_a_system_stands_on_is_not_replaced_by_it(tmp_path: Path) -> None:
    towers = system(system(tmp_path / "outer") / "towers")
    for out in (towers, tmp_path / "outer"):
        with pytest.raises(EncoderError, match="holds the towers"), cards.replaced(out, towers):
            pass
    with cards.replaced(tmp_path / "beside", towers) as building:
        cards.write(building, {"format": cards.FORMAT})
    assert cards.read(towers)

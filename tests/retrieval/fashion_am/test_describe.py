from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from retrieval.chat import ChatEndpoint, ChatSettings
from retrieval.errors import ChatError
from retrieval.fashion_am.describe import MAX_WORDS, captions, cut_at_word, main, prompt

SAID = "A navy blue cotton shirt with a pointed collar, long sleeves and two chest pockets."


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two photos on green with masks, one without, and one that is no picture."""
    photos, masks = tmp_path / "photos", tmp_path / "masks"
    photos.mkdir()
    masks.mkdir()
    for number in range(3):
        picture = Image.new("RGB", (80, 60), "green")
        ImageDraw.Draw(picture).rectangle((20, 10, 60, 50), fill=(number * 60, 0, 200))
        picture.save(photos / f"{number}.png")
    (photos / "3.png").write_text("no picture")
    mask = Image.new("L", (80, 60))
    ImageDraw.Draw(mask).rectangle((20, 10, 60, 50), fill=255)
    for number in (0, 1, 3):
        mask.save(masks / f"{number}.png")
    return photos, masks


def run(server: Any, folders: tuple[Path, Path], out: Path) -> int:
    photos, masks = folders
    arguments = ["--pictures", str(photos), "--masks", str(masks), "--out", str(out)]
    return main([*arguments, "--chat-url", server.url, "--chat-model", "m"])


def shown(body: dict[str, Any]) -> Image.Image:
    url = body["messages"][1]["content"][0]["image_url"]["url"]
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")


def test_the_model_sees_the_item_on_white_and_its_captions_are_written(
    chat_server: Any, folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.answer = lambda _: (200, json.dumps({"caption": SAID}))
    assert run(chat_server, folders, tmp_path / "out") == 0
    lines = [json.loads(line) for line in (tmp_path / "out" / "captions.jsonl").read_text().splitlines()]
    assert lines == [{"id": "0", "caption": SAID}, {"id": "1", "caption": SAID}]
    for body in chat_server.requests:
        assert min(shown(body).getpixel((2, 2))) > 250  # type: ignore[type-var]
        assert shown(body).getpixel((40, 30))[1] < 30  # type: ignore[index]
        assert body["messages"][0]["content"] == prompt()
    said = capsys.readouterr().out
    assert said.startswith("2 captions written")
    assert "1 left out: it has no mask" in said
    assert "1 left out: the picture cannot be read" in said
    card = json.loads((tmp_path / "out" / "card.json").read_text())
    assert (card["model"], card["captions"], sum(card["left_out"].values())) == ("m", 2, 2)


def test_what_was_described_is_not_asked_again(chat_server: Any, folders: tuple[Path, Path], tmp_path: Path) -> None:
    chat_server.answer = lambda _: (200, json.dumps({"caption": SAID}))
    assert run(chat_server, folders, tmp_path / "out") == 0
    first = (tmp_path / "out" / "captions.jsonl").read_bytes()
    chat_server.close()
    assert run(chat_server, folders, tmp_path / "out") == 0
    assert (tmp_path / "out" / "captions.jsonl").read_bytes() == first


def test_a_model_that_writes_no_captions_is_one_line_and_no_file(
    chat_server: Any, folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.answer = lambda _: (200, '{"caption": " "}')
    assert run(chat_server, folders, tmp_path / "out") == 2
    assert "the caption of" in capsys.readouterr().err
    assert not (tmp_path / "out" / "captions.jsonl").exists()


def test_a_long_caption_is_cut_at_a_word(chat_server: Any) -> None:
    chat_server.answer = lambda _: (200, json.dumps({"caption": "a  red, " * 60}))
    endpoint = ChatEndpoint(chat_server.url, "m", settings=ChatSettings(retries=0))
    (found,) = captions(endpoint, [("one", Image.new("RGB", (9, 9)))])
    assert found.split() == (["a", "red,"] * 60)[:MAX_WORDS]


def test_an_endless_answer_is_no_caption(chat_server: Any) -> None:
    chat_server.answer = lambda _: (200, json.dumps({"caption": "red " * 300}))
    endpoint = ChatEndpoint(chat_server.url, "m", settings=ChatSettings(retries=0))
    with pytest.raises(ChatError, match="the caption of one"):
        captions(endpoint, [("one", Image.new("RGB", (9, 9)))])


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("a red shirt", 99, "a red shirt"),
        ("a red, wide shirt", 6, "a red"),
        ("enormous", 3, ""),
        ("red - blue", 5, "red"),
    ],
)
def test_the_cut_keeps_whole_words_and_no_dangling_comma(text: str, most: int, cut: str) -> None:
    assert cut_at_word(text, lambda part: len(part) <= most) == cut

"""Benchmarks as they are read: a whole one, and every way in which a folder can be damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retrieval.benchmark import (
    CARD,
    FORMAT,
    IMAGES,
    POOLS,
    QRELS,
    ROOTS,
    SESSIONS,
    VERSION,
    BenchmarkImage,
    RecordedSession,
    RecordedTurn,
    Task,
    checksum,
    read_benchmark,
    to_line,
)
from retrieval.errors import BenchmarkError

TURNS = (
    RecordedTurn(1, Task.T2I, "iq", "a “red” dress", "iq/1"),
    RecordedTurn(2, Task.ASFR, "ai", "the same neckline", "iq/2", ("iq/1",), 1, "neckline", "bridge"),
)
SESSION = RecordedSession("s1", "test", TURNS)
PICTURES = (
    BenchmarkImage("iq/2", "iq", "2.jpg", in_gallery=True, caption="blue", attributes={"colour": "Blue"}),
    BenchmarkImage("iq/1", "iq", "deep/1.jpg", in_gallery=True, product_id="p"),
    BenchmarkImage("street/1", "street", "1.jpg", "street"),
)


def sign(folder: Path, **changes: Any) -> None:
    """A card that fits the files as they are now."""
    card = {"format": FORMAT, "version": VERSION, "checksum": checksum(folder), **changes}
    (folder / CARD).write_text(json.dumps(card))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / SESSIONS).write_text(to_line(SESSION) + "\n", encoding="utf-8")
    (tmp_path / IMAGES).write_text("".join(f"{to_line(picture)}\n" for picture in PICTURES))
    (tmp_path / QRELS).write_text("s1/1 0 iq/1 1\n\ns1/2 0 iq/2 2\ns1/2 0 iq/1 0\n")
    (tmp_path / POOLS).write_text('{"query_id": "s1/2", "candidates": ["iq/2", "iq/1"]}\n')
    (tmp_path / ROOTS).write_text(json.dumps({"iq": "pictures", "street": "/elsewhere"}))
    sign(tmp_path)
    return tmp_path


def test_what_was_written_is_read(folder: Path) -> None:
    benchmark = read_benchmark(folder)
    assert benchmark.sessions == (SESSION,)
    assert tuple(benchmark.images.values()) == PICTURES
    assert benchmark.qrels == {"s1/1": {"iq/1": 1}, "s1/2": {"iq/2": 2, "iq/1": 0}}
    assert benchmark.pools == {"s1/2": ("iq/2", "iq/1")}
    assert [picture.image_id for picture in benchmark.gallery()] == ["iq/1", "iq/2"]
    assert (benchmark.split("test"), benchmark.split("val")) == ((SESSION,), ())
    assert SESSION.query_id(TURNS[1]) == "s1/2"


def test_a_line_leaves_out_what_has_its_default_value() -> None:
    assert json.loads(to_line(PICTURES[2])) == {
        "image_id": "street/1",
        "source": "street",
        "path": "1.jpg",
        "kind": "street",
    }
    assert "\n" not in to_line(RecordedSession("s", "test", (RecordedTurn(1, Task.T2I, "d", "two\nlines", "a"),)))


# --- where pictures lie ----------------------------------------------------------------------------------------------


def test_pictures_lie_beside_the_benchmark_or_where_a_root_says(folder: Path, tmp_path: Path) -> None:
    benchmark = read_benchmark(folder)
    assert benchmark.picture_path("iq/1") == folder / "pictures" / "deep" / "1.jpg"
    assert benchmark.picture_path("street/1") == Path("/elsewhere/1.jpg")
    moved = read_benchmark(folder, {"iq": tmp_path / "new"})
    assert moved.picture_path("iq/2") == tmp_path / "new" / "2.jpg"
    assert moved.picture_path("street/1") == Path("/elsewhere/1.jpg")


def test_a_source_without_a_folder_is_named_with_what_to_do(folder: Path) -> None:
    (folder / ROOTS).unlink()
    benchmark = read_benchmark(folder)
    with pytest.raises(BenchmarkError, match="--pictures iq=FOLDER"):
        benchmark.picture_path("iq/1")
    with pytest.raises(KeyError):
        benchmark.picture_path("iq/9")


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_damaged_roots_are_no_reason_to_build_again(folder: Path, text: str) -> None:
    (folder / ROOTS).write_text(text)
    with pytest.raises(BenchmarkError, match=r"roots\.json is damaged .*--pictures"):
        read_benchmark(folder)


def test_roots_are_of_this_machine_and_not_under_the_checksum(folder: Path) -> None:
    before = checksum(folder)
    (folder / ROOTS).write_text("{}")
    assert checksum(folder) == before


# --- cards -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [SESSIONS, IMAGES, QRELS, POOLS])
def test_a_changed_file_is_not_that_of_the_card(folder: Path, name: str) -> None:
    with (folder / name).open("a") as file:
        file.write("\n")
    with pytest.raises(BenchmarkError, match="not those of its card"):
        read_benchmark(folder)


def test_files_that_change_places_change_the_checksum(folder: Path) -> None:
    before = checksum(folder)
    qrels, pools = (folder / QRELS).read_bytes(), (folder / POOLS).read_bytes()
    (folder / QRELS).write_bytes(pools)
    (folder / POOLS).write_bytes(qrels)
    assert checksum(folder) != before


@pytest.mark.parametrize("name", [SESSIONS, IMAGES, QRELS, POOLS])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(BenchmarkError, match=f"lacks {name}: build it again"):
        read_benchmark(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no finished benchmark"),
        ("{", "damaged"),
        ("[]", "not the card of a benchmark"),
        ('{"format": "other"}', "not the card of a benchmark"),
        (f'{{"format": "{FORMAT}"}}', "version None"),
        (f'{{"format": "{FORMAT}", "version": 99}}', f"version 99, this program reads {VERSION}: build it again"),
        (f'{{"format": "{FORMAT}", "version": {VERSION}}}', "not those of its card"),
    ],
)
def test_what_is_no_finished_benchmark_of_this_version_is_refused(folder: Path, text: str | None, message: str) -> None:
    (folder / CARD).unlink() if text is None else (folder / CARD).write_text(text)
    with pytest.raises(BenchmarkError, match=message):
        read_benchmark(folder)


# --- damaged lines ---------------------------------------------------------------------------------------------------

GOOD_TURN = {"turn_number": 1, "task": "t2i", "dataset": "d", "text": "a dress", "chosen": "iq/1"}


def _session(**changes: Any) -> str:
    return json.dumps({"session_id": "s2", "split": "test", "turns": [{**GOOD_TURN, **changes}]})


def _image(**changes: Any) -> str:
    return json.dumps({"image_id": "iq/3", "source": "iq", "path": "3.jpg", **changes})


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        (SESSIONS, "{", "is not JSON"),
        (SESSIONS, "[" * 100_000, "is not JSON"),
        (SESSIONS, "", "is not JSON"),
        (SESSIONS, "[]", "is not an object"),
        (SESSIONS, "{}", "lacks 'split'"),
        (SESSIONS, '{"split": "test", "turns": []}', "lacks 'session_id'"),
        (SESSIONS, '{"split": "test", "session_id": "s2"}', "lacks 'turns'"),
        (SESSIONS, '{"split": "dev", "session_id": "s2", "turns": []}', "unknown split 'dev'"),
        (SESSIONS, _session(task="dance"), "damaged turn .*dance"),
        (SESSIONS, _session(colour="red"), "damaged turn .*colour"),
        (SESSIONS, _session(text=None), "damaged turn"),
        (SESSIONS, _session(turn_number="1"), "damaged turn"),
        (SESSIONS, _session(turn_number=True), "damaged turn"),
        (SESSIONS, _session(rollback_to="1"), "damaged turn"),
        (SESSIONS, _session(references=[1]), "damaged turn"),
        (IMAGES, "3", "is not an object"),
        (IMAGES, "{}", "is no picture"),
        (IMAGES, _image(size=3), "is no picture .*size"),
        (IMAGES, _image(path=3), "is no picture"),
        (IMAGES, _image(attributes=[]), "is no picture"),
        (IMAGES, _image(attributes={"colour": {"a": 1}}), "is no picture"),
        (IMAGES, _image(path="/etc/passwd"), "lies outside of the source's folder"),
        (IMAGES, _image(path="a/../../b"), "lies outside of the source's folder"),
        (POOLS, "null", "is not an object"),
        (POOLS, '{"query_id": "s1/1"}', "lacks 'candidates'"),
        (POOLS, '{"query_id": "s1/1", "candidates": "iq/1"}', "is no pool"),
        (POOLS, '{"query_id": "s1/1", "candidates": [1]}', "is no pool"),
        (QRELS, "s1/1 0 iq/1", "is not a judgement"),
        (QRELS, "s1/1 0 iq/1 good", "is not a judgement"),
        (QRELS, "s1/1 0 iq/1 " + "9" * 400, "is not a judgement"),
        (QRELS, "s1/1 0 iq/1 1 more", "is not a judgement"),
    ],
)
def test_a_damaged_line_is_named(folder: Path, name: str, line: str, message: str) -> None:
    with (folder / name).open("a") as file:
        file.write(f"{line}\n")
    number = len((folder / name).read_text().splitlines())
    sign(folder)
    with pytest.raises(BenchmarkError, match=f"Line {number} of .*{name} .*{message}"):
        read_benchmark(folder)


@pytest.mark.parametrize("change", [lambda data: data.replace("“".encode(), b"\xff"), lambda data: b"\xff" + data])
def test_a_file_that_is_not_utf8_is_an_error_of_the_benchmark(folder: Path, change: Callable[[bytes], bytes]) -> None:
    (folder / SESSIONS).write_bytes(change((folder / SESSIONS).read_bytes()))
    sign(folder)
    with pytest.raises(BenchmarkError, match="not text in UTF-8"):
        read_benchmark(folder)

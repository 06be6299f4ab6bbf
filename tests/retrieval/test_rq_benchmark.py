"""Folders of FASHION-RQ benchmarks: what is read, and what is refused as damaged, changed, foreign or of another
version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import (
    CARD,
    CHECKED,
    FORMAT,
    VERSION,
    Listing,
    RQQuery,
    checksum_of,
    grade,
    read_card,
    read_rq_benchmark,
    relation,
    to_line,
)

DRESS = Listing("1", "Red dress. Dresses, red", "Red dress", {"colour": "Red", "price": 9.5}, (3, 1, 4), "1.jpg")
SHIRT = Listing("2", "Blå skjorte", "Blå skjorte", {}, (3, 1, 5))
ASKED = RQQuery("q1", "g1", "3/1/4", "a red dress", {"colour": "Red"}, "validation")
PAIRS = {"task": "T1", "query_id": "q1", "candidates": {"2": "sibling", "1": "exact"}}


def write(folder: Path, **changed: object) -> Path:
    """`changed` are other values of the card."""
    (folder / "pictures").mkdir(exist_ok=True)
    for name in CHECKED:
        (folder / name).write_text("")
    (folder / "listings.jsonl").write_text(f"{to_line(DRESS)}\n{to_line(SHIRT)}\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text(f"{to_line(ASKED)}\n", encoding="utf-8")
    (folder / "candidates.jsonl").write_text(json.dumps(PAIRS) + "\n")
    card(folder, **changed)
    return folder


def card(folder: Path, **changed: object) -> None:
    values = {"format": FORMAT, "version": VERSION, "checksum": checksum_of(folder), **changed}
    (folder / CARD).write_text(json.dumps(values))


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    benchmark = read_rq_benchmark(write(tmp_path, name="small"))
    assert list(benchmark.listings.values()) == [DRESS, SHIRT]
    assert benchmark.queries == {"q1": ASKED}
    assert benchmark.card["name"] == "small"


def test_candidates_keep_the_order_of_the_file(tmp_path: Path) -> None:
    benchmark = read_rq_benchmark(write(tmp_path))
    assert list(benchmark.candidates["T1"]["q1"].items()) == [("2", "sibling"), ("1", "exact")]
    assert benchmark.candidates["T3"] == {}


def test_a_picture_lies_below_the_folder_and_a_product_may_have_none(tmp_path: Path) -> None:
    benchmark = read_rq_benchmark(write(tmp_path))
    assert benchmark.picture_path("1") == tmp_path / "pictures" / "1.jpg"
    assert benchmark.picture_path("2") is None


@pytest.mark.parametrize(
    ("other", "label"),
    [("3/1/4", "exact"), ("3/1/5", "sibling"), ("3/2/4", "related"), ("2/1/4", "irrelevant"), ("13/1/4", "irrelevant")],
)
def test_a_relation_is_how_many_levels_two_leaves_share(other: str, label: str) -> None:
    assert relation("3/1/4", other) == label


def test_grades_rise_with_relevance() -> None:
    assert [grade(label) for label in ("irrelevant", "related", "sibling", "exact")] == [0, 1, 2, 3]


def test_a_folder_without_a_card_is_no_benchmark(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / CARD).unlink()
    with pytest.raises(BenchmarkError, match=r"no finished FASHION-RQ benchmark .* builders\.fashion_rq build"):
        read_rq_benchmark(tmp_path)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"format": "dimity-benchmark"}', "[]", '"x"'])
def test_a_damaged_or_foreign_card_is_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path)
    (tmp_path / CARD).write_text(text)
    with pytest.raises(BenchmarkError, match=r"card\.json"):
        read_rq_benchmark(tmp_path)


@pytest.mark.parametrize("version", [VERSION + 1, str(VERSION), None])
def test_another_version_is_refused_with_what_to_do(tmp_path: Path, version: object) -> None:
    with pytest.raises(BenchmarkError, match="build it again"):
        read_card(write(tmp_path, version=version))


@pytest.mark.parametrize("name", CHECKED)
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    (write(tmp_path) / name).unlink()
    with pytest.raises(BenchmarkError, match=name):
        read_rq_benchmark(tmp_path)


@pytest.mark.parametrize("name", CHECKED)
def test_a_changed_file_is_noticed(tmp_path: Path, name: str) -> None:
    with (write(tmp_path) / name).open("a") as file:
        file.write("\n")
    with pytest.raises(BenchmarkError, match="not those of its card"):
        read_rq_benchmark(tmp_path)


def test_lines_that_moved_from_one_file_to_the_next_are_noticed(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "T1.qrels").write_text("q1 0 1 3\n")
    card(tmp_path)
    (tmp_path / "T1.qrels").write_text("")
    (tmp_path / "T2.qrels").write_text("q1 0 1 3\n")
    with pytest.raises(BenchmarkError, match="not those of its card"):
        read_rq_benchmark(tmp_path)


LISTED: dict[str, Any] = json.loads(to_line(DRESS))
QUERIED: dict[str, Any] = json.loads(to_line(ASKED))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("listings.jsonl", "{"),
        ("listings.jsonl", "[]"),
        ("listings.jsonl", "[" * 100_000),
        ("listings.jsonl", json.dumps({**LISTED, "codes": ["3", 1, 4]})),
        ("listings.jsonl", json.dumps({**LISTED, "codes": [True, 1, 4]})),
        ("listings.jsonl", json.dumps({**LISTED, "codes": 3})),
        ("listings.jsonl", json.dumps({**LISTED, "item_id": 1})),
        ("listings.jsonl", json.dumps({**LISTED, "size": "M"})),
        ("listings.jsonl", json.dumps({**LISTED, "picture": "../1.jpg"})),
        ("listings.jsonl", json.dumps({**LISTED, "picture": "/etc/passwd"})),
        ("queries.jsonl", json.dumps({"query_id": "q1"})),
        ("queries.jsonl", json.dumps({**QUERIED, "part": "train"})),
        ("queries.jsonl", json.dumps({**QUERIED, "wanted": {"colour": 1}})),
        ("queries.jsonl", json.dumps({**QUERIED, "wanted": None})),
        ("candidates.jsonl", json.dumps({**PAIRS, "task": "T5"})),
        ("candidates.jsonl", json.dumps({**PAIRS, "candidates": {"1": "good"}})),
        ("candidates.jsonl", json.dumps({**PAIRS, "candidates": [1]})),
        ("candidates.jsonl", json.dumps({"task": "T1"})),
    ],
)
def test_a_damaged_line_is_named_with_its_file(tmp_path: Path, name: str, line: str) -> None:
    write(tmp_path)
    with (tmp_path / name).open("a") as file:
        file.write(line + "\n")
    n_lines = len((tmp_path / name).read_text(encoding="utf-8").splitlines())
    card(tmp_path)
    with pytest.raises(BenchmarkError, match=rf"Line {n_lines} of .*{name} is damaged.*[Bb]uild the benchmark again"):
        read_rq_benchmark(tmp_path)


@pytest.mark.parametrize("candidates", [{"query_id": "q2"}, {"candidates": {"9": "exact"}}])
def test_candidates_of_unknown_queries_or_products_are_refused(tmp_path: Path, candidates: dict[str, object]) -> None:
    write(tmp_path)
    (tmp_path / "candidates.jsonl").write_text(json.dumps({**PAIRS, **candidates}) + "\n")
    card(tmp_path)
    with pytest.raises(BenchmarkError, match="unknown queries or products"):
        read_rq_benchmark(tmp_path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "queries.jsonl").write_bytes(b'{"query_id": "\xff"}\n')
    card(tmp_path)
    with pytest.raises(BenchmarkError, match="not text in UTF-8"):
        read_rq_benchmark(tmp_path)

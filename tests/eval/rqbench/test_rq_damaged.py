"""Benchmarks that break their own rules under a right checksum, and folders that scores cannot be written to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eval.__main__ import main
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import (
    CANDIDATES,
    CARD,
    LISTINGS,
    QUERIES,
    checksum_of,
    read_card,
    read_rq_benchmark,
    to_line,
)


def reseal(folder: Path) -> None:
    before = str(read_card(folder)["checksum"])
    (folder / CARD).write_text((folder / CARD).read_text().replace(before, checksum_of(folder)))


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (LISTINGS, lambda text: text + text.splitlines()[0] + "\n", "'p000' twice"),
        (QUERIES, lambda text: text + text.splitlines()[0] + "\n", "'q00-0' twice"),
        (CANDIDATES, lambda text: text + text.splitlines()[0] + "\n", "'q00-0 of T1' twice"),
        (LISTINGS, lambda text: text.replace('"material": "Cotton"', '"material": []'), "Line 1 .* neither text nor"),
        (CANDIDATES, lambda _: '{"task": "T4", "query_id": "q00-0", "candidates": {}}\n', "no candidates"),
    ],
)
def test_what_breaks_the_rules_of_a_benchmark_is_not_read(
    rebuilt: Callable[..., Path], name: str, change: Callable[[str], str], words: str
) -> None:
    folder = rebuilt()
    (folder / name).write_text(change((folder / name).read_text()))
    reseal(folder)
    with pytest.raises(BenchmarkError, match=words):
        read_rq_benchmark(folder)


def test_attributes_that_are_a_list_are_not_read(rebuilt: Callable[..., Path]) -> None:
    folder = rebuilt()
    text = (folder / LISTINGS).read_text()
    start, end = text.index('{"product_type"'), text.index("}", text.index('{"product_type"')) + 1
    (folder / LISTINGS).write_text(f"{text[:start]}[]{text[end:]}")
    reseal(folder)
    with pytest.raises(BenchmarkError, match=r"Line 1 of .* is damaged"):
        read_rq_benchmark(folder)


def score(benchmark: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main(["rqbench", str(benchmark), "--system", "bm25", "--out", str(out), "--oracle", "published"])
    return status, capsys.readouterr().err


def test_scores_are_not_written_to_a_file(
    benchmark_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    status, told = score(benchmark_folder, tmp_path / "file", capsys)
    assert (status, told) == (2, f"error: {tmp_path / 'file'} is a file. Choose another --out.\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "runs").write_text("mine")
    assert score(benchmark_folder, tmp_path / "out", capsys)[0] == 2
    assert (tmp_path / "file").read_text() == (tmp_path / "out" / "runs").read_text() == "mine"


@pytest.mark.parametrize("place", [".", "scores"])
def test_scores_are_not_written_into_the_benchmark(
    rebuilt: Callable[..., Path], place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = rebuilt()
    before = sorted(folder.iterdir())
    status, told = score(folder, folder / place, capsys)
    assert status == 2
    assert "Choose another --out" in told
    assert sorted(folder.iterdir()) == before


def test_listings_without_a_word_are_an_error_of_bm25(
    rebuilt: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = rebuilt()
    lines = [replace(each, text="") for each in read_rq_benchmark(folder).listings.values()]
    (folder / LISTINGS).write_text("".join(f"{to_line(each)}\n" for each in lines))
    reseal(folder)
    status, told = score(folder, tmp_path / "out", capsys)
    assert status == 2
    assert "has a word that BM25 reads" in told

"""Whole builds from a small made catalogue, with the shipped encoder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from builders.dim_fashion import build as build_module
from builders.dim_fashion.__main__ import main
from builders.dim_fashion.audit import audit
from retrieval.benchmark import CARD, Task, read_benchmark
from retrieval.errors import BenchmarkError
from retrieval.recorded import held_out_products, product_of
from tests.builders.dim_fashion.shop import write_shop

pytest.importorskip("faiss", reason="bridges are searched by faiss-cpu (requirements-build.txt)")


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_shop(tmp_path_factory.mktemp("shop"))


def _build(catalogue: Path, out: Path, *more: str) -> int:
    return main(
        ["build", "--source", f"catalogue={catalogue / 'shop.csv'}", "--sessions", "150", "--out", str(out), *more]
    )


@pytest.fixture(scope="module")
def built(catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "benchmark"
    assert _build(catalogue, out) == 0
    return out


def test_a_plain_catalogue_becomes_a_benchmark_that_the_audit_finds_sound(built: Path) -> None:
    benchmark = read_benchmark(built)
    assert len(benchmark.sessions) > 20
    assert audit(benchmark).findings == ()
    assert {turn.task for session in benchmark.sessions for turn in session.turns} >= {Task.T2I, Task.CIR}
    assert {session.split for session in benchmark.sessions} == {"train", "val", "test"}


def test_every_picture_of_a_session_is_found(built: Path) -> None:
    benchmark = read_benchmark(built)
    shown = {p for s in benchmark.sessions for turn in s.turns for p in (turn.chosen, *turn.references)}
    assert all(benchmark.picture_path(picture).is_file() for picture in shown)


def test_equal_seeds_give_equal_bytes_and_others_do_not(catalogue: Path, built: Path, tmp_path: Path) -> None:
    assert _build(catalogue, tmp_path / "same") == 0
    assert _build(catalogue, tmp_path / "other", "--seed", "2") == 0
    card = (built / CARD).read_bytes()
    assert (tmp_path / "same" / CARD).read_bytes() == card
    assert (tmp_path / "same" / "STATS.md").read_bytes() == (built / "STATS.md").read_bytes()
    assert json.loads((tmp_path / "other" / CARD).read_bytes())["checksum"] != json.loads(card)["checksum"]


def test_the_card_says_how_it_was_built_without_naming_this_machine(built: Path, catalogue: Path) -> None:
    text = (built / CARD).read_text()
    assert "--source catalogue=FOLDER" in text
    assert str(catalogue) not in text
    assert str(built.parent) not in text


def test_an_interrupted_build_is_no_benchmark_and_goes_on(catalogue: Path, tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "benchmark"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(build_module, "_walk", interrupt)
        assert _build(catalogue, out) == 130
    with pytest.raises(BenchmarkError, match="no finished benchmark"):
        read_benchmark(out)
    with monkeypatch.context() as patch:
        patch.setattr("builders.dim_fashion.vectors._encoded", interrupt)  # every vector is there already
        assert _build(catalogue, out) == 0


def test_a_failed_rebuild_leaves_the_finished_benchmark(catalogue: Path, tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "benchmark"
    assert _build(catalogue, out) == 0
    card = (out / CARD).read_bytes()
    assert _build(catalogue, out, "--threshold", "0.99999", "--p-direct", "0", "--seed", "3", "--sessions", "0") == 2
    assert (out / CARD).read_bytes() == card
    read_benchmark(out)


def test_what_the_audit_finds_fails_the_build(catalogue: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    recorded = build_module.recorded_sessions

    def spoilt(*arguments):
        records = recorded(*arguments)
        first, *others = records.sessions
        turns = (first.turns[0], replace(first.turns[1], text=" "), *first.turns[2:])
        return replace(records, sessions=[replace(first, turns=turns), *others])

    monkeypatch.setattr(build_module, "recorded_sessions", spoilt)
    assert _build(catalogue, tmp_path / "benchmark") == 2
    assert "audit found 1 fault" in capsys.readouterr().err
    assert not (tmp_path / "benchmark" / CARD).exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--source", "vogue=."], "no source 'vogue'"),
        (["--source", "fpi"], "Give --source fpi=FOLDER"),
        (["--source", "fashion_iq=nowhere"], "no folder nowhere"),
        ([], "at least one --source"),
        (["--source", "shoes=a", "--source", "shoes=b"], "named twice"),
        (["--source", "shoes=a", "--limit", "shoes=many"], "whole number"),
        (["--source", "shoes=a", "--limit", "shoes"], "NAME=N"),
        (["--source", "shoes=a", "--limit", "darn=5"], "no --source does"),
        (["--source", "shoes=a", "--threshold", "1.5"], "between 0 and 1"),
        (["--source", "shoes=a", "--p-rollback", "-1"], "p_rollback"),
        (["--source", "shoes=a", "--max-turns", "1"], "two turns"),
        (["--source", "shoes=a", "--name", "my bench"], "session_id"),
        (["--source", "shoes=a", "--annotator", "chat"], "--chat-url"),
    ],
)
def test_bad_input_says_what_to_do(arguments: list[str], said: str, tmp_path: Path, capsys) -> None:
    assert main(["build", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out" / CARD).exists()


def test_a_folder_of_something_else_is_never_replaced(catalogue: Path, tmp_path: Path, capsys) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert _build(catalogue, tmp_path) == 2
    assert "thesis.txt" in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_audit_and_stats_of_a_finished_one_are_printed(built: Path, capsys) -> None:
    assert main(["audit", str(built)]) == 0
    assert "No rule is broken" in capsys.readouterr().out
    assert main(["stats", str(built)]) == 0
    assert "## Table 7" in capsys.readouterr().out
    assert main(["audit", str(built.parent)]) == 2


def test_coverage_says_what_became_of_the_records(catalogue: Path, tmp_path: Path, capsys) -> None:
    assert main(["coverage", "--source", f"catalogue={catalogue / 'shop.csv'}", "--out", str(tmp_path / "made")]) == 0
    assert "180 of 180 records" in capsys.readouterr().out


def test_coverage_counts_where_no_picture_is_there_and_keeps_nothing(tmp_path: Path, capsys) -> None:
    row = {"target": "B1", "candidate": "B2", "captions": ["is red", "is longer"]}
    (tmp_path / "cap.dress.val.json").write_text(json.dumps([row]))
    assert main(["coverage", "--source", f"fashion_iq={tmp_path}"]) == 0
    said = capsys.readouterr().out
    assert "0 of 1 records" in said
    assert "missing 2 pictures" in said
    assert [path.name for path in tmp_path.iterdir()] == ["cap.dress.val.json"]


def test_a_wrong_name_leaves_nothing_behind(tmp_path: Path) -> None:
    assert main(["build", "--source", "studo", "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


def test_that_a_finished_benchmark_is_replaced_is_said(catalogue: Path, tmp_path: Path, caplog) -> None:
    assert _build(catalogue, tmp_path / "out") == 0
    assert "holds a finished benchmark" not in caplog.text
    assert _build(catalogue, tmp_path / "out", "--seed", "2") == 0
    assert "holds a finished benchmark" in caplog.text


def test_two_builds_never_write_one_folder(catalogue: Path, tmp_path: Path, capsys) -> None:
    from filelock import FileLock

    (tmp_path / "work").mkdir()
    with FileLock(tmp_path / "work" / "build.lock"):
        assert _build(catalogue, tmp_path) == 2
    assert "Another build is at work" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["work/novel.txt", "work/vectors.bak/a", "pictures/holiday.jpg"])
def test_folders_of_the_users_that_are_named_like_ours_are_left_alone(
    catalogue: Path, tmp_path: Path, capsys, place: str
) -> None:
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text("years of work")
    assert _build(catalogue, tmp_path) == 2
    assert "holds other files" in capsys.readouterr().err
    assert (tmp_path / place).read_text() == "years of work"


@pytest.mark.parametrize("out", ["built", "."])
def test_nothing_is_built_among_the_original_files(tmp_path: Path, capsys, out: str) -> None:
    original = tmp_path / "pictures" / "catalogue"
    original.mkdir(parents=True)
    (original / "1.png").touch()
    place = original / out if out == "built" else tmp_path
    assert main(["build", "--source", f"catalogue={original}", "--out", str(place)]) == 2
    assert "lie within each other" in capsys.readouterr().err
    assert not (place / "work").exists()


def test_an_out_that_cannot_be_written_is_one_line(catalogue: Path, tmp_path: Path, capsys) -> None:
    (tmp_path / "file").touch()
    assert _build(catalogue, tmp_path / "file" / "benchmark") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_build_without_another_asks_for_none_of_its_held_out_products(
    catalogue: Path, built: Path, tmp_path: Path
) -> None:
    assert _build(catalogue, tmp_path / "more", "--without", str(built), "--name", "more") == 0
    more, held_out = read_benchmark(tmp_path / "more"), held_out_products(read_benchmark(built))
    asked = {image_id for judged in more.qrels.values() for image_id, grade in judged.items() if grade > 0}
    asked |= {each for s in more.sessions for turn in s.turns for each in (turn.chosen, *turn.references)}
    assert held_out
    assert not held_out & {product_of(more.images[image_id]) for image_id in asked}
    assert audit(more).findings == ()
    assert read_benchmark(built).card["checksum"] in more.card["command"]

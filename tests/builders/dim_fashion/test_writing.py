"""Folders of benchmarks: what is written, what is left of an interrupted build, whose folders are not touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from builders.dim_fashion.writing import claimed, refuse_foreign, write_benchmark
from retrieval.benchmark import BenchmarkImage, RecordedSession, RecordedTurn, Task, read_benchmark
from retrieval.errors import BenchmarkError

FILES = ["STATS.md", "card.json", "images.jsonl", "pools.jsonl", "qrels.txt", "roots.json", "sessions.jsonl"]


def write(folder: Path, roots: dict[str, Path] | None = None, text: str = "a dress") -> None:
    turns = tuple(RecordedTurn(number, Task.T2I, "d", text, "d/1") for number in range(1, 11))
    images = [BenchmarkImage(f"d/{number}", "d", f"{number}.jpg", in_gallery=True) for number in (2, 1)]
    qrels = {f"s/{number}": {"d/2": 0, "d/1": 1} for number in (10, 9)}
    pools = {"s/10": ["d/2", "d/1"], "s/9": ["d/1"]}
    session = RecordedSession("s", "test", turns)
    write_benchmark(folder, [session], images, qrels, pools, {"name": "b"}, roots or {}, "# b\n\n\n")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_all_files_are_written_and_none_is_left_under_a_temporary_name(tmp_path: Path) -> None:
    write(tmp_path / "deep" / "b")
    assert names(tmp_path / "deep" / "b") == FILES
    assert (tmp_path / "deep" / "b" / "STATS.md").read_text() == "# b\n"
    assert read_benchmark(tmp_path / "deep" / "b").card["name"] == "b"


def test_lines_are_in_the_order_of_ids_and_turns_by_their_number(tmp_path: Path) -> None:
    write(tmp_path / "b")
    assert (tmp_path / "b/qrels.txt").read_text().splitlines() == [
        "s/9 0 d/1 1",
        "s/9 0 d/2 0",
        "s/10 0 d/1 1",
        "s/10 0 d/2 0",
    ]
    pools = [json.loads(line) for line in (tmp_path / "b/pools.jsonl").read_text().splitlines()]
    assert [(pool["query_id"], pool["candidates"]) for pool in pools] == [("s/9", ["d/1"]), ("s/10", ["d/2", "d/1"])]
    assert list(read_benchmark(tmp_path / "b").images) == ["d/1", "d/2"]


def test_what_is_left_of_an_interrupted_build_is_no_benchmark_and_is_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "b"
    folder.mkdir()
    for name in ("sessions.jsonl.partial", "card.json.partial", "qrels.txt"):
        (folder / name).write_text("half")
    with pytest.raises(BenchmarkError, match="no finished benchmark"):
        read_benchmark(folder)
    write(folder)
    assert names(folder) == FILES


def test_a_build_that_stops_before_the_last_rename_leaves_no_mixture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    replace = Path.replace

    def stop(self: Path, target: Path) -> Path:
        if target.name == "qrels.txt":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path, text="a skirt")
    with pytest.raises(BenchmarkError, match="no finished benchmark"):
        read_benchmark(tmp_path)
    monkeypatch.undo()
    write(tmp_path, text="a skirt")
    assert read_benchmark(tmp_path).sessions[0].turns[0].text == "a skirt"
    assert names(tmp_path) == FILES


def test_the_old_benchmark_stays_whole_while_the_new_one_is_not(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(ValueError, match="JSON"):
        write(tmp_path, text=float("nan"))  # type: ignore[arg-type]
    assert read_benchmark(tmp_path).sessions[0].turns[0].text == "a dress"


# --- whose folder it is ----------------------------------------------------------------------------------------------


def _letter(folder: Path) -> None:
    (folder / "letter.txt").write_text("mine")


def _other_card(folder: Path) -> None:
    (folder / "card.json").write_text('{"name": "mine"}')


def _other_partial(folder: Path) -> None:
    (folder / "letter.txt.partial").write_text("mine")


@pytest.mark.parametrize("fill", [_letter, _other_card, _other_partial])
def test_a_folder_of_somebody_else_is_not_written_into(tmp_path: Path, fill: Callable[[Path], None]) -> None:
    fill(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(BenchmarkError, match="Choose another --out"):
        write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    _letter(tmp_path)
    with pytest.raises(BenchmarkError, match="is a file"):
        refuse_foreign(tmp_path / "letter.txt")


def test_an_absent_an_empty_and_a_benchmarks_own_folder_are_free(tmp_path: Path) -> None:
    refuse_foreign(tmp_path / "nowhere")
    refuse_foreign(tmp_path)
    write(tmp_path)
    for name in ("pictures", "work", "index"):
        (tmp_path / name).mkdir()
    refuse_foreign(tmp_path)


@pytest.mark.parametrize("name", ["work", "pictures"])
def test_folders_that_are_ours_by_name_alone_are_not_claimed(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    _letter(tmp_path / name)
    with pytest.raises(BenchmarkError, match=r"letter\.txt"), claimed(tmp_path, {}):
        pass


def test_a_folder_is_claimed_by_one_build_at_a_time(tmp_path: Path) -> None:
    with claimed(tmp_path, {}), pytest.raises(BenchmarkError, match="Another build"), claimed(tmp_path, {}):
        pass
    with claimed(tmp_path, {}):
        pass


@pytest.mark.parametrize(("out", "original"), [("b", "."), (".", "index"), (".", ".")])
def test_what_is_built_is_not_read_as_original_files(tmp_path: Path, out: str, original: str) -> None:
    (tmp_path / "index").mkdir()
    with (
        pytest.raises(BenchmarkError, match="within each other"),
        claimed(tmp_path / out, {"fpi": tmp_path / original}),
    ):
        pass
    assert names(tmp_path) == ["index"]


# --- where pictures lie ----------------------------------------------------------------------------------------------


def test_roots_inside_the_folder_move_with_it_and_others_are_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("b"), {"studio": Path("b/pictures/studio"), "d": Path("originals"), "all": Path("b")})
    roots = json.loads(Path("b/roots.json").read_text())
    assert roots == {"studio": "pictures/studio", "d": str(tmp_path / "originals"), "all": "."}
    Path("b").rename("moved")
    found = read_benchmark(tmp_path / "moved").roots
    assert found["studio"] == tmp_path / "moved/pictures/studio"
    assert found["d"] == tmp_path / "originals"

"""Whole runs: processes, indices, what is refused."""

import json
import os
from dataclasses import replace

import pytest

from eval.opening import Request
from eval.runs import RunError, read_run
from eval.workers import code_hash, replay
from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.errors import BenchmarkError


def test_a_run_has_every_turn_of_its_split_and_names_what_it_depends_on(run):
    assert len(run.turns) == 13
    assert {turn.session_id for turn in run.turns} == {"s1", "s2", "s3", "s4", "s5", "s6"}
    settings = run.settings
    assert settings["n_gallery"] == 20
    assert len(settings["gallery_hash"]) == 16
    assert (settings["n_queries"], settings["depth"], settings["is_full_depth"]) == (13, 100, True)
    assert (settings["split"], settings["history"], settings["n_skipped"]) == ("test", "recorded", 0)


def test_two_workers_give_what_one_gives_in_the_same_order(run, benchmark_folder, tmp_path):
    other = replay(Request(benchmark_folder, limit=2), tmp_path / "two", 2, progress=False)
    turns = [turn for turn in run.turns if turn.session_id in ("s1", "s2")]
    assert [replace(turn, ms=0.0) for turn in other.turns] == [replace(turn, ms=0.0) for turn in turns]
    assert other.settings["agent"] == run.settings["agent"]
    whole = (run.folder / "run.trec").read_text()
    assert whole.startswith((other.folder / "run.trec").read_text())


def test_an_interrupted_run_ends_like_one_that_was_not(run, benchmark_folder, tmp_path):
    lines = (run.folder / "turns.jsonl").read_text().splitlines(keepends=True)
    begun = tmp_path / "begun"
    begun.mkdir()
    (begun / "settings.json").write_bytes((run.folder / "settings.json").read_bytes())
    (begun / "turns.jsonl").write_text("".join(lines[:6]) + lines[6][:40])
    resumed = replay(Request(benchmark_folder), begun, progress=False)
    assert resumed.turns[:6] == run.turns[:6]
    assert [replace(turn, ms=0.0) for turn in resumed.turns] == [replace(turn, ms=0.0) for turn in run.turns]


def test_a_finished_run_is_not_played_again(run, benchmark_folder):
    assert replay(Request(benchmark_folder), run.folder, progress=False).turns == run.turns


def test_a_resumed_run_with_another_history_is_refused(run, benchmark_folder):
    with pytest.raises(RunError, match="another history"):
        replay(Request(benchmark_folder, history="live"), run.folder, progress=False)


def test_a_system_that_looks_at_rankings_once_more_is_sent_to_the_other_protocol(benchmark_folder, tmp_path):
    card = {"format": 1, "kind": "imagescope", "url": "http://127.0.0.1:1/v1", "model": "m"}
    card["base"] = os.path.relpath(DEFAULT_FOLDER, tmp_path)
    (tmp_path / "card.json").write_text(json.dumps(card))
    with pytest.raises(RunError, match="python -m eval alone"):
        replay(Request(benchmark_folder, encoder=tmp_path), tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


def test_the_code_of_a_run_is_all_that_an_answer_depends_on(tmp_path):
    answering = ("agent/graph.py", "agent/words.toml", "agent/planners/known_words.txt", "retrieval/stores/lance.py",
                 "retrieval/fashion_am/contexts/compact.json", "eval/replay.py", "eval/opening.py")  # fmt: skip
    others = ("retrieval/fashion_am/train.py", "agent/__pycache__/graph.pyc", "agent/.graph.py.swp", "eval/report.py")
    roots = {name: tmp_path / str(number) for number, name in enumerate(("", *answering, *others))}
    for changed, root in roots.items():
        for name in (*answering, *others):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("changed" if name == changed else "as ever")
    hashes = {changed: code_hash(root) for changed, root in roots.items()}
    assert {name for name, value in hashes.items() if value != hashes[""]} == set(answering)


def test_the_code_is_that_with_which_the_process_began(tmp_path):
    for name in ("eval/replay.py", "eval/opening.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("before")
    began = code_hash(tmp_path)
    (tmp_path / "eval/replay.py").write_text("edited meanwhile")
    assert code_hash(tmp_path) == began


def test_a_gallery_of_words_is_searched_by_its_words(described_folder, tmp_path):
    run = replay(Request(described_folder, depth=None), tmp_path / "run", progress=False)
    assert "items=captions" in run.settings["encoder"]
    assert run.settings["is_full_depth"]
    first, second = (turn for turn in run.turns if turn.query_id in ("s1/1", "s1/2"))
    assert first.hits[0].item_id == "squares/dress-red"
    assert first.relevant is second.relevant is None
    last = next(turn for turn in run.turns if turn.query_id == "s1/4")
    assert len(last.hits) == 19
    assert last.relevant == {"squares/dress-green": 1}
    assert read_run(run.folder).settings["n_queries"] == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split": "val"}, r"split 'val'. Its splits: train, test"),
        ({"split": "nonsense"}, "nonsense"),
        ({"pictures": {"other": "."}}, "no source of this benchmark"),
    ],
)
def test_what_cannot_be_replayed_is_refused_by_name(benchmark_folder, tmp_path, changes, message):
    with pytest.raises(BenchmarkError, match=message):
        replay(replace(Request(benchmark_folder), **changes), tmp_path / "run", progress=False)


def test_a_missing_folder_of_pictures_is_refused_with_what_to_do(benchmark_folder, tmp_path):
    gone = {"squares": tmp_path / "gone"}
    with pytest.raises(BenchmarkError, match="--pictures squares=FOLDER"):
        replay(Request(benchmark_folder, pictures=gone), tmp_path / "run", progress=False)


def test_turns_that_are_not_numbered_are_refused(make, recorded_sessions, tmp_path):
    (first, *_) = recorded_sessions
    folder = make(tmp_path / "b", [replace(first, turns=first.turns[1:])])
    with pytest.raises(BenchmarkError, match="numbered"):
        replay(Request(folder), tmp_path / "run", progress=False)


def test_a_gallery_picture_that_is_gone_is_counted_and_its_turns_score_nothing(make, recorded_sessions, tmp_path):
    folder = make(tmp_path / "b", [session for session in recorded_sessions if session.session_id in ("s2", "s5")])
    (folder / "pictures" / "shirt-blue.png").unlink()
    run = replay(Request(folder), tmp_path / "run", progress=False)
    assert (run.settings["n_gallery"], run.settings["n_skipped"]) == (19, 1)
    found = {turn.query_id: turn for turn in run.turns}
    assert "squares/shirt-blue" not in [hit.item_id for hit in found["s2/1"].hits]
    assert found["s2/2"].error.startswith("MessageError: The selected item is no longer")
    assert found["s5/1"].n_candidates == 8
    assert len(found["s5/1"].hits) == 3

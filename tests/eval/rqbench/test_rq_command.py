"""The command as it is called, with scripted systems; the oracle is the shipped encoder."""

import json
import shutil
from dataclasses import replace

import pytest

from eval.__main__ import main
from eval.rqbench import published, systems
from retrieval.command import FAILED
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import CARD


@pytest.fixture
def opened(monkeypatch, perfect, upside_down):
    """Systems by name, in place of the ones that need weights."""
    known = {"perfect": perfect, "upside-down": upside_down}

    def open_system(name, cache, device=None):
        if name not in known:
            raise BenchmarkError(f"There is no system {name!r}.")
        return known[name]

    monkeypatch.setattr(systems, "open_system", open_system)
    return known


def call(folder, out, *more):
    return main(["rqbench", str(folder), "--out", str(out), *more])


BOTH = ("--system", "perfect", "--system", "upside-down")


def test_it_prints_and_writes_the_papers_tables_with_ours(opened, benchmark_folder, tmp_path, capsys):
    assert call(benchmark_folder, tmp_path / "out", *BOTH) == 0
    printed = capsys.readouterr().out
    written = (tmp_path / "out" / "rqbench.md").read_text()
    for text in (printed, written):
        for said in ("Tasks (Table 2)", "(Table 3)", "Tables 9 and 10", "Thresholds of T2", "Differences", "stand-in"):
            assert said in text
        for name in (*published.TASKS, *published.ATTRIBUTE_SCORES):
            assert f"{name} (published, other data)" in text
        assert "not asked" in text
    rows = [line for line in written.splitlines() if line.startswith("| random |")]
    assert "0.600" in rows[0]
    assert rows[0].count("|") == 10
    assert "| perfect | 1.000 [1.000, 1.000] |" in written


def test_it_says_whose_vectors_gave_the_labels(opened, benchmark_folder, tmp_path, capsys):
    card = json.loads((benchmark_folder / CARD).read_text())
    folder = tmp_path / "b"
    shutil.copytree(benchmark_folder, folder)
    (folder / CARD).write_text(json.dumps({**card, "encoder": {"encoder": "our-towers"}}))
    assert call(folder, tmp_path / "out", "--system", "perfect", "--oracle", "published") == 0
    assert "a hierarchy over vectors of our-towers:" in " ".join(capsys.readouterr().out.split())


def test_the_json_holds_every_value(opened, benchmark_folder, tmp_path):
    assert call(benchmark_folder, tmp_path, *BOTH) == 0
    record = json.loads((tmp_path / "rqbench.json").read_text())
    assert record["benchmark"].startswith("sha256:")
    ours = record["systems"][0]["measures"]["T3 Recall@3"]
    assert (ours["value"], ours["n_units"]) == (1, 72)
    assert ours["random"] == pytest.approx(0.6)
    assert sum(record["weights"]["weights"].values()) == pytest.approx(1)
    difference = record["differences"][0]
    assert (difference["a"], difference["b"]) == ("perfect", "upside-down")
    assert difference["measures"]["T1 nDCG@10"]["low"] > 0
    assert difference["measures"]["T1 nDCG@10"]["p"] < 0.01


def test_a_second_call_scores_nothing_and_writes_the_same_bytes(opened, benchmark_folder, tmp_path):
    arguments = (*BOTH, "--oracle", "published")
    assert call(benchmark_folder, tmp_path, *arguments) == 0
    first = (tmp_path / "rqbench.json").read_bytes()
    assert call(benchmark_folder, tmp_path, *arguments) == 0
    assert (tmp_path / "rqbench.json").read_bytes() == first
    assert [len(system.asked) for system in opened.values()] == [1, 1]


def test_some_tasks_alone(opened, benchmark_folder, tmp_path, capsys):
    assert call(benchmark_folder, tmp_path, "--system", "perfect", "--tasks", "t4,T3") == 0
    printed = capsys.readouterr().out
    assert "T3 nDCG@3" in printed
    assert "Table 3" not in printed
    assert "T1 nDCG@10" not in printed
    assert "Thresholds" not in printed


def test_the_papers_weights_alone_need_no_oracle(opened, benchmark_folder, tmp_path, capsys):
    assert call(benchmark_folder, tmp_path, "--system", "perfect", "--oracle", "published") == 0
    printed = capsys.readouterr().out
    assert "Rel. (paper's w)" in printed
    assert "Tables 9 and 10" not in printed
    assert not (tmp_path / "weights.json").exists()


def test_an_unknown_task_is_a_wrong_call(benchmark_folder, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        call(benchmark_folder, tmp_path, "--system", "perfect", "--tasks", "T1,T9")
    assert ended.value.code == 2
    assert "'T9' is no task" in capsys.readouterr().err


def test_an_unknown_system_fails_with_one_line(opened, benchmark_folder, tmp_path, capsys):
    assert call(benchmark_folder, tmp_path, "--system", "nobody") == FAILED
    error = capsys.readouterr().err
    assert "There is no system 'nobody'" in error
    assert "Traceback" not in error


def test_an_unfinished_benchmark_fails_and_leaves_nothing(opened, tmp_path, capsys):
    (tmp_path / "half").mkdir()
    assert call(tmp_path / "half", tmp_path / "out", "--system", "perfect") == FAILED
    assert "no finished FASHION-RQ benchmark" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_system_that_scores_nan_fails_with_one_line(opened, benchmark_folder, tmp_path, capsys):
    opened["perfect"].score_of = lambda *_: float("nan")
    assert call(benchmark_folder, tmp_path, "--system", "perfect") == FAILED
    assert "with nan" in capsys.readouterr().err
    assert not (tmp_path / "rqbench.md").exists()


def test_queries_that_name_no_attribute_have_no_attribute_scores(opened, rebuilt, tmp_path, capsys):
    folder = rebuilt(lambda query: replace(query, wanted={}))
    assert call(folder, tmp_path / "out", *BOTH) == 0
    printed = capsys.readouterr().out
    assert "No query of T1 names an attribute" in printed
    assert "Rel." not in printed
    assert "T1 nDCG@10" in printed


def test_finished_systems_stay_when_a_later_one_fails(opened, benchmark_folder, tmp_path):
    arguments = ("--system", "perfect", "--oracle", "published")
    assert call(benchmark_folder, tmp_path, *arguments, "--system", "nobody") == FAILED
    assert call(benchmark_folder, tmp_path, *arguments) == 0
    assert len(opened["perfect"].asked) == 1


def test_nothing_is_written_into_the_benchmark(benchmark_folder, tmp_path):
    """A build refuses to replace a benchmark with other files in it."""
    before = sorted(benchmark_folder.iterdir())
    assert call(benchmark_folder, tmp_path / "out", "--system", "minilm", "--oracle", "published") == 0
    assert sorted(benchmark_folder.iterdir()) == before
    assert list((tmp_path / "out" / "index").iterdir())

"""Tables over made-up runs of two systems, two seeds each, and over runs that the command makes itself."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eval.compare import compare, permutation_test
from eval.metrics import session_intervals
from eval.runs import Run, RunError, TurnRecord, read_run, to_line
from eval.tables import write_tables
from eval.tables_parts import best_other, parts_of
from eval.tables_runs import measured
from eval.tables_scores import intervals, paired, seeds_of, values_of
from eval.tables_spec import RowSpec, Spec, read_spec
from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.schema import Hit

GOLDEN = Path(__file__).parents[1] / "golden" / "eval_tables.md"
SETTINGS = {
    "format": "dimity-run", "version": 1, "benchmark": "made-up", "checksum": "sha256:1", "split": "test",
    "limit": None, "history": "recorded", "protocol": "alone", "references": "previous", "planner": "none",
    "agent": "c0de", "encoder": "towers 1", "gallery_hash": "0123", "n_gallery": 10, "n_skipped": 0, "depth": 10,
    "is_full_depth": True, "references_stay": False, "shown": 24, "n_sessions": 4, "n_turns": 8, "n_queries": 8,
}  # fmt: skip
RANKS = {
    "late": ((1, 6, 0, 9, 2, 7), (1, 2)),
    "fam-0": ((1, 1, 3, 7, 2, 5), (1, 1)),
    "fam-1": ((2, 4, 8, 6, 2, 9), (1, 2)),
}
"""Ranks of the right item, 0 for a failed turn: three sessions of two turns each; one of two pools."""


def record(query_id: str, rank: int, *, task: str = "cir", in_pool: bool = False) -> TurnRecord:
    hits = tuple(Hit("it" if place == rank else f"x{place}", 1.0 / place) for place in range(1, 11 if rank else 1))
    return TurnRecord(
        query_id, task, "d", "source", 10, hits, 1.0, {"it": 1}, in_pool, error="" if rank else "ImageError: gone"
    )


def made(name: str) -> tuple[TurnRecord, ...]:
    gallery, pools = RANKS[name]
    turns = [
        record(f"s{place // 2}/{place % 2 + 1}", rank, task="t2i" if place % 2 == 0 else "cir")
        for place, rank in enumerate(gallery)
    ]
    return (*turns, *(record(f"s3/{n}", rank, task="asfr", in_pool=True) for n, rank in enumerate(pools, 1)))


def write_run(folder: Path, name: str, **changes) -> Path:
    kind = "late_fusion" if name == "late" else "fashion_am"
    system = {"kind": kind, "name": "towers", "query_revision": name}
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps({**SETTINGS, "system": system, **changes}))
    (folder / "turns.jsonl").write_text("".join(f"{to_line(each)}\n" for each in made(name)))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("tables")
    for name in RANKS:
        write_run(home / "made" / name, name)
    (home / "spec.toml").write_text(
        """
        title = "Made up"
        [[rows]]
        name = "Late fusion"
        runs = ["made/late"]
        [[rows]]
        name = "FashionAM"
        tables = ["systems", "ablations", "scope"]
        runs = ["made/fam-0", "made/fam-1"]
        ours = true
        [[rows]]
        name = "without history"
        tables = ["ablations"]
        runs = ["made/late"]
        """
    )
    return home


@pytest.fixture(scope="module")
def runs(folder) -> dict[str, Run]:
    return {name: read_run(folder / "made" / name) for name in RANKS}


@pytest.fixture(scope="module")
def written(folder) -> dict[str, str]:
    paths = write_tables(read_spec(folder / "spec.toml"), folder / "out")
    return {path.name: path.read_text("utf8") for path in paths}


# --- scores over seeds -----------------------------------------------------------------------------------------------


def test_means_are_over_queries_and_seeds_and_the_spread_is_over_seeds(runs):
    gallery, pools = seeds_of([runs["fam-0"], runs["fam-1"]])
    five = values_of(gallery, ["success@5"])["success@5"]
    assert five.by_seed == pytest.approx((5 / 6, 3 / 6))  # ranks 1 1 3 7 2 5 and 2 4 8 6 2 9
    assert five.mean == pytest.approx(4 / 6)
    assert five.spread == pytest.approx((2 / 6) / 2**0.5)
    assert five.n_queries == 6
    assert values_of(pools, ["mAP"])["mAP"].mean == pytest.approx((1 + 0.75) / 2)
    assert values_of(seeds_of([runs["late"]])[0], ["success@1"])["success@1"].spread is None


def naive(parts, sessions, n_samples, seed):
    """One sample at a time, session by session."""
    names = list(dict.fromkeys(sessions))
    of_sessions = np.random.default_rng(seed)
    of_seeds = [np.random.default_rng([seed, number + 1]) for number in range(len(parts))]
    samples = []
    for _ in range(n_samples):
        drawn = [names[row] for row in of_sessions.integers(0, len(names), len(names))]
        total = 0.0
        for (values, sign), rng in zip(parts, of_seeds, strict=True):
            seeds = rng.integers(0, len(values), len(values))
            found = [values[s][q] for s in seeds for each in drawn for q, name in enumerate(sessions) if name == each]
            total += sign * np.mean(found, axis=0)
        samples.append(total)
    return np.quantile(samples, [0.025, 0.975], axis=0)


def test_intervals_agree_with_a_naive_bootstrap_of_sessions_and_seeds():
    rng = np.random.default_rng(5)
    sessions = ["a", "a", "b", "c", "c", "c"]
    parts = [(rng.random((3, 6, 2)), 1.0), (rng.random((2, 6, 2)), -1.0)]
    found = intervals(parts, sessions, n_samples=60, seed=3)
    assert found == pytest.approx(naive(parts, sessions, 60, 3))


def test_with_one_seed_they_are_those_of_a_report_and_of_compare(runs):
    seeds = seeds_of([runs["late"]])[0]
    one, other = seeds, seeds_of([runs["fam-0"]])[0]
    low, high = session_intervals(one.values[0], one.sessions)
    for at, name in enumerate(one.measures):
        value = values_of(one, [name])[name]
        assert (value.low, value.high) == pytest.approx((low[at], high[at]))
    theirs = {each.measure: each for each in compare(runs["late"], runs["fam-0"])["whole gallery"]}
    for ours in paired(one, other, ["success@5", "success@8"]):
        wanted = theirs[ours.measure]
        found = (ours.other, ours.ours, ours.low, ours.high, ours.p)
        assert found == pytest.approx((wanted.a, wanted.b, wanted.low, wanted.high, wanted.p))


def test_the_p_of_a_difference_is_of_the_seeds_means(runs):
    late, ours = seeds_of([runs["late"]])[0], seeds_of([runs["fam-0"], runs["fam-1"]])[0]
    (found,) = paired(late, ours, ["success@5"])
    at = ours.measures.index("success@5")
    differences = (ours.values.mean(axis=0) - late.values[0])[:, [at]]
    assert found.p == permutation_test(differences, ours.sessions)[0]
    assert (found.other, found.ours) == pytest.approx((2 / 6, 4 / 6))


def test_seeds_that_answered_other_queries_are_refused(runs):
    fewer = replace(runs["fam-1"], turns=runs["fam-1"].turns[1:])
    with pytest.raises(RunError, match="other queries each"):
        seeds_of([runs["fam-0"], fewer])


# --- tables ----------------------------------------------------------------------------------------------------------


def test_the_tables_match_their_golden_file(written):
    if os.environ.get("DIMITY_GOLDEN") == "rewrite":
        GOLDEN.write_text(written["tables.md"], "utf8")
    assert written["tables.md"] == GOLDEN.read_text("utf8")


def cells(text: str, title: str, row: str) -> list[str]:
    section = text.split(f"{title}\n")[1]
    line = next(line for line in section.splitlines() if line.startswith(f"| {row} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_row_has_its_hand_worked_values(written):
    row = cells(written["tables.md"], "systems (as the paper's Table 3)", "FashionAM")
    # overall R@5 R@8, t2i R@5 R@8, cir R@5 R@8, mAP; ranks of t2i 1 3 2 and 2 8 2, of cir 1 7 5 and 4 6 9
    assert row[1:] == ["2", "66.7", "91.7", "83.3", "100.0", "50.0", "83.3", "87.5"]
    late = cells(written["tables.md"], "Overall, with the spread over seeds and intervals:", "Late fusion")
    assert late[1:3] == ["1", "1"]
    assert late[3].startswith("33.3 (")


def test_published_rows_are_marked_as_other_data(written):
    row = cells(written["tables.md"], "systems (as the paper's Table 3)", "MAI (published, other data)")
    assert row[2:4] == ["42.2*", "51.3*"]
    assert "FashionNTM (published, other data)" in written["tables.md"]


def test_the_page_has_the_figure_and_the_json_every_value(written):
    assert written["tables.html"].count("<svg") == 1
    (part,) = json.loads(written["tables.json"])["parts"]
    assert (part["protocol"], part["history"]) == ("alone", "recorded")
    ours = next(row for row in part["rows"] if row["ours"])
    assert ours["overall"]["success@5"]["by_seed"] == pytest.approx([5 / 6, 3 / 6])
    assert ours["by_earlier"]["0"]["success@5"]["n_queries"] == 3
    assert [seed["system"]["query_revision"] for seed in ours["seeds"]] == ["fam-0", "fam-1"]
    assert {each["table"] for each in part["differences"]} == {"systems", "ablations"}


def test_a_folder_of_runs_has_a_row_for_each_system(folder):
    spec = read_spec(folder / "made")
    assert [(row.name, len(row.runs), row.ours) for row in spec.rows] == [
        ("fashion_am towers fam-0", 1, True),
        ("fashion_am towers fam-1", 1, True),
        ("late_fusion towers", 1, False),
    ]
    (part,) = parts_of(measured(spec, folder / "none"))
    assert [(each.other, each.ours) for each in part.differences] == [("late_fusion towers", "fashion_am towers fam-0")]


def test_a_system_is_one_row_under_several_histories_and_apart_from_its_ablations(tmp_path):
    def system(revision: str) -> dict[str, str]:
        return {"kind": "fashion_am", "name": "fashion-am", "query_revision": revision}

    write_run(tmp_path / "a", "fam-0", system=system("whole"))
    write_run(tmp_path / "b", "fam-0", system=system("whole"), history="live")
    write_run(tmp_path / "c", "fam-1", system=system("no-pointer"))
    write_run(tmp_path / "d", "fam-1", system=system("no-pointer"), encoder="towers 1/caption=0.5")
    spec = read_spec(tmp_path)
    assert {row.name: [run.name for run in row.runs] for row in spec.rows} == {
        "fashion_am fashion-am no-pointer towers 1": ["c"],
        "fashion_am fashion-am no-pointer towers 1/caption=0.5": ["d"],
        "fashion_am fashion-am whole": ["a", "b"],
    }
    assert [len(part.results) for part in parts_of(measured(spec, tmp_path / "none"))] == [3, 1]


def test_runs_over_other_queries_are_not_set_side_by_side(folder, tmp_path):
    other = write_run(tmp_path / "other", "fam-0", checksum="sha256:2")
    rows = (RowSpec("a", runs=(folder / "made" / "late",)), RowSpec("b", runs=(other,)))
    with pytest.raises(RunError, match="another checksum"):
        measured(Spec(rows), tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"references": None}, "references is missing"), ({"system": {"kind": "mai"}}, "system is not")],
)
def test_a_run_that_does_not_say_what_a_table_needs_is_refused(tmp_path, changes, message):
    with pytest.raises(RunError, match=message):
        read_run(write_run(tmp_path / "damaged", "late", **changes))


def test_without_a_measure_that_all_have_no_system_is_the_best_other(folder, tmp_path):
    shallow = {"depth": 3, "is_full_depth": False}
    rows = tuple(RowSpec(name, runs=(write_run(tmp_path / name, name, **shallow),)) for name in ("late", "fam-0"))
    (part,) = parts_of(measured(Spec(rows), tmp_path))
    assert (best := best_other(part.results)) is not None
    assert best.row.name == "fam-0", "by mAP of the pools"
    assert best_other([replace(each, overall={}) for each in part.results]) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[rows]]\nname = 'a'", "needs either folders or runs"),
        ("[[rows]]\nname = 'a'\nruns = ['gone']", "gone, which is no folder"),
        ("[[rows]]\nname = 'a'\nfolders = ['.']", "need a benchmark"),
        ("[[rows]]\nname = 'a'\nrun = ['.']", "'run', which is none of"),
        ("[[rows]]\nname = 'a'\ntables = ['3']\nruns = ['.']", "'3' is none of systems, ablations, scope"),
        ("rows = []", "needs rows"),
        ("[[rows]]\nname = 'a'\nruns = ['.']\n[[rows]]\nname = 'A!'\nruns = ['.']", "a name of its own"),
        ("[[rows]]\nname = 'a'\nfolders = 'systems'", "folders of row 'a' is a word, not a list"),
        ("title = 'x'", "'rows' is missing"),
        ("= ", "no specification in TOML or JSON"),
    ],
)
def test_a_specification_that_cannot_be_followed_is_refused(tmp_path, text, message):
    (tmp_path / "spec.toml").write_text(text)
    with pytest.raises(RunError, match=message):
        read_spec(tmp_path / "spec.toml")


def test_an_empty_folder_holds_no_runs(tmp_path):
    with pytest.raises(RunError, match="There is no run below"):
        read_spec(tmp_path)


def test_missing_runs_are_made_and_finished_ones_are_taken_as_they_are(benchmark_folder, tmp_path):
    (tmp_path / "spec.json").write_text(
        json.dumps(
            {
                "benchmark": str(benchmark_folder),
                "limit": 1,
                "histories": ["recorded", "live"],
                "rows": [{"name": "Late fusion!", "folders": [str(DEFAULT_FOLDER)]}],
            }
        )
    )
    spec = read_spec(tmp_path / "spec.json")
    first, second = measured(spec, tmp_path / "runs")
    assert [each.name for each in sorted((tmp_path / "runs").iterdir())] == [
        "late-fusion-0-alone-live",
        "late-fusion-0-alone-recorded",
    ]
    assert (first.history, second.history) == ("recorded", "live")
    settings = first.runs[0].folder / "settings.json"
    settings.write_text(settings.read_text().replace(first.runs[0].settings["agent"], "0" * 16))
    assert measured(spec, tmp_path / "runs")[0].runs[0].settings["agent"] == "0" * 16
    with pytest.raises(RunError, match=r"begun with another .*limit"):
        measured(replace(spec, limit=2), tmp_path / "runs")


def test_a_row_may_ask_for_runs_through_the_agent(benchmark_folder, tmp_path):
    row = {"name": "Late fusion", "folders": [str(DEFAULT_FOLDER)], "protocols": ["agent", "alone"]}
    spec = {"benchmark": str(benchmark_folder), "limit": 1, "rows": [row]}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    agent, alone = measured(read_spec(tmp_path / "spec.json"), tmp_path / "runs")
    assert [path.name for path in sorted((tmp_path / "runs").iterdir())] == [
        "late-fusion-0-agent-recorded",
        "late-fusion-0-alone-recorded",
    ]
    assert [run.settings["protocol"] for run in (*agent.runs, *alone.runs)] == ["agent", "alone"]
    assert {turn.intent for turn in agent.runs[0].turns} >= {"search", "rollback"}
    turns = agent.runs[0].folder / "turns.jsonl"
    turns.write_text(turns.read_text().replace('"ms": ', '"ms": 1'))
    again = measured(read_spec(tmp_path / "spec.json"), tmp_path / "runs")[0]
    assert again.runs[0].turns[0].ms >= 10, "played again"
    found = [(part.protocol, part.results[0].overall["success@5"].n_queries) for part in parts_of([again, alone])]
    assert found == [("agent", 4), ("alone", 4)]

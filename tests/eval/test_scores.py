import itertools
from pathlib import Path

import numpy as np
import pytest

from eval.runs import Run, RunError, TurnRecord
from eval.scores import (
    breakdowns,
    count_out_of_reach,
    gallery_measures,
    latencies,
    pool_measures,
    route,
    row_of,
    score,
    score_run,
)
from retrieval.schema import Hit

MEASURES = gallery_measures(100, is_full=False)


def record(query_id="s/1", hits=("a", "b", "c"), relevant=None, **others) -> TurnRecord:
    values = {
        "task": "cir",
        "dataset": "d",
        "origin": "source",
        "n_candidates": 10,
        "ms": 1.0,
        "relevant": {"b": 1} if relevant is None else relevant,
        **others,
    }
    scored = tuple(Hit(item, 1 - place / 10) for place, item in enumerate(hits))
    return TurnRecord(query_id=query_id, hits=scored, **values)


def cells(*records: TurnRecord, measures=MEASURES) -> dict[str, float]:
    row = row_of(score(records, measures), "all")
    assert row is not None
    return {name: cell.value for name, cell in row.cells.items()}


def test_hand_worked_means():
    found = cells(record(), record("t/1", hits=("b",)))
    assert found["success@1"] == 0.5
    assert found["success@5"] == found["recall@5"] == 1
    assert found["MRR@100"] == 0.75
    assert found["nDCG@10"] == pytest.approx((1 / np.log2(3) + 1) / 2)


def test_a_query_without_an_answer_and_one_without_a_possible_answer_count_as_zero():
    found = cells(record(hits=("b",)), record("t/1", hits=(), error="MessageError: no"), record("u/1", relevant={}))
    assert found["success@50"] == found["MRR@100"] == pytest.approx(1 / 3)


def test_measures_below_the_depth_are_not_claimed():
    assert "success@50" not in gallery_measures(24, is_full=False)
    assert "MRR" in gallery_measures(7, is_full=True)
    assert "MRR@24" in gallery_measures(24, is_full=False)


def test_average_precision_of_a_pool_counts_what_was_not_found():
    pool = record(hits=("a", "x", "b"), relevant={"a": 1, "b": 1, "z": 1}, in_pool=True)
    assert cells(pool, measures=pool_measures())["mAP"] == pytest.approx((1 + 2 / 3) / 3)


def test_chance_is_the_mean_over_all_orders_of_the_candidates():
    one = record(hits=(), relevant={"a": 1, "b": 2}, n_candidates=5)
    for measures in (gallery_measures(3, is_full=False), pool_measures()):
        scored = score([one], measures)
        depth = 3 if "MRR@3" in measures else 5
        orders = [
            record(hits=order[:depth], relevant={"a": 1, "b": 2}, n_candidates=5)
            for order in itertools.permutations("abcde")
        ]
        assert scored.random[0] == pytest.approx(score(orders, measures).values.mean(axis=0))


def test_ties_count_by_their_expectation():
    tied = record()
    tied = TurnRecord(
        **{**{name: getattr(tied, name) for name in tied.__slots__}, "hits": (Hit("a", 0.5), Hit("b", 0.5))}
    )
    assert cells(tied)["success@1"] == 0.5
    assert cells(tied)["MRR@100"] == 0.75


def test_breakdowns_split_all_queries_by_every_key():
    records = [
        record("s/1", task="t2i"),
        record("s/2", rollback_to=1, dataset="e"),
        record("s/10", origin="bridge"),
    ]
    found = breakdowns(score(records, MEASURES))
    assert {title: [row.name for row in rows] for title, rows in found.items()} == {
        "by task": ["t2i", "cir"],
        "by number of earlier turns": ["0", "1", "9"],
        "by rollback": ["no rollback", "rollback"],
        "by data set": ["d", "e"],
        "by origin": ["bridge", "source"],
    }
    assert all(sum(row.n_queries for row in rows) == 3 for rows in found.values())


def test_pools_and_the_gallery_are_never_averaged_together():
    turns = (record(), record("t/1", in_pool=True), record("u/1", relevant=None))
    run = Run(Path("r"), {"depth": 100, "is_full_depth": False}, turns)
    gallery, pools = score_run(run)
    assert [r.query_id for r in gallery.records] == ["s/1", "u/1"]
    assert [r.query_id for r in pools.records] == ["t/1"]


def test_a_run_without_judged_turns_is_refused():
    bare = TurnRecord("s/1", "cir", "d", "source", 10, (), 1.0)
    with pytest.raises(RunError, match="nothing to score"):
        score_run(Run(Path("r"), {"depth": 100, "is_full_depth": False}, (bare,)))


@pytest.mark.parametrize(
    ("turn", "is_right"),
    [
        ({"task": "cir", "intent": "modify"}, True),
        ({"task": "cir", "intent": "search"}, False),
        ({"task": "street2shop", "intent": "same_item"}, True),
        ({"task": "asfr", "intent": "same_attribute"}, True),
        ({"task": "t2i", "error": "MessageError: no"}, False),
        ({"task": "cir", "rollback_to": 1, "intent": "rollback", "reference_turn": 1}, True),
        ({"task": "cir", "rollback_to": 1, "intent": "rollback", "reference_turn": 2}, False),
        ({"task": "cir", "rollback_to": 1, "intent": "modify", "reference_turn": 1}, False),
        ({"task": "cir", "intent": "rollback", "then": "modify"}, False),
    ],
)
def test_what_counts_as_understood(turn, is_right):
    routing = route([record(**turn)])
    name = "rollback" if "rollback_to" in turn else turn["task"]
    assert routing.right == {name: int(is_right)}
    assert routing.counts == {name: {turn.get("intent", "failed"): 1}}


def test_a_rollback_returns_to_the_very_item_or_not():
    back = {"rollback_to": 1, "meant": ("a",)}
    turns = [
        record(references=("a",), **back),
        record(references=("b",), **back),
        record(references=("a",), meant=("a",)),
    ]
    assert route(turns).n_items_returned_to == 1


def test_latencies_are_percentiles():
    assert latencies([record(ms=float(ms)) for ms in range(101)]) == {"p50": 50, "p90": 90, "p99": 99}


def test_chance_counts_only_what_could_be_found():
    one = record(hits=(), relevant={"a": 1, "b": 1}, n_candidates=4, left_out=("b",))
    found = row_of(score([one], MEASURES), "all").cells
    assert found["success@1"].random == pytest.approx(1 / 4)
    assert found["recall@50"].random == pytest.approx(1 / 2)


def test_a_query_whose_relevant_items_were_all_left_out_is_out_of_reach():
    turns = [
        record(relevant={"a": 1, "b": 1}, left_out=("a", "b")),
        record("t/1", relevant={"a": 1, "b": 1}, left_out=("a",)),
        record("u/1", relevant={"a": 0}, left_out=("a",)),
        record("v/1", relevant={}),
    ]
    assert count_out_of_reach(turns) == 1
    assert score(turns[:1], MEASURES).random.sum() == 0


def test_a_whole_replay_scores_what_others_make_of_its_files(run: Run, benchmark_folder: Path) -> None:
    """From run.trec and the benchmark's own qrels.txt alone, by another program, on rankings without ties."""
    import ir_measures

    tied = {turn.query_id for turn in run.turns if len({hit.score for hit in turn.hits}) < len(turn.hits)}
    qrels = [q for q in ir_measures.read_trec_qrels(str(benchmark_folder / "qrels.txt")) if q.query_id not in tied]
    found = list(ir_measures.read_trec_run(str(run.folder / "run.trec")))
    names = {
        "Success@1": "success@1", "Success@5": "success@5", "R@5": "recall@5", "RR": "MRR", "nDCG@10": "nDCG@10",
        "AP": "mAP",
    }  # fmt: skip
    theirs = {
        (value.query_id, names[str(value.measure)]): value.value
        for value in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], qrels, found)
    }
    n_compared = 0
    for scored in score_run(run):
        for row, record in enumerate(scored.records):
            for name in names.values():
                if name in scored.measures and record.query_id not in tied:
                    ours = scored.values[row, scored.measures.index(name)]
                    assert ours == pytest.approx(theirs.get((record.query_id, name), 0.0)), (record.query_id, name)
                    n_compared += 1
    assert n_compared > 30


def test_every_judged_query_is_in_a_denominator_and_no_other(run: Run, benchmark_folder: Path) -> None:
    judged = {line.split()[0] for line in (benchmark_folder / "qrels.txt").read_text().splitlines()}
    played = {turn.query_id for turn in run.turns}
    scored = [record.query_id for part in score_run(run) for record in part.records]
    assert sorted(scored) == sorted(judged & played)

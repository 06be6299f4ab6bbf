import itertools
import random
from collections.abc import Iterator

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import (
    average_precision,
    bootstrap_interval,
    ndcg_at,
    precision_at,
    random_success_at,
    recall_at,
    reciprocal_rank,
    session_intervals,
    session_sums,
    success_at,
    with_ties,
)
from retrieval.schema import Hit

RANKING = ["a", "b", "c", "d", "e"]
RELEVANT = {"b": 1, "d": 3, "z": 1, "a": 0}


def test_hand_worked_case():
    assert success_at(RANKING, RELEVANT, 1) == 0
    assert success_at(RANKING, RELEVANT, 2) == 1
    assert recall_at(RANKING, RELEVANT, 5) == pytest.approx(2 / 3)
    assert precision_at(RANKING, RELEVANT, 4) == 0.5
    assert reciprocal_rank(RANKING, RELEVANT) == 0.5
    assert average_precision(RANKING, RELEVANT) == pytest.approx((1 / 2 + 2 / 4) / 3)


def test_a_short_ranking_is_filled_up_with_irrelevant_items():
    assert precision_at(["b"], RELEVANT, 10) == 0.1


def test_a_query_without_a_ranking_scores_nothing():
    assert success_at([], RELEVANT, 10) == recall_at([], RELEVANT, 10) == reciprocal_rank([], RELEVANT) == 0


def test_a_query_without_relevant_items_is_an_error_and_not_a_zero():
    for metric in (
        lambda: recall_at(RANKING, {"a": 0}, 5),
        lambda: average_precision(RANKING, {}),
        lambda: ndcg_at(RANKING, {"a": 0}, 5),
    ):
        with pytest.raises(ValueError, match="relevant"):
            metric()


def test_an_interval_of_no_values_is_an_error():
    with pytest.raises(ValueError, match="at least one value"):
        bootstrap_interval([])


def test_the_interval_is_the_same_at_each_call():
    values = [0.0, 0.2, 1.0, 0.4] * 5
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval(values, level=0.5)[0] > bootstrap_interval(values)[0]


def test_all_agree_with_ir_measures_on_random_runs():
    rng = random.Random(1)
    measures = {
        "Success@5": lambda r, q: success_at(r, q, 5),
        "R@5": lambda r, q: recall_at(r, q, 5),
        "P@5": lambda r, q: precision_at(r, q, 5),
        "AP": average_precision,
        "RR": reciprocal_rank,
        "nDCG@5": lambda r, q: ndcg_at(r, q, 5),
    }
    for _ in range(30):
        items = [f"i{n}" for n in range(rng.randint(5, 30))]
        qrels = {i: rng.choice([0, 0, 1, 2, 3]) for i in items} | {"i0": 1}
        ranking = rng.sample(items, rng.randint(1, len(items)))
        run = {"q": {item: float(-rank) for rank, item in enumerate(ranking)}}
        for name, ours in measures.items():
            theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name)], {"q": qrels}, run)
            assert ours(ranking, qrels) == pytest.approx(next(iter(theirs.values())), abs=1e-9), name


def test_all_agree_with_pytrec_eval_on_random_runs_without_ties():
    rng = random.Random(2)
    measures = {
        **{f"success_{k}": lambda r, q, k=k: success_at(r, q, k) for k in (1, 5, 10)},
        **{f"recall_{k}": lambda r, q, k=k: recall_at(r, q, k) for k in (5, 10, 50)},
        "map": average_precision,
        "recip_rank": reciprocal_rank,
        "ndcg_cut_10": lambda r, q: ndcg_at(r, q, 10),
    }
    names = {"success", "recall.5,10,50", "map", "recip_rank", "ndcg_cut"}
    for _ in range(30):
        items = [f"i{n}" for n in range(rng.randint(5, 80))]
        qrels = {i: rng.choice([0, 0, 1, 2]) for i in items} | {"i0": 1}
        ranking = rng.sample(items, rng.randint(1, len(items)))
        run = {"q": {item: float(-rank) for rank, item in enumerate(ranking)}}
        theirs = pytrec_eval.RelevanceEvaluator({"q": qrels}, names).evaluate(run)["q"]
        for name, ours in measures.items():
            assert ours(ranking, qrels) == pytest.approx(theirs[name], abs=1e-9), name


def orders(ranking: list[tuple[str, ...]]) -> Iterator[list[str]]:
    """Every order that a ranking with ties may stand for."""
    for parts in itertools.product(*(itertools.permutations(tied) for tied in ranking)):
        yield [item for part in parts for item in part]


@pytest.mark.parametrize("seed", range(25))
def test_ties_score_the_mean_over_all_orders_of_them(seed):
    rng = random.Random(seed)
    items = [f"i{n}" for n in range(7)]
    relevant = {item: rng.choice([0, 0, 1, 3]) for item in items} | {rng.choice(items): 2, "elsewhere": 1}
    left, ranking = rng.sample(items, 6), []
    while left:
        size = rng.randint(1, min(4, len(left)))
        ranking.append(tuple(left[:size]))
        left = left[size:]
    every = list(orders(ranking))
    for metric in (
        *(lambda r, q, k=k: success_at(r, q, k) for k in (1, 2, 3, 5, 9)),
        *(lambda r, q, k=k: recall_at(r, q, k) for k in (1, 2, 3, 5, 9)),
        *(lambda r, q, k=k: precision_at(r, q, k) for k in (1, 4)),
        *(lambda r, q, k=k: ndcg_at(r, q, k) for k in (1, 3, 10)),
        average_precision,
        reciprocal_rank,
    ):
        assert metric(ranking, relevant) == pytest.approx(np.mean([metric(one, relevant) for one in every]), abs=1e-12)


def test_hits_of_equal_score_are_tied_and_others_are_not():
    hits = [Hit("a", 0.9), Hit("b", 0.5), Hit("c", 0.5), Hit("d", 0.1)]
    assert with_ties(hits) == [("a",), ("b", "c"), ("d",)]
    assert with_ties([]) == []


def test_intervals_resample_sessions_and_not_turns():
    values = np.array([[1.0], [1.0], [1.0], [1.0], [0.0], [0.0], [0.0], [0.0]])
    (low,), (high,) = session_intervals(values, ["a"] * 4 + ["b"] * 4)
    assert (low, high) == (0, 1)
    apart = session_intervals(values, [str(row) for row in range(8)])
    assert 0 < apart[0, 0] < apart[1, 0] < 1


def test_session_sums_keep_measures_apart():
    sums, counts = session_sums(np.array([[1.0, 0.5], [0.0, 0.5], [1.0, 1.0]]), ["a", "b", "a"])
    assert sums.tolist() == [[2.0, 1.5], [0.0, 0.5]]
    assert counts.tolist() == [2, 1]
    with pytest.raises(ValueError, match="no query"):
        session_sums(np.zeros((0, 2)), [])


def test_random_success_is_what_many_random_orders_give():
    rng = random.Random(0)
    items = list(range(50))
    hits = sum(any(i < 4 for i in rng.sample(items, 10)) for _ in range(20_000)) / 20_000
    assert random_success_at(4, 50, 10) == pytest.approx(hits, abs=0.01)
    assert random_success_at(1, 5, 10) == 1.0


def test_the_interval_covers_the_mean_and_shrinks_with_more_queries():
    few, many = bootstrap_interval([0.0, 1.0] * 10), bootstrap_interval([0.0, 1.0] * 1000)
    assert few[0] <= 0.5 <= few[1]
    assert many[1] - many[0] < (few[1] - few[0]) / 5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_an_interval_never_leaves_the_values(values):
    low, high = bootstrap_interval(values, n_samples=50)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9

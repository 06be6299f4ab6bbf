import random

import ir_measures
import pytest
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
    success_at,
)

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
            assert ours(ranking, qrels) == pytest.approx(next(iter(theirs.values()))), name


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

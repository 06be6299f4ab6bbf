import itertools
import random

import ir_measures
import numpy as np
import pytest

from eval.rqbench.metrics import (
    class_measures,
    consistency_at,
    paraphrase_measures,
    ranked,
    ranking_measures,
    sibling_measures,
)
from eval.rqbench.resampling import estimate
from retrieval.rq_benchmark import QRELS

GRADES = {"exact": 3.0, "sibling": 2.0, "related": 1.0, "irrelevant": 0.0}


def scores_of(benchmark, task, score):
    return {
        query_id: {item_id: score(query_id, item_id, label) for item_id, label in labels.items()}
        for query_id, labels in benchmark.candidates[task].items()
    }


def seeded(query_id, item_id, _label):
    return random.Random(f"{query_id} {item_id}").random()


def by_label(scale):
    return lambda *asked: scale * GRADES[asked[2]]


def by_id(_query_id, item_id, _label):
    return float(item_id[1:])


def test_equal_scores_stand_in_the_order_of_the_ids():
    assert ranked({"b": 1.0, "a": 1.0, "c": 2.0}) == ["c", "a", "b"]


def test_the_right_order_has_all_and_the_wrong_one_less_than_chance(small):
    best = ranking_measures(small, scores_of(small, "T1", by_label(1)))
    worst = ranking_measures(small, scores_of(small, "T1", by_label(-1)))
    for name in ("nDCG@10", "Recall@10"):
        assert estimate(best[name]).value == pytest.approx(1)
        assert estimate(worst[name]).value < estimate(worst[name]).random


def test_ranking_measures_are_those_of_ir_measures(small, benchmark_folder):
    scores = scores_of(small, "T1", seeded)
    qrels = list(ir_measures.read_trec_qrels(str(benchmark_folder / QRELS["T1"])))
    wanted = [ir_measures.parse_measure(name) for name in ("nDCG@10", "R(rel=3)@10")]
    theirs = ir_measures.calc_aggregate(wanted, qrels, scores)
    ours = ranking_measures(small, scores)
    for name, measure in zip(("nDCG@10", "Recall@10"), wanted, strict=True):
        assert estimate(ours[name]).value == pytest.approx(theirs[measure])


def test_sibling_measures_count_the_exact_candidate_alone(small):
    scores = scores_of(small, "T3", seeded)
    ours = sibling_measures(small, scores)
    ranks = [
        next(rank for rank, item_id in enumerate(ranked(scores[query_id]), 1) if labels[item_id] == "exact")
        for query_id, labels in small.candidates["T3"].items()
    ]
    assert estimate(ours["Recall@3"]).value == pytest.approx(np.mean([rank <= 3 for rank in ranks]))
    gains = [1 / np.log2(rank + 1) if rank <= 3 else 0 for rank in ranks]
    assert estimate(ours["nDCG@3"]).value == pytest.approx(np.mean(gains))


def test_the_random_row_of_sibling_discrimination_is_that_of_one_exact_item_among_five(small):
    measures = sibling_measures(small, scores_of(small, "T3", seeded))
    assert measures["Recall@3"].random == pytest.approx(3 / 5)
    assert measures["nDCG@3"].random == pytest.approx((1 + 1 / np.log2(3) + 1 / 2) / 5)


@pytest.mark.parametrize(("task", "measure"), [("T1", ranking_measures), ("T3", sibling_measures)])
def test_the_random_row_is_the_mean_over_random_orders(small, task, measure):
    rng = random.Random(3)
    found = [measure(small, scores_of(small, task, lambda *_: rng.random())) for _ in range(60)]
    for name, expected in ((name, each.random) for name, each in found[0].items()):
        assert np.mean([each[name].value for each in found]) == pytest.approx(expected, abs=0.01)


def test_equal_scores_are_worth_what_their_orders_are_on_average(small):
    def coarse(query_id, item_id, label):
        return float(int(3 * seeded(query_id, item_id, label)))

    def drawn(task, measure, rng):
        return measure(small, scores_of(small, task, lambda *asked: coarse(*asked) + 0.5 * rng.random()))

    rng = random.Random(5)
    for task, measure in (("T1", ranking_measures), ("T3", sibling_measures), ("T4", paraphrase_measures)):
        exact = measure(small, scores_of(small, task, coarse))
        orders = [drawn(task, measure, rng) for _ in range(25)]
        for name, found in exact.items():
            assert found.value == pytest.approx(np.mean([each[name].value for each in orders]), abs=0.01)


@pytest.mark.parametrize(
    ("task", "measure"), [("T1", ranking_measures), ("T3", sibling_measures), ("T4", paraphrase_measures)]
)
def test_a_system_that_scores_all_alike_is_worth_what_chance_is(small, task, measure):
    for found in measure(small, scores_of(small, task, lambda *_: 0.0)).values():
        assert found.value == pytest.approx(found.random)


def test_consistency_is_what_each_pair_of_paraphrases_shares():
    rankings = ["abcdef", "abdcef", "fedcba"]  # first three: abc, abd, fed
    assert consistency_at(rankings, 3) == pytest.approx((2 / 3 + 0 / 3 + 1 / 3) / 3)
    assert consistency_at(rankings, 10) == 1  # no more than the candidates there are


def test_paraphrases_ranked_alike_are_wholly_consistent_and_random_orders_as_chance_says(small):
    alike = paraphrase_measures(small, scores_of(small, "T4", by_id))
    assert estimate(alike["Consistency@5"]).value == 1
    assert alike["Consistency@5"].n_units == 24
    rng = random.Random(4)
    for name, k in (("Consistency@5", 5), ("Consistency@10", 10)):
        assert alike[name].random == pytest.approx(k / 15)
        drawn = [paraphrase_measures(small, scores_of(small, "T4", lambda *_: rng.random())) for _ in range(30)]
        assert np.mean([each[name].value for each in drawn]) == pytest.approx(k / 15, abs=0.01)


def test_classes_are_all_right_where_scores_tell_them_apart_and_the_cuts_lie_between(small):
    measures, fitted = class_measures(small, scores_of(small, "T2", by_label(10)))
    assert fitted.cuts == (5.0, 15.0, 25.0)
    assert estimate(measures["Accuracy"]).value == estimate(measures["Macro-F1"]).value == 1
    assert measures["Accuracy"].random == 0.25
    assert measures["Macro-F1"].random == pytest.approx(0.25, abs=0.01)


def test_thresholds_know_nothing_of_the_test_queries(small):

    def shifted(query_id, _item_id, label):
        return GRADES[label] + (100 if small.queries[query_id].part == "test" else 0)

    measures, fitted = class_measures(small, scores_of(small, "T2", shifted))
    assert fitted.accuracy == 1
    assert estimate(measures["Accuracy"]).value == 0.25  # all above the cuts: exact


def test_class_measures_agree_with_a_count_by_hand(small):
    scores = scores_of(small, "T2", seeded)
    measures, fitted = class_measures(small, scores)
    pairs = [
        (label, sum(scores[query_id][item_id] >= cut for cut in fitted.cuts))
        for query_id, labels in small.candidates["T2"].items()
        if small.queries[query_id].part == "test"
        for item_id, label in labels.items()
    ]
    order = ("irrelevant", "related", "sibling", "exact")
    right = [order.index(label) == answer for label, answer in pairs]
    assert estimate(measures["Accuracy"]).value == pytest.approx(np.mean(right))
    f1 = []
    for each in range(4):
        hits = sum(order.index(label) == answer == each for label, answer in pairs)
        both = sum((order.index(label) == each) + (answer == each) for label, answer in pairs)
        f1.append(2 * hits / both if both else 0)
    assert estimate(measures["Macro-F1"]).value == pytest.approx(np.mean(f1))


def test_every_paraphrase_pair_counts_once():
    orders = list(itertools.permutations("abc"))
    naive = [len(set(a[:2]) & set(b[:2])) / 2 for a, b in itertools.combinations(orders, 2)]
    assert consistency_at(orders, 2) == pytest.approx(np.mean(naive))

import numpy as np
import pytest

from eval.rqbench.attributes import Asked, asked_of, attribute_measures, has_value, weighted_relevance


@pytest.mark.parametrize(
    ("value", "wanted", "has"),
    [
        ("Navy Blue", "navy blue", True),
        ("Red", "Blue", False),
        ("NA", "NA", False),
        ("", "", False),
        (499.0, "499", True),
        (499.0, "300-500", True),
        (499.0, "500-900", False),
        (499.0, "cheap", False),
    ],
)
def test_what_a_product_has(value, wanted, has):
    assert has_value({"it": value}, "it", wanted) is has


def test_what_is_not_known_is_not_had():
    assert not has_value({}, "colour", "Red")


def order(n_right, n):
    """That many candidates that have it, then others."""
    return [[1.0]] * n_right + [[0.0]] * (n - n_right)


def asking(leaf, names, matches):
    return Asked(leaf, names, np.array(matches, float))


def test_a_score_is_the_share_of_the_first_ten_and_chance_that_of_all_candidates(small):
    def has_colour(query_id, item_id):
        return float(small.listings[item_id].attributes["colour"] == small.queries[query_id].wanted["colour"])

    scores = {
        query_id: {item_id: -has_colour(query_id, item_id) for item_id in labels}
        for query_id, labels in small.candidates["T1"].items()
    }
    found = attribute_measures(asked_of(small, scores))["colour"]
    right = [
        sum(has_colour(query_id, item_id) for item_id in labels) for query_id, labels in small.candidates["T1"].items()
    ]
    assert found.n_units == len(right)
    assert found.value == pytest.approx(np.mean([max(0, n - 5) / 10 for n in right]))  # last of fifteen
    assert found.random == pytest.approx(np.mean(right) / 15)
    assert found.best == pytest.approx(np.mean([min(n, 10) / 10 for n in right]))


def test_equal_scores_are_worth_what_chance_is(small):
    scores = {query_id: dict.fromkeys(labels, 0.0) for query_id, labels in small.candidates["T1"].items()}
    found = attribute_measures(asked_of(small, scores))["colour"]
    assert found.value == pytest.approx(found.random)
    assert found.best > found.random


def test_an_attribute_counts_the_queries_that_name_it_alone():
    asked = [
        asking("a", ("colour", "brand"), np.hstack([order(10, 12), order(0, 12)])),
        asking("b", ("colour",), order(5, 10)),
    ]
    found = attribute_measures(asked)
    assert found["colour"].value == 0.75
    assert found["colour"].random == pytest.approx((10 / 12 + 0.5) / 2)
    assert found["brand"].n_units == 1
    assert set(found) == {"brand", "colour"}


def test_relevance_weighs_what_a_query_names():
    asked = [
        asking("a", ("colour", "brand"), np.hstack([order(12, 12), order(0, 12)])),
        asking("b", ("style",), order(5, 10)),
    ]
    found = weighted_relevance(asked, {"colour": 0.6, "brand": 0.2, "style": 0.0})
    assert found.value == pytest.approx(0.75)
    assert found.n_units == 1  # of the second query nothing has weight


def test_the_best_order_is_the_one_of_the_highest_relevance():
    colour_alone, brand_alone = [1.0, 0.0], [0.0, 1.0]
    asked = [asking("a", ("colour", "brand"), [brand_alone] * 10 + [colour_alone] * 5)]
    found = weighted_relevance(asked, {"colour": 0.75, "brand": 0.25})
    assert found.value == pytest.approx(0.25)
    assert found.best == pytest.approx(0.75 / 2 + 0.25 / 2)


def test_there_is_no_relevance_where_nothing_has_weight():
    assert weighted_relevance([asking("a", ("style",), order(1, 1))], {"colour": 1.0}) is None

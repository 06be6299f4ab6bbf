import pytest

from eval.rqbench.attributes import Asked, asked_of, attribute_measures, has_value, weighted_relevance
from eval.rqbench.resampling import estimate


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


def test_a_score_is_the_share_of_the_first_ten_and_chance_that_of_all_candidates(small):
    def by_colour(query_id):
        wanted = small.queries[query_id].wanted["colour"]
        return {
            item_id: float(small.listings[item_id].attributes["colour"] == wanted)
            for item_id in small.candidates["T1"][query_id]
        }

    asked = asked_of(small, {query_id: by_colour(query_id) for query_id in small.candidates["T1"]})
    assert len(asked) == len(small.candidates["T1"])
    for each, (query_id, labels) in zip(asked, small.candidates["T1"].items(), strict=True):
        n_right = sum(by_colour(query_id).values())
        assert each.shares["colour"] == pytest.approx(min(n_right, 10) / 10)
        assert each.random["colour"] == pytest.approx(n_right / len(labels))


def test_an_attribute_counts_the_queries_that_name_it_alone():
    asked = [
        Asked("a", {"colour": 1.0, "brand": 0.0}, {"colour": 0.5, "brand": 0.1}),
        Asked("b", {"colour": 0.5}, {"colour": 0.1}),
    ]
    found = attribute_measures(asked)
    assert estimate(found["colour"]).value == 0.75
    assert found["colour"].random == pytest.approx(0.3)
    assert found["brand"].n_units == 1
    assert set(found) == {"brand", "colour"}


def test_relevance_weighs_what_a_query_names():
    asked = [
        Asked("a", {"colour": 1.0, "brand": 0.0}, {"colour": 1, "brand": 1}),
        Asked("b", {"style": 0.5}, {"style": 1}),
    ]
    found = weighted_relevance(asked, {"colour": 0.6, "brand": 0.2, "style": 0.0})
    assert estimate(found).value == pytest.approx(0.75)
    assert found.n_units == 1  # of the second query nothing has weight


def test_there_is_no_relevance_where_nothing_has_weight():
    assert weighted_relevance([Asked("a", {"style": 1.0}, {"style": 1.0})], {"colour": 1.0}) is None

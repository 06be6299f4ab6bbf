import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from eval.rqbench import published
from eval.rqbench.attributes import has_value
from eval.rqbench.oracle import open_oracle
from eval.rqbench.twins import effects, find_twins, pairs_of
from eval.rqbench.weights import blend, derive_weights, inflation, kept_weights
from eval.runs import RunError
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import Listing, RQBenchmark, RQQuery


@dataclass
class WordOracle:
    """Each word that a listing shares with a query is worth something of its own, known beforehand."""

    worth: dict[str, float]
    name: str = "words"
    revision: str = "1"
    description: str = "words that both share"
    asked: list[int] = field(default_factory=list)

    def logits(self, pairs):
        self.asked.append(len(pairs))
        return np.array(
            [
                sum(self.worth.get(word, 0.0) for word in {*query.split()} & {*listing.replace(",", "").split()})
                for query, listing in pairs
            ]
        )


@pytest.fixture
def oracle():
    kinds = dict.fromkeys(("Shirts", "Dresses", "Kurtas", "Jeans"), 2.0)
    return WordOracle({**kinds, **dict.fromkeys(("Red", "Blue", "Green"), 1.0), **dict.fromkeys(("Men", "Women"), 0.5)})


def test_twins_differ_in_the_attribute_alone_and_only_one_has_what_is_asked_for(small):
    found = find_twins(small)
    assert {each.attribute for each in found} == {"product_type", "colour", "gender"}
    assert len(found) == 3 * len(small.queries)
    for each in found:
        has, lacks = small.listings[each.has].attributes, small.listings[each.lacks].attributes
        assert {name for name in has if has[name] != lacks[name]} == {each.attribute}
        wanted = small.queries[each.query_id].wanted
        assert all(has_value(has, *want) for want in wanted.items())
        assert not has_value(lacks, each.attribute, wanted[each.attribute])


def test_twins_are_the_same_at_each_call_and_for_all_paraphrases(small):
    found = find_twins(small)
    assert found == find_twins(small)
    by_group = {}
    for each in found:
        group = small.queries[each.query_id].group_id, each.attribute
        assert by_group.setdefault(group, (each.has, each.lacks)) == (each.has, each.lacks)
    assert find_twins(small, seed=1) != found


def of_products(wanted, *attributes):
    """A benchmark of one query, whose leaf holds the first product alone."""
    listings = {f"p{n}": Listing(f"p{n}", "", "", each, (0, 0, min(n, 1))) for n, each in enumerate(attributes)}
    return RQBenchmark(Path(), {}, listings, {"q": RQQuery("q", "g", "0/0/0", "", wanted)}, {})


def test_a_child_has_a_grown_up_twin_whose_gender_is_said_by_another_word():
    boys, men, women = ({"gender": g, "age": a} for g, a in (("Boys", "Kids"), ("Men", "Adults"), ("Women", "Adults")))
    found = find_twins(of_products({"age": "Kids", "gender": "Boys"}, boys, men, women))
    assert [(each.attribute, each.has, each.lacks) for each in found] == [("age", "p0", "p1")]


def test_neither_a_price_nor_a_category_above_the_type_makes_another_product():
    shirt = {"product_type": "Shirts", "sub_category": "Topwear", "price": 499.0}
    jeans = {"product_type": "Jeans", "sub_category": "Bottomwear", "price": 999.0}
    assert [each.lacks for each in find_twins(of_products({"product_type": "Shirts"}, shirt, jeans))] == ["p1"]
    coloured = {**jeans, "colour": "Blue"}
    assert find_twins(of_products({"product_type": "Shirts"}, shirt, coloured)) == []


def test_an_unknown_value_is_no_other_value():
    assert find_twins(of_products({"material": "Cotton"}, {"material": "Cotton"}, {"material": "NA"}, {})) == []


def test_an_effect_is_the_mean_difference_with_its_signs(small):
    observations = [each for each in find_twins(small) if each.attribute == "colour"]
    differences = np.array([1.0, 3.0, -1.0] * (len(observations) // 3))
    logits = np.column_stack([differences, np.zeros(len(differences))]).ravel()
    effect = effects(observations, logits)["colour"]
    assert effect.mean == pytest.approx(1.0)
    assert effect.sign_consistency == pytest.approx(2 / 3)
    assert (effect.n, effect.n_pairs) == (72, 24)
    assert effect.low <= effect.mean <= effect.high


def test_what_the_oracle_holds_an_attribute_worth_is_found_again(small, oracle):
    found = derive_weights(small, oracle)
    for name, worth in (("product_type", 2.0), ("colour", 1.0), ("gender", 0.5)):
        assert found.effects[name].mean == pytest.approx(worth)
        assert found.effects[name].sign_consistency == 1
        assert found.coefficients[name].ridge == pytest.approx(worth, rel=0.05)
        assert found.weights[name] == pytest.approx(worth / 3.5, rel=0.03)
    assert sum(found.weights.values()) == pytest.approx(1)


def test_inflation_is_one_for_what_stands_alone_and_large_for_what_others_tell():
    a = np.array([1.0, -1.0, 1.0, -1.0])
    b = np.array([1.0, 1.0, -1.0, -1.0])
    assert inflation(np.column_stack([a, b])) == pytest.approx([1, 1])
    mixed = inflation(np.column_stack([a, a + 0.5 * b]))
    assert mixed == pytest.approx([5, 5])  # 1 / (1 - r^2), r^2 = 1 / 1.25
    assert min(inflation(np.column_stack([a, 2 * a]))) > 1e8


def test_the_blend_gives_the_papers_weights_from_its_own_shares():
    effect_sum, coefficient_sum = 5.86, 0.971  # over ten attributes, of which six are printed
    rows = published.WEIGHTS
    blended = blend(
        {**{name: row.mean for name, row in rows.items()}, "others": effect_sum - sum(r.mean for r in rows.values())},
        {
            **{name: row.coefficient for name, row in rows.items()},
            "others": coefficient_sum - sum(r.coefficient for r in rows.values()),
        },
    )
    for name, row in rows.items():
        assert blended[name] == pytest.approx(row.weight, abs=0.001), name


def test_the_blend_counts_nothing_below_zero_and_one_share_where_there_are_no_twins():
    found = blend({"a": 3.0, "b": -1.0}, {"a": 1.0, "b": 1.0, "c": 2.0})
    assert found == pytest.approx({"a": 0.625 / 1.25, "b": 0.125 / 1.25, "c": 0.5 / 1.25})
    assert blend({"a": -1.0}, {"a": 0.0}) == {}


def test_weights_are_derived_once_and_again_for_another_oracle(small, oracle, tmp_path):
    path = tmp_path / "out" / "weights.json"
    first = kept_weights(small, oracle, path)
    assert kept_weights(small, oracle, path) == first
    assert len(oracle.asked) == 1
    oracle.revision = "2"
    kept_weights(small, oracle, path)
    assert len(oracle.asked) == 2


def test_damaged_weights_are_an_error(small, oracle, tmp_path):
    path = tmp_path / "weights.json"
    kept_weights(small, oracle, path)
    record = json.loads(path.read_text())
    del record["effects"]["colour"]["mean"]
    path.write_text(json.dumps(record))
    with pytest.raises(RunError, match="damaged"):
        kept_weights(small, oracle, path)


def test_an_oracle_without_numbers_or_without_an_opinion_is_refused(small, oracle):
    oracle.worth = {"Red": float("nan")}
    with pytest.raises(RunError, match="finite"):
        derive_weights(small, oracle)
    oracle.worth = {}
    with pytest.raises(RunError, match="--oracle"):
        derive_weights(small, oracle)


def test_the_encoders_oracle_prefers_the_listing_that_says_what_is_asked():
    oracle = open_oracle("encoder")
    pairs = [("red dress for women", "Red Dress for women"), ("red dress for women", "Black Watch for men")]
    likely, unlikely = oracle.logits(pairs)
    assert 20.01 > likely > unlikely + 2
    assert "stand-in" in oracle.description


def test_an_unknown_oracle_is_an_error():
    with pytest.raises(BenchmarkError, match="nonsense"):
        open_oracle("nonsense")


def test_pairs_come_with_the_twin_that_has_it_first(small):
    observations = find_twins(small)[:2]
    texts = pairs_of(small, observations)
    assert texts[0][1] == small.listings[observations[0].has].text
    assert texts[1][1] == small.listings[observations[0].lacks].text
    assert len(texts) == 4

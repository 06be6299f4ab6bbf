import random
import time

import pytest

from builders.instances import Coverage
from builders.sources.asfr_pools import (
    FEW_NEGATIVES,
    FEW_POSITIVES,
    MISSING,
    asfr_instances,
    draw_pools,
)


def _names(start: int, count: int) -> list[str]:
    return [f"shop/{number:04}" for number in range(start, start + count)]


def _two_values(n_first: int = 60, n_second: int = 80) -> dict[str, dict[str, list[str]]]:
    return {"closure": {"zip": _names(0, n_first), "lace": _names(1000, n_second)}}


def _draw(groups, coverage=None, seed=5, **options):
    return list(draw_pools(groups, random.Random(seed), Coverage() if coverage is None else coverage, **options))


def test_positives_share_the_value_negatives_do_not_and_the_query_is_among_neither() -> None:
    groups = _two_values()

    pools = _draw(groups, limit=20)

    assert len(pools) == 20
    for pool in pools:
        same = set(groups["closure"][pool.values[0]])
        assert 7 <= len(set(pool.positives)) == len(pool.positives) <= 10
        assert len(set(pool.negatives)) == 50
        assert set(pool.positives) <= same - {pool.query}
        assert not set(pool.negatives) & same
        assert pool.target in pool.positives


def test_pools_differ_in_how_many_positives_they_have() -> None:
    assert {len(pool.positives) for pool in _draw(_two_values())} == {7, 8, 9, 10}


def test_no_candidate_shows_the_product_of_the_query() -> None:
    groups = _two_values(40, 200)
    every = groups["closure"]["zip"] + groups["closure"]["lace"]
    product_of = {image: f"product {number % 6}" for number, image in enumerate(every)}

    for pool in _draw(groups, product_of=product_of):
        assert product_of[pool.query] not in {product_of[image] for image in pool.positives + pool.negatives}


def test_a_picture_with_several_values_gets_no_negative_that_shares_one_of_them() -> None:
    both = _names(5000, 5)
    groups = {"closure": {"zip": _names(0, 20) + both, "lace": _names(1000, 20) + both, "buckle": _names(2000, 90)}}

    pools = {pool.query: pool for pool in _draw(groups)}

    assert pools[both[0]].values == ("lace", "zip")
    assert set(pools[both[0]].negatives) <= set(groups["closure"]["buckle"])
    assert not set(pools[groups["closure"]["zip"][0]].negatives) & set(both)


def test_a_picture_that_may_have_the_value_is_no_negative() -> None:
    groups = _two_values(20, 60)
    doubtful = groups["closure"]["lace"][:10]

    pools = _draw(groups, uncertain={"closure": {"zip": doubtful}})
    assert not set(doubtful) & {image for pool in pools if pool.values == ("zip",) for image in pool.negatives}

    coverage = Coverage()
    _draw(groups, coverage, uncertain={"closure": {"zip": groups["closure"]["lace"][:11]}})
    assert coverage.dropped[FEW_NEGATIVES] == 20 + 60


@pytest.mark.parametrize(
    ("n_first", "n_second", "reason", "count"), [(7, 80, FEW_POSITIVES, 7), (80, 49, FEW_NEGATIVES, 80)]
)
def test_a_query_with_too_few_candidates_is_dropped_with_its_reason(n_first, n_second, reason, count) -> None:
    coverage = Coverage()
    pools = _draw(_two_values(n_first, n_second), coverage)

    assert coverage.dropped[reason] == count
    assert coverage.n_kept == len(pools)
    assert coverage.n_records == n_first + n_second == coverage.n_kept + sum(coverage.dropped.values())


def test_exactly_seven_positives_and_fifty_negatives_are_enough() -> None:
    coverage = Coverage()
    pools = _draw(_two_values(8, 50), coverage, queries=[("closure", "shop/0000")])

    assert [len(pool.positives) for pool in pools] == [7]
    assert len(pools[0].negatives) == 50


def test_a_query_without_picture_is_counted_as_missing() -> None:
    coverage = Coverage()
    queries = [("closure", "shop/none"), ("toe", "shop/0001"), ("closure", "shop/0001")]

    pools = _draw(_two_values(), coverage, queries=queries)

    assert [pool.query for pool in pools] == ["shop/0001"]
    assert coverage.dropped == {MISSING: 2}


def test_equal_seeds_draw_equal_pools_and_other_seeds_others() -> None:
    assert _draw(_two_values(), seed=1) == _draw(_two_values(), seed=1)
    assert _draw(_two_values(), seed=1) != _draw(_two_values(), seed=2)


def test_requests_name_the_attribute_and_seldom_the_value() -> None:
    pools = _draw(_two_values(150, 150))
    texts = [each.text for each in asfr_instances("shop", pools, random.Random(1), noun="pair", names_values=True)]
    silent = [each.text for each in asfr_instances("shop", pools, random.Random(1))]

    assert all("closure" in text for text in texts)
    assert 0 < sum("zip" in text or "lace" in text for text in texts) < 90
    assert any("another pair" in text for text in texts)
    assert not any("zip" in text or "lace" in text for text in silent)


def test_instances_are_sorted_with_ids_of_their_own() -> None:
    groups = _two_values()
    groups["toe"] = groups["closure"]
    instances = asfr_instances("shop", _draw(groups), random.Random(1))

    ids = [instance.instance_id for instance in instances]
    assert ids == sorted(set(ids))
    assert len(ids) == 2 * 140


def test_a_thousand_queries_among_hundreds_of_thousands_of_pictures_take_no_time() -> None:
    groups = {"colour": {f"value {number}": _names(number * 30000, 30000) for number in range(10)}}
    started = time.perf_counter()

    pools = _draw(groups, limit=1000)

    assert len(pools) == 1000
    assert time.perf_counter() - started < 10


def test_the_target_is_for_whom_the_query_is_where_a_positive_is() -> None:
    images = [f"a/{n}" for n in range(40)]
    groups = {"colour": {"red": images, "blue": [f"b/{n}" for n in range(60)]}}
    wearers = {image: ("women", "men")[n % 2] for n, image in enumerate(images)}
    queries = [("colour", image) for image in images]
    pools = list(draw_pools(groups, random.Random(1), Coverage(), queries=queries, wearer_of=wearers))
    assert len(pools) == 40
    assert all(wearers[pool.target] == wearers[pool.query] for pool in pools)

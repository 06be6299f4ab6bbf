"""Figures of a hierarchy against ones that are worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from builders.fashion_rq.purity import (
    cluster_numbers,
    collisions,
    level_reports,
    numbered,
    scatter,
    weighted_purity,
)

CODES = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [0, 1, 2], [2, 0, 1]])


def test_a_cluster_holds_products_that_share_their_first_codes() -> None:
    assert cluster_numbers(CODES, 1).tolist() == [0, 0, 0, 0, 1]
    assert cluster_numbers(CODES, 2).tolist() == [0, 0, 1, 1, 2]
    assert len(set(cluster_numbers(CODES, 3))) == 4


def test_collisions_are_products_that_share_all_codes() -> None:
    assert collisions(CODES) == 2


def test_purity_weighs_clusters_by_size() -> None:
    clusters = np.array([0, 0, 0, 0, 1])
    assert weighted_purity(clusters, numbered(["a", "a", "a", "b", "b"])) == pytest.approx(4 / 5)


def test_unknown_values_count_nowhere() -> None:
    clusters = np.array([0, 0, 0, 1])
    assert weighted_purity(clusters, numbered(["a", "", "b", ""])) == pytest.approx(1 / 2)
    assert math.isnan(weighted_purity(clusters, numbered([""] * 4)))


def test_scatter_is_the_number_of_clusters_over_which_a_value_spreads() -> None:
    values = numbered(["a", "a", "a", "a", "b", "b", "b", "b"])
    assert scatter(np.zeros(8, np.int64), values) == pytest.approx(1)
    assert scatter(np.array([0, 1, 2, 3, 4, 4, 4, 4]), values) == pytest.approx((4 + 1) / 2)


def test_a_level_tells_its_clusters_and_the_use_of_its_codes() -> None:
    first, second, third = level_reports(CODES, 4, {"colour": ["red", "red", "blue", "blue", "red"]})
    assert [one.clusters for one in (first, second, third)] == [2, 3, 4]
    assert first.items_per_cluster == 2.5
    assert (first.dead, second.dead, third.dead) == (2, 2, 2)
    assert first.perplexity == pytest.approx(math.exp(-(0.8 * math.log(0.8) + 0.2 * math.log(0.2))))
    assert [one.purity["colour"] for one in (first, second, third)] == pytest.approx([3 / 5, 1, 1])

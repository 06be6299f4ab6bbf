"""Bridges against a search by hand."""

from __future__ import annotations

import numpy as np
import pytest

from builders.dim_fashion import bridges
from builders.dim_fashion.bridges import dataset_masks, find_bridges
from retrieval.errors import BenchmarkError
from tests.builders.dim_fashion.worlds import planted

pytest.importorskip("faiss", reason="bridges are searched by faiss-cpu (requirements-build.txt)")


def _by_hand(vectors, sets, threshold):
    cosines = vectors @ vectors.T
    return {
        (i, j)
        for i in range(len(vectors))
        for j in range(len(vectors))
        if i != j and cosines[i, j] >= threshold and not (sets[i] == sets[j] and len(sets[i]) == 1)
    }


def test_edges_join_near_pictures_of_different_data_sets_only() -> None:
    vectors = planted(300, 32, 30, 0.5)
    sets = [[f"set-{row % 3}"] for row in range(300)]
    found = find_bridges(vectors, dataset_masks(sets), 0.8)
    edges = {(row, int(other)) for row in range(300) for other in found.near(row)}
    assert edges == _by_hand(vectors, sets, 0.8)
    assert edges


def test_a_picture_of_two_data_sets_joins_with_both() -> None:
    vectors = np.eye(4, dtype=np.float32)[[0, 0]] + np.array([[0, 0.1, 0, 0], [0, 0, 0.1, 0]], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert not len(find_bridges(vectors, dataset_masks([["a"], ["a"]])).near(0))
    assert list(find_bridges(vectors, dataset_masks([["a", "b"], ["a", "b"]])).near(0)) == [1]


def test_the_table_counts_each_edge_once_for_every_threshold() -> None:
    vectors = planted(200, 32, 12, 0.6)
    sets = [[f"set-{row % 2}"] for row in range(200)]
    for level, edges, pictures in find_bridges(vectors, dataset_masks(sets)).table:
        by_hand = _by_hand(vectors, sets, level)
        assert edges == len(by_hand) // 2
        assert pictures == len({row for row, _ in by_hand})


def test_neighbours_come_nearest_first_and_fifty_at_most() -> None:
    vectors = planted(400, 16, 2, 0.3)
    found = find_bridges(vectors, dataset_masks([[f"set-{row % 2}"] for row in range(400)]))
    near = found.near(0)
    cosines = vectors[near] @ vectors[0]
    assert len(near) == 50
    assert all(np.diff(cosines) <= 1e-6)


def test_duplicates_share_a_place_unless_they_are_known_to_differ() -> None:
    vectors = np.eye(50, dtype=np.float32)
    vectors[7] = vectors[3]
    masks = dataset_masks([[f"set-{row % 2}"] for row in range(50)])
    products = ["shop/1" if row == 3 else "shop/2" if row == 7 else "" for row in range(50)]
    assert find_bridges(vectors, masks).places[7] == 3
    assert find_bridges(vectors, masks, products=products).places[7] == 7
    products[7] = "other/2"
    assert find_bridges(vectors, masks, products=products).places[7] == 3


def test_no_third_picture_joins_two_products_that_differ() -> None:
    vectors = np.eye(4, dtype=np.float32)[[0, 0, 0, 1]]
    places = find_bridges(vectors, dataset_masks([["a"]] * 4), products=["shop/1", "", "shop/2", ""]).places
    assert places.tolist() == [0, 0, 2, 3]


def test_a_place_counts_once_and_stands_in_the_data_sets_of_all_its_pictures() -> None:
    vectors = np.eye(4, dtype=np.float32)[[0, 0, 0]] + np.array([[0, 0, 0, 0]] * 2 + [[0, 0.5, 0, 0]], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = find_bridges(vectors, dataset_masks([["a"], ["b"], ["a"]]))
    assert found.places.tolist() == [0, 0, 2]
    assert found.near(0).tolist() == [2]
    assert found.near(2).tolist() == [0]
    assert found.near(1).tolist() == []
    assert found.table[2] == (0.80, 1, 2)


def test_the_inverted_file_finds_nearly_what_exact_search_finds(monkeypatch) -> None:
    vectors = planted(4000, 32, 300, 0.6)
    masks = dataset_masks([[f"set-{row % 3}"] for row in range(4000)])
    exact = find_bridges(vectors, masks)
    monkeypatch.setattr(bridges, "EXACT_UP_TO", 1000)
    quick = find_bridges(vectors, masks)
    assert quick.recall >= 0.97
    assert len(quick.neighbours) >= 0.97 * len(exact.neighbours)


def test_no_picture_and_too_many_data_sets_are_refused() -> None:
    with pytest.raises(BenchmarkError, match="no picture"):
        find_bridges(np.zeros((0, 4), np.float32), np.zeros(0, np.int64))
    with pytest.raises(BenchmarkError, match="64 data sets"):
        dataset_masks([[f"set-{n}"] for n in range(64)])

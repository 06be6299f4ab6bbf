"""Leaves that are asked for: what they need, how they spread, and what is said where there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from builders.fashion_rq.leaves import Clusters, LeafSettings, above, choose_leaves, usable_leaves
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import LABELS, Listing, Part, relation
from tests.builders.fashion_rq.made_hierarchy import COLOURS, GENDERS, N_MEMBERS, TYPES, alone, listings

N_LEAVES = len(TYPES) * len(GENDERS) * len(COLOURS)


def clusters(of: dict[str, Listing] | None = None, same: dict[str, str] | None = None) -> Clusters:
    of = of or listings()
    return Clusters(list(of.values()), {**alone(of), **(same or {})})


def choose(of: Clusters, settings: LeafSettings, seed: int) -> dict[str, Part]:
    return choose_leaves(usable_leaves(of, settings), settings, seed)


def test_a_leaf_names_the_clusters_above_it() -> None:
    assert above("3/17/5") == ("3", "3/17", "3/17/5")


def test_available_products_are_counted_by_their_relation() -> None:
    assert clusters().n_available("0/0/0") == {
        "exact": N_MEMBERS,
        "sibling": 3 * N_MEMBERS,
        "related": 2 * 4 * N_MEMBERS,
        "irrelevant": 3 * 12 * N_MEMBERS,
    }


def test_duplicates_count_once_and_where_they_are_closest() -> None:
    twins = {"0001": "0001", "0002": "0001", "0007": "0001", "0280": "0001"}  # two in the leaf, a sibling, far off
    available = clusters(same=twins).n_available("0/0/0")
    assert available["exact"] == N_MEMBERS - 1
    assert available["sibling"] == 3 * N_MEMBERS - 1
    assert available["irrelevant"] == 3 * 12 * N_MEMBERS - 1


def test_pools_hold_the_products_of_the_relation_and_no_duplicates_of_closer_ones() -> None:
    of = listings()
    made = clusters(of, {"0007": "0001", "0280": "0001"})
    for label in LABELS:
        pool = made.pool("0/0/0", label)
        assert {relation("0/0/0", of[item_id].leaf) for item_id in pool} == {label}
        assert not {"0007", "0280"} & set(pool)


def test_as_many_leaves_as_wanted_are_spread_over_the_clusters_above() -> None:
    chosen = choose(clusters(), LeafSettings(n_tops=2, n_middles=4, n_leaves=8), seed=1)
    assert len(chosen) == 8
    assert len({above(leaf)[0] for leaf in chosen}) == 2
    assert sorted([leaf.rpartition("/")[0] for leaf in chosen].count(name) for name in {
        leaf.rpartition("/")[0] for leaf in chosen
    }) == [2, 2, 2, 2]  # fmt: skip


def test_more_clusters_are_taken_where_those_wanted_have_too_few_leaves() -> None:
    chosen = choose(clusters(), LeafSettings(n_tops=1, n_middles=1, n_leaves=13), seed=1)
    assert len(chosen) == 13
    assert len({above(leaf)[0] for leaf in chosen}) == 2


def test_fewer_are_chosen_where_there_are_no_more() -> None:
    assert len(choose(clusters(), LeafSettings(), seed=1)) == N_LEAVES


def test_a_fifth_of_the_leaves_is_for_validation() -> None:
    parts = list(choose(clusters(), LeafSettings(), seed=1).values())
    assert parts.count("validation") == round(N_LEAVES / 5)


def test_the_seed_decides_which() -> None:
    settings = LeafSettings(n_leaves=5)
    one, same, other = (choose(clusters(), settings, seed) for seed in (1, 1, 2))
    assert one == same != other


def test_the_order_of_the_listings_changes_nothing() -> None:
    of = listings()
    turned = dict(reversed(of.items()))
    settings = LeafSettings(n_leaves=5)
    assert choose(clusters(turned), settings, 1) == choose(clusters(of), settings, 1)


def test_a_leaf_of_duplicates_is_not_asked_for() -> None:
    same = dict.fromkeys([f"{number:04}" for number in range(1, N_MEMBERS + 1)], "0001")
    assert "0/0/0" not in choose(clusters(same=same), LeafSettings(), 1)


def test_a_leaf_without_siblings_is_not_asked_for() -> None:
    lone = {item_id: one for item_id, one in listings().items() if one.codes[:2] != (0, 0) or one.codes[2] == 0}
    assert "0/0/0" not in choose(clusters(lone), LeafSettings(), 1)


@pytest.mark.parametrize("kept", [1, 5])
def test_a_catalogue_without_a_usable_leaf_is_told_what_lacks(kept: int) -> None:
    few = dict(list(listings().items())[:kept])
    with pytest.raises(BenchmarkError, match=rf"the largest has {kept}.*larger catalogue, another --codebook"):
        choose(clusters(few), LeafSettings(), 1)


def test_codes_of_another_depth_are_refused() -> None:
    of = listings()
    of["0001"] = replace(of["0001"], codes=(1, 2))
    with pytest.raises(BenchmarkError, match="has 2 codes, not 3"):
        clusters(of)

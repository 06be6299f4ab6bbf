"""Candidates of the four tasks: how many of which label, what is left out, what stays the same."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from builders.fashion_rq import tasks
from builders.fashion_rq.leaves import Clusters, LeafSettings, choose_leaves
from builders.fashion_rq.tasks import USUAL_CANDIDATES, CandidateSettings, Composed, compose, shuffled
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import Listing, Part, RQQuery, TaskName, relation
from tests.builders.fashion_rq.made_hierarchy import N_PARAPHRASES, alone, listings, queries, query

LEAF = "0/0/0"


def composed(
    of: dict[str, Listing] | None = None,
    asked: list[RQQuery] | None = None,
    same: dict[str, str] | None = None,
    seed: int = 1,
    settings: CandidateSettings = USUAL_CANDIDATES,
) -> Composed:
    of = of or listings()
    clusters = Clusters(list(of.values()), {**alone(of), **(same or {})})
    asked = queries([LEAF, "1/1/1"]) if asked is None else asked
    parts: dict[str, Part] = {each.leaf: "test" for each in asked}
    return compose(of, clusters, asked, parts, seed, settings)


@pytest.mark.parametrize(
    ("task", "counts"),
    [
        ("T1", {"exact": 3, "sibling": 4, "related": 4, "irrelevant": 4}),
        ("T2", {"exact": 2, "sibling": 2, "related": 2, "irrelevant": 2}),
        ("T3", {"exact": 1, "sibling": 4}),
        ("T4", {"exact": 3, "sibling": 4, "related": 4, "irrelevant": 4}),
    ],
)
def test_a_task_has_so_many_candidates_of_each_label(task: TaskName, counts: dict[str, int]) -> None:
    rows = composed().candidates[task]
    assert len(rows) == 2 * N_PARAPHRASES
    assert all(Counter(labels.values()) == counts for labels in rows.values())


def test_labels_are_the_relations_of_the_leaves() -> None:
    of, made = listings(), composed()
    leaves = {each.query_id: each.leaf for each in made.queries}
    for rows in made.candidates.values():
        for query_id, labels in rows.items():
            assert all(relation(leaves[query_id], of[item_id].leaf) == label for item_id, label in labels.items())


def test_paraphrases_have_the_same_candidates_in_t4_and_others_in_t1() -> None:
    made = composed()
    group = [each.query_id for each in made.queries if each.leaf == LEAF]
    assert len({tuple(made.candidates["T4"][query_id].items()) for query_id in group}) == 1
    assert len({frozenset(made.candidates["T1"][query_id]) for query_id in group}) > 1


def test_the_place_of_a_candidate_does_not_tell_its_label() -> None:
    firsts = {next(iter(labels.values())) for labels in composed().candidates["T1"].values()}
    assert len(firsts) > 1


def test_equal_seeds_draw_the_same_and_others_do_not() -> None:
    assert composed(seed=1) == composed(seed=1)
    assert composed(seed=1).candidates != composed(seed=2).candidates


def test_the_order_of_listings_and_queries_changes_nothing() -> None:
    of, asked = listings(), queries([LEAF, "1/1/1"])
    assert composed(dict(reversed(of.items())), asked[::-1]) == composed(of, asked)


def test_exact_candidates_have_all_that_is_asked_for() -> None:
    of = listings()
    for item_id in ("0001", "0002", "0003"):
        of[item_id] = replace(of[item_id], attributes={**of[item_id].attributes, "colour": "Maroon"})
    exact = {
        item_id
        for rows in composed(of).candidates.values()
        for query_id, labels in rows.items()
        for item_id, label in labels.items()
        if label == "exact" and query_id.startswith("0-0-0")
    }
    assert exact == {"0004", "0005", "0006"}


def test_siblings_that_have_all_that_is_asked_for_are_left_out_and_counted() -> None:
    of = listings()
    satisfying = {item_id for item_id, one in of.items() if one.leaf == "0/0/1"}
    for item_id in satisfying:
        of[item_id] = replace(of[item_id], attributes={**of[item_id].attributes, "colour": "Red"})
    made = composed(of, queries([LEAF]))
    assert not any(satisfying & set(labels) for rows in made.candidates.values() for labels in rows.values())
    assert made.left_out["T1"]["sibling"] > 0


def test_candidates_of_lower_grades_are_near_what_is_asked_for() -> None:
    of, near = listings(), {f"{number:04}" for number in range(73, 103)}  # 30 of 216 that are irrelevant
    for item_id in near:
        of[item_id] = replace(of[item_id], attributes={"product_type": "Shirts", "gender": "Men", "colour": "Maroon"})
    rows = composed(of, queries([LEAF])).candidates["T1"].values()
    wrong = [item_id for labels in rows for item_id, label in labels.items() if label == "irrelevant"]
    assert len(near.intersection(wrong)) / len(set(wrong)) > 0.6


def test_another_type_is_further_off_than_another_colour() -> None:
    of = listings()
    pools = tasks._Pools(of, Clusters(list(of.values()), alone(of)), query(LEAF, 1, age="Adults"), USUAL_CANDIDATES)
    n_lacking = {leaf: pools.n_lacking(next(i for i, one in of.items() if one.leaf == leaf))
                 for leaf in (LEAF, "0/0/1", "0/1/0", "1/0/0")}  # fmt: skip
    assert n_lacking == {LEAF: 1, "0/0/1": 2, "0/1/0": 1, "1/0/0": 3}  # no listing has an age; a gender implies it


def test_without_a_choice_among_those_drawn_every_product_is_as_likely() -> None:
    asked = [query(LEAF, number) for number in range(1, 11)]
    rows = composed(asked=asked, settings=CandidateSettings(nearest_of=1)).candidates["T1"].values()
    wrong = [listings()[item_id] for labels in rows for item_id, label in labels.items() if label == "irrelevant"]
    assert any(one.attributes["gender"] != "Men" and one.attributes["colour"] != "Red" for one in wrong)


def test_duplicates_are_never_two_candidates_of_a_query() -> None:
    same = {"0001": "0001", "0002": "0001", "0008": "0007", "0009": "0007", "0010": "0007"}
    made = composed(same=same, asked=queries([LEAF]))
    groups = {**alone(listings()), **same}
    for rows in made.candidates.values():
        assert all(len({groups[item_id] for item_id in labels}) == len(labels) for labels in rows.values())


def test_a_duplicate_of_an_exact_product_is_no_sibling() -> None:
    twins = {f"{number:04}": "0001" for number in (1, *range(7, 19))}  # two of three sibling leaves
    made = composed(same=twins, asked=queries([LEAF]))
    siblings = {item_id for labels in made.candidates["T3"].values() for item_id, label in labels.items()
                if label == "sibling"}  # fmt: skip
    assert siblings <= {f"{number:04}" for number in range(19, 25)}


def test_a_leaf_with_too_few_siblings_has_no_t3_but_the_other_tasks() -> None:
    of = {item_id: one for item_id, one in listings().items() if one.codes[:2] != (0, 0) or one.codes[2] == 0}
    for item_id in ("0007", "0008"):
        of[item_id] = listings()[item_id]
    made = composed(of, queries([LEAF]))
    assert made.candidates["T3"] == {}
    assert Counter(made.candidates["T1"]["0-0-0/01"].values())["sibling"] == 2
    assert len(made.candidates["T2"]) == len(made.candidates["T4"]) == N_PARAPHRASES


def test_a_group_without_enough_exact_products_is_dropped_with_its_reason() -> None:
    asked = [*queries([LEAF]), query("1/1/1", 1, brand="None has it"), query("1/1/1", 2, brand="None has it")]
    made = composed(asked=asked)
    assert {each.leaf for each in made.queries} == {LEAF}
    assert made.dropped_groups == {"too few products in the leaf that have all that is asked for": 1}


def test_a_query_without_paraphrases_is_dropped() -> None:
    made = composed(asked=[*queries([LEAF]), query("1/1/1")])
    assert made.dropped_groups == {"too few or too many paraphrases": 1}


def test_a_query_whose_words_are_not_true_is_left_out_and_counted() -> None:
    untrue = replace(query(LEAF, 4), text="men red shirts in corduroy")
    made = composed(asked=[*queries([LEAF]), untrue])
    assert made.n_untrue == 1
    assert untrue.query_id not in {each.query_id for each in made.queries}
    assert len(made.queries) == N_PARAPHRASES


def test_nothing_left_is_an_error_that_says_why() -> None:
    with pytest.raises(BenchmarkError, match=r"None of the 1 queries .*1 groups: too few or too many paraphrases"):
        composed(asked=[query(LEAF)])
    with pytest.raises(BenchmarkError, match=r"all that is asked for\)\. Give a larger catalogue"):
        composed(asked=[query(LEAF, number, brand="None has it") for number in (1, 2)])


def test_where_others_have_all_that_is_asked_for_too_it_is_attributes_that_lack() -> None:
    same = {"product_type": "Shirts"}
    of = {item_id: replace(one, attributes=same) for item_id, one in listings().items()}
    asked = [replace(each, wanted=same, text="some shirts please") for each in queries([LEAF])]
    with pytest.raises(
        BenchmarkError, match=r"too few candidates\)\. Too little is known.*: product_type of 100%\. Name"
    ):
        composed(of, asked)
    with pytest.raises(BenchmarkError, match=r"too few ways to ask.*Too little is known"):
        composed(of, [])


def test_paraphrases_that_ask_for_different_things_are_refused() -> None:
    other = replace(query(LEAF, 2), wanted={"colour": "Blue"})
    with pytest.raises(BenchmarkError, match="ask for different things"):
        composed(asked=[query(LEAF), other])


def test_the_part_is_that_of_the_leaf() -> None:
    of = listings()
    clusters = Clusters(list(of.values()), alone(of))
    parts = choose_leaves(clusters.leaves, LeafSettings(), 1)
    made = compose(of, clusters, queries(sorted(parts)), parts, 1)
    assert all(each.part == parts[each.leaf] for each in made.queries)
    assert {each.part for each in made.queries} == {"validation", "test"}


def test_a_pool_is_drawn_without_repeats_and_to_its_end() -> None:
    pool = [str(number) for number in range(50)]
    drawn = list(shuffled(pool, random.Random(1)))
    assert sorted(drawn) == sorted(pool)
    assert drawn != pool

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence

import pytest

from builders.fashion_rq.leaf_facts import FactSettings, find_facts
from builders.fashion_rq.query_writing import plan, why_none_is_asked, word
from builders.fashion_rq.truth import satisfies, unsaid, untrue
from retrieval.rq_benchmark import Listing, Part, RQQuery, to_line

COLOURS = ("Black", "White", "Navy Blue", "Red", "Green")
KINDS = ("Shirts", "Tshirts", "Jeans", "Watches")


def product(number: int, codes: tuple[int, ...], **attributes: str) -> Listing:
    return Listing(str(number), f"text {number}", f"Name {number}", attributes, codes)


@pytest.fixture
def catalogue() -> list[Listing]:
    """Leaves by colour and gender, parents by type: six products a leaf, one of another season, two of no occasion."""
    made: list[Listing] = []
    for kind in KINDS:
        for colour in COLOURS:
            for gender in ("Men", "Women"):
                codes = (0, KINDS.index(kind), 2 * COLOURS.index(colour) + (gender == "Women"))
                for place in range(6):
                    values = {"season": "Summer" if place else "Fall", "occasion": "Casual" if place < 4 else "NA"}
                    known = {"product_type": kind, "colour": colour, "gender": gender, "age": "Adults", **values}
                    made.append(product(len(made), codes, **known))
    return made


def leaves_of(listings: list[Listing]) -> list[str]:
    return sorted({listing.leaf for listing in listings})


def test_facts_are_what_most_members_share_and_siblings_lack(catalogue: list[Listing]) -> None:
    facts = find_facts(catalogue, ["0/0/0"])["0/0/0"]
    colour, season, occasion = facts.fact("colour"), facts.fact("season"), facts.fact("occasion")
    assert colour
    assert (colour.value, colour.prevalence) == ("Black", 1.0)
    assert colour.sibling_share == pytest.approx(6 / 54)
    assert season
    assert season.prevalence == pytest.approx(5 / 6)
    assert season.sibling_share == pytest.approx(5 / 6)
    assert occasion
    assert occasion.value == "Casual"
    assert occasion.prevalence == pytest.approx(4 / 6)
    assert facts.facts[0].attribute == "colour"


def test_what_too_few_share_is_a_minor_fact_and_what_hardly_any_share_none() -> None:
    listings = [product(n, (0, 0, 0), season=("Fall", "Summer", "Winter")[(n > 3) + (n > 6)]) for n in range(8)]
    facts = find_facts(listings, ["0/0/0"])["0/0/0"]
    assert [fact.value for fact in facts.facts] == ["Fall"]
    assert [fact.value for fact in facts.minor] == ["Summer"]


def write_queries(
    listings: Sequence[Listing], leaves: Sequence[str], seed: int, parts: Mapping[str, Part] | None = None
) -> list[RQQuery]:
    return word(plan(listings, leaves, seed), seed, parts or dict.fromkeys(leaves, "test"))


def test_each_leaf_gets_one_group_of_2_to_10_paraphrases_that_ask_for_the_same(catalogue: list[Listing]) -> None:
    groups = defaultdict(list)
    for query in write_queries(catalogue, leaves_of(catalogue), 0):
        groups[query.group_id].append(query)
    assert len(groups) == 40
    for queries in groups.values():
        assert 2 <= len(queries) <= 10
        assert len({query.text.lower() for query in queries}) == len(queries)
        assert len({(query.leaf, query.part, *query.wanted.items()) for query in queries}) == 1
    assert 4.5 <= statistics.mean(map(len, groups.values())) <= 7.5


def test_queries_ask_for_what_tells_the_leaf(catalogue: list[Listing]) -> None:
    for query in write_queries(catalogue, leaves_of(catalogue), 0):
        assert next(iter(query.wanted)) == "product_type"
        assert {"colour", "gender", "age"} <= query.wanted.keys()
        assert unsaid(query.text, query.wanted) == []


def test_queries_are_true_of_their_exact_products_which_are_three_at_least(catalogue: list[Listing]) -> None:
    for query in write_queries(catalogue, leaves_of(catalogue), 0):
        exact = [one for one in catalogue if one.leaf == query.leaf and satisfies(one, query.wanted)]
        assert len(exact) >= 3
        assert untrue(query, exact) == []


def test_no_two_leaves_below_a_parent_ask_for_the_same(catalogue: list[Listing]) -> None:
    planned = plan(catalogue, leaves_of(catalogue), 0)
    asked = [(each.leaf.rpartition("/")[0], *sorted(each.wanted.items())) for each in planned.asked]
    assert len(set(asked)) == len(asked)


def test_leaves_that_nothing_tells_apart_are_left_out_and_told(catalogue: list[Listing]) -> None:
    twins = [product(1000 + n, (0, 0, 99), **{k: str(v) for k, v in one.attributes.items()}) for n, one in
             enumerate(catalogue[:6])]  # fmt: skip
    planned = plan([*catalogue, *twins], ["0/0/0", "0/0/99"], 0)
    assert [each.leaf for each in planned.asked] == ["0/0/0"] or planned.asked[0].wanted != planned.asked[1].wanted
    same = [product(n, (0, 0, n // 6), product_type="Socks") for n in range(12)]
    planned = plan(same, ["0/0/0", "0/0/1"], 0)
    assert not planned.asked
    assert set(planned.left_out.values()) == {"most siblings have all that can be asked for"}


def test_where_colour_and_gender_do_not_tell_the_brand_does() -> None:
    made = [
        product(n, (0, 0, n // 6), product_type="Shirts", colour="Red", brand=("Puma", "Lee")[n // 6])
        for n in range(12)
    ]
    assert [each.wanted["brand"] for each in plan(made, ["0/0/0", "0/0/1"], 0).asked] == ["Puma", "Lee"]


@pytest.mark.parametrize("name", ["brand", "season"])
def test_a_leaf_that_only_brand_or_season_tells_is_left_out_where_others_are_told_without(name: str) -> None:
    colours, values = ("Red", "Red", "Blue"), ("Summer", "Winter", "Fall")
    made = [
        product(n, (0, 0, n // 6), product_type="Shirts", colour=colours[n // 6], **{name: values[n // 6]})
        for n in range(18)
    ]
    planned = plan(made, ["0/0/0", "0/0/1", "0/0/2"], 0, settings=FactSettings(most_confused=0.4, further_chance=0))
    assert [each.leaf for each in planned.asked] == ["0/0/2"]
    assert name not in planned.asked[0].wanted


def test_how_many_facts_are_asked_for_is_a_setting(catalogue: list[Listing]) -> None:
    for most in (2, 3):
        planned = plan(catalogue, leaves_of(catalogue), 0, settings=FactSettings(max_facts=most, most_confused=1))
        assert max(len(each.wanted) for each in planned.asked) == most


def test_duplicates_count_once(catalogue: list[Listing]) -> None:
    one_product = {listing.item_id: "same" for listing in catalogue}
    planned = plan(catalogue, ["0/0/0"], 0, one_product)
    assert planned.left_out == {"0/0/0": "too few different products of one type"}


def test_where_no_query_can_be_asked_what_lacks_is_said() -> None:
    same = [product(n, (0, 0, n // 6), product_type="Socks", colour="NA") for n in range(12)]
    said = why_none_is_asked(plan(same, ["0/0/0", "0/0/1"], 0), same)
    assert "(2: most siblings have all that can be asked for). Too little is known" in said
    assert "by words: product_type of 100%. Name further columns" in said
    untyped = [product(n, (0, 0, n // 6), colour="Red") for n in range(12)]
    assert "by words: colour of 100%. Name" in why_none_is_asked(plan(untyped, ["0/0/0"], 0), untyped)
    mixed = [product(n, (0, 0, 0), product_type=kind) for n, kind in enumerate("abcdef")]
    assert why_none_is_asked(plan(mixed, ["0/0/0"], 0), mixed).endswith("larger catalogue, or a smaller --codebook.")


def test_a_leaf_of_many_types_is_left_out() -> None:
    made = [product(n, (0, 0, 0), product_type=kind, colour="Red") for n, kind in enumerate("abcdef")]
    assert plan(made, ["0/0/0"], 0).left_out == {"0/0/0": "too few different products of one type"}


def test_given_parts_are_kept(catalogue: list[Listing]) -> None:
    queries = write_queries(catalogue, ["0/0/0"], 0, parts={"0/0/0": "validation"})
    assert {query.part for query in queries} == {"validation"}


def test_another_seed_gives_other_words_and_the_order_of_products_none(catalogue: list[Listing]) -> None:
    leaves = leaves_of(catalogue)
    first = write_queries(catalogue, leaves, 0)
    assert write_queries(catalogue[::-1], leaves[::-1], 0) == first
    assert write_queries(catalogue, leaves, 1) != first
    assert [query.query_id for query in first] == sorted(query.query_id for query in first)


def test_a_leaf_more_changes_no_other_parents_queries(catalogue: list[Listing]) -> None:
    few = write_queries(catalogue, ["0/0/0"], 0, parts={"0/0/0": "test"})
    many = write_queries(catalogue, ["0/0/0", "0/1/0"], 0, parts={"0/0/0": "test", "0/1/0": "test"})
    assert [query for query in many if query.leaf == "0/0/0"] == few


def test_the_hash_seed_changes_nothing() -> None:
    code = (
        "from builders.fashion_rq.query_writing import plan, word\n"
        "from retrieval.rq_benchmark import Listing, to_line\n"
        "L=[Listing(str(n), '', str(n), dict(product_type='Shirts', colour=('Red','Blue')[n//6], gender='Men',"
        "occasion='Casual', brand='Lee', pattern='striped'), (0,0,n//6)) for n in range(12)]\n"
        "leaves=['0/0/0','0/0/1']\n"
        "print(*map(to_line, word(plan(L, leaves, 0), 0, dict.fromkeys(leaves, 'test'))), sep='\\n')"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().count(b"\n") >= 4


def test_queries_are_lines_of_json(catalogue: list[Listing]) -> None:
    assert all("\n" not in to_line(query) for query in write_queries(catalogue, ["0/0/0"], 0))

from __future__ import annotations

import pytest

from builders.fashion_rq.truth import claims_of, satisfies, unsaid, untrue
from retrieval.rq_benchmark import Listing, RQQuery

SHIRT = {
    "product_type": "Shirts", "colour": "Navy Blue", "gender": "Men", "age": "Adults", "occasion": "Formal",
    "season": "Fall", "pattern": "striped",
}  # fmt: skip


def listing(**changed: str) -> Listing:
    return Listing("1", "a shirt", "Shirt", {**SHIRT, **changed}, (1, 2, 3))


def query(text: str, **wanted: str) -> RQQuery:
    return RQQuery("1-2-3/01", "1-2-3", "1/2/3", text, wanted)


def test_a_product_satisfies_what_it_has_in_any_case_of_letters() -> None:
    assert satisfies(listing(), {"colour": "navy blue", "gender": "MEN"})
    assert not satisfies(listing(), {"colour": "Blue"})


@pytest.mark.parametrize("value", ["", "NA"])
def test_what_is_not_known_satisfies_nothing(value: str) -> None:
    assert not satisfies(listing(occasion=value), {"occasion": value})
    assert not satisfies(Listing("1", "", "", {}, (1, 2, 3)), {"occasion": "Formal"})


@pytest.mark.parametrize(
    "text",
    [
        "navy shirt men", "a blue shirt for my husband", "men's autumn shirts with stripes for the office",
        "my dad's formal navy blue shirt", "do you have any stripy shirts?", "gents' shirt to wear to the office",
    ],
)  # fmt: skip
def test_true_words_are_found_true(text: str) -> None:
    assert untrue(query(text, product_type="Shirts"), [listing()]) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a red shirt for men", "red"), ("navy t-shirt for men", "t shirt"), ("navy shirt for my wife", "wife"),
        ("navy shirts for women", "women"), ("a summer shirt in navy", "summer"), ("shirts for the gym", "for the gym"),
        ("a checked navy shirt", "checked"), ("kids' navy shirts", "kids"),
        ("a casual navy shirt", "casual"), ("a leather shirt in navy", "leather"), ("cheap navy shirts", "cheap"),
        ("a navy shirt and some trousers", "trousers"), ("a navy shirt with long sleeves", "with long sleeves"),
    ],
)  # fmt: skip
def test_untrue_words_are_found_and_named(text: str, word: str) -> None:
    problems = untrue(query(text, product_type="Shirts"), [listing()])
    assert len(problems) == 1
    assert "1-2-3/01" in problems[0]
    assert repr(word) in problems[0]


def test_words_that_also_name_models_claim_no_colour() -> None:
    assert untrue(query("a Scarlet shirt"), [listing()]) == []


def test_words_belong_to_the_noun_they_stand_before() -> None:
    assert [claim.words for claim in claims_of("I am looking for sports shoes")] == ["sports shoes"]


def test_every_exact_product_is_looked_at() -> None:
    problems = untrue(query("navy shirt for men"), [listing(), listing(colour="Red"), listing(gender="Boys")])
    assert len(problems) == 2


def test_what_is_wanted_counts_though_no_word_says_it() -> None:
    problems = untrue(query("navy shirt for men", season="Summer"), [listing()])
    assert len(problems) == 1
    assert "season 'Summer'" in problems[0]


def test_the_longest_words_count() -> None:
    assert [claim.words for claim in claims_of("Navy blue T-shirts, eye cream; sea-green flip-flops")] == [
        "navy blue", "t shirts", "eye cream", "sea green", "flip flops",
    ]  # fmt: skip


def test_words_with_two_senses_are_true_in_either() -> None:
    watch = Listing("1", "", "", {"product_type": "Watches", "colour": "Black", "material": "steel"}, (1, 2, 3))
    assert untrue(query("a steel watch"), [watch]) == []
    assert untrue(query("a steel watch"), [Listing("1", "", "", {"product_type": "Watches"}, (1, 2, 3))]) != []


def test_a_purpose_with_two_senses_is_said_and_true_in_either() -> None:
    shorts = Listing("1", "", "", {"product_type": "Shorts", "occasion": "Sports"}, (1, 2, 3))
    assert untrue(query("shorts for training", occasion="Sports"), [shorts]) == []
    assert unsaid("shorts for training", {"product_type": "Shorts", "occasion": "Sports"}) == []


def test_a_wider_word_is_true_of_each_of_its_types() -> None:
    assert untrue(query("some shoes for men"), [listing(product_type="Formal Shoes")]) == []
    assert untrue(query("some shoes for men"), [listing(product_type="Flip Flops")]) != []


def test_a_wanted_brand_may_be_called_like_a_colour() -> None:
    shoe = listing(product_type="Formal Shoes", brand="Red Tape", colour="Black")
    assert untrue(query("black Red Tape formal shoes", brand="Red Tape"), [shoe]) == []
    assert untrue(query("black red formal shoes"), [shoe]) != []


def test_what_is_wanted_and_not_said_is_named() -> None:
    wanted = {"product_type": "Shirts", "colour": "Navy Blue", "gender": "Men", "age": "Adults", "occasion": "Formal"}
    assert unsaid("my husband needs a navy shirt for work", wanted) == []
    assert unsaid("navy tops for grown-ups", wanted) == ["product_type", "gender", "occasion"]


def test_the_age_of_unisex_clothes_wants_words() -> None:
    assert unsaid("unisex t-shirt", {"product_type": "Tshirts", "gender": "Unisex", "age": "Kids"}) == ["age"]


def test_sports_shoes_say_what_they_are_for() -> None:
    assert unsaid("trainers for men", {"product_type": "Sports Shoes", "occasion": "Sports"}) == []

"""Words of shoppers and words of catalogues."""

from __future__ import annotations

import pytest

from agent.vocabulary import Lexicon, listed
from agent.words import concepts, groups, key, singular
from retrieval.protocols import Facet


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dresses", "dress"),
        ("dress", "dress"),
        ("blouses", "blouse"),
        ("watches", "watch"),
        ("scarves", "scarf"),
        ("hoodies", "hoody"),
        ("hoodie", "hoody"),
        ("jeans", "jean"),
        ("women's", "women"),
        ("womens", "women"),
        ("shorts", "shorts"),
        ("ties", "tie"),
        ("sunglasses", "sunglass"),
    ],
)
def test_plurals_and_spellings_share_one_form(word: str, expected: str) -> None:
    assert singular(word) == expected


def test_blanks_hyphens_and_plurals_do_not_matter() -> None:
    assert {key(word) for word in ("T-Shirts", "t shirt", "tshirt", "Tshirts")} == {"tshirt"}


def test_every_kind_of_garment_has_a_known_place_and_no_word_has_two() -> None:
    words = [word for concept in concepts()["category"] for word in set(map(key, concept.words))]

    assert {concept.group for concept in concepts()["category"]} - {""} <= set(groups())
    assert len(words) == len(set(words))


def lexicon(**facets: dict[str, int]) -> Lexicon:
    return Lexicon({name: Facet(counts) for name, counts in facets.items()})


@pytest.mark.parametrize(
    ("categories", "said", "values"),
    [
        (["Sneakers", "Boots"], "trainers", ("Sneakers",)),
        (["Casual Shoes", "Heels"], "trainers", ("Casual Shoes",)),
        (["Trousers", "Track Pants"], "pants", ("Trousers",)),
        (["Pants"], "trousers", ("Pants",)),
        (["Sweaters"], "jumper", ("Sweaters",)),
        (["Jumper"], "sweaters", ("Jumper",)),
        (["Perfume and Body Mist"], "perfume", ("Perfume and Body Mist",)),
        (["Poncho", "Jacket"], "poncho", ("Poncho",)),
        (["Jacket"], "poncho", ("poncho",)),
        (["Gadget Sleeve"], "gadget sleeves", ("Gadget Sleeve",)),
    ],
)
def test_a_word_means_what_this_catalogue_has(categories: list[str], said: str, values: tuple[str, ...]) -> None:
    found = lexicon(category=dict.fromkeys(categories, 3)).meanings(said.split())

    assert found["category"].values == values
    assert found["category"].known == (values[0] in categories)


def test_the_catalogues_own_colour_wins_over_its_neighbours() -> None:
    both, one = {"Cream": 1, "Off White": 1}, {"Off White": 1}

    assert lexicon(colour=both).meanings(["cream"])["colour"].values == ("Cream",)
    assert lexicon(colour=one).meanings(["cream"])["colour"].values == ("Off White",)
    assert lexicon(colour={"Red": 1}).meanings(["teal"])["colour"].known is False


def test_long_is_a_length_and_long_sleeves_are_sleeves() -> None:
    words = lexicon(sleeves={"Long": 1, "Short": 1}, length={"Long": 1, "Mini": 1})

    assert set(words.meanings(["long"])) == {"length"}
    assert words.meanings(["long", "sleeves"])["sleeves"].values == ("Long",)


def test_everyday_words_are_no_brands() -> None:
    assert lexicon(brand={"Only": 5, "Free": 5, "Nike": 5}).meanings(["only"]) == {}
    assert lexicon(brand={"Nike": 5}).meanings(["nike"])["brand"].values == ("Nike",)


def test_a_gallery_without_attributes_has_no_filters_to_offer() -> None:
    assert all(not meaning.values for meaning in lexicon().meanings(["striped"]).values())
    assert lexicon().meanings(["dress"]) == {}


def test_a_list_of_words_reads_like_a_sentence() -> None:
    assert [listed([]), listed(["a"]), listed("ab"), listed("abc", "or")] == ["", "a", "a and b", "a, b or c"]
    assert listed("abcdef") == "a, b, c, d and 2 more"

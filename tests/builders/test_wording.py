import pytest

from builders.wording import folded, is_plural, key_of, noun, singular, with_article


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("dresses", "dress"), ("watches", "watch"), ("boxes", "box"), ("shirts", "shirt"), ("dress", "dress"),
        ("womens", "womens"), ("tie", "tie"), ("bus", "bus"), ("kurtis", "kurti"), ("brushes", "brush"),
    ],
)  # fmt: skip
def test_a_plural_loses_its_ending(many: str, one: str) -> None:
    assert singular(many) == one


@pytest.mark.parametrize("text", ["T-shirt", "Tshirts", "t shirts", "T-SHIRT"])
def test_spellings_of_one_kind_have_one_key(text: str) -> None:
    assert key_of(text) == "tshirt"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("Tshirts", "t-shirt"), ("Dresses", "dress"), ("Casual Shoes", "casual shoes"), ("Watches", "watch"),
        ("Scarves", "scarf"), ("Jeans", "jeans"), ("Ties and Cufflinks", "tie set"), ("Night suits", "night suit"),
        ("Day Dresses", "day dress"), ("Capris", "capris"), ("Boot", "boot"), ("toptee", "top"),
    ],
)  # fmt: skip
def test_one_of_a_kind_is_said_as_one_says_it(kind: str, said: str) -> None:
    assert noun(kind) == said


def test_pairs_have_no_article() -> None:
    assert with_article("red jeans", "Jeans") == "red jeans"
    assert with_article("tie set", "Ties and Cufflinks") == "a tie set"
    assert not is_plural("Dress")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("orange top", "an orange top"), ("unisex top", "a unisex top"), ("one-piece", "a one-piece"),
        ("utility jacket", "a utility jacket"), ("umbrella", "an umbrella"), ("red top", "a red top"),
    ],
)  # fmt: skip
def test_the_article_follows_the_sound(text: str, expected: str) -> None:
    assert with_article(text, "Tops") == expected


def test_equal_names_fold_to_one() -> None:
    assert folded("  Women\u2019s  Top ") == folded("WOMEN'S top") == "women's top"

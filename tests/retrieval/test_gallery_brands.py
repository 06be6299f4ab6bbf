from __future__ import annotations

from retrieval.gallery.brands import find_brands


def captions(*names: tuple[str, int]) -> list[str]:
    return [f"{name} Blue Shirt {n}" for name, count in names for n in range(count)]


def test_a_name_before_the_audience_that_is_seen_often_is_a_brand() -> None:
    brands = find_brands(captions(("Peter England Men", 5), ("Nike Women", 9), ("Rare Kids", 2)))
    assert brands.of("Peter England Men Blue Shirt") == "Peter England"
    assert brands.of("nike sports bag") == "Nike"
    assert brands.of("Rare Kids Shirt") is None
    assert brands.of("") is None


def test_spellings_are_tidied_to_the_most_frequent() -> None:
    brands = find_brands(
        captions(("ADIDAS Men", 9), ("Adidas Women", 3), ("Red Tape Men", 9), ("Redtape Men", 5), ('"Nike Men', 6))
    )
    assert brands.of("adidas Men Shoe") == "ADIDAS"
    assert brands.of("Redtape Men Shoe") == "Red Tape"
    assert brands.of("Nike Men Shoe") == "Nike"


def test_a_line_belongs_to_its_brand_and_a_brand_of_its_own_does_not() -> None:
    brands = find_brands(
        captions(("ADIDAS Men", 100), ("ADIDAS Neo Men", 5), ("Lee Men", 30), ("Lee Cooper Men", 12), ("Casio Men", 5))
        + captions(("Casio Youth Men", 8), ("Casio Youth Series Men", 16), ("Casio Sheen Women", 20))
    )
    assert brands.of("ADIDAS Neo Men Shoe") == "ADIDAS"
    assert brands.of("Lee Cooper Men Shoe") == "Lee Cooper"
    assert brands.of("Casio Youth Series Men Watch") == "Casio"


def test_a_description_is_not_a_brand() -> None:
    rows = (
        ("Navy Blue Women's", 20),
        ("Striped cotton Men's", 20),
        ("Casual Men", 20),
        ("A long name that runs on Men", 9),
    )
    assert find_brands(captions(*rows)).names == {}


def test_mr_men_are_not_an_audience() -> None:
    brands = find_brands(captions(("Mr. Men Men", 6), ("Mr.Men", 6)))
    assert brands.of("Mr. Men Men's Happy T-shirt") == "Mr. Men"

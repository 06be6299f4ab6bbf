from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.gallery.columns import Columns
from retrieval.gallery.values import price_of, text_of


@pytest.mark.parametrize(
    ("written", "price"),
    [
        ("Rs. 1,299", 1299),
        ("Rs.1,29,900.50", 129900.5),
        ("$12.50", 12.5),
        ("12,50 €", 12.5),
        ("1.299,00 €", 1299),
        ("1,299.00", 1299),
        ("€1.299", 1299),
        ("1 299 kr", 1299),
        ("CHF 1'299.–", 1299),
        ("1299", 1299),
        ("0.0508", 0.0508),
        ("0,5", 0.5),
        ("10 - 20", 10),
        ("$10.00 – $20.00", 10),
        ("from 15 EUR", 15),
        (1299, 1299),
        (12.5, 12.5),
        (0, 0),
    ],
)
def test_a_written_price_is_read(written: object, price: float) -> None:
    assert price_of(written) == pytest.approx(price)


@pytest.mark.parametrize(
    "written", ["", "NA", "free", "-5", -5, "nan", math.inf, True, "2 for 10", None, "1 2 3", b"5"]
)
def test_what_is_no_price_is_absent(written: object) -> None:
    assert price_of(written) is None


@given(st.text() | st.floats() | st.integers())
def test_a_price_is_never_negative_and_never_infinite(written: object) -> None:
    price = price_of(written)
    assert price is None or (price >= 0 and math.isfinite(price))


@pytest.mark.parametrize("value", ["NA", " n/a ", "NaN", "None", "null", "-", "", None, float("nan"), [], {}, b"x"])
def test_what_says_nothing_is_empty(value: object) -> None:
    assert text_of(value) == ""


@pytest.mark.parametrize(
    ("value", "text"), [(1163.0, "1163"), (7, "7"), ("  a \n b\t", "a b"), ("L'Oréal", "L'Oréal"), ("\ud800x", "?x")]
)
def test_text_is_one_clean_line(value: object, text: str) -> None:
    assert text_of(value) == text


@given(st.text())
def test_clean_text_stays_as_it_is(value: str) -> None:
    assert text_of(text_of(value)) == text_of(value)
    text_of(value).encode()


@pytest.mark.parametrize(
    ("column", "own"),
    [
        ("articleType", "category"), ("baseColour", "colour"), ("Color", "colour"), ("product_type_name", "category"),
        ("productDisplayName", "caption"), ("Sleeve Length", "sleeves"), ("brandName", "brand"), ("Länge", "lange"),
        ("heelHeight", "heel_height"), ("Heel Height (cm)", "heel_height_cm"),
    ],
)  # fmt: skip
def test_foreign_columns_have_one_name_here(column: str, own: str) -> None:
    assert (Columns().own(column) or ("", 0))[0] == own


@pytest.mark.parametrize(
    "column", ["width", "split", "Unnamed: 0", "", "__index_level_0__", "2nd", "---", "価格", "_rowid"]
)
def test_technical_columns_are_left_out(column: str) -> None:
    assert Columns().own(column) is None


def test_the_preferred_column_wins_and_the_other_stands_in_for_it() -> None:
    columns = Columns()
    assert columns.translate({"type": "A", "category": "B"}) == {"category": "B"}
    assert columns.translate({"type": "A", "category": "NA"}) == {"category": "A"}


def test_nested_attributes_are_read() -> None:
    assert Columns().translate({"attributes": {"colour": "Red", "fit": "slim"}}) == {"colour": "Red", "fit": "slim"}


def test_the_number_of_a_class_is_no_category() -> None:
    columns = Columns()
    assert columns.translate({"id": "1", "label": 7}) == {"item_id": "1"}
    assert columns.translate({"id": "1", "label": "7"}) == {"item_id": "1"}
    assert columns.translate({"id": "1", "label": "7 for all"}) == {"item_id": "1", "category": "7 for all"}

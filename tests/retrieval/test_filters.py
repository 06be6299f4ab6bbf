from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import FilterError
from retrieval.filters import Column, check, fold, matches, quoted, to_lance
from retrieval.schema import Attributes, Filter

KINDS = {"colour": False, "brand": False, "price": True}
COLUMNS = {
    "colour": Column.of_words("attr_colour", ["Navy Blue", "navy blue", "Off White"]),
    "brand": Column.of_words("attr_brand", ["L'Oreal", "x' OR 1=1 --", "back\\slash'", "100%", "a_b; DROP"]),
    "price": Column("attr_price", None),
}


@pytest.mark.parametrize(
    ("condition", "attributes", "passes"),
    [
        (Filter("colour", "any_of", ("Red", "Navy Blue")), {"colour": "Navy Blue"}, True),
        (Filter("colour", "any_of", ("navy  BLUE ",)), {"colour": "Navy Blue"}, True),
        (Filter("colour", "any_of", ("navy",)), {"colour": "Navy Blue"}, False),
        (Filter("colour", "any_of", ("Red",)), {}, False),
        (Filter("colour", "none_of", ("Red",)), {}, True),
        (Filter("colour", "none_of", ("red", "blue")), {"colour": "Red"}, False),
        (Filter("colour", "none_of", ("blue",)), {"colour": "Red"}, True),
        (Filter("colour", "any_of", ("cafe\u0301",)), {"colour": "CAF\u00c9"}, True),
        (Filter("price", "at_most", (50,)), {"price": 50.0}, True),
        (Filter("price", "at_most", (50,)), {"price": 50.5}, False),
        (Filter("price", "at_least", (50,)), {"price": 50.0}, True),
        (Filter("price", "at_least", (50,)), {"price": 49.0}, False),
        (Filter("price", "at_most", (50,)), {}, False),
        (Filter("price", "at_least", (0,)), {}, False),
        (Filter("price", "any_of", (1, 2)), {"price": 2.0}, True),
    ],
)
def test_a_filter_passes_what_its_operator_says(condition: Filter, attributes: Attributes, passes: bool) -> None:
    assert matches(condition, attributes) is passes


@pytest.mark.parametrize(
    ("condition", "sql"),
    [
        (Filter("brand", "any_of", ("l'oreal",)), "(attr_brand IN ('L''Oreal'))"),
        (Filter("brand", "any_of", ("x' OR 1=1 --",)), "(attr_brand IN ('x'' OR 1=1 --'))"),
        (Filter("brand", "any_of", ("back\\slash'",)), "(attr_brand IN ('back\\slash'''))"),
        (Filter("brand", "any_of", ("100%", "A_B; drop")), "(attr_brand IN ('100%', 'a_b; DROP'))"),
        (Filter("colour", "any_of", ("NAVY BLUE",)), "(attr_colour IN ('Navy Blue', 'navy blue'))"),
        (Filter("colour", "none_of", ("off white",)), "(attr_colour IS NULL OR attr_colour NOT IN ('Off White'))"),
        (Filter("colour", "any_of", ("' OR ''='",)), "(false)"),
        (Filter("colour", "none_of", ("' OR ''='",)), ""),
        (Filter("price", "at_most", (50,)), "(attr_price <= 50.0)"),
        (Filter("price", "at_least", (0.5,)), "(attr_price >= 0.5)"),
    ],
)
def test_only_words_of_the_gallery_reach_the_table(condition: Filter, sql: str) -> None:
    assert to_lance([condition], COLUMNS) == sql


def test_conditions_are_joined_and_empty_ones_left_out() -> None:
    conditions = [
        Filter("price", "at_most", (9,)),
        Filter("colour", "none_of", ("pink",)),
        Filter("brand", "any_of", ("100%",)),
    ]
    assert to_lance(conditions, COLUMNS) == "(attr_price <= 9.0) AND (attr_brand IN ('100%'))"
    assert to_lance([], COLUMNS) == ""


@given(st.text())
def test_a_literal_holds_no_lone_quote(text: str) -> None:
    literal = quoted(text)
    assert literal[0] == literal[-1] == "'"
    assert "'" not in literal[1:-1].replace("''", "")
    assert literal[1:-1].replace("''", "'") == text


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Filter("color", "any_of", ("Red",)), "no attribute 'color'. Nearest: 'colour'"),
        (Filter("zzz", "any_of", ("Red",)), "It knows: 'colour', 'brand', 'price'"),
        (Filter("colour", "at_most", (3,)), "use any_of or none_of"),
        (Filter("colour", "any_of", (3.0,)), "'colour' holds words, not 3.0"),
        (Filter("price", "at_most", ("cheap",)), "'price' holds numbers, not 'cheap'"),
        (Filter("price", "at_most", (1, 2)), "takes one number, not 2"),
        (Filter("price", "at_most", (float("nan"),)), "nan is not a number"),
        (Filter("price", "at_least", (True,)), "holds numbers, not True"),
        (Filter("colour", "any_of", (True,)), "'colour' holds words, not True"),
        (Filter("colour", "none_of", ()), "at least one value"),
    ],
)
def test_a_filter_that_does_not_fit_is_refused_with_what_would(wrong: Filter, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        check([Filter("colour", "any_of", ("red",)), wrong], KINDS)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "fine",
    [
        Filter("colour", "any_of", ("pink", "red")),
        Filter("colour", "none_of", ("pink",)),
        Filter("price", "at_most", (1,)),
    ],
)
def test_a_filter_that_fits_is_accepted(fine: Filter) -> None:
    check([fine], KINDS)


def test_a_gallery_without_attributes_says_so() -> None:
    with pytest.raises(FilterError, match="gallery with attributes"):
        check([Filter("colour", "any_of", ("red",))], {})

"""Strips and comparisons as HTML."""

from __future__ import annotations

from agent import presentation_items as parts
from retrieval.schema import Image, Item

PICTURE = Image("a", "a.jpg")
DRESS = Item("1", PICTURE, "Red Dress", {"category": "Dress", "colour": "Red", "price": 10.0, "season": "Summer"})
BLUE = Item("2", PICTURE, "Blue Dress", {"category": "Dress", "colour": "Blue", "price": 12.5})
HOSTILE = Item('"><b>', PICTURE, "<img src=x onerror=alert(1)>", {"brand": "<script>"})


def path_of(item: Item) -> str:
    return f"/served/{item.item_id} 1.jpg"


def test_a_strip_names_each_item_for_those_who_do_not_see_it() -> None:
    html = parts.strip_html("Similar", [DRESS, BLUE], path_of)
    assert html.count("<button") == 2
    assert 'data-item="2" aria-label="Blue Dress\n12.50"' in html
    assert 'src="gradio_api/file=/served/2%201.jpg"' in html


def test_no_items_make_no_strip() -> None:
    assert parts.strip_html("Similar", [], path_of) == ""


def test_rows_in_which_two_items_differ_are_marked_and_what_is_unknown_is_said() -> None:
    html = parts.compare_html(DRESS, BLUE, path_of)
    assert '<tr><th scope="row">Category</th><td>Dress</td><td>Dress</td></tr>' in html
    assert '<tr class="differs"><th scope="row">Price</th><td>10</td><td>12.50</td></tr>' in html
    assert '<tr class="differs"><th scope="row">Season</th><td>Summer</td><td>–</td></tr>' in html


def test_catalogue_words_bring_no_markup_into_strips_and_comparisons() -> None:
    shown = parts.strip_html("Similar", [HOSTILE], path_of) + parts.compare_html(HOSTILE, DRESS, path_of)
    shown += parts.waiting_html(HOSTILE)
    assert "<img src=x" not in shown
    assert "<script" not in shown
    assert "<b>" not in shown

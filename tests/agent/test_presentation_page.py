"""What the page shows, worked out without a browser."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent import presentation_page as show
from retrieval.protocols import Facet
from retrieval.schema import Filter, Hit, Image, Intent, Item, Message, Plan, Ranking, Reply, Turn

FACETS = {
    "colour": Facet({"Red": 3, "Navy Blue": 1}),
    "brand": Facet({"O'Brien": 2}),
    "price": Facet({}, 10.0, 250.0),
    "category": Facet({"Dresses": 3, "Shirts": 1}),
}


def turn(message: Message, text: str = "Here they are.") -> Turn:
    return Turn(1, None, message, Plan(Intent.SEARCH), Reply(text))


def test_a_caption_is_the_name_with_the_price_under_it() -> None:
    item = Item("1", Image("a", "a.jpg"), "Red Dress", {"price": 1299.0})
    assert show.caption(item) == "Red Dress\n1,299"


def test_an_item_without_a_name_is_called_by_its_category() -> None:
    assert show.caption(Item("1", Image("a", "a.jpg"), "", {"category": "Shirts"})) == "Shirts"


def test_a_price_with_cents_keeps_them() -> None:
    assert show.amount(9.5) == "9.50"


def test_a_year_has_no_thousands_separator() -> None:
    assert show.spoken(2012.0, "year") == "2012"


def test_catalogue_words_cannot_bring_markup_into_the_card() -> None:
    item = Item("1", Image("a", "a.jpg"), "<img src=x onerror=alert(1)>", {"brand": "<b>L'Oreal</b>"})
    html = show.card_html(item)
    assert "<img" not in html
    assert "<b>" not in html
    assert "&lt;b&gt;L&#x27;Oreal" in html


def test_attributes_that_the_page_does_not_know_are_on_the_card_too() -> None:
    assert "Heel height" in show.card_html(Item("1", Image("a", "a.jpg"), "Pump", {"heel_height": "high"}))


def test_the_most_useful_filters_come_first_and_single_words_are_left_out() -> None:
    controls = show.filter_controls(FACETS)
    assert [(control.attribute, control.operator) for control in controls] == [
        ("category", "any_of"), ("colour", "any_of"), ("price", "at_least"), ("price", "at_most"),
    ]  # fmt: skip


def test_a_filter_choice_shows_how_many_items_it_has() -> None:
    (colour,) = (control for control in show.filter_controls(FACETS) if control.attribute == "colour")
    assert colour.choices == (("Red (3)", "Red"), ("Navy Blue (1)", "Navy Blue"))


def test_controls_at_rest_filter_nothing() -> None:
    controls = show.filter_controls(FACETS)
    assert show.chosen_filters(controls, [control.rest() for control in controls]) == ()


def test_filters_survive_the_way_to_the_controls_and_back() -> None:
    controls = show.filter_controls(FACETS)
    filters = (Filter("category", "any_of", ("Dresses", "Shirts")), Filter("price", "at_most", (99.0,)))
    assert show.chosen_filters(controls, show.control_values(controls, filters)) == filters


@pytest.mark.parametrize(("low", "high"), [(10.0, 250.0), (199.5, 3998.0), (0.0, 0.4), (5.0, 5.0), (2007.0, 2019.0)])
def test_a_slider_at_rest_lets_every_item_through_and_its_ends_can_be_reached(low: float, high: float) -> None:
    (control, _) = show.filter_controls({"price": Facet({}, low, high)})
    assert control.minimum <= low <= high <= control.maximum
    assert control.minimum < control.maximum
    assert (control.maximum - control.minimum) % control.step == 0


def test_a_bubble_shows_the_words_the_upload_and_the_selected_item() -> None:
    message = Message("in blue", (Image("u", "/uploads/u.png"),), selected="7")
    (asked, answered) = show.chat_messages([turn(message)], lambda item_id: (f"/pictures/{item_id}.jpg", "Dress"))
    assert [part.get("path", part.get("text")) for part in asked["content"]] == [
        "/uploads/u.png", "/pictures/7.jpg", "in blue",
    ]  # fmt: skip
    assert asked["content"][1]["alt_text"] == "Dress"
    assert answered["content"][0]["text"] == "Here they are."


def test_an_answer_shows_the_first_of_what_it_found() -> None:
    hits = tuple(Hit(str(number), 0.9 - number / 100) for number in range(9))
    found = replace(turn(Message("dresses")), ranking=Ranking("s/1", hits))
    (_, answered) = show.chat_messages([found], lambda item_id: (f"/pictures/{item_id}.jpg", "Dress"))
    assert [part["path"] for part in answered["content"][1:]] == [f"/pictures/{n}.jpg" for n in range(4)]


def test_words_that_look_like_a_path_stay_words() -> None:
    (asked, _) = show.chat_messages([turn(Message("/etc/passwd"))], lambda _: ("", ""))
    assert asked["content"] == [{"type": "text", "text": "/etc/passwd"}]


def test_neither_words_nor_replies_can_bring_markup_into_the_chat() -> None:
    (asked, answered) = show.chat_messages(
        [turn(Message("<img src=x>"), "Hollin & Rye <b>Dress</b>")], lambda _: ("", "")
    )
    assert asked["content"][0]["text"] == "&lt;img src=x>"
    assert answered["content"][0]["text"] == "Hollin & Rye &lt;b>Dress&lt;/b>"


def test_a_message_of_filters_alone_says_which() -> None:
    filters = (Filter("colour", "any_of", ("Red", "Navy Blue")), Filter("price", "at_most", (1500.0,)))
    assert show.said(Message(filters=filters)) == "Only Red or Navy Blue, price up to 1,500"

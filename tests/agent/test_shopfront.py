"""What a visitor does, with the real agent over a small exact store."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image as Pictures

from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from agent.shopfront import NO_PICTURE, Shop, View
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import ImageError, MessageError
from retrieval.images import open_picture
from retrieval.picture_files import image_id
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Image, Item
from retrieval.sessions import session_from_jsonl
from retrieval.stores.memory import MemoryStore

COLOURS = {"Red": (200, 30, 40), "Blue": (30, 60, 200), "Black": (20, 20, 20)}
BLUE = (Filter("colour", "any_of", ("Blue",)),)


def an_item(folder: Path, category: str, colour: str, number: int) -> Item:
    path = folder / f"{category}-{colour}-{number}.png"
    Pictures.new("RGB", (40, 50 + number), COLOURS[colour]).save(path)
    attributes = {"category": category, "colour": colour, "price": 10.0 + number}
    return Item(path.stem, Image(image_id(path.read_bytes()), str(path)), f"{colour} {category} {number}", attributes)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    folder = tmp_path / "catalogue"
    folder.mkdir()
    items = [
        an_item(folder, category, colour, number)
        for category in ("Dress", "Shirt", "Boots")
        for colour in COLOURS
        for number in range(3)
    ]
    encoder, store = HashingEncoder(), MemoryStore(64)
    store.add(items, encoder.encode_items(items, [open_picture(item.image.path) for item in items]))
    store.commit()
    retriever = Retriever(encoder, store)
    return Shop.open(Assistant(retriever, RulesPlanner()), retriever, tmp_path / "served")


def values(shop: Shop, view: View, attribute: str) -> set[str]:
    return {str(item.attributes[attribute]) for item in shop.items(view)}


def test_two_new_views_have_sessions_of_their_own() -> None:
    assert View.new().session.session_id != View.new().session.session_id


def test_before_the_first_message_the_gallery_shows_a_window_of_the_shop(shop: Shop) -> None:
    assert len(shop.items(View.new())) == 24
    assert len(values(shop, View.new(), "category")) == 3


def test_words_are_answered_with_fitting_items(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    assert values(shop, view, "category") == {"Dress"}
    assert values(shop, view, "colour") == {"Red"}
    assert view.head == 1


def test_what_fits_is_counted_for_filters_and_never_claimed_without_any(shop: Shop, tmp_path: Path) -> None:
    dresses = shop.send(View.new(), "dresses")
    assert shop.n_fitting(dresses) == shop.retriever.count([Filter("category", "any_of", ("Dress",))])
    Pictures.new("RGB", (64, 64), "red").save(tmp_path / "photo.png")
    by_picture = shop.send(View.new(), "", [str(tmp_path / "photo.png")])
    assert by_picture.turn is not None
    assert by_picture.turn.plan.filters == ()
    assert shop.n_fitting(by_picture) == len(shop.items(by_picture))
    assert shop.n_fitting(View.new()) == shop.retriever.count()


def test_a_message_with_nothing_in_it_is_refused(shop: Shop) -> None:
    with pytest.raises(MessageError, match="Type what you are looking for"):
        shop.send(View.new(), "   ")


def test_a_file_that_is_no_picture_is_refused(shop: Shop, tmp_path: Path) -> None:
    fake = tmp_path / "dress.png"
    fake.write_text("not a picture")
    with pytest.raises(ImageError):
        shop.send(View.new(), "like this", [str(fake)])


def test_an_upload_is_kept_in_the_folder_that_is_served(shop: Shop, tmp_path: Path) -> None:
    photo = tmp_path / "photo.png"
    Pictures.new("RGB", (64, 64), COLOURS["Blue"]).save(photo)
    view = shop.send(View.new(), "", [str(photo)])
    assert view.turn is not None
    (kept,) = view.turn.message.images
    assert Path(kept.path).is_relative_to(shop.folder)


def test_the_selected_item_goes_into_the_next_message_and_is_then_let_go(shop: Shop) -> None:
    view = shop.select(shop.send(View.new(), "a red dress"), 1)
    chosen = view.selected
    view = shop.send(view, "in blue")
    assert view.turn is not None
    assert view.turn.message.selected == chosen
    assert view.selected is None


def test_selecting_an_item_twice_lets_go_of_it(shop: Shop) -> None:
    view = shop.select(View.new(), 3)
    assert view.selected == shop.items(view)[3].item_id
    assert shop.select(view, 3).selected is None


def test_going_back_shows_that_turns_results_and_the_next_message_continues_there(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    dresses = shop.items(view)
    view = shop.send(view, "black boots")
    view = view.at(1)
    assert shop.items(view) == dresses
    view = shop.send(view, "in blue")
    assert view.turn is not None
    assert view.turn.parent == 1
    assert values(shop, view, "category") == {"Dress"}


def test_going_back_to_a_turn_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        View.new().at(7)


def test_undo_stands_on_the_turn_before_and_loses_nothing(shop: Shop) -> None:
    view = shop.send(shop.send(View.new(), "a red dress"), "in blue")
    undone = view.undone()
    assert undone.head == 1
    assert len(undone.session.turns) == 2
    assert values(shop, undone, "colour") == {"Red"}


def test_undo_of_the_first_message_starts_a_conversation_that_knows_nothing_of_it(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress").undone()
    assert view.session.turns == ()
    assert values(shop, shop.send(view, "in blue"), "category") == {"Dress", "Shirt", "Boots"}


def test_retry_asks_the_same_again_beside_the_first_answer(shop: Shop) -> None:
    view = shop.send(shop.send(View.new(), "a red dress"), "in blue")
    again = shop.retry(view)
    assert again.turn is not None
    assert again.turn.turn_number == 3
    assert again.turn.parent == 1
    assert again.turn.message.text == "in blue"
    assert shop.items(again) == shop.items(view)


def test_a_removed_chip_leaves_the_rest_of_the_plan(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    labels = [chip.label for chip in view.chips()]
    view = shop.remove_chip(view, next(n for n, label in enumerate(labels) if label.endswith("Red")))
    assert values(shop, view, "category") == {"Dress"}
    assert values(shop, view, "colour") == set(COLOURS)


def test_a_plan_that_was_run_before_finds_the_same_again(shop: Shop) -> None:
    view = shop.send(View.new(), "dress")
    dresses = shop.items(view)
    view = shop.send(view, "red")
    labels = [chip.label for chip in view.chips()]
    view = shop.remove_chip(view, next(n for n, label in enumerate(labels) if label.endswith("Red")))
    assert {item.item_id for item in shop.items(view)} == {item.item_id for item in dresses}


def test_an_offer_is_taken_with_one_click(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress under 1")
    assert view.turn is not None
    assert view.turn.ranking is None or not view.turn.ranking.hits
    assert view.turn.reply.offers
    assert shop.items(shop.take_offer(view, 0))


def test_filters_set_by_hand_hold_and_can_be_cleared(shop: Shop) -> None:
    view = shop.apply_filters(shop.send(View.new(), "dress"), BLUE)
    assert values(shop, view, "colour") == {"Blue"}
    view = shop.apply_filters(view, ())
    assert values(shop, view, "category") == {"Dress"}
    assert values(shop, view, "colour") == set(COLOURS)


def test_filters_alone_are_enough_to_begin(shop: Shop) -> None:
    view = shop.apply_filters(View.new(), BLUE)
    assert values(shop, view, "colour") == {"Blue"}


def test_a_question_keeps_the_results_and_the_chips_on_the_page(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    asked = shop.send(view, "how much is the first one?")
    assert shop.items(asked) == shop.items(view)
    assert asked.chips() == view.chips()


def test_an_empty_canvas_is_not_a_picture(shop: Shop) -> None:
    with pytest.raises(MessageError, match="Draw something"):
        shop.keep_drawing(Pictures.new("RGBA", (64, 64), (0, 0, 0, 0)))


def test_a_drawing_is_kept_on_white_and_fills_its_picture(shop: Shop) -> None:
    canvas = Pictures.new("RGBA", (480, 400), (0, 0, 0, 0))
    canvas.paste((0, 0, 0, 255), (20, 20, 70, 120))
    kept = open_picture(shop.keep_drawing(canvas))
    assert kept.size == (116, 116)
    assert kept.getpixel((1, 1)) == (255, 255, 255)
    assert kept.getpixel((58, 10)) == (0, 0, 0)


def test_without_a_photo_or_selection_there_is_nothing_to_crop(shop: Shop) -> None:
    with pytest.raises(MessageError, match="Add a photo"):
        shop.picture_to_crop(View.new())


def test_an_item_whose_picture_vanished_is_shown_with_a_stand_in(shop: Shop) -> None:
    (item, *_) = shop.items(View.new())
    Path(item.image.path).unlink()
    assert shop.picture(item) == str(NO_PICTURE)
    assert NO_PICTURE.is_file()


def test_pictures_are_served_from_the_process_own_folder(shop: Shop) -> None:
    for item in shop.items(View.new())[:3]:
        assert Path(shop.picture(item)).is_relative_to(shop.folder)


def test_the_exported_file_holds_all_branches(shop: Shop) -> None:
    view = shop.send(shop.send(View.new(), "a red dress"), "in blue")
    view = shop.send(view.at(1), "in black")
    path = shop.export(view.session)
    assert path is not None
    assert session_from_jsonl(Path(path).read_text(encoding="utf-8")).turns[2].parent == 1


def test_there_is_nothing_to_export_before_the_first_message(shop: Shop) -> None:
    assert shop.export(View.new().session) is None


def test_items_that_left_the_gallery_are_left_out_of_what_is_shown(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    gone, *left = [item.item_id for item in shop.items(view)]
    selected = shop.select(view, 0)
    shop.retriever.store.remove([gone])
    shop.retriever.store.commit()
    assert [item.item_id for item in shop.items(view)] == left
    assert shop.item(gone) is None
    with pytest.raises(MessageError, match="no longer"):
        shop.send(selected, "in blue")


def test_a_click_on_an_old_page_changes_nothing(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    assert shop.remove_chip(view, 99) is view
    assert shop.take_offer(view, 99) is view
    with pytest.raises(MessageError, match="no longer shown"):
        shop.select(view, 99)


def test_markup_of_a_catalogue_is_shown_as_text(tmp_path: Path) -> None:
    from agent import presentation_page as show

    name = '<img src=x onerror="alert(1)"> **bold** [a](http://e.org)'
    item = Item("x", Image("x", str(tmp_path / "x.png")), name, {"category": "<b>Dress</b>"})
    assert "<img" not in show.card_html(item)
    assert "<b>" not in show.card_html(item)
    assert show.without_markup(name).startswith("&lt;img")


def test_what_is_kept_outlives_the_conversation(shop: Shop) -> None:
    view = shop.select(shop.send(View.new(), "a red dress"), 0).save_toggled()
    kept = view.saved
    assert [item.item_id for item in shop.saved_items(view)] == list(kept)
    assert shop.send(view, "in blue").saved == kept
    assert view.started_over().saved == kept
    assert shop.choose(view.started_over(), kept[0]).save_toggled().saved == ()


def test_the_next_item_that_is_chosen_stands_beside_the_one_that_waits(shop: Shop) -> None:
    view = shop.select(shop.send(View.new(), "a red dress"), 0)
    waiting = view.pinned_for_comparison()
    both = shop.select(waiting, 1)
    assert (both.pinned, both.selected) == (view.selected, shop.items(view)[1].item_id)
    assert shop.send(both, "in blue").pinned is None


def test_similar_items_are_others_and_nearest_first(shop: Shop) -> None:
    (item, *_) = shop.items(View.new())
    found = shop.similar(item)
    assert len(found) == 6
    assert item not in found


def test_choosing_an_item_that_is_not_there_is_refused(shop: Shop) -> None:
    with pytest.raises(MessageError, match="no longer shown"):
        shop.choose(View.new(), "nothing")


def test_a_saved_conversation_goes_on_where_it_ended(shop: Shop) -> None:
    view = shop.send(shop.send(View.new(), "a red dress"), "in blue")
    path = shop.export(view.session)
    assert path is not None
    opened = shop.opened(View.new(), path)
    assert shop.items(opened) == shop.items(view)
    assert shop.send(opened, "boots").head == 3


def test_a_link_opens_the_conversation_and_two_who_go_on_do_not_meet(shop: Shop) -> None:
    token = shop.link(shop.send(View.new(), "a red dress"))
    one, two = shop.opened_link(View.new(), token), shop.opened_link(View.new(), token)
    assert one.session.session_id != two.session.session_id
    assert values(shop, shop.send(one, "in blue"), "colour") == {"Blue"}
    assert len(shop.opened_link(View.new(), token).session.turns) == 1


def test_there_is_nothing_to_link_to_before_the_first_message(shop: Shop) -> None:
    with pytest.raises(MessageError, match="nothing to link"):
        shop.link(View.new())


def test_a_part_takes_the_place_of_the_photo_that_is_about_to_be_sent(shop: Shop, tmp_path: Path) -> None:
    photo = tmp_path / "photo.png"
    whole = Pictures.new("RGB", (100, 80), "white")
    whole.paste((200, 0, 0), (50, 0, 100, 80))
    whole.save(photo)
    shown = shop.picture_to_crop(View.new(), [str(photo)])
    (part,) = shop.part_of(shown.path, [0.5, 0, 1, 1], [str(photo)])
    assert open_picture(part).size == (50, 80)
    assert open_picture(part).getpixel((1, 1)) == (200, 0, 0)


def test_a_part_is_cut_from_the_shops_own_uploads_alone(shop: Shop, tmp_path: Path) -> None:
    outside = tmp_path / "outside.png"
    Pictures.new("RGB", (100, 80), "white").save(outside)
    with pytest.raises(MessageError, match="Drag over"):
        shop.part_of(str(outside), [0, 0, 1, 1], [])


def test_other_words_run_as_an_edited_plan(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    assert view.searched is not None
    plan = view.searched.plan
    edited = shop.apply_filters(view, plan.filters, plan.filters, "party dress")
    assert edited.turn is not None
    assert edited.turn.plan.text == "party dress"
    assert edited.turn.plan.filters == plan.filters
    assert edited.held_filters == ()


def test_what_was_understood_can_be_taken_away_in_the_panel(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    assert view.searched is not None
    understood = view.searched.plan.filters
    left = tuple(condition for condition in understood if condition.attribute != "colour")
    view = shop.apply_filters(view, left, understood)
    assert values(shop, view, "category") == {"Dress"}
    assert values(shop, view, "colour") == set(COLOURS)


def test_what_the_panel_only_shows_is_not_taken_for_set_by_hand(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    assert view.searched is not None
    after = shop.send(view, "black boots", (), view.searched.plan.filters)
    assert after.held_filters == ()
    assert values(shop, after, "colour") == {"Black"}


def test_nothing_changed_in_the_panel_asks_nothing_new(shop: Shop) -> None:
    view = shop.send(View.new(), "a red dress")
    assert view.searched is not None
    plan = view.searched.plan
    assert shop.apply_filters(view, plan.filters, plan.filters, plan.text) is view

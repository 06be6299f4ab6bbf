"""One conversation over the embedded gallery with each shipped encoder: what holds whatever ranks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agent.opening import ENCODERS, open_shop
from agent.shopfront import Shop, View
from retrieval.filters import matches
from retrieval.schema import Intent, Item, Turn


@pytest.fixture(scope="module", params=sorted(ENCODERS))
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return open_shop(tmp_path_factory.mktemp("conversation"), encoder=request.param)


@pytest.fixture(scope="module")
def view(shop: Shop) -> View:
    """Turns 1 to 9; who selects takes the best."""
    a_dress = photo_of(shop, shop.send(View.new(), "a red dress"))  # not every kind comes in blue
    view = shop.send(View.new(), "black shoes for women")
    view = shop.send(shop.select(view, 0), "like this, but in brown")
    view = shop.send(view, "back to turn 1, but in red")
    view = shop.send(shop.select(view, 0), "show me this one from another side")
    view = shop.send(view, "back to turn 1")
    view = shop.send(shop.select(view, 0), "what goes with it?")
    view = shop.send(shop.select(view, 0), "others with the same colour")
    view = shop.send(view, "", [photo_of(shop, view)])
    return shop.send(view, "something like this in blue", [a_dress])


def photo_of(shop: Shop, view: View) -> str:
    return shop.items(view)[-1].image.path


def searched(view: View) -> Iterator[tuple[Turn, list[str]]]:
    for turn in view.session.turns:
        assert turn.ranking is not None
        yield turn, [hit.item_id for hit in turn.ranking.hits]


def items(shop: Shop, turn: Turn) -> list[Item]:
    return shop.retriever.get([hit.item_id for hit in turn.ranking.hits]) if turn.ranking else []


def test_every_turn_is_read_as_what_it_asks_for(view: View) -> None:
    read = [turn.plan.action for turn in view.session.turns]

    assert read[:4] == [Intent.SEARCH, Intent.MODIFY, Intent.MODIFY, Intent.SAME_ITEM]
    assert read[4:] == [Intent.ROLLBACK, Intent.COMPATIBLE, Intent.SAME_ATTRIBUTE, Intent.SEARCH, Intent.MODIFY]


def test_every_turn_shows_something_best_first_and_nothing_twice(view: View) -> None:
    for turn, found in searched(view):
        assert found, turn.message.text
        assert len(set(found)) == len(found)
        assert turn.ranking is not None
        scores = [hit.score for hit in turn.ranking.hits]
        assert scores == sorted(scores, reverse=True)


def test_what_is_shown_passes_the_filters(shop: Shop, view: View) -> None:
    for turn, _ in searched(view):
        if turn.plan.action is not Intent.ROLLBACK:
            for item in items(shop, turn):
                assert all(matches(each, item.attributes) for each in turn.plan.filters), turn.message.text


def test_what_was_pointed_at_is_not_shown_again(view: View) -> None:
    for turn, found in searched(view):
        if turn.plan.action is not Intent.ROLLBACK:
            assert not set(turn.plan.references) & set(found), turn.message.text


def test_a_turn_gone_back_to_shows_what_it_showed(view: View) -> None:
    first, again = view.session.turn(1), view.session.turn(5)

    assert first.ranking is not None
    assert again.ranking is not None
    assert again.parent == 1
    assert again.ranking.hits == first.ranking.hits


def test_a_change_after_going_back_builds_on_that_turn_alone(view: View) -> None:
    turn = view.session.turn(3)

    assert turn.parent == 1
    assert turn.query is not None
    assert [earlier.text for earlier in turn.query.history] == ["black shoes for women"]


def test_an_outfit_has_no_other_shoes(shop: Shop, view: View) -> None:
    chosen = shop.item(view.session.turn(6).plan.references[0])

    assert chosen is not None
    assert chosen.attributes["category"] not in {
        item.attributes["category"] for item in items(shop, view.session.turn(6))
    }


def test_a_photo_of_the_gallery_finds_itself(shop: Shop, view: View) -> None:
    turn = view.session.turn(8)

    assert turn.query is not None
    assert turn.query.request == ""
    assert items(shop, view.session.turn(7))[-1] in items(shop, turn)


def test_the_same_conversation_has_the_same_answers(shop: Shop, view: View) -> None:
    again = shop.send(View.new(), "black shoes for women")
    first = view.session.turn(1)

    assert again.turn is not None
    assert again.turn.ranking is not None
    assert first.ranking is not None
    assert again.turn.ranking.hits == first.ranking.hits

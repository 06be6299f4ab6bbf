from agent.presentation import chips
from agent.retrieval_step import catalogue_of
from agent.yielding import give_way
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Intent, Message, Plan
from retrieval.sessions import plan_from_dict, plan_to_dict

DRESS, BLUE = Filter("category", "any_of", ("Dress",)), Filter("colour", "any_of", ("Blue",))
LONG_SLEEVES = Filter("sleeves", "any_of", ("Long Sleeves",))
"""The small gallery's dresses all have short sleeves."""
V_NECK = Filter("neckline", "any_of", ("V-Neck",))


def plan(*filters: Filter, **more: tuple[str, ...]) -> Plan:
    return Plan(Intent.SEARCH, text="dress", filters=filters, **more)


def test_where_something_fits_every_condition_holds(studio: Retriever) -> None:
    asked = plan(DRESS, BLUE, V_NECK)
    assert give_way(asked, (), catalogue_of(studio)) == asked


def test_as_few_soft_conditions_as_possible_become_wishes_and_it_is_said(studio: Retriever) -> None:
    found = give_way(plan(DRESS, BLUE, V_NECK, LONG_SLEEVES), (), catalogue_of(studio))
    assert found.filters == (DRESS, BLUE, V_NECK)
    assert found.wishes == (LONG_SLEEVES,)
    assert "Long Sleeves" in found.notes[-1]


def test_colour_price_exclusions_and_what_was_set_by_hand_never_give_way(studio: Retriever) -> None:
    catalogue = catalogue_of(studio)
    for firm in (
        Filter("colour", "any_of", ("Teal",)),
        Filter("price", "at_most", (0.5,)),
        Filter("pattern", "none_of", ("Floral",)),
    ):
        asked = plan(DRESS, firm)
        assert give_way(asked, (), catalogue) == asked
    by_hand = plan(DRESS, LONG_SLEEVES)
    assert give_way(by_hand, (LONG_SLEEVES,), catalogue) == by_hand


def test_an_item_that_is_pointed_at_does_not_count_as_something_that_fits(studio: Retriever) -> None:
    (own,) = [
        item.item_id
        for item in studio.get(sorted(studio.store.fingerprints()))
        if item.attributes["category"] == "Dress" and item.attributes["colour"] == "Blue"
    ]
    alone = plan(DRESS, BLUE, V_NECK, references=(own,))
    assert give_way(alone, (), catalogue_of(studio)) == alone, "nothing else fits even without the neckline"
    without_colour = plan(DRESS, V_NECK, references=(own,))
    assert give_way(without_colour, (), catalogue_of(studio)) == without_colour


def test_a_wish_is_a_condition_again_for_a_later_turn_where_it_fits(chat, studio: Retriever) -> None:
    session, turn = chat("blue dress with long sleeves")
    assert [wish.attribute for wish in turn.plan.wishes] == ["sleeves"]
    assert turn.ranking is not None
    assert turn.ranking.hits
    _, later = chat("actually a jacket", session=session)
    assert not later.plan.wishes


def test_a_wish_has_a_chip_that_takes_it_away(studio: Retriever) -> None:
    found = give_way(plan(DRESS, LONG_SLEEVES), (), catalogue_of(studio))
    (chip,) = [chip for chip in chips(found) if "wish" in chip.label]
    assert chip.plan_without_it.wishes == ()


def test_wishes_survive_the_export() -> None:
    wished = Plan(Intent.SEARCH, text="x", wishes=(LONG_SLEEVES,))
    assert plan_from_dict(plan_to_dict(wished)) == wished


def test_filters_set_by_hand_hold_even_when_nothing_fits(chat) -> None:
    _, turn = chat(Message("dress", filters=(LONG_SLEEVES,)))
    assert turn.plan.filters[-1] == LONG_SLEEVES
    assert turn.ranking is not None
    assert not turn.ranking.hits

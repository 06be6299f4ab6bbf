"""What is excluded is not shown."""

from __future__ import annotations

from eval.understanding.exclusions import Exclusion, hold_all, read_exclusions
from eval.understanding.shop import TalkingShop


def test_nothing_that_is_excluded_is_among_the_first_ten(shop: TalkingShop) -> None:
    exclusions = read_exclusions()
    held = hold_all(shop, exclusions)
    assert len(held) > 75
    assert not [one for one in held if one.violations]
    assert sum(one.n_shown for one in held) > 8 * len(held)


def test_a_violation_is_found(shop: TalkingShop) -> None:
    (held,) = hold_all(shop, [Exclusion("red dresses", {"colour": ("Red",)})])
    assert len(held.violations) == held.n_shown > 0


def test_an_item_that_is_shown_again_is_a_violation(shop: TalkingShop) -> None:
    (held,) = hold_all(shop, [Exclusion("ties", {"item": ("1:1",)})])
    assert len(held.violations) == 1

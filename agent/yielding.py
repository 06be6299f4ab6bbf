"""Conditions that give way: where nothing fits all of them, the soft ones become wishes.

Who asks for "a red dress for a summer party" would rather see red dresses than an empty page because none of them is
filed under "party". Kind, colour, gender, brand, price, exclusions and what was set by hand never give way: "only teal"
has an honest "none". A wish is disclosed, stays in the words that rank, and is a condition again for a later turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from agent.scene import items_of
from agent.vocabulary import listed
from agent.wording import filter_label
from retrieval.filters import matches
from retrieval.schema import Filter, Item, Plan

if TYPE_CHECKING:
    from agent.protocols import Catalogue

FIRM = frozenset({"category", "master_category", "sub_category", "colour", "gender", "brand", "price"})
SOFTEST_FIRST = ("season", "usage", "fit", "style", "material", "length", "neckline", "sleeves", "pattern")
MOST = 6
"""Conditions that are tried in combination: at most 2 ** 6 counts."""


def give_way(plan: Plan, by_hand: Sequence[Filter], catalogue: Catalogue) -> Plan:
    """The plan as it is if anything fits; else with as few soft conditions as possible turned into wishes."""
    soft = [f for f in plan.filters if f.operator == "any_of" and f.attribute not in FIRM and f not in by_hand]
    never_shown = tuple(dict.fromkeys((*plan.references, *plan.unwanted_items)))
    pointed_at = items_of(catalogue, never_shown)
    if not soft or _leaves_any(plan.filters, pointed_at, catalogue):
        return plan
    soft = sorted(soft, key=_firmness)[:MOST]
    for n_wishes in range(1, len(soft) + 1):
        for wishes in combinations(soft, n_wishes):
            left = tuple(condition for condition in plan.filters if condition not in wishes)
            if _leaves_any(left, pointed_at, catalogue):
                return replace(plan, filters=left, wishes=wishes, notes=(*plan.notes, _note(wishes)))
    return plan


def _leaves_any(filters: Sequence[Filter], pointed_at: Sequence[Item], catalogue: Catalogue) -> bool:
    n_pointed_at = sum(all(matches(condition, item.attributes) for condition in filters) for item in pointed_at)
    return catalogue.count(filters) > n_pointed_at


def _firmness(condition: Filter) -> int:
    known = condition.attribute in SOFTEST_FIRST
    return SOFTEST_FIRST.index(condition.attribute) if known else len(SOFTEST_FIRST)


def _note(wishes: Sequence[Filter]) -> str:
    wished = listed([filter_label(wish) for wish in wishes])
    together = " together" if len(wishes) > 1 else ""
    return f"none of these is listed as {wished}{together}, so I only took that as a wish"

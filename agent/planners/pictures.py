"""What kind of garment a shopper's picture shows, judged by the items that look most like it."""

from __future__ import annotations

from collections.abc import Sequence

from agent.planners.understanding import Understanding
from agent.vocabulary import group_of
from retrieval.schema import Filter, Image

SURE_OF_CATEGORY = 0.75
"""The share of the nearest items that must agree on a picture's category."""
SURE_OF_KIND = 0.55
"""The share that must agree on the kind of garment ("footwear") where they do not agree on the category."""

NEVER_GUESSED = "underwear"
"""Nobody is told that the shirt on the hanger is underwear: plain pale pictures lie near it, whatever they show."""

Kept = tuple[tuple[Filter, ...], tuple[str, ...]]
"""The filter that keeps the kind, and the note that says so; both empty where the picture does not tell."""


def kind_of(pictures: Sequence[Image], found: Understanding) -> Kept:
    """A changed picture stays what it shows: "this in black" of a shoe is no black bag."""
    if not pictures or "category" not in found.facets:
        return (), ()
    near = found.scene.catalogue.nearest(pictures[0])
    categories = [str(item.attributes.get("category", "")) for item in near]
    categories = [category for category in categories if group_of(category) != NEVER_GUESSED]
    if 3 * len(categories) < len(near):
        return (), ()
    category = max(dict.fromkeys(categories), key=categories.count, default="")
    if category and categories.count(category) >= SURE_OF_CATEGORY * len(categories):
        return _kept((category,), category)
    groups = [group_of(category) for category in categories]
    group = max(dict.fromkeys(groups), key=groups.count, default="")
    if group and groups.count(group) >= SURE_OF_KIND * len(groups):
        return _kept(found.lexicon.group_values(group), group)
    return (), ()


def _kept(categories: Sequence[str], name: str) -> Kept:
    return (Filter("category", "any_of", tuple(categories)),), (
        f"your picture seems to show “{name}”, so I kept to that kind",
    )

"""Next steps as buttons: where little was found, what would bring more; else what to do with the best item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.protocols import Outcome, Relaxation
from agent.vocabulary import colour_family, group_of
from agent.wording import filter_label, item_name
from agent.words import concepts, key
from retrieval.schema import Filter, Intent, Item, Offer, Plan, Session

N_OFFERS = 4


def offers(session: Session, plan: Plan, outcome: Outcome) -> tuple[Offer, ...]:
    """Where little was found, what would bring more; else what to do with the best item."""
    again = replace(plan, intent=plan.action, then=None, notes=())
    with_best = item_offers(replace(plan, reference_turn=len(session.turns) + 1), outcome.items[:1])
    if len(outcome.items) >= outcome.k or (outcome.items and len(plan.filters) < 2):
        return with_best
    wider = [_wider_kind(again, r.dropped, outcome) or _dropped(again, r) for r in outcome.relaxations]
    return (*_near_values(again, outcome), *filter(None, wider), *with_best)[:N_OFFERS]


def _dropped(plan: Plan, relaxation: Relaxation) -> Offer | None:
    """Without its words as well, so that the encoder does not go on looking for them."""
    gone = {key(str(value)) for dropped in relaxation.dropped for value in dropped.values}
    words = [word for word in plan.text.split() if key(word) not in gone]
    left = tuple(f for f in plan.filters if f not in relaxation.dropped)
    if not left and not words:
        return None
    label = _without(relaxation.dropped)
    return Offer(f"{label} ({relaxation.n_items:,})", replace(plan, filters=left, text=" ".join(words) or plan.text))


def _without(dropped: Sequence[Filter]) -> str:
    """`Without “Red”`, `With Black as well`; many are not listed one by one."""
    if len(dropped) > 2:
        return "Without most conditions"
    if len(dropped) == 1 and dropped[0].operator == "none_of":
        return f"With {filter_label(replace(dropped[0], operator='any_of'))} as well"
    return "Without " + " and ".join(f"“{filter_label(one)}”" for one in dropped)


def _wider_kind(plan: Plan, dropped: Sequence[Filter], outcome: Outcome) -> Offer | None:
    """Any footwear instead of anything at all."""
    (first, *others) = dropped
    groups = {group_of(str(value)) for value in first.values} - {""}
    facet = outcome.catalogue.facets.get("category")
    if others or first.attribute != "category" or first.operator != "any_of" or len(groups) != 1 or facet is None:
        return None
    group = groups.pop()
    values = tuple(value for value in facet.counts if group_of(value) == group)
    filters = tuple(replace(f, values=values) if f == first else f for f in plan.filters)
    n_items = outcome.catalogue.count(filters) if values else 0
    return Offer(f"Any {group} ({n_items})", replace(plan, filters=filters)) if n_items > outcome.n_matching else None


def _near_values(plan: Plan, outcome: Outcome) -> list[Offer]:
    """The nearest colours or kinds that the gallery has, where they bring something."""
    offers: list[Offer] = []
    for condition in plan.filters:
        if condition.operator != "any_of" or condition.attribute not in ("colour", "category"):
            continue
        for value in _near(condition, outcome):
            wider = replace(condition, values=(*known_values(condition, outcome), value))
            filters = tuple(wider if f == condition else f for f in plan.filters)
            added = outcome.catalogue.count(filters) - outcome.n_matching
            if added > 0:
                offers.append(Offer(f"Also {value} ({added})", replace(plan, filters=filters)))
    return offers[:2]


def known_values(condition: Filter, outcome: Outcome) -> tuple[str | float, ...]:
    facet = outcome.catalogue.facets.get(condition.attribute)
    return tuple(value for value in condition.values if facet and str(value) in facet.counts)


def _near(condition: Filter, outcome: Outcome) -> list[str]:
    facet = outcome.catalogue.facets.get(condition.attribute)
    if facet is None:
        return []
    asked = [str(value) for value in condition.values]
    families = {colour_family(value) for value in asked} - {"", "neutral"} if condition.attribute == "colour" else set()
    listed_near = {
        key(word)
        for c in concepts()[condition.attribute]
        if {key(v) for v in asked} & {key(w) for w in c.words}
        for word in c.near
    }
    near = [
        value
        for value in facet.counts
        if value not in asked and (key(value) in listed_near or colour_family(value) in families)
    ]
    return sorted(near, key=lambda value: key(value) not in listed_near)[:3]


def item_offers(plan: Plan, items: Sequence[Item]) -> tuple[Offer, ...]:
    if not items or plan.action in (Intent.OTHER,):
        return ()
    (item,) = items
    gender = tuple(f for f in plan.filters if f.attribute == "gender")
    category = item.attributes.get("category")
    own = (Filter("category", "any_of", (category,)),) if category else ()
    other = (Filter("category", "none_of", (category,)),) if category else ()
    base = Plan(Intent.MODIFY, reference_turn=plan.reference_turn, references=(item.item_id,))
    return (
        Offer(f"More like {item_name(item)}", replace(base, filters=(*gender, *own))),
        Offer(
            f"What goes with {item_name(item)}?",
            replace(base, intent=Intent.COMPATIBLE, filters=(*gender, *other)),
        ),
    )

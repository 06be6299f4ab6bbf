"""What goes with an item: other kinds of garment, colours that go together, and the reason in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agent.vocabulary import colour_family, group_of, listed
from agent.wording import item_name
from agent.words import groups, harmony
from retrieval.schema import Filter, Hit, Item, Plan, Query, Ranking

if TYPE_CHECKING:
    from retrieval.retriever import Retriever

N_GUESSED_FROM = 7
"""Nearest items whose most frequent category says what an uploaded picture shows."""
POOL = 4
"""So many times more are looked at than shown, to choose those whose colours go together."""


@dataclass(frozen=True, slots=True)
class Outfit:
    ranking: Ranking
    reason: str


def find_outfit(
    retriever: Retriever, plan: Plan, query: Query, references: Sequence[Item], k: int, exclude: Sequence[str]
) -> Outfit:
    """Kinds that complete the outfit, interleaved: the best of each kind first. `score` is 1 / place, since cosines of
    different kinds do not compare."""
    likes = tuple(references) or _looks_like(retriever, query)
    own = {group_of(str(item.attributes.get("category", ""))) for item in likes} | _excluded_groups(plan) - {""}
    kinds = _wanted_kinds(retriever, plan, own)
    per_kind = [_best_of_kind(retriever, plan, query, likes, kind, k, exclude) for kind in kinds]
    hits: list[Hit] = []
    for place in range(k):
        hits += [found[place] for found in per_kind if place < len(found)]
    ranked = tuple(Hit(hit.item_id, 1.0 / place) for place, hit in enumerate(_unique(hits)[:k], 1))
    return Outfit(Ranking(query.query_id, ranked), _reason(retriever, ranked, likes, references))


def _looks_like(retriever: Retriever, query: Query) -> tuple[Item, ...]:
    """The gallery item that stands for an uploaded picture: the nearest one of the most frequent category near it."""
    if not query.references:
        return ()
    bare = replace(query, text="", history=(), unwanted_texts=(), unwanted_images=())
    near = retriever.get([hit.item_id for hit in retriever.search(bare, N_GUESSED_FROM).hits])
    categories = [str(item.attributes.get("category", "")) for item in near]
    if not any(categories):
        return ()
    most = max(dict.fromkeys(categories), key=categories.count)
    return tuple(item for item in near if item.attributes.get("category") == most)[:1]


def _excluded_groups(plan: Plan) -> set[str]:
    return {
        group_of(str(value))
        for condition in plan.filters
        if condition.attribute == "category" and condition.operator == "none_of"
        for value in condition.values
    }


def _wanted_kinds(retriever: Retriever, plan: Plan, own: set[str]) -> list[tuple[str, ...]]:
    """Categories of the gallery, one tuple a kind; empty inside means that any category will do."""
    facet = retriever.facets().get("category")
    if facet is None:
        return [()]
    asked = [str(v) for f in plan.filters if f.attribute == "category" and f.operator == "any_of" for v in f.values]
    if asked:
        return [tuple(asked)]
    known = {name: tuple(value for value in facet.counts if group_of(value) == name) for name in groups()}
    order = dict.fromkeys(other for name in own if name in groups() for other in groups()[name].goes_with)
    wanted = list(order) or [name for name in known if name not in ("underwear", "sleepwear", "beauty")]
    return [known[name] for name in wanted if name not in own and known.get(name)]


def _best_of_kind(
    retriever: Retriever,
    plan: Plan,
    query: Query,
    likes: Sequence[Item],
    kind: tuple[str, ...],
    k: int,
    exclude: Sequence[str],
) -> list[Hit]:
    filters = [condition for condition in plan.filters if not (kind and condition.attribute == "category")]
    if kind:
        filters.append(Filter("category", "any_of", kind))
    asked = f"{query.text} {kind[0].lower() if kind else ''}".strip() if likes else query.text
    hits = retriever.search(replace(query, text=asked, history=()), k * POOL, filters, exclude).hits
    items = {item.item_id: item for item in retriever.get([hit.item_id for hit in hits])}
    return sorted(hits, key=lambda hit: -_fit(items[hit.item_id], likes))[:k]


def _fit(item: Item, likes: Sequence[Item]) -> int:
    """How much speaks for wearing them together: colours first, then the same occasion and season."""
    if not likes:
        return 0
    like = likes[0]
    same = sum(
        1
        for name in ("usage", "season")
        if name in like.attributes and item.attributes.get(name) == like.attributes[name]
    )
    return 2 * _goes_with(str(item.attributes.get("colour", "")), str(like.attributes.get("colour", ""))) + same


def _goes_with(one: str, other: str) -> bool:
    first, second = colour_family(one), colour_family(other)
    if not first or not second:
        return False
    return "neutral" in (first, second) or first == second or second in harmony().get(first, ())


def _reason(retriever: Retriever, hits: Sequence[Hit], likes: Sequence[Item], references: Sequence[Item]) -> str:
    """Only what is true of every item that is shown."""
    if not hits or not likes:
        return ""
    like = likes[0]
    shown = retriever.get([hit.item_id for hit in hits])
    colour = str(like.attributes.get("colour", ""))
    parts: list[str] = []
    if not references:
        parts.append(f"your picture looks most like {item_name(like)}")
    if colour and all(_goes_with(str(item.attributes.get("colour", "")), colour) for item in shown):
        parts.append(
            f"all in colours that go with {colour.lower()}"
            + (" (neutral, same or contrasting)" if colour_family(colour) != "neutral" else "")
        )
    usage = like.attributes.get("usage")
    if usage and all(item.attributes.get("usage") == usage for item in shown):
        parts.append(f"all {str(usage).lower()} like it")
    return listed(parts)


def _unique(hits: Sequence[Hit]) -> list[Hit]:
    return list({hit.item_id: hit for hit in hits}.values())

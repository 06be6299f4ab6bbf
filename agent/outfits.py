"""What goes with an item: other kinds of garment, colours that go together, and the reason in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.vocabulary import colour_family, group_of
from agent.wording import item_name
from agent.words import groups, harmony
from retrieval.schema import Filter, Hit, Item, Plan, Query, Ranking

if TYPE_CHECKING:
    from retrieval.retriever import Retriever

N_GUESSED_FROM = 7
"""Nearest items whose most frequent category says what an uploaded picture shows."""
POOL = 2
"""So many times more are looked at than shown, to choose those whose colours go together."""


def find_outfit(
    retriever: Retriever, plan: Plan, query: Query, references: Sequence[Item], k: int, exclude: Sequence[str]
) -> tuple[Ranking, str]:
    """Kinds that complete the outfit, interleaved, the best of each kind first, and why. `score` is 1 / place, since
    cosines of different kinds do not compare."""
    likes = tuple(references) or _stand_in(retriever, plan, query)
    own = {group_of(str(item.attributes.get("category", ""))) for item in likes} | _excluded_groups(plan)
    kinds = _wanted_kinds(retriever, plan, own - {""})
    queries = [_query_for(query, plan, kind) for kind in kinds]
    embeddings = retriever.encoder.encode_queries(queries) if queries else ()  # at once: they share their pictures
    found = [
        retriever.store.search(embedding, k * POOL, _filters_for(plan, kind), exclude)
        for embedding, kind in zip(embeddings, kinds, strict=True)
    ]
    item_ids = list(dict.fromkeys(hit.item_id for hits in found for hit in hits))
    items = {item.item_id: item for item in retriever.get(item_ids)}
    per_kind = [sorted(hits, key=lambda hit: -_fit(items[hit.item_id], likes)) for hits in found]
    in_turn = dict.fromkeys(hits[place].item_id for place in range(k) for hits in per_kind if place < len(hits))
    ranked = tuple(Hit(item_id, 1.0 / place) for place, item_id in enumerate(list(in_turn)[:k], 1))
    shown = [items[hit.item_id] for hit in ranked]
    return Ranking(query.query_id, ranked), _reason(shown, likes, query, is_stand_in=not references)


def _stand_in(retriever: Retriever, plan: Plan, query: Query) -> tuple[Item, ...]:
    """The gallery item that stands for an uploaded picture, or for what the shopper named: the nearest one of the most
    frequent category near it."""
    words = "" if query.references else query.text
    bare = replace(query, text=words, request="", history=(), unwanted_texts=(), unwanted_images=())
    own = [Filter("category", "any_of", f.values[:1]) for f in plan.filters if _is_own_kind(f)]
    near = retriever.get([hit.item_id for hit in retriever.search(bare, N_GUESSED_FROM, own).hits])
    categories = [str(item.attributes.get("category", "")) for item in near]
    if not any(categories):
        return ()
    most = max(dict.fromkeys(categories), key=categories.count)
    return tuple(item for item in near if item.attributes.get("category") == most)[:1]


def _is_own_kind(condition: Filter) -> bool:
    """A compatible search names what the shopper has by leaving it out, first of all of its kind."""
    return condition.attribute == "category" and condition.operator == "none_of"


def _excluded_groups(plan: Plan) -> set[str]:
    return {group_of(str(value)) for condition in plan.filters if _is_own_kind(condition) for value in condition.values}


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


def _query_for(query: Query, plan: Plan, kind: tuple[str, ...]) -> Query:
    """The picture with the name of the kind; words that only name what the shopper has would find that again.

    What is read as said names the kind too, unless the shopper did.
    """
    if not kind:
        return query
    group = group_of(kind[0])
    name = kind[0] if len(kind) == 1 else groups()[group].words[0] if group else ""
    words = f"{query.text} {name.lower()}".strip() if query.references else name.lower()
    is_named = any(f.attribute == "category" and f.operator == "any_of" for f in plan.filters)
    request = query.request if is_named and query.request else _request_for(query, group or kind[0].lower())
    return replace(query, text=words or query.text, request=request)


def _request_for(query: Query, kind: str) -> str:
    if query.references:
        return f"I need {f'{query.text} {kind}'.strip()} to go with this"
    return f"I need {kind} to go with {query.text}"


def _filters_for(plan: Plan, kind: tuple[str, ...]) -> tuple[Filter, ...]:
    if not kind:
        return plan.filters
    return (*(f for f in plan.filters if f.attribute != "category"), Filter("category", "any_of", kind))


def _fit(item: Item, likes: Sequence[Item]) -> int:
    """How much speaks for wearing them together: for the same person first, then colours, occasion and season."""
    if not likes:
        return 0
    like = likes[0]
    same = sum(
        1
        for name in ("usage", "season")
        if name in like.attributes and item.attributes.get(name) == like.attributes[name]
    )
    colours = _goes_with(str(item.attributes.get("colour", "")), str(like.attributes.get("colour", "")))
    return 4 * _is_for_the_same(item, like) + 2 * colours + same


def _is_for_the_same(item: Item, like: Item) -> bool:
    genders = {str(one.attributes.get("gender", "unisex")).lower() for one in (item, like)}
    return len(genders) == 1 or "unisex" in genders


def _goes_with(one: str, other: str) -> bool:
    first, second = colour_family(one), colour_family(other)
    if not first or not second:
        return False
    return "neutral" in (first, second) or first == second or second in harmony().get(first, ())


def _reason(shown: Sequence[Item], likes: Sequence[Item], query: Query, *, is_stand_in: bool) -> str:
    """Only what is true of every item that is shown."""
    if not shown or not likes:
        return ""
    like = likes[0]
    colour = str(like.attributes.get("colour", ""))
    parts: list[str] = []
    if is_stand_in:
        parts.append(
            f"judged by {item_name(like)}, the nearest here to {'your picture' if query.references else 'your words'}"
        )
    if colour and all(_goes_with(str(item.attributes.get("colour", "")), colour) for item in shown):
        parts.append(f"all in colours that go with {colour.lower()}")
    usage = like.attributes.get("usage")
    if usage and all(item.attributes.get("usage") == usage for item in shown):
        parts.append(f"all {str(usage).lower()} like it")
    return "; ".join(parts)

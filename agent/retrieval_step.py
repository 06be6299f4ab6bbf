"""From a plan to an outcome: the only part of a turn that asks the retriever for anything."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from agent.ordering import can_sort, search_sorted
from agent.outfits import find_outfit
from agent.protocols import Catalogue, Outcome, Relaxation
from agent.query import build_query, excluded, is_own_picture
from agent.scene import items_of, look
from agent.vocabulary import listed
from agent.wording import item_name
from agent.words import key
from retrieval.errors import MessageError
from retrieval.schema import Intent, Message, Plan, Query, Ranking, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.retriever import Retriever
    from retrieval.schema import Filter, Hit, Image, Item

N_RELAXATIONS = 3
N_NEAREST = 12
KEPT_LONGEST = frozenset({"category", "gender"})
"""Who asked for a dress would rather have another colour than a shirt."""
FEW_UNWANTED, MANY_UNWANTED = 4, 20
"""How many times k are fetched, since items whose names say what is unwanted are taken out afterwards."""
SHORTEST_STEM = 5
SPARE = 12
"""So many more are fetched for the same item, since the query's own pictures are taken out afterwards."""


def catalogue_of(retriever: Retriever) -> Catalogue:
    def nearest(image: Image) -> list[Item]:
        found = retriever.search(Query("", references=(image,)), N_NEAREST)
        return retriever.get([hit.item_id for hit in found.hits])

    return Catalogue(retriever.facets(), retriever.get, retriever.count, nearest)


def look_up(retriever: Retriever, plan: Plan) -> Outcome:
    """Nothing is retrieved; the items that the plan names are fetched."""
    catalogue = catalogue_of(retriever)
    return Outcome(catalogue, references=items_of(catalogue, plan.references))


def show_again(retriever: Retriever, session: Session, plan: Plan) -> Outcome:
    """An earlier turn's result, as this turn's."""
    assert plan.reference_turn is not None  # graph.route sends other plans elsewhere
    turn = session.turn(plan.reference_turn)
    catalogue = catalogue_of(retriever)
    if turn.ranking is None or turn.query is None:
        raise MessageError(f"Turn {turn.turn_number} showed nothing that could be shown again. Name another turn.")
    query = replace(turn.query, query_id=f"{session.session_id}/{len(session.turns) + 1}")
    items = items_of(catalogue, [hit.item_id for hit in turn.ranking.hits])
    known = {item.item_id for item in items}
    ranking = Ranking(query.query_id, tuple(hit for hit in turn.ranking.hits if hit.item_id in known))
    return Outcome(catalogue, query, ranking, items, n_matching=len(items), k=len(items))


def retrieve_plan(retriever: Retriever, session: Session, message: Message, plan: Plan, k: int) -> Outcome:
    """Raises MessageError for a plan without words, picture and filters."""
    catalogue = catalogue_of(retriever)
    k = plan.n_wanted or k
    scene = look(session, message, catalogue)
    references = items_of(catalogue, plan.references)
    query = _with_words(build_query(session, message, plan, scene), plan)
    exclude = excluded(session, message, plan)
    n_matching = retriever.count(plan.filters)
    ranking, reason = Ranking(query.query_id, ()), ""
    if n_matching:  # a search through nothing is the slowest
        ranking, reason = _search(retriever, plan, query, references, k, exclude)
    items = items_of(catalogue, [hit.item_id for hit in ranking.hits])
    relaxations = _relax(retriever, plan.filters, n_matching) if len(items) < k else ()
    return Outcome(catalogue, query, ranking, items, references, n_matching, k, relaxations, reason)


def _search(
    retriever: Retriever, plan: Plan, query: Query, references: tuple[Item, ...], k: int, exclude: tuple[str, ...]
) -> tuple[Ranking, str]:
    """The ranking and what is to be said of it."""
    if plan.action is Intent.COMPATIBLE:
        return find_outfit(retriever, plan, query, references, k, exclude)
    if plan.action is Intent.SAME_ITEM:
        return _search_same(retriever, plan, query, k, exclude)
    if plan.sort_by and can_sort(plan.sort_by, retriever.facets()):
        unwanted = _unwanted_words(plan)
        return search_sorted(retriever, plan, query, k, exclude, lambda item: _names_any(item, unwanted)), ""
    if plan.unwanted_texts:
        return _search_unnamed(retriever, plan, query, k, exclude), ""
    return retriever.search(query, k, plan.filters, exclude), ""


def _search_unnamed(retriever: Retriever, plan: Plan, query: Query, k: int, exclude: tuple[str, ...]) -> Ranking:
    """What is unwanted and no attribute of the catalogue may be said in a name: "not printed" shows none of those.

    A common word may take out most of what is near, so that a second, larger search is needed.
    """
    unwanted = _unwanted_words(plan)
    left: tuple[Hit, ...] = ()
    for size in (FEW_UNWANTED * k, MANY_UNWANTED * k):
        found = retriever.search(query, size, plan.filters, exclude)
        items = {item.item_id: item for item in retriever.get([hit.item_id for hit in found.hits])}
        left = tuple(hit for hit in found.hits if not _names_any(items[hit.item_id], unwanted))
        if len(left) >= k or len(found.hits) < size:
            break
    return Ranking(query.query_id, left[:k])


def _unwanted_words(plan: Plan) -> list[set[str]]:
    return [{key(word) for word in text.split()} for text in plan.unwanted_texts]


def _names_any(item: Item, unwanted: Sequence[set[str]]) -> bool:
    said = [key(word) for word in item.caption.split()]
    return any(all(any(_is_form_of(word, other) for other in said) for word in words) for words in unwanted)


def _is_form_of(word: str, other: str) -> bool:
    """ "stripe" and "striped", "print" and "printed"; short words have to be equal."""
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) >= SHORTEST_STEM and long.startswith(short))


def _search_same(
    retriever: Retriever, plan: Plan, query: Query, k: int, exclude: tuple[str, ...]
) -> tuple[Ranking, str]:
    """The query's own pictures are taken out of the ranking, and named if they are the gallery's."""
    found = retriever.search(query, k + SPARE, plan.filters, exclude)
    items = {item.item_id: item for item in retriever.get([hit.item_id for hit in found.hits])}
    own = [item_name(item) for item in items.values() if is_own_picture(item, query)]
    others = tuple(hit for hit in found.hits if not is_own_picture(items[hit.item_id], query))
    reason = f"that very picture is in the gallery as {listed(own)}" if own else ""
    return Ranking(found.query_id, others[:k]), reason


def _with_words(query: Query, plan: Plan) -> Query:
    """Filters alone are a wish as well: their words rank what passes them."""
    if query.text or query.references:
        return query
    words = " ".join(str(value) for f in plan.filters if f.operator == "any_of" for value in f.values)
    if not words and not plan.filters:
        raise MessageError("There is nothing to search for yet. Say what you are looking for, or show a picture.")
    return replace(query, text=words.lower() or "clothes")


def _relax(retriever: Retriever, filters: tuple[Filter, ...], n_matching: int) -> tuple[Relaxation, ...]:
    """Which filters to drop: what brings most comes first, another kind of garment last."""
    for n_dropped in (1, 2):
        tried = (
            Relaxation(dropped, retriever.count([f for f in filters if f not in dropped]))
            for dropped in combinations(filters, n_dropped)
        )
        useful = [relaxation for relaxation in tried if relaxation.n_items > n_matching]
        if useful:
            break
    else:
        useful = _kept(retriever, filters) if not n_matching else []
    return tuple(sorted(useful, key=lambda r: (_is_dear(r), -r.n_items))[:N_RELAXATIONS])


def _kept(retriever: Retriever, filters: tuple[Filter, ...]) -> list[Relaxation]:
    """Where dropping one or two helps nowhere: as many conditions as anything fits, the kind of garment first."""
    kept: list[Filter] = []
    for condition in sorted(filters, key=lambda f: f.attribute not in KEPT_LONGEST):
        if retriever.count((*kept, condition)):
            kept.append(condition)
    dropped = tuple(condition for condition in filters if condition not in kept)
    return [Relaxation(dropped, retriever.count(kept))] if kept else []


def _is_dear(relaxation: Relaxation) -> bool:
    return any(dropped.attribute in KEPT_LONGEST for dropped in relaxation.dropped)

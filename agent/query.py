"""From a plan to a query: which pictures, words and earlier turns the encoder gets, and what must not be shown."""

from __future__ import annotations

from agent.cues import MORE
from agent.scene import Scene, items_of
from retrieval.schema import HistoryTurn, Image, Intent, Item, Message, Plan, Query, Session, Turn


def build_query(session: Session, message: Message, plan: Plan, scene: Scene) -> Query:
    references = items_of(scene.catalogue, plan.references)
    unwanted = items_of(scene.catalogue, plan.unwanted_items)
    images = [item.image for item in references] + list(uploads(session, message, plan, scene))
    return Query(
        query_id=f"{session.session_id}/{len(session.turns) + 1}",
        text=plan.text if plan.text or images or message.plan else message.text.strip(),
        references=tuple({image.image_id: image for image in images}.values()),
        history=_history(session, plan, references),
        unwanted_texts=plan.unwanted_texts,
        unwanted_images=tuple(item.image for item in unwanted),
    )


def uploads(session: Session, message: Message, plan: Plan, scene: Scene) -> tuple[Image, ...]:
    """The message's own pictures; a refinement without any keeps those of the turn that it refines, and a plan that
    was edited by hand those of the turn on which it was edited."""
    if message.images:
        return message.images
    base = _refined(session, message, plan, scene)
    if base is None or base.query is None:
        return ()
    own = {item.image.image_id for item in items_of(scene.catalogue, base.plan.references)}
    return tuple(image for image in base.query.references if image.image_id not in own)


def excluded(session: Session, message: Message, plan: Plan) -> tuple[str, ...]:
    """What was pointed at is not shown again; neither is what an unchanged plan has shown already ("show me more")."""
    seen: list[str] = []
    wants_more = message.plan is None and MORE.search(message.text.lower()) is not None
    if wants_more and plan.action is not Intent.SEARCH and plan.reference_turn is not None:
        for turn in session.path(plan.reference_turn):
            if turn.ranking and _asks_the_same(turn.plan, plan):
                seen += [hit.item_id for hit in turn.ranking.hits]
    return tuple(dict.fromkeys((*plan.references, *plan.unwanted_items, *seen)))


def is_own_picture(item: Item, query: Query) -> bool:
    return any(item.image.image_id == image.image_id for image in query.references)


def _asks_the_same(one: Plan, other: Plan) -> bool:
    def key(plan: Plan) -> tuple[object, ...]:
        return plan.text, plan.filters, plan.references, plan.unwanted_texts, plan.unwanted_items

    return key(one) == key(other)


def _refined(session: Session, message: Message, plan: Plan, scene: Scene) -> Turn | None:
    base: Turn | None = None
    if message.plan is not None:
        base = scene.turn
    elif plan.reference_turn is not None and plan.action is not Intent.SEARCH and message.selected is None:
        base = session.turn(plan.reference_turn)
    return base if base and plan.references == base.plan.references else None


def _history(session: Session, plan: Plan, references: tuple[Item, ...]) -> tuple[HistoryTurn, ...]:
    """The branch that a modification builds on. A turn's target is the item that the next one started from."""
    if plan.action is not Intent.MODIFY or plan.reference_turn is None:
        return ()
    path = [turn for turn in session.path(plan.reference_turn) if turn.query is not None]
    chosen = [turn.query.references for turn in path[1:] if turn.query] + [tuple(item.image for item in references)]
    return tuple(
        HistoryTurn(text=turn.plan.text, references=turn.query.references, target=images[0] if images else None)
        for turn, images in zip(path, chosen, strict=True)
        if turn.query
    )

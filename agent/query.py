"""From a plan to a query: which pictures, words and earlier turns the encoder gets, and what must not be shown.

`Query.text` is what the planner made of the words, for encoders that add vectors up; `Query.request` and
`Query.history` are the conversation as it was said and shown, for encoders that read it.
"""

from __future__ import annotations

from agent.cues import MORE
from agent.scene import Scene, items_of
from retrieval.schema import HistoryTurn, Image, Intent, Item, Message, Plan, Query, Session, Turn


def build_query(session: Session, message: Message, plan: Plan, scene: Scene) -> Query:
    references = items_of(scene.catalogue, plan.references)
    unwanted = items_of(scene.catalogue, plan.unwanted_items)
    images = [item.image for item in references] + list(uploads(session, message, plan, scene))
    base = _base(session, message, plan, scene)
    is_again = base is not None and _stands_for(base, message, plan)
    return Query(
        query_id=f"{session.session_id}/{len(session.turns) + 1}",
        text=plan.text if plan.text or images or message.plan else message.text.strip(),
        references=tuple({image.image_id: image for image in images}.values()),
        history=_history(base, plan, scene, is_again=is_again),
        request=_request(base if is_again else None, message, plan),
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
    wants_more = message.plan is None and _wants_more(message)
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


def _base(session: Session, message: Message, plan: Plan, scene: Scene) -> Turn | None:
    """The turn that this one builds on, if that has a query.

    None for a fresh search: it starts a branch of its own, and a reader would take words without a picture for a
    change of what was chosen last.
    """
    if plan.action is Intent.SEARCH and message.plan is None:
        return None
    if plan.reference_turn is not None:
        path = session.path(plan.reference_turn)
        return next((turn for turn in reversed(path) if turn.query is not None), None)
    if message.plan is not None or plan.references or message.images:
        return scene.turn if scene.turn and scene.turn.query else None
    return None


def _stands_for(base: Turn, message: Message, plan: Plan) -> bool:
    """Whether the turn runs the wish of its base again and says nothing new: a chip was removed, a filter set, or more
    was asked for. It then takes the place of its base in the conversation."""
    if plan.references != base.plan.references or message.images or message.selected:
        return False
    if (plan.action is Intent.COMPATIBLE) != (base.plan.action is Intent.COMPATIBLE):
        return False
    return bool(
        message.plan is not None
        or not message.text.strip()
        or ((_wants_more(message) or plan.n_wanted or plan.sort_by != "") and _asks_the_same(base.plan, plan))
    )


def _request(repeated: Turn | None, message: Message, plan: Plan) -> str:
    """What the shopper said. Labels of chips and buttons are not said: there the plan's own words stand for it."""
    if message.plan is not None:
        return plan.text
    if repeated is not None and repeated.query is not None:
        return repeated.query.request
    return message.text.strip() or plan.text


def _history(base: Turn | None, plan: Plan, scene: Scene, *, is_again: bool) -> tuple[HistoryTurn, ...]:
    """The branch that is built on, oldest first: what came after a turn gone back to is not in it."""
    if base is None or base.query is None or (plan.action is Intent.SEARCH and not is_again):
        return ()
    if is_again:
        return base.query.history
    query = base.query
    last = HistoryTurn(query.request or query.text, query.references, _taken(base, plan, scene))
    return (*query.history, last)


def _taken(base: Turn, plan: Plan, scene: Scene) -> Image | None:
    """The picture that a turn led to: of its result what was chosen or named next, else the best."""
    found = [hit.item_id for hit in base.ranking.hits] if base.ranking else []
    chosen = [item_id for item_id in plan.references if item_id in found] or found[:1]
    return next((item.image for item in items_of(scene.catalogue, chosen[:1])), None)


def _wants_more(message: Message) -> bool:
    return MORE.search(message.text.lower()) is not None

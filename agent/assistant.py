"""The one door: a session and a message in, a finished turn out. The same call chats and replays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent.state import Deps
from agent.understanding_step import check_message
from retrieval.retriever import DEFAULT_K
from retrieval.schema import Intent, Message, Plan, Session, Turn

if TYPE_CHECKING:
    from agent.protocols import Planner, Tell
    from retrieval.retriever import Retriever


class Assistant:
    """Safe to share between users: everything of a conversation is in the session that is passed in."""

    def __init__(self, retriever: Retriever, planner: Planner, k: int = DEFAULT_K) -> None:
        from agent.graph import build_graph

        self._deps = Deps(retriever, planner, k)
        self._graph = build_graph()

    def respond(self, session: Session, message: Message, tell: Tell | None = None) -> Turn:
        """The next turn of the session; the caller appends it. `tell` hears the reply while it is written, if it is.

        Raises MessageError for a message that cannot be answered as it stands, and other FashionSearchErrors that its
        search raises (a filter that the gallery lacks, a picture that cannot be decoded).
        """
        check_message(message)
        state = self._graph.invoke({"session": session, "message": message}, context=replace(self._deps, tell=tell))
        plan, outcome = state["plan"], state["outcome"]
        return Turn(
            turn_number=len(session.turns) + 1,
            parent=parent_for(session, message, plan),
            message=message,
            plan=plan,
            reply=state["reply"],
            query=outcome.query,
            ranking=outcome.ranking,
        )


def parent_for(session: Session, message: Message, plan: Plan) -> int | None:
    """A rollback grows a new branch from the turn gone back to; the first turn and a fresh start have no parent."""
    if plan.intent is Intent.ROLLBACK:
        return plan.reference_turn
    if message.parent is not None:
        return message.parent
    return session.latest.turn_number if session.latest else None

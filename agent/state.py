"""What travels through one turn's graph, and what its nodes may use. LangGraph reads these annotations at run time, so
nothing here is imported under TYPE_CHECKING."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from agent.protocols import Outcome, Planner, Tell
from retrieval.retriever import Retriever
from retrieval.schema import Message, Plan, Reply, Session


class TurnInput(TypedDict):
    """The outside door."""

    session: Session
    message: Message


class TurnState(TurnInput, total=False):
    """Each field is written once, by the node of the same step."""

    plan: Plan
    outcome: Outcome
    reply: Reply


@dataclass(frozen=True, slots=True)
class Deps:
    """Run context: what is shared between users, and therefore never in the state."""

    retriever: Retriever
    planner: Planner
    k: int
    tell: Tell | None = None
    """Who listens to this turn's reply while it is written."""

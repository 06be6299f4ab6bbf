"""A planner for tests and demonstrations: it understands what it was told to, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from retrieval.schema import Reply

if TYPE_CHECKING:
    from agent.protocols import Catalogue, Outcome
    from retrieval.schema import Message, Plan, Session


class ScriptedPlanner:
    """The plan of a turn is chosen by the turn's number, so the planner itself holds no state.

    `plans[0]` answers turn 1; after the last plan it starts over.
    """

    def __init__(self, plans: Sequence[Plan], reply: Callable[[Plan, Outcome], str] | None = None) -> None:
        if not plans:
            raise ValueError("a script needs at least one plan")
        self._plans = tuple(plans)
        self._reply = reply or _count

    def understand(self, session: Session, message: Message, catalogue: Catalogue) -> Plan:  # noqa: ARG002
        return self._plans[len(session.turns) % len(self._plans)]

    def respond(self, session: Session, message: Message, plan: Plan, outcome: Outcome) -> Reply:  # noqa: ARG002
        return Reply(self._reply(plan, outcome))


def _count(plan: Plan, outcome: Outcome) -> str:
    return f"{plan.action}: {len(outcome.items)} shown"

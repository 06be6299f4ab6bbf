"""One chat turn as a graph: understand -> retrieve, show again, or neither -> respond. No checkpointer: the session is
a value that the caller keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from agent.protocols import Narrator
from agent.retrieval_step import catalogue_of, look_up, retrieve_plan, show_again
from agent.state import Deps, TurnInput, TurnState
from agent.understanding_step import settle
from retrieval.schema import Intent

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


def understand(state: TurnInput, runtime: Runtime[Deps]) -> dict[str, Any]:
    message, session = state["message"], state["session"]
    catalogue = catalogue_of(runtime.context.retriever)
    plan = message.plan or runtime.context.planner.understand(session, message, catalogue)
    return {"plan": settle(session, message, plan, catalogue)}


def route(state: TurnState) -> Literal["retrieve", "show_again", "look_up"]:
    plan = state["plan"]
    if plan.intent is Intent.ROLLBACK and plan.then is None:
        return "show_again" if plan.reference_turn is not None else "look_up"
    return "look_up" if plan.action in (Intent.ASK, Intent.OTHER) else "retrieve"


def retrieve(state: TurnState, runtime: Runtime[Deps]) -> dict[str, Any]:
    context = runtime.context
    return {"outcome": retrieve_plan(context.retriever, state["session"], state["message"], state["plan"], context.k)}


def show_again_node(state: TurnState, runtime: Runtime[Deps]) -> dict[str, Any]:
    return {"outcome": show_again(runtime.context.retriever, state["session"], state["plan"])}


def look_up_node(state: TurnState, runtime: Runtime[Deps]) -> dict[str, Any]:
    return {"outcome": look_up(runtime.context.retriever, state["plan"])}


def respond(state: TurnState, runtime: Runtime[Deps]) -> dict[str, Any]:
    planner, tell = runtime.context.planner, runtime.context.tell
    turn = state["session"], state["message"], state["plan"], state["outcome"]
    if tell is not None and isinstance(planner, Narrator):
        return {"reply": planner.narrate(*turn, tell)}
    return {"reply": planner.respond(*turn)}


def build_graph() -> CompiledStateGraph[TurnState, Deps, TurnInput, TurnState]:
    graph = StateGraph(TurnState, context_schema=Deps, input_schema=TurnInput, output_schema=TurnState)
    graph.add_node("understand", understand)
    graph.add_node("retrieve", retrieve)
    graph.add_node("show_again", show_again_node)
    graph.add_node("look_up", look_up_node)
    graph.add_node("respond", respond)

    graph.add_edge(START, "understand")
    graph.add_conditional_edges("understand", route)
    graph.add_edge("retrieve", "respond")
    graph.add_edge("show_again", "respond")
    graph.add_edge("look_up", "respond")
    graph.add_edge("respond", END)
    return graph.compile()

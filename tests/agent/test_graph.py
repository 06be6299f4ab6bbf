"""The shape of a turn."""

from __future__ import annotations

import os
from pathlib import Path

from agent.graph import build_graph

GOLDEN = Path(__file__).parent.parent / "golden" / "agent_graph.mmd"


def test_the_graph_matches_its_golden_drawing() -> None:
    drawing = build_graph().get_graph().draw_mermaid()
    if os.environ.get("DIMITY_GOLDEN") == "rewrite":
        GOLDEN.write_text(drawing, encoding="utf-8")

    assert drawing == GOLDEN.read_text(encoding="utf-8")

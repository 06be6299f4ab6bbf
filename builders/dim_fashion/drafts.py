"""Sessions while they are built: what the walk makes, annotators judge and the writer turns into RecordedSessions."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.benchmark import Origin, Task


@dataclass(frozen=True, slots=True)
class DraftTurn:
    """One turn with its truth. Pictures are image_ids."""

    task: Task
    dataset: str
    text: str
    """The request alone; how a rollback is said is added when the session is written."""
    target: str
    references: tuple[str, ...] = ()
    instance_id: str = ""
    """The instance that the turn comes from; "" for what an annotator added."""
    attribute: str = ""
    positives: tuple[str, ...] = ()
    negatives: tuple[str, ...] = ()
    rollback_to: int | None = None
    """The earlier turn, from 1, whose target is the reference."""
    origin: Origin = "source"
    came_from: str = ""
    """The earlier target that a bridge joins to the reference; "" where it is the reference itself or there is none."""


DraftSession = tuple[DraftTurn, ...]

"""Drafts -> the records of a benchmark: what the user says into the sessions, what is right into the judgements."""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.instances import SourceData
from retrieval.benchmark import IN_GALLERY, BenchmarkImage, RecordedSession, RecordedTurn, Split, Task

ROLLBACKS = (
    "Go back to turn {n}, then {request}",
    "Back to the result of turn {n}: {request}",
    "Return to turn {n} and from there {request}",
    "I liked turn {n} better, go back to it. {request}",
)


@dataclass(frozen=True, slots=True)
class Records:
    sessions: list[RecordedSession]
    qrels: dict[str, dict[str, int]]
    """All of grade 1."""
    pools: dict[str, list[str]]
    """Of ASFR queries."""


def recorded_sessions(sessions: Sequence[DraftSession], splits: Sequence[Split], name: str, seed: int) -> Records:
    """`name` begins every session_id; `seed` draws how each rollback is said."""
    rng = random.Random(f"{seed}/rollbacks")
    recorded: list[RecordedSession] = []
    qrels: dict[str, dict[str, int]] = {}
    pools: dict[str, list[str]] = {}
    for number, (session, split) in enumerate(zip(sessions, splits, strict=True), 1):
        turns = tuple(_turn(turn, at, rng) for at, turn in enumerate(session, 1))
        made = RecordedSession(f"{name}-{number:06d}", split, turns)
        recorded.append(made)
        for turn, draft in zip(turns, session, strict=True):
            query_id = made.query_id(turn)
            qrels[query_id] = dict.fromkeys(draft.positives or (draft.target,), 1)
            if draft.task is Task.ASFR:
                pools[query_id] = sorted((*draft.positives, *draft.negatives))
    return Records(recorded, qrels, pools)


def _turn(draft: DraftTurn, number: int, rng: random.Random) -> RecordedTurn:
    text = draft.text
    if draft.rollback_to:
        text = rng.choice(ROLLBACKS).format(n=draft.rollback_to, request=text)
    return RecordedTurn(
        turn_number=number,
        task=draft.task,
        dataset=draft.dataset,
        text=text,
        chosen=draft.target,
        references=draft.references,
        rollback_to=draft.rollback_to,
        attribute=draft.attribute,
        origin=draft.origin,
    )


def benchmark_images(
    sources: Iterable[SourceData], unusable: Container[str], firsts: Container[str], sessions: Iterable[DraftSession]
) -> list[BenchmarkImage]:
    """All pictures but those that cannot be decoded (`unusable`).

    The gallery holds products and worn ones, and whatever is a target or candidate; of duplicates the one in `firsts`.
    """
    wanted = {
        picture
        for session in sessions
        for turn in session
        for picture in (turn.target, *turn.positives, *turn.negatives)
    }
    return [
        BenchmarkImage(
            image_id=image.image_id,
            source=source.name,
            path=image.path,
            kind=image.kind,
            in_gallery=image.image_id in wanted or (image.kind in IN_GALLERY and image.image_id in firsts),
            product_id=image.product_id,
            caption=image.caption,
            attributes=image.attributes,
        )
        for source in sources
        for image in source.images.values()
        if image.image_id not in unusable
    ]

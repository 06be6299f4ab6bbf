"""Drafts -> the records of a benchmark: what the user says into the sessions, what is right into the judgements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.instances import SourceData
from retrieval.benchmark import BenchmarkImage, RecordedSession, RecordedTurn, Split, Task

IN_GALLERY = frozenset({"product", "worn"})


def recorded_sessions(
    sessions: Sequence[DraftSession], splits: Sequence[Split], name: str
) -> tuple[list[RecordedSession], dict[str, dict[str, int]], dict[str, list[str]]]:
    """Sessions, judgements (all of grade 1) and the pools of ASFR queries."""
    recorded: list[RecordedSession] = []
    qrels: dict[str, dict[str, int]] = {}
    pools: dict[str, list[str]] = {}
    for number, (session, split) in enumerate(zip(sessions, splits, strict=True), 1):
        turns = tuple(_turn(turn, at) for at, turn in enumerate(session, 1))
        made = RecordedSession(f"{name}-{number:06d}", split, turns)
        recorded.append(made)
        for turn, draft in zip(turns, session, strict=True):
            query_id = made.query_id(turn)
            qrels[query_id] = dict.fromkeys(draft.positives or (draft.target,), 1)
            if draft.task is Task.ASFR:
                pools[query_id] = sorted((*draft.positives, *draft.negatives))
    return recorded, qrels, pools


def _turn(draft: DraftTurn, number: int) -> RecordedTurn:
    return RecordedTurn(
        turn_number=number,
        task=draft.task,
        dataset=draft.dataset,
        text=draft.text,
        chosen=draft.target,
        references=draft.references,
        rollback_to=draft.rollback_to,
        attribute=draft.attribute,
        origin=draft.origin,
    )


def benchmark_images(
    sources: Iterable[SourceData], usable: Mapping[str, int], sessions: Iterable[DraftSession]
) -> list[BenchmarkImage]:
    """All pictures that can be decoded. The gallery: products, worn ones, and whatever is a target or candidate."""
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
            in_gallery=image.kind in IN_GALLERY or image.image_id in wanted,
            product_id=image.product_id,
            caption=image.caption,
            attributes=image.attributes,
        )
        for source in sources
        for image in source.images.values()
        if image.image_id in usable
    ]

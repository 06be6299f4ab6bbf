"""Step 3: bridges become the same garment or a modification in words, searches by words are put in front, and what does
not hold is dropped (DIM-Fashion, section 3; constraints as in Algorithm 2, on the refined session)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.dim_fashion.split import Signature, signature
from builders.dim_fashion.walk import MAX_IN_A_ROW
from builders.instances import N_NEGATIVES, N_POSITIVES
from retrieval.benchmark import Task

if TYPE_CHECKING:
    from builders.dim_fashion.annotators import Annotator, BridgeReading

P_ENRICH = 0.25
"""Share of the sessions from a single product picture that get a search by words in front (ours): with all of them, the
first turns would be searches by words for the most part."""


@dataclass(frozen=True, slots=True)
class Refined:
    sessions: list[DraftSession]
    n_by_outcome: Mapping[str, int]
    """What became of the walks: "kept", "too short after refinement", "fell by the check of a turn", ..."""
    n_bridges: Mapping[str, int]
    """What the bridges that were walked turned out to be: "same", "modification", "nothing"."""


def refine(
    sessions: Sequence[DraftSession],
    annotator: Annotator,
    places: Mapping[str, int],
    max_turns: int,
    p_enrich: float,
    seed: int,
) -> Refined:
    """`places` maps image_id to the first of its duplicates; `seed` draws whom to enrich."""
    rng = random.Random(seed)
    readings = _readings(sessions, annotator)
    rewritten = [_rewrite(session, readings, places, max_turns) for session in sessions]
    enriched = _enrich([session for session in rewritten if len(session) >= 2], annotator, p_enrich, rng)
    different = _once_each([session[:max_turns] for session in enriched])
    kept, outcomes = _checked(different, annotator)
    outcomes["too short after refinement"] = len(sessions) - len(enriched)
    outcomes["the same as another"] = len(enriched) - len(different)
    n_bridges = Counter(
        "same" if r.is_same else "modification" if r.modification else "nothing" for r in readings.values()
    )
    return Refined(kept, +outcomes, n_bridges)


def _readings(sessions: Sequence[DraftSession], annotator: Annotator) -> dict[tuple[str, str], BridgeReading]:
    pairs = sorted({(turn.came_from, turn.references[0]) for session in sessions for turn in session if turn.came_from})
    return dict(zip(pairs, annotator.read_bridges(pairs), strict=True))


def _rewrite(
    session: DraftSession,
    readings: Mapping[tuple[str, str], BridgeReading],
    places: Mapping[str, int],
    max_turns: int,
) -> DraftSession:
    """The session up to the first turn that cannot be kept; turns gone back to are counted with those put between."""
    turns: list[DraftTurn] = []
    number_now = {0: 0}
    """Turn number in the walk -> number here."""
    for number, turn in enumerate(session, 1):
        back_to = number_now[turn.rollback_to] if turn.rollback_to else None
        new = _joined(replace(turn, rollback_to=back_to), readings, places)
        if not new or len(turns) + len(new) > max_turns or not _may_follow(turns, new, places):
            break
        turns += new
        number_now[number] = len(turns)
    return tuple(turns)


def _joined(
    turn: DraftTurn, readings: Mapping[tuple[str, str], BridgeReading], places: Mapping[str, int]
) -> list[DraftTurn]:
    """The turn as it is, or from the garment that the user has, or after a modification that leads to its reference."""
    if not turn.came_from:
        return [turn]
    reading = readings[turn.came_from, turn.references[0]]
    if reading.is_same:
        own = replace(turn, references=(turn.came_from,), came_from="")
        return _without_reference(own, places)
    if not reading.modification:
        return []
    modification = DraftTurn(
        task=Task.CIR,
        dataset=turn.dataset,
        text=reading.modification,
        target=turn.references[0],
        references=(turn.came_from,),
        rollback_to=turn.rollback_to,
        origin="bridge",
    )
    return [modification, replace(turn, came_from="", rollback_to=None)]


def _without_reference(turn: DraftTurn, places: Mapping[str, int]) -> list[DraftTurn]:
    """A pool never holds the reference; nothing is left when that makes it too small or takes the target."""
    at = places[turn.references[0]]
    if places[turn.target] == at:
        return []
    if turn.task is not Task.ASFR:
        return [turn]
    positives = tuple(picture for picture in turn.positives if places[picture] != at)
    negatives = tuple(picture for picture in turn.negatives if places[picture] != at)
    if len(positives) < N_POSITIVES[0] or len(negatives) < N_NEGATIVES:
        return []
    return [replace(turn, positives=positives, negatives=negatives)]


def _may_follow(turns: Sequence[DraftTurn], new: Sequence[DraftTurn], places: Mapping[str, int]) -> bool:
    """The constraints that turns put between could break: tasks in a row, and no new picture twice."""
    tasks = [turn.task for turn in (*turns, *new)]
    longest = MAX_IN_A_ROW + 1
    if any(len(set(tasks[at : at + longest])) == 1 for at in range(len(tasks) - longest + 1)):
        return False
    met = [places[r] for turn in turns[:1] for r in turn.references] + [places[turn.target] for turn in turns]
    own = [places[turn.target] for turn in new]
    return len({*met, *own}) == len({*met}) + len(own)


def _enrich(
    sessions: Sequence[DraftSession],
    annotator: Annotator,
    p_enrich: float,
    rng: random.Random,
) -> list[DraftSession]:
    """A search by words in front of some sessions that begin with the picture of one item."""
    chosen = [
        len(session[0].references) == 1
        and session[0].task not in {Task.STREET2SHOP, Task.SKETCH2IMG}
        and rng.random() < p_enrich
        for session in sessions
    ]
    pictures = sorted(
        {session[0].references[0] for session, is_chosen in zip(sessions, chosen, strict=True) if is_chosen}
    )
    texts = {
        picture: enrichment.text if enrichment.is_item_centric else ""
        for picture, enrichment in zip(pictures, annotator.enrich(pictures), strict=True)
    }
    return [
        _with_first_search(session, texts[session[0].references[0]])
        if is_chosen and texts[session[0].references[0]]
        else session
        for session, is_chosen in zip(sessions, chosen, strict=True)
    ]


def _with_first_search(session: DraftSession, text: str) -> DraftSession:
    first = session[0]
    search = DraftTurn(Task.T2I, first.dataset, text, target=first.references[0], origin="enrichment")
    later = (replace(turn, rollback_to=turn.rollback_to + 1) if turn.rollback_to else turn for turn in session)
    return (search, *later)


def _once_each(sessions: Sequence[DraftSession]) -> list[DraftSession]:
    """Sessions of the same retrievals in the same order count once; the first one stays."""
    kept: dict[tuple[Signature, ...], DraftSession] = {}
    for session in sessions:
        kept.setdefault(tuple(map(signature, session)), session)
    return list(kept.values())


def _checked(sessions: Sequence[DraftSession], annotator: Annotator) -> tuple[list[DraftSession], Counter[str]]:
    turns = list(dict.fromkeys(turn for session in sessions for turn in session))
    holds = dict(zip(turns, annotator.check_turns(turns), strict=True))
    sound = [session for session in sessions if all(holds[turn] for turn in session)]
    coherent = annotator.check_sessions(sound)
    kept = [session for session, is_coherent in zip(sound, coherent, strict=True) if is_coherent]
    return kept, Counter(
        {
            "kept": len(kept),
            "fell by the check of a turn": len(sessions) - len(sound),
            "fell by the check of the session": len(sound) - len(kept),
        }
    )

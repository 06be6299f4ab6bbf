"""What step 3 makes of a walk, with an annotator that answers as it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from builders.dim_fashion.annotators import BridgeReading, Enrichment
from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.dim_fashion.refine import refine
from retrieval.benchmark import Task


@dataclass
class ToldAnnotator:
    """Answers from what a test gives it."""

    readings: dict[tuple[str, str], BridgeReading] = field(default_factory=dict)
    not_item_centric: set[str] = field(default_factory=set)
    wrong_targets: set[str] = field(default_factory=set)
    incoherent_lengths: set[int] = field(default_factory=set)
    name: str = "told"

    def read_bridges(self, pairs: Sequence[tuple[str, str]]) -> list[BridgeReading]:
        return [self.readings[pair] for pair in pairs]

    def enrich(self, image_ids: Sequence[str]) -> list[Enrichment]:
        return [
            Enrichment(False) if picture in self.not_item_centric else Enrichment(True, f"words for {picture}")
            for picture in image_ids
        ]

    def check_turns(self, turns: Sequence[DraftTurn]) -> list[bool]:
        return [turn.target not in self.wrong_targets for turn in turns]

    def check_sessions(self, sessions: Sequence[DraftSession]) -> list[bool]:
        return [len(session) not in self.incoherent_lengths for session in sessions]


PLACES = {f"{name}{n}": 10 * ord(name) + n for name in "abcdefghxy" for n in range(10)}
PLACES |= {f"pool{n}": 5000 + n for n in range(60)}


def turn(task: Task, target: str, *references: str, came_from: str = "", **more) -> DraftTurn:
    return DraftTurn(task, f"set-{task}", f"to {target}", target, references, came_from=came_from, **more)


def refined(*sessions: DraftSession, annotator: ToldAnnotator | None = None, p_enrich: float = 0.0, max_turns: int = 8):
    return refine(sessions, annotator or ToldAnnotator(), PLACES, max_turns, p_enrich, seed=1)


FIRST = turn(Task.IN_SHOP, "a1", "a0")


def test_a_walk_without_bridges_stays_as_it_is() -> None:
    session = (FIRST, turn(Task.CIR, "a2", "a1"))
    assert refined(session).sessions == [session]


def test_the_same_garment_takes_the_place_of_the_reference() -> None:
    session = (FIRST, turn(Task.CIR, "b2", "b1", came_from="a1"))
    told = ToldAnnotator({("a1", "b1"): BridgeReading(True)})
    (out,) = refined(session, annotator=told).sessions
    assert out[1].references == ("a1",)
    assert out[1].came_from == ""
    assert len(out) == 2


def test_another_garment_becomes_a_modification_that_leads_to_it() -> None:
    session = (FIRST, turn(Task.COMPATIBLE, "b2", "b1", came_from="a1"))
    told = ToldAnnotator({("a1", "b1"): BridgeReading(False, "the same in navy")})
    (out,) = refined(session, annotator=told).sessions
    assert [(t.task, t.references, t.text, t.target, t.origin) for t in out[1:]] == [
        (Task.CIR, ("a1",), "the same in navy", "b1", "bridge"),
        (Task.COMPATIBLE, ("b1",), "to b2", "b2", "source"),
    ]


def test_a_bridge_of_which_nothing_can_be_said_ends_the_session() -> None:
    told = ToldAnnotator({("a1", "b1"): BridgeReading(False), ("a2", "b1"): BridgeReading(False)})
    short = (FIRST, turn(Task.CIR, "b2", "b1", came_from="a1"))
    longer = (FIRST, turn(Task.CIR, "a2", "a1"), turn(Task.ASFR, "b2", "b1", came_from="a2"))
    result = refined(short, longer, annotator=told)
    assert result.sessions == [longer[:2]]
    assert result.n_by_outcome == {"kept": 1, "too short after refinement": 1}
    assert result.n_bridges == {"nothing": 2}


def test_a_modification_put_between_moves_the_turn_that_a_rollback_names() -> None:
    told = ToldAnnotator({("a1", "b1"): BridgeReading(False, "in red")})
    session = (
        FIRST,
        turn(Task.COMPATIBLE, "b2", "b1", came_from="a1"),
        turn(Task.ASFR, "c1", "b2"),
        turn(Task.CIR, "d1", "b2", rollback_to=2),
    )
    (out,) = refined(session, annotator=told).sessions
    assert out[4].rollback_to == 3
    assert out[out[4].rollback_to - 1].target == out[4].references[0] == "b2"


def test_a_rollback_over_a_bridge_goes_back_with_the_modification() -> None:
    told = ToldAnnotator({("a1", "b1"): BridgeReading(False, "in red")})
    session = (FIRST, turn(Task.COMPATIBLE, "c1", "a1"), turn(Task.CIR, "b2", "b1", came_from="a1", rollback_to=1))
    (out,) = refined(session, annotator=told).sessions
    assert [t.rollback_to for t in out] == [None, None, 1, None]
    assert [t.text for t in out[2:]] == ["in red", "to b2"]


def test_no_three_modifications_in_a_row_come_of_it() -> None:
    told = ToldAnnotator({("a2", "b1"): BridgeReading(False, "in red")})
    session = (FIRST, turn(Task.CIR, "a2", "a1"), turn(Task.CIR, "b2", "b1", came_from="a2"))
    assert refined(session, annotator=told).sessions == [session[:2]]


def test_a_picture_that_was_a_target_is_not_led_to_again() -> None:
    told = ToldAnnotator({("a2", "a0"): BridgeReading(False, "in red")})
    session = (FIRST, turn(Task.ASFR, "a2", "a1"), turn(Task.COMPATIBLE, "b2", "a0", came_from="a2"))
    assert refined(session, annotator=told).sessions == [session[:2]]


def test_sessions_stay_within_the_longest_length() -> None:
    told = ToldAnnotator({("a1", "b1"): BridgeReading(False, "in red")})
    session = (FIRST, turn(Task.COMPATIBLE, "b2", "b1", came_from="a1"), turn(Task.ASFR, "c1", "b2"))
    assert [len(s) for s in refined(session, annotator=told, max_turns=3).sessions] == [3]
    assert [len(s) for s in refined(session, p_enrich=1.0, annotator=told, max_turns=4).sessions] == [4]


def test_the_pool_never_holds_the_picture_that_takes_the_place_of_the_reference() -> None:
    told = ToldAnnotator({("a1", "b1"): BridgeReading(True)})
    pool = tuple(f"pool{n}" for n in range(57))
    asfr = turn(Task.ASFR, "b2", "b1", came_from="a1", positives=("a1", "b2", *pool[:6]), negatives=pool[6:56])
    (out,) = refined((FIRST, asfr), annotator=told).sessions
    assert out[1].positives == ("b2", *pool[:6])
    small = turn(Task.ASFR, "b2", "b1", came_from="a1", positives=("a1", "b2", *pool[:5]), negatives=pool[6:56])
    assert refined((FIRST, small), annotator=told).sessions == []


@pytest.mark.parametrize("task", [Task.IN_SHOP, Task.CIR, Task.ASFR, Task.COMPATIBLE])
def test_a_search_by_words_is_put_before_a_single_product_picture(task: Task) -> None:
    session = (turn(task, "a1", "a0"), turn(Task.ASFR, "a2", "a1"), turn(Task.CIR, "d1", "a1", rollback_to=1))
    (out,) = refined(session, p_enrich=1.0).sessions
    assert (out[0].task, out[0].text, out[0].references, out[0].target) == (Task.T2I, "words for a0", (), "a0")
    assert out[0].origin == "enrichment"
    assert out[3].rollback_to == 2


@pytest.mark.parametrize(
    "first",
    [
        turn(Task.SKETCH2IMG, "a1", "a0"),
        turn(Task.STREET2SHOP, "a1", "a0"),
        turn(Task.COMPATIBLE, "a1", "a0", "b0"),
        turn(Task.T2I, "a1"),
        turn(Task.IN_SHOP, "a1", "x0"),
    ],
)
def test_none_is_put_before_other_beginnings(first: DraftTurn) -> None:
    session = (first, turn(Task.CIR, "a2", "a1"))
    assert refined(session, p_enrich=1.0, annotator=ToldAnnotator(not_item_centric={"x0"})).sessions == [session]


def test_a_session_falls_when_one_turn_does_or_when_it_does_not_hold_together() -> None:
    good, other = (FIRST, turn(Task.CIR, "a2", "a1")), (turn(Task.CIR, "c2", "c1"), turn(Task.ASFR, "d1", "c2"))
    long = (*good, turn(Task.ASFR, "e1", "a2"))
    told = ToldAnnotator(wrong_targets={"d1"}, incoherent_lengths={3})
    result = refined(good, other, long, annotator=told)
    assert result.sessions == [good]
    assert result.n_by_outcome == {"kept": 1, "fell by the check of a turn": 1, "fell by the check of the session": 1}


def test_sessions_that_ask_the_same_count_once() -> None:
    session = (FIRST, turn(Task.CIR, "a2", "a1"))
    result = refined(session, session)
    assert result.sessions == [session]
    assert result.n_by_outcome == {"kept": 1, "the same as another": 1}

from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent.limits import Desk, Limits, Pace
from agent.measures import Measures
from retrieval.errors import BusyError, MessageError

PATIENCE = 20.0


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def measures() -> Measures:
    return Measures()


def desk_of(measures: Measures, **limits: float) -> Desk:
    return Desk(measures, Limits(**{"at_once": 1, "burst": 1000, "wait_seconds": PATIENCE, **limits}))  # type: ignore[arg-type]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as visitors:
        yield visitors


def count(measures: Measures, outcome: str) -> float:
    line = f'dimity_turns_total{{outcome="{outcome}"}} '
    return next(float(text.removeprefix(line)) for text in measures.text().splitlines() if text.startswith(line))


# --- a visitor's pace ---


def test_a_burst_passes_and_what_follows_has_to_wait_as_long_as_is_said() -> None:
    clock = Clock()
    pace = Pace(3, 60, clock)
    assert [pace.take("a") for _ in range(3)] == [0, 0, 0]
    pause = pace.take("a")
    assert pause == pytest.approx(1)
    clock.now += pause
    assert pace.take("a") == 0
    assert pace.take("a") > 0


def test_being_refused_costs_nothing() -> None:
    clock = Clock()
    pace = Pace(1, 60, clock)
    pace.take("a")
    for _ in range(100):
        assert pace.take("a") > 0
    clock.now += 1
    assert pace.take("a") == 0


def test_one_visitors_haste_is_not_anothers() -> None:
    pace = Pace(1, 60, Clock())
    assert pace.take("a") == 0
    assert pace.take("a") > 0
    assert pace.take("b") == 0


def test_visitors_who_have_rested_are_forgotten() -> None:
    clock = Clock()
    pace = Pace(5, 60, clock)
    for number in range(1000):
        pace.take(str(number))
    clock.now += 6
    pace.take("late")
    assert len(pace) == 1


# --- turns ---


def test_a_turn_gives_its_answer_and_is_counted(measures: Measures) -> None:
    assert desk_of(measures).run("a", lambda: 42) == 42
    assert count(measures, "answered") == 1
    assert "dimity_turn_seconds_count 1.0" in measures.text()


def test_our_own_errors_and_bugs_come_through_and_are_told_apart(measures: Measures) -> None:
    desk = desk_of(measures)

    def refuse() -> None:
        raise MessageError("Say something.")

    with pytest.raises(MessageError, match="Say something"):
        desk.run("a", refuse)
    with pytest.raises(ZeroDivisionError):
        desk.run("a", lambda: 1 / 0)
    assert (count(measures, "refused"), count(measures, "failed")) == (1, 1)


def test_a_turn_sees_what_its_caller_had_set(measures: Measures) -> None:
    language = contextvars.ContextVar("language", default="none")
    language.set("en")
    assert desk_of(measures).run("a", language.get) == "en"


def test_no_more_turns_run_at_once_than_are_allowed(measures: Measures, pool: ThreadPoolExecutor) -> None:
    desk = desk_of(measures, at_once=2)
    lock, both = threading.Lock(), threading.Barrier(2)
    now = most = 0

    def turn() -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        both.wait(PATIENCE)  # in pairs: fewer than two at once would never pass
        with lock:
            now -= 1

    list(pool.map(lambda n: desk.run(str(n), turn), range(8)))
    assert most == 2


def test_where_too_many_wait_the_next_is_told_at_once_how_many(measures: Measures, pool: ThreadPoolExecutor) -> None:
    desk = desk_of(measures, waiting=2)
    begun, go_on = threading.Event(), threading.Event()
    first = pool.submit(desk.run, "a", lambda: (begun.set(), go_on.wait(PATIENCE)))
    assert begun.wait(PATIENCE)
    waiting = [pool.submit(desk.run, name, lambda: "late") for name in "bc"]
    while "dimity_turns_waiting 2.0" not in measures.text():
        assert not first.done()
    with pytest.raises(BusyError, match="2 requests are waiting"):
        desk.run("d", lambda: "never")
    go_on.set()
    assert [future.result(PATIENCE) for future in waiting] == ["late", "late"]
    assert count(measures, "busy") == 1
    assert "dimity_turns_waiting 0.0" in measures.text()


def test_a_turn_that_is_not_begun_in_time_is_never_begun(measures: Measures, pool: ThreadPoolExecutor) -> None:
    desk = desk_of(measures, wait_seconds=0.05)
    begun, go_on, ran = threading.Event(), threading.Event(), threading.Event()
    first = pool.submit(desk.run, "a", lambda: (begun.set(), go_on.wait(PATIENCE)))
    assert begun.wait(PATIENCE)
    with pytest.raises(BusyError, match="was not begun"):
        desk.run("b", ran.set)
    go_on.set()
    first.result(PATIENCE)
    desk.run("c", lambda: None)  # after it in the queue
    assert not ran.is_set()


def test_a_turn_that_takes_too_long_is_given_up_but_keeps_its_place(
    measures: Measures, pool: ThreadPoolExecutor
) -> None:
    desk = desk_of(measures, turn_seconds=0.05, wait_seconds=0.05)
    go_on = threading.Event()
    with pytest.raises(BusyError, match="took longer than"):
        desk.run("a", lambda: go_on.wait(PATIENCE))
    with pytest.raises(BusyError, match="was not begun"):
        desk.run("b", lambda: None)
    go_on.set()
    assert count(measures, "too slow") == 1


def test_haste_is_refused_before_it_takes_a_place(measures: Measures) -> None:
    desk = desk_of(measures, burst=2, per_minute=0.001)
    for _ in range(2):
        desk.run("a", lambda: None)
    with pytest.raises(BusyError, match="a lot at once"):
        desk.run("a", lambda: pytest.fail("it ran"))
    assert desk.run("b", lambda: 1) == 1
    assert count(measures, "too fast") == 1


def test_a_desk_that_is_closed_begins_nothing(measures: Measures) -> None:
    desk = desk_of(measures)
    desk.close()
    with pytest.raises(RuntimeError):
        desk.run("a", lambda: pytest.fail("it ran"))

"""How much work the shop takes on: turns at once, time for each, a pace for each visitor; beyond that, "busy"."""

from __future__ import annotations

import contextvars
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

from agent.measures import Measures
from retrieval.errors import BusyError, FashionSearchError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process takes on."""

    at_once: int = max(2, os.cpu_count() or 2)
    """Turns that are worked on side by side."""
    waiting: int = 24
    """Turns that may wait for their start; more are told at once that the shop is busy."""
    wait_seconds: float = 15.0
    """Longest wait for a start."""
    turn_seconds: float = 30.0
    """Longest time for an answer once it was begun."""
    burst: int = 20
    """Actions that one visitor may do in a row without any pause."""
    per_minute: float = 60.0
    """Actions a minute that a visitor may go on with."""


class Pace:
    """How often each visitor may act: a bucket of `burst` for each, which fills again by `per_minute`."""

    def __init__(self, burst: int, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = float(burst)
        self._per_second = per_minute / 60
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}
        """Visitor -> what was left in the bucket, and when."""
        self._forget_at = clock() + self._full_after()

    def take(self, visitor: str) -> float:
        """Seconds that this visitor has to wait; 0 when the action may be done now, which then counts."""
        with self._lock:
            now = self._clock()
            if now >= self._forget_at:
                self._forget(now)
            left, since = self._buckets.get(visitor, (self._burst, now))
            left = min(self._burst, left + (now - since) * self._per_second)
            if left < 1:
                return (1 - left) / self._per_second
            self._buckets[visitor] = (left - 1, now)
            return 0.0

    def __len__(self) -> int:
        """Visitors that are remembered."""
        return len(self._buckets)

    def _full_after(self) -> float:
        return self._burst / self._per_second

    def _forget(self, now: float) -> None:
        """A bucket that is full again says nothing: what is kept is bounded by the pace of arrivals."""
        rested = now - self._full_after()
        self._buckets = {visitor: bucket for visitor, bucket in self._buckets.items() if bucket[1] > rested}
        self._forget_at = now + self._full_after()


class Desk:
    """Takes turns in, in their order; each runs in a thread of the desk's own, so that nobody waits for ever."""

    def __init__(self, measures: Measures | None = None, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.measures = measures or Measures()
        self._pace = Pace(self._limits.burst, self._limits.per_minute)
        self._workers = ThreadPoolExecutor(self._limits.at_once, thread_name_prefix="turn")
        self._lock = threading.Lock()
        self._n_waiting = 0

    def run(self, visitor: str, turn: Callable[[], T]) -> T:
        """What `turn()` returns or raises. Raises BusyError when it is not begun or not finished in time.

        A turn that takes too long goes on in its thread and keeps its place there, so that such turns cannot pile up.
        """
        began = time.perf_counter()
        outcome = "failed"
        try:
            answer = self._answer(visitor, turn)
            outcome = "answered"
            return answer
        except BusyError as error:
            outcome = error.reason
            raise
        except FashionSearchError:
            outcome = "refused"
            raise
        finally:
            self.measures.turn(outcome, time.perf_counter() - began)

    def close(self) -> None:
        """Begins nothing more; does not wait for what is running."""
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _answer(self, visitor: str, turn: Callable[[], T]) -> T:
        if (pause := self._pace.take(visitor)) > 0:
            raise BusyError(f"That was a lot at once. Go on in {_seconds(pause)}.", reason="too fast")
        begun = threading.Event()
        future = self._enqueue(begun, turn)
        self._await_start(future, begun)
        done, _ = wait([future], timeout=self._limits.turn_seconds)
        if not done:
            raise BusyError(
                f"This took longer than {_seconds(self._limits.turn_seconds)} and was given up. "
                "Try again, or ask for less at once.",
                reason="too slow",
            )
        return future.result()

    def _enqueue(self, begun: threading.Event, turn: Callable[[], T]) -> Future[T]:
        with self._lock:
            if self._n_waiting >= self._limits.waiting:
                raise BusyError(
                    f"The shop is busy: {self._n_waiting} requests are waiting before yours. Try again in a moment.",
                    reason="busy",
                )
            self._n_waiting += 1
            self.measures.waiting(self._n_waiting)
        context = contextvars.copy_context()

        def work() -> T:
            begun.set()
            with self.measures.running():
                return context.run(turn)

        return self._workers.submit(work)

    def _await_start(self, future: Future[T], begun: threading.Event) -> None:
        try:
            if not begun.wait(self._limits.wait_seconds) and future.cancel():
                raise BusyError(
                    f"The shop is busy: your request waited {_seconds(self._limits.wait_seconds)} and was not begun. "
                    "Try again in a moment.",
                    reason="busy",
                )
        finally:
            with self._lock:
                self._n_waiting -= 1
                self.measures.waiting(self._n_waiting)


def _seconds(seconds: float) -> str:
    whole = max(1, round(seconds))
    return "a second" if whole == 1 else f"{whole} seconds"

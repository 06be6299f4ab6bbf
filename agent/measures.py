"""What the running shop counts, for Prometheus: turns and how they ended, times, waiting, memory. No words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
OUTCOMES = ("answered", "refused", "busy", "too fast", "too slow", "failed")
"""`refused`: one of our own errors, told to the visitor; `failed`: a bug."""
BOUNDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds."""


class Measures:
    """Of one shop. Safe to use from several threads."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._turns = Counter("dimity_turns", "Turns by how they ended", ["outcome"], registry=self._registry)
        self._seconds = Histogram(
            "dimity_turn_seconds", "From a request to its answer, waiting included", buckets=BOUNDS,
            registry=self._registry,
        )  # fmt: skip
        self._waiting = Gauge("dimity_turns_waiting", "Turns that are not begun yet", registry=self._registry)
        self._running = Gauge("dimity_turns_running", "Turns that are being worked on", registry=self._registry)
        ProcessCollector(registry=self._registry)
        for outcome in OUTCOMES:  # so that a rate can be computed from the first turn on
            self._turns.labels(outcome)

    def turn(self, outcome: str, seconds: float) -> None:
        self._turns.labels(outcome).inc()
        if outcome == "answered":
            self._seconds.observe(seconds)

    def waiting(self, count: int) -> None:
        self._waiting.set(count)

    @contextmanager
    def running(self) -> Iterator[None]:
        self._running.inc()
        try:
            yield
        finally:
            self._running.dec()

    def watch(self, name: str, description: str, value: Callable[[], float]) -> None:
        """`value` is asked for each time somebody collects; `name` begins with dimity_."""
        Gauge(name, description, registry=self._registry).set_function(value)

    def text(self) -> str:
        """Prometheus' text format."""
        return generate_latest(self._registry).decode()

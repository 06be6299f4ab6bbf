"""A small benchmark by hand: three sessions, one a split, that keep every rule between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from builders.dim_fashion.writing import write_benchmark
from retrieval.benchmark import (
    Benchmark,
    BenchmarkImage,
    PictureKind,
    RecordedSession,
    RecordedTurn,
    Task,
    read_benchmark,
)

PRODUCTS = [f"iq/{number}" for number in range(1, 13)] + [f"shop/{number}" for number in range(1, 5)]
CANDIDATES = [f"ai/{number:02}" for number in range(1, 59)]
"""The first eight are positives."""


@dataclass
class Parts:
    """What a folder is written from, open to be spoilt."""

    sessions: list[RecordedSession]
    images: dict[str, BenchmarkImage]
    qrels: dict[str, dict[str, int]]
    pools: dict[str, list[str]]
    card: dict[str, Any]

    def turn(self, session: int, number: int) -> RecordedTurn:
        return self.sessions[session].turns[number - 1]

    def change(self, session: int, number: int, **fields: Any) -> None:
        """Replace fields of one turn, by its position from 1, and nothing else."""
        turns = list(self.sessions[session].turns)
        turns[number - 1] = replace(turns[number - 1], **fields)
        self.sessions[session] = replace(self.sessions[session], turns=tuple(turns))

    def choose(self, session: int, number: int, picture: str) -> None:
        """Another target, with its judgement and with the turns that start from it."""
        old = self.turn(session, number).chosen
        for turn in self.sessions[session].turns[number:]:
            if turn.references == (old,):
                self.change(session, turn.turn_number, references=(picture,))
        self.change(session, number, chosen=picture)
        self.qrels[f"{self.sessions[session].session_id}/{number}"] = {picture: 1}

    def add(self, session: int, turn: RecordedTurn) -> None:
        """One more turn at the end, with its judgement."""
        self.sessions[session] = replace(self.sessions[session], turns=(*self.sessions[session].turns, turn))
        self.qrels[self.sessions[session].query_id(turn)] = {turn.chosen: 1}

    def write(self, folder: Path) -> Benchmark:
        write_benchmark(folder, self.sessions, self.images.values(), self.qrels, self.pools, self.card, {})
        return read_benchmark(folder)


def _sessions() -> list[RecordedSession]:
    words = (
        RecordedTurn(1, Task.T2I, "iq", "a red dress", "iq/1", origin="enrichment"),
        RecordedTurn(2, Task.CIR, "iq", "shorter", "iq/2", ("iq/1",)),
        RecordedTurn(3, Task.CIR, "iq", "the same in navy", "iq/3", ("iq/2",), origin="bridge"),
        RecordedTurn(4, Task.ASFR, "ai", "the same neckline", "ai/01", ("iq/3",), attribute="neckline"),
        RecordedTurn(5, Task.CIR, "iq", "go back to turn 2, then with sleeves", "iq/4", ("iq/2",), rollback_to=2),
    )
    sketch = (
        RecordedTurn(1, Task.SKETCH2IMG, "sketches", "the shoe that I drew", "iq/5", ("sketches/1",)),
        RecordedTurn(2, Task.IN_SHOP, "shop", "the same from the side", "shop/1", ("iq/5",)),
        RecordedTurn(3, Task.COMPATIBLE, "vc", "what goes with it", "iq/6", ("shop/1",)),
    )
    outfit = (
        RecordedTurn(1, Task.COMPATIBLE, "vc", "what completes this", "iq/8", ("shop/2", "shop/3")),
        RecordedTurn(2, Task.CIR, "iq", "in black", "iq/9", ("iq/8",)),
    )
    return [
        RecordedSession("s1", "train", words),
        RecordedSession("s2", "val", sketch),
        RecordedSession("s3", "test", outfit),
    ]


def _images() -> dict[str, BenchmarkImage]:
    kinds: dict[str, PictureKind] = {"sketches/1": "sketch", "street/1": "street"}
    pictures = [BenchmarkImage(name, name.split("/")[0], f"{name}.jpg", kind) for name, kind in kinds.items()]
    pictures += [
        BenchmarkImage(name, name.split("/")[0], f"{name}.jpg", in_gallery=True) for name in PRODUCTS + CANDIDATES
    ]
    return {picture.image_id: picture for picture in pictures}


@pytest.fixture
def parts() -> Parts:
    sessions = _sessions()
    qrels = {session.query_id(turn): {turn.chosen: 1} for session in sessions for turn in session.turns}
    qrels["s1/4"] = dict.fromkeys(CANDIDATES[:8], 1)
    card = {"name": "By hand", "seed": 1, "settings": {"max_turns": 8, "threshold": 0.8}}
    return Parts(sessions, _images(), qrels, {"s1/4": list(CANDIDATES)}, card)


@pytest.fixture
def read(parts: Parts, tmp_path: Path) -> Callable[[], Benchmark]:
    """The parts as they are now, through the files."""
    return lambda: parts.write(tmp_path / "benchmark")

"""Splits: whole components, no signature twice, about 7:1:2."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from builders.dim_fashion import split as split_module
from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.dim_fashion.split import signature, split_sessions
from retrieval.benchmark import Task
from retrieval.errors import BenchmarkError


def session(*numbers: int) -> DraftSession:
    return tuple(DraftTurn(Task.CIR, "set", f"text {n}", f"t{n}", (f"r{n}",)) for n in numbers)


def many(n: int, shared: float, seed: int = 0) -> list[DraftSession]:
    """Sessions of three turns, some of which stand in others too."""
    rng = random.Random(seed)
    return [
        session(*(rng.randrange(60) if rng.random() < shared else 1000 + 3 * i + j for j in range(3))) for i in range(n)
    ]


def test_a_signature_folds_case_and_blanks_and_sorts_references() -> None:
    one = DraftTurn(Task.COMPATIBLE, "set", "  Shoes  FOR this ", "t", ("b", "a"))
    other = DraftTurn(Task.COMPATIBLE, "other", "shoes for this", "t", ("a", "b"))
    assert signature(one) == signature(other)


def test_sessions_that_share_a_retrieval_stay_together() -> None:
    sessions = many(600, 0.1)
    splits = split_sessions(sessions, seed=1).splits
    found: dict[object, set[str]] = {}
    for one, split in zip(sessions, splits, strict=True):
        for turn in one:
            found.setdefault(signature(turn), set()).add(split)
    assert all(len(names) == 1 for names in found.values())


def test_shares_are_about_seven_to_one_to_two() -> None:
    splits = Counter(split_sessions(many(1000, 0.02), seed=1).splits)
    assert splits["train"] == pytest.approx(700, abs=20)
    assert splits["val"] == pytest.approx(100, abs=20)
    assert splits["test"] == pytest.approx(200, abs=20)


def test_components_and_signatures_are_counted() -> None:
    found = split_sessions([session(1, 2), session(2, 3), session(4, 5), session(6, 7), session(7, 8)], seed=1)
    assert (found.n_signatures, found.n_unique_signatures, found.n_components, found.n_singles) == (10, 8, 3, 1)


def test_equal_seeds_split_equally() -> None:
    sessions = many(300, 0.05)
    assert split_sessions(sessions, seed=5) == split_sessions(sessions, seed=5)
    assert split_sessions(sessions, seed=5).splits != split_sessions(sessions, seed=6).splits


def test_a_leak_fails_the_build(monkeypatch) -> None:
    monkeypatch.setattr(split_module, "_assign", lambda *_: ("train", "test"))
    with pytest.raises(BenchmarkError, match="two splits"):
        split_sessions([session(1, 2), session(2, 3)], seed=1)

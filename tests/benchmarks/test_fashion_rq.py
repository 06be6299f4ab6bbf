"""The timed build of FASHION-RQ on made-up products goes through every step."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.fashion_rq import REPEATS, Step, main, make_listings, measure


def test_products_follow_the_seed_and_some_repeat_a_name() -> None:
    made = make_listings(70, 1)
    assert made == make_listings(70, 1) != make_listings(70, 2)
    assert len({listing.name for listing in made}) == 70 - 70 // REPEATS


def test_every_step_is_timed_and_the_audit_finds_nothing(tmp_path: Path) -> None:
    steps: list[Step] = []
    measure(6000, 12, tmp_path / "out", steps.append)
    names = ["make up", "clusters", "plan", "queries", "candidates", "write", "read", "audit", "stats"]
    assert [step.name for step in steps] == names
    assert steps[names.index("audit")].said == "0 violations"
    assert all(step.peak_mb > 0 for step in steps)


def test_nothing_cannot_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--n", "0"])
    assert "at least 1" in capsys.readouterr().err

from __future__ import annotations

import pytest

from benchmarks.search import compare, main


@pytest.mark.parametrize("uniform", [False, True])
def test_every_way_finds_what_the_exact_ranking_has(uniform: bool) -> None:
    found = list(compare(400, 16, 3, uniform=uniform))
    assert {(name, filtered) for name, filtered, _, _ in found} == {
        (name, filtered)
        for name in ("memory", "lance flat", "lance indexed", "faiss flat")
        for filtered in (False, True)
    }
    for name, filtered, timing, ratio in found:
        assert timing.recall >= 0.99, (name, filtered)
        assert ratio > 0


def test_the_table_has_a_line_for_each_way_and_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--sizes", "50", "60", "--dim", "8", "--queries", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * 4 * 2

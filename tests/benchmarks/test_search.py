from __future__ import annotations

import numpy as np
import pytest

from benchmarks.search import compare, exact, main, make_gallery, matmul, measure


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


@pytest.mark.parametrize("option", ["--sizes", "--dim", "--queries"])
def test_nothing_cannot_be_measured(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([option, "0"])
    assert "0 is not a positive number" in capsys.readouterr().err


def test_a_way_that_misses_what_it_should_find_is_seen() -> None:
    gallery = make_gallery(40, 8, 2, uniform=True)

    def half(query: np.ndarray[tuple[int], np.dtype[np.float32]], filtered: bool) -> list[str]:
        return sorted(exact(gallery, query, filtered=filtered))[:5]

    assert measure(half, gallery, 0, filtered=False).recall == 0.5
    assert measure(matmul(gallery), gallery, 0, filtered=False).recall == 0


def test_the_table_has_a_line_for_each_way_and_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--sizes", "50", "60", "--dim", "8", "--queries", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * 4 * 2

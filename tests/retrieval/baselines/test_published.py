from __future__ import annotations

import pytest

from retrieval.baselines.published import (
    FASHION_AM_4B,
    PUBLISHED_ABLATION,
    PUBLISHED_DIM_FASHION,
    PUBLISHED_MT_FASHION_IQ,
    PUBLISHED_SCOPE,
    PublishedRow,
)

DIFFERENCES = {
    "MAI": {"success@5": 0.088, "success@8": 0.088},
    "ImageScope": {"success@5": 0.070, "success@8": 0.083},
    "Qwen3.5-4B (textification)": {"success@5/street2shop": 0.231, "success@5/sketch2img": 0.096},
}


def row_of(rows: tuple[PublishedRow, ...], system: str) -> PublishedRow:
    (found,) = [row for row in rows if row.system == system]
    return found


@pytest.mark.parametrize("system", DIFFERENCES)
def test_resolved_figures_are_fashion_ams_less_the_published_difference(system: str) -> None:
    row, ours = row_of(PUBLISHED_DIM_FASHION, system), row_of(PUBLISHED_DIM_FASHION, FASHION_AM_4B)
    assert set(row.resolved) == set(DIFFERENCES[system])
    for key, difference in DIFFERENCES[system].items():
        assert row.figures[key] == pytest.approx(ours.figures[key] - difference, abs=1e-9)


def test_the_default_scope_is_the_row_of_the_main_table() -> None:
    ours, scope = row_of(PUBLISHED_DIM_FASHION, FASHION_AM_4B), row_of(PUBLISHED_SCOPE, "last 2 picture layers")
    assert {key: ours.figures[key] for key in scope.figures} == scope.figures


def test_the_ablation_stands_in_its_order() -> None:
    overall = [row.figures["success@5"] for row in PUBLISHED_ABLATION]
    assert overall == sorted(overall)


def test_rows_without_figures_say_so() -> None:
    rows = (*PUBLISHED_DIM_FASHION, *PUBLISHED_ABLATION, *PUBLISHED_MT_FASHION_IQ, *PUBLISHED_SCOPE)
    assert [row.system for row in rows if not row.figures] == ["IRR", "FashionNTM"]
    assert all("not at hand" in row.source for row in rows if not row.figures)
    assert all(0 < value < 1 for row in rows for value in row.figures.values())

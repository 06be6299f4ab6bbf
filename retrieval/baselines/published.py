"""What is published of FashionAM and the systems beside it, as rows for tables: other data, other sizes than ours.

From the text of "Diverse-Intent Multi-Turn Fashion Image Retrieval" (its Tables 9 and 10, and what its section 5 says
of Tables 3 and 4, whose cells are not among what is at hand). Values lie in 0 to 1; the paper's R@k with one right
answer is success@k, and ASFR's mAP is ranked within pools. A key ends in `/<task>` or `/<category>` where the figure
is of a part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One system; a row without figures is of a system whose figures are not at hand, and `source` says so."""

    system: str
    figures: Figures
    source: str
    resolved: tuple[str, ...] = ()
    """Keys of `figures` that the paper gives as differences only: FashionAM's figure less the difference."""
    behind: Figures = field(default_factory=dict)
    """By how much FashionAM is ahead (negative: behind) where neither figure is at hand."""


FASHION_AM_4B = "FashionAM (Qwen3.5-4B)"
FASHION_AM_9B = "FashionAM (Qwen3.5-9B)"
_MAIN = "section 5, Main Comparison on DIM-Fashion (of Table 3)"

PUBLISHED_DIM_FASHION: tuple[PublishedRow, ...] = (
    PublishedRow(
        "MAI",
        {"success@5": 0.422, "success@8": 0.513},
        _MAIN,
        resolved=("success@5", "success@8"),
        behind={"success@5/cir": 0.092},
    ),
    PublishedRow(
        "Qwen3.5-4B (textification)",
        {"success@5/street2shop": 0.350, "success@5/sketch2img": 0.109},
        f"{_MAIN}; better than FashionAM on text-to-image, by how much is not at hand",
        resolved=("success@5/street2shop", "success@5/sketch2img"),
    ),
    PublishedRow(
        "ImageScope",
        {"success@5": 0.440, "success@8": 0.518, "success@5/street2shop": 0.138, "success@5/sketch2img": 0.006},
        _MAIN,
        resolved=("success@5", "success@8"),
        behind={"success@5/cir": 0.037},
    ),
    PublishedRow(
        FASHION_AM_4B,
        {
            "success@1": 0.197,
            "success@5": 0.510,
            "success@8": 0.601,
            "mAP": 0.547,
            "success@5/street2shop": 0.581,
            "success@5/sketch2img": 0.205,
        },
        f"Table 9 (its default scope); by task: {_MAIN}",
    ),
)
"""Over all turns but ASFR's, full gallery; mAP over ASFR's. Dialog Manager, CFIR and OpenFlamingo stand in Table 3 with
figures that are not at hand."""


def _categories(overall: float, dress: float, shirt: float, toptee: float) -> Figures:
    return {
        "success@5": overall,
        "success@5/dress": dress,
        "success@5/shirt": shirt,
        "success@5/toptee": toptee,
    }


PUBLISHED_ABLATION: tuple[PublishedRow, ...] = (
    PublishedRow("without stages 1 and 2", _categories(0.470, 0.443, 0.476, 0.503), "Table 10"),
    PublishedRow("without stage 2", _categories(0.489, 0.452, 0.493, 0.535), "Table 10"),
    PublishedRow("without stage 1", _categories(0.552, 0.545, 0.529, 0.583), "Table 10"),
    PublishedRow("without the pair loss", _categories(0.557, 0.566, 0.533, 0.567), "Table 10"),
    PublishedRow(FASHION_AM_4B, _categories(0.563, 0.564, 0.537, 0.586), "Table 10"),
    PublishedRow(FASHION_AM_9B, _categories(0.572, 0.566, 0.555, 0.595), "Table 10"),
)
"""On MT-FashionIQ; of the same ablation on DIM-Fashion (Table 5) only the order is told, which is this one."""

_TABLE_4 = "in Table 4 as its own paper reports it; its figures are not at hand"
PUBLISHED_MT_FASHION_IQ: tuple[PublishedRow, ...] = (
    PublishedRow("IRR", {}, _TABLE_4),
    PublishedRow("FashionNTM", {}, f"{_TABLE_4} (its abstract: 50.5 % better than CFIR, relatively)"),
    *(row for row in PUBLISHED_ABLATION if row.system in (FASHION_AM_4B, FASHION_AM_9B)),
)
"""One query a session, each category's own gallery; `success@5` without a part is over all sessions."""


def _scope(at_1: float, at_5: float, at_8: float, mean_precision: float) -> Figures:
    return {"success@1": at_1, "success@5": at_5, "success@8": at_8, "mAP": mean_precision}


PUBLISHED_SCOPE: tuple[PublishedRow, ...] = (
    PublishedRow("last 2 picture layers and the text tower", _scope(0.190, 0.470, 0.564, 0.510), "Table 9"),
    PublishedRow("all picture layers", _scope(0.189, 0.470, 0.551, 0.503), "Table 9"),
    PublishedRow("last picture layer", _scope(0.188, 0.498, 0.594, 0.543), "Table 9"),
    PublishedRow("last 2 picture layers", _scope(0.197, 0.510, 0.601, 0.547), "Table 9"),
    PublishedRow("last 3 picture layers", _scope(0.200, 0.518, 0.600, 0.543), "Table 9"),
)
"""What stage 2 trains, on DIM-Fashion; the last two layers are FashionAM's default."""

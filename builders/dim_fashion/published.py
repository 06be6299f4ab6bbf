"""What is published about DIM-Fashion and about earlier data sets of sessions, to stand beside the figures of a build.

From the text of "Diverse-Intent Multi-Turn Fashion Image Retrieval" (its Tables 6 to 8 and sections on refinement and
split), and counts of MT-FashionIQ's released files. The values of its Tables 1 and 2 are not among them.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.benchmark import Split, Task

N_SESSIONS = 26_748
N_TURNS = 110_841
N_IMAGES = 36_205
N_DROPPED_SESSIONS = 21_218
"""Fell in the turn check or the session check; `N_SESSIONS` stayed."""
N_SIGNATURES = 63_049
"""Unique, of as many as there are turns."""
N_COMPONENTS = 6_477
N_SINGLE_COMPONENTS = 4_797


@dataclass(frozen=True, slots=True)
class SessionSet:
    """A row of Table 1; "" stands where nothing is published."""

    name: str
    n_sessions: int | None
    n_turns: int | None
    tasks: str
    queries: str
    """Forms of a query."""
    lengths: str
    rollback: str
    source: str


SESSION_SETS = (
    SessionSet("MT-FashionIQ", 11_506, 26_507, "1", "picture + words", "2 to 4", "no", "counted in its released files"),
    SessionSet(
        "FashionMT", None, None, "1", "picture + words", "3 to 4", "yes", "its released code; data not released"
    ),
    SessionSet(
        "DIM-Fashion",
        N_SESSIONS,
        N_TURNS,
        "7",
        "words; picture, sketch, street photo or outfit + words",
        "2 to 8",
        "yes",
        "the paper",
    ),
)
"""MT-FashionIQ: one session of its training part has a single turn."""

IMAGES: tuple[tuple[Task, str, str, int], ...] = (
    (Task.SKETCH2IMG, "ClothesV1", "clothes_v1", 68),
    (Task.SKETCH2IMG, "HAIFashion", "hai_fashion", 150),
    (Task.SKETCH2IMG, "QMUL-Shoe-V2", "qmul_shoe", 223),
    (Task.STREET2SHOP, "DeepFashion2", "deepfashion2", 4_953),
    (Task.IN_SHOP, "DeepFashion", "deepfashion", 2_706),
    (Task.CIR, "Fashion200K", "fashion200k", 8_661),
    (Task.CIR, "FashionIQ", "fashion_iq", 713),
    (Task.CIR, "Shoes", "shoes", 909),
    (Task.COMPATIBLE, "FashionVC", "fashion_vc", 2_952),
    (Task.COMPATIBLE, "Polyvore", "polyvore", 8_186),
    (Task.ASFR, "DARN", "darn", 2_306),
    (Task.ASFR, "FashionAI", "fashion_ai", 3_840),
    (Task.ASFR, "UT-Zappos", "ut_zappos", 538),
)
"""Table 6: (task, data set, our source of it, unique images that were kept)."""

LENGTHS: dict[int, dict[Split, int]] = {
    2: {"train": 1_780, "val": 270, "test": 513},
    3: {"train": 5_057, "val": 946, "test": 1_666},
    4: {"train": 4_796, "val": 650, "test": 1_469},
    5: {"train": 3_323, "val": 489, "test": 925},
    6: {"train": 2_509, "val": 161, "test": 509},
    7: {"train": 868, "val": 125, "test": 198},
    8: {"train": 391, "val": 34, "test": 69},
}
"""Table 7: turns of a session -> split -> sessions."""

BRIDGES: dict[float, tuple[int, int]] = {
    0.70: (2_613_057, 294_881),
    0.75: (2_010_949, 251_946),
    0.80: (1_215_121, 172_400),
    0.85: (422_890, 76_241),
    0.90: (45_041, 13_068),
    0.95: (426, 354),
}
"""Table 8: threshold -> (edges between data sets, images with at least one)."""

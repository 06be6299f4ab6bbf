"""What is published about FASHION-RQ, to stand beside the figures of a build: Tables 1 and 5 to 8 of "FASHION-RQ:
Mining Hierarchical Semantic Structure for Automated Evaluation of Fashion Retrieval"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.rq_benchmark import Label, TaskName

CATALOGUE: Mapping[str, int] = {
    "master_category": 5, "sub_category": 45, "product_type": 143, "colour": 47, "gender": 5,
}  # fmt: skip
"""Table 1: attribute -> distinct values."""
CLUSTERS = (17, 135, 436)
"""Table 1: clusters of the evaluation set at levels 1 to 3."""

CODEBOOKS = (64, 128, 256)
PURITY: Mapping[str, tuple[float, float, float]] = {
    "master_category": (0.998, 0.504, 0.010),
    "sub_category": (0.994, 0.502, 0.010),
    "product_type": (0.983, 0.497, 0.010),
    "gender": (0.981, 0.496, 0.010),
    "colour": (0.879, 0.445, 0.010),
    "occasion": (0.977, 0.494, 0.010),
}
"""Table 5: attribute -> weighted purity by codebook. Its level is not said; `occasion` is the paper's Usage."""
FRAGMENTATION: Mapping[int, tuple[tuple[int, float], ...]] = {
    64: ((44, 823.9), (3_378, 219.2), (23_956, 79.5)),
    128: ((156, 285.0), (10_378, 48.28), (30_045, 13.48)),
    256: ((267, 166.5), (17_378, 3.56), (36_122, 1.23)),
}
"""Table 6: codebook -> clusters and items a cluster of each level. Its rows contradict themselves: 156 and 267 clusters
at level 1 are more than codebooks of 128 and 256 have, and 3,378 clusters of 219.2 items more than there are."""


@dataclass(frozen=True, slots=True)
class TaskSize:
    """A row of Table 7; None where nothing is published."""

    n_queries: int
    n_pairs: int | None
    candidates: str
    n_leaves: int


TASKS: Mapping[TaskName, TaskSize] = {
    "T1": TaskSize(2_477, 36_782, "12–15 (mean 14.8)", 416),
    "T2": TaskSize(2_477, 19_731, "7–8 (mean 8.0)", 416),
    "T3": TaskSize(1_968, 9_801, "4–5 (mean 5.0)", 331),
    "T4": TaskSize(2_477, None, "12–15 (mean 14.9)", 416),
}
QUERY_WORDS, PARAPHRASES = "3–26 (mean 10.1)", "2–10 (mean 6.0)"
"""Table 7."""

LABEL_SHARES: Mapping[TaskName, Mapping[Label, float]] = {
    "T1": {"exact": 0.202, "sibling": 0.259, "related": 0.269, "irrelevant": 0.269},
    "T2": {"exact": 0.251, "sibling": 0.247, "related": 0.251, "irrelevant": 0.251},
}
"""Table 8: of the pairs of query and candidate."""

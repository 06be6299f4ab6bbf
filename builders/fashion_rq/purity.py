"""How good a hierarchy is, on the whole catalogue: use of the codes, clusters, and what the products of one share.

A cluster of level l holds the products that share their first l codes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]

ATTRIBUTES = ("master_category", "sub_category", "product_type", "gender", "colour", "occasion")
"""The rows of the paper's Table 5, and their order."""


@dataclass(frozen=True, slots=True)
class LevelReport:
    level: int
    """From 1."""
    clusters: int
    items_per_cluster: float
    perplexity: float
    """Of the use of the level's own codes: e to the entropy, at most the codebook's size."""
    dead: int
    """Codes of the level that no product has."""
    purity: Mapping[str, float]
    """Attribute -> weighted purity."""


def level_reports(codes: Codes, codebook: int, values: Mapping[str, Sequence[str]]) -> list[LevelReport]:
    """codes (n, n_levels); values: attribute -> the value of each product, "" for an unknown one."""
    reports = []
    numbers = {name: numbered(column) for name, column in values.items()}
    for level in range(1, codes.shape[1] + 1):
        clusters = cluster_numbers(codes, level)
        n_clusters = int(clusters.max()) + 1
        use = np.bincount(codes[:, level - 1], minlength=codebook)
        purity = {name: weighted_purity(clusters, column) for name, column in numbers.items()}
        reports.append(
            LevelReport(level, n_clusters, len(codes) / n_clusters, _perplexity(use), int((use == 0).sum()), purity)
        )
    return reports


def level_records(codes: Codes, codebook: int, values: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """As `level_reports`, for JSON: purities that are no numbers are left out."""
    records = [asdict(level) for level in level_reports(codes, codebook, values)]
    for record in records:
        record["purity"] = {name: share for name, share in record["purity"].items() if not math.isnan(share)}
    return records


def collisions(codes: Codes) -> int:
    """Products that share all their codes with another one."""
    _, counts = np.unique(codes, axis=0, return_counts=True)
    return int(counts[counts > 1].sum())


def cluster_numbers(codes: Codes, level: int) -> Codes:
    """(n,): products of one cluster of the level have one number, from 0 without gaps."""
    return np.unique(codes[:, :level], axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def numbered(column: Sequence[str]) -> Codes:
    """(n,): equal for equal values, from 0 in the order of the alphabet; -1 for unknown ones."""
    names = {name: number for number, name in enumerate(sorted(set(column) - {""}))}
    return np.array([names.get(value, -1) for value in column], np.int64)


def weighted_purity(clusters: Codes, values: Codes) -> float:
    """Share of the products that have the most frequent value of their cluster: the mean over clusters, by size.

    Products without the value (-1) count nowhere (ours); NaN where none has one.
    """
    known = values >= 0
    if not known.any():
        return math.nan
    width = int(values.max()) + 1
    pairs, counts = np.unique(clusters[known] * width + values[known], return_counts=True)
    most = np.zeros(int(clusters.max()) + 1, np.int64)
    np.maximum.at(most, pairs // width, counts)
    return float(most.sum() / known.sum())


def scatter(clusters: Codes, values: Codes) -> float:
    """Clusters over which the products of one value spread: e to the entropy, the mean over values by size (Figure 2).

    1 is the least. Products without the value (-1) count nowhere.
    """
    known = values >= 0
    width = int(clusters.max()) + 1
    pairs, counts = np.unique(values[known] * width + clusters[known], return_counts=True)
    sizes = np.bincount(values[known])
    share = counts / sizes[pairs // width]
    entropies = np.bincount(pairs // width, weights=-share * np.log(share), minlength=len(sizes))
    return float((sizes * np.exp(entropies)).sum() / sizes.sum())


def _perplexity(use: NDArray[np.int64]) -> float:
    share = use[use > 0] / use.sum()
    return float(np.exp(-(share * np.log(share)).sum()))

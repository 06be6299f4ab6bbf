"""Step 1: pictures of different data sets that look alike (DIM-Fashion, Algorithm 1 and Table 8)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.errors import BenchmarkError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings

log = logging.getLogger(__name__)

THRESHOLD = 0.80
THRESHOLDS = (0.70, 0.75, 0.80, 0.85, 0.90, 0.95)
"""Of Table 8."""
DUPLICATE = 0.995
MAX_NEIGHBOURS = 50
EXACT_UP_TO = 50_000
"""More pictures than this are searched through an inverted file: exact search grows with the square."""
N_PROBE = 24
N_SAMPLE = 200
"""Rows whose neighbours are also searched exactly, to measure what the inverted file misses."""
BATCH = 1024
MAX_DATASETS = 63
SEED = 20


@dataclass(frozen=True, slots=True)
class Bridges:
    """Rows are those of the embeddings; pictures that are exact duplicates share the place of their first row."""

    places: NDArray[np.int32]
    """Row -> its place: the smallest row of its duplicates."""
    offsets: NDArray[np.int64]
    """Place p's neighbours are `neighbours[offsets[p]:offsets[p + 1]]`; shape (n + 1,)."""
    neighbours: NDArray[np.int32]
    """Places, the nearest first, ties by place; at most 50 each."""
    table: tuple[tuple[float, int, int], ...]
    """(threshold, edges between data sets, pictures with at least one), edges counted once and without a limit."""
    recall: float
    """Share of a sample's neighbours above the threshold that the search found; 1.0 when it was exact."""

    def near(self, place: int) -> NDArray[np.int32]:
        return self.neighbours[self.offsets[place] : self.offsets[place + 1]]

    @property
    def n_duplicates(self) -> int:
        return int((self.places != np.arange(len(self.places))).sum())


def dataset_masks(dataset_of_rows: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """Row -> one bit for each data set that it occurs in. Raises BenchmarkError for more than 63 data sets."""
    names = sorted({name for row in dataset_of_rows for name in row})
    if len(names) > MAX_DATASETS:
        raise BenchmarkError(f"{len(names)} data sets are more than the {MAX_DATASETS} that one build can join.")
    bit = {name: 1 << position for position, name in enumerate(names)}
    return np.array([sum(bit[name] for name in set(row)) for row in dataset_of_rows], dtype=np.int64)


def find_bridges(
    embeddings: Embeddings,
    masks: NDArray[np.int64],
    threshold: float = THRESHOLD,
    known_apart: Callable[[int, int], bool] | None = None,
    same_bytes: Sequence[tuple[int, int]] = (),
) -> Bridges:
    """Join pictures of different data sets with cosine >= threshold.

    `embeddings` has shape (n, dim), float32, unit rows; `masks` comes from `dataset_masks`. Duplicates are pictures of
    equal bytes, and those above a cosine of .995 unless `known_apart(row, row)` says that they are different products.
    """
    n = len(embeddings)
    if not n:
        raise BenchmarkError("There is no picture to join: no source gave any.")
    search, is_exact = _search(embeddings)
    lowest = min(*THRESHOLDS, threshold)
    counts = np.zeros(len(THRESHOLDS), np.int64)
    bridged = np.zeros((len(THRESHOLDS), n), bool)
    edges: list[NDArray[Any]] = []
    duplicates: list[tuple[int, int]] = list(same_bytes)
    for start in range(0, n, BATCH):
        rows, others, cosines = search(np.arange(start, min(start + BATCH, n)), lowest)
        duplicates += _alike(rows, others, cosines, known_apart)
        joins = _joins(masks[rows], masks[others]) & (rows != others)
        rows, others, cosines = rows[joins], others[joins], cosines[joins]
        for position, level in enumerate(THRESHOLDS):
            above = cosines >= level
            counts[position] += int((above & (rows < others)).sum())
            bridged[position, rows[above]] = True
            bridged[position, others[above]] = True
        edges.append(_strongest(rows, others, cosines, threshold))
    places = _merge(n, duplicates)
    offsets, neighbours = _by_place(n, places, np.concatenate(edges))
    recall = 1.0 if is_exact else _sampled_recall(embeddings, masks, search, threshold)
    table = tuple((level, int(counts[i]), int(bridged[i].sum())) for i, level in enumerate(THRESHOLDS))
    return Bridges(places, offsets, neighbours, table, recall)


def _joins(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the two could stand in different data sets: not both in the same single one."""
    is_single = (one & (one - 1)) == 0
    joins: NDArray[np.bool_] = ~((one == other) & is_single)
    return joins


def _search(embeddings: Embeddings) -> tuple[Callable[..., tuple[Any, Any, Any]], bool]:
    """A function (rows, least cosine) -> (rows, neighbours, cosines), self-matches included."""
    import faiss

    n, dim = embeddings.shape
    index: Any = faiss.IndexFlatIP(dim)
    is_exact = n <= EXACT_UP_TO
    if not is_exact:
        n_lists = int(4 * n**0.5)
        index = faiss.IndexIVFFlat(index, dim, n_lists, faiss.METRIC_INNER_PRODUCT)
        index.cp.seed, index.cp.niter = SEED, 8
        index.cp.max_points_per_centroid = 64
        index.train(embeddings[:: max(1, n // (64 * n_lists))])
        index.nprobe = N_PROBE
    index.add(embeddings)

    def search(rows: NDArray[np.int64], least: float) -> tuple[Any, Any, Any]:
        limits, cosines, found = index.range_search(embeddings[rows], least)
        return np.repeat(rows, np.diff(limits.astype(np.int64))), found, cosines

    return search, is_exact


def _alike(
    rows: NDArray[Any], others: NDArray[Any], cosines: NDArray[Any], known_apart: Callable[[int, int], bool] | None
) -> list[tuple[int, int]]:
    near = (cosines > DUPLICATE) & (rows < others)
    pairs = zip(rows[near].tolist(), others[near].tolist(), strict=True)
    return [(one, other) for one, other in pairs if known_apart is None or not known_apart(one, other)]


def _strongest(rows: NDArray[Any], others: NDArray[Any], cosines: NDArray[Any], threshold: float) -> NDArray[Any]:
    """The up to 50 nearest of each row above the threshold: structured rows, sorted by (row, -cosine, other)."""
    above = cosines >= threshold
    edges = np.empty(int(above.sum()), dtype=[("row", np.int32), ("other", np.int32), ("cosine", np.float32)])
    edges["row"], edges["other"], edges["cosine"] = rows[above], others[above], cosines[above]
    edges = edges[np.lexsort((edges["other"], -edges["cosine"], edges["row"]))]
    rank = np.arange(len(edges)) - np.searchsorted(edges["row"], edges["row"])
    return edges[rank < MAX_NEIGHBOURS]


def _merge(n: int, pairs: Sequence[tuple[int, int]]) -> NDArray[np.int32]:
    """Row -> the smallest row that it is joined with."""
    from builders.dim_fashion.components import Components

    joined = Components(n)
    for one, other in pairs:
        joined.join(one, other)
    return np.array([joined.root(row) for row in range(n)], dtype=np.int32)


def _by_place(n: int, places: NDArray[np.int32], edges: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Edges between rows -> neighbours of places: each once, the nearest first, at most 50."""
    one, other = places[edges["row"]], places[edges["other"]]
    cosine = edges["cosine"]
    apart = one != other
    one, other, cosine = one[apart], other[apart], cosine[apart]
    order = np.lexsort((-cosine, other, one))
    one, other, cosine = one[order], other[order], cosine[order]
    first = np.ones(len(one), bool)
    first[1:] = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
    one, other, cosine = one[first], other[first], cosine[first]
    order = np.lexsort((other, -cosine, one))
    one, other = one[order], other[order]
    rank = np.arange(len(one)) - np.searchsorted(one, one)
    one, other = one[rank < MAX_NEIGHBOURS], other[rank < MAX_NEIGHBOURS]
    offsets = np.searchsorted(one, np.arange(n + 1)).astype(np.int64)
    return offsets, other.astype(np.int32)


def _sampled_recall(
    embeddings: Embeddings, masks: NDArray[np.int64], search: Callable[..., tuple[Any, Any, Any]], threshold: float
) -> float:
    rows = np.sort(np.random.default_rng(SEED).choice(len(embeddings), min(N_SAMPLE, len(embeddings)), replace=False))
    exact = embeddings[rows] @ embeddings.T >= threshold
    exact &= _joins(masks[rows][:, None], masks[None, :])
    exact[np.arange(len(rows)), rows] = False
    n_exact = int(exact.sum())
    found_rows, others, cosines = search(rows, threshold)
    joins = _joins(masks[found_rows], masks[others]) & (found_rows != others) & (cosines >= threshold)
    return float(joins.sum() / n_exact) if n_exact else 1.0

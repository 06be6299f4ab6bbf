"""Step 1: pictures of different data sets that look alike (DIM-Fashion, Algorithm 1 and Table 8)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from builders.components import Components
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
    """Rows are those of the embeddings; pictures that are duplicates share the place of their first row."""

    places: NDArray[np.int32]
    """Row -> its place: the smallest row of its duplicates."""
    offsets: NDArray[np.int64]
    """Place p's neighbours are `neighbours[offsets[p]:offsets[p + 1]]`; shape (n + 1,)."""
    neighbours: NDArray[np.int32]
    """Places, the nearest first, ties by place; at most 50 each."""
    table: tuple[tuple[float, int, int], ...]
    """(threshold, edges between data sets, pictures with at least one), over places, edges counted once and without a
    limit. An inverted file may find an edge from its higher place alone; it is not counted then."""
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
    embeddings: Embeddings, masks: NDArray[np.int64], threshold: float = THRESHOLD, products: Sequence[str] = ()
) -> Bridges:
    """Merge duplicates, then join pictures of different data sets with cosine >= threshold.

    `embeddings` has shape (n, dim), float32, unit rows; `masks` comes from `dataset_masks`. `products` gives each row's
    product_id, "" where it is not known: pictures above a cosine of .995 (those of equal bytes among them) are
    duplicates unless they are known to show different products.
    """
    n = len(embeddings)
    if not n:
        raise BenchmarkError("There is no picture to join: no source gave any.")
    search, is_exact = _search(embeddings)
    places = _merge(n, _alike(n, search), products)
    firsts = np.unique(places)
    if len(firsts) < n:
        masks = _merged_masks(masks, places)[firsts]
        embeddings = embeddings[firsts]
        search, is_exact = _search(embeddings)
    table, edges = _edges(search, masks, threshold)
    recall = 1.0 if is_exact else _sampled_recall(embeddings, masks, search, threshold)
    offsets = np.searchsorted(firsts[edges["row"]], np.arange(n + 1)).astype(np.int64)
    return Bridges(places, offsets, firsts[edges["other"]].astype(np.int32), table, recall)


def _merged_masks(masks: NDArray[np.int64], places: NDArray[np.int32]) -> NDArray[np.int64]:
    """A place stands in the data sets of all its pictures."""
    merged = masks.copy()
    np.bitwise_or.at(merged, places, masks)
    return merged


def _edges(
    search: Callable[..., tuple[Any, Any, Any]], masks: NDArray[np.int64], threshold: float
) -> tuple[tuple[tuple[float, int, int], ...], NDArray[Any]]:
    """The table, and the up to 50 nearest above the threshold of each row, as `_strongest` gives them."""
    n = len(masks)
    counts = np.zeros(len(THRESHOLDS), np.int64)
    bridged = np.zeros((len(THRESHOLDS), n), bool)
    edges: list[NDArray[Any]] = []
    for start in range(0, n, BATCH):
        rows, others, cosines = search(np.arange(start, min(start + BATCH, n)), min(*THRESHOLDS, threshold))
        joins = _joins(masks[rows], masks[others]) & (rows != others)
        rows, others, cosines = rows[joins], others[joins], cosines[joins]
        for position, level in enumerate(THRESHOLDS):
            above = cosines >= level
            counts[position] += int((above & (rows < others)).sum())
            bridged[position, rows[above]] = True
            bridged[position, others[above]] = True
        edges.append(_strongest(rows, others, cosines, threshold))
    table = tuple((level, int(counts[i]), int(bridged[i].sum())) for i, level in enumerate(THRESHOLDS))
    return table, np.concatenate(edges)


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


def _alike(n: int, search: Callable[..., tuple[Any, Any, Any]]) -> Iterator[tuple[int, int]]:
    """Pairs of rows above the cosine of duplicates, the lower one first."""
    for start in range(0, n, BATCH):
        rows, others, _ = search(np.arange(start, min(start + BATCH, n)), DUPLICATE)
        ahead = rows < others
        yield from zip(rows[ahead].tolist(), others[ahead].tolist(), strict=True)


def _strongest(rows: NDArray[Any], others: NDArray[Any], cosines: NDArray[Any], threshold: float) -> NDArray[Any]:
    """The up to 50 nearest of each row above the threshold: structured rows, sorted by (row, -cosine, other)."""
    above = cosines >= threshold
    edges = np.empty(int(above.sum()), dtype=[("row", np.int32), ("other", np.int32), ("cosine", np.float32)])
    edges["row"], edges["other"], edges["cosine"] = rows[above], others[above], cosines[above]
    edges = edges[np.lexsort((edges["other"], -edges["cosine"], edges["row"]))]
    rank = np.arange(len(edges)) - np.searchsorted(edges["row"], edges["row"])
    return edges[rank < MAX_NEIGHBOURS]


def _merge(n: int, pairs: Iterable[tuple[int, int]], products: Sequence[str]) -> NDArray[np.int32]:
    """Row -> the smallest row that it is joined with; no two known products of one name space are joined."""
    joined = Components(n)
    known: dict[int, dict[str, str]] = {}
    """Root -> name space -> product_id."""

    def products_of(root: int) -> dict[str, str]:
        product = products[root] if products else ""
        return known.setdefault(root, {product.partition("/")[0]: product} if product else {})

    for one, other in sorted(pairs):
        low, high = sorted((joined.root(one), joined.root(other)))
        ours, theirs = products_of(low), products_of(high)
        if low != high and all(ours.get(space, product) == product for space, product in theirs.items()):
            joined.join(low, high)
            ours |= theirs
    return np.array([joined.root(row) for row in range(n)], dtype=np.int32)


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

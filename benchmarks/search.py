"""How long a query takes in each store, as a multiple of one plain matrix product in the same run.

    python -m benchmarks.search --sizes 2000 10000 40000

Times of different machines cannot be compared, the ratios can. recall@10 is against the exact ranking. The filter
leaves one item in twenty. Vectors are points around random centres, as pictures of a few hundred kinds of product are;
with --uniform they are spread over the whole sphere, the hardest case for every approximate index.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.protocols import Manifest
from retrieval.schema import Filter, Image, Item
from retrieval.stores.lance import LanceStore
from retrieval.stores.memory import MemoryStore

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings, Store

    Search = Callable[[Embeddings, bool], Sequence[str]]
    """(query, with the filter?) -> item_ids, best first."""

K = 10
N_KINDS = 20
FILTERS = (Filter("kind", "any_of", ("kind 0",)),)
NEVER = 10**12
"""Rows from which on a store without an ANN index would build one."""


@dataclass(frozen=True, slots=True)
class Gallery:
    items: list[Item]
    embeddings: Embeddings
    """(len(items), dim), unit rows."""
    query_embeddings: Embeddings
    """(n_queries, dim), unit rows."""
    passing: np.ndarray[tuple[int], np.dtype[np.bool_]]
    """Which items pass FILTERS."""


@dataclass(frozen=True, slots=True)
class Timing:
    build_s: float
    median_ms: float
    """Of one query."""
    recall: float
    """Share of the exact top K that was found, over all queries."""


def make_gallery(n_items: int, dim: int, n_queries: int, *, uniform: bool) -> Gallery:
    rng = np.random.default_rng(n_items)
    centres = rng.normal(size=(max(1, n_items // 100), dim))
    which = rng.integers(len(centres), size=n_items + n_queries)
    rows = rng.normal(size=(n_items + n_queries, dim)) + (0 if uniform else 1.5 * centres[which])
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    kinds = rng.integers(N_KINDS, size=n_items)
    items = [
        Item(f"{number:07}", Image(str(number), f"{number}.jpg"), f"Product {number}", {"kind": f"kind {kind}"})
        for number, kind in enumerate(kinds)
    ]
    return Gallery(items, rows[:n_items], rows[n_items:], kinds == 0)


def matmul(gallery: Gallery) -> Search:
    """What every other way is measured against; it does no filtering and no top k."""

    def search(query: Embeddings, filtered: bool) -> Sequence[str]:  # noqa: ARG001
        gallery.embeddings @ query
        return ()

    return search


def in_store(store: Store, gallery: Gallery) -> Search:
    for start in range(0, len(gallery.items), 4096):
        store.add(gallery.items[start : start + 4096], gallery.embeddings[start : start + 4096])
    store.commit()

    def search(query: Embeddings, filtered: bool) -> Sequence[str]:
        return [hit.item_id for hit in store.search(query, K, FILTERS if filtered else ())]

    return search


def faiss_flat(gallery: Gallery) -> Search:
    import faiss

    index = faiss.IndexFlatIP(gallery.embeddings.shape[1])
    index.add(gallery.embeddings)
    selector = faiss.IDSelectorBatch(np.flatnonzero(gallery.passing))
    parameters = {False: None, True: faiss.SearchParameters(sel=selector)}  # type: ignore[call-arg]

    def search(query: Embeddings, filtered: bool) -> Sequence[str]:
        _, rows = index.search(query[None], K, params=parameters[filtered])
        return [gallery.items[row].item_id for row in rows[0]]

    return search


def exact(gallery: Gallery, query: Embeddings, *, filtered: bool) -> set[str]:
    """item_ids of the true top K, fewer where fewer pass."""
    scores = gallery.embeddings @ query
    if filtered:
        scores[~gallery.passing] = -np.inf
    best = np.argsort(-scores, kind="stable")[: min(K, gallery.passing.sum()) if filtered else K]
    return {gallery.items[row].item_id for row in best}


def measure(search: Search, gallery: Gallery, build_s: float, *, filtered: bool) -> Timing:
    search(gallery.query_embeddings[0], filtered)  # the first query pays for what is loaded lazily
    times, found, wanted = [], 0, 0
    for query in gallery.query_embeddings:
        start = time.perf_counter()
        ids = search(query, filtered)
        times.append(time.perf_counter() - start)
        truth = exact(gallery, query, filtered=filtered)
        found, wanted = found + len(truth.intersection(ids)), wanted + len(truth)
    return Timing(build_s, 1000 * float(np.median(times)), found / wanted)


def ways(gallery: Gallery, dim: int) -> Iterator[tuple[str, Callable[[Path], Search]]]:
    """Name of each way, and what builds it in a directory that does not exist yet."""
    manifest = Manifest(encoder="benchmark", revision="1", dim=dim)
    yield "memory", lambda _: in_store(MemoryStore(dim), gallery)
    yield "lance flat", lambda path: in_store(LanceStore.create(path, manifest, ann_rows=NEVER), gallery)
    yield "lance indexed", lambda path: in_store(LanceStore.create(path, manifest, ann_rows=1), gallery)
    yield "faiss flat", lambda _: faiss_flat(gallery)


def compare(n_items: int, dim: int, n_queries: int, *, uniform: bool) -> Iterator[tuple[str, bool, Timing, float]]:
    """(way, filtered?, timing, times the matrix product), one by one."""
    gallery = make_gallery(n_items, dim, n_queries, uniform=uniform)
    for name, build in ways(gallery, dim):
        with tempfile.TemporaryDirectory() as directory:
            start = time.perf_counter()
            search = build(Path(directory) / "index")
            build_s = time.perf_counter() - start
            for filtered in (False, True):
                # The yardstick is measured beside each way: the machine may be busier now than before.
                yardstick = measure(matmul(gallery), gallery, 0, filtered=False).median_ms
                timing = measure(search, gallery, build_s, filtered=filtered)
                yield name, filtered, timing, timing.median_ms / yardstick


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=_positive, nargs="+", default=[2_000, 10_000, 40_000])
    parser.add_argument("--dim", type=_positive, default=256)
    parser.add_argument("--queries", type=_positive, default=50)
    parser.add_argument("--uniform", action="store_true", help="vectors without clusters")
    options = parser.parse_args(argv)
    list(compare(500, options.dim, 2, uniform=True))  # loads the libraries, which is not what is measured
    print(f"{'items':>8}  {'store':14}{'filter':8}{'build s':>8}{'median ms':>11}{'x matmul':>10}{'recall@10':>11}")
    for n_items in options.sizes:
        for name, filtered, timing, ratio in compare(n_items, options.dim, options.queries, uniform=options.uniform):
            print(
                f"{n_items:8}  {name:14}{'5 %' if filtered else '-':8}{timing.build_s:8.1f}{timing.median_ms:11.2f}"
                f"{ratio:10.1f}{timing.recall:11.4f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

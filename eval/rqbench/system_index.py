"""The benchmark's candidates as a gallery, made searchable with their pictures: what the agent and the encoder see."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from eval.opening import EXACT, hash_of
from eval.rqbench.attributes import is_known
from retrieval.errors import BenchmarkError
from retrieval.gallery import Skipped
from retrieval.picture_files import image_id
from retrieval.schema import Image, Item
from retrieval.stores.memory import MemoryStore

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings, Encoder
    from retrieval.rq_benchmark import Listing, RQBenchmark
    from retrieval.schema import Attributes, AttributeValue

log = logging.getLogger(__name__)
GALLERY_NAMES: Mapping[str, str] = {"product_type": "category", "occasion": "usage"}
"""The benchmark's name -> the shop's; other attributes are called alike."""
NUMBERS = frozenset({"price"})


def index_candidates(benchmark: RQBenchmark, encoder: Encoder, cache: Path) -> MemoryStore:
    """All candidates of all tasks, encoded once: the folder is found again by the encoder and what is indexed.

    cache: folder for indices. Raises BenchmarkError for a candidate whose picture cannot
    be used, StoreError for an index that cannot be written.
    """
    from retrieval.indexing import index
    from retrieval.stores.lance import LanceStore

    items = list(candidate_items(benchmark))
    key = hashlib.sha256(f"{encoder.manifest} {hash_of(items)}".encode()).hexdigest()[:16]
    folder = cache / key
    with LanceStore.open_or_create(folder, encoder.manifest, ann_rows=EXACT) as store:
        if store.count() != len(items):
            report = index(encoder, store, items, total=len(items))
            _refuse_skipped(report.skipped)
        item_ids = [item.item_id for item in items]
        return _in_memory(items, store.embeddings(item_ids), encoder.manifest.dim)


def candidate_items(benchmark: RQBenchmark) -> Iterator[Item]:
    """In the order of their ids. Raises BenchmarkError for one without a picture."""
    candidates = {
        item_id
        for by_query in benchmark.candidates.values()
        for labels in by_query.values()
        for item_id in labels
    }  # fmt: skip
    for item_id in sorted(candidates):
        listing = benchmark.listings[item_id]
        path = benchmark.picture_path(item_id)
        if path is None or not path.is_file():
            raise BenchmarkError(
                f"Candidate {item_id} has no picture{f' ({path} is no file)' if path else ''}, which this system "
                "reads. Restore it, or score a system that reads words."
            )
        yield Item(item_id, Image(image_id(path.read_bytes()), str(path)), listing.name, gallery_attributes(listing))


def gallery_attributes(listing: Listing) -> Attributes:
    """As the shop's reader gives them: by its names, without what is missing, numbers as numbers."""
    found: dict[str, AttributeValue] = {}
    for name, value in listing.attributes.items():
        if not is_known(value):
            continue
        if name in NUMBERS:
            if (number := _number(value)) is not None:
                found[GALLERY_NAMES.get(name, name)] = number
        else:
            found[GALLERY_NAMES.get(name, name)] = str(value)
    return found


def _number(value: AttributeValue) -> float | None:
    """None for a price in words."""
    try:
        return float(value)
    except ValueError:
        return None


def _refuse_skipped(skipped: tuple[Skipped, ...]) -> None:
    if skipped:
        raise BenchmarkError(
            f"{len(skipped)} candidates cannot be indexed, the first, {skipped[0].file}, because: "
            f"{skipped[0].reason.rstrip('.')}. Build the benchmark again without them."
        )


def _in_memory(items: list[Item], embeddings: Embeddings, dim: int) -> MemoryStore:
    """Each query ranks all of it: no index helps."""
    store = MemoryStore(dim)
    store.add(items, embeddings)
    store.commit()
    return store

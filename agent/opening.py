"""From a gallery to an open shop: the default encoder, its index, the default planner. Loads all that is heavy."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from agent.shopfront import Shop

if TYPE_CHECKING:
    from retrieval.protocols import Encoder, Store

log = logging.getLogger(__name__)

EMBEDDED_GALLERY = Path(__file__).parent.parent / "assets" / "gallery"


def open_shop(folder: Path, gallery: str | None = None, index: Path | None = None) -> Shop:
    """A shop over a gallery, by default the embedded one; `index` alone opens an index that was built before.

    `folder` is for the files of this process. Raises GalleryError, StoreError, ManifestError or EncoderError.
    """
    from agent.assistant import Assistant
    from agent.planners.rules import RulesPlanner
    from retrieval.encoders.embedded import EmbeddedEncoder
    from retrieval.retriever import Retriever
    from retrieval.stores.lance import LanceStore

    encoder = EmbeddedEncoder.open()
    if gallery is None and index is not None and index.is_dir() and any(index.iterdir()):
        store: Store = LanceStore.open(index, encoder.manifest)
    else:
        source = str(EMBEDDED_GALLERY) if gallery is None else gallery
        store = _indexed(source, index or default_index(source, encoder), encoder)
    retriever = Retriever(encoder, store)
    return Shop.open(Assistant(retriever, RulesPlanner(encoder.encode_sentences)), retriever, folder)


def default_index(gallery: str, encoder: Encoder) -> Path:
    """A directory of its own for each gallery and encoder, in the user's cache or, if that is closed, a new one."""
    manifest = encoder.manifest
    place = gallery if ":" in gallery else str(Path(gallery).resolve())
    key = hashlib.sha256(f"{place} {manifest.encoder} {manifest.revision}".encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dimity" / key
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache):
            return cache
    except OSError as error:
        temporary = Path(tempfile.mkdtemp(prefix="dimity-index-"))
        log.warning("%s cannot be written (%s); the index is kept in %s this time", cache, error, temporary)
        return temporary


def _indexed(gallery: str, directory: Path, encoder: Encoder) -> Store:
    from retrieval.gallery import count_items, read_gallery
    from retrieval.indexing import index, write_skipped
    from retrieval.stores.lance import LanceStore

    with LanceStore.open_or_create(directory, encoder.manifest) as store:
        report = index(encoder, store, read_gallery(gallery, directory / "pictures"), total=count_items(gallery))
    log.info("%s", report)
    listed = directory / "skipped.tsv"
    listed.unlink(missing_ok=True)
    if report.skipped:
        write_skipped(report, listed)
        log.warning("All that was skipped is listed in %s", listed)
    return store

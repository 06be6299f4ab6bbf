"""From a gallery to an open shop: an encoder, its index, the default planner. Loads all that is heavy."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from agent.shopfront import Shop
from retrieval.errors import EncoderError

if TYPE_CHECKING:
    from agent.protocols import SentenceEncoder
    from retrieval.protocols import Encoder, Store

log = logging.getLogger(__name__)

ASSETS = Path(__file__).parent.parent / "assets"
EMBEDDED_GALLERY = ASSETS / "gallery"
ENCODERS = {"fashion-am": ASSETS / "fashion_am", "late-fusion": ASSETS / "encoder"}
ENCODER_HELP = f"{', '.join(ENCODERS)} or an encoder's folder; default: fashion-am if it is there"


def open_shop(folder: Path, gallery: str | None = None, index: Path | None = None, encoder: str | None = None) -> Shop:
    """A shop over a gallery, by default the embedded one; `index` alone opens an index that was built before.

    `folder` is for the files of this process, `encoder` as for `encoder_folder`. Raises GalleryError, StoreError,
    ManifestError or EncoderError.
    """
    from agent.assistant import Assistant
    from agent.planners.rules import RulesPlanner
    from retrieval.retriever import Retriever

    opened = open_query_encoder(encoder)
    retriever = Retriever(opened, open_store(gallery, index, opened))
    return Shop.open(Assistant(retriever, RulesPlanner(sentences_of(opened))), retriever, folder)


def encoder_folder(encoder: str | None) -> Path:
    """Of a name in ENCODERS or a folder's path; None: FashionAM where its weights are there, else late fusion."""
    if encoder is not None:
        return ENCODERS.get(encoder) or Path(encoder)
    return ENCODERS["fashion-am" if (ENCODERS["fashion-am"] / "card.json").exists() else "late-fusion"]


def encoder_line(encoder: str | None) -> str:
    """Which encoder `open_shop` takes for this, to be told to whoever starts it."""
    folder = encoder_folder(encoder)
    name = next((name for name, known in ENCODERS.items() if known == folder), str(folder))
    if encoder is None and folder != ENCODERS["fashion-am"]:
        return f"Searching with {name}: there is no FashionAM in {ENCODERS['fashion-am']}."
    return f"Searching with {name}."


def open_query_encoder(encoder: str | None) -> Encoder:
    """Raises EncoderError for what is neither a name in ENCODERS nor the folder of an encoder."""
    from retrieval.encoders.opening import open_encoder

    folder = encoder_folder(encoder)
    if not folder.is_dir():
        raise EncoderError(f"There is no encoder {encoder or folder}: name {', '.join(ENCODERS)} or a folder.")
    return open_encoder(folder)


def sentences_of(encoder: Encoder) -> SentenceEncoder:
    """Decides intents: the sentence space, whatever searches. Training leaves it as it is in every text tower."""
    from retrieval.encoders.embedded import EmbeddedEncoder
    from retrieval.encoders.fashion_am import FashionAMEncoder

    if isinstance(encoder, EmbeddedEncoder | FashionAMEncoder):
        return encoder.encode_sentences
    return EmbeddedEncoder.open().encode_sentences


def open_store(gallery: str | None, index: Path | None, encoder: Encoder) -> Store:
    from retrieval.stores.lance import LanceStore

    if gallery is None and index is not None and index.is_dir() and any(index.iterdir()):
        return LanceStore.open(index, encoder.manifest)
    source = str(EMBEDDED_GALLERY) if gallery is None else gallery
    return _indexed(source, index or default_index(source, encoder), encoder)


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

"""One unit vector for each product by the project's encoder, kept on disk: an interrupted run goes on."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from builders.fashion_rq.products import Products
from builders.folders import partial_of
from retrieval.errors import EncoderError, GalleryError, ImageError
from retrieval.images import UPLOAD_SIDE, open_picture
from retrieval.rq_benchmark import Listing
from retrieval.schema import Image, Item, Query

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Encoder

log = logging.getLogger(__name__)

What = Literal["picture", "text", "both"]
CHUNK = 512
DECODE_THREADS = 2


def embed(
    encoder: Encoder, products: Products, what: What, cache: Path, *, progress: bool = True
) -> tuple[Products, Embeddings]:
    """The products whose pictures can be decoded, and their vectors: float32 (n, dim), read-only, a map of a file.

    `both` sets the picture's and the text's vector side by side, each times 1/sqrt 2: a cosine is then the mean of the
    two cosines (ours). `cache` may be shared: file names carry the encoder, `what` and the products.
    Raises GalleryError when no picture can be decoded, EncoderError for vectors that are no numbers.
    """
    if what == "text":
        seen = _decodable(products, cache, progress)
        return seen, _encoded(encoder, seen, what, cache, progress)
    vectors = _encoded(encoder, products, "picture", cache, progress)
    usable = np.flatnonzero(vectors.any(axis=1)).tolist()
    seen = _only(products, usable)
    pictures = vectors if seen is products else vectors[usable]
    if what == "picture":
        return seen, pictures
    texts = _encoded(encoder, seen, "text", cache, progress)
    file = cache / f"{_key(encoder, seen, what)}.npy"
    if not file.exists():
        _write(file, np.concatenate([pictures, texts], axis=1) * np.float32(0.5**0.5))
    return seen, _mapped(file, (len(seen.listings), 2 * encoder.manifest.dim))


def _only(products: Products, usable: Sequence[int]) -> Products:
    """The products in these rows. Raises GalleryError where there is none."""
    if len(usable) == len(products.listings):
        return products
    if not len(usable):
        raise GalleryError("Not one picture of the catalogue can be decoded: fetch it again.")
    n_unusable = len(products.listings) - len(usable)
    log.warning("%d products are left out: their pictures cannot be decoded", n_unusable)
    return replace(products, listings=tuple(products.listings[row] for row in usable))


def _encoded(encoder: Encoder, products: Products, what: What, cache: Path, progress: bool) -> Embeddings:
    """A row for each product; that of a picture which cannot be decoded is 0."""
    file = cache / f"{_key(encoder, products, what)}.npy"
    if not file.exists():
        _assemble(file, encoder, products, what, progress)
    return _mapped(file, (len(products.listings), encoder.manifest.dim))


def _decodable(products: Products, cache: Path, progress: bool) -> Products:
    """Systems look at the candidates' pictures, whatever tells the products apart."""
    from tqdm import tqdm

    file = cache / f"decodable-{products.checksum}.npy"
    if not file.exists():
        items = [Item(one.item_id, products.images[one.item_id], one.name) for one in products.listings]
        with ThreadPoolExecutor(DECODE_THREADS) as pool:
            bar = tqdm(pool.map(_opens, items), total=len(items), desc="Looking", disable=not progress)
            can = np.array(list(bar), np.float32)[:, None]
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(file, can)
    return _only(products, np.flatnonzero(_mapped(file, (len(products.listings), 1))[:, 0]).tolist())


def _opens(item: Item) -> bool:
    return _open(item) is not None


def _key(encoder: Encoder, products: Products, what: What) -> str:
    digest = hashlib.sha256(f"{encoder.manifest!r}\n{what}\n{products.checksum}".encode())
    return f"{what}-{digest.hexdigest()[:24]}"


def _assemble(file: Path, encoder: Encoder, products: Products, what: What, progress: bool) -> None:
    """Encodes in parts, joins them into `file` and removes them."""
    from tqdm import tqdm

    file.parent.mkdir(parents=True, exist_ok=True)
    listings = products.listings
    parts = [file.with_suffix(f".{start:08d}.npy") for start in range(0, len(listings), CHUNK)]
    with (
        ThreadPoolExecutor(DECODE_THREADS) as pool,
        tqdm(total=len(listings), unit="product", desc=f"Encoding ({what})", disable=not progress) as bar,
    ):
        for number, part in enumerate(parts):
            chunk = listings[number * CHUNK : (number + 1) * CHUNK]
            if not part.exists():
                made = _pictures(encoder, chunk, products.images, pool) if what == "picture" else _texts(encoder, chunk)
                _refuse_no_numbers(encoder, chunk, made)
                _write(part, made)
            bar.update(len(chunk))
    joined = np.lib.format.open_memmap(
        partial_of(file), mode="w+", dtype=np.float32, shape=(len(listings), encoder.manifest.dim)
    )
    for number, part in enumerate(parts):
        rows = joined[number * CHUNK : (number + 1) * CHUNK]
        rows[:] = _mapped(part, (len(rows), encoder.manifest.dim))
    joined.flush()
    del joined
    partial_of(file).replace(file)
    for part in parts:
        part.unlink()


def _pictures(
    encoder: Encoder, listings: Sequence[Listing], images: Mapping[str, Image], pool: ThreadPoolExecutor
) -> Embeddings:
    """Rows of pictures that cannot be decoded are 0."""
    vectors = np.zeros((len(listings), encoder.manifest.dim), np.float32)
    items = [Item(listing.item_id, images[listing.item_id], listing.name) for listing in listings]
    opened: list[Picture | None] = list(pool.map(_open, items))
    rows = [row for row, picture in enumerate(opened) if picture is not None]
    if rows:
        vectors[rows] = encoder.encode_items([items[row] for row in rows], [p for p in opened if p is not None])
    return vectors


def _open(item: Item) -> Picture | None:
    try:
        return open_picture(item.image.path, UPLOAD_SIDE)
    except ImageError as error:
        log.warning("%s: %s", item.item_id, error)
        return None


def _texts(encoder: Encoder, listings: Sequence[Listing]) -> Embeddings:
    rows = {text: row for row, text in enumerate(dict.fromkeys(listing.text for listing in listings))}
    vectors = encoder.encode_queries([Query(str(row), text) for text, row in rows.items()])
    return vectors[[rows[listing.text] for listing in listings]]


def _write(file: Path, vectors: Embeddings) -> None:
    with partial_of(file).open("wb") as out:
        np.save(out, vectors, allow_pickle=False)
        out.flush()
        os.fsync(out.fileno())
    partial_of(file).replace(file)


def _refuse_no_numbers(encoder: Encoder, listings: Sequence[Listing], vectors: Embeddings) -> None:
    wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(wrong):
        raise EncoderError(
            f"The encoder {encoder.manifest.encoder} gives product {listings[wrong[0]].item_id} a vector that holds "
            "values which are no numbers: its weights are damaged. Restore them, or name others by --encoder."
        )


def _mapped(file: Path, shape: tuple[int, int]) -> Embeddings:
    """Raises GalleryError for a file that a full disk or a crash has spoilt."""
    try:
        vectors = cast("Embeddings", np.load(file, mmap_mode="r", allow_pickle=False))
        if vectors.shape != shape or vectors.dtype != np.float32:
            raise ValueError(f"{vectors.dtype} {vectors.shape} instead of float32 {shape}")
        if not np.isfinite(vectors).all():
            raise ValueError("values that are no numbers")
    except (OSError, ValueError, EOFError) as error:
        raise GalleryError(f"{file} is damaged ({error}): delete it, and its vectors are made again.") from error
    return vectors

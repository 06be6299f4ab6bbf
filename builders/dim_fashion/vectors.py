"""One vector for each picture, kept on disk in chunks: an interrupted build goes on where it stopped."""

from __future__ import annotations

import hashlib
import io
import logging
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from retrieval.errors import ImageError
from retrieval.images import UPLOAD_SIDE, open_picture
from retrieval.schema import Image, Item

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Encoder

log = logging.getLogger(__name__)

CHUNK = 512
DECODE_THREADS = 4


def picture_vectors(
    encoder: Encoder, paths: Sequence[Path], cache: Path, *, progress: bool = True
) -> tuple[Embeddings, list[str]]:
    """Vectors and, for each picture, "" or why it cannot be used (its row is 0 then).

    Returns float32, shape (len(paths), dim). `cache` is a folder of its own, and left behind for the next build; chunks
    of another encoder or of pictures that changed since are not used.
    """
    from tqdm import tqdm

    cache.mkdir(parents=True, exist_ok=True)
    parts: list[Embeddings] = []
    reasons: list[str] = []
    used: set[str] = set()
    with (
        ThreadPoolExecutor(DECODE_THREADS) as pool,
        tqdm(total=len(paths), unit="picture", desc="Encoding", disable=not progress) as bar,
    ):
        for start in range(0, len(paths), CHUNK):
            chunk = paths[start : start + CHUNK]
            file = cache / f"{_key(encoder, chunk)}.npz"
            kept = _kept(file, (len(chunk), encoder.manifest.dim))
            if kept is None:
                kept = _encoded(encoder, chunk, pool)
                _write(file, *kept)
            parts.append(kept[0])
            reasons += kept[1]
            used.add(file.name)
            bar.update(len(chunk))
    for stale in cache.iterdir():
        if stale.name not in used:
            stale.unlink() if stale.is_file() else shutil.rmtree(stale)
    return np.concatenate(parts) if parts else np.zeros((0, encoder.manifest.dim), np.float32), reasons


def _key(encoder: Encoder, paths: Sequence[Path]) -> str:
    digest = hashlib.sha256(repr(encoder.manifest).encode())
    for path in paths:
        status = path.stat() if path.exists() else None
        digest.update(f"{path}\t{status and (status.st_size, status.st_mtime_ns)}\n".encode())
    return digest.hexdigest()[:24]


def _kept(file: Path, shape: tuple[int, int]) -> tuple[Embeddings, list[str]] | None:
    """None for a chunk that is not there, or that a full disk or a crash has spoilt: it is encoded again."""
    if not file.exists():
        return None
    try:
        with np.load(file, allow_pickle=False) as kept:
            embeddings, reasons = kept["embeddings"], kept["reasons"].tolist()
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        log.warning("%s is damaged (%s) and made again", file, error)
        return None
    return (embeddings, reasons) if embeddings.shape == shape and len(reasons) == shape[0] else None


def _write(file: Path, embeddings: Embeddings, reasons: Sequence[str]) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, embeddings=embeddings, reasons=np.array(reasons, dtype=np.str_))
    part = file.with_name(file.name + ".partial")
    part.write_bytes(buffer.getvalue())
    part.replace(file)


def _encoded(encoder: Encoder, paths: Sequence[Path], pool: ThreadPoolExecutor) -> tuple[Embeddings, list[str]]:
    embeddings = np.zeros((len(paths), encoder.manifest.dim), np.float32)
    opened = list(pool.map(_open, paths))
    rows = [row for row, (picture, _) in enumerate(opened) if picture is not None]
    pictures = [picture for picture, _ in opened if picture is not None]
    items = [Item(str(row), Image(str(row), str(paths[row])), "") for row in rows]
    if rows:
        embeddings[rows] = encoder.encode_items(items, pictures)
    return embeddings, [reason for _, reason in opened]


def _open(path: Path) -> tuple[Picture | None, str]:
    try:
        return open_picture(path, UPLOAD_SIDE), ""
    except ImageError as error:
        return None, str(error)

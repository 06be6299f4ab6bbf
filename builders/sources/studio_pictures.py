"""Renders the pictures of the studio's source that are not there yet, on all processors."""

from __future__ import annotations

import hashlib
import logging
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from builders import studio
from builders.sources.studio_catalogue import Piece
from builders.studio.render import View, render
from builders.studio.street import cut_out, street

log = logging.getLogger(__name__)

HEIGHT = 256
"""Of the pictures, pixels."""
_QUALITY = {"product": 88, "other": 88, "sketch": 80, "street": 78, "cutout": 88}
"""Of the JPEGs: a user's picture is compressed more."""
_ALONE = 200
"""Up to so many products are not worth further processes."""


def key(n: int, seed: int) -> str:
    """Hash of settings and drawing code. Each key has a folder of its own: no older picture is taken for a new one."""
    digest = hashlib.sha256(f"{n} {seed} {HEIGHT} {sorted(_QUALITY.items())}".encode())
    here = Path(__file__).parent
    drawing = sorted(Path(studio.__file__).parent.rglob("*.py"))
    for file in (*drawing, here / "studio_catalogue.py", here / "studio_pictures.py"):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def render_missing(root: Path, pieces: Sequence[Piece]) -> int:
    """Renders what is missing; returns how many pictures. One that is there is whole: each is renamed when written."""
    there = {path.relative_to(root).as_posix() for path in root.rglob("*.jpg")} if root.is_dir() else set()
    missing = [piece for piece in pieces if any(piece.path(view) not in there for view in piece.views)]
    if not missing:
        return 0
    for folder in sorted({(root / piece.path()).parent for piece in missing}):
        folder.mkdir(parents=True, exist_ok=True)
    tasks = [(root, piece, tuple(v for v in piece.views if piece.path(v) not in there)) for piece in missing]
    log.info("studio: rendering pictures of %d products into %s", len(tasks), root)
    n_processes = min(os.cpu_count() or 1, len(tasks) // _ALONE + 1)
    if n_processes == 1:
        return sum(_write(task) for task in tasks)
    with multiprocessing.get_context("spawn").Pool(n_processes) as pool:
        return sum(pool.imap_unordered(_write, tasks, chunksize=16))


def _write(task: tuple[Path, Piece, tuple[View, ...]]) -> int:
    root, piece, views = task
    for view, picture in _pictures(piece, views):
        path = root / piece.path(view)
        part = path.with_name(f"{path.name}.{os.getpid()}.partial")
        picture.save(part, "JPEG", quality=_QUALITY[view])
        part.replace(path)
    return len(views)


def _pictures(piece: Piece, views: Sequence[View]) -> Iterator[tuple[View, Image.Image]]:
    """A user's picture and its cut-out come from one shot."""
    if "street" in views or "cutout" in views:
        picture, mask = street(piece.garment, HEIGHT)
        if "street" in views:
            yield "street", picture
        if "cutout" in views:
            yield "cutout", cut_out(picture, mask)
    for view in views:
        if view not in ("street", "cutout"):
            yield view, render(piece.garment, view, HEIGHT)

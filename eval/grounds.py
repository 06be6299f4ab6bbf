"""Text-to-image retrieval when the gallery's pictures stand on cluttered grounds, beside the same with plain ones.

Each held-out product is cut from its white ground and put on a piece of a photo of the `val` split, drawn by its
item_id, so that the grounds are the same for every encoder and none was trained on. A picture that cannot be cut stays.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from eval.metrics import bootstrap_interval
from eval.t2i import Gallery, Score, Texts, gallery_hash, gallery_scores
from retrieval.errors import GalleryError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PIL.Image import Image as Picture

    from retrieval.fashion_am.cutouts.cutter import Cutter
    from retrieval.protocols import Embeddings, Encoder
    from retrieval.schema import Item

SPLIT = "val"
SEED = 0
LEAST, MOST = 0.3, 0.8
"""A ground's sides, as shares of the largest piece of the photo that has the picture's form."""
MOST_BLUR = 2.0
"""Pixels."""
BATCH = 64


@dataclass(slots=True)
class Cluttered:
    """Vectors of the same items, row by row: as their pictures are, and on cluttered grounds."""

    plain: Embeddings
    cluttered: Embeddings
    uncut: Counter[str] = field(default_factory=Counter)
    """Pictures that stayed as they are, by the reason."""


def read_photos(file: Path) -> list[Picture]:
    """Raises GalleryError for a file without columns `split` and `image`, or without a photo of the split."""
    import pyarrow.parquet as pq

    from retrieval.images import decode

    try:
        rows = pq.read_table(file, columns=["split", "image"]).to_pylist()
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        raise GalleryError(f"{file} is no Parquet file with columns split and image ({error}).") from error
    found = [decode(row["image"], f"photo {number}") for number, row in enumerate(rows) if row["split"] == SPLIT]
    if not found:
        raise GalleryError(f"{file} has no photo of split {SPLIT!r}, and photos of others may have been trained on.")
    return found


def on_photo(picture: Picture, mask: Picture, photos: Sequence[Picture], rng: random.Random) -> Picture:
    """`mask` is 255 where the item is."""
    from PIL import ImageFilter

    from retrieval.fashion_am.cutouts.cutter import placed

    photo = rng.choice(photos)
    scale = min(photo.width / picture.width, photo.height / picture.height) * rng.uniform(LEAST, MOST)
    width, height = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    x, y = rng.randint(0, photo.width - width), rng.randint(0, photo.height - height)
    ground = photo.crop((x, y, x + width, y + height)).resize(picture.size)
    return placed(picture, mask, ground.filter(ImageFilter.GaussianBlur(rng.uniform(0, MOST_BLUR))))


def encode_both(encoder: Encoder, items: Sequence[Item], photos: Sequence[Picture], cutter: Cutter) -> Cluttered:
    from tqdm import tqdm

    from retrieval.images import UPLOAD_SIDE, open_picture

    uncut: Counter[str] = Counter()
    both: list[tuple[Embeddings, Embeddings]] = []
    for start in tqdm(range(0, len(items), BATCH), desc="Plain and cluttered", mininterval=1):
        batch = items[start : start + BATCH]
        plain = [open_picture(item.image.path, UPLOAD_SIDE) for item in batch]
        moved = [_moved(item, picture, photos, cutter, uncut) for item, picture in zip(batch, plain, strict=True)]
        both.append((encoder.encode_items(batch, plain), encoder.encode_items(batch, moved)))
    return Cluttered(np.concatenate([one for one, _ in both]), np.concatenate([other for _, other in both]), uncut)


def _moved(item: Item, picture: Picture, photos: Sequence[Picture], cutter: Cutter, uncut: Counter[str]) -> Picture:
    from retrieval.fashion_am.cutouts.cutter import problem_of

    mask = cutter.cut(picture)
    if problem := problem_of(mask):
        uncut[problem] += 1
        return picture
    return on_photo(picture, mask, photos, random.Random(f"ground/{SEED}/{item.item_id}"))


def robustness(encoder: Encoder, entries: Iterable[object], held_out: set[str], photos: Path) -> str:
    """The table of both, with what was lost. Raises GalleryError for a gallery that leaves nothing to ask for."""
    from retrieval.fashion_am.cutouts.ground import GroundCutter
    from retrieval.schema import Item

    items = sorted(
        (entry for entry in entries if isinstance(entry, Item) and entry.item_id in held_out),
        key=lambda item: item.item_id,
    )
    if not items:
        raise GalleryError("No held-out product has a picture.")
    read, cutter = read_photos(photos), GroundCutter()
    vectors = encode_both(encoder, items, read, cutter)
    name = f"held-out {len(items)} [{gallery_hash(items)}]"
    ids, texts = {item.item_id for item in items}, Texts(encoder)
    plain = gallery_scores(texts, Gallery(name, items, vectors.plain), ids)
    cluttered = gallery_scores(texts, Gallery(name, items, vectors.cluttered), ids)
    left = ", ".join(f"{n} {reason}" for reason, n in sorted(vectors.uncut.items()))
    n_cut = len(items) - vectors.uncut.total()
    head = f"grounds: {len(read)} photos; {n_cut} of {len(items)} pictures cut by {cutter.name}"
    return "\n".join([head + (f"; left as they are: {left}" if left else ""), compared(plain, cluttered)])


def compared(plain: Sequence[Score], cluttered: Sequence[Score]) -> str:
    """One line a score; the interval is that of the loss, over paired queries."""
    lines = [f"gallery: {plain[0].gallery}"]
    lines.append(f"  {'queries':22} {'n':>6}  {'measure':24} {'plain':>6} {'cluttered':>10} {'loss':>6}  95% interval")
    for one, other in zip(plain, cluttered, strict=True):
        losses = [a - b for a, b in zip(one.values, other.values, strict=True)]
        low, high = bootstrap_interval(losses)
        lines.append(
            f"  {one.queries:22} {one.n_queries:6d}  {one.measure:24} {one.value:6.3f} {other.value:10.3f} "
            f"{one.value - other.value:6.3f}  {low:.3f} to {high:.3f}"
        )
    return "\n".join(lines)

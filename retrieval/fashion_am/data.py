"""Training products of the pre-training stages, source by source: their views, names, captions and line drawings.

Validation products never enter.
"""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.encoders.preprocess import PREPROCESSING
from retrieval.errors import TrainingError
from retrieval.fashion_am.captions import attribute_captions, benchmark_caption
from retrieval.fashion_am.views import ground_of, jitter_of, jittered, line_drawing, placed
from retrieval.images import decode, open_picture
from retrieval.schema import Attributes

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

log = logging.getLogger(__name__)

CAPTIONS_EACH = 6
STUDIO_ITEMS = "items.jsonl"
RECIPE = f"{PREPROCESSING}/{CAPTIONS_EACH}/1"
"""Change it whenever views or captions are made otherwise: a cache of another recipe is refused."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One product for training: its views, its texts and, for line drawings, views of the drawing."""

    key: str
    views: tuple[Picture, ...]
    name: str
    captions: tuple[str, ...]
    same: str
    """Products with equal `same` are no negatives of each other for captions."""
    sketches: tuple[Picture, ...] = ()
    sketch_captions: tuple[str, ...] = ()


def fpi_samples(folder: Path, split: str, grounds: Sequence[Picture], *, only_first: bool = False) -> Iterator[Sample]:
    """Products of the Fashion Product Images parquet files; four views each, drawings for the larger pictures.

    only_first: the first view alone, the picture as it is; nothing else differs.
    """
    for row, attributes in fpi_rows(folder, split):
        rng = random.Random(f"fpi/{row['id']}")
        picture = decode(row["image"], row["id"])
        jitters = [jitter_of(picture.size, rng) for _ in range(2)]
        ground = ground_of(jitters[0].size, grounds, rng) if rng.random() < 0.35 else None
        if ground is None:
            jitters.append(jitter_of(picture.size, rng))
        drawn = picture.width > 100 and rng.random() < 0.6
        views = [picture, *(jitter.of(picture) for jitter in jitters[: int(drawn) if only_first else None])]
        sketches = (line_drawing(views[1], rng),) if drawn else ()
        if ground is not None and not only_first:
            views.append(placed(views[1], ground))
        yield Sample(
            key=row["id"],
            views=tuple(views[:1] if only_first else views),
            name=row["productDisplayName"],
            captions=(benchmark_caption(attributes), *attribute_captions(attributes, CAPTIONS_EACH - 1, row["id"])),
            same="/".join(str(attributes.get(k, "")) for k in ("category", "colour", "gender")),
            sketches=sketches,
            sketch_captions=tuple(attribute_captions(attributes, 2, row["id"], colour=False)) if drawn else (),
        )


def fpi_files(folder: Path) -> list[Path]:
    """Raises TrainingError for a folder without any."""
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise TrainingError(f"{folder} holds no Parquet file of the catalogue: name the folder that does.")
    return files


def fpi_rows(folder: Path, split: str) -> Iterator[tuple[dict[str, Any], Attributes]]:
    import pyarrow.parquet as pq

    names = {
        "articleType": "category",
        "baseColour": "colour",
        "gender": "gender",
        "usage": "usage",
        "season": "season",
    }
    for file in fpi_files(folder):
        for batch in pq.ParquetFile(file).iter_batches(512):
            for row in batch.to_pylist():
                if row["split"] == split:
                    yield row, {ours: row[n] for n, ours in names.items() if row[n] not in ("", "NA", None)}


def photo_samples(file: Path) -> Iterator[Sample]:
    """Photos that people took of their clothes: only the kind of garment is known."""
    import pyarrow.parquet as pq

    for row in pq.read_table(file).to_pylist():
        if row["split"] != "train":
            continue
        rng = random.Random(f"photo/{row['photo_id']}")
        picture = decode(row["image"], row["photo_id"])
        label = {"longsleeve": "long sleeve t-shirt", "outwear": "jacket", "pants": "trousers"}.get(
            row["label"], row["label"]
        )
        forms = (label, f"a {label}", f"a photo of a {label}", f"my {label}")
        yield Sample(row["photo_id"], (picture, jittered(picture, rng)), "", forms, f"photo/{label}")


def photo_grounds(file: Path, n: int = 400) -> list[Picture]:
    import pyarrow.parquet as pq

    rows = [r for r in pq.read_table(file).to_pylist() if r["split"] == "train"][:n]
    return [decode(row["image"], row["photo_id"]) for row in rows]


def studio_samples(folder: Path, grounds: Sequence[Picture], *, only_first: bool = False) -> Iterator[Sample]:
    """What `python -m builders.studio sample` wrote: rendered garments with captions and a line drawing each.

    only_first: as in `fpi_samples`.
    """
    for line in (folder / STUDIO_ITEMS).read_text("utf8").splitlines():
        row = json.loads(line)
        rng = random.Random(f"studio/{row['id']}")
        picture, sketch = open_picture(folder / row["image"]), open_picture(folder / row["sketch"])
        jitters = [jitter_of(picture.size, rng) for _ in range(2)]
        ground = ground_of(jitters[1].size, grounds, rng)
        views = [picture] if only_first else [picture, jitters[0].of(picture), placed(jitters[1].of(picture), ground)]
        yield Sample(
            key=row["id"],
            views=tuple(views),
            name="",
            captions=tuple(row["captions"]),
            same="\n".join(
                str(row.get(k, "")) for k in ("category", "colour", "pattern", "sleeves", "length", "neckline")
            ),
            sketches=(sketch, jittered(sketch, rng)),
            sketch_captions=tuple(attribute_captions(row, 3, row["id"], colour=False)),
        )

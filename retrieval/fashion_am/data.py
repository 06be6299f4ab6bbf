"""Training material for the pre-training stage: pictures as cached trunk features, texts as cached hidden states.

The trunk is frozen, so each view of a picture passes it once, through ONNX Runtime (about three times faster than torch
on a CPU), and training reads half-precision features from a memory-mapped file. Validation products never enter.
"""

from __future__ import annotations

import json
import logging
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PIL import Image, ImageChops, ImageEnhance, ImageFilter, ImageOps

from retrieval.encoders.preprocess import INPUT_HEIGHT, INPUT_WIDTH, PREPROCESSING, pixels
from retrieval.errors import TrainingError
from retrieval.fashion_am.captions import attribute_captions, benchmark_caption
from retrieval.images import decode, open_picture
from retrieval.schema import Attributes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

log = logging.getLogger(__name__)

TRUNK_SHAPE = (112, INPUT_HEIGHT // 16, INPUT_WIDTH // 16)
LOW_WIDTH = 40
CAPTIONS_EACH = 6
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


@dataclass(slots=True)
class Material:
    """A cached source: features of all views, and which view, text and key belongs to which product."""

    features: NDArray[np.float16] | NDArray[np.uint8]
    low: NDArray[np.float32]
    names: list[str] = field(default_factory=list)
    captions: list[list[str]] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    views: list[list[int]] = field(default_factory=list)
    sketches: list[list[int]] = field(default_factory=list)
    sketch_captions: list[list[str]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.names)


def jittered(picture: Picture, rng: random.Random) -> Picture:
    """Mirror, crop a little, shift brightness slightly; colour itself is a label and stays."""
    w, h = picture.size
    if rng.random() < 0.5:
        picture = ImageOps.mirror(picture)
    scale = rng.uniform(0.75, 1.0)
    cw, ch = round(w * scale), round(h * scale * rng.uniform(0.9, 1.0))
    x, y = rng.randint(0, w - cw), rng.randint(0, h - ch)
    if rng.random() < 0.6:
        picture = picture.crop((x, y, x + cw, y + ch))
    else:  # smaller on a larger white ground, as other shops crop
        grown = Image.new("RGB", (round(w / scale), round(h / scale)), "white")
        grown.paste(picture, (rng.randint(0, grown.width - w), rng.randint(0, grown.height - h)))
        picture = grown
    return ImageEnhance.Brightness(picture).enhance(rng.uniform(0.9, 1.08))


FLAT = 24
"""Largest sum of differences to white, over the three channels, at which a pixel may belong to the ground."""


def ground_mask(picture: Picture, side: int = 80) -> Picture:
    """255 where the white studio ground is, grown from the border; smooth edges. Same size as the picture."""
    small = picture.resize((max(1, round(picture.width * side / picture.height)), side))
    bordered = ImageOps.expand(small, 2, "white")
    flat = (255 - np.asarray(bordered).astype(np.int32)).sum(axis=2) <= FLAT
    mask = Image.fromarray(reached_from_corner(flat).astype(np.uint8) * 255)
    mask = mask.crop((2, 2, 2 + small.width, 2 + small.height)).resize(picture.size, Image.Resampling.BILINEAR)
    return mask.filter(ImageFilter.GaussianBlur(0.6))


def reached_from_corner(flat: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The part of a (h, w) mask that hangs together with its top left corner, by edges of pixels."""
    reached = np.zeros_like(flat)
    reached[0, 0] = flat[0, 0]
    n_before = 0
    while (n_now := int(reached.sum())) != n_before:
        n_before = n_now
        for _ in range(8):  # counting costs more than growing
            grown = reached.copy()
            grown[1:] |= reached[:-1]
            grown[:-1] |= reached[1:]
            grown[:, 1:] |= reached[:, :-1]
            grown[:, :-1] |= reached[:, 1:]
            reached = grown & flat
    return reached


def on_ground(picture: Picture, grounds: Sequence[Picture], rng: random.Random) -> Picture:
    """The product cut from its white ground onto a blurred piece of a photo or a plain colour."""
    if grounds and rng.random() < 0.7:
        photo = rng.choice(grounds)
        side = rng.randint(60, min(photo.size))
        x, y = rng.randint(0, photo.width - side), rng.randint(0, photo.height - side)
        ground = photo.crop((x, y, x + side, y + side)).resize(picture.size)
        ground = ground.filter(ImageFilter.GaussianBlur(rng.uniform(0, 6)))
    else:
        ground = Image.new("RGB", picture.size, tuple(rng.randint(30, 250) for _ in range(3)))
    return Image.composite(ground, picture, ground_mask(picture))


def line_drawing(picture: Picture, rng: random.Random) -> Picture:
    """Dark contour lines on white, like a drawing, from a catalogue picture."""
    grey = ImageOps.autocontrast(picture.convert("L").filter(ImageFilter.GaussianBlur(rng.uniform(0.6, 1.4))))
    edges = grey.filter(ImageFilter.FIND_EDGES).filter(ImageFilter.GaussianBlur(0.5))
    edges = ImageChops.multiply(edges, ImageOps.expand(Image.new("L", (edges.width - 4, edges.height - 4), 255), 2, 0))
    floor = rng.randint(18, 40)
    return ImageOps.invert(edges.point([0 if v < floor else min(255, v * 5) for v in range(256)])).convert("RGB")


def fpi_samples(folder: Path, split: str, grounds: Sequence[Picture]) -> Iterator[Sample]:
    """Products of the Fashion Product Images parquet files; four views each, drawings for the larger pictures."""
    for row, attributes in fpi_rows(folder, split):
        rng = random.Random(f"fpi/{row['id']}")
        picture = decode(row["image"], row["id"])
        views = [picture, jittered(picture, rng), jittered(picture, rng)]
        views.append(on_ground(views[1], grounds, rng) if rng.random() < 0.35 else jittered(picture, rng))
        captions = [benchmark_caption(attributes), *attribute_captions(attributes, CAPTIONS_EACH - 1, row["id"])]
        drawn = picture.width > 100 and rng.random() < 0.6
        yield Sample(
            key=row["id"],
            views=tuple(views),
            name=row["productDisplayName"],
            captions=tuple(captions),
            same="/".join(str(attributes.get(k, "")) for k in ("category", "colour", "gender")),
            sketches=(line_drawing(views[1], rng),) if drawn else (),
            sketch_captions=tuple(attribute_captions(attributes, 2, row["id"], colour=False)) if drawn else (),
        )


def fpi_rows(folder: Path, split: str) -> Iterator[tuple[dict[str, Any], Attributes]]:
    import pyarrow.parquet as pq

    names = {
        "articleType": "category",
        "baseColour": "colour",
        "gender": "gender",
        "usage": "usage",
        "season": "season",
    }
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise TrainingError(f"{folder} holds no Parquet file of the catalogue: name the folder that does.")
    for file in files:
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


def studio_samples(folder: Path, grounds: Sequence[Picture]) -> Iterator[Sample]:
    """What `python -m builders.studio sample` wrote: rendered garments with captions and a line drawing each."""
    for line in (folder / "items.jsonl").read_text("utf8").splitlines():
        row = json.loads(line)
        rng = random.Random(f"studio/{row['id']}")
        picture, sketch = open_picture(folder / row["image"]), open_picture(folder / row["sketch"])
        views = (picture, jittered(picture, rng), on_ground(jittered(picture, rng), grounds, rng))
        yield Sample(
            key=row["id"],
            views=views,
            name="",
            captions=tuple(row["captions"]),
            same="\n".join(
                str(row.get(k, "")) for k in ("category", "colour", "pattern", "sleeves", "length", "neckline")
            ),
            sketches=(sketch, jittered(sketch, rng)),
            sketch_captions=tuple(attribute_captions(row, 3, row["id"], colour=False)),
        )


class Trunk:
    """The frozen part of the picture tower in ONNX Runtime: uint8 (n, 3, h, w) -> float16 features, float32 low."""

    shape, dtype, file, recipe = TRUNK_SHAPE, np.dtype(np.float16), "features.f16", RECIPE
    pixels = staticmethod(pixels)

    def __init__(self, onnx_file: Path, threads: int) -> None:
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = ort.InferenceSession(str(onnx_file), options, providers=["CPUExecutionProvider"])

    def __call__(self, batch: NDArray[np.uint8]) -> tuple[NDArray[np.float16], NDArray[np.float32]]:
        features, low = self.session.run(None, {"pixels": batch})
        return features.astype(np.float16), low


class AnyTrunk(Protocol):
    """What a picture passes once, whatever is trained behind it."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one picture's features."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    @property
    def file(self) -> str: ...

    @property
    def recipe(self) -> str:
        """Changes whenever samples or features would be others."""
        ...

    def pixels(self, picture: Picture) -> NDArray[np.uint8]: ...

    def __call__(self, batch: NDArray[np.uint8]) -> tuple[NDArray[Any], NDArray[np.float32]]: ...


def cache(samples: Iterable[Sample], trunk: AnyTrunk, out: Path, batch: int = 64) -> Material:
    """Run all views through the trunk into `out` (written under a temporary name), or open what is there already.

    Raises TrainingError for a cache that was made by another recipe.
    """
    if not (out / "index.json").exists():
        _write_cache(samples, trunk, out, batch)
    index = json.loads((out / "index.json").read_text())
    if index.pop("recipe", None) != trunk.recipe:
        raise TrainingError(f"{out} was made by another version of this program: delete it or choose another --out.")
    shape = (index.pop("n_views"), *trunk.shape)
    features = np.memmap(out / trunk.file, trunk.dtype, "r", shape=shape)
    return Material(features, np.load(out / "low.npy"), **index)


def _write_cache(samples: Iterable[Sample], trunk: AnyTrunk, out: Path, batch: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    index: dict[str, Any] = {k: [] for k in ("names", "captions", "same", "views", "sketches", "sketch_captions")}
    lows: list[NDArray[np.float32]] = []
    pending: list[Picture] = []
    n_views = 0
    with (out / f"{trunk.file}.tmp").open("wb") as file, ThreadPoolExecutor(2) as pool:

        def flush() -> None:
            features, low = trunk(np.stack(list(pool.map(trunk.pixels, pending))))
            features.tofile(file)
            lows.append(low)
            pending.clear()

        for sample in samples:
            index["names"].append(sample.name)
            index["captions"].append(list(sample.captions))
            index["same"].append(sample.same)
            index["sketch_captions"].append(list(sample.sketch_captions))
            for what, pictures in (("views", sample.views), ("sketches", sample.sketches)):
                index[what].append(list(range(n_views, n_views + len(pictures))))
                n_views += len(pictures)
                pending.extend(pictures)
            if len(pending) >= batch:
                flush()
            if len(index["names"]) % 2000 == 0:
                log.info("%s: %d products, %d views", out.name, len(index["names"]), n_views)
        if pending:
            flush()
    np.save(out / "low.npy", np.concatenate(lows))
    (out / f"{trunk.file}.tmp").replace(out / trunk.file)
    (out / "index.json.tmp").write_text(json.dumps({"recipe": trunk.recipe, "n_views": n_views, **index}))
    (out / "index.json.tmp").replace(out / "index.json")

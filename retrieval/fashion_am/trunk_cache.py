"""What pictures give once they have passed the frozen part of a tower, kept on disk for all runs.

The trunk is frozen, so each view of a picture passes it once, through ONNX Runtime (about three times faster than torch
on a CPU), and training reads half-precision features from a memory-mapped file.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from retrieval.encoders.preprocess import INPUT_HEIGHT, INPUT_WIDTH, pixels
from retrieval.errors import TrainingError
from retrieval.fashion_am.data import RECIPE, Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

log = logging.getLogger(__name__)

TRUNK_SHAPE = (112, INPUT_HEIGHT // 16, INPUT_WIDTH // 16)
LOW_WIDTH = 40
WHOLE = 64
"""Views of a source, evenly apart, that tell it from others by all that the trunk gave."""
FOOTER_END = 8
"""Bytes at the end of a Parquet file: the footer's length, four of them, and a mark."""


@dataclass(slots=True)
class CachedProducts:
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

    def content(self) -> str:
        """Equal for equal products: all texts, which view is whose, and the pictures, as far as their low features and
        a few whole ones tell (all of them are gigabytes)."""
        rows = np.linspace(0, len(self.features) - 1, min(len(self.features), WHOLE)).astype(int)
        texts = (self.names, self.captions, self.same, self.sketch_captions)
        digest = hashlib.sha256(json.dumps([texts, self.views, self.sketches]).encode())
        digest.update(np.ascontiguousarray(self.low).tobytes())
        digest.update(np.ascontiguousarray(self.features[rows]).tobytes())
        return digest.hexdigest()[:16]


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


def digest_of(*made_of: str | Path) -> str:
    """Of words, and of files by their names, sizes and what tells their content soon: the whole of JSON lines, the
    footer of Parquet, which knows the place and the bounds of every column. Where a file lies does not count."""
    digest = hashlib.sha256()
    for each in made_of:
        digest.update(f"{each}\n".encode() if isinstance(each, str) else _told(each))
    return digest.hexdigest()[:12]


def _told(file: Path) -> bytes:
    size = file.stat().st_size
    content = b""
    if file.suffix == ".jsonl":
        content = file.read_bytes()
    elif file.suffix == ".parquet" and size > FOOTER_END:
        with file.open("rb") as opened:
            opened.seek(size - FOOTER_END)
            length = int.from_bytes(opened.read(4), "little")
            opened.seek(max(0, size - FOOTER_END - length))
            content = opened.read(length)
    return f"{file.name}\n{size}\n".encode() + content


def cache(samples: Iterable[Sample], trunk: AnyTrunk, out: Path, batch: int = 64) -> CachedProducts:
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
    return CachedProducts(features, np.load(out / "low.npy"), **index)


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

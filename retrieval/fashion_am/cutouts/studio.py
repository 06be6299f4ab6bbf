"""Exact cut-outs: pictures of a benchmark for which a source itself gives the item without its background."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.benchmark import Benchmark, BenchmarkImage

WHITE = 245
"""A cut-out's ground; its pictures are JPEGs."""
SAME = 40
"""Largest difference, of 255, between an item's pixels in both."""


@dataclass(frozen=True, slots=True)
class Pair:
    picture: BenchmarkImage
    cutout: BenchmarkImage


def pairs(benchmark: Benchmark, kinds: frozenset[str] = frozenset({"street"})) -> Iterator[Pair]:
    """Pictures of these kinds with the cut-out of the same product, in the order of image_ids.

    Only a "street" picture shows its item in the very place of the cut-out.
    """
    cutouts: dict[str, BenchmarkImage] = {}
    for image_id in sorted(benchmark.images):
        image = benchmark.images[image_id]
        if image.kind == "cutout" and image.product_id:
            cutouts.setdefault(image.product_id, image)
    for image_id in sorted(benchmark.images):
        image = benchmark.images[image_id]
        if image.kind in kinds and image.path and image.product_id in cutouts:
            yield Pair(image, cutouts[image.product_id])


def mask_of(picture: Picture, cutout: Picture) -> Picture:
    """The mask that made a cut-out from a picture of the same size: 255 where both show the same.

    Raises ValueError for pictures of different sizes. White parts of an item on white cannot be told from the ground.
    """
    if picture.size != cutout.size:
        raise ValueError(f"a picture of {picture.size} pixels and a cut-out of {cutout.size} are no pair")
    shown, cut = (np.asarray(one.convert("RGB")).astype(np.int16) for one in (picture, cutout))
    same = np.abs(shown - cut).max(axis=2) <= SAME
    white = (cut.min(axis=2) >= WHITE) & (shown.min(axis=2) < WHITE - SAME // 2)
    return Image.fromarray((same & ~white).astype(np.uint8) * 255)

"""ClothesV1: sketches of clothes and the photos that they were drawn after, up to five sketches a photo."""

from __future__ import annotations

from pathlib import Path

from builders.instances import SourceData
from builders.sources.sketches import read_halves

NAME = "clothes_v1"


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    return read_halves(folder, seed, limit, NAME, "ClothesV1", noun="clothes")

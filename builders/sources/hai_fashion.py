"""HAIFashion: one sketch for each photo of a garment."""

from __future__ import annotations

from pathlib import Path

from builders.instances import SourceData
from builders.sources.sketches import read_halves

NAME = "hai_fashion"


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    return read_halves(folder, seed, limit, NAME, "HAIFashion", noun="clothes")

"""QMUL-Shoe-V2: several sketches of each shoe: `trainA_<id>_<n>.png` is sketch n of the photo `trainB_<id>.png`."""

from __future__ import annotations

import re
from pathlib import Path

from builders.instances import Coverage, SourceData
from builders.sources.reading import pictures_below, require_folder
from builders.sources.sketches import Drawings, sketch_data
from retrieval.errors import SourceError

NAME = "qmul_shoe"

_SKETCH = re.compile(r"(?P<where>(?:.*/)?(?:train|test))A(?P<mark>[_/+])(?P<shoe>\d+)_\d+\.png")
_PHOTO = re.compile(r"(?P<where>(?:.*/)?(?:train|test))B(?P<mark>[_/+])(?P<shoe>\d+)\.png")


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    require_folder(folder, "QMUL-Shoe-V2")
    paths = sorted(pictures_below(folder))
    sketches = [match for path in paths if (match := _SKETCH.fullmatch(path))]
    if not sketches:
        raise SourceError(
            f"There is no sketch trainA_<id>_<n>.png below {folder}: it does not hold QMUL-Shoe-V2 as U-FIRE names it."
        )
    photos = {(match["where"], match["shoe"]): path for path in paths if (match := _PHOTO.fullmatch(path))}
    coverage = Coverage()
    pairs = []
    for match in sketches:
        photo = photos.get((match["where"], match["shoe"]), "")
        if not photo:
            coverage.missing_pictures.add(f"{match['where']}B{match['mark']}{match['shoe']}.png")
        pairs.append((match[0], photo))
    drawings = Drawings(folder, NAME, "shoes", pairs, sorted(photos.values()), no_photo="picture is missing")
    return sketch_data(drawings, seed, limit, coverage)

"""Shoes: composed retrieval of women's shoes by relative captions of one photo against another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from builders.instances import Coverage, SourceData, SourceImage
from builders.sources.pictures import by_tail
from builders.sources.reading import pictures_below, require_files, revision_of, safe_id, spread
from builders.sources.triplets import Triplet, keep, records_of, tidy, word_of

NAME = "shoes"
_PICTURE = re.compile(r"img_womens_(?P<category>.+)_\d+")


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    """`relative_captions_shoes.json`, `captions_shoes.json` if there; pictures by name, anywhere below the folder."""
    relative = require_files(folder, "relative_captions_shoes.json", "Shoes")[0]
    plain = sorted(folder.rglob("captions_shoes.json"))[:1]
    coverage = Coverage()
    captions = _captions(plain, coverage)
    paths = by_tail(pictures_below(folder), 1)

    def picture_of(name: str) -> SourceImage | None:
        if name not in paths:
            return None
        stem = PurePosixPath(name).stem
        return SourceImage(
            safe_id(NAME, stem),
            paths[name],
            product_id=safe_id(NAME, stem),
            caption=captions.get(name, ""),
            attributes=_known(stem),
        )

    rows = list(enumerate(records_of(relative, ("ImageName", "ReferenceImageName", "RelativeCaption")), 1))
    triplets = _triplets(spread(rows, limit), relative)
    images, instances = keep(triplets, NAME, picture_of, coverage)
    return SourceData(NAME, folder, images, instances, coverage, revision_of([relative, *plain]))


def _known(stem: str) -> dict[str, str]:
    """The file name says which kind of shoe it shows."""
    named = _PICTURE.fullmatch(stem)
    return {"category": named["category"].replace("_", " "), "gender": "Women"} if named else {}


def _captions(plain: Iterable[Path], coverage: Coverage) -> dict[str, str]:
    """File name -> caption; of several the first."""
    captions: dict[str, str] = {}
    for path in plain:
        for number, record in enumerate(records_of(path, ("ImageName", "Caption")), 1):
            where = f"Record {number} of {path}"
            name = word_of(record["ImageName"], "ImageName", where)
            if name in captions:
                coverage.tolerated["several plain captions of one picture"] += 1
            captions.setdefault(name, tidy(word_of(record["Caption"], "Caption", where)))
    return captions


def _triplets(rows: Iterable[tuple[int, dict[str, Any]]], path: Path) -> Iterator[Triplet]:
    for number, record in rows:
        where = f"Record {number} of {path}"
        reference = word_of(record["ReferenceImageName"], "ReferenceImageName", where)
        target = word_of(record["ImageName"], "ImageName", where)
        text = tidy(str(record["RelativeCaption"] or ""))
        yield Triplet(f"{NAME}/{number:05d}", reference, text, target)

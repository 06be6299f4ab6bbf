"""FashionIQ: composed retrieval of dresses, shirts and tops; `candidate` in its files is the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.instances import Coverage, SourceData, SourceImage
from builders.sources.pictures import by_stem
from builders.sources.reading import pictures_below, require_files, revision_of, safe_id, spread
from builders.sources.triplets import Triplet, joined, keep, records_of, word_of
from retrieval.errors import SourceError

NAME = "fashion_iq"
CATEGORY_WORDS = {"dress": "dress", "shirt": "shirt", "toptee": "top"}
_FILE = re.compile(r"cap\.(dress|shirt|toptee)\.(train|val|test)\.json")


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    category: str
    reference: str
    target: str
    """"" in the test split, whose targets were never published."""
    captions: Any
    where: str


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    """`cap.<category>.<split>.json` and pictures `<asin>.jpg` or `.png`, anywhere below the folder."""
    files = [path for path in require_files(folder, "cap.*.json", "FashionIQ") if _FILE.fullmatch(path.name)]
    if not files:
        raise SourceError(f"No file cap.<dress|shirt|toptee>.<split>.json in {folder}: it does not hold FashionIQ.")
    coverage = Coverage()
    rows = [row for path in files for row in _rows(path)]
    categories = categories_of((row.category, asin) for row in rows for asin in (row.reference, row.target) if asin)
    if twice := sum(len(names) > 1 for names in categories.values()):
        coverage.tolerated["id in two categories"] = twice
    paths = by_stem(pictures_below(folder))

    def picture_of(asin: str) -> SourceImage | None:
        if asin not in paths:
            return None
        category = CATEGORY_WORDS[min(categories[asin])]
        return SourceImage(
            safe_id(NAME, asin), paths[asin], product_id=product_of(asin), attributes={"category": category}
        )

    images, instances = keep(_triplets(spread(rows, limit), coverage), NAME, picture_of, coverage)
    return SourceData(NAME, folder, images, instances, coverage, revision_of(files))


def product_of(asin: str) -> str:
    """The product_id in all sources whose pictures are named by Amazon's ids."""
    return f"asin/{asin}"


def categories_of(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """asin -> its categories, of (category, asin)."""
    found: dict[str, set[str]] = {}
    for category, asin in pairs:
        found.setdefault(asin, set()).add(category)
    return found


def _rows(path: Path) -> Iterator[_Row]:
    _, category, split, _ = path.name.split(".")
    for number, record in enumerate(records_of(path, ("candidate", "captions")), 1):
        where = f"Record {number} of {path}"
        unpublished = split == "test" and not record.get("target")
        target = "" if unpublished else word_of(record.get("target"), "target", where)
        reference = word_of(record["candidate"], "candidate", where)
        yield _Row(f"{category}.{split}/{number:05d}", category, reference, target, record["captions"], where)


def _triplets(rows: Iterable[_Row], coverage: Coverage) -> Iterator[Triplet]:
    for row in rows:
        if row.target:
            text = joined(row.captions, row.where, coverage)
            yield Triplet(f"{NAME}/{row.name}", row.reference, text, row.target)
        else:
            coverage.n_records += 1
            coverage.dropped["no target (test row)"] += 1

"""UT-Zappos50K: shoes with the shop's own attributes, as attribute-specific queries.

`meta-data.csv` has a row a picture; CID `100627-72` is the picture `100627.72.jpg` somewhere below the folder. The
number before the dash is the shoe, the one after it a colour of it. `;` joins several values of an attribute: pictures
share it when they share one of them. A record is one known attribute of one picture.
"""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from builders.instances import Coverage, SourceData, SourceImage
from builders.sources.asfr_pools import asfr_instances, draw_pools
from builders.sources.pictures import by_tail
from builders.sources.reading import pictures_below, read_lines, require_files, revision_of, safe_id, spread
from retrieval.errors import SourceError
from retrieval.schema import AttributeValue

NAME = "ut_zappos"

ASKED: Mapping[str, str] = {
    "HeelHeight": "heel height",
    "Closure": "closure",
    "ToeStyle": "toe style",
    "Material": "material",
    "Insole": "insole",
}
"""Column -> attribute of ASFR queries, as a shopper says it."""
TOLD: Mapping[str, str] = {"Category": "master_category", "SubCategory": "category", "Gender": "gender"}
COLUMNS = ("CID", "Category", "SubCategory", *ASKED, "Gender")


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    files = require_files(folder, "meta-data.csv", "UT-Zappos50K")
    coverage = Coverage()
    rows = _rows(files[0], coverage)
    found = by_tail(pictures_below(folder), 1)
    images: dict[str, SourceImage] = {}
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    records: list[tuple[str, str]] = []
    for cid, row in sorted(rows.items()):
        file_name = f"{cid.replace('-', '.')}.jpg"
        image_id = safe_id(NAME, file_name)
        asked = {attribute: values for column, attribute in ASKED.items() if (values := _values(row[column]))}
        records += [(attribute, image_id) for attribute in asked]
        if file_name not in found:
            coverage.missing_pictures.add(file_name)
            continue
        for attribute, values in asked.items():
            for value in values:
                groups[attribute][value].append(image_id)
        images[image_id] = SourceImage(
            image_id,
            found[file_name],
            product_id=safe_id(NAME, cid.partition("-")[0]),
            attributes=_attributes(row, asked),
        )
    rng = random.Random(f"{NAME} {seed}")
    pools = draw_pools(
        groups,
        rng,
        coverage,
        queries=spread(sorted(records), limit),
        product_of={image_id: image.product_id for image_id, image in images.items()},
    )
    return SourceData(
        name=NAME,
        root=folder,
        images=images,
        instances=asfr_instances(NAME, list(pools), rng, noun="pair", names_values=True),
        coverage=coverage,
        revision=revision_of(files[:1]),
    )


def _attributes(row: Mapping[str, str], asked: Mapping[str, list[str]]) -> dict[str, AttributeValue]:
    told: dict[str, AttributeValue] = {name: "; ".join(_values(row[column])) for column, name in TOLD.items()}
    told.update({attribute: "; ".join(values) for attribute, values in asked.items()})
    return {name: value for name, value in told.items() if value}


def _values(field: str) -> list[str]:
    return [value.strip() for value in field.split(";") if value.strip()]


def _rows(path: Path, coverage: Coverage) -> dict[str, dict[str, str]]:
    """CID -> row. Raises SourceError for another header, a row of another length."""
    lines = read_lines(path)
    header = next(csv.reader([next(lines, (0, ""))[1]]), [])
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise SourceError(f"{path} has no column {missing[0]!r}: fetch the meta-data.csv of UT-Zappos50K again.")
    rows: dict[str, dict[str, str]] = {}
    for number, line in lines:
        fields = next(csv.reader([line]))
        if len(fields) != len(header):
            raise SourceError(
                f"Line {number} of {path} has {len(fields)} fields, the header {len(header)}: fetch it again."
            )
        row = dict(zip(header, fields, strict=True))
        if row["CID"] in rows:
            coverage.tolerated["CID given twice: the first is taken"] += 1
        rows.setdefault(row["CID"], row)
    if not rows:
        raise SourceError(f"{path} has a header and no rows: fetch it again.")
    return rows

"""FashionAI: eight attributes of women's clothes, one a picture, as attribute-specific queries.

`Annotations/label.csv` has no header; a row is `Images/<task>/<hash>.jpg,<task>,nnnynn`, a letter a class: y is the
class, m one that it may be, n one that it is not. A picture that may have the query's class is never its negative. The
class "invisible" says that the attribute cannot be seen: such pictures neither ask for it nor stand in pools.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builders.instances import Coverage, SourceData, SourceImage
from builders.sources.asfr_pools import MISSING, asfr_instances, draw_pools
from builders.sources.reading import pictures_below, read_lines, require_files, revision_of, safe_id, spread
from builders.sources.u_fire import Pictures
from retrieval.errors import SourceError

NAME = "fashion_ai"
INVISIBLE = "invisible"

CLASSES: Mapping[str, tuple[str, ...]] = {
    "skirt length": (INVISIBLE, "short length", "knee length", "midi length", "ankle length", "floor length"),
    "sleeve length": (
        INVISIBLE,
        "sleeveless",
        "cup sleeves",
        "short sleeves",
        "elbow sleeves",
        "3/4 sleeves",
        "wrist length",
        "long sleeves",
        "extra long sleeves",
    ),
    "coat length": (
        INVISIBLE,
        "high waist length",
        "regular length",
        "long length",
        "micro length",
        "knee length",
        "midi length",
        "ankle & floor length",
    ),
    "pant length": (INVISIBLE, "short pant", "mid length", "3/4 length", "cropped pant", "full length"),
    "collar design": (INVISIBLE, "shirt collar", "peter pan", "puritan collar", "rib collar"),
    "lapel design": (INVISIBLE, "notched", "collarless", "shawl collar", "plus size shawl"),
    "neckline design": (
        INVISIBLE,
        "strapless neck",
        "deep v neckline",
        "straight neck",
        "v neckline",
        "square neckline",
        "off shoulder",
        "round neckline",
        "sweat heart neck",
        "one shoulder neckline",
    ),
    "neck design": (INVISIBLE, "turtle neck", "ruffle semi-high collar", "low turtle neck", "draped collar"),
}
"""Attribute -> classes in the order of the letters; the task's word is `<attribute with _>_labels`."""


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    attribute: str
    code: str

    @property
    def image_id(self) -> str:
        return safe_id(NAME, self.name.removeprefix("Images/"))

    def classes(self, letter: str) -> list[str]:
        return [name for name, given in zip(CLASSES[self.attribute], self.code, strict=True) if given == letter]


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    files = require_files(folder, "label.csv", "FashionAI")
    coverage = Coverage()
    rows: dict[str, _Row] = {}
    for path in files:
        for row in _rows(path):
            if row.image_id in rows:
                coverage.tolerated["row given twice: the first is taken"] += 1
            rows.setdefault(row.image_id, row)
    pictures = Pictures(pictures_below(folder), "FashionAI")
    images: dict[str, SourceImage] = {}
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    unsure: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for image_id, row in sorted(rows.items()):
        path_below = pictures.find(row.name)
        if path_below is None:
            coverage.missing_pictures.add(row.name)
            continue
        sure = [name for name in row.classes("y") if name != INVISIBLE]
        if len(sure) > 1:
            coverage.tolerated["several sure classes: both are taken"] += 1
        for name in sure:
            groups[row.attribute][name].append(image_id)
        for name in row.classes("m"):
            unsure[row.attribute][name].append(image_id)
        attributes = {row.attribute: sure[0]} if len(sure) == 1 else {}
        images[image_id] = SourceImage(image_id, path_below, kind="worn", attributes=attributes)
    queries = _queries([rows[image_id] for image_id in sorted(rows)], limit, coverage)
    rng = random.Random(f"{NAME} {seed}")
    pools = draw_pools(groups, rng, coverage, queries=queries, uncertain=unsure)
    return SourceData(
        name=NAME,
        root=folder,
        images=images,
        instances=asfr_instances(NAME, list(pools), rng, names_values=True),
        coverage=coverage,
        revision=revision_of(files),
    )


def _queries(rows: list[_Row], limit: int | None, coverage: Coverage) -> list[tuple[str, str]]:
    queries = []
    for row in spread(rows, limit):
        sure = row.classes("y")
        if sure and sure != [INVISIBLE]:
            queries.append((row.attribute, row.image_id))
            continue
        coverage.n_records += 1
        if row.name in coverage.missing_pictures:
            coverage.dropped[MISSING] += 1
        else:
            coverage.dropped["the attribute cannot be seen" if sure else "no sure class"] += 1
    return queries


def _rows(path: Path) -> list[_Row]:
    """Raises SourceError that names the first row of another form."""
    rows = []
    for number, line in read_lines(path):
        where = f"Line {number} of {path}"
        parts = [part.strip() for part in line.split(",")]
        if len(parts) != 3:
            raise SourceError(f"{where} has {len(parts)} fields in place of 3: is the file cut? Fetch it again.")
        attribute = parts[1].removesuffix("_labels").replace("_", " ")
        if attribute not in CLASSES:
            raise SourceError(f"{where} has the unknown task {parts[1]!r:.60}: is it another file than label.csv?")
        if len(parts[2]) != len(CLASSES[attribute]) or not set(parts[2]) <= set("ymn"):
            raise SourceError(
                f"{where} has the label {parts[2]!r:.40}; {parts[1]} has {len(CLASSES[attribute])} letters of y, m, n."
                " A test file has no labels: give the training set's label.csv."
            )
        rows.append(_Row(parts[0], attribute, parts[2]))
    if not rows:
        raise SourceError(f"{path} is empty: fetch it again.")
    return rows

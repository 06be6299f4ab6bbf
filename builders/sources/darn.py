"""DARN: nine attributes of clothes with numbered values, as attribute-specific queries.

Read from U-FIRE's files. The galleries (`*_asfr_DARN_*candidate_data.json`) have a key `DARN+<attribute>+<value>` for
each value, and the pictures that have it. Query records, where there are any, bring a `query_image`, the `attribute`,
and the pools `target_image` and `negative_image`; what a record lacks is drawn from the galleries by its
`target_label`, or by the values that they give the query's picture. Without query records every picture of a gallery
asks for each of its attributes.

Galleries number the attributes. Query records name them, and their names are taken where they can be matched; otherwise
the order is that of the table in DARN's paper, which no public file confirms.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from builders.instances import N_NEGATIVES, N_POSITIVES, Coverage, SourceData, SourceImage
from builders.sources.asfr_pools import FEW_NEGATIVES, FEW_POSITIVES, MISSING, Pool, asfr_instances, draw_pools
from builders.sources.reading import pictures_below, require_files, revision_of, safe_id, spread
from builders.sources.u_fire import Pictures, UFireRecord, read_candidates, read_u_fire

NAME = "darn"
FILES = "*_asfr_DARN_*.json"
UNKNOWN = "no label, no pools of its own, and no gallery has the picture"

ATTRIBUTES: Mapping[str, str] = {
    "0": "category",
    "1": "buttons",
    "2": "colour",
    "3": "length",
    "4": "pattern",
    "5": "shape",
    "6": "collar shape",
    "7": "sleeve length",
    "8": "sleeve shape",
}


@dataclass(slots=True)
class _Gallery:
    """What is known of pictures: those that are there, and their values."""

    pictures: Pictures
    coverage: Coverage
    names: Mapping[str, str]
    """Attribute as a label writes it -> as a shopper says it."""
    images: dict[str, SourceImage] = field(default_factory=dict)
    groups: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    values_of: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    """(attribute, image_id) -> its values; more than one where labels contradict each other."""
    records: list[tuple[str, str]] = field(default_factory=list)
    """(attribute, image_id), also of missing pictures."""

    def note(self, path: str) -> str:
        """Its image_id; "" when the picture is missing."""
        image_id = _image_id(path)
        if image_id not in self.images:
            found = self.pictures.find(path)
            if found is None:
                self.coverage.missing_pictures.add(path)
                return ""
            self.images[image_id] = SourceImage(image_id, found, kind="worn")
        return image_id

    def note_label(self, label: str, paths: Sequence[str]) -> None:
        attribute, value = self.split(label)
        for path in paths:
            self.records.append((attribute, _image_id(path)))
            if image_id := self.note(path):
                self.groups[attribute][value].append(image_id)
                self.values_of[attribute, image_id].append(value)

    def split(self, label: str) -> tuple[str, str]:
        _, attribute, value = label.split("+", 2)
        return self.names.get(attribute, attribute), value


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    labels, galleries = read_candidates(folder, FILES)
    all_files = require_files(folder, FILES, "DARN")
    records = read_u_fire(folder, FILES, "DARN")[0] if len(all_files) > len(galleries) else []
    coverage = Coverage()
    gallery = _Gallery(Pictures(pictures_below(folder), "DARN"), coverage, _names(records))
    for label, paths in labels.items():
        if label:
            gallery.note_label(label, paths)
    rng = random.Random(f"{NAME} {seed}")
    if records:
        pools = list(_recorded(spread(records, limit), gallery, coverage, rng))
    else:
        queries = spread(sorted(set(gallery.records)), limit)
        pools = list(draw_pools(gallery.groups, rng, coverage, queries=queries))
    return SourceData(
        name=NAME,
        root=folder,
        images=dict(sorted(gallery.images.items())),
        instances=asfr_instances(NAME, pools, rng),
        coverage=coverage,
        revision=revision_of(all_files),
    )


def _recorded(
    records: Sequence[UFireRecord], gallery: _Gallery, coverage: Coverage, rng: random.Random
) -> Iterator[Pool]:
    """Pools as records give them; one query of a picture and an attribute."""
    asked: set[tuple[str, str]] = set()
    for record in records:
        coverage.n_records += 1
        pool = _recorded_pool(record, gallery, rng)
        if isinstance(pool, str):
            coverage.dropped[pool] += 1
        elif (pool.query, pool.attribute) in asked:
            coverage.dropped["query given twice"] += 1
        else:
            coverage.n_kept += 1
            asked.add((pool.query, pool.attribute))
            yield pool


def _recorded_pool(record: UFireRecord, gallery: _Gallery, rng: random.Random) -> Pool | str:
    if not record.references or not (record.attribute or record.label):
        return "no query picture or no attribute"
    attribute, value = gallery.split(record.label) if record.label.count("+") >= 2 else (record.attribute, "")
    if record.attribute:
        attribute = gallery.names.get(record.attribute, record.attribute)
    values = gallery.groups.get(attribute, {})
    query = gallery.note(record.references[0])
    if not query:
        return MISSING
    own = sorted({*gallery.values_of.get((attribute, query), ()), *([value] if value else [])})
    if not own and not (record.targets and record.negatives):
        return UNKNOWN
    sharing = [image for name in own for image in values.get(name, ())]
    same = map(gallery.note, record.targets) if record.targets else values.get(value, ()) if value else sharing
    positives = _distinct(same, {query, ""})
    if len(positives) < N_POSITIVES[0]:
        return FEW_POSITIVES
    known_same = {query, "", *positives, *sharing}
    other = [image for name, images in values.items() if name not in own for image in images]
    negatives = _distinct(map(gallery.note, record.negatives) if record.negatives else other, known_same)
    if len(negatives) < N_NEGATIVES:
        return FEW_NEGATIVES
    chosen = sorted(rng.sample(positives, min(len(positives), rng.randint(*N_POSITIVES))))
    unlike = sorted(rng.sample(negatives, N_NEGATIVES))
    return Pool(attribute, query, tuple(own), rng.choice(chosen), tuple(chosen), tuple(unlike))


def _names(records: Sequence[UFireRecord]) -> dict[str, str]:
    """Names of the numbered attributes: those of records that bring a label and a name, else the paper's."""
    names = dict(ATTRIBUTES)
    for record in records:
        if record.label.count("+") >= 2 and record.attribute and not record.attribute.isdigit():
            names[record.label.split("+")[1]] = record.attribute
    return names


def _distinct(images: Iterable[str], without: set[str]) -> list[str]:
    return sorted({image for image in images if image not in without})


def _image_id(path: str) -> str:
    return safe_id(NAME, PurePosixPath(path).name)

"""FashionVC: tops and bottoms that go together, as compatibility queries of one picture.

The pairs are read from U-FIRE's records (`*_compatibility_FashionVC_*.json`, with `query_image` and `target_image`);
they name pictures `FashionVC_images/top+<id>.jpg` and `bottom+<id>.jpg`. A pair holds both ways, and U-FIRE asks for
bottoms only, so about half of the queries, by the seed, are turned round. Its instructions say no more than the kind
that is wanted, so requests are worded here.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from builders.instances import Coverage, Instance, SourceData, SourceImage
from builders.sources.reading import pictures_below, revision_of, safe_id, spread
from builders.sources.u_fire import Pictures, UFireRecord, read_candidates, read_u_fire
from retrieval.benchmark import Task

NAME = "fashion_vc"
FILES = "*_compatibility_FashionVC_*.json"

TURNED_SHARE = 0.5
"""Share of the pairs that are asked the other way round."""

KINDS = {"top": ("a top", "a shirt or top"), "bottom": ("a bottom", "trousers or a skirt")}
"""Beginning of a picture's name -> how a shopper calls it."""
REQUESTS = (
    "find {kind} that would go with this",
    "what could I wear with this? I need {kind}",
    "show me {kind} to match this one",
    "I want to wear this with {kind}, any ideas?",
    "{kind} for an outfit with this, please",
)


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    records, files = read_u_fire(folder, FILES, "FashionVC")
    candidates, galleries = read_candidates(folder, FILES)
    pictures = Pictures(pictures_below(folder), "FashionVC")
    coverage = Coverage()
    rng = random.Random(f"{NAME} {seed}")
    images: dict[str, SourceImage] = {}
    for name in candidates.get("", []):
        _note_image(name, pictures, images, coverage)
    instances = []
    for record in spread(records, limit):
        coverage.n_records += 1
        made_of = _instance(record, pictures, images, coverage, rng)
        if isinstance(made_of, str):
            coverage.dropped[made_of] += 1
        else:
            coverage.n_kept += 1
            instances.append(made_of)
    return SourceData(
        name=NAME,
        root=folder,
        images=dict(sorted(images.items())),
        instances=sorted(instances, key=lambda instance: instance.instance_id),
        coverage=coverage,
        revision=revision_of([*files, *galleries]),
    )


def _instance(
    record: UFireRecord, pictures: Pictures, images: dict[str, SourceImage], coverage: Coverage, rng: random.Random
) -> Instance | str:
    if not record.references or not record.targets:
        return "no query or no target picture"
    if len(record.targets) > 1:
        coverage.tolerated["several targets: the first is taken"] += 1
    shown, target = record.references, record.targets[0]
    if len(shown) == 1 and rng.random() < TURNED_SHARE:
        shown, target = (target,), shown[0]
    kinds = KINDS.get(_kind(target))
    if kinds is None or any(_kind(name) not in KINDS or _kind(name) == _kind(target) for name in shown):
        return "not a top and a bottom"
    found = _note_images([*shown, target], pictures, images, coverage)
    if found is None:
        return "picture is missing"
    text = rng.choice(REQUESTS).format(kind=rng.choice(kinds))
    return Instance(
        instance_id=safe_id(NAME, record.record_id),
        task=Task.COMPATIBLE,
        dataset=NAME,
        text=text,
        target=found[-1],
        references=tuple(found[:-1]),
    )


def _note_images(
    names: Sequence[str], pictures: Pictures, images: dict[str, SourceImage], coverage: Coverage
) -> list[str] | None:
    """Their image_ids, or None when one is missing."""
    found = [_note_image(name, pictures, images, coverage) for name in names]
    return [image_id for image_id in found if image_id] if all(found) else None


def _note_image(name: str, pictures: Pictures, images: dict[str, SourceImage], coverage: Coverage) -> str | None:
    path = pictures.find(name)
    if path is None:
        coverage.missing_pictures.add(name)
        return None
    image_id = safe_id(NAME, PurePosixPath(name).name)
    kind = _kind(name)
    images[image_id] = SourceImage(image_id, path, attributes={"category": kind} if kind in KINDS else {})
    return image_id


def _kind(name: str) -> str:
    return PurePosixPath(name).name.partition("+")[0]

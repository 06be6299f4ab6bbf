"""Sketches and the photos drawn after them: the layout `{train,test}{A,B}` and the words of such queries."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.instances import Coverage, Instance, SourceData, SourceImage
from builders.sources.reading import pictures_below, require_folder, revision_of, safe_id, spread
from retrieval.benchmark import Task
from retrieval.errors import SourceError

REQUESTS = (
    "find this",
    "I drew what I want, find it",
    "{noun} like in my drawing",
    "do you have {noun} like my sketch?",
    "search for {noun} that look like this sketch",
    "here is a quick drawing, show me the real thing",
)

_IN_HALF = re.compile(r"(?P<where>(?:.*/)?(?:train|val|test))(?P<half>[AB])[/+](?P<name>[^/]+)\.\w+")
_NUMBER = re.compile(r"[_-]\d+$")

Pair = tuple[str, str]
"""Path of the sketch, and of its photo; "" when there is none."""
NO_PHOTO = "no photo of the sketch's name"


@dataclass(frozen=True, slots=True)
class Drawings:
    """What a data set holds."""

    folder: Path
    name: str
    noun: str
    """As requests call it: "shoes"."""
    pairs: Sequence[Pair]
    photos: Sequence[str]
    no_photo: str = NO_PHOTO
    """The reason that is counted for a sketch without a photo."""


def request(rng: random.Random, noun: str) -> str:
    return rng.choice(REQUESTS).format(noun=noun)


def read_halves(folder: Path, seed: int, limit: int | None, name: str, title: str, noun: str) -> SourceData:
    """A data set of folders `{train,test}{A,B}`, A sketches and B photos: a sketch belongs to the photo of its name.

    A sketch `00032_1` belongs to photo `00032` where there is no `00032_1`. Where no name of a folder fits and both
    sides hold equally many, sorted names are paired, and `tolerated` says so; otherwise what does not fit is dropped.
    Raises SourceError for a folder without sketches.
    """
    require_folder(folder, title)
    halves: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"A": [], "B": []})
    for path in sorted(pictures_below(folder)):
        if match := _IN_HALF.fullmatch(path):
            halves[match["where"]][match["half"]].append(path)
    coverage = Coverage()
    pairs: list[Pair] = []
    for where in sorted(halves):
        pairs += _pair(halves[where]["A"], halves[where]["B"], coverage)
    if not pairs:
        raise SourceError(f"There is no picture in trainA or testA below {folder}: {title} keeps its sketches there.")
    photos = sorted(path for half in halves.values() for path in half["B"])
    return sketch_data(Drawings(folder, name, noun, pairs, photos), seed, limit, coverage)


def sketch_data(drawings: Drawings, seed: int, limit: int | None, coverage: Coverage) -> SourceData:
    """Pairs -> instances; photos without a sketch are in the gallery all the same."""
    name, photos = drawings.name, drawings.photos
    images = {
        safe_id(name, path): SourceImage(safe_id(name, path), path, product_id=_product(name, path)) for path in photos
    }
    path_of = {safe_id(name, sketch): sketch for sketch, _ in drawings.pairs}
    instances = list(_instances(drawings, seed, limit, coverage))
    for sketch in (instance.references[0] for instance in instances):
        images[sketch] = SourceImage(sketch, path_of[sketch], kind="sketch")
    files = [drawings.folder / path for path in (*photos, *(sketch for sketch, _ in drawings.pairs))]
    return SourceData(
        name=name,
        root=drawings.folder,
        images=dict(sorted(images.items())),
        instances=sorted(instances, key=lambda instance: instance.instance_id),
        coverage=coverage,
        revision=revision_of(files),
    )


def _instances(drawings: Drawings, seed: int, limit: int | None, coverage: Coverage) -> Iterator[Instance]:
    rng = random.Random(f"{drawings.name} {seed}")
    for sketch, photo in spread(drawings.pairs, limit):
        coverage.n_records += 1
        if not photo:
            coverage.dropped[drawings.no_photo] += 1
            continue
        coverage.n_kept += 1
        sketch_id = safe_id(drawings.name, sketch)
        yield Instance(
            instance_id=sketch_id,
            task=Task.SKETCH2IMG,
            dataset=drawings.name,
            text=request(rng, drawings.noun),
            target=safe_id(drawings.name, photo),
            references=(sketch_id,),
        )


def _pair(sketches: Sequence[str], photos: Sequence[str], coverage: Coverage) -> list[Pair]:
    by_name = {_stem(path): path for path in photos}
    pairs = [(path, by_name.get(_stem(path)) or by_name.get(_NUMBER.sub("", _stem(path)), "")) for path in sketches]
    n_fit = sum(photo != "" for _, photo in pairs)
    if n_fit == 0 and len(sketches) == len(photos):
        coverage.tolerated["names of sketch and photo differ: paired in sorted order"] += len(sketches)
        return list(zip(sketches, photos, strict=True))
    n_drawn = len({photo for _, photo in pairs if photo})
    if n_drawn < len(photos):
        coverage.tolerated["photo without a sketch: in the gallery only"] += len(photos) - n_drawn
    return pairs


def _stem(path: str) -> str:
    match = _IN_HALF.fullmatch(path)
    return match["name"] if match else path


def _product(name: str, path: str) -> str:
    return safe_id(name, path.rpartition(".")[0])

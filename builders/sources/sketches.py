"""Sketches and the photos drawn after them: the layout `{train,test}{A,B}` and the words of such queries."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
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
    return sketch_data(folder, name, pairs, photos, noun, seed, limit, coverage)


def sketch_data(
    folder: Path,
    name: str,
    pairs: Sequence[Pair],
    photos: Sequence[str],
    noun: str,
    seed: int,
    limit: int | None,
    coverage: Coverage,
    no_photo: str = NO_PHOTO,
) -> SourceData:
    """Pairs -> instances; photos without a sketch are in the gallery all the same. no_photo: the reason counted."""
    files = [folder / path for path in (*photos, *(sketch for sketch, _ in pairs))]
    rng = random.Random(f"{name} {seed}")
    images = {safe_id(name, path): SourceImage(safe_id(name, path), path, product_id=_product(path)) for path in photos}
    instances = []
    for sketch, photo in spread(pairs, limit):
        coverage.n_records += 1
        if not photo:
            coverage.dropped[no_photo] += 1
            continue
        coverage.n_kept += 1
        sketch_id = safe_id(name, sketch)
        images[sketch_id] = SourceImage(sketch_id, sketch, kind="sketch")
        instances.append(
            Instance(
                instance_id=sketch_id,
                task=Task.SKETCH2IMG,
                dataset=name,
                text=request(rng, noun),
                target=safe_id(name, photo),
                references=(sketch_id,),
            )
        )
    return SourceData(
        name=name,
        root=folder,
        images=dict(sorted(images.items())),
        instances=sorted(instances, key=lambda instance: instance.instance_id),
        coverage=coverage,
        revision=revision_of(files),
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


def _product(path: str) -> str:
    return path.rpartition(".")[0]

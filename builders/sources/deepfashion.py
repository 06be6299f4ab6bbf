"""DeepFashion In-Shop: the same item in another picture of the shop."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from builders.instances import Coverage, Instance, SourceData, SourceImage
from builders.sources.pictures import by_tail
from builders.sources.reading import pictures_below, read_lines, require_files, revision_of, safe_id, spread
from builders.sources.triplets import records_of, word_of
from retrieval.benchmark import PictureKind, Task
from retrieval.errors import SourceError

NAME = "deepfashion"
PARTITION, BOXES, DESCRIPTIONS = "list_eval_partition.txt", "list_bbox_inshop.txt", "list_description_inshop.json"
STATUSES = ("train", "query", "gallery")
ALONE = 6
"""The pose type of an item that nobody wears."""

POSE_OF_NAME = {"front": 1, "side": 2, "back": 3, "full": 4, "flat": ALONE}
"""Endings of file names, `02_1_front.jpg`; "additional" says nothing."""
POSE_TEXTS: dict[int, tuple[str, ...]] = {
    1: ("show me the front of it", "the same item seen from the front", "how does it look from the front?"),
    2: ("the same item from the side", "show me this one from the side", "how does it look from the side?"),
    3: ("show me the back of it", "the same item seen from behind", "what does the back of this look like?"),
    4: ("the whole of this item, from further away", "show me the full outfit with this item", "the same, head to toe"),
    5: ("a closer look at this item", "the same item, closer up", "show me its details from close by"),
    ALONE: ("this item alone, with nobody wearing it", "show me just the item", "the same item without a model"),
}
ANY_TEXTS = (
    "the same item from another side",
    "another picture of this item",
    "show me this very item again",
    "more views of this one, please",
    "find exactly this item in the shop",
)
POSE_SHARE = 0.75
"""How often the wish names the view where it is known and new."""


@dataclass(frozen=True, slots=True)
class _View:
    path: str
    """As the files name it, `img/WOMEN/Blouses_Shirts/id_00000001/02_1_front.jpg`."""
    item_id: str
    pose: int
    """1 to 6; 0 when not known."""

    @property
    def name(self) -> str:
        """Unique; without the upper folder and the ending."""
        return str(PurePosixPath(self.path).with_suffix("")).removeprefix("img/")

    @property
    def outfit(self) -> str:
        """Equal for views of one photo session: the same item in the same colour."""
        return f"{PurePosixPath(self.path).parent}/{PurePosixPath(self.path).name.split('_')[0]}"


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    """Each picture is a reference once and, but for lone views of an outfit, a target once.

    `list_eval_partition.txt` is needed; the lists of boxes (for pose types) and descriptions are used when there.
    """
    partition = _partition(require_files(folder, PARTITION, "DeepFashion In-Shop"))
    boxes, described = (sorted(folder.rglob(name))[:1] for name in (BOXES, DESCRIPTIONS))
    coverage = Coverage()
    views = _views(partition, _poses(boxes, coverage), coverage)
    paths = by_tail(pictures_below(folder), depth=len(views[0].path.split("/")))
    targets = _targets([view for view in views if view.path in paths], seed)
    details = _details(described)
    images: dict[str, SourceImage] = {}
    instances: list[Instance] = []
    for view in spread(views, limit):
        coverage.n_records += 1
        if view.path not in paths:
            coverage.missing_pictures.add(view.path)
            coverage.dropped["picture is missing"] += 1
        elif view.path not in targets:
            coverage.dropped["no other picture of the item"] += 1
        else:
            coverage.n_kept += 1
            pair = (view, targets[view.path])
            images.update({_id(each): _image(each, paths[each.path], details) for each in pair})
            instances.append(_instance(*pair, seed))
    instances.sort(key=lambda instance: instance.instance_id)
    revision = revision_of([partition, *boxes, *described])
    return SourceData(NAME, folder, dict(sorted(images.items())), instances, coverage, revision)


def _id(view: _View) -> str:
    return safe_id(NAME, view.name)


def _partition(found: Sequence[Path]) -> Path:
    """The In-Shop list: the Consumer-to-Shop benchmark has another one of the same name."""
    for path in found:
        if any("image_name" in line.split() for _, line in islice(read_lines(path), 2)):
            return path
    raise SourceError(f"{found[0]} is not the list of DeepFashion's In-Shop benchmark: its line 2 names other columns.")


def _rows(path: Path, n_columns: int, coverage: Coverage) -> list[list[str]]:
    """Rows below the count and the column names. Raises SourceError for a row that is cut."""
    lines = list(read_lines(path))
    if len(lines) < 3 or not lines[0][1].strip().isdigit():
        raise SourceError(f"{path} has no count in line 1, column names in line 2 and rows below: fetch it again.")
    rows = [line.split() for _, line in lines[2:]]
    for (number, _), row in zip(lines[2:], rows, strict=True):
        if len(row) != n_columns:
            raise SourceError(f"Line {number} of {path} has {len(row)} of {n_columns} columns: fetch it again.")
    if int(lines[0][1]) != len(rows):
        coverage.tolerated["count in line 1 is wrong"] += 1
    return rows


def _poses(boxes: Iterable[Path], coverage: Coverage) -> dict[str, int]:
    return {
        row[0]: int(row[2]) if row[2].isdigit() and int(row[2]) in POSE_TEXTS else 0
        for path in boxes
        for row in _rows(path, 7, coverage)
    }


def _views(partition: Path, poses: Mapping[str, int], coverage: Coverage) -> list[_View]:
    views: dict[str, _View] = {}
    for path, item_id, status in _rows(partition, 3, coverage):
        if status not in STATUSES:
            raise SourceError(f"{partition} gives {path} the status {status!r:.40}, none of {', '.join(STATUSES)}.")
        if path in views:
            coverage.tolerated["picture named twice"] += 1
        ending = PurePosixPath(path).stem.rsplit("_", 1)[-1]
        views.setdefault(path, _View(path, item_id, poses.get(path) or POSE_OF_NAME.get(ending, 0)))
    return [views[path] for path in sorted(views)]


def _targets(views: Sequence[_View], seed: int) -> dict[str, _View]:
    """Path of a view -> the view to find: the next in a shuffled ring of its outfit, else any of its item."""
    outfits: dict[str, list[_View]] = {}
    items: dict[str, list[_View]] = {}
    for view in views:
        outfits.setdefault(view.outfit, []).append(view)
        items.setdefault(view.item_id, []).append(view)
    targets: dict[str, _View] = {}
    for outfit, ring in outfits.items():
        rng = random.Random(f"{seed}/{outfit}")
        if len(ring) > 1:
            rng.shuffle(ring)
            targets.update({view.path: following for view, following in zip(ring, [*ring[1:], ring[0]], strict=True)})
        elif others := [view for view in items[ring[0].item_id] if view is not ring[0]]:
            targets[ring[0].path] = rng.choice(others)
    return targets


def _instance(reference: _View, target: _View, seed: int) -> Instance:
    rng = random.Random(f"{seed}/{reference.path}")
    new = target.pose and target.pose != reference.pose and target.outfit == reference.outfit
    texts = POSE_TEXTS[target.pose] if new and rng.random() < POSE_SHARE else ANY_TEXTS
    text = rng.choice(texts)
    return Instance(_id(reference), Task.IN_SHOP, NAME, text, _id(target), (_id(reference),))


def _image(view: _View, path: str, details: Mapping[str, tuple[str, str]]) -> SourceImage:
    colour, caption = details.get(view.item_id, ("", ""))
    parts = view.name.split("/")
    attributes = {"colour": colour} if colour else {}
    if len(parts) == 4:
        gender, category = parts[:2]
        attributes = {"category": category.replace("_", " "), "gender": gender.capitalize(), **attributes}
    kind: PictureKind = "product" if view.pose == ALONE else "worn"
    return SourceImage(_id(view), path, kind, safe_id(NAME, view.item_id), caption, attributes)


def _details(described: Iterable[Path]) -> dict[str, tuple[str, str]]:
    """item_id -> (colour, first sentence of the description); an item with several colours has none."""
    details: dict[str, tuple[str, str]] = {}
    for path in described:
        for number, record in enumerate(records_of(path, ("item", "color", "description")), 1):
            item_id = word_of(record["item"], "item", f"Record {number} of {path}").split("/")[-1]
            colour, caption = " ".join(str(record["color"] or "").split()), _first(record["description"])
            known = details.setdefault(item_id, (colour, caption))
            details[item_id] = (known[0] if known[0] == colour else "", known[1])
    return details


def _first(description: Any) -> str:
    lines = [description] if isinstance(description, str) else description or []
    texts = (" ".join(str(line).split()) for line in lines)
    return next((text for text in texts if text), "")

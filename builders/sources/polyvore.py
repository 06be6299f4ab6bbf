"""Polyvore: outfits, as compatibility queries: what goes with one item, or with several of an outfit.

Read from `{train,valid,test}_no_dup.json` and `category_id.txt`. Every item of an outfit that is clothing or an
accessory is the target once; the query shows one or two to four of the others that are of another kind. Requests name
the kind that is wanted and nothing else of it. Furniture, beauty products and the like are left out and counted.

`dataset.json` of polyvore-interactive is not used: its answers are items of outfits that the three files hold already,
and its wrong options are other people's items, no judgement that they would not go with the outfit.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.instances import Coverage, Instance, SourceData, SourceImage
from builders.sources.polyvore_kinds import kind_of
from builders.sources.reading import (
    pictures_below,
    read_lines,
    read_records,
    require_files,
    revision_of,
    safe_id,
    spread,
)
from builders.sources.u_fire import Pictures
from retrieval.benchmark import Task
from retrieval.errors import SourceError
from retrieval.schema import AttributeValue

NAME = "polyvore"
N_REFERENCES = (2, 4)
"""Pictures of a query that shows several."""
SEVERAL_SHARE = 0.5
"""Share of the queries that show several, where an outfit allows it."""

ONE_REQUESTS = (
    "find {kind} to go with this",
    "what {kind} would suit this?",
    "I need {kind} to wear with this one",
    "{kind} for an outfit with this, please",
    "which {kind} would you combine with this?",
)
SEVERAL_REQUESTS = (
    "find {kind} to go with these",
    "what {kind} would complete this outfit?",
    "I wear these together and need {kind} as well",
    "{kind} to finish this look, please",
    "which {kind} would you add to these?",
)


@dataclass(frozen=True, slots=True)
class _Item:
    image: SourceImage
    """Its path is "" when the picture is missing."""
    kind: str
    """What it is, in the plural; "" when it is no clothing."""
    group: str
    outfit: str
    problem: str = ""
    """Why it is no target."""


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    files = require_files(folder, "*_no_dup.json", "Polyvore")
    categories_file = require_files(folder, "category_id.txt", "Polyvore")[0]
    coverage = Coverage()
    items = _items(files, _categories(categories_file), Pictures(pictures_below(folder), "Polyvore"), coverage)
    outfits: dict[str, list[_Item]] = {}
    for item in items:
        outfits.setdefault(item.outfit, []).append(item)
    rng = random.Random(f"{NAME} {seed}")
    instances = []
    for item in spread(items, limit):
        coverage.n_records += 1
        made_of = item.problem or _instance(item, outfits[item.outfit], rng)
        if isinstance(made_of, str):
            coverage.dropped[made_of] += 1
        else:
            coverage.n_kept += 1
            instances.append(made_of)
    images = {item.image.image_id: item.image for item in items if not item.problem}
    if limit is not None:
        used = {image_id for instance in instances for image_id in (instance.target, *instance.references)}
        images = {image_id: image for image_id, image in images.items() if image_id in used}
    return SourceData(
        name=NAME,
        root=folder,
        images=dict(sorted(images.items())),
        instances=sorted(instances, key=lambda instance: instance.instance_id),
        coverage=coverage,
        revision=revision_of([*files, categories_file]),
    )


def _instance(target: _Item, outfit: Sequence[_Item], rng: random.Random) -> Instance | str:
    """The query for one item, or why there is none."""
    others = [item.image.image_id for item in outfit if item.group != target.group and not item.problem]
    if not others:
        return "nothing of another kind in the outfit"
    several = len(others) >= N_REFERENCES[0] and rng.random() < SEVERAL_SHARE
    n_shown = rng.randint(N_REFERENCES[0], min(N_REFERENCES[1], len(others))) if several else 1
    text = rng.choice(SEVERAL_REQUESTS if several else ONE_REQUESTS).format(kind=target.kind)
    return Instance(
        instance_id=target.image.image_id,
        task=Task.COMPATIBLE,
        dataset=NAME,
        text=text,
        target=target.image.image_id,
        references=tuple(sorted(rng.sample(others, n_shown))),
    )


def _items(files: Sequence[Path], categories: Mapping[int, str], pictures: Pictures, coverage: Coverage) -> list[_Item]:
    """Items of all outfits, sorted by id. Raises SourceError that names the outfit of another form."""
    items: dict[str, _Item] = {}
    for path in files:
        for outfit in read_records(path, ["set_id", "items"]):
            try:
                given = [_item(str(outfit["set_id"]), raw, categories, pictures, coverage) for raw in outfit["items"]]
            except (KeyError, TypeError, ValueError) as error:
                raise SourceError(
                    f"Outfit {outfit['set_id']} of {path} has an item without usable index, category or price "
                    f"({error}): is it another version of Polyvore?"
                ) from error
            for item in given:
                if item.image.image_id in items:
                    coverage.tolerated["item given twice: the first is taken"] += 1
                items.setdefault(item.image.image_id, item)
    return [items[image_id] for image_id in sorted(items)]


def _item(
    outfit: str, raw: Mapping[str, Any], categories: Mapping[int, str], pictures: Pictures, coverage: Coverage
) -> _Item:
    index, number = int(raw["index"]), int(raw["categoryid"])
    name = f"{outfit}_{index}"
    category = categories.get(number, "")
    kind, group = kind_of(category)
    problem = (
        "" if kind else "not clothes, or too broad a category" if category else "category is not in category_id.txt"
    )
    path = None
    if kind:
        path = pictures.find(f"images/{outfit}/{index}.jpg", name + ".jpg")
        if path is None:
            problem = "picture is missing"
            coverage.missing_pictures.add(f"images/{outfit}/{index}.jpg")
    attributes: dict[str, AttributeValue] = {"category": category.removeprefix("Men's ")} if category else {}
    if category.startswith("Men's "):
        attributes["gender"] = "Men"
    if (price := float(raw.get("price", -1))) > 0:
        attributes["price"] = price
    image = SourceImage(
        safe_id(NAME, name), path or "", caption=" ".join(str(raw.get("name", "")).split()), attributes=attributes
    )
    return _Item(image, kind, group, outfit, problem)


def _categories(path: Path) -> dict[int, str]:
    """Number -> name. Raises SourceError for a line of another form."""
    categories = {}
    for line_number, line in read_lines(path):
        number, _, name = line.strip().partition(" ")
        if not number.isdigit() or not name.strip():
            raise SourceError(f"Line {line_number} of {path} is no number and name: fetch category_id.txt again.")
        categories[int(number)] = name.strip()
    return categories

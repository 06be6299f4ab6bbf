"""The products of a catalogue as a source of instances needs them: read, cleaned, limited, with their pictures."""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.instances import Coverage
from builders.sources.catalogue_words import agree, name_colours, stem_of, visible_in_name
from builders.sources.reading import safe_id
from builders.wording import folded
from retrieval.errors import GalleryError, SourceError
from retrieval.gallery import Skipped, fingerprint, read_gallery
from retrieval.images import write_once
from retrieval.schema import Attributes, Item

PICTURES = "pictures"
SPOKEN = ("category", "colour", "gender", "usage", "pattern", "neckline", "sleeves", "material", "closure")
"""The attributes that requests speak of and that pairs are compared by. The season is not among them: a catalogue's
season says when it was sold, which no picture shows."""
LeaveOut = Callable[[Item], str]
"""The reason why a product is left out; "" to keep it."""


@dataclass(frozen=True, slots=True)
class Product:
    image_id: str
    path: str
    """Relative to the folder of made pictures, with `/`."""
    content: str
    """Hash of the picture's bytes."""
    name: str
    attributes: Attributes
    """As the catalogue gives them, and pattern, neckline ... as the name does."""
    spoken: Mapping[str, str]
    """Those of `SPOKEN` that are known beyond doubt, in lower case."""
    colours: tuple[str, ...]
    """Every colour that attribute and name speak of."""
    brand: str
    stem: str
    """The name without brand, colours and audience."""

    @property
    def signature(self) -> tuple[str, ...]:
        """The values of `SPOKEN`, "" for what is not known."""
        return tuple(self.spoken.get(name, "") for name in SPOKEN)

    @property
    def kind(self) -> str:
        """The sub-category, or the category where a catalogue has none: within it, pairs are made."""
        return folded(str(self.attributes.get("sub_category") or self.attributes.get("category", "")))


def read_products(
    folder: Path, made: Path, source: str, limit: int | None, leave_out: LeaveOut, coverage: Coverage
) -> tuple[list[Product], str]:
    """Products sorted by image_id, and the revision: a hash over every row that was read.

    `coverage` accounts for each row. With a limit, whole groups of one brand and category are taken, in the order of a
    hash, so that variants stay together. Raises SourceError for what is no catalogue or has no usable row.
    """
    digest = hashlib.sha256()
    items: dict[str, Item] = {}
    pictures: set[str] = set()
    try:
        for row in read_gallery(folder, made / PICTURES):
            coverage.n_records += 1
            reason = _reason(row, coverage) if isinstance(row, Skipped) else leave_out(row)
            if isinstance(row, Item):
                digest.update(f"{row.item_id}\n{fingerprint(row)}\n".encode())
                image_id = safe_id(source, row.item_id)
                reason = reason or _repeated(row, image_id, items, pictures)
            if reason:
                coverage.dropped[reason] += 1
            elif isinstance(row, Item):
                items[image_id] = row
                pictures.add(row.image.image_id)
    except GalleryError as error:
        raise SourceError(str(error)) from error
    chosen = _limited(items, limit)
    coverage.n_kept = len(chosen)
    if len(chosen) < len(items):
        coverage.dropped["beyond the limit"] += len(items) - len(chosen)
    return [_product(image_id, items[image_id], made) for image_id in sorted(chosen)], digest.hexdigest()[:16]


def _reason(row: Skipped, coverage: Coverage) -> str:
    """A row's fault in words that are the same for all rows with it."""
    if row.missing_picture:
        coverage.missing_pictures.add(row.missing_picture)
        return "picture is missing"
    return "id occurs twice" if row.repeats_id else re.sub(r" '[^']*'", "", row.reason)


def _repeated(item: Item, image_id: str, items: Mapping[str, Item], pictures: set[str]) -> str:
    if image_id in items:
        return "id occurs twice"
    return "same picture as another product" if item.image.image_id in pictures else ""


def _limited(items: Mapping[str, Item], limit: int | None) -> Sequence[str]:
    if limit is None or len(items) <= limit:
        return list(items)
    groups: dict[str, list[str]] = defaultdict(list)
    for image_id, item in items.items():
        brand, category = (folded(str(item.attributes.get(name, ""))) for name in ("brand", "category"))
        groups[f"{brand}\n{category}"].append(image_id)
    order = sorted(groups, key=lambda key: hashlib.sha256(key.encode()).digest())
    return [image_id for key in order for image_id in groups[key]][:limit]


def _product(image_id: str, item: Item, made: Path) -> Product:
    known = item.attributes
    brand, category = str(known.get("brand", "")), str(known.get("category", ""))
    named = name_colours(item.caption, brand)
    colour = folded(str(known.get("colour", "")))
    attributes = {**visible_in_name(item.caption, category, brand), **known}
    spoken = {name: folded(str(attributes[name])) for name in SPOKEN if name in attributes}
    if colour and not agree(colour, named):
        del spoken["colour"]
    return Product(
        image_id=image_id,
        path=_kept(item, made),
        content=item.image.image_id,
        name=item.caption,
        attributes=attributes,
        spoken=spoken,
        colours=tuple(dict.fromkeys((*((colour,) if colour else ()), *named))),
        brand=brand,
        stem=stem_of(item.caption, brand),
    )


def _kept(item: Item, made: Path) -> str:
    """The picture's path below `made`: a link to a catalogue's own file, or a copy where links cannot be made."""
    path = Path(item.image.path)
    if path.is_relative_to(made):
        return path.relative_to(made).as_posix()
    name = item.image.image_id
    place = made / PICTURES / name[:2] / f"{name}{path.suffix.lower()}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path.resolve(), place)
        except FileExistsError:
            pass
        except OSError:  # another disk, or a file system without links
            write_once(place, path.read_bytes())
    return place.relative_to(made).as_posix()

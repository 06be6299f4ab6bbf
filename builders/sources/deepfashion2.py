"""DeepFashion2: from a user's photo to the shop's picture of a garment in it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.instances import Coverage, Instance, SourceData, SourceImage
from builders.sources.reading import pictures_below, read_json, require_files, revision_of, safe_id, spread
from retrieval.benchmark import PictureKind, Task
from retrieval.errors import SourceError

NAME = "deepfashion2"
NOT_WORN = 1
"""The viewpoint of a garment that nobody wears."""
GARMENT_WORDS = {
    "short sleeve top": "short-sleeved top",
    "long sleeve top": "long-sleeved top",
    "short sleeve outwear": "short-sleeved jacket",
    "long sleeve outwear": "long-sleeved jacket",
    "sling": "strappy top",
    "vest": "vest top",
    "short sleeve dress": "short-sleeved dress",
    "long sleeve dress": "long-sleeved dress",
    "vest dress": "sleeveless dress",
    "sling dress": "strappy dress",
}
"""Where the data set's word is not the shopper's; shorts, trousers and skirt are."""
CATEGORIES = {"vest": "tank top", "sling": "camisole"}
"""Where other catalogues call a kind otherwise: their vests are waistcoats."""
PLURAL = ("shorts", "trousers")
ONE_TEXTS = (
    "find {this} {garment} in the shop",
    "where can I buy {this} {garment}?",
    "I saw {this} {garment} on the street, do you have the same?",
    "the shop's picture of {this} {garment}",
    "do you sell {this} {garment}?",
)
"""For a photo that shows one garment."""
SEVERAL_TEXTS = (
    "find the {garment} in this photo",
    "where can I buy the {garment} from this photo?",
    "do you sell the {garment} that I see here?",
    "I only want the {garment} of this outfit",
    "show me the {garment} in this picture, in the shop",
)
"""For a photo that shows several, with the place where two are of the same sort: "skirt on the left"."""


@dataclass(frozen=True, slots=True)
class _Garment:
    key: str
    """`item1`."""
    category: str
    style: int
    """0: without a pair."""
    centre: float
    """Of its box, in pixels from the left."""
    worn: bool


@dataclass(frozen=True, slots=True)
class _Photo:
    name: str
    """`train/000001`."""
    path: str
    of_user: bool
    pair: str
    """Equal for pictures of the same outfit, user's and shop's; pairs are numbered in each split anew."""
    garments: tuple[_Garment, ...]


@dataclass(frozen=True, slots=True)
class _ShopPictures:
    """Shop pictures by pair and style, and by category too."""

    exact: Mapping[tuple[str, int, str], Sequence[_Photo]]
    any_category: Mapping[tuple[str, int], Sequence[_Photo]]


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    """`<split>/annos/*.json` beside `<split>/image/*.jpg`. A record is one garment in a user's photo."""
    files = require_files(folder, "annos/*.json", "DeepFashion2")
    photos = [_photo(path, folder) for path in files]
    known = pictures_below(folder)
    shop = _shop_pictures([photo for photo in photos if not photo.of_user and photo.path in known])
    coverage = Coverage()
    images: dict[str, SourceImage] = {}
    instances: list[Instance] = []
    wanted = [(photo, garment) for photo in photos if photo.of_user for garment in photo.garments]
    for photo, garment in spread(wanted, limit):
        coverage.n_records += 1
        if reason := _unusable(photo, garment, shop, known, coverage):
            coverage.dropped[reason] += 1
            continue
        coverage.n_kept += 1
        rng = random.Random(f"{seed}/{photo.name}/{garment.key}")
        target = rng.choice(shop.exact[photo.pair, garment.style, garment.category])
        images.update({_id(each): _image(each) for each in (photo, target)})
        identity, text = f"{NAME}/{photo.name}/{garment.key}", _text(photo, garment, rng)
        instances.append(Instance(identity, Task.STREET2SHOP, NAME, text, _id(target), (_id(photo),)))
    instances.sort(key=lambda instance: instance.instance_id)
    return SourceData(NAME, folder, dict(sorted(images.items())), instances, coverage, revision_of(files))


def _id(photo: _Photo) -> str:
    return safe_id(NAME, photo.name)


def _unusable(photo: _Photo, garment: _Garment, shop: _ShopPictures, known: set[str], coverage: Coverage) -> str:
    """Why a user's garment gives no instance; "" where it does."""
    if not garment.style:
        return "style 0: no pair"
    if photo.path not in known:
        coverage.missing_pictures.add(photo.path)
        return "picture is missing"
    if (photo.pair, garment.style, garment.category) in shop.exact:
        return ""
    if (photo.pair, garment.style) in shop.any_category:
        return "the shop's item is of another category"
    return "no picture of the shop's item"


def _shop_pictures(photos: Sequence[_Photo]) -> _ShopPictures:
    exact: dict[tuple[str, int, str], list[_Photo]] = {}
    any_category: dict[tuple[str, int], list[_Photo]] = {}
    for photo in photos:
        for style, category in sorted({(each.style, each.category) for each in photo.garments if each.style}):
            exact.setdefault((photo.pair, style, category), []).append(photo)
            any_category.setdefault((photo.pair, style), []).append(photo)
    return _ShopPictures(exact, any_category)


def _photo(path: Path, folder: Path) -> _Photo:
    """Raises SourceError for a file that is cut or of another form."""
    record = read_json(path)
    if not isinstance(record, dict) or record.get("source") not in ("shop", "user") or "pair_id" not in record:
        raise SourceError(f"{path} lacks 'source' or 'pair_id': is it an annotation of DeepFashion2? Fetch it again.")
    split = path.parent.parent.relative_to(folder).as_posix()
    name = path.stem if split == "." else f"{split}/{path.stem}"
    picture = (path.parent.parent / "image" / f"{path.stem}.jpg").relative_to(folder).as_posix()
    keys = sorted((key for key in record if key.startswith("item")), key=lambda key: (len(key), key))
    garments = tuple(_garment(key, record[key], path) for key in keys)
    return _Photo(name, picture, record["source"] == "user", f"{split}/{record['pair_id']}", garments)


def _garment(key: str, record: Any, path: Path) -> _Garment:
    try:
        left, _, right, _ = record["bounding_box"]
        worn = record.get("viewpoint") != NOT_WORN
        return _Garment(key, str(record["category_name"]), int(record["style"]), (left + right) / 2, worn)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SourceError(f"{key} of {path} is damaged ({error!r}): fetch it again.") from error


def _text(photo: _Photo, garment: _Garment, rng: random.Random) -> str:
    word = _word(garment.category)
    if len(photo.garments) == 1:
        this = "these" if word in PLURAL else "this"
        return rng.choice(ONE_TEXTS).format(this=this, garment=word)
    return rng.choice(SEVERAL_TEXTS).format(garment=f"{word}{_place(photo, garment)}")


def _place(photo: _Photo, garment: _Garment) -> str:
    """ " on the left" where the photo shows several garments of the sort, else ""."""
    row = sorted(
        (each for each in photo.garments if each.category == garment.category), key=lambda g: (g.centre, g.key)
    )
    if len(row) == 1:
        return ""
    return {0: " on the left", len(row) - 1: " on the right"}.get(row.index(garment), " in the middle")


def _word(category: str) -> str:
    return GARMENT_WORDS.get(category, category)


def _image(photo: _Photo) -> SourceImage:
    """A picture of one garment has its category and, where it has a pair, a product; one of several has neither."""
    only = photo.garments[0] if len(photo.garments) == 1 else None
    worn = any(garment.worn for garment in photo.garments)
    kind: PictureKind = "street" if photo.of_user else "worn" if worn else "product"
    return SourceImage(
        image_id=_id(photo),
        path=photo.path,
        kind=kind,
        product_id=safe_id(NAME, f"{photo.pair}/{only.style}") if only and only.style else "",
        caption=" and ".join(dict.fromkeys(_word(garment.category) for garment in photo.garments)),
        attributes={"category": CATEGORIES.get(only.category, only.category)} if only else {},
    )

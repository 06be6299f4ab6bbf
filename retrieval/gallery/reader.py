"""A path -> its format -> Items, one at a time."""

from __future__ import annotations

import hashlib
import json
import logging
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

from retrieval.errors import GalleryError
from retrieval.gallery.brands import Brands, find_brands
from retrieval.gallery.columns import Columns
from retrieval.gallery.folder import has_pictures, open_folder
from retrieval.gallery.hub import PREFIX, open_hub
from retrieval.gallery.jsonl import open_jsonl
from retrieval.gallery.parquet import open_parquet
from retrieval.gallery.pictures import Pictures
from retrieval.gallery.records import Row, RowError, Skipped, Source
from retrieval.gallery.tables import open_table
from retrieval.gallery.values import text_of
from retrieval.schema import AttributeValue, Item

log = logging.getLogger(__name__)

MAX_ID = 200
READABLE = "a CSV, JSONL or Parquet file, a folder with one of these or with pictures, or hub:owner/name"
_OPEN_FILE: dict[str, Callable[[Path], Source]] = {
    ".csv": open_table,
    ".tsv": open_table,
    ".jsonl": open_jsonl,
    ".ndjson": open_jsonl,
    ".parquet": lambda path: open_parquet([path], str(path), path.parent),
}
_SAVE_AS = {
    **dict.fromkeys((".xlsx", ".xls", ".ods", ".numbers"), 'Save the sheet as "CSV UTF-8" and give that file.'),
    ".json": "Write one object a line and name it .jsonl.",
    **dict.fromkeys((".zip", ".gz", ".tar", ".7z", ".rar"), "Unpack it first."),
    ".txt": "If it is a table, name it .csv.",
}
_PREFERRED = ("items.jsonl", "styles.csv")


def read_gallery(path: str | Path, pictures_dir: str | Path) -> Iterator[Item | Skipped]:
    """All items of a gallery, streamed, and what had to be left out.

    Pictures that come as bytes are kept in `pictures_dir`; others stay where they are. Pixels are not decoded here. Of
    rows with the same id the first that can be used wins. Raises GalleryError at once for a path that is no gallery,
    and at the end when not one item could be read.
    """
    source = _open(path)
    columns = Columns()
    if not columns.having("image", source.columns) and not columns.having("item_id", source.columns):
        raise GalleryError(
            f"{path} has no column with pictures and none with ids for images/<id>.jpg (found: "
            f"{_listed(source.columns)}). The first line must name the columns, one of them id or image."
        )
    return _items(source, columns, Pictures(source.root, Path(pictures_dir)))


def count_items(path: str | Path) -> int | None:
    """About how many rows there are, for a progress bar; None when that is not known beforehand."""
    return _open(path).count()


def fingerprint(item: Item) -> str:
    """Hash of picture, caption and attributes: equal ones need not be encoded again."""
    attributes = sorted(
        (name, value if isinstance(value, str) else float(value)) for name, value in item.attributes.items()
    )
    content = json.dumps([item.image.image_id, item.caption, attributes])
    return hashlib.sha256(content.encode()).hexdigest()[:20]


def _open(path: str | Path) -> Source:
    if str(path).startswith(PREFIX):
        return open_hub(str(path))
    if not str(path).strip():
        raise GalleryError(f"The path of the gallery is empty. Give {READABLE}.")
    place = Path(path)
    try:
        if place.is_dir():
            return _open_folder(place)
        if not place.is_file():
            raise GalleryError(f"{path} does not exist. Give {READABLE}.")
        if place.suffix.lower() not in _OPEN_FILE:
            advice = _SAVE_AS.get(place.suffix.lower(), f"Give {READABLE}.")
            raise GalleryError(f"{path} is not a gallery that can be read here. {advice}")
        return _OPEN_FILE[place.suffix.lower()](place)
    except OSError as error:
        raise GalleryError(f"{path} cannot be read: {error.strerror}.") from error


def _open_folder(folder: Path) -> Source:
    for name in _PREFERRED:
        if (folder / name).is_file():
            return _OPEN_FILE[Path(name).suffix](folder / name)
    tables = sorted(file for file in folder.iterdir() if file.suffix.lower() in _OPEN_FILE and file.is_file())
    parquet = [file for file in tables if file.suffix.lower() == ".parquet"]
    parquet = parquet or ([] if tables else _parquet_below(folder))
    if len(tables) > 1 and len(parquet) < len(tables):
        raise GalleryError(
            f"{folder} holds several tables ({', '.join(file.name for file in tables)}). Name one of them."
        )
    if parquet:
        return open_parquet(parquet, str(folder), folder)
    if tables:
        return _OPEN_FILE[tables[0].suffix.lower()](tables[0])
    if has_pictures(folder):
        return open_folder(folder)
    raise GalleryError(f"{folder} holds no table and no pictures. Give {READABLE}.")


def _parquet_below(folder: Path) -> list[Path]:
    """Also the parts of a table that is a folder; not what a cache or a version control keeps in hidden ones."""
    found = (file for file in folder.rglob("*.parquet") if file.is_file())
    return sorted(file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts))


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(textwrap.shorten(name, 40) for name in columns[:20]) or "none"
    return shown + (", ..." if len(columns) > 20 else "")


def _items(source: Source, columns: Columns, pictures: Pictures) -> Iterator[Item | Skipped]:
    brands = _brands(source, columns)
    lines: dict[str, str] = {}
    skipped = 0
    first = ""
    for row in source.rows(None):
        result = row if isinstance(row, Skipped) else _item(row, columns, pictures, brands, lines)
        if isinstance(result, Item):
            assert isinstance(row, Row)
            lines[result.item_id] = Path(row.file).name + (f":{row.line}" if row.line else "")
        else:
            skipped += 1
            first = first or f"{result.file}:{result.line}: {result.reason}"
            log.debug("%s:%d: left out, %s", result.file, result.line, result.reason)
        yield result
    if not lines:
        why = f"all {skipped} rows were left out, the first because of: {first}" if skipped else "it has no rows"
        raise GalleryError(f"{source.name} gives not one item: {why}.")


def _item(row: Row, columns: Columns, pictures: Pictures, brands: Brands, lines: dict[str, str]) -> Item | Skipped:
    own = columns.translate(row.values)
    item_id, caption, picture = (own.pop(name, "") for name in ("item_id", "caption", "image"))
    attributes = cast("dict[str, AttributeValue]", own)
    try:
        image, name = pictures.find(picture, str(item_id))
        item_id = str(item_id) or name
        if len(item_id) > MAX_ID:
            raise RowError(f"its id is longer than {MAX_ID} characters")
        if item_id in lines:
            raise RowError(f"it repeats the id {item_id!r} of {lines[item_id]}", repeats_id=True)
    except RowError as error:
        return Skipped(row.file, row.line, str(error), error.missing_picture, error.repeats_id)
    if "brand" not in attributes and (brand := brands.of(str(caption))):
        attributes["brand"] = brand
    return Item(item_id, image, str(caption), attributes)


def _brands(source: Source, columns: Columns) -> Brands:
    """Learned in a pass over the captions alone, where the gallery has no column of brands and re-reading is cheap."""
    captions = columns.having("caption", source.columns)[:1]
    if not source.cheap or not captions or columns.having("brand", source.columns):
        return Brands({})
    rows = (row for row in source.rows(captions) if isinstance(row, Row))
    return find_brands(text_of(row.values.get(captions[0])) for row in rows)

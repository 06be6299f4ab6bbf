"""Which column of a catalogue is which attribute of the benchmark: a small TOML file, `fpi.toml` for an example."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from builders.wording import folded
from retrieval.errors import GalleryError
from retrieval.gallery.columns import Columns
from retrieval.schema import AttributeValue, Item

DEFAULT = Path(__file__).with_name("fpi.toml")
ATTRIBUTES = (
    "product_type", "colour", "gender", "age", "material", "occasion", "season", "pattern", "style", "brand", "price",
    "master_category", "sub_category",
)  # fmt: skip
FROM_NAME = ("brand", "material", "pattern", "style")
NAME, ITEM_ID, PICTURE = "name", "item_id", "picture"
KIDS, ADULTS = "Kids", "Adults"
_BREAKS = re.compile(r"\s*[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]+\s*")
_READERS: Mapping[str, str] = {NAME: "caption", ITEM_ID: "item_id", PICTURE: "image"}
_TABLES: Mapping[str, frozenset[str]] = {
    "columns": frozenset({*ATTRIBUTES, *_READERS} - {"age"}), "names": frozenset({"read"}),
    "age": frozenset({"kids"}), "missing": frozenset({"words"}),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CatalogueMapping:
    columns: Mapping[str, str]
    """The benchmark's name -> the name that the gallery's reader gives the column."""
    from_name: frozenset[str]
    kids: frozenset[str]
    """Genders of children, folded."""
    missing: frozenset[str]
    """Folded."""

    def name(self, item: Item) -> str:
        return str(_on_one_line(item.caption or self._known(item.attributes.get(self.columns.get(NAME, "")))))

    def attributes(self, item: Item) -> dict[str, AttributeValue]:
        """What the catalogue's columns say, in the order of `ATTRIBUTES`; unknown ones are absent."""
        values = {name: item.attributes.get(self.columns.get(name, "")) for name in ATTRIBUTES}
        if "brand" in self.from_name:
            values["brand"] = values["brand"] or item.attributes.get("brand")  # by the reader, from the name
        if self.kids and (gender := self._known(values["gender"])):
            values["age"] = KIDS if folded(gender) in self.kids else ADULTS
        return {
            name: line
            for name, value in values.items()
            if value is not None and self._known(line := _on_one_line(value))
        }

    def _known(self, value: AttributeValue | None) -> str:
        text = "" if value is None else str(value)
        return "" if folded(text) in self.missing else text


def _on_one_line(value: AttributeValue) -> AttributeValue:
    """Queries and listings are lines: breaks, tabs and control characters become blanks."""
    return _BREAKS.sub(" ", value).strip() if isinstance(value, str) and _BREAKS.search(value) else value


def read_mapping(path: Path = DEFAULT) -> CatalogueMapping:
    """Raises GalleryError for a file that is missing or no TOML, for unknown keys and for columns that cannot serve."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GalleryError(
            f"The mapping {path} cannot be read ({error.strerror}): copy {DEFAULT.name} there."
        ) from error
    except ValueError as error:  # of TOML, and of UTF-8
        raise GalleryError(
            f"The mapping {path} is no TOML ({error}): correct it, or start from {DEFAULT.name}."
        ) from error
    for table, keys in tables.items():
        if table not in _TABLES or not isinstance(keys, dict):
            raise GalleryError(f"The mapping {path} has the unknown table {table!r}; it knows {_listed(_TABLES)}.")
        if unknown := keys.keys() - _TABLES[table]:
            raise GalleryError(
                f"[{table}] of the mapping {path} has the unknown {_listed(unknown)}; "
                f"it knows {_listed(_TABLES[table])}."
            )
    columns = {own: _column(path, own, foreign) for own, foreign in tables.get("columns", {}).items()}
    if not columns.keys() & set(ATTRIBUTES):
        raise GalleryError(f"The mapping {path} names a column for no attribute: give it at least product_type.")
    from_name = _words(path, tables, "names", "read")
    if strange := from_name - set(FROM_NAME):
        raise GalleryError(f"{path}: {_listed(strange)} cannot be read from names, only {_listed(FROM_NAME)} can.")
    return CatalogueMapping(
        columns,
        from_name - columns.keys(),
        frozenset(map(folded, _words(path, tables, "age", "kids"))),
        frozenset(map(folded, _words(path, tables, "missing", "words"))) | {""},
    )


def _column(path: Path, own: str, foreign: object) -> str:
    """As the gallery's reader translates it."""
    translated = Columns().own(foreign) if isinstance(foreign, str) and foreign else None
    if translated is None:
        raise GalleryError(f"{path}: {own} = {foreign!r} is no column's name: put its name in quotation marks.")
    name = translated[0]
    expected = _READERS.get(own)
    if (own in (ITEM_ID, PICTURE) and name != expected) or (own not in _READERS and name in _READERS.values()):
        raise GalleryError(
            f"{path}: {own} cannot be the column {foreign!r}, which galleries read as {name}: name the column id or "
            "image where it holds ids or pictures."
        )
    return name


def _words(path: Path, tables: Mapping[str, Mapping[str, object]], table: str, key: str) -> frozenset[str]:
    words = tables.get(table, {}).get(key, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise GalleryError(f'{path}: {key} in [{table}] has to be a list of words: {key} = ["one", "two"].')
    return frozenset(words)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))

"""Items as rows of an Arrow table, and back. Each attribute is a column: strings for words, doubles for numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from retrieval.errors import GalleryError
from retrieval.schema import Image, Item

if TYPE_CHECKING:
    import pyarrow as pa

    from retrieval.protocols import Embeddings

PREFIX = "attr_"
ITEM_COLUMNS = ("item_id", "image_id", "image_path", "caption")


def column_name(attribute: str) -> str:
    """`master_category` -> `attr_master_category`; any other spelling is escaped, so that no two names meet."""
    if re.fullmatch(r"[a-z][a-z0-9_]*", attribute) and not re.search(r"_u[0-9a-f]+_", attribute):
        return PREFIX + attribute
    return PREFIX + re.sub(r"[^a-z0-9]", lambda found: f"_u{ord(found[0]):x}_", attribute)


@cache
def attribute_name(column: str) -> str:
    return re.sub(r"_u([0-9a-f]+)_", lambda found: chr(int(found[1], 16)), column.removeprefix(PREFIX))


def base_schema(dim: int) -> pa.Schema:
    import pyarrow as pa

    text = [pa.field(name, pa.string(), nullable=False) for name in (*ITEM_COLUMNS, "fingerprint")]
    return pa.schema([*text, pa.field("vector", pa.list_(pa.float32(), dim), nullable=False)])


def attribute_field(attribute: str, *, is_number: bool) -> pa.Field:
    import pyarrow as pa

    return pa.field(column_name(attribute), pa.float64() if is_number else pa.string())


def attribute_kinds_of(schema: pa.Schema) -> dict[str, bool]:
    """Attribute -> is it a number?"""
    import pyarrow as pa

    columns = (field for field in schema if field.name.startswith(PREFIX))
    return {attribute_name(field.name): field.type == pa.float64() for field in columns}


def to_table(items: Sequence[Item], vectors: Embeddings, fingerprints: Sequence[str], schema: pa.Schema) -> pa.Table:
    """Raises GalleryError for text that is not Unicode (a file name in another encoding)."""
    import pyarrow as pa

    columns: dict[str, Any] = {
        "item_id": [item.item_id for item in items],
        "image_id": [item.image.image_id for item in items],
        "image_path": [item.image.path for item in items],
        "caption": [item.caption for item in items],
        "fingerprint": list(fingerprints),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1]),
    }
    for name, is_number in attribute_kinds_of(schema).items():
        values = [item.attributes.get(name) for item in items]
        columns[column_name(name)] = [None if v is None else float(v) for v in values] if is_number else values
    try:
        return pa.table({name: columns[name] for name in schema.names}, schema=schema)
    except UnicodeEncodeError as error:
        raise GalleryError(f"{error.object!r} is not Unicode text: rename the file or mend the list.") from error


def to_items(rows: Iterable[Mapping[str, Any]]) -> dict[str, Item]:
    """item_id -> item, from rows with ITEM_COLUMNS and the attributes' columns."""
    found = {}
    for row in rows:
        attributes = {
            attribute_name(name): value for name, value in row.items() if name.startswith(PREFIX) and value is not None
        }
        item = Item(row["item_id"], Image(row["image_id"], row["image_path"]), row["caption"], attributes)
        found[item.item_id] = item
    return found

"""A data set of the Hugging Face hub, streamed: `hub:owner/name` or `hub:owner/name:split`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

from retrieval.errors import DependencyError, GalleryError
from retrieval.gallery.records import Row, Source

PREFIX = "hub:"


def open_hub(address: str) -> Source:
    """Raises DependencyError without the library, GalleryError for an address that is wrong or cannot be reached."""
    match = re.fullmatch(r"hub:([\w.-]+/[\w.-]+)(?::([\w.\-]+))?", address)
    if not match:
        raise GalleryError(f"{address!r} is not a hub address. Write hub:owner/name or hub:owner/name:split.")
    try:
        import datasets
    except ImportError as error:
        raise DependencyError(
            "Reading from a hub needs datasets, which requirements-train.txt lists: pip install datasets"
        ) from error
    try:
        data = datasets.load_dataset(match[1], split=match[2] or "train", streaming=True)
        features = data.features or {}
        for name, feature in features.items():
            if isinstance(feature, datasets.Image):  # the file's own bytes, for images.py decodes
                data = data.cast_column(name, datasets.Image(decode=False))
    except Exception as error:  # the library raises errors of many kinds, none of them a bug of ours
        raise GalleryError(
            f"{address} cannot be read ({type(error).__name__}: {error}). Check name, split, network."
        ) from error
    classes = {name: list(feature.names) for name, feature in features.items() if hasattr(feature, "names")}
    return Source(address, tuple(features), partial(_rows, address, data, classes), lambda: None, cheap=False)


def _rows(address: str, data: Any, classes: dict[str, list[str]], only: Collection[str] | None) -> Iterator[Row]:
    row = 0
    try:
        for values in data:
            row += 1
            named = {name: _class_name(value, classes.get(name)) for name, value in values.items()}
            yield Row(address, row, {name: named[name] for name in named if only is None or name in only})
    except Exception as error:  # the network, or a damaged file on the other side
        raise GalleryError(
            f"{address} broke off after row {row} ({type(error).__name__}: {error}). Try again."
        ) from error


def _class_name(value: object, names: list[str] | None) -> object:
    return names[value] if names and isinstance(value, int) and 0 <= value < len(names) else value

"""One file a data set: original files in, our instances out. `SOURCES` names them all."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from builders.instances import SourceData, SourceReader
from retrieval.errors import SourceError

SOURCES: Mapping[str, str] = {
    "catalogue": "a plain list of products: CSV, JSONL, Parquet, a folder of pictures",
    "clothes_v1": "ClothesV1: sketches",
    "darn": "DARN, as U-FIRE publishes it: attributes",
    "deepfashion": "DeepFashion In-shop: views of the same item",
    "deepfashion2": "DeepFashion2: street photos",
    "fashion200k": "Fashion200K: captions that differ in one word",
    "fashion_ai": "FashionAI: attributes",
    "fashion_iq": "FashionIQ: modifications in words",
    "fashion_vc": "FashionVC, as U-FIRE publishes it: tops with bottoms",
    "fpi": "Fashion Product Images: names and attributes of a shop",
    "hai_fashion": "HAIFashion: sketches",
    "mt_fashioniq": "MT-FashionIQ: turns of its sessions",
    "polyvore": "Polyvore: outfits",
    "qmul_shoe": "QMUL-Shoe-V2: sketches of shoes",
    "shoes": "Shoes: modifications in words",
    "studio": "drawn by this project: all seven tasks, nothing to download",
    "ut_zappos": "UT-Zappos50K: attributes of shoes",
}
"""Name -> what it is. The reader is `builders.sources.<name>.read`."""
MADE_HERE = frozenset({"studio"})
"""Sources that read no folder."""


def check_source(name: str, folder: Path | None) -> None:
    """Raises SourceError for an unknown name, or a source without the folder (or file) that it reads."""
    if name not in SOURCES:
        raise SourceError(f"There is no source {name!r}. Known ones: {', '.join(SOURCES)}.")
    if folder is None and name not in MADE_HERE:
        raise SourceError(f"Where are the files of {name}? Give --source {name}=FOLDER.")
    if folder is not None and not folder.exists():
        raise SourceError(f"There is no folder {folder}. Give the folder that holds the files of {name}.")


def read_source(name: str, folder: Path | None, made: Path, seed: int, limit: int | None) -> SourceData:
    """See `SourceReader`. Raises what `check_source` and the reader raise."""
    check_source(name, folder)
    read = cast(SourceReader, import_module(f"builders.sources.{name}").read)
    return read(folder or made, made, seed, limit)

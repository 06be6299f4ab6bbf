"""Where the cached features of a trunk lie: a folder for each trunk, so that no tower reads those of another's."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.errors import TrainingError
from retrieval.fashion_am.export import export_trunk
from retrieval.fashion_am.towers import TRUNK_BLOCKS, PictureTower

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

TRUNK = "trunk.onnx"
_PARTS = ("stem.", *(f"blocks.{i}." for i in range(TRUNK_BLOCKS)))


def folder_of(caches: Path, tower: PictureTower) -> Path:
    """The folder of this tower's trunk in `caches`, with the trunk itself: `trunk-KEY`, made if it is not there.

    It is `caches` itself where that holds the same trunk, as it did while there was no folder for each.
    Raises TrainingError when a trunk there is damaged.
    """
    key = key_of({name: value.numpy() for name, value in tower.state_dict().items()})
    folder, older = caches / f"trunk-{key}", caches / TRUNK
    if older.is_file():
        if key_of(stored_weights(older, tower.state_dict())) == key:
            return caches
        log.info("%s is of another tower: it stays, and nothing is read that was cached through it", older)
    if not (folder / TRUNK).is_file():
        log.info("%s has nothing of this tower's trunk: every picture passes it once, into %s", caches, folder)
        folder.mkdir(parents=True, exist_ok=True)
        export_trunk(tower, folder / f"{TRUNK}.tmp")
        (folder / f"{TRUNK}.tmp").replace(folder / TRUNK)
    return folder


def key_of(weights: Mapping[str, NDArray[Any]]) -> str:
    """Of a tower's trunk, whatever lies behind it; the same for a tower and for its export, which keeps 16 bits."""
    digest = hashlib.sha256()
    for name in sorted(name for name in weights if name.startswith(_PARTS)):
        digest.update(name.encode())
        digest.update((weights[name].astype(np.float16) + np.float16(0)).tobytes())  # -0 becomes 0
    return digest.hexdigest()[:12]


def stored_weights(file: Path, names: Iterable[str]) -> dict[str, NDArray[np.float32]]:
    """Weights of a picture tower by the names of its parameters, from an ONNX file of `export`; it may lack some.

    Raises TrainingError for a file that is no ONNX.
    """
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from onnx import numpy_helper

    try:
        graph = onnx.load(str(file)).graph
    except DecodeError as error:
        raise TrainingError(f"{file} is cut or damaged: put back a whole copy or delete it.") from error
    found = {each.name.removesuffix(".f16").removeprefix("tower."): each for each in graph.initializer}
    return {name: numpy_helper.to_array(found[name]).astype(np.float32) for name in names if name in found}

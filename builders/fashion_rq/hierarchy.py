"""The hierarchy of a catalogue: three codes for each product, trained once and kept on disk."""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from builders.fashion_rq import purity
from builders.fashion_rq.hierarchy_settings import HierarchySettings
from builders.fashion_rq.lexicon import fold
from builders.folders import partial_of
from retrieval.errors import DependencyError, TrainingError
from retrieval.rq_benchmark import Listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings

    Codes = NDArray[np.int64]

log = logging.getLogger(__name__)

CODES, CHECKPOINT, METRICS = "codes.npy", "checkpoint.pt", "metrics.jsonl"


def build_hierarchy(
    embeddings: Embeddings,
    listings: Sequence[Listing],
    settings: HierarchySettings,
    out: Path,
    *,
    progress: bool = True,
) -> Codes:
    """embeddings (n, dim), a row a listing -> codes (n, n_levels), each from 0 to settings.codebook - 1.

    Kept in a folder of `out` for these vectors, attributes and settings, with metrics.jsonl (a line an epoch); an
    interrupted training goes on there. Raises DependencyError where torch is needed and missing; TrainingError as
    `rqvae.train`.
    """
    folder = hierarchy_folder(embeddings, listings, settings, out)
    if (folder / CODES).exists():
        return _kept(folder / CODES, (len(listings), len(settings.levels)), settings.codebook)
    try:
        from builders.fashion_rq.rqvae import train
    except ModuleNotFoundError as error:
        raise DependencyError(
            f"Building the hierarchy needs {error.name}. Install it: pip install -r requirements-train.txt"
        ) from error
    folder.mkdir(parents=True, exist_ok=True)
    columns = attribute_columns(listings)

    def watch(before: list[dict[str, Any]], codes: Codes, error: float) -> dict[str, Any]:
        report = _report(len(before) + 1, codes, error, settings.codebook, columns)
        lines = "".join(json.dumps(epoch, allow_nan=False) + "\n" for epoch in (*before, report))
        _write(folder / METRICS, lines.encode())
        return report

    codes = train(
        embeddings, tuple_numbers(listings, settings), settings, folder / CHECKPOINT, watch, progress=progress
    )
    _write(folder / CODES, _npy(codes))
    (folder / CHECKPOINT).unlink()
    return codes


def hierarchy_folder(
    embeddings: Embeddings, listings: Sequence[Listing], settings: HierarchySettings, out: Path
) -> Path:
    """Its name is a hash over everything that the codes depend on."""
    digest = hashlib.sha256(json.dumps(asdict(settings), sort_keys=True).encode())
    for start in range(0, len(embeddings), 1 << 14):
        digest.update(np.ascontiguousarray(embeddings[start : start + (1 << 14)]).tobytes())
    digest.update(tuple_numbers(listings, settings).tobytes())
    return out / f"hierarchy-{digest.hexdigest()[:16]}"


def tuple_numbers(listings: Sequence[Listing], settings: HierarchySettings) -> Codes:
    """(n, n_levels): equal for products with the same attribute tuple of the level; an unknown value is one as well."""
    columns = []
    for names in settings.levels:
        tuples = [tuple(str(listing.attributes.get(name, "")) for name in names) for listing in listings]
        numbers = {key: number for number, key in enumerate(sorted(set(tuples)))}
        columns.append([numbers[key] for key in tuples])
    return np.array(columns, np.int64).T


def levels_of(folder: Path) -> list[dict[str, Any]]:
    """What metrics.jsonl says of the last epoch, level by level. Raises TrainingError for a folder without it."""
    try:
        lines = (folder / METRICS).read_text(encoding="utf-8").splitlines()
        levels: list[dict[str, Any]] = json.loads(lines[-1])["levels"]
    except (OSError, ValueError, IndexError, KeyError, TypeError) as error:
        raise TrainingError(f"{folder / METRICS} is missing or damaged: delete {folder} and build again.") from error
    return levels


def attribute_columns(listings: Sequence[Listing]) -> dict[str, list[str]]:
    """Attribute of `purity.ATTRIBUTES` -> the value of each listing, "" for an unknown one."""
    values = {name: [listing.attributes.get(name) for listing in listings] for name in purity.ATTRIBUTES}
    return {name: [str(value) if fold(value) else "" for value in column] for name, column in values.items()}


def _report(
    epoch: int, codes: Codes, error: float, codebook: int, columns: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    levels = purity.level_records(codes, codebook, columns)
    return {"epoch": epoch, "reconstruction": error, "collisions": purity.collisions(codes), "levels": levels}


def _kept(file: Path, shape: tuple[int, int], codebook: int) -> Codes:
    try:
        codes: Codes = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise TrainingError(f"{file} is damaged ({error}): delete {file.parent} and build again.") from error
    if codes.shape != shape:
        raise TrainingError(f"{file} has the shape {codes.shape}, not {shape}: delete {file.parent} and build again.")
    if not np.issubdtype(codes.dtype, np.integer) or codes.min() < 0 or codes.max() >= codebook:
        raise TrainingError(f"{file} holds codes that are none: delete {file.parent} and build again.")
    return codes


def _npy(codes: Codes) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, codes, allow_pickle=False)
    return buffer.getvalue()


def _write(file: Path, content: bytes) -> None:
    partial_of(file).write_bytes(content)
    partial_of(file).replace(file)

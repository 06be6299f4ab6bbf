"""An index on disk: its manifest, the lock of its one writer, and what to tell the user when they do not fit.

<path>/manifest.json    which encoder filled it
<path>/items.lance/     the table
<path>/writer.lock      there while somebody indexes
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import ManifestError, StoreError
from retrieval.protocols import Manifest

if TYPE_CHECKING:
    from filelock import FileLock

LAYOUT = 1
"""Changes with the table's columns; an index of another layout is refused."""
MANIFEST = "manifest.json"
LOCK = "writer.lock"
UNWRITABLE = ("No space left", "not enough space", "Disk quota exceeded", "Read-only file system", "Permission denied")
"""What is said when it is not the files that are at fault."""


def read_manifest(path: Path) -> Manifest:
    """Raises StoreError when there is no index, ManifestError when it is of another layout."""
    file = path / MANIFEST
    if not file.is_file():
        raise StoreError(f"There is no index in {path}: index a gallery into it first.")
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        layout = record.pop("layout")
        manifest = Manifest(**{name.name: record[name.name] for name in fields(Manifest)})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{file} cannot be read ({error!r}): {rebuild_advice(path)}") from error
    if layout != LAYOUT:
        raise ManifestError(
            f"The index in {path} has layout {layout}, this version reads {LAYOUT}: {rebuild_advice(path)}"
        )
    return manifest


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Raises StoreError when it cannot be written."""
    new = path / f"{MANIFEST}.new"
    try:
        path.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps({"layout": LAYOUT, **asdict(manifest)}, indent=2) + "\n", encoding="utf-8")
        new.replace(path / MANIFEST)
    except OSError as error:
        raise unwritable_error(path, error.strerror) from error


def check_same(path: Path, found: Manifest, wanted: Manifest) -> None:
    """Raises ManifestError unless both are the same."""
    differences = [
        f"{name.name} {getattr(found, name.name)!r} instead of {getattr(wanted, name.name)!r}"
        for name in fields(Manifest)
        if getattr(found, name.name) != getattr(wanted, name.name)
    ]
    if differences:
        raise ManifestError(
            f"The index in {path} was made with {', '.join(differences)}; its vectors mean nothing to this encoder. "
            f"Choose the encoder that made it, or index into another directory, or {rebuild_advice(path)}"
        )


def rebuild_advice(path: Path) -> str:
    return f"delete {path} and index the gallery again."


def unwritable_error(path: Path, reason: str | None) -> StoreError:
    return StoreError(
        f"The index cannot be written in {path} ({reason}). It needs a directory of its own with enough room: "
        "choose one with --index, or make room."
    )


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Within it, what lancedb or the system raises for the index's files becomes a StoreError that says what to do."""
    try:
        yield
    except (RuntimeError, OSError) as error:
        raise damaged_error(path, error) from error


def damaged_error(path: Path, error: Exception) -> StoreError:
    if reason := next((words for words in UNWRITABLE if words.casefold() in str(error).casefold()), None):
        return unwritable_error(path, reason)
    return StoreError(f"The index in {path} is damaged ({error}): {rebuild_advice(path)}")


def acquire_lock(path: Path) -> FileLock:
    """The writer's lock, held; the system frees it when the process ends, however it ends.

    Raises StoreError when somebody else holds it, or `path` is no directory that can be written.
    """
    from filelock import FileLock, Timeout

    held = FileLock(path / LOCK, timeout=0, thread_local=False)
    try:
        path.mkdir(parents=True, exist_ok=True)
        held.acquire()
    except Timeout as error:
        raise StoreError(f"Another process is indexing into {path}: wait until it is done.") from error
    except OSError as error:
        raise unwritable_error(path, error.strerror) from error
    return held

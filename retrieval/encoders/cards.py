"""Cards of systems: what a folder says of itself, as JSON beside its files, and how a folder is replaced as a whole."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from retrieval.errors import EncoderError

CARD = "card.json"
FORMAT = 1


def read(folder: Path) -> dict[str, Any]:
    """Only that it is a card: the kind's own opening looks into it. Raises EncoderError for none or a damaged one."""
    file = folder / CARD
    advice = "restore it from the repository, or export the system again"
    try:
        card = json.loads(file.read_text("utf8"))
    except OSError as error:
        raise EncoderError(
            f"There is no encoder in {folder} ({error}): name a folder with a {CARD}, or restore it."
        ) from error
    except (ValueError, RecursionError) as error:
        raise EncoderError(f"{file} is damaged ({error}): {advice}.") from error
    if not isinstance(card, dict):
        raise EncoderError(f"{file} is damaged: {advice}.")
    return card


def write(folder: Path, card: Mapping[str, Any], name: str = CARD) -> None:
    """Whole or not at all."""
    temporary = folder / f"{name}.tmp"
    temporary.write_text(json.dumps(card, indent=1, sort_keys=True) + "\n", "utf8")
    temporary.replace(folder / name)


def sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def base_of(folder: Path, card: Mapping[str, Any]) -> Path | None:
    """The folder where files lie that this one does not repeat."""
    base = card.get("base")
    return (folder / base).resolve() if isinstance(base, str) else None


def refuse_foreign(out: Path, over: Path | None = None) -> None:
    """Raises EncoderError for a path that holds anything but a system, or the folder that a new one would stand on
    (`over`): the whole of it would be replaced."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if over is not None and over.resolve().is_relative_to(out.resolve()):
        raise EncoderError(f"{out} holds the towers themselves. Choose another --export.")
    try:
        is_system = read(out).get("format") == FORMAT
    except EncoderError:
        is_system = False
    if not is_system:
        raise EncoderError(f"{out} is no exported encoder, and would be replaced. Choose another --export.")


@contextmanager
def replaced(out: Path, over: Path | None = None) -> Iterator[Path]:
    """An empty folder, which takes the place of `out` when all went well; the caller writes its card last.

    over: as in `refuse_foreign`, which is asked first.
    """
    refuse_foreign(out, over)
    out = out.resolve()
    building, old = (out.with_name(f"{out.name}.{ending}") for ending in ("tmp", "old"))
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    try:
        yield building
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    building.rename(out)
    shutil.rmtree(old, ignore_errors=True)

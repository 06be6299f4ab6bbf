"""Finds pictures by name wherever they lie below a folder: archives are unpacked into different upper folders."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath


def by_tail(known: Iterable[str], depth: int) -> dict[str, str]:
    """The last `depth` parts of each path -> path; of paths that end alike the first in sorted order."""
    found: dict[str, str] = {}
    for path in sorted(known):
        found.setdefault("/".join(path.split("/")[-depth:]), path)
    return found


def by_stem(known: Iterable[str]) -> dict[str, str]:
    """Name without folder and ending -> path; of paths of one name the first in sorted order."""
    found: dict[str, str] = {}
    for path in sorted(known):
        found.setdefault(PurePosixPath(path).stem, path)
    return found

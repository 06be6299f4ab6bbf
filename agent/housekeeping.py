"""Keeps the folder of the running shop small: what visitors leave there goes when it is old or too much."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

KEPT_SECONDS = 12 * 3600.0
KEPT_BYTES = 2 * 1024**3
EVERY_SECONDS = 60.0
THUMBNAILS, LINKS = "pictures", "links"
"""Copies of the catalogue's pictures are as many as it has items, conversations behind links are counted where they are
made: age is no reason to remove them."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was seen."""

    path: Path
    size: int
    written: float


class Sweeper:
    """Of one folder, which nobody else uses. Nothing in it is needed for good: it goes when the process ends."""

    def __init__(
        self, folder: Path, kept_seconds: float = KEPT_SECONDS, kept_bytes: int = KEPT_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        self._folder = folder
        self._kept_seconds = kept_seconds
        self._kept_bytes = kept_bytes
        self._clock = clock
        self._ended = threading.Event()
        self.n_bytes = 0
        """In the folder after the last sweep."""

    def start(self, every_seconds: float = EVERY_SECONDS) -> None:
        """Sweeps now and then, in a thread that ends with `stop` or the process."""
        threading.Thread(target=self._run, args=(every_seconds,), name="housekeeping", daemon=True).start()

    def stop(self) -> None:
        self._ended.set()

    def sweep(self) -> int:
        """How many files were removed."""
        found = sorted(self._files(), key=lambda file: file.written)
        n_bytes = sum(file.size for file in found)
        old = self._clock() - self._kept_seconds
        removed = 0
        for file in found:
            aged = file.written < old and file.path.relative_to(self._folder).parts[0] not in {THUMBNAILS, LINKS}
            if (aged or n_bytes > self._kept_bytes) and _removed(file.path):
                n_bytes -= file.size
                removed += 1
        self._remove_empty_folders(old)
        self.n_bytes = n_bytes
        return removed

    def _run(self, every_seconds: float) -> None:
        while not self._ended.wait(every_seconds):
            if removed := self.sweep():
                log.info("%d files of visitors were removed; %.0f MB are left", removed, self.n_bytes / 1e6)

    def _files(self) -> Iterator[Found]:
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = Path(folder, name)
                try:
                    stat = path.lstat()
                except OSError:  # gone meanwhile
                    continue
                yield Found(path, stat.st_size, stat.st_mtime)

    def _remove_empty_folders(self, old: float) -> None:
        """Old ones alone: a new one may be about to be written into."""
        for name, _, _ in os.walk(self._folder, topdown=False):
            folder = Path(name)
            if folder.parent == self._folder or folder == self._folder:
                continue
            try:
                if folder.stat().st_mtime < old:
                    folder.rmdir()
            except OSError:  # not empty, or gone meanwhile
                continue


def _removed(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:  # another was quicker
        return False
    return True

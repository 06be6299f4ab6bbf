"""Folders that builds write: whose they are, who is at work in them, and files that are there whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from retrieval.errors import BenchmarkError

PARTIAL = ".partial"
"""Ends the name of a file that is being written."""
WORK, LOCK = "work", "build.lock"
"""What an interrupted build goes on from lies in the folder `work`."""


def refuse_others(folder: Path, known: Collection[str], card: str, form: str) -> None:
    """Raises BenchmarkError for a folder that holds something else than a benchmark of this form, by its card, or a
    begun build of one."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BenchmarkError(f"{folder} is a file. Choose another --out.")
    foreign = sorted(path.name for path in folder.iterdir() if path.name.removesuffix(PARTIAL) not in known)
    if foreign:
        raise BenchmarkError(f"{folder} holds other files ({foreign[0]!r}), and is no benchmark. Choose another --out.")
    place = folder / card
    if place.exists() and f'"format": "{form}"' not in place.read_text(encoding="utf-8", errors="replace"):
        raise BenchmarkError(f"{place} is not the card of a benchmark. Choose another --out.")


def refuse_others_parts(folder: Path, parts: Mapping[str, Collection[str]]) -> None:
    """Folders of ours by name alone are somebody else's, and would be tidied up. `parts` says what a build makes in
    each. Raises BenchmarkError."""
    for name, known in parts.items():
        place = folder / name
        if not place.is_dir():
            continue
        foreign = sorted(path.name for path in place.iterdir() if path.name.removesuffix(PARTIAL) not in known)
        if foreign:
            raise BenchmarkError(f"{place} holds other files ({foreign[0]!r}). Choose another --out.")


@contextmanager
def at_work(folder: Path, originals: Mapping[str, Path | None]) -> Iterator[None]:
    """The folder is this build's own while it lasts; the system ends the claim when the process ends, however it ends.

    `originals` names what is read. Raises BenchmarkError when another build is at work there.
    """
    from filelock import FileLock, Timeout

    for name, original in originals.items():
        if original is not None and original.is_dir() and _overlap(folder.resolve(), original.resolve()):
            raise BenchmarkError(
                f"{folder} and the files of {name} ({original}) lie within each other, so that what is built would be "
                "read as original files. Choose another --out."
            )
    (folder / WORK).mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / WORK / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise BenchmarkError(f"Another build is at work in {folder}. Wait for it, or choose another --out.") from error
    try:
        yield
    finally:
        lock.release()


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def partial_of(path: Path) -> Path:
    """Its name while it is being written."""
    return path.with_name(path.name + PARTIAL)


def write_partial(path: Path, lines: Iterable[str]) -> None:
    with partial_of(path).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def finish(path: Path) -> None:
    """Give what was written under the temporary name its own."""
    partial_of(path).replace(path)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """A file that is there whole, or not at all."""
    write_partial(path, lines)
    finish(path)

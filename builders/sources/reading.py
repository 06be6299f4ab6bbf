"""Reading original files: damage is an error that names the file, missing pictures are counted."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from builders.instances import Coverage
from retrieval.errors import SourceError

PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".webp")


def require_folder(folder: Path, data_set: str) -> None:
    """Raises SourceError unless the folder exists and holds something."""
    if not folder.is_dir():
        raise SourceError(f"There is no folder {folder}. Give the folder that holds the files of {data_set}.")
    if not any(folder.iterdir()):
        raise SourceError(f"{folder} is empty. Give the folder that holds the files of {data_set}.")


def require_files(folder: Path, pattern: str, data_set: str) -> list[Path]:
    """Files below the folder that fit the pattern, sorted. Raises SourceError when there is none."""
    require_folder(folder, data_set)
    found = sorted(path for path in folder.rglob(pattern) if path.is_file())
    if not found:
        raise SourceError(f"No file {pattern!r} in {folder}: it does not hold {data_set} as its owners publish it.")
    return found


def read_json(path: Path) -> Any:
    """Raises SourceError for a file that is cut or not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path} is cut or not JSON ({error}): fetch it again.") from error


def read_records(path: Path, keys: Sequence[str]) -> list[dict[str, Any]]:
    """A JSON list of objects that all have these keys. Raises SourceError that names the first one without."""
    records = read_json(path)
    if not isinstance(records, list):
        raise SourceError(f"{path} is not a list of records.")
    for number, record in enumerate(records, 1):
        missing = [key for key in keys if not isinstance(record, dict) or key not in record]
        if missing:
            raise SourceError(f"Record {number} of {path} lacks {missing[0]!r}: is it another version of the data set?")
    return records


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends, from 1; blank ones are left out. Raises SourceError for what is not text."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not a text file ({error.reason}): fetch it again.") from error


def pictures_below(folder: Path) -> set[str]:
    """Paths of all pictures, relative to the folder, with `/`. One walk, so that no record asks the disk again.

    Links are followed, but not back up; a name that is no text is left out, since no record can name it.
    """
    found: set[str] = set()
    above: dict[str, frozenset[tuple[int, int]]] = {}
    for directory, below_it, names in os.walk(folder, followlinks=True):
        status, upper = Path(directory).stat(), above.get(os.path.dirname(directory), frozenset())  # noqa: PTH120
        if (status.st_dev, status.st_ino) in upper:
            below_it.clear()  # a link back up, which would never end
            continue
        above[directory] = upper | {(status.st_dev, status.st_ino)}
        below = Path(directory).relative_to(folder).as_posix()
        prefix = "" if below == "." else f"{below}/"
        paths = (prefix + name for name in names if name.lower().endswith(PICTURE_ENDINGS))
        found.update(path for path in paths if _is_text(path))
    return found


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def present(paths: Iterable[str], known: set[str], coverage: Coverage) -> bool:
    """Whether all pictures are there; those that are not are noted."""
    missing = [path for path in paths if path not in known]
    coverage.missing_pictures.update(missing)
    return not missing


def revision_of(files: Iterable[Path]) -> str:
    """Hash over names and bytes: equal revisions are equal original files."""
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.name.encode())
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:16]


def spread(records: Sequence[Any], limit: int | None) -> Sequence[Any]:
    """At most `limit` records, evenly spread over all, in their order."""
    if limit is None or len(records) <= limit:
        return records
    return [records[at * len(records) // limit] for at in range(limit)]


def safe_id(source: str, name: str) -> str:
    """An image_id of the picture's name: white space would break the judgements' columns."""
    return f"{source}/{'_'.join(name.split())}"

"""U-FIRE's records, galleries and spelling of paths, for the data sets that are not public in a form of their own.

U-FIRE names pictures `<Dataset>_images/<part>+<part>+<name>`, where the pluses were slashes; its file names begin with
a number that its editions do not agree on, so files are found by the rest of the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.sources.reading import read_json, read_records, require_files
from retrieval.errors import SourceError

_DATA_SETS = (
    "CSTBIR",
    "ClothesV1",
    "DARN",
    "DeepFashion",
    "DeepFashion2",
    "Fashion200K",
    "FashionAI",
    "FashionGen",
    "FashionIQ",
    "FashionVC",
    "HAIFashion",
    "MovingFashion",
    "Polyvore",
    "QMUL-Shoe-V2",
    "Shoes",
)


@dataclass(frozen=True, slots=True)
class UFireRecord:
    """One query. Paths are spelled as the file spells them."""

    record_id: str
    """`<file name without ending>/<id>`: ids recur in other files."""
    references: tuple[str, ...]
    targets: tuple[str, ...] = ()
    negatives: tuple[str, ...] = ()
    attribute: str = ""
    label: str = ""
    """`<Dataset>+<attribute>+<value>`, a key of the candidate files; "" when the record has none."""


class Pictures:
    """Finds pictures by the names that records give them, wherever they lie below a folder.

    `part+name` and `part/name` are the same; folders above the name may be more or fewer. Pictures in another data
    set's U-FIRE folder are no candidates: Polyvore has a `top+<id>.jpg` as well.
    """

    def __init__(self, known: Iterable[str], data_set: str) -> None:
        own = f"{data_set}_images"
        others = {f"{name}_images" for name in _DATA_SETS} - {own}
        self._by_ending: dict[str, str] = {}
        for path in sorted(known):
            if others.isdisjoint(path.split("/")):
                parts = path.replace("+", "/").split("/")
                for start in range(len(parts)):
                    self._by_ending.setdefault("/".join(parts[start:]), path)

    def find(self, *names: str) -> str | None:
        """Path of the first of the names that is there, with or without its first folder."""
        for name in names:
            for ending in (name, name.partition("/")[2]):
                path = self._by_ending.get(ending.replace("+", "/"))
                if path is not None:
                    return path
        return None


def read_u_fire(folder: Path, files: str, data_set: str) -> tuple[list[UFireRecord], list[Path]]:
    """Records of all files below the folder that fit the pattern and are no galleries, and those files.

    Raises SourceError when there is none, or one is cut or of another form.
    """
    paths = [path for path in require_files(folder, files, data_set) if "candidate" not in path.name]
    if not paths:
        raise SourceError(
            f"{folder} holds galleries of {data_set} and no queries: put U-FIRE's {files} with `query_image` and "
            "`target_image` beside them."
        )
    records: dict[str, UFireRecord] = {}
    for path in paths:
        for number, raw in enumerate(read_records(path, ["id", "query_image"]), 1):
            record = _record(raw, f"Record {number} of {path}", path.stem)
            if record.record_id in records:
                raise SourceError(f"Record {number} of {path} has the id of another one ({raw['id']}).")
            records[record.record_id] = record
    return list(records.values()), paths


def read_candidates(folder: Path, files: str) -> tuple[dict[str, list[str]], list[Path]]:
    """Label -> paths of all galleries that fit the pattern, and their files; a plain list stands under "".

    The key with all candidates of an ASFR gallery is left out: it is no label.
    """
    labels: dict[str, dict[str, None]] = {}
    paths = [path for path in sorted(folder.rglob(files)) if path.is_file() and "candidate" in path.name]
    for path in paths:
        gallery = read_json(path)
        groups: Mapping[str, Any] = gallery if isinstance(gallery, dict) else {"": gallery}
        for label, names in groups.items():
            if label == "" or label.count("+") >= 2:
                labels.setdefault(label, {}).update(dict.fromkeys(_paths(names, f"{label!r} of {path}")))
    return {label: list(names) for label, names in sorted(labels.items())}, paths


def _record(raw: Mapping[str, Any], where: str, stem: str) -> UFireRecord:
    return UFireRecord(
        record_id=f"{stem}/{raw['id']}",
        references=_paths(raw["query_image"], where),
        targets=_paths(raw.get("target_image", []), where),
        negatives=_paths(raw.get("negative_image", []), where),
        attribute=str(raw.get("attribute", "")),
        label=str(raw.get("target_label", "")),
    )


def _paths(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(path, str) and path for path in value):
        raise SourceError(f"{where} has no list of picture paths: is it another version of U-FIRE?")
    return tuple(value)

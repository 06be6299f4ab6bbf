"""Cuts many pictures: a mask a picture as `<id>.png`, what failed as lines of `failed.tsv`, counts in `card.json`.

A run that was interrupted goes on: what has a mask, or a line among the failures, is not cut again. A picture whose
mask cannot be used gets none.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.errors import GalleryError, ImageError
from retrieval.fashion_am.cutouts.cutter import Cutter, problem_of
from retrieval.images import EXTENSIONS, decode, open_picture

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

log = logging.getLogger(__name__)

MAX_SIDE = 1024
CARD, FAILED = "card.json", "failed.tsv"


@dataclass(slots=True)
class MaskReport:
    n_cut: int = 0
    n_there: int = 0
    """Done by an earlier run, failures included."""
    problems: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        failed = "".join(f"\n  {n} failed: {problem}" for problem, n in sorted(self.problems.items()))
        return f"{self.n_cut} masks written, {self.n_there} pictures done before{failed}"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which pictures of a Parquet file are cut."""

    split: str = "train"
    """Of the column `split`, where there is one; validation pictures must not reach a training."""
    spread: str = ""
    """A column whose values take turns, so that a limit takes as many of each."""
    limit: int | None = None


def mask_file(folder: Path, name: str) -> Path:
    return folder / f"{name}.png"


def cut_all(cutter: Cutter, names: Iterable[tuple[str, bytes | Path]], out: Path) -> MaskReport:
    """`names` gives ids with pictures' bytes or files. Raises GalleryError for a folder of another cutter's masks."""
    _begin(cutter, out)
    failed = out / FAILED
    done = {line.split("\t")[0] for line in failed.read_text("utf8").splitlines()} if failed.exists() else set()
    report = MaskReport()
    for name, source in names:
        if name in done or mask_file(out, name).exists():
            report.n_there += 1
            continue
        if problem := _cut_one(cutter, name, source, mask_file(out, name)):
            report.problems[problem] += 1
            with failed.open("a", encoding="utf8") as file:
                file.write(f"{name}\t{' '.join(problem.split())}\n")
        else:
            report.n_cut += 1
    _finish(cutter, out)
    return report


def _cut_one(cutter: Cutter, name: str, source: bytes | Path, file: Path) -> str:
    """ "" when the mask was written, else why it was not."""
    try:
        picture = decode(source, name, MAX_SIDE) if isinstance(source, bytes) else open_picture(source, MAX_SIDE)
    except ImageError:
        return "the picture cannot be read"
    mask = cutter.cut(picture)
    if problem := problem_of(mask):
        return problem
    _save(mask, file)
    return ""


def _save(mask: Picture, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.partial")
    mask.save(part, "PNG")
    part.replace(file)


def _begin(cutter: Cutter, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    card_file = out / CARD
    if card_file.exists():
        try:
            before = json.loads(card_file.read_text("utf8"))["cutter"]
        except (ValueError, KeyError, TypeError) as error:
            raise GalleryError(f"{card_file} is no card of masks. Choose another --out.") from error
        if before != cutter.name:
            raise GalleryError(f"The masks in {out} were cut by {before}, not by {cutter.name}. Choose another --out.")
    else:
        _write_card(out, {"cutter": cutter.name, "finished": False})


def _finish(cutter: Cutter, out: Path) -> None:
    failed = out / FAILED
    lines = failed.read_text("utf8").splitlines() if failed.exists() else []
    problems = Counter(line.partition("\t")[2] for line in lines)
    counts = {"masks": sum(1 for _ in out.rglob("*.png")), "failed": dict(sorted(problems.items()))}
    _write_card(out, {"cutter": cutter.name, "finished": True, **counts})


def _write_card(out: Path, card: dict[str, Any]) -> None:
    part = out / f"{CARD}.partial"
    part.write_text(json.dumps(card, indent=2) + "\n", "utf8")
    part.replace(out / CARD)


def pictures(source: Path, choice: Choice) -> Iterator[tuple[str, bytes | Path]]:
    """ids and pictures of a folder (the path without its extension is the id) or of a Parquet file.

    Raises GalleryError for anything else, or when two pictures have one id.
    """
    if source.is_dir():
        return iter(_of_folder(source)[: choice.limit])
    if source.suffix != ".parquet" or not source.is_file():
        raise GalleryError(f"{source} is neither a folder of pictures nor a Parquet file.")
    return _of_table(source, choice)


def _of_folder(folder: Path) -> list[tuple[str, bytes | Path]]:
    found: dict[str, Path] = {}
    for file in sorted(folder.rglob("*")):
        if file.suffix.lower() in EXTENSIONS and file.is_file():
            name = file.relative_to(folder).with_suffix("").as_posix()
            if name in found:
                raise GalleryError(f"{file} and {found[name]} would have one mask. Rename one of them.")
            found[name] = file
    if not found:
        raise GalleryError(f"There is no picture in {folder}.")
    return list(found.items())


def _of_table(file: Path, choice: Choice) -> Iterator[tuple[str, bytes | Path]]:
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        raise GalleryError(f"{file} is not a readable Parquet file ({error}). Fetch it again.") from error
    columns = set(table.schema_arrow.names)
    key = next((column for column in ("photo_id", "id") if column in columns), None)
    if key is None or "image" not in columns:
        raise GalleryError(f"{file} has no column image, or none of photo_id and id.")
    if choice.spread and choice.spread not in columns:
        raise GalleryError(f"{file} has no column {choice.spread!r}. Its columns: {', '.join(sorted(columns))}.")
    read = [column for column in (key, "split", choice.spread) if column in columns]
    rows = [row for batch in table.iter_batches(4096, columns=read) for row in batch.to_pylist()]
    chosen = _chosen(rows, key, choice)
    if not chosen:
        raise GalleryError(f"No picture of {file} has split {choice.split!r}. Choose one with --split.")
    for batch in table.iter_batches(64, columns=[key, "image"]):
        for row in batch.to_pylist():
            if str(row[key]) in chosen:
                yield str(row[key]), row["image"]


def _chosen(rows: list[dict[str, Any]], key: str, choice: Choice) -> set[str]:
    groups: dict[str, list[str]] = {}
    for row in rows:
        if row.get("split", choice.split) == choice.split:
            groups.setdefault(str(row.get(choice.spread, "")), []).append(str(row[key]))
    longest = max(map(len, groups.values()), default=0)
    in_turn = [group[at] for at in range(longest) for _, group in sorted(groups.items()) if at < len(group)]
    return set(in_turn[: choice.limit])

"""Benchmarks of recorded sessions: what builders write, training and eval read. Standard library only.

A finished benchmark is a folder:

    card.json        name, version, sources, seed, settings, checksum of the other files; written last
    sessions.jsonl   one RecordedSession a line
    images.jsonl     one BenchmarkImage a line: the gallery, and the pictures that occur only in queries
    qrels.txt        judgements in TREC form: query_id 0 item_id grade
    pools.jsonl      {"query_id": ..., "candidates": [item_id, ...]} for queries with candidates of their own (ASFR)
    roots.json       where the pictures of each source lie on this machine; not part of the checksum

Relevance is in the qrels only; a query without judgements is played in a replay and not scored. `query_id` is
`f"{session_id}/{turn_number}"`, and the item_id of a gallery picture is its image_id.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from retrieval.errors import BenchmarkError

if TYPE_CHECKING:
    from retrieval.schema import Attributes, Qrels

FORMAT = "dimity-benchmark"
VERSION = 1
CARD, SESSIONS, IMAGES, QRELS, POOLS, ROOTS = (
    "card.json",
    "sessions.jsonl",
    "images.jsonl",
    "qrels.txt",
    "pools.jsonl",
    "roots.json",
)
MAX_GRADE_DIGITS = 6
CHECKED = (SESSIONS, IMAGES, QRELS, POOLS)
"""The files under the card's checksum, in its order."""

Split = Literal["train", "val", "test"]
Origin = Literal["source", "bridge", "enrichment"]
"""Whether a turn is an instance of a data set, the modification that a bridge became, or an added first search."""
PictureKind = Literal["product", "worn", "street", "sketch", "cutout"]
"""product: one item on plain ground; worn: on a person in a studio; street: a user's picture, with background."""
IN_GALLERY: frozenset[PictureKind] = frozenset({"product", "worn"})
"""Kinds that a shop shows."""


class Task(StrEnum):
    """The seven retrieval tasks of DIM-Fashion (Table 2)."""

    T2I = "t2i"
    SKETCH2IMG = "sketch2img"
    STREET2SHOP = "street2shop"
    IN_SHOP = "in_shop"
    CIR = "cir"
    COMPATIBLE = "compatible"
    ASFR = "asfr"


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """What the recorded user showed and said."""

    turn_number: int
    """From 1."""
    task: Task
    dataset: str
    """The data set that the instance comes from; of a bridge's modification, the data set of the picture led to."""
    text: str
    chosen: str
    """image_id with which the recorded user went on: the target, or one of an ASFR query's positives."""
    references: tuple[str, ...] = ()
    """image_ids; from turn 2 the item chosen one turn before, or in the turn gone back to."""
    rollback_to: int | None = None
    """The earlier turn that this one goes back to."""
    attribute: str = ""
    """With ASFR: the attribute that is kept."""
    origin: Origin = "source"


@dataclass(frozen=True, slots=True)
class RecordedSession:
    session_id: str
    split: Split
    turns: tuple[RecordedTurn, ...]

    def query_id(self, turn: RecordedTurn) -> str:
        return f"{self.session_id}/{turn.turn_number}"


@dataclass(frozen=True, slots=True)
class BenchmarkImage:
    image_id: str
    """`<source>/<name>`, without white space."""
    source: str
    path: str
    """Relative to the source's folder in `Benchmark.roots`; "" where there is no picture and the caption stands in."""
    kind: PictureKind = "product"
    in_gallery: bool = False
    product_id: str = ""
    """Equal for pictures of the same product; "" when not known."""
    caption: str = ""
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Benchmark:
    folder: Path
    card: Mapping[str, Any]
    sessions: tuple[RecordedSession, ...]
    images: Mapping[str, BenchmarkImage]
    qrels: Qrels
    pools: Mapping[str, tuple[str, ...]]
    roots: Mapping[str, Path]

    def split(self, name: Split) -> tuple[RecordedSession, ...]:
        return tuple(session for session in self.sessions if session.split == name)

    def gallery(self) -> tuple[BenchmarkImage, ...]:
        """Sorted by image_id."""
        return tuple(self.images[key] for key in sorted(self.images) if self.images[key].in_gallery)

    def picture_path(self, image_id: str) -> Path:
        """Raises KeyError for an unknown image, BenchmarkError for a source whose folder is not known here."""
        image = self.images[image_id]
        if image.source not in self.roots:
            raise BenchmarkError(
                f"The pictures of {image.source!r} are not on this machine. Name their folder: "
                f"--pictures {image.source}=FOLDER."
            )
        return self.roots[image.source] / image.path


def to_line(record: RecordedSession | BenchmarkImage) -> str:
    """One line of JSON, without a line break; a field that has its default value is left out."""
    return json.dumps(_plain(record), ensure_ascii=False, allow_nan=False, sort_keys=False)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if not hasattr(value, "__dataclass_fields__"):
        return dict(value) if isinstance(value, Mapping) else value
    written = {}
    for each in fields(value):
        part = getattr(value, each.name)
        if part != each.default and not (isinstance(part, Mapping) and not part):
            written[each.name] = _plain(part)
    return written


def checksum(folder: Path) -> str:
    """sha256 over names and bytes of the files in `CHECKED`."""
    return checksum_of({name: folder / name for name in CHECKED})


def checksum_of(files: Mapping[str, Path]) -> str:
    """The same for files that still have temporary names."""
    digest = hashlib.sha256()
    for name in CHECKED:
        digest.update(name.encode())
        with files[name].open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def read_benchmark(folder: Path, roots: Mapping[str, Path] | None = None) -> Benchmark:
    """Read a finished benchmark; `roots` says where pictures lie, before what the builder noted.

    Raises BenchmarkError for a folder that holds none, an unfinished or changed one, another version, a damaged line.
    """
    card = read_card(folder)
    if checksum(folder) != card.get("checksum"):
        raise BenchmarkError(f"The files in {folder} are not those of its {CARD}: build the benchmark again.")
    try:
        return Benchmark(
            folder=folder,
            card=card,
            sessions=tuple(_session(record, where) for record, where in _records(folder / SESSIONS)),
            images={image.image_id: image for image in (_image(*read) for read in _records(folder / IMAGES))},
            qrels=read_qrels(folder / QRELS),
            pools=dict(_pool(record, where) for record, where in _records(folder / POOLS)),
            roots={**_roots(folder), **(roots or {})},
        )
    except UnicodeDecodeError as error:
        raise BenchmarkError(f"A file in {folder} is not text in UTF-8 ({error.reason}). Build it again.") from error


def read_card(folder: Path) -> Mapping[str, Any]:
    """Raises BenchmarkError for a folder without a finished benchmark, or one of another version."""
    return finished_card(folder, "benchmark", FORMAT, VERSION, CHECKED, "builders.dim_fashion")


def finished_card(
    folder: Path, what: str, form: str, version: int, names: Sequence[str], builder: str
) -> Mapping[str, Any]:
    """The card of a folder that `builder` finished, with all of `names` beside it. Raises BenchmarkError otherwise."""
    if not (folder / CARD).is_file():
        raise BenchmarkError(
            f"There is no finished {what} in {folder}: it has no {CARD}. Name another folder, or build one with "
            f"`python -m {builder} build --help`."
        )
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BenchmarkError(f"{folder / CARD} is damaged ({error}): build the benchmark again.") from error
    if not isinstance(card, dict) or card.get("format") != form:
        raise BenchmarkError(f'{folder / CARD} is not the card of a {what} ("format": "{form}").')
    if card.get("version") != version:
        raise BenchmarkError(
            f"The benchmark in {folder} has version {card.get('version')!r}, this program reads {version}: "
            "build it again."
        )
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise BenchmarkError(f"The benchmark in {folder} lacks {', '.join(missing)}: build it again.")
    return card


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """TREC judgements. Raises BenchmarkError that names the damaged line."""
    qrels: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            parts = line.split()
            if not parts:
                continue
            try:
                query_id, _, item_id, grade = parts
                if len(grade) > MAX_GRADE_DIGITS:
                    raise ValueError("a grade beyond all scales")
                qrels.setdefault(query_id, {})[item_id] = int(grade)
            except ValueError as error:
                raise BenchmarkError(
                    f"Line {number} of {path} is not a judgement (query_id 0 item_id grade): {line.strip()!r:.80}"
                ) from error
    return qrels


def _roots(folder: Path) -> dict[str, Path]:
    if not (folder / ROOTS).is_file():
        return {}
    try:
        named = json.loads((folder / ROOTS).read_text(encoding="utf-8"))
        return {str(source): folder / str(root) for source, root in named.items()}  # an absolute root stays itself
    except (ValueError, AttributeError, RecursionError) as error:
        raise BenchmarkError(
            f"{folder / ROOTS} is damaged ({error}). Delete it and name folders by --pictures."
        ) from error


def _records(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            where = f"Line {number} of {path}"
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BenchmarkError(f"{where} is not JSON. Build the benchmark again.") from error
            if not isinstance(record, dict):
                raise BenchmarkError(f"{where} is not an object. Build the benchmark again.")
            yield record, where


def _value(record: Mapping[str, Any], key: str, where: str) -> Any:
    if key not in record:
        raise BenchmarkError(f"{where} lacks {key!r}. Build the benchmark again.")
    return record[key]


def _session(record: dict[str, Any], where: str) -> RecordedSession:
    split = _value(record, "split", where)
    if split not in get_args(Split):
        raise BenchmarkError(f"{where} has the unknown split {split!r:.40}.")
    try:
        turns = tuple(
            RecordedTurn(**{**turn, "task": Task(turn["task"]), "references": tuple(turn.get("references", ()))})
            for turn in _value(record, "turns", where)
        )
        for turn in turns:
            _check_turn(turn)
    except (TypeError, ValueError, KeyError) as error:
        raise BenchmarkError(f"{where} has a damaged turn ({error}). Build the benchmark again.") from error
    return RecordedSession(str(_value(record, "session_id", where)), split, turns)


def _check_turn(turn: RecordedTurn) -> None:
    """Raises TypeError for a value of another type."""
    texts = (turn.text, turn.chosen, turn.dataset, turn.attribute, turn.origin, *turn.references)
    numbers = (turn.turn_number, 0 if turn.rollback_to is None else turn.rollback_to)
    if not all(isinstance(text, str) for text in texts) or not all(type(number) is int for number in numbers):
        raise TypeError("a value of another type")


def _pool(record: dict[str, Any], where: str) -> tuple[str, tuple[str, ...]]:
    query_id, candidates = _value(record, "query_id", where), _value(record, "candidates", where)
    if not isinstance(candidates, list) or not all(isinstance(each, str) for each in (query_id, *candidates)):
        raise BenchmarkError(f"{where} is no pool. Build the benchmark again.")
    return query_id, tuple(candidates)


def _are_attributes(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    parts = [part for each in value.values() for part in (each if isinstance(each, list) else [each])]
    return all(isinstance(part, str | int | float) for part in parts)


def _image(record: dict[str, Any], where: str) -> BenchmarkImage:
    try:
        image = BenchmarkImage(**record)
    except TypeError as error:
        raise BenchmarkError(f"{where} is no picture ({error}). Build the benchmark again.") from error
    texts = (image.image_id, image.source, image.path, image.kind, image.product_id, image.caption)
    if not all(isinstance(text, str) for text in texts) or not _are_attributes(image.attributes):
        raise BenchmarkError(f"{where} is no picture (a value of another type). Build the benchmark again.")
    if image.path.startswith("/") or ".." in image.path.split("/"):
        raise BenchmarkError(f"{where} names {image.path!r:.80}, which lies outside of the source's folder.")
    return image

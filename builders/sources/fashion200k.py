"""Fashion200K: composed retrieval between pictures whose captions differ in exactly one word."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.colours import is_word
from builders.instances import Coverage, Instance, SourceData, SourceImage
from builders.sources.pictures import by_tail
from builders.sources.reading import pictures_below, read_lines, require_files, revision_of, safe_id, spread
from retrieval.benchmark import Task
from retrieval.errors import SourceError

NAME = "fashion200k"
MAX_USES = 3
"""How often a picture is a target. As a reference each picture is used once."""
DRAWS = 12
"""Tries to find a target for one picture."""
COLOUR_TEXTS = (
    "the same in {new} instead of {old}",
    "do you have it in {new}, not {old}?",
    "I like it, but I want {new} rather than {old}",
    "change the colour from {old} to {new}",
)
WORD_TEXTS = (
    "change {old} to {new}",
    "replace {old} with {new}",
    "like this one, but {new} instead of {old}",
    "similar, only {new} where this is {old}",
    "I would rather have {new} than {old}",
)
_MARKS = " \t.,;:!?\"'()"
_PATH = re.compile(r"(?P<gender>women|men)/(?P<category>[^/]+)/(?P<sub_category>[^/]+)/(?P<product>[^/]+)/[^/]+")

Gap = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Split and the words before and after the one that is left out."""


@dataclass(frozen=True, slots=True)
class _Row:
    path: str
    """As the labels name it, `women/dresses/casual_and_day_dresses/51727804/51727804_0.jpeg`."""
    split: str
    words: tuple[str, ...]

    @property
    def product(self) -> str:
        return self.path.split("/")[-2]

    def gaps(self) -> Iterator[Gap]:
        for at in range(len(self.words)) if len(self.words) > 1 else ():
            yield self.split, self.words[:at], self.words[at + 1 :]


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    """`<category>_<split>_detect_all.txt` and pictures as these name them. A record is one picture, as a reference."""
    files = require_files(folder, "*_detect_all.txt", "Fashion200K")
    coverage = Coverage()
    rows = _rows(files, coverage)
    paths = by_tail(pictures_below(folder), depth=len(rows[0].path.split("/")))
    here = [row for row in rows if row.path in paths]
    drawn = _Targets(here, seed)
    images: dict[str, SourceImage] = {}
    instances: list[Instance] = []
    for row in spread(rows, limit):
        coverage.n_records += 1
        if row.path not in paths:
            coverage.missing_pictures.add(row.path)
            coverage.dropped["picture is missing"] += 1
        elif not (target := drawn.draw(row)):
            coverage.dropped[drawn.why_none(row)] += 1
        else:
            coverage.n_kept += 1
            images.update(
                {_id(each): _image(each, paths[each.path]) for each in (row, target) if _id(each) not in images}
            )
            identity = f"{NAME}/{row.split}/{_name(row)}"
            instances.append(Instance(identity, Task.CIR, NAME, _text(row, target, seed), _id(target), (_id(row),)))
    instances.sort(key=lambda instance: instance.instance_id)
    return SourceData(NAME, folder, dict(sorted(images.items())), instances, coverage, revision_of(files))


class _Targets:
    """Draws a target for each reference: first the word to change, then the other caption, then one of its pictures."""

    def __init__(self, rows: Sequence[_Row], seed: int) -> None:
        pictures: dict[tuple[str, tuple[str, ...]], list[_Row]] = {}
        for row in rows:
            pictures.setdefault((row.split, row.words), []).append(row)
        captions: dict[Gap, list[list[_Row]]] = {}
        for of_caption in pictures.values():
            for gap in of_caption[0].gaps():
                captions.setdefault(gap, []).append(of_caption)
        self._captions = {gap: several for gap, several in captions.items() if len(several) > 1}
        self._uses: Counter[str] = Counter()
        self._seed = seed

    def draw(self, reference: _Row) -> _Row | None:
        """None where no caption differs in one word, or those that do are used up."""
        gaps = [gap for gap in reference.gaps() if gap in self._captions]
        if not gaps:
            return None
        rng = random.Random(f"{self._seed}/{reference.path}")
        for _ in range(DRAWS):
            target = rng.choice(rng.choice(self._captions[rng.choice(gaps)]))
            if (
                target.words != reference.words
                and target.product != reference.product
                and self._uses[target.path] < MAX_USES
            ):
                self._uses[target.path] += 1
                return target
        return None

    def why_none(self, reference: _Row) -> str:
        if any(gap in self._captions for gap in reference.gaps()):
            return "captions that differ in one word have no further picture"
        return "no caption differs in one word"


def _rows(files: Sequence[Path], coverage: Coverage) -> list[_Row]:
    """Sorted by path, each picture once. Raises SourceError for a line of another form."""
    rows: dict[str, _Row] = {}
    for file in files:
        split = file.name.removesuffix("_detect_all.txt").rsplit("_", 1)[-1]
        read = [_row(line, split, f"Line {number} of {file}") for number, line in read_lines(file)]
        if not read:
            raise SourceError(f"{file} holds no line: fetch it again.")
        for row in read:
            if row.path in rows:
                coverage.tolerated["picture named twice"] += 1
            rows.setdefault(row.path, row)
    return [rows[path] for path in sorted(rows)]


def _row(line: str, split: str, where: str) -> _Row:
    parts = line.split("\t")
    if len(parts) != 3 or "/" not in parts[0]:
        raise SourceError(f"{where} is not path, score and caption with tabs between them: fetch it again.")
    words = tuple(word for part in parts[2].lower().split() if (word := part.strip(_MARKS)))
    return _Row(parts[0].strip(), split, words)


def _name(row: _Row) -> str:
    return row.path.rpartition(".")[0]


def _id(row: _Row) -> str:
    return safe_id(NAME, _name(row))


def _text(reference: _Row, target: _Row, seed: int) -> str:
    pairs = zip(reference.words, target.words, strict=True)
    old, new = next((old, new) for old, new in pairs if old != new)
    texts = COLOUR_TEXTS if is_word(old) and is_word(new) else WORD_TEXTS
    return random.Random(f"{seed}/{reference.path}/text").choice(texts).format(old=old, new=new)


def _image(row: _Row, path: str) -> SourceImage:
    colours = dict.fromkeys(word for word in row.words if is_word(word))
    attributes = {"colour": next(iter(colours))} if len(colours) == 1 else {}
    if named := _PATH.fullmatch(row.path):
        known = {name: named[name].replace("_", " ") for name in ("category", "sub_category")}
        attributes = {**known, "gender": named["gender"].capitalize(), **attributes}
    return SourceImage(
        _id(row), path, product_id=safe_id(NAME, row.product), caption=" ".join(row.words), attributes=attributes
    )

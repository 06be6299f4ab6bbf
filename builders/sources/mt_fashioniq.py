"""MT-FashionIQ: sessions of two to four modifications, as chains and as single composed instances."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.instances import Coverage, SourceData, SourceImage
from builders.sources.fashion_iq import CATEGORY_WORDS, categories_of, product_of
from builders.sources.pictures import by_stem
from builders.sources.reading import pictures_below, read_json, require_files, revision_of, safe_id, spread
from builders.sources.triplets import Triplet, joined, keep, records_of, word_of
from retrieval.errors import SourceError

NAME = "mt_fashioniq"
ATTRIBUTES = "asin2attr.*.json"
_FILE = re.compile(r"(dress|shirt|toptee)\.(train|val)\.json")


@dataclass(frozen=True, slots=True)
class Chain:
    """One session as the file gives it: each picture is changed into the next one, the last into the target."""

    name: str
    """`<category>.<split>/<number from 1>`: first reference and target recur, so that they are no key."""
    category: str
    turns: tuple[tuple[str, str], ...]
    """(asin of the reference, text); one at least."""
    target: str

    @property
    def pictures(self) -> tuple[str, ...]:
        """All asins in their order, one more than turns."""
        return (*(reference for reference, _ in self.turns), self.target)


def read(folder: Path, made: Path, seed: int, limit: int | None) -> SourceData:
    """Each turn is an instance. Pictures are those of FashionIQ, `<asin>.jpg` or `.png`, anywhere below the folder."""
    files = [path for path in require_files(folder, "*.json", "MT-FashionIQ") if _FILE.fullmatch(path.name)]
    if not files:
        raise SourceError(f"No file <dress|shirt|toptee>.<train|val>.json in {folder}: it does not hold MT-FashionIQ.")
    coverage = Coverage()
    chains = [chain for path in files for chain in read_chains(path, coverage)]
    categories = categories_of((chain.category, asin) for chain in chains for asin in chain.pictures)
    if twice := sum(len(names) > 1 for names in categories.values()):
        coverage.tolerated["id in two categories"] = twice
    described = sorted(path for path in folder.rglob(ATTRIBUTES) if path.is_file())
    words = read_words(described)
    paths = by_stem(pictures_below(folder))

    def picture_of(asin: str) -> SourceImage | None:
        if asin not in paths:
            return None
        category = {"category": CATEGORY_WORDS[min(categories[asin])]}
        described_as = words.get(asin, "")
        return SourceImage(safe_id(NAME, asin), paths[asin], "product", product_of(asin), described_as, category)

    turns = [triplet for chain in chains for triplet in _triplets(chain)]
    images, instances = keep(spread(turns, limit), NAME, picture_of, coverage)
    return SourceData(NAME, folder, images, instances, coverage, revision_of([*files, *described]))


def _triplets(chain: Chain) -> Iterator[Triplet]:
    for number, ((reference, text), target) in enumerate(zip(chain.turns, chain.pictures[1:], strict=True), 1):
        yield Triplet(f"{NAME}/{chain.name}/{number}", reference, text, target)


def read_chains(path: Path, coverage: Coverage) -> list[Chain]:
    """All sessions of a file `<category>.<split>.json`, in its order.

    Raises SourceError that names the first session of another form.
    """
    category, split, _ = path.name.split(".")
    chains = []
    for number, record in enumerate(records_of(path, ("target", "reference")), 1):
        where = f"Session {number} of {path}"
        target = _part(record["target"], 2, 1, where)
        if not isinstance(record["reference"], list) or not record["reference"]:
            raise SourceError(f"{where} has no references: is it another version of the data set?")
        turns = tuple((_part(turn, 3, 2, where), joined(turn[1], where, coverage)) for turn in record["reference"])
        if len(turns) == 1:
            coverage.tolerated["session of one turn"] += 1
        chains.append(Chain(f"{category}.{split}/{number:05d}", category, turns, target))
    return chains


def _part(value: Any, length: int, position: int, where: str) -> str:
    """The asin in `[url, asin]` and `[url, captions, asin]`; the urls are dead."""
    if not isinstance(value, list) or len(value) != length:
        raise SourceError(f"{where} is of another form ({value!r:.60}): is it another version of the data set?")
    return word_of(value[position], "asin", where)


def read_words(files: Iterable[Path]) -> dict[str, str]:
    """asin -> its attribute words over all groups, each once, in their order. Ids without any word are left out."""
    words: dict[str, str] = {}
    for path in files:
        read = read_json(path)
        if not isinstance(read, Mapping):
            raise SourceError(f"{path} does not map ids to attribute words: is it another version of the data set?")
        for asin, groups in read.items():
            try:
                distinct = dict.fromkeys(word.strip() for group in groups for word in group if word.strip())
            except (TypeError, AttributeError) as error:
                raise SourceError(f"{path} has no lists of words for {asin!r}: fetch it again.") from error
            if distinct:
                words.setdefault(asin, " ".join(distinct))
    return words

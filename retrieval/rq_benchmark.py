"""FASHION-RQ benchmarks: queries mined from a catalogue, with candidates of graded relevance. Standard library only.

A finished benchmark is a folder:

    card.json          name, version, settings, revisions, counts, checksum of the files below; written last
    listings.jsonl     one Listing a line: the products that stand in the hierarchy, sorted by item_id
    queries.jsonl      one RQQuery a line, sorted by query_id
    candidates.jsonl   {"task": "T1", "query_id": ..., "candidates": {item_id: label, ...}} a line, in a drawn order
    T1.qrels ...       the same as judgements in TREC form (query_id 0 item_id grade), one file a task
    pictures/          <picture> of every candidate
    STATS.md           the paper's tables filled in

The relation of a candidate to a query is that of its leaf of the hierarchy to the query's leaf: `exact` the same leaf,
`sibling` another leaf of the same level-2 cluster, `related` the same level-1 cluster alone, `irrelevant` another one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from retrieval.benchmark import finished_card
from retrieval.errors import BenchmarkError
from retrieval.schema import Attributes

FORMAT, VERSION = "dimity-fashion-rq", 1
CARD, LISTINGS, QUERIES, CANDIDATES, PICTURES, STATS = (
    "card.json", "listings.jsonl", "queries.jsonl", "candidates.jsonl", "pictures", "STATS.md",
)  # fmt: skip
TaskName = Literal["T1", "T2", "T3", "T4"]
TASKS: tuple[TaskName, ...] = get_args(TaskName)
"""Ranking, relevance classification, sibling discrimination, paraphrase robustness (the paper's section 4)."""
Label = Literal["irrelevant", "related", "sibling", "exact"]
LABELS: tuple[Label, ...] = get_args(Label)
"""A label's grade is its position: 0 to 3 (ours)."""
Part = Literal["validation", "test"]
"""Thresholds of T2 are fitted on validation and nothing else is; a leaf's queries are all in one part."""
QRELS: Mapping[TaskName, str] = {task: f"{task}.qrels" for task in TASKS}
CHECKED = (LISTINGS, QUERIES, CANDIDATES, *QRELS.values())
"""The files under the card's checksum, in its order."""
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Listing:
    """A product as systems see it."""

    item_id: str
    text: str
    """What text systems read: the name, then what is known of it, as a shop's page would say it."""
    name: str
    attributes: Attributes
    """By the benchmark's names: product_type, colour, gender, age, material, occasion, season, pattern, style, brand,
    price, master_category, sub_category. What is not known is absent, "" or "NA"."""
    codes: tuple[int, ...]
    """Its code on each level of the hierarchy."""
    picture: str = ""
    """File name below `pictures`; "" for what is no candidate, or has none."""

    @property
    def leaf(self) -> str:
        return "/".join(map(str, self.codes))


@dataclass(frozen=True, slots=True)
class RQQuery:
    query_id: str
    group_id: str
    """Equal for paraphrases: they ask for the same."""
    leaf: str
    text: str
    wanted: Mapping[str, str] = field(default_factory=dict)
    """Attribute -> value that the words ask for, in the listings' names and values."""
    part: Part = "test"


@dataclass(frozen=True, slots=True)
class RQBenchmark:
    folder: Path
    card: Mapping[str, Any]
    listings: Mapping[str, Listing]
    queries: Mapping[str, RQQuery]
    candidates: Mapping[TaskName, Mapping[str, Mapping[str, Label]]]
    """Task -> query_id -> item_id -> label, in the order of the files. Paraphrases have the same candidates in T4."""

    def picture_path(self, item_id: str) -> Path | None:
        picture = self.listings[item_id].picture
        return self.folder / PICTURES / picture if picture else None


def grade(label: Label) -> int:
    """0 irrelevant to 3 exact."""
    return LABELS.index(label)


def relation(leaf: str, other: str) -> Label:
    """Of a product in leaf `other` to a query of leaf `leaf`."""
    if leaf == other:
        return "exact"
    own, its = leaf.split("/"), other.split("/")
    shared = next((depth for depth, (a, b) in enumerate(zip(own, its, strict=True)) if a != b), len(own))
    return ("irrelevant", "related", "sibling")[min(shared, 2)]


def to_line(record: Listing | RQQuery) -> str:
    """One line of JSON, without a line break."""
    return json.dumps(asdict(record), ensure_ascii=False, allow_nan=False)


def checksum_of(folder: Path, names: Mapping[str, str] | None = None) -> str:
    """sha256 over names and bytes of the files in `CHECKED`; `names` says which still have other names."""
    digest = hashlib.sha256()
    for name in CHECKED:
        digest.update(name.encode())
        with (folder / (names or {}).get(name, name)).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def read_rq_benchmark(folder: Path) -> RQBenchmark:
    """Raises BenchmarkError for a folder that holds none, an unfinished or changed one, another version, a damaged
    line."""
    card = read_card(folder)
    if checksum_of(folder) != card.get("checksum"):
        raise BenchmarkError(f"The files in {folder} are not those of its {CARD}: build the benchmark again.")
    listings = _once(folder / LISTINGS, ((each.item_id, each) for each in _read(folder / LISTINGS, _listing)))
    queries = _once(folder / QUERIES, ((each.query_id, each) for each in _read(folder / QUERIES, _query)))
    candidates: dict[TaskName, dict[str, Mapping[str, Label]]] = {task: {} for task in TASKS}
    judged = ((f"{each[1]} of {each[0]}", each) for each in _read(folder / CANDIDATES, _candidates))
    for task, query_id, labels in _once(folder / CANDIDATES, judged).values():
        if query_id not in queries or not labels.keys() <= listings.keys():
            raise BenchmarkError(f"{folder / CANDIDATES} names unknown queries or products: build the benchmark again.")
        candidates[task][query_id] = labels
    return RQBenchmark(folder, card, listings, queries, candidates)


def read_card(folder: Path) -> Mapping[str, Any]:
    """Raises BenchmarkError for a folder without a finished benchmark, or one of another version."""
    return finished_card(folder, "FASHION-RQ benchmark", FORMAT, VERSION, CHECKED, "builders.fashion_rq")


def _read(path: Path, parse: Callable[[dict[str, Any]], R]) -> Iterator[R]:
    with path.open(encoding="utf-8", errors="strict") as lines:
        try:
            for number, line in enumerate(lines, 1):
                try:
                    yield parse(json.loads(line))
                except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                    raise BenchmarkError(
                        f"Line {number} of {path} is damaged ({type(error).__name__}: {error}). "
                        "Build the benchmark again."
                    ) from error
        except UnicodeDecodeError as error:
            raise BenchmarkError(f"{path} is not text in UTF-8 ({error.reason}). Build the benchmark again.") from error


def _once(path: Path, records: Iterable[tuple[str, R]]) -> dict[str, R]:
    found: dict[str, R] = {}
    for name, record in records:
        if name in found:
            raise BenchmarkError(f"{path} names {name!r:.80} twice: build the benchmark again.")
        found[name] = record
    return found


def _listing(record: dict[str, Any]) -> Listing:
    listing = Listing(**{**record, "codes": tuple(record["codes"])})
    texts = (listing.item_id, listing.text, listing.name, listing.picture)
    if not all(isinstance(text, str) for text in texts) or not all(type(code) is int for code in listing.codes):
        raise TypeError("a value of another type")
    if not all(isinstance(value, str | int | float) for value in listing.attributes.values()):
        raise TypeError("an attribute that is neither text nor number")
    if listing.picture != Path(listing.picture).name:
        raise ValueError(f"{listing.picture!r:.80} lies outside of {PICTURES}")
    return listing


def _query(record: dict[str, Any]) -> RQQuery:
    query = RQQuery(**record)
    texts = (query.query_id, query.group_id, query.leaf, query.text, *query.wanted, *query.wanted.values())
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a value of another type")
    if query.part not in get_args(Part):
        raise ValueError(f"the unknown part {query.part!r:.40}")
    return query


def _candidates(record: dict[str, Any]) -> tuple[TaskName, str, Mapping[str, Label]]:
    task, query_id, labels = record["task"], record["query_id"], record["candidates"]
    if task not in TASKS or not isinstance(query_id, str) or not set(labels.values()) <= set(LABELS):
        raise ValueError("an unknown task or label")
    if not labels:
        raise ValueError("no candidates")
    return task, query_id, labels

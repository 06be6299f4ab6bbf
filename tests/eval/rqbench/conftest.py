"""A small benchmark of FASHION-RQ written through its records, and systems that score by plan."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from retrieval.rq_benchmark import (
    CANDIDATES,
    CARD,
    FORMAT,
    LABELS,
    LISTINGS,
    QRELS,
    QUERIES,
    TASKS,
    VERSION,
    Label,
    Listing,
    RQBenchmark,
    RQQuery,
    TaskName,
    checksum_of,
    grade,
    read_rq_benchmark,
    relation,
    to_line,
)

KINDS = ("Shirts", "Dresses", "Kurtas", "Jeans")
COLOURS = ("Red", "Blue", "Green")
GENDERS = ("Men", "Women")
N_PARAPHRASES = 3
PLAN: Mapping[TaskName, Mapping[Label, int]] = {
    "T1": {"exact": 3, "sibling": 4, "related": 4, "irrelevant": 4},
    "T2": {"exact": 2, "sibling": 2, "related": 2, "irrelevant": 2},
    "T3": {"exact": 1, "sibling": 4},
    "T4": {"exact": 3, "sibling": 4, "related": 4, "irrelevant": 4},
}


def listings() -> list[Listing]:
    """Level 1 is the kind, level 2 the gender, a leaf a colour; four products a leaf, of two materials."""
    found = []
    for kind, name in enumerate(KINDS):
        for gender, worn_by in enumerate(GENDERS):
            for colour, shade in enumerate(COLOURS):
                for number in range(4):
                    material = ("Cotton", "NA")[number % 2]
                    attributes = {"product_type": name, "gender": worn_by, "colour": shade, "material": material}
                    text = f"{shade} {name} for {worn_by}, {material}"
                    item_id = f"p{len(found):03}"
                    found.append(Listing(item_id, text, text, attributes, (kind, gender, colour)))
    return found


def queries(products: Sequence[Listing]) -> list[RQQuery]:
    """Three paraphrases a leaf; every fifth leaf is validation."""
    found = []
    for number, leaf in enumerate(sorted({each.leaf for each in products})):
        attributes = next(each.attributes for each in products if each.leaf == leaf)
        wanted = {name: str(attributes[name]) for name in ("product_type", "gender", "colour")}
        for turn in range(N_PARAPHRASES):
            words = f"{wanted['colour']} {wanted['product_type']} for {wanted['gender']}"
            text = (words, f"show me {words}", f"{words} please")[turn]
            part = "validation" if number % 5 == 0 else "test"
            found.append(RQQuery(f"q{number:02}-{turn}", f"g{number:02}", leaf, text, wanted, part))
    return found


def candidates(products: Sequence[Listing], asked: Sequence[RQQuery]) -> dict[TaskName, dict[str, dict[str, Label]]]:
    found: dict[TaskName, dict[str, dict[str, Label]]] = {task: {} for task in TASKS}
    for query in asked:
        by_label: dict[Label, list[str]] = {label: [] for label in LABELS}
        for each in products:
            by_label[relation(query.leaf, each.leaf)].append(each.item_id)
        for task, plan in PLAN.items():
            chosen = {item_id: label for label, n in plan.items() for item_id in by_label[label][:n]}
            found[task][query.query_id] = dict(sorted(chosen.items(), reverse=True))
    return found


def write(
    folder: Path,
    products: Sequence[Listing],
    asked: Sequence[RQQuery],
    judged: Mapping[TaskName, Mapping[str, Mapping[str, Label]]],
) -> Path:
    folder.mkdir(parents=True)
    (folder / LISTINGS).write_text("".join(f"{to_line(each)}\n" for each in products), encoding="utf-8")
    (folder / QUERIES).write_text("".join(f"{to_line(each)}\n" for each in asked), encoding="utf-8")
    lines = []
    for task in TASKS:
        qrels = []
        for query_id, labels in judged.get(task, {}).items():
            lines.append(json.dumps({"task": task, "query_id": query_id, "candidates": labels}))
            qrels += [f"{query_id} 0 {item_id} {grade(label)}" for item_id, label in labels.items()]
        (folder / QRELS[task]).write_text("".join(f"{line}\n" for line in qrels), encoding="utf-8")
    (folder / CANDIDATES).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    card = {"format": FORMAT, "version": VERSION, "name": "small", "checksum": checksum_of(folder)}
    (folder / CARD).write_text(json.dumps(card), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def benchmark_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    products = listings()
    asked = queries(products)
    return write(tmp_path_factory.mktemp("rq") / "small", products, asked, candidates(products, asked))


@pytest.fixture(scope="session")
def small(benchmark_folder: Path) -> RQBenchmark:
    return read_rq_benchmark(benchmark_folder)


@pytest.fixture
def rebuilt(tmp_path: Path) -> Callable[..., Path]:
    """The small benchmark with other queries or candidates, in a folder of its own."""

    def build(
        change: Callable[[RQQuery], RQQuery] = lambda query: query,
        judge: Callable[[dict[TaskName, dict[str, dict[str, Label]]]], object] = len,
    ) -> Path:
        products = listings()
        asked = [change(query) for query in queries(products)]
        judged = candidates(products, asked)
        judge(judged)
        return write(tmp_path / "rebuilt", products, asked, judged)

    return build


@dataclass
class Scripted:
    """Scores by a function of query and listing; counts what it is asked."""

    score_of: Callable[[RQQuery, Listing], float]
    name: str = "scripted"
    revision: str = "1"
    asked: list[int] = field(default_factory=list)

    def score(self, benchmark: RQBenchmark, pairs: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[float]]:
        self.asked.append(sum(map(len, pairs.values())))
        return {
            query_id: [self.score_of(benchmark.queries[query_id], benchmark.listings[item_id]) for item_id in item_ids]
            for query_id, item_ids in pairs.items()
        }


def right(query: RQQuery, listing: Listing) -> float:
    return float(grade(relation(query.leaf, listing.leaf)))


@pytest.fixture
def perfect() -> Scripted:
    return Scripted(right, "perfect")


@pytest.fixture
def upside_down() -> Scripted:
    return Scripted(lambda query, listing: -right(query, listing), "upside-down")


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted

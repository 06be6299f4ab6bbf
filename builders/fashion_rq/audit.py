"""Checks a finished benchmark against every rule of FASHION-RQ from its files alone; shares no code with what composed
it but the reading of words."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from builders.fashion_rq import published
from builders.fashion_rq.truth import untrue
from retrieval.rq_benchmark import LABELS, QRELS, TASKS, Label, RQBenchmark, RQQuery, TaskName, grade, relation

DEPTH = 3
WORDS = (3, 26)
PARAPHRASES = (2, 10)
N_CANDIDATES: Mapping[TaskName, tuple[int, int]] = {"T1": (12, 15), "T2": (7, 8), "T3": (4, 5), "T4": (12, 15)}
N_EXACT: Mapping[TaskName, int] = {"T1": 3, "T2": 2, "T3": 1, "T4": 3}
MOST: Mapping[TaskName, int] = {"T1": 4, "T2": 2, "T3": 4, "T4": 4}
"""Candidates of each lower grade."""
IN_T3: frozenset[Label] = frozenset({"exact", "sibling"})
SHARE_MARGIN, SHARES_FROM = 0.02, 100
"""How far label shares may lie from the paper's Table 8, and from how many groups of paraphrases on they must not."""


class Rule(StrEnum):
    """In the words of the report."""

    CODES = "a product has a code on each of three levels"
    LEAF = "a query's leaf has products"
    WORDS = "a query has 3 to 26 words"
    WANTED = "a query asks for something"
    GROUP = "a group has 2 to 10 paraphrases"
    GROUP_SAME = "paraphrases have one leaf, ask for one thing, and differ in their words"
    PART = "the queries of a leaf are in one part"
    QUERIES = "T1, T2 and T4 have all queries"
    SIZE = "a query has as many candidates as its task says"
    EXACT = "a query has as many exact candidates as its task says"
    MOST = "no label has more candidates than its task says"
    T3_LABELS = "T3 has exact and sibling candidates alone"
    LABEL = "a label is the relation of the two leaves"
    DUPLICATE = "no two candidates of a query are the same product by name or picture"
    SIDES = "the same product, by name or picture, has one label for a leaf"
    SHARED = "paraphrases have the same candidates in T4"
    WANTED_TRUE = "exact candidates have every value that is asked for"
    DECIDABLE = "no candidate of a lower grade has every value that is asked for"
    WORDS_TRUE = "a query says nothing that is untrue of its exact candidates"
    QRELS = "judgements are the candidates' grades"
    PICTURE = "a candidate's picture is there"
    SHARES = "label shares lie within 2 points of the paper's"


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation."""

    rule: Rule
    place: str = ""
    """Task and query, or what else is at fault."""
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.place or '-'}: {self.rule}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class AuditReport:
    findings: tuple[Finding, ...]
    n_queries: int
    n_pairs: int

    @property
    def is_clean(self) -> bool:
        return not self.findings

    def by_rule(self) -> dict[Rule, int]:
        """Findings of each rule, every rule named."""
        counted = Counter(finding.rule for finding in self.findings)
        return {rule: counted[rule] for rule in Rule}

    def lines(self, limit: int = 20) -> list[str]:
        """For people: counts of broken rules, and the first findings."""
        broken = [f"  {n:,} x {rule}" for rule, n in self.by_rule().items() if n]
        shown = [f"  {finding}" for finding in self.findings[:limit]]
        left = len(self.findings) - len(shown)
        outcome = f"{len(self.findings):,} violations of {len(broken)} rules" if broken else "No rule is broken."
        checked = f"{len(Rule)} rules, {self.n_queries:,} queries, {self.n_pairs:,} pairs"
        return [checked, outcome, *broken, *shown, *([f"  and {left:,} more"] if left else [])]

    def __str__(self) -> str:
        return "\n".join(self.lines())


def audit(benchmark: RQBenchmark) -> AuditReport:
    """Everything that can be checked from the files alone."""
    same = _Same(benchmark)
    findings = [
        *_listings(benchmark),
        *_queries(benchmark),
        *_groups(benchmark),
        *_parts(benchmark),
        *_coverage(benchmark),
        *(finding for task in TASKS for finding in _task(benchmark, task, same)),
        *_sides(benchmark, same),
        *_shared(benchmark),
        *_truth(benchmark),
        *_judgements(benchmark),
        *_shares(benchmark),
    ]
    n_pairs = sum(len(labels) for rows in benchmark.candidates.values() for labels in rows.values())
    return AuditReport(tuple(findings), len(benchmark.queries), n_pairs)


class _Same:
    """Which products are the same: by folded name, or by the bytes of their pictures."""

    def __init__(self, benchmark: RQBenchmark) -> None:
        self.missing: list[str] = []
        met = {item_id for rows in benchmark.candidates.values() for labels in rows.values() for item_id in labels}
        self._keys: dict[str, tuple[str, ...]] = {}
        for item_id in sorted(met):
            name = " ".join(benchmark.listings[item_id].name.casefold().split())
            path = benchmark.picture_path(item_id)
            digest = ""
            if path is not None and path.is_file():
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
            elif path is not None:
                self.missing.append(item_id)
            self._keys[item_id] = (*([f"name {name}"] if name else []), *([f"picture {digest}"] if digest else []))

    def keys(self, item_id: str) -> tuple[str, ...]:
        return self._keys[item_id]


def _listings(benchmark: RQBenchmark) -> Iterator[Finding]:
    for listing in benchmark.listings.values():
        if len(listing.codes) != DEPTH:
            yield Finding(Rule.CODES, listing.item_id, str(listing.codes))


def _queries(benchmark: RQBenchmark) -> Iterator[Finding]:
    leaves = {listing.leaf for listing in benchmark.listings.values()}
    for query in benchmark.queries.values():
        if query.leaf not in leaves:
            yield Finding(Rule.LEAF, query.query_id, query.leaf)
        n_words = len(query.text.split())
        if not WORDS[0] <= n_words <= WORDS[1]:
            yield Finding(Rule.WORDS, query.query_id, str(n_words))
        if not query.wanted:
            yield Finding(Rule.WANTED, query.query_id)


def _groups(benchmark: RQBenchmark) -> Iterator[Finding]:
    for group_id, group in _by_group(benchmark).items():
        if not PARAPHRASES[0] <= len(group) <= PARAPHRASES[1]:
            yield Finding(Rule.GROUP, group_id, str(len(group)))
        asked = {(query.leaf, *sorted(query.wanted.items())) for query in group}
        texts = {" ".join(query.text.casefold().split()) for query in group}
        if len(asked) > 1 or len(texts) < len(group):
            yield Finding(Rule.GROUP_SAME, group_id)


def _by_group(benchmark: RQBenchmark) -> dict[str, list[RQQuery]]:
    groups: dict[str, list[RQQuery]] = defaultdict(list)
    for query in benchmark.queries.values():
        groups[query.group_id].append(query)
    return groups


def _parts(benchmark: RQBenchmark) -> Iterator[Finding]:
    parts: dict[str, set[str]] = defaultdict(set)
    for query in benchmark.queries.values():
        parts[query.leaf].add(query.part)
    for leaf, met in parts.items():
        if len(met) > 1:
            yield Finding(Rule.PART, f"leaf {leaf}")


def _coverage(benchmark: RQBenchmark) -> Iterator[Finding]:
    for task in TASKS:
        if task != "T3" and (lacking := benchmark.queries.keys() - benchmark.candidates[task].keys()):
            yield Finding(Rule.QUERIES, task, f"{len(lacking)} lack, the first {min(lacking)}")


def _task(benchmark: RQBenchmark, task: TaskName, same: _Same) -> Iterator[Finding]:
    low, high = N_CANDIDATES[task]
    for query_id, labels in benchmark.candidates[task].items():
        place = f"{task} {query_id}"
        counts = Counter(labels.values())
        if not low <= len(labels) <= high:
            yield Finding(Rule.SIZE, place, str(len(labels)))
        if counts["exact"] != N_EXACT[task]:
            yield Finding(Rule.EXACT, place, str(counts["exact"]))
        if any(counts[label] > MOST[task] for label in LABELS if label != "exact"):
            yield Finding(Rule.MOST, place, str(dict(counts)))
        if task == "T3" and not counts.keys() <= IN_T3:
            yield Finding(Rule.T3_LABELS, place, str(dict(counts)))
        yield from _pairs(benchmark, benchmark.queries[query_id], labels, place)
        yield from _undecidable(benchmark, benchmark.queries[query_id], labels, place)
        keys = Counter(key for item_id in labels for key in same.keys(item_id))
        yield from (Finding(Rule.DUPLICATE, place, key) for key, n in keys.items() if n > 1)
        yield from (Finding(Rule.PICTURE, place, item_id) for item_id in same.missing if item_id in labels)


def _pairs(benchmark: RQBenchmark, query: RQQuery, labels: Mapping[str, Label], place: str) -> Iterator[Finding]:
    for item_id, label in labels.items():
        listing = benchmark.listings[item_id]
        if len(listing.codes) == DEPTH == query.leaf.count("/") + 1 and relation(query.leaf, listing.leaf) != label:
            yield Finding(Rule.LABEL, place, f"{item_id} is {relation(query.leaf, listing.leaf)}, not {label}")


def _undecidable(benchmark: RQBenchmark, query: RQQuery, labels: Mapping[str, Label], place: str) -> Iterator[Finding]:
    """The words alone could not tell such a candidate from an exact one."""
    wanted = {name: value.casefold() for name, value in query.wanted.items()}
    for item_id, label in labels.items():
        attributes = benchmark.listings[item_id].attributes
        if wanted and label != "exact" and all(str(attributes.get(n, "")).casefold() == v for n, v in wanted.items()):
            yield Finding(Rule.DECIDABLE, place, f"{item_id} is {label}")


def _sides(benchmark: RQBenchmark, same: _Same) -> Iterator[Finding]:
    met: dict[tuple[str, str], set[Label]] = defaultdict(set)
    for task in TASKS:
        for query_id, labels in benchmark.candidates[task].items():
            leaf = benchmark.queries[query_id].leaf
            for item_id, label in labels.items():
                for key in same.keys(item_id):
                    met[leaf, key].add(label)
    for (leaf, key), labels_met in met.items():
        if len(labels_met) > 1:
            yield Finding(Rule.SIDES, f"leaf {leaf}", f"{key} is {' and '.join(sorted(labels_met))}")


def _shared(benchmark: RQBenchmark) -> Iterator[Finding]:
    for group_id, group in _by_group(benchmark).items():
        rows = [list(benchmark.candidates["T4"].get(query.query_id, {}).items()) for query in group]
        if any(row != rows[0] for row in rows):
            yield Finding(Rule.SHARED, group_id)


def _truth(benchmark: RQBenchmark) -> Iterator[Finding]:
    for query in benchmark.queries.values():
        for item_id in _exact(benchmark, query.query_id):
            listing = benchmark.listings[item_id]
            for name, value in query.wanted.items():
                if str(listing.attributes.get(name, "")) != value:
                    yield Finding(Rule.WANTED_TRUE, query.query_id, f"{item_id} has no {name} {value!r}")
            yield from (Finding(Rule.WORDS_TRUE, query.query_id, said) for said in untrue(query, [listing]))


def _exact(benchmark: RQBenchmark, query_id: str) -> Sequence[str]:
    """Over all tasks, sorted."""
    rows = (benchmark.candidates[task].get(query_id, {}) for task in TASKS)
    return sorted({item_id for labels in rows for item_id, label in labels.items() if label == "exact"})


def _judgements(benchmark: RQBenchmark) -> Iterator[Finding]:
    for task, name in QRELS.items():
        expected = {
            f"{query_id} 0 {item_id} {grade(label)}"
            for query_id, labels in benchmark.candidates[task].items()
            for item_id, label in labels.items()
        }
        lines = (benchmark.folder / name).read_text(encoding="utf-8").splitlines()
        if len(lines) != len(expected) or set(lines) != expected:
            yield Finding(Rule.QRELS, name)


def _shares(benchmark: RQBenchmark) -> Iterator[Finding]:
    if len(_by_group(benchmark)) < SHARES_FROM:
        return
    for task, shares in published.LABEL_SHARES.items():
        counts = Counter(label for labels in benchmark.candidates[task].values() for label in labels.values())
        for label, share in shares.items():
            here = counts[label] / max(1, counts.total())
            if abs(here - share) > SHARE_MARGIN:
                yield Finding(Rule.SHARES, f"{task} {label}", f"{here:.1%}, published {share:.1%}")

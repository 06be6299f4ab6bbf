"""The four tasks: candidates of graded relevance for every query, drawn with a seed."""

from __future__ import annotations

import logging
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from builders.fashion_rq.leaves import MIN_EXACT, Clusters
from builders.fashion_rq.lexicon import AGE_OF, fold
from builders.fashion_rq.query_writing import MAX_PARAPHRASES, MIN_PARAPHRASES, name_more
from builders.fashion_rq.truth import satisfies, untrue
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import LABELS, TASKS, Label, Listing, Part, RQQuery, TaskName

log = logging.getLogger(__name__)

Candidates = Mapping[TaskName, Mapping[str, Mapping[str, Label]]]
"""Task -> query_id -> item_id -> label, in a drawn order."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How many candidates of each label a query gets; with fewer than `least` in all it gets none."""

    wanted: Mapping[Label, int]
    least: int


RECIPES: Mapping[TaskName, Recipe] = {
    "T1": Recipe({"exact": MIN_EXACT, "sibling": 4, "related": 4, "irrelevant": 4}, 12),
    "T2": Recipe({"exact": 2, "sibling": 2, "related": 2, "irrelevant": 2}, 7),
    "T3": Recipe({"exact": 1, "sibling": 4}, 4),
    "T4": Recipe({"exact": MIN_EXACT, "sibling": 4, "related": 4, "irrelevant": 4}, 12),
}
"""The paper's Tables 7 and 8; T3's one exact candidate is ours: with it alone can nDCG@3 be about four fifths of
Recall@3, as the paper's Table 2 has it."""
NO_PARAPHRASES = "too few or too many paraphrases"


@dataclass(frozen=True, slots=True)
class CandidateSettings:
    """How near candidates of lower grades are to what is asked for (ours)."""

    nearest_of: int = 32
    """Of so many that are drawn, the one that lacks least of what is asked for becomes a candidate; the others wait for
    the next place. 1: every product is as likely, and a product type tells most labels. The paper's candidates seem to
    be near ones too: BM25 has .89 in product type and .85 in colour (its Table 3, if these are shares)."""
    type_counts: int = 2
    """A product of another type lacks as much as one without so many other values."""


USUAL_CANDIDATES = CandidateSettings()


@dataclass(frozen=True, slots=True)
class Composed:
    queries: tuple[RQQuery, ...]
    """Those that have candidates, sorted by query_id."""
    candidates: Candidates
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Task -> label -> draws that were turned down since the product has all that the words ask for."""
    dropped_groups: Mapping[str, int] = field(default_factory=dict)
    """Reason -> groups of paraphrases without a task."""
    n_untrue: int = 0
    """Queries that are left out since they say what is not so of a product that has all that they ask for."""


def compose(
    listings: Mapping[str, Listing],
    clusters: Clusters,
    queries: Sequence[RQQuery],
    parts: Mapping[str, Part],
    seed: int,
    settings: CandidateSettings = USUAL_CANDIDATES,
) -> Composed:
    """`parts` by leaf. Raises BenchmarkError where no query is left, or two groups of paraphrases share an id."""
    drawn = _Drawn()
    kept_queries: list[RQQuery] = []
    dropped: Counter[str] = Counter()
    n_untrue = 0
    for written in _groups(queries):
        pools = _Pools(listings, clusters, written[0], settings)
        group = _true(written, [listings[item_id] for item_id in pools.of("exact")])
        n_untrue += len(written) - len(group)
        if reason := _why_not(group, pools):
            dropped[reason] += 1
            continue
        of_group = _compose_group(group, pools, seed, drawn)
        if of_group is None:
            dropped["too few candidates"] += 1
            continue
        for task, rows in of_group.items():
            drawn.candidates[task].update(rows)
        kept_queries += [replace(query, part=parts[query.leaf]) for query in group]
    if not kept_queries:
        raise BenchmarkError(_why_none(len(queries), dropped, drawn.n_undecidable, listings))
    return Composed(
        tuple(sorted(kept_queries, key=lambda query: query.query_id)),
        {task: dict(sorted(rows.items())) for task, rows in drawn.candidates.items()},
        _nested(drawn.left_out),
        dict(sorted(dropped.items())),
        n_untrue,
    )


@dataclass(slots=True)
class _Drawn:
    """What has been drawn so far."""

    candidates: dict[TaskName, dict[str, dict[str, Label]]] = field(
        default_factory=lambda: {task: {} for task in TASKS}
    )
    left_out: Counter[tuple[TaskName, Label]] = field(default_factory=Counter)
    n_undecidable: int = 0
    """Groups without candidates since products of a lower grade have all that is asked for."""


class _Pools:
    """The products of each label for one group of paraphrases, and which of them have all that it asks for."""

    def __init__(
        self, listings: Mapping[str, Listing], clusters: Clusters, query: RQQuery, settings: CandidateSettings
    ) -> None:
        self._listings, self._wanted, self._settings = listings, query.wanted, settings
        self._lacking: dict[str, int] = {}
        self.group_of: Callable[[str], str] = clusters.group_of
        self._pools = {label: clusters.pool(query.leaf, label) for label in LABELS}
        self._pools["exact"] = [item_id for item_id in self._pools["exact"] if self.satisfies(item_id)]

    def of(self, label: Label) -> Sequence[str]:
        """Exact ones are those that have all that is asked for."""
        return self._pools[label]

    def nearest_of(self, label: Label) -> int:
        """Of so many that are drawn, the nearest becomes a candidate; exact ones are as they are drawn."""
        return 1 if label == "exact" else self._settings.nearest_of

    @property
    def n_exact(self) -> int:
        """Duplicates counted once."""
        return len(set(map(self.group_of, self._pools["exact"])))

    def satisfies(self, item_id: str) -> bool:
        return self.n_lacking(item_id) == 0

    def n_lacking(self, item_id: str) -> int:
        """How many of the values that are asked for it does not have; the product type counts more, and an age that
        the gender implies is none of its own."""
        if item_id not in self._lacking:
            listing, wanted = self._listings[item_id], self._wanted
            missed = [name for name, value in wanted.items() if not satisfies(listing, {name: value})]
            implied = (
                "age" in missed and "gender" in missed and fold(wanted["age"]) == AGE_OF.get(fold(wanted["gender"]))
            )
            more = (self._settings.type_counts - 1) * ("product_type" in missed)
            self._lacking[item_id] = len(missed) - implied + more
        return self._lacking[item_id]


def _groups(queries: Sequence[RQQuery]) -> Iterator[list[RQQuery]]:
    """Paraphrases together, in the order of their ids."""
    groups: dict[str, list[RQQuery]] = defaultdict(list)
    for query in sorted(queries, key=lambda one: one.query_id):
        groups[query.group_id].append(query)
    for group_id in sorted(groups):
        if len({(query.leaf, *sorted(query.wanted.items())) for query in groups[group_id]}) > 1:
            raise BenchmarkError(f"The paraphrases of {group_id} ask for different things: write the queries again.")
        yield groups[group_id]


def _true(group: Sequence[RQQuery], exact: Sequence[Listing]) -> list[RQQuery]:
    """Those whose words hold of all exact products."""
    kept = []
    for query in group:
        problems = untrue(query, exact)
        if problems:
            log.warning("left out, since it is not true: %s (%s)", query.text, problems[0])
        else:
            kept.append(query)
    return kept


def _why_not(group: Sequence[RQQuery], pools: _Pools) -> str:
    if not MIN_PARAPHRASES <= len(group) <= MAX_PARAPHRASES:
        return NO_PARAPHRASES
    if pools.n_exact < MIN_EXACT:
        return "too few products in the leaf that have all that is asked for"
    return ""


def _compose_group(
    group: Sequence[RQQuery], pools: _Pools, seed: int, drawn: _Drawn
) -> dict[TaskName, dict[str, dict[str, Label]]] | None:
    """Task -> query_id -> candidates; T3 may lack. None where the others do."""
    found: dict[TaskName, dict[str, dict[str, Label]]] = {}
    counted = _Drawn()
    shared = _draw("T4", pools, f"{seed}/T4/{group[0].group_id}", counted)
    for task in TASKS:
        rows = {
            query.query_id: shared if task == "T4" else _draw(task, pools, f"{seed}/{task}/{query.query_id}", counted)
            for query in group
        }
        if all(rows.values()):
            found[task] = rows
        elif task != "T3":
            drawn.n_undecidable += any(of_task == task for of_task, _ in counted.left_out)
            return None
    drawn.left_out.update({key: n for key, n in counted.left_out.items() if key[0] in found})
    return found


def _draw(task: TaskName, pools: _Pools, seed: str, counted: _Drawn) -> dict[str, Label]:
    """Empty where there are too few. What has all that is asked for, but lies elsewhere, is left out: its label could
    not be told from the words."""
    recipe, rng = RECIPES[task], random.Random(seed)
    chosen: dict[str, Label] = {}
    groups: set[str] = set()
    for label, n in recipe.wanted.items():
        drawn = _tellable(task, label, pools, rng, counted)
        waiting: list[str] = []
        for _ in range(n):
            waiting = [item_id for item_id in waiting if pools.group_of(item_id) not in groups]
            new = (item_id for item_id in drawn if pools.group_of(item_id) not in groups)
            waiting += islice(new, pools.nearest_of(label) - len(waiting))
            if not waiting:
                break
            nearest = min(waiting, key=pools.n_lacking)
            groups.add(pools.group_of(nearest))
            chosen[nearest] = label
    if len(chosen) < recipe.least or list(chosen.values()).count("exact") < recipe.wanted["exact"]:
        return {}
    order = sorted(chosen)
    rng.shuffle(order)
    return {item_id: chosen[item_id] for item_id in order}


def _tellable(task: TaskName, label: Label, pools: _Pools, rng: random.Random, counted: _Drawn) -> Iterator[str]:
    """Its pool in a drawn order, without what the words could not tell from exact ones."""
    for item_id in shuffled(pools.of(label), rng):
        if label != "exact" and pools.satisfies(item_id):
            counted.left_out[task, label] += 1
        else:
            yield item_id


def shuffled(pool: Sequence[str], rng: random.Random) -> Iterator[str]:
    """The pool in a drawn order, of which little is made where little is taken."""
    moved: dict[int, str] = {}
    for place in range(len(pool)):
        other = rng.randrange(place, len(pool))
        yield moved.get(other, pool[other])
        moved[other] = moved.get(place, pool[place])


def _nested(counts: Mapping[tuple[TaskName, Label], int]) -> dict[str, dict[str, int]]:
    nested: dict[str, dict[str, int]] = {}
    for task in TASKS:
        of_task: dict[str, int] = {label: counts[task, label] for label in LABELS if counts.get((task, label))}
        if of_task:
            nested[task] = of_task
    return nested


def _why_none(n_queries: int, dropped: Counter[str], n_undecidable: int, listings: Mapping[str, Listing]) -> str:
    """For people: why each group is dropped, and what to do."""
    reasons = "; ".join(f"{n} groups: {reason}" for reason, n in sorted(dropped.items()))
    begin = f"None of the {n_queries} queries has enough candidates ({reasons or 'there are too few ways to ask'})."
    if 2 * (dropped[NO_PARAPHRASES] + n_undecidable) >= dropped.total():
        return f"{begin} {name_more(listings.values())}"
    return f"{begin} Give a larger catalogue, or a smaller --codebook."

"""Settings of a build, how a begun one is known again, and what the card says of its outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from builders.fashion_rq.embeddings import What
from builders.fashion_rq.grammar import WordSettings
from builders.fashion_rq.hierarchy_settings import HierarchySettings
from builders.fashion_rq.leaf_facts import FactSettings
from builders.fashion_rq.leaves import DEPTH, LeafSettings, above
from builders.fashion_rq.tasks import CandidateSettings, Composed
from builders.folders import write_lines
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import LABELS, TASKS, Listing, Part


@dataclass(frozen=True, slots=True)
class BuildSettings:
    name: str = "fashion-rq"
    seed: int = 0
    embed: What = "both"
    hierarchy: HierarchySettings = field(default_factory=HierarchySettings)
    """Its seed is this one's."""
    compared: tuple[int, ...] = ()
    """Further codebooks that are trained for the tables alone."""
    leaves: LeafSettings = field(default_factory=LeafSettings)
    facts: FactSettings = field(default_factory=FactSettings)
    words: WordSettings = field(default_factory=WordSettings)
    candidates: CandidateSettings = field(default_factory=CandidateSettings)


def describe_settings(settings: BuildSettings) -> dict[str, Any]:
    """All in one list: no two settings have one name."""
    values = asdict(settings)
    groups = [values.pop(name) for name in ("leaves", "hierarchy", "facts", "words", "candidates")]
    name, seed = values.pop("name"), values.pop("seed")
    told = {key: value for group in (values, *groups) for key, value in group.items() if key != "seed"}
    return {"name": name, "seed": seed, "settings": told}


def go_on(begun: Path, told: Mapping[str, Any], *, note: bool = True) -> None:
    """Compare what the build is made of with what the file `begun` says, and note it there where there is none yet.

    Raises BenchmarkError for a difference; what is not told is not compared.
    """
    now = json.loads(json.dumps(told))
    if not begun.exists():
        if note:
            write_lines(begun, [json.dumps(now, indent=2, ensure_ascii=False, sort_keys=True)])
        return
    try:
        before = json.loads(begun.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BenchmarkError(f"{begun} is damaged ({error}): delete it and build again.") from error
    if not isinstance(before, dict):
        raise BenchmarkError(f"{begun} is damaged: delete it and build again.")
    difference = next(_differences({name: before.get(name) for name in now}, now), None)
    if difference is None:
        return
    name, old, new = difference
    raise BenchmarkError(
        f"The build in {begun.parent.parent} was begun with {name} {old!r:.60}, not {new!r:.60}. Choose another --out, "
        f"or delete {begun} to build anew from what was kept, or give the same again to go on."
    )


def _differences(before: Any, now: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Name, old and new value of each."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted(before.keys() | now.keys()):
            if before.get(key) != now.get(key):
                yield from _differences(before.get(key), now.get(key), f"{name}.{key}".strip("."))
    elif before != now:
        yield name or "something", before, now


def describe_outcome(
    listings: Sequence[Listing], leaves: Mapping[str, Part], composed: Composed, skipped: Mapping[str, int]
) -> dict[str, Any]:
    """The card's counts."""
    asked = {query.leaf for query in composed.queries}
    labels = {task: dict.fromkeys(reversed(LABELS), 0) for task in TASKS}
    for task, rows in composed.candidates.items():
        for of_query in rows.values():
            for label in of_query.values():
                labels[task][label] += 1
    return {
        "products": len(listings),
        "dropped_products": dict(sorted(skipped.items())),
        "clusters": [len({above(listing.leaf)[depth] for listing in listings}) for depth in range(DEPTH)],
        "chosen_leaves": len(leaves),
        "asked_clusters": [len({above(leaf)[depth] for leaf in asked}) for depth in range(DEPTH)],
        "groups": len({query.group_id for query in composed.queries}),
        "queries": {task: len(composed.candidates[task]) for task in TASKS},
        "labels": labels,
        "left_out": composed.left_out,
        "dropped_groups": composed.dropped_groups,
        "untrue_queries": composed.n_untrue,
    }

"""What a card says of a build: its settings, its sources, and what came out of each step."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from builders.dim_fashion.bridges import THRESHOLD, Bridges
from builders.dim_fashion.refine import P_ENRICH, Refined
from builders.dim_fashion.split import SplitSessions
from builders.dim_fashion.walk import WalkSettings

if TYPE_CHECKING:
    from builders.instances import SourceData


@dataclass(frozen=True, slots=True)
class BuildSettings:
    name: str = "dim-fashion"
    seed: int = 1
    n_sessions: int = 5000
    """Walks of two turns or more; the checks of step 3 leave fewer."""
    threshold: float = THRESHOLD
    p_enrich: float = P_ENRICH
    walk: WalkSettings = field(default_factory=WalkSettings)


def describe_settings(settings: BuildSettings, command: str) -> dict[str, Any]:
    values = asdict(settings)
    name, seed, walk = values.pop("name"), values.pop("seed"), values.pop("walk")
    return {"name": name, "seed": seed, "settings": {**walk, **values}, "command": command}


def describe_source(source: SourceData, unusable: Container[str]) -> dict[str, Any]:
    """`unusable` are the pictures that cannot be decoded."""
    coverage = source.coverage
    return {
        "name": source.name,
        "revision": source.revision,
        "n_records": coverage.n_records,
        "n_kept": coverage.n_kept,
        "dropped": dict(sorted(coverage.dropped.items())),
        "tolerated": dict(sorted(coverage.tolerated.items())),
        "n_missing_pictures": len(coverage.missing_pictures),
        "n_unusable_pictures": sum(picture in unusable for picture in source.images),
        "n_images": len(source.images),
        "n_instances": len(source.instances),
    }


def describe_bridges(bridges: Bridges) -> dict[str, Any]:
    return {
        "bridges": [{"threshold": level, "edges": edges, "images": n} for level, edges, n in bridges.table],
        "bridge_search": {"recall": round(bridges.recall, 4), "n_duplicates": bridges.n_duplicates},
    }


def describe_sessions(n_walks: int, refined: Refined, split: SplitSessions) -> dict[str, Any]:
    return {
        "refinement": {"walks": n_walks, **refined.n_by_outcome, "bridges": dict(sorted(refined.n_bridges.items()))},
        "counts": {
            "sessions": len(refined.sessions),
            "turns": split.n_signatures,
            "unique_signatures": split.n_unique_signatures,
            "components": split.n_components,
            "single_components": split.n_singles,
        },
    }

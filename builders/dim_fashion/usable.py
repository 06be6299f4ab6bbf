"""Which instances can stand in a session once pictures are decoded and duplicates are merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from builders.instances import N_NEGATIVES, N_POSITIVES, Instance
from retrieval.benchmark import Task


def usable(instances: Iterable[Instance], places: Mapping[str, int]) -> tuple[list[Instance], Counter[str]]:
    """The instances that can be used, in their order, and why the others cannot.

    `places` maps the image_id of every decoded picture to the first of its duplicates.
    """
    kept: list[Instance] = []
    dropped: Counter[str] = Counter()
    for instance in instances:
        named = (instance.target, *instance.references)
        if any(picture not in places for picture in named):
            dropped["picture cannot be decoded"] += 1
        elif places[instance.target] in {places[picture] for picture in instance.references}:
            dropped["target is a duplicate of a reference"] += 1
        elif instance.task is not Task.ASFR:
            kept.append(instance)
        elif (pooled := _with_clean_pool(instance, places)) is None:
            dropped["pool is too small without duplicates"] += 1
        else:
            kept.append(pooled)
    return kept, dropped


def _with_clean_pool(instance: Instance, places: Mapping[str, int]) -> Instance | None:
    """A picture stands in a pool once, and never together with the reference. None when too few are left."""
    seen = {places[picture] for picture in instance.references}
    positives = _once((instance.target, *instance.positives), places, seen)
    negatives = _once(instance.negatives, places, seen)
    if len(positives) < N_POSITIVES[0] or len(negatives) < N_NEGATIVES:
        return None
    return replace(instance, positives=tuple(sorted(positives[: N_POSITIVES[1]])), negatives=negatives[:N_NEGATIVES])


def _once(pictures: Iterable[str], places: Mapping[str, int], seen: set[int]) -> tuple[str, ...]:
    left: list[str] = []
    for picture in pictures:
        if picture in places and places[picture] not in seen:
            seen.add(places[picture])
            left.append(picture)
    return tuple(left)

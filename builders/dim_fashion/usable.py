"""Which instances can stand in a session once pictures are decoded and duplicates are merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from builders.instances import N_NEGATIVES, N_POSITIVES, Instance, SourceImage
from retrieval.benchmark import IN_GALLERY, Task


def first_of_place(images: Mapping[str, SourceImage], places: Mapping[str, int]) -> dict[int, str]:
    """Place -> the picture that stands for all its duplicates: one that a gallery may show, else the first by name.

    `places` maps the image_id of every decoded picture to its place.
    """
    found: dict[int, str] = {}
    for picture in sorted(places, key=lambda name: (images[name].kind not in IN_GALLERY, name)):
        found.setdefault(places[picture], picture)
    return found


def usable(
    instances: Iterable[Instance], places: Mapping[str, int], firsts: Mapping[int, str]
) -> tuple[list[Instance], Counter[str]]:
    """The instances that can be used, in their order and over pictures of `firsts` alone; and why the others cannot."""
    kept: list[Instance] = []
    dropped: Counter[str] = Counter()
    for instance in instances:
        named = (instance.target, *instance.references)
        if any(picture not in places for picture in named):
            dropped["picture cannot be decoded"] += 1
            continue
        target, *references = (firsts[places[picture]] for picture in named)
        merged = replace(instance, target=target, references=tuple(dict.fromkeys(references)))
        if target in references:
            dropped["target is a duplicate of a reference"] += 1
        elif instance.task is not Task.ASFR:
            kept.append(merged)
        elif (pooled := _with_clean_pool(merged, places, firsts)) is None:
            dropped["pool is too small without duplicates"] += 1
        else:
            kept.append(pooled)
    return kept, dropped


def _with_clean_pool(instance: Instance, places: Mapping[str, int], firsts: Mapping[int, str]) -> Instance | None:
    """A picture stands in a pool once, and never together with the reference. None when too few are left."""
    seen = set(instance.references)
    positives = _once((instance.target, *instance.positives), places, firsts, seen)
    negatives = _once(instance.negatives, places, firsts, seen)
    if len(positives) < N_POSITIVES[0] or len(negatives) < N_NEGATIVES:
        return None
    return replace(instance, positives=tuple(sorted(positives[: N_POSITIVES[1]])), negatives=negatives[:N_NEGATIVES])


def _once(
    pictures: Iterable[str], places: Mapping[str, int], firsts: Mapping[int, str], seen: set[str]
) -> tuple[str, ...]:
    left: list[str] = []
    for picture in pictures:
        first = firsts[places[picture]] if picture in places else ""
        if first and first not in seen:
            seen.add(first)
            left.append(first)
    return tuple(left)

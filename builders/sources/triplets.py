"""Composed retrieval from files of captions: tidy texts, and triplets become instances or are counted as dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.instances import Coverage, Instance, SourceImage
from builders.sources.reading import read_records
from retrieval.benchmark import Task
from retrieval.errors import SourceError

USUAL_CAPTIONS = 2
_EDGES = " \t.,;:?!；"


@dataclass(frozen=True, slots=True)
class Triplet:
    """Pictures by the name that the files give them."""

    instance_id: str
    reference: str
    text: str
    target: str


def records_of(path: Path, keys: Sequence[str]) -> list[dict[str, Any]]:
    """As `read_records`; a file without any record is damaged too."""
    records = read_records(path, keys)
    if not records:
        raise SourceError(f"{path} holds no record: fetch it again.")
    return records


def word_of(value: Any, what: str, where: str) -> str:
    """A name without blanks at its ends. Raises SourceError for anything but such a text."""
    if not isinstance(value, str) or not value.strip():
        raise SourceError(f"{where} has no {what} ({value!r:.40}): is it another version of the data set?")
    return value.strip()


def tidy(caption: str) -> str:
    """Blanks folded, punctuation at the ends off, no shouting and no capital of a sentence; "T shirt" stays."""
    text = " ".join(caption.split()).strip(_EDGES)
    if len(text.split()) > 1 and text.isupper():
        return text.lower()
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first == "A" or (len(first) > 1 and first[1:].islower()) else text


def joined(captions: Any, where: str, coverage: Coverage) -> str:
    """All captions, joined by " and " as the field does; another number than two, blanks and capitals are counted.

    Raises SourceError for anything but a list of texts.
    """
    if not isinstance(captions, list) or not all(isinstance(caption, str) for caption in captions):
        raise SourceError(f"{where} has no list of captions: is it another version of the data set?")
    texts = [tidy(caption) for caption in captions]
    if len(captions) != USUAL_CAPTIONS:
        coverage.tolerated[f"{len(captions)} caption{'s' * (len(captions) != 1)}"] += 1
    for text, caption in zip(texts, captions, strict=True):
        if not text:
            coverage.tolerated["blank caption"] += 1
        elif text.casefold() != caption.casefold():
            coverage.tolerated["stray blanks or marks"] += 1
        elif text != caption:
            coverage.tolerated["capitals"] += 1
    return " and ".join(text for text in texts if text)


def keep(
    triplets: Iterable[Triplet],
    dataset: str,
    picture_of: Callable[[str], SourceImage | None],
    coverage: Coverage,
) -> tuple[dict[str, SourceImage], list[Instance]]:
    """Images by image_id and instances, both sorted; each triplet counts as one record.

    `picture_of(name)` is None for a picture that the folder lacks.
    """
    images: dict[str, SourceImage] = {}
    instances: list[Instance] = []
    seen: set[tuple[str, str, str]] = set()
    for triplet in triplets:
        coverage.n_records += 1
        pair = [picture_of(name) for name in (triplet.reference, triplet.target)]
        reference, target = pair
        signature = (triplet.reference, triplet.text.casefold(), triplet.target)
        if not triplet.text:
            coverage.dropped["no text"] += 1
        elif triplet.reference == triplet.target:
            coverage.dropped["the reference is the target"] += 1
        elif signature in seen:
            coverage.dropped["repeats an earlier record"] += 1
        elif reference is None or target is None:
            names = (triplet.reference, triplet.target)
            coverage.missing_pictures.update(n for n, image in zip(names, pair, strict=True) if image is None)
            coverage.dropped["picture is missing"] += 1
        else:
            seen.add(signature)
            coverage.n_kept += 1
            images.update({reference.image_id: reference, target.image_id: target})
            instances.append(
                Instance(triplet.instance_id, Task.CIR, dataset, triplet.text, target.image_id, (reference.image_id,))
            )
    return dict(sorted(images.items())), sorted(instances, key=lambda instance: instance.instance_id)

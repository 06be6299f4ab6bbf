"""The build from original files to a finished benchmark: one function a step, in the order in which they run."""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builders.dim_fashion.bridges import THRESHOLD, Bridges, dataset_masks, find_bridges
from builders.dim_fashion.records import benchmark_images, recorded_sessions
from builders.dim_fashion.refine import P_ENRICH, Refined, refine
from builders.dim_fashion.split import SplitSessions, split_sessions
from builders.dim_fashion.usable import usable
from builders.dim_fashion.vectors import picture_vectors
from builders.dim_fashion.walk import Walker, WalkSettings, draw_sessions
from builders.dim_fashion.writing import refuse_foreign, write_benchmark
from builders.sources import read_source
from retrieval.benchmark import read_benchmark
from retrieval.errors import BenchmarkError

if TYPE_CHECKING:
    from builders.dim_fashion.annotators import Annotator
    from builders.dim_fashion.drafts import DraftSession
    from builders.instances import Instance, SourceData, SourceImage
    from retrieval.protocols import Embeddings, Encoder

log = logging.getLogger(__name__)

NOT_ENCODED = frozenset({"cutout"})
"""Kinds of picture that no session shows."""


@dataclass(frozen=True, slots=True)
class SourceChoice:
    name: str
    folder: Path | None = None
    limit: int | None = None
    """Records, or garments of the studio; None: all."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    name: str = "dim-fashion"
    seed: int = 1
    n_sessions: int = 5000
    """Walks of two turns or more; the checks of step 3 leave fewer."""
    threshold: float = THRESHOLD
    p_enrich: float = P_ENRICH
    walk: WalkSettings = field(default_factory=WalkSettings)


AnnotatorMaker = Callable[[Mapping[str, "SourceImage"], Callable[[str], Path]], "Annotator"]
"""Gets the pictures by image_id, and where each lies."""


def build(
    out: Path,
    choices: Sequence[SourceChoice],
    settings: BuildSettings,
    encoder: Encoder,
    make_annotator: AnnotatorMaker,
    command: str,
) -> dict[str, Any]:
    """Build the benchmark in `out` and return its card.

    Raises SourceError, BenchmarkError; whatever is raised, `out` then holds no finished benchmark that it did not hold
    before. Pictures and vectors that were made stay for the next try.
    """
    _check(settings)
    refuse_foreign(out)
    sources = read_sources(out, choices, settings.seed)
    pictures = _pictures(sources)
    paths = {picture: source.root / image.path for source in sources for picture, image in source.images.items()}
    embeddings, rows = _vectors(encoder, pictures, paths, out / "work" / "vectors")
    bridges = _bridges(sources, pictures, rows, embeddings, settings.threshold)
    places = {picture: int(bridges.places[row]) for picture, row in rows.items()}
    instances, unusable = usable(_instances(sources), places)
    walks = _walk(instances, rows, bridges, settings)
    annotator = make_annotator(pictures, paths.__getitem__)
    refined = refine(walks, annotator, places, settings.walk.max_turns, settings.p_enrich, settings.seed)
    log.info("refined: %s", ", ".join(f"{n} {outcome}" for outcome, n in refined.n_by_outcome.items()))
    if not refined.sessions:
        raise BenchmarkError("No session is left after the checks. Give more data, or a lower --threshold.")
    split = split_sessions(refined.sessions, settings.seed)
    card = {
        "name": settings.name,
        "seed": settings.seed,
        "settings": _settings(settings),
        "encoder": asdict(encoder.manifest),
        "vectors": f"sha256:{hashlib.sha256(embeddings.tobytes()).hexdigest()}",
        "annotator": annotator.name,
        "command": command,
        "sources": [_source_record(source) for source in sources],
        "unusable_instances": dict(sorted(unusable.items())),
        "bridges": [{"threshold": level, "edges": e, "images": n} for level, e, n in bridges.table],
        "bridge_search": {"recall": round(bridges.recall, 4), "n_duplicates": bridges.n_duplicates},
        "refinement": {"walks": len(walks), **refined.n_by_outcome, "bridges": dict(sorted(refined.n_bridges.items()))},
        "counts": _counts(refined, split),
    }
    return _write(out, sources, refined.sessions, split, rows, card)


def _check(settings: BuildSettings) -> None:
    """Before hours of work. Raises BenchmarkError for a setting that cannot give a benchmark."""
    shares = {"p_enrich": settings.p_enrich, **{k: v for k, v in asdict(settings.walk).items() if k.startswith("p_")}}
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise BenchmarkError(f"{name} is {share}: give a share between 0 and 1.")
    if not 0 < settings.threshold < 1:
        raise BenchmarkError(f"The threshold is {settings.threshold}: give a cosine between 0 and 1.")
    if settings.n_sessions < 1 or settings.walk.max_turns < 2:
        raise BenchmarkError("A benchmark has at least one session, and a session two turns.")
    if not re.fullmatch(r"[\w-]{1,40}", settings.name):
        raise BenchmarkError(f"{settings.name!r:.60} cannot begin a session_id: use letters, digits, - and _.")


def read_sources(out: Path, choices: Sequence[SourceChoice], seed: int) -> list[SourceData]:
    """Sorted by name. Raises SourceError for none, or one named twice."""
    names = [choice.name for choice in choices]
    if not names:
        raise BenchmarkError("There is nothing to build from. Name at least one --source.")
    if twice := [name for name, n in Counter(names).items() if n > 1]:
        raise BenchmarkError(f"The source {twice[0]!r} is named twice. Name it once.")
    sources = []
    for choice in sorted(choices, key=lambda one: one.name):
        source = read_source(choice.name, choice.folder, out / "pictures" / choice.name, seed, choice.limit)
        log.info("%s: %d pictures, %d instances", source.name, len(source.images), len(source.instances))
        sources.append(source)
    if not any(source.instances for source in sources):
        reasons = sum((source.coverage.dropped for source in sources), Counter[str]()).most_common(1)
        why = f" Mostly because: {reasons[0][0]}." if reasons else ""
        raise BenchmarkError(f"No source gives a single instance.{why}")
    return sources


def _pictures(sources: Sequence[SourceData]) -> dict[str, SourceImage]:
    found: dict[str, SourceImage] = {}
    for source in sources:
        if twice := found.keys() & source.images.keys():
            raise BenchmarkError(f"Two sources have a picture {min(twice)!r}.")
        found |= source.images
    return found


def _instances(sources: Sequence[SourceData]) -> list[Instance]:
    return [instance for source in sources for instance in source.instances]


def _vectors(
    encoder: Encoder, pictures: Mapping[str, SourceImage], paths: Mapping[str, Path], cache: Path
) -> tuple[Embeddings, dict[str, int]]:
    """Vectors of all usable pictures that sessions may show, and the row of each."""
    names = sorted(picture for picture, image in pictures.items() if image.kind not in NOT_ENCODED)
    embeddings, reasons = picture_vectors(encoder, [paths[name] for name in names], cache)
    kept = [row for row, reason in enumerate(reasons) if not reason]
    if len(kept) < len(names):
        first = next(reason for reason in reasons if reason)
        log.warning("%d pictures cannot be used, the first because: %s", len(names) - len(kept), first)
    return embeddings[kept], {names[row]: position for position, row in enumerate(kept)}


def _bridges(
    sources: Sequence[SourceData],
    pictures: Mapping[str, SourceImage],
    rows: Mapping[str, int],
    embeddings: Embeddings,
    threshold: float,
) -> Bridges:
    names = list(rows)
    datasets: dict[str, set[str]] = {name: set() for name in names}
    for instance in _instances(sources):
        for picture in (instance.target, *instance.references):
            if picture in datasets:
                datasets[picture].add(instance.dataset)
    for source in sources:
        for picture in source.images:
            if picture in datasets and not datasets[picture]:
                datasets[picture].add(source.name)

    def known_apart(one: int, other: int) -> bool:
        first, second = pictures[names[one]].product_id, pictures[names[other]].product_id
        return bool(first and second and first != second)

    masks = dataset_masks([sorted(datasets[name]) for name in names])
    bridges = find_bridges(embeddings, masks, threshold, known_apart)
    log.info("bridges: %s", ", ".join(f"{edges} at {level:.2f}" for level, edges, _ in bridges.table))
    return bridges


def _walk(
    instances: Sequence[Instance], rows: dict[str, int], bridges: Bridges, settings: BuildSettings
) -> list[DraftSession]:
    walker = Walker(instances, rows, bridges, settings.walk)
    walks = draw_sessions(walker, settings.n_sessions, settings.seed)
    if not walks:
        raise BenchmarkError(
            "No two instances of different data sets can be joined. Give more sources, or a lower --threshold."
        )
    log.info("walks: %d of %d wanted", len(walks), settings.n_sessions)
    return walks


def _settings(settings: BuildSettings) -> dict[str, Any]:
    values = asdict(settings)
    return {**values.pop("walk"), **{name: value for name, value in values.items() if name not in ("name", "seed")}}


def _source_record(source: SourceData) -> dict[str, Any]:
    coverage = source.coverage
    return {
        "name": source.name,
        "revision": source.revision,
        "n_records": coverage.n_records,
        "n_kept": coverage.n_kept,
        "dropped": dict(sorted(coverage.dropped.items())),
        "tolerated": dict(sorted(coverage.tolerated.items())),
        "n_missing_pictures": len(coverage.missing_pictures),
        "n_images": len(source.images),
        "n_instances": len(source.instances),
    }


def _counts(refined: Refined, split: SplitSessions) -> dict[str, int]:
    return {
        "sessions": len(refined.sessions),
        "turns": split.n_signatures,
        "unique_signatures": split.n_unique_signatures,
        "components": split.n_components,
        "single_components": split.n_singles,
    }


def _write(
    out: Path,
    sources: Sequence[SourceData],
    sessions: Sequence[DraftSession],
    split: SplitSessions,
    rows: Mapping[str, int],
    card: Mapping[str, Any],
) -> dict[str, Any]:
    """Written twice: first where the audit reads it back, then, if nothing was found, in its place."""
    from builders.dim_fashion.audit import audit
    from builders.dim_fashion.stats import write_stats

    recorded, qrels, pools = recorded_sessions(sessions, split.splits, str(card["name"]))
    images = benchmark_images(sources, rows, sessions)
    roots = {source.name: source.root for source in sources}
    trial = out / "work" / "trial"
    shutil.rmtree(trial, ignore_errors=True)
    write_benchmark(trial, recorded, images, qrels, pools, card, roots)
    benchmark = read_benchmark(trial)
    report = audit(benchmark)
    if report.findings:
        raise BenchmarkError(
            f"The audit found {len(report.findings)} faults, which is a fault of this program; the first: "
            f"{report.findings[0]}. The refused benchmark lies in {trial}."
        )
    stats = write_stats(benchmark)
    finished = write_benchmark(out, recorded, images, qrels, pools, card, roots, stats)
    shutil.rmtree(trial)
    return finished

"""The build from original files to a finished benchmark: one function a step, in the order in which they run."""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builders.dim_fashion.apart import without_products
from builders.dim_fashion.bridges import Bridges, dataset_masks, find_bridges
from builders.dim_fashion.card import (
    BuildSettings,
    describe_bridges,
    describe_sessions,
    describe_settings,
    describe_source,
)
from builders.dim_fashion.records import Records, benchmark_images, recorded_sessions
from builders.dim_fashion.refine import refine
from builders.dim_fashion.split import split_sessions
from builders.dim_fashion.usable import first_of_place, usable
from builders.dim_fashion.vectors import picture_vectors
from builders.dim_fashion.walk import Walker, draw_sessions
from builders.dim_fashion.writing import claimed, write_benchmark
from builders.sources import check_source, read_source
from retrieval.benchmark import CARD, read_benchmark
from retrieval.errors import BenchmarkError

if TYPE_CHECKING:
    from builders.dim_fashion.annotators import Annotator
    from builders.dim_fashion.drafts import DraftSession
    from builders.instances import Instance, SourceData, SourceImage
    from retrieval.benchmark import BenchmarkImage
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


AnnotatorMaker = Callable[[Mapping[str, "SourceImage"], Callable[[str], Path]], "Annotator"]
"""Gets the pictures by image_id, and where each lies."""


def build(
    out: Path,
    choices: Sequence[SourceChoice],
    settings: BuildSettings,
    encoder: Encoder,
    make_annotator: AnnotatorMaker,
    command: str,
    without: Container[str] = (),
) -> dict[str, Any]:
    """Build the benchmark in `out` and return its card. without: products that no instance may ask for (`apart`).

    Raises BenchmarkError, SourceError, ChatError, DependencyError; whatever is raised, `out` then holds no
    finished benchmark that it did not hold before. Pictures and vectors that were made stay for the next try.
    """
    _check(settings)
    _check_choices(choices)  # before anything is made
    if (out / CARD).exists():
        log.info("%s holds a finished benchmark; this one takes its place once it is finished too", out)
    with claimed(out, {choice.name: choice.folder for choice in choices}):
        sources = [without_products(source, without) for source in read_sources(out, choices, settings.seed)]
        return _build(out, sources, settings, encoder, make_annotator, command)


def _build(
    out: Path,
    sources: Sequence[SourceData],
    settings: BuildSettings,
    encoder: Encoder,
    make_annotator: AnnotatorMaker,
    command: str,
) -> dict[str, Any]:
    _refuse_nothing(sources)
    pictures = _pictures(sources)
    paths = {picture: source.root / image.path for source in sources for picture, image in source.images.items()}
    embeddings, rows, unusable = _vectors(encoder, pictures, paths, out / "work" / "vectors")
    bridges = _bridges(sources, pictures, rows, embeddings, settings.threshold)
    places = {picture: int(bridges.places[row]) for picture, row in rows.items()}
    firsts = first_of_place(pictures, places)
    instances, left_out = usable(_instances(sources), places, firsts)
    walks = _walk(instances, rows, bridges, settings)
    annotator = make_annotator(pictures, paths.__getitem__)
    refined = refine(walks, annotator, places, settings.walk.max_turns, settings.p_enrich, settings.seed)
    log.info("refined: %s", ", ".join(f"{n} {outcome}" for outcome, n in refined.n_by_outcome.items()))
    if not refined.sessions:
        raise BenchmarkError(
            "No session is left after the checks. Give more data, more --sessions, or a lower --threshold."
        )
    split = split_sessions(refined.sessions, settings.seed)
    card = {
        **describe_settings(settings, command),
        "encoder": asdict(encoder.manifest),
        "vectors": f"sha256:{hashlib.sha256(embeddings.tobytes()).hexdigest()}",
        "annotator": annotator.name,
        "sources": [describe_source(source, unusable) for source in sources],
        "unusable_instances": dict(sorted(left_out.items())),
        **describe_bridges(bridges),
        **describe_sessions(len(walks), refined, split),
    }
    records = recorded_sessions(refined.sessions, split.splits, settings.name, settings.seed)
    images = benchmark_images(sources, unusable, frozenset(firsts.values()), refined.sessions)
    return _write(out, records, images, card, {source.name: source.root for source in sources})


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


def _check_choices(choices: Sequence[SourceChoice]) -> None:
    """Raises BenchmarkError for no source or one named twice, SourceError for an unknown one or no such folder."""
    if not choices:
        raise BenchmarkError("There is nothing to build from. Name at least one --source.")
    if twice := [name for name, n in Counter(choice.name for choice in choices).items() if n > 1]:
        raise BenchmarkError(f"The source {twice[0]!r} is named twice. Name it once.")
    for choice in choices:
        check_source(choice.name, choice.folder)


def read_sources(out: Path, choices: Sequence[SourceChoice], seed: int) -> list[SourceData]:
    """Sorted by name. Raises what `_check_choices` and the sources' readers raise."""
    _check_choices(choices)
    sources = []
    for choice in sorted(choices, key=lambda one: one.name):
        source = read_source(choice.name, choice.folder, out / "pictures" / choice.name, seed, choice.limit)
        log.info("%s: %d pictures, %d instances", source.name, len(source.images), len(source.instances))
        sources.append(source)
    return sources


def _refuse_nothing(sources: Sequence[SourceData]) -> None:
    if not any(source.instances for source in sources):
        reasons = sum((source.coverage.dropped for source in sources), Counter[str]()).most_common(1)
        why = f" Mostly because: {reasons[0][0]}." if reasons else ""
        raise BenchmarkError(f"No source gives a single instance.{why}")


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
) -> tuple[Embeddings, dict[str, int], frozenset[str]]:
    """Vectors of all usable pictures that sessions may show, the row of each, and the pictures that cannot be used."""
    names = sorted(picture for picture, image in pictures.items() if image.kind not in NOT_ENCODED)
    embeddings, reasons = picture_vectors(encoder, [paths[name] for name in names], cache)
    kept = [row for row, reason in enumerate(reasons) if not reason]
    if len(kept) < len(names):
        first = next(reason for reason in reasons if reason)
        log.warning("%d pictures cannot be used, the first because: %s", len(names) - len(kept), first)
    unusable = frozenset(name for name, reason in zip(names, reasons, strict=True) if reason)
    return embeddings[kept], {names[row]: position for position, row in enumerate(kept)}, unusable


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

    masks = dataset_masks([sorted(datasets[name]) for name in names])
    bridges = find_bridges(embeddings, masks, threshold, [pictures[name].product_id for name in names])
    log.info("bridges: %s", ", ".join(f"{edges} at {level:.2f}" for level, edges, _ in bridges.table))
    return bridges


def _walk(
    instances: Sequence[Instance], rows: Mapping[str, int], bridges: Bridges, settings: BuildSettings
) -> list[DraftSession]:
    walker = Walker(instances, rows, bridges, settings.walk)
    walks = draw_sessions(walker, settings.n_sessions, settings.seed)
    if not walks:
        raise BenchmarkError(
            "No two instances of different data sets can be joined. Give more sources, or a lower --threshold."
        )
    log.info("walks: %d of %d wanted", len(walks), settings.n_sessions)
    return walks


def _write(
    out: Path,
    records: Records,
    images: Sequence[BenchmarkImage],
    card: Mapping[str, Any],
    roots: Mapping[str, Path],
) -> dict[str, Any]:
    """Written twice: first where the audit reads it back, then, if nothing was found, in its place."""
    from builders.dim_fashion.audit import audit
    from builders.dim_fashion.stats import write_stats

    trial = out / "work" / "trial"
    shutil.rmtree(trial, ignore_errors=True)
    write_benchmark(trial, records.sessions, images, records.qrels, records.pools, card, roots)
    benchmark = read_benchmark(trial)
    report = audit(benchmark)
    if report.findings:
        raise BenchmarkError(
            f"The audit found {len(report.findings)} faults, which is a fault of this program; the first: "
            f"{report.findings[0]}. The refused benchmark lies in {trial}."
        )
    stats = write_stats(benchmark, report)
    finished = write_benchmark(out, records.sessions, images, records.qrels, records.pools, card, roots, stats)
    shutil.rmtree(trial, ignore_errors=True)
    return finished

"""The build from a catalogue to a finished benchmark: one function a step, in the order in which they run."""

from __future__ import annotations

import hashlib
import logging
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builders.fashion_rq.card import BuildSettings, describe_outcome, describe_settings, go_on
from builders.fashion_rq.embeddings import embed
from builders.fashion_rq.hierarchy import build_hierarchy, hierarchy_folder, levels_of
from builders.fashion_rq.leaves import Clusters, choose_leaves, usable_leaves
from builders.fashion_rq.mapping import ATTRIBUTES, DEFAULT, CatalogueMapping, read_mapping
from builders.fashion_rq.products import Products, read_products
from builders.fashion_rq.query_writing import Writer, plan, why_none_is_asked, word
from builders.fashion_rq.tasks import compose
from builders.fashion_rq.writing import BEGUN, claimed, publish, write_benchmark
from builders.folders import WORK, write_lines
from retrieval.errors import BenchmarkError
from retrieval.rq_benchmark import CARD, STATS, Listing, read_rq_benchmark, to_line

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings, Encoder

log = logging.getLogger(__name__)

SEEDS = 1 << 63
"""Seeds are below it: torch takes no larger ones."""


WriterMaker = Callable[[], Writer]
"""Called once the folder is the build's own: a model's answers are kept there."""


@dataclass(frozen=True, slots=True)
class Coded:
    """A catalogue in its hierarchy."""

    products: Products
    """Those with usable pictures."""
    listings: tuple[Listing, ...]
    """With codes, sorted by item_id."""
    card: Mapping[str, Any]
    """What the card says of vectors and hierarchies."""


def build(
    out: Path,
    gallery: Path,
    settings: BuildSettings,
    encoder: Encoder,
    make_writer: WriterMaker,
    command: str,
    mapping: Path = DEFAULT,
    *,
    progress: bool = True,
) -> dict[str, Any]:
    """Build the benchmark in `out` and return its card.

    Pictures, vectors, hierarchies and a model's answers stay in `out`/work, so that an interrupted build goes on.
    Raises BenchmarkError, GalleryError, ImageError, TrainingError, ChatError, DependencyError; whatever is raised,
    `out` then holds no finished benchmark that it did not hold before.
    """
    _check(settings)
    columns = read_mapping(mapping)
    if (out / CARD).exists():
        log.info("%s holds a finished benchmark; this one takes its place once it is finished too", out)
    with claimed(out, gallery):
        begun = out / WORK / BEGUN
        writer = make_writer()
        told = _told(settings, encoder, writer, columns)
        go_on(begun, told, note=False)  # before the catalogue is read
        products = read_products(gallery, columns, out / WORK / "catalogue", progress=progress)
        _check_products(products, columns, settings)
        go_on(begun, {**told, "catalogue": catalogue_revision(products)})
        coded = _code(out, products, settings, encoder, progress)
        card = {
            **describe_settings(settings),
            "command": command,
            "gallery": catalogue_revision(products),
            "encoder": asdict(encoder.manifest),
            "writer": writer.name,
            **coded.card,
        }
        return _ask(out, coded, settings, writer, card)


def _check(settings: BuildSettings) -> None:
    """Before hours of work. Raises BenchmarkError for a setting that cannot give a benchmark."""
    leaves = settings.leaves
    sizes = (settings.hierarchy.codebook, *settings.compared, leaves.n_tops, leaves.n_middles, leaves.n_leaves)
    if min(settings.hierarchy.epochs, *sizes) < 1:
        raise BenchmarkError("Codebooks, epochs and numbers of clusters are at least 1.")
    shares = {**asdict(settings.facts), **asdict(settings.words), "validation_share": leaves.validation_share}
    counts = {"max_facts": shares.pop("max_facts"), **asdict(settings.candidates)}
    for name, value in {**shares, **counts}.items():
        if name in counts and value < 1:
            raise BenchmarkError(f"{name} is {value}: give a whole number from 1.")
        if name in shares and not 0 <= value <= 1:
            raise BenchmarkError(f"{name} is {value}: give a number from 0 to 1.")
    if not 0 <= settings.seed < SEEDS:
        raise BenchmarkError(f"A seed is a whole number from 0 to {SEEDS - 1}.")
    if not 0 <= settings.hierarchy.exclusivity < math.inf:
        raise BenchmarkError("The weight of the exclusivity loss is a number from 0 on; 0 leaves the loss out.")
    if not (settings.name.strip() and settings.name.isprintable()):
        raise BenchmarkError(f"{settings.name!r:.60} is no name for a card: choose one of letters on a single line.")


def _check_products(products: Products, columns: CatalogueMapping, settings: BuildSettings) -> None:
    """Before they are encoded. Raises BenchmarkError for ids that judgements cannot name, TrainingError for too few
    products."""
    for codebook in (settings.hierarchy.codebook, *settings.compared):
        replace(settings.hierarchy, codebook=codebook).check(len(products.listings))
    blank = [listing.item_id for listing in products.listings if len(listing.item_id.split()) != 1]
    if blank:
        raise BenchmarkError(
            f"{len(blank)} ids of products hold blanks, such as {blank[0]!r:.60}: judgements cannot name them. Give "
            "these products other ids (a picture's file name is one, where there is no table)."
        )
    known = {name for listing in products.listings for name in listing.attributes}
    empty = [name for name in ATTRIBUTES if name in columns.columns and name not in known]
    if empty:
        log.warning(
            "No product has a value for %s: nothing is asked about it. Look at the mapping where there should be one.",
            ", ".join(empty),
        )


def _told(settings: BuildSettings, encoder: Encoder, writer: Writer, columns: CatalogueMapping) -> dict[str, Any]:
    """What a begun build is known by."""
    mapping = {
        "columns": dict(columns.columns),
        **{name: sorted(getattr(columns, name)) for name in ("from_name", "kids", "missing")},
    }
    return {
        **describe_settings(settings),
        "encoder": asdict(encoder.manifest),
        "writer": writer.name,
        "mapping": mapping,
    }


def catalogue_revision(products: Products) -> str:
    """A hash over every product and its picture."""
    digest = hashlib.sha256()
    for listing in products.listings:
        digest.update(f"{to_line(listing)}\n{products.images[listing.item_id].image_id}\n".encode())
    return f"sha256:{digest.hexdigest()[:24]}"


def _code(out: Path, products: Products, settings: BuildSettings, encoder: Encoder, progress: bool) -> Coded:
    """Vectors, then codes; further hierarchies for the tables alone."""
    work = out / WORK
    usable, vectors = embed(encoder, products, settings.embed, work / "vectors", progress=progress)
    reports: dict[str, Any] = {}
    for codebook in sorted({settings.hierarchy.codebook, *settings.compared}):
        hierarchy = replace(settings.hierarchy, codebook=codebook, seed=settings.seed)
        found = build_hierarchy(vectors, usable.listings, hierarchy, work / "hierarchy", progress=progress)
        folder = hierarchy_folder(vectors, usable.listings, hierarchy, work / "hierarchy")
        reports[str(codebook)] = levels_of(folder)
        if codebook == settings.hierarchy.codebook:
            codes = found
        log.info("codebook %d: %s clusters", codebook, [level["clusters"] for level in reports[str(codebook)]])
    listings = tuple(
        replace(listing, codes=tuple(map(int, row))) for listing, row in zip(usable.listings, codes, strict=True)
    )
    card = {"vectors": _digest(vectors), "hierarchies": reports}
    return Coded(usable, listings, card)


def _digest(vectors: Embeddings) -> str:
    return f"sha256:{hashlib.sha256(vectors.tobytes()).hexdigest()}"


def _ask(out: Path, coded: Coded, settings: BuildSettings, writer: Writer, card: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves, queries, candidates, files."""
    duplicates = coded.products.duplicates()
    clusters = Clusters(coded.listings, duplicates)
    usable = usable_leaves(clusters, settings.leaves)
    planned = plan(coded.listings, usable, settings.seed, duplicates, settings.facts)
    if not planned.asked:
        raise BenchmarkError(why_none_is_asked(planned, coded.listings))
    # Drawn from the leaves that some query tells from their siblings: what was planned for the others is dropped.
    leaves = choose_leaves([asked.leaf for asked in planned.asked], settings.leaves, settings.seed)
    chosen = replace(planned, asked=tuple(asked for asked in planned.asked if asked.leaf in leaves))
    log.info("%d of %d usable leaves are asked for", len(chosen.asked), len(usable))
    queries = word(chosen, settings.seed, leaves, writer, settings.words)
    by_id = {listing.item_id: listing for listing in coded.listings}
    composed = compose(by_id, clusters, queries, leaves, settings.seed, settings.candidates)
    counts = describe_outcome(coded.listings, leaves, composed, coded.products.skipped)
    log.info("%d groups, %s", counts["groups"], ", ".join(f"{task} {n}" for task, n in counts["queries"].items()))
    pictures = {item_id: Path(image.path) for item_id, image in coded.products.images.items()}
    trial = out / WORK / "trial"
    shutil.rmtree(trial, ignore_errors=True)
    finished = write_benchmark(trial, coded.listings, composed, pictures, {**card, "counts": counts})
    _finish(out, trial)
    return finished


def _finish(out: Path, trial: Path) -> None:
    """Raises BenchmarkError where the audit finds fault with what was written."""
    from builders.fashion_rq.audit import audit
    from builders.fashion_rq.stats import write_stats

    benchmark = read_rq_benchmark(trial)
    report = audit(benchmark)
    if not report.is_clean:
        raise BenchmarkError(
            f"The audit found {len(report.findings)} faults; the first: {report.findings[0]}. The refused benchmark "
            f"lies in {trial}."
        )
    write_lines(trial / STATS, [write_stats(benchmark).rstrip("\n")])
    publish(trial, out)

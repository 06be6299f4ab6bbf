"""Opens a benchmark to be answered: its gallery as an index, a system's encoder, and the agent as the shop opens it."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from errno import EINVAL
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from eval.runs import RunError
from retrieval.benchmark import Benchmark, BenchmarkImage, RecordedSession, Split, read_benchmark
from retrieval.encoders import cards
from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.encoders.opening import LATE_FUSION, open_encoder
from retrieval.errors import BenchmarkError, EncoderError
from retrieval.gallery import Skipped, fingerprint
from retrieval.retriever import DEFAULT_K
from retrieval.schema import Hit, Image, Item

if TYPE_CHECKING:
    from agent.protocols import Planner
    from retrieval.protocols import Encoder, Store

log = logging.getLogger(__name__)

History = Literal["recorded", "live"]
"""Whether the next turn starts from the recorded choice, or from what the system itself found."""
DEPTH = 100
REFERENCES_STAY = "references_stay"
"""In a card: rankings hold the items that a query starts from too, which the agent never shows again."""
EXACT = 1 << 60
"""Rows from which the store may approximate: never, since ranks are compared here."""


@dataclass(frozen=True, slots=True)
class System:
    """What its card says of the folder that encodes queries."""

    kind: str
    name: str
    query_revision: str
    """Changes with all that changes a query's vector: of systems over the same towers, their one difference."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be answered, as it was asked for."""

    benchmark: Path
    split: str = "test"
    history: History = "recorded"
    encoder: Path = DEFAULT_FOLDER
    """Folder of a system."""
    caption_weight: float = 0.0
    depth: int | None = DEPTH
    """None: the whole gallery."""
    limit: int | None = None
    """The first sessions alone."""
    pictures: Mapping[str, Path] = field(default_factory=dict)
    """Source -> folder of its pictures, before what the benchmark notes."""
    index: Path | None = None
    """Folder for indices; None: inside the benchmark."""


@dataclass(frozen=True, slots=True)
class Stage:
    """All that a session needs to be replayed. Loads all that is heavy."""

    benchmark: Benchmark
    encoder: Encoder
    planner: Planner
    store: Store
    history: History
    depth: int
    references_stay: bool = False
    """What the agent does not show again is put back into its rankings (`references_stay`)."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """A gallery that was made searchable."""

    index: Path
    n_items: int
    gallery_hash: str
    n_skipped: int


def read_requested(request: Request) -> Benchmark:
    """Raises BenchmarkError for what cannot be replayed as asked: no such benchmark, split or pictures."""
    benchmark = read_benchmark(request.benchmark, request.pictures)
    sources = {image.source for image in benchmark.images.values()}
    unknown = sorted(request.pictures.keys() - sources)
    if unknown:
        raise BenchmarkError(
            f"--pictures names {unknown[0]!r}, which is no source of this benchmark. Its sources: "
            f"{', '.join(sorted(sources))}."
        )
    for source in sorted({image.source for image in benchmark.images.values() if image.path}):
        root = benchmark.roots.get(source)
        if root is None or not root.is_dir():
            where = "on this machine" if root is None else f"in {root}"
            raise BenchmarkError(
                f"The pictures of {source!r} are not {where}. Name their folder: --pictures {source}=FOLDER."
            )
    return benchmark


def sessions_of(benchmark: Benchmark, request: Request) -> tuple[RecordedSession, ...]:
    """Raises BenchmarkError for a split that there is not, or that is empty."""
    known = [name for name in get_args(Split) if benchmark.split(name)]
    sessions = tuple(session for session in benchmark.sessions if session.split == request.split)
    if not sessions:
        raise BenchmarkError(
            f"No session of {request.benchmark} has split {request.split!r}. Its splits: {', '.join(known) or 'none'}."
        )
    for session in sessions:
        if [turn.turn_number for turn in session.turns] != list(range(1, len(session.turns) + 1)):
            raise BenchmarkError(f"The turns of session {session.session_id} are not numbered from 1 without a gap.")
        shown = [reference for turn in session.turns for reference in turn.references]
        if unknown := [reference for reference in shown if reference not in benchmark.images]:
            raise BenchmarkError(f"Session {session.session_id} shows {unknown[0]!r:.60}, which the benchmark lacks.")
    if request.limit is not None and request.limit < 1:
        raise RunError(f"--limit is {request.limit}: give the number of sessions, at least 1.")
    return sessions[: request.limit]


def references_stay(benchmark: Benchmark) -> bool:
    """Whether the benchmark's own protocol ranks what a query starts from as well. Raises BenchmarkError."""
    stay = benchmark.card.get(REFERENCES_STAY, False)
    if not isinstance(stay, bool):
        raise BenchmarkError(f"{REFERENCES_STAY!r} in the card of {benchmark.folder} is neither true nor false.")
    return stay


def is_described(benchmark: Benchmark) -> bool:
    """Whether captions stand for pictures. Raises BenchmarkError where they do for some items and not for others."""
    without = [not image.path for image in benchmark.gallery()]
    if not without:
        raise BenchmarkError(f"The gallery of {benchmark.folder} is empty: build the benchmark again.")
    if any(without) and not all(without):
        raise BenchmarkError(
            f"{sum(without)} of {len(without)} gallery items of {benchmark.folder} have no picture. Either all of them "
            "are described by words or none."
        )
    return all(without)


def read_system(folder: Path) -> System:
    """Raises EncoderError for a folder without a card, or with a damaged one; for a kind whose card does not say what
    made its queries, also what opening it raises."""
    card = cards.read(folder)
    kind, name = str(card.get("kind", LATE_FUSION)), str(card.get("name", folder.name))
    revision = card.get("query_revision") or (card.get("revision") if kind == LATE_FUSION else None)
    if revision is None:
        revision = getattr(open_encoder(folder), "query_revision", None)
    if revision is None:
        raise EncoderError(
            f"The card in {folder} has no query_revision, by which systems are told apart: export it again."
        )
    return System(kind, name, str(revision))


def open_system(request: Request, benchmark: Benchmark) -> Encoder:
    """What searches: the folder's encoder, over words where they stand for pictures.

    Raises EncoderError for a folder that holds none, or whose queries and items do not lie in one space of words.
    """
    kind = read_system(request.encoder).kind
    if is_described(benchmark) and kind != LATE_FUSION:
        raise EncoderError(
            f"The gallery of {benchmark.folder} is described by words, which only late fusion reads in place of "
            f"pictures; {request.encoder} is of the kind {kind!r}. Give a benchmark with pictures, or --encoder "
            f"{DEFAULT_FOLDER}."
        )
    encoder = open_encoder(request.encoder, request.caption_weight)
    if not is_described(benchmark):
        return encoder
    from retrieval.encoders.described import DescribedEncoder

    return DescribedEncoder(encoder, {key: image.caption for key, image in benchmark.images.items()})


def open_stage(request: Request, index: Path) -> Stage:
    """Open an index that `index_gallery` made, for reading; the planner is the shop's, whatever encodes queries."""
    from agent.planners.rules import RulesPlanner
    from retrieval.stores.lance import LanceStore

    benchmark = read_requested(request)
    encoder = open_system(request, benchmark)
    store = LanceStore.open(index, encoder.manifest)
    depth = min(request.depth or store.count(), store.count())  # a store makes room for all that is asked for
    is_shipped = request.encoder.resolve() == DEFAULT_FOLDER
    shipped = encoder if is_shipped and isinstance(encoder, EmbeddedEncoder) else EmbeddedEncoder.open()
    planner = RulesPlanner(shipped.encode_sentences)
    return Stage(benchmark, encoder, planner, store, request.history, depth, references_stay(benchmark))


def index_gallery(request: Request, benchmark: Benchmark, encoder: Encoder) -> Indexed:
    """Encode what is new. The index is found again by the encoder and the gallery's hash."""
    from retrieval.stores.lance import LanceStore

    entries = list(gallery_items(benchmark))
    items = [entry for entry in entries if isinstance(entry, Item)]
    gallery = hash_of(items)
    key = hashlib.sha256(f"{encoder.manifest} {gallery}".encode()).hexdigest()[:16]
    folder = (request.index or benchmark.folder / "index") / key
    with LanceStore.open_or_create(folder, encoder.manifest, ann_rows=EXACT) as store:
        if is_described(benchmark):
            _index_words(encoder, store, items)
            skipped = 0
        else:
            from retrieval.indexing import index

            report = index(encoder, store, entries, total=len(entries))
            skipped = len(report.skipped)
            log.log(logging.WARNING if skipped else logging.INFO, "%s", report)
        return Indexed(folder, store.count(), gallery, skipped)


def _index_words(encoder: Encoder, store: Store, items: list[Item]) -> None:
    new = [item for item in items if store.fingerprints().get(item.item_id) != fingerprint(item)]
    if new:
        store.add(new, encoder.encode_items(new, ()))
        store.commit()


def gallery_items(benchmark: Benchmark) -> Iterator[Item | Skipped]:
    """In the order of their ids."""
    for image in benchmark.gallery():
        try:
            yield Item(image.image_id, picture_of(benchmark, image), image.caption, dict(image.attributes))
        except OSError as error:
            yield Skipped(image.path, 0, f"its picture cannot be read ({error.strerror})")


def picture_of(benchmark: Benchmark, image: BenchmarkImage) -> Image:
    """Named by the hash of its bytes, as uploads are. Where words stand for it, its own id. Raises OSError."""
    if not image.path:
        return Image(image.image_id, "")
    from retrieval.picture_files import image_id

    path = benchmark.picture_path(image.image_id)
    if path.exists() and not path.is_file():  # a pipe or a device would be read without an end
        raise OSError(EINVAL, "it is no file", str(path))
    return Image(image_id(path.read_bytes()), str(path))


def hash_of(items: list[Item]) -> str:
    """Over ids, pictures, captions and attributes: all that the agent sees of a gallery."""
    lines = sorted(f"{item.item_id} {fingerprint(item)}" for item in items)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def picked(hits: Sequence[Hit], chosen: str) -> str | None:
    """The live user takes the recorded choice if the shop shows it, else the best; nothing if there is nothing."""
    shown = [hit.item_id for hit in hits[:DEFAULT_K]]
    return chosen if chosen in shown else next(iter(shown), None)

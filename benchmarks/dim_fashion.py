"""How long a build of DIM-Fashion's size takes, step by step, and how much memory it needs at most.

    python -m benchmarks.dim_fashion --n 300000 --dim 256 --sessions 50000

Pictures are unit vectors with planted neighbours: groups that spread over 13 data sets, about as many bridges at each
threshold as the paper counts (its Table 8). Instances join pictures of one data set, with the tasks of Table 6. What a
model would say of bridges and turns is answered at once, so refinement is timed without it. The search for bridges,
from 50,000 pictures on through an inverted file, is also given as a multiple of an exact FAISS search of the same
vectors in the same run, each by its seconds a picture: such ratios can be compared between machines, seconds cannot.
The exact search asks for 10,000 pictures at most. Peak memory is the process's highest so far, in MB.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from builders.dim_fashion.annotators import BridgeReading, Enrichment
from builders.dim_fashion.audit import audit
from builders.dim_fashion.bridges import (
    THRESHOLD,
    THRESHOLDS,
    Bridges,
    dataset_masks,
    find_bridges,
)
from builders.dim_fashion.published import IMAGES
from builders.dim_fashion.records import benchmark_images, recorded_sessions
from builders.dim_fashion.refine import P_ENRICH, refine
from builders.dim_fashion.split import split_sessions
from builders.dim_fashion.stats import write_stats
from builders.dim_fashion.usable import first_of_place, usable
from builders.dim_fashion.walk import Walker, WalkSettings, draw_sessions
from builders.dim_fashion.writing import write_benchmark
from builders.instances import N_NEGATIVES, N_POSITIVES, Coverage, Instance, SourceData, SourceImage
from retrieval.benchmark import PictureKind, Split, Task, read_benchmark

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from builders.dim_fashion.drafts import DraftSession, DraftTurn
    from retrieval.protocols import Embeddings

Result = TypeVar("Result")

DATASETS = tuple((task, source) for task, _, source, _ in IMAGES)
GROUP = 22
"""Pictures that share a centre."""
CLOSENESS = (0.80, 0.97)
"""Cosine of a picture to its centre, uniform: two of a group are .64 to .94 apart."""
N_KINDS = 40
"""Centres lie around so many others, half of the way, as garments of a kind do."""
QUERY_ONLY: dict[Task, PictureKind] = {Task.SKETCH2IMG: "sketch", Task.STREET2SHOP: "street"}
BATCH = 4096
BARE_QUERIES = 10_000
"""Pictures whose neighbours the bare search looks for: an exact search for all grows with the square."""
SEED = 1


class AtOnce:
    """An annotator that knows every bridge for the same garment and finds no fault."""

    name = "at once"

    def read_bridges(self, pairs: Sequence[tuple[str, str]]) -> list[BridgeReading]:
        return [BridgeReading(is_same=True)] * len(pairs)

    def enrich(self, image_ids: Sequence[str]) -> list[Enrichment]:
        return [Enrichment(is_item_centric=True, text=f"the one called {image_id}") for image_id in image_ids]

    def check_turns(self, turns: Sequence[DraftTurn]) -> list[bool]:
        return [True] * len(turns)

    def check_sessions(self, sessions: Sequence[DraftSession]) -> list[bool]:
        return [True] * len(sessions)


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    seconds: float
    peak_mb: float
    """The process's highest so far."""
    said: str
    """What came out."""


class Watch:
    """Runs steps and hands each one's measures on as soon as it is over."""

    def __init__(self, report: Callable[[Step], None]) -> None:
        self._report = report

    def time(self, name: str, run: Callable[[], Result], say: Callable[[Result], str]) -> Result:
        start = time.perf_counter()
        result = run()
        seconds = time.perf_counter() - start
        self._report(Step(name, seconds, _peak_mb(), say(result)))
        return result


def make_vectors(n: int, dim: int, seed: int) -> Embeddings:
    """Unit rows, shape (n, dim); rows of one group lie side by side. Made in parts, so that no copy is as large."""
    rng = np.random.default_rng(seed)
    kinds = rng.standard_normal((N_KINDS, dim), dtype=np.float32)
    n_groups = -(-n // GROUP)
    centres = rng.standard_normal((n_groups, dim), dtype=np.float32) + kinds[rng.integers(N_KINDS, size=n_groups)]
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    vectors: Embeddings = np.empty((n, dim), np.float32)
    for start in range(0, n, BATCH):
        part = centres[np.arange(start, min(start + BATCH, n)) // GROUP]
        noise = rng.standard_normal(part.shape, dtype=np.float32)
        noise -= (noise * part).sum(axis=1, keepdims=True) * part
        noise /= np.linalg.norm(noise, axis=1, keepdims=True)
        close = rng.uniform(*CLOSENESS, size=(len(part), 1)).astype(np.float32)
        vectors[start : start + len(part)] = close * part + np.sqrt(1 - close**2) * noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def make_sources(n: int, seed: int) -> list[SourceData]:
    """Row r is a picture of data set r modulo 13, named by `picture_name`."""
    rng = random.Random(seed)
    return [_source(task, source, range(at, n, len(DATASETS)), rng) for at, (task, source) in enumerate(DATASETS)]


def picture_name(row: int) -> str:
    return f"{DATASETS[row % len(DATASETS)][1]}/{row:07}"


def _source(task: Task, source: str, rows: Sequence[int], rng: random.Random) -> SourceData:
    """One instance for each picture that can be a target; a third of sketches and street photos are queries only."""
    names = [picture_name(row) for row in rows]
    n_queries = len(names) // 3 if task in QUERY_ONLY else 0
    kinds = [QUERY_ONLY[task]] * n_queries + ["product"] * (len(names) - n_queries) if n_queries else ()
    images = {
        name: SourceImage(name, f"{name}.jpg", kinds[at] if kinds else "product") for at, name in enumerate(names)
    }
    queries, targets = names[:n_queries] or names, names[n_queries:]
    instances = [_instance(task, source, number, name, queries, targets, rng) for number, name in enumerate(targets)]
    return SourceData(source, Path(source), images, instances, Coverage(len(instances), len(instances)), "made up")


def _instance(
    task: Task, source: str, number: int, target: str, queries: list[str], targets: list[str], rng: random.Random
) -> Instance:
    n_references = rng.choice((1, 1, 2)) if task is Task.COMPATIBLE else 1
    drawn = rng.sample(queries, n_references + 1)
    references = tuple(name for name in drawn if name != target)[:n_references]
    positives: tuple[str, ...] = ()
    negatives: tuple[str, ...] = ()
    if task is Task.ASFR:
        n_others = N_POSITIVES[1] - 1
        others = [name for name in rng.sample(targets, n_others + N_NEGATIVES + 2) if name not in (target, *references)]
        positives = tuple(sorted((target, *others[:n_others])))
        negatives = tuple(others[n_others : n_others + N_NEGATIVES])
    return Instance(
        instance_id=f"{source}/{number}",
        task=task,
        dataset=source,
        text=f"request {number} of {source}",
        target=target,
        references=references,
        attribute="neckline" if positives else "",
        positives=positives,
        negatives=negatives,
    )


def bare_search(vectors: Embeddings, n_queries: int = BARE_QUERIES) -> str:
    """FAISS alone: every neighbour above the lowest threshold of evenly spaced rows, found exactly and not kept.

    The bridges are searched through an inverted file from `EXACT_UP_TO` pictures on, in batches of their own; this is
    the plain search beside it. The time of a query does not depend on how many are asked, so a part stands for all.
    """
    import faiss

    index: Any = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    rows = bare_rows(len(vectors), n_queries)
    n_found = sum(
        int(index.range_search(vectors[rows[at : at + BATCH]], min(THRESHOLDS))[0][-1])
        for at in range(0, len(rows), BATCH)
    )
    return f"{n_found:,} neighbours of {len(rows):,} pictures, exactly"


def bare_rows(n: int, n_queries: int = BARE_QUERIES) -> NDArray[np.int64]:
    """All rows, or at most so many, evenly spaced."""
    return np.arange(0, n, max(1, -(-n // n_queries)), dtype=np.int64)


def measure(n: int, dim: int, n_sessions: int, folder: Path, watch: Watch, seed: int = SEED) -> None:
    """The steps of a build, one after the other; each goes on with what the one before made."""
    sources = watch.time("instances", lambda: make_sources(n, seed), lambda made: f"{len(made)} data sets")
    bridges = _find_bridges(n, dim, watch, seed)
    rows = {picture_name(row): row for row in range(n)}
    sessions = _draw_sessions(sources, rows, bridges, n_sessions, watch, seed)
    split = watch.time(
        "split", lambda: split_sessions(sessions, seed), lambda made: f"{made.n_components:,} components"
    )
    watch.time("write", lambda: _write(folder, sources, sessions, split.splits, rows), str)
    benchmark = watch.time("read", lambda: read_benchmark(folder), lambda made: f"{len(made.sessions):,} sessions")
    report = watch.time("audit", lambda: audit(benchmark), lambda made: f"{len(made.findings):,} violations")
    watch.time("statistics", lambda: write_stats(benchmark, report), lambda made: f"{len(made):,} letters")


def _find_bridges(n: int, dim: int, watch: Watch, seed: int) -> Bridges:
    vectors = watch.time("vectors", lambda: make_vectors(n, dim, seed), lambda made: f"{made.shape}")
    watch.time("bare FAISS", lambda: bare_search(vectors), str)
    masks = dataset_masks([(DATASETS[row % len(DATASETS)][1],) for row in range(n)])
    return watch.time("bridges", lambda: find_bridges(vectors, masks), _said_of_bridges)


def _said_of_bridges(bridges: Bridges) -> str:
    edges = next(edges for level, edges, _ in bridges.table if level == THRESHOLD)
    return f"{edges:,} edges at {THRESHOLD:.2f}, recall {bridges.recall:.3f}"


def _draw_sessions(
    sources: list[SourceData], rows: dict[str, int], bridges: Bridges, n_sessions: int, watch: Watch, seed: int
) -> list[DraftSession]:
    places = {name: int(bridges.places[row]) for name, row in rows.items()}
    firsts = first_of_place({name: image for source in sources for name, image in source.images.items()}, places)
    instances = usable((each for source in sources for each in source.instances), places, firsts)[0]
    settings = WalkSettings()
    walks = watch.time(
        "walk",
        lambda: draw_sessions(Walker(instances, rows, bridges, settings), n_sessions, seed),
        lambda made: f"{len(made):,} walks",
    )
    refined = watch.time(
        "refine",
        lambda: refine(walks, AtOnce(), places, settings.max_turns, P_ENRICH, seed),
        lambda made: f"{len(made.sessions):,} sessions, {sum(map(len, made.sessions)):,} turns",
    )
    return refined.sessions


def _write(
    folder: Path, sources: list[SourceData], sessions: list[DraftSession], splits: Sequence[Split], rows: dict[str, int]
) -> str:
    records = recorded_sessions(sessions, splits, "scale", SEED)
    images = benchmark_images(sources, (), rows, sessions)
    card = {"name": "scale", "settings": asdict(WalkSettings())}
    write_benchmark(folder, records.sessions, images, records.qrels, records.pools, card, {})
    return f"{sum(path.stat().st_size for path in folder.iterdir()) / 1e6:,.0f} MB"


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / (1 << 10)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=_positive, default=300_000, help="pictures")
    parser.add_argument("--dim", type=_positive, default=256)
    parser.add_argument("--sessions", type=_positive, default=50_000)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(argv)
    if options.n < (least := 100 * len(DATASETS)):
        parser.error(f"--n: at least {least} pictures, so that pools can be drawn")
    seconds: dict[str, float] = {}

    def show(step: Step) -> None:
        print(f"{step.name:12}{step.seconds:9.1f}{step.peak_mb:9.0f}  {step.said}", flush=True)
        seconds[step.name] = step.seconds

    print(f"{'step':12}{'seconds':>9}{'peak MB':>9}  outcome")
    with tempfile.TemporaryDirectory() as directory:
        measure(options.n, options.dim, options.sessions, Path(directory) / "out", Watch(show), options.seed)
    share = len(bare_rows(options.n)) / options.n
    print(f"bridges / bare FAISS, per picture: {share * seconds['bridges'] / seconds['bare FAISS']:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

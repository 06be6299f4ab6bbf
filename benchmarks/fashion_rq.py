"""How long FASHION-RQ's queries, candidates, files and checks take for a catalogue in its hierarchy, step by step.

    python -m benchmarks.fashion_rq --n 40000 --leaves 416

Products are made up: attributes with a few common and many rare values, three codes that follow them as a hierarchy's
do, with a tenth of noise; every seventh product repeats the name of the one before. Vectors and the training of the
hierarchy, most of a build's time, are not part of it. Peak memory is the process's highest so far, in MB.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from builders.fashion_rq.audit import audit
from builders.fashion_rq.card import BuildSettings, describe_outcome, describe_settings
from builders.fashion_rq.leaves import Clusters, LeafSettings, choose_leaves, usable_leaves
from builders.fashion_rq.query_writing import plan, word
from builders.fashion_rq.stats import write_stats
from builders.fashion_rq.tasks import compose
from builders.fashion_rq.writing import write_benchmark
from retrieval.rq_benchmark import Listing, read_rq_benchmark

Result = TypeVar("Result")
CODEBOOK = 64
NOISE = 0.1
REPEATS = 7
TYPES = ("Tshirts", "Shirts", "Casual Shoes", "Watches", "Sports Shoes", "Kurtas", "Tops", "Handbags", "Heels", "Jeans")
COLOURS = ("Black", "White", "Blue", "Brown", "Grey", "Red", "Green", "Pink", "Purple", "Yellow", "Orange", "Beige")
GENDERS = ("Men", "Women", "Boys", "Girls")
OCCASIONS = ("Casual", "Formal", "Ethnic", "Party")
SEASONS = ("Summer", "Fall", "Winter", "Spring")


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    seconds: float
    peak_mb: float
    said: str


def make_listings(n: int, seed: int) -> list[Listing]:
    rng = random.Random(seed)
    made: list[Listing] = []
    for number in range(n):
        wanted = {
            "product_type": _common_first(TYPES, rng),
            "gender": _common_first(GENDERS, rng),
            "colour": _common_first(COLOURS, rng),
            "occasion": _common_first(OCCASIONS, rng),
            "season": _common_first(SEASONS, rng),
        }
        name = made[-1].name if number % REPEATS == 1 else f"{' '.join(wanted.values())} {number}"
        item_id = f"{number:07}"
        made.append(Listing(item_id, name, name, wanted, _codes(wanted, rng)))
    return made


def _common_first(values: Sequence[str], rng: random.Random) -> str:
    return values[min(int(rng.expovariate(4 / len(values))), len(values) - 1)]


def _codes(wanted: dict[str, str], rng: random.Random) -> tuple[int, ...]:
    by_level = (("product_type",), ("gender", "colour"), ("occasion", "season"))
    keys = ["|".join(wanted[name] for name in names) for names in by_level]
    return tuple(
        rng.randrange(CODEBOOK) if rng.random() < NOISE else zlib.crc32(key.encode()) % CODEBOOK for key in keys
    )


def measure(n: int, n_leaves: int, folder: Path, show: Callable[[Step], None], seed: int = 0) -> None:
    def timed(name: str, action: Callable[[], Result], say: Callable[[Result], str]) -> Result:
        start = time.perf_counter()
        result = action()
        show(Step(name, time.perf_counter() - start, _peak_mb(), say(result)))
        return result

    settings = BuildSettings(seed=seed, leaves=LeafSettings(n_leaves=n_leaves))
    listings = timed("make up", lambda: make_listings(n, seed), lambda made: f"{len(made):,} products")
    first = {listing.name: listing.item_id for listing in reversed(listings)}
    same = {listing.item_id: first[listing.name] for listing in listings}
    clusters = timed("clusters", lambda: Clusters(listings, same), lambda made: f"{len(made.leaves):,} leaves")
    usable = usable_leaves(clusters, settings.leaves)
    planned = timed("plan", lambda: plan(listings, usable, seed, same), lambda made: f"{len(made.asked):,} askable")
    leaves = choose_leaves([asked.leaf for asked in planned.asked], settings.leaves, seed)
    chosen = replace(planned, asked=tuple(asked for asked in planned.asked if asked.leaf in leaves))
    queries = timed("queries", lambda: word(chosen, seed, leaves), lambda made: f"{len(made):,} queries")
    by_id = {listing.item_id: listing for listing in listings}
    composed = timed(
        "candidates",
        lambda: compose(by_id, clusters, queries, leaves, seed),
        lambda made: f"{sum(len(labels) for rows in made.candidates.values() for labels in rows.values()):,} pairs",
    )
    card = {**describe_settings(settings), "counts": describe_outcome(listings, leaves, composed, {})}
    timed("write", lambda: write_benchmark(folder, listings, composed, {}, card), lambda made: made["checksum"][:20])
    benchmark = timed("read", lambda: read_rq_benchmark(folder), lambda made: f"{len(made.queries):,} queries")
    timed("audit", lambda: audit(benchmark), lambda report: f"{len(report.findings)} violations")
    timed("stats", lambda: write_stats(benchmark), lambda text: f"{len(text.splitlines())} lines")


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / (1 << 10)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=40_000, help="products")
    parser.add_argument("--leaves", type=int, default=LeafSettings().n_leaves, help="leaves that are asked for")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    if min(options.n, options.leaves) < 1:
        parser.error("--n and --leaves are at least 1")
    print(f"{'step':12}{'seconds':>9}{'peak MB':>9}  outcome")

    def show(step: Step) -> None:
        print(f"{step.name:12}{step.seconds:9.1f}{step.peak_mb:9.0f}  {step.said}", flush=True)

    with tempfile.TemporaryDirectory() as directory:
        measure(options.n, options.leaves, Path(directory) / "out", show, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())

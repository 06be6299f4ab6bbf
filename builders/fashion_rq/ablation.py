"""What the codebook's size and the exclusivity loss do to the hierarchy: python -m builders.fashion_rq.ablation.

Tables 5 and 6 of the paper beside a catalogue's own figures, and an ablation that the paper describes without figures:
the same training with and without the loss, over several seeds. More clusters are purer by themselves, so the purity of
clusters of the same sizes with products drawn at random stands beside.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from builders.fashion_rq import purity
from builders.fashion_rq.embeddings import What, embed
from builders.fashion_rq.hierarchy import attribute_columns, build_hierarchy, tuple_numbers
from builders.fashion_rq.hierarchy_settings import HierarchySettings
from builders.fashion_rq.mapping import DEFAULT, read_mapping
from builders.fashion_rq.products import read_products
from builders.fashion_rq.published import CODEBOOKS
from builders.fashion_rq.stats import hierarchy_tables
from builders.markdown import table
from retrieval import command
from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.encoders.opening import open_encoder
from retrieval.rq_benchmark import Listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings

    Codes = NDArray[np.int64]

SEEDS = (0, 1, 2)
ABLATED = ("product_type", "gender", "colour", "occasion")


@dataclass(frozen=True, slots=True)
class Catalogue:
    listings: Sequence[Listing]
    vectors: Embeddings
    out: Path

    def codes(self, settings: HierarchySettings) -> Codes:
        """Kept in `out`."""
        return build_hierarchy(self.vectors, self.listings, settings, self.out)


def codebook_tables(catalogue: Catalogue, settings: HierarchySettings, codebooks: Sequence[int]) -> Iterator[str]:
    """Tables 5 and 6, as a build's statistics have them."""
    columns = attribute_columns(catalogue.listings)
    yield from hierarchy_tables(
        {
            str(size): purity.level_records(catalogue.codes(replace(settings, codebook=size)), size, columns)
            for size in codebooks
        }
    )


def exclusivity_table(catalogue: Catalogue, settings: HierarchySettings, seeds: Sequence[int]) -> Iterator[str]:
    """Mean and standard deviation over seeds by level, with the loss and without, as Markdown."""
    rows = []
    for weight in (0.0, settings.exclusivity):
        runs = [_figures(catalogue, replace(settings, exclusivity=weight, seed=seed)) for seed in seeds]
        for level in range(len(settings.levels)):
            columns = zip(*(run[level] for run in runs), strict=True)
            rows.append((f"{weight:g}", level + 1, *map(_spread, columns)))
    names = [head for name in ABLATED for head in (name, "(random)")]
    yield f"Ablation: weight of the exclusivity loss, codebook {settings.codebook}, {len(seeds)} seeds"
    yield table(("Weight", "Level", "Clusters", "Clusters per tuple", *names), rows)


def _figures(catalogue: Catalogue, settings: HierarchySettings) -> list[list[float]]:
    """Level -> clusters, scatter of the level's tuples, and for each attribute purity and purity by chance."""
    codes = catalogue.codes(settings)
    tuples = tuple_numbers(catalogue.listings, settings)
    columns = attribute_columns(catalogue.listings)
    rng = np.random.default_rng(settings.seed)
    figures = []
    for level in range(codes.shape[1]):
        clusters = purity.cluster_numbers(codes, level + 1)
        drawn = rng.permutation(clusters)
        row = [float(clusters.max() + 1), purity.scatter(clusters, tuples[:, level])]
        for name in ABLATED:
            values = purity.numbered(columns[name])
            row += [purity.weighted_purity(clusters, values), purity.weighted_purity(drawn, values)]
        figures.append(row)
    return figures


def _spread(values: Sequence[float]) -> str:
    """Mean and standard deviation of the sample, which one seed alone has not."""
    digits = 0 if max(values) > 1000 else 3
    deviation = f" ± {statistics.stdev(values):,.{digits}f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):,.{digits}f}{deviation}"


def main(argv: Sequence[str] | None = None) -> int:
    plain = HierarchySettings()
    parser = argparse.ArgumentParser(prog="python -m builders.fashion_rq.ablation", description=__doc__)
    parser.add_argument("--gallery", type=Path, required=True, help="the catalogue: CSV, JSONL, Parquet or a folder")
    parser.add_argument("--mapping", type=Path, default=DEFAULT, help="TOML: which column is which attribute")
    parser.add_argument("--out", type=Path, required=True, help="folder where vectors and hierarchies are kept")
    parser.add_argument("--encoder", type=Path, default=DEFAULT_FOLDER, help="folder of the exported weights")
    parser.add_argument("--embed", choices=get_args(What), default="both", help="what products are told apart by")
    parser.add_argument("--epochs", type=int, default=plain.epochs)
    parser.add_argument("--codebooks", type=int, nargs="*", default=CODEBOOKS, help="of Tables 5 and 6")
    parser.add_argument("--seeds", type=int, nargs="*", default=SEEDS, help="of the loss, smallest codebook")
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    return command.run(lambda: _run(arguments), "the same command goes on where it stopped")


def _run(arguments: argparse.Namespace) -> int:
    products = read_products(arguments.gallery, read_mapping(arguments.mapping), arguments.out / "pictures")
    plain = HierarchySettings().codebook
    usable, vectors = embed(open_encoder(arguments.encoder), products, arguments.embed, arguments.out / "vectors")
    catalogue = Catalogue(usable.listings, vectors, arguments.out)
    settings = HierarchySettings(codebook=min(arguments.codebooks, default=plain), epochs=arguments.epochs)
    parts = [
        *(codebook_tables(catalogue, settings, arguments.codebooks) if arguments.codebooks else ()),
        *(exclusivity_table(catalogue, settings, arguments.seeds) if arguments.seeds else ()),
    ]
    sys.stdout.write("\n\n".join(parts) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

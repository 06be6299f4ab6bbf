"""`python -m eval t2i --gallery PATH`: text-to-image scores of the embedded encoder on a catalogue."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from eval.t2i import evaluate, table
from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.errors import FashionSearchError, GalleryError
from retrieval.gallery import count_items, read_gallery
from retrieval.indexing import index
from retrieval.stores.lance import LanceStore


def held_out_ids(gallery: Path, split: str) -> set[str]:
    """item_ids of one split, from the `split` column of Parquet files."""
    import pyarrow.parquet as pq

    files = sorted(gallery.glob("*.parquet")) if gallery.is_dir() else [gallery]
    ids: set[str] = set()
    for file in files:
        try:
            columns = pq.read_table(file, columns=["id", "split"]).to_pydict()
        except (OSError, ValueError, KeyError) as error:
            raise GalleryError(f"{file.name} has no readable columns id and split: {error}") from error
        ids.update(str(i) for i, s in zip(columns["id"], columns["split"], strict=True) if s == split)
    if not ids:
        raise GalleryError(f"no product of {gallery} has split {split!r}")
    return ids


def t2i(arguments: argparse.Namespace) -> None:
    encoder = EmbeddedEncoder.open(arguments.encoder, caption_weight=0.0)
    held_out = held_out_ids(arguments.gallery, arguments.split)
    with LanceStore.open_or_create(arguments.index / "index", encoder.manifest) as store:
        entries = read_gallery(arguments.gallery, arguments.index / "pictures")
        report = index(encoder, store, entries, total=count_items(arguments.gallery))
        ids = sorted(store.fingerprints())
        items, embeddings = store.get(ids), store.embeddings(ids)
    sys.stderr.write(f"{report}\n")
    print(f"encoder: {encoder.manifest.encoder} {encoder.manifest.revision}, pictures alone, exact cosine")
    print(table(evaluate(encoder, items, embeddings, held_out)))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("t2i", help="product names and attribute captions against pictures")
    one.add_argument("--gallery", type=Path, required=True, help="catalogue as Parquet with columns id and split")
    one.add_argument("--split", default="val", help="the products whose names and captions are asked for")
    one.add_argument("--encoder", type=Path, default=DEFAULT_FOLDER, help="folder of the exported weights")
    one.add_argument("--index", type=Path, default=Path("runs/t2i"), help="keeps vectors: a second run only scores")
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    try:
        t2i(arguments)
    except FashionSearchError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m eval t2i --gallery PATH`: text-to-image scores of the embedded encoder on a catalogue."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from eval.t2i import evaluate, table
from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.errors import FashionSearchError, GalleryError
from retrieval.gallery import count_items, read_gallery
from retrieval.indexing import index
from retrieval.stores.lance import LanceStore

SPLIT_COLUMNS = ("id", "split")


def held_out_ids(gallery: Path, split: str) -> set[str]:
    """item_ids of one split of a Parquet file, or of all Parquet files in a folder.

    Raises GalleryError when there is no such file, column or split.
    """
    # As `read_gallery` does: files below count where the folder itself holds none.
    found = (gallery.glob("*.parquet"), gallery.rglob("*.parquet"), [gallery] if gallery.is_file() else [])
    files = next((files for files in map(sorted, found) if files), [])
    if not files:
        raise GalleryError(f"There is no Parquet file at {gallery}. Give a file, or a folder with some.")
    splits: dict[str, set[str]] = {}
    for file in files:
        for item_id, name in _split_of_each(file):
            splits.setdefault(name, set()).add(item_id)
    if split not in splits:
        known = ", ".join(sorted(splits)) or "none"
        raise GalleryError(
            f"No product of {gallery} has split {split!r}. Its splits: {known}. Choose one with --split."
        )
    return splits[split]


def _split_of_each(file: Path) -> Iterator[tuple[str, str]]:
    import pyarrow.parquet as pq

    try:
        missing = [name for name in SPLIT_COLUMNS if name not in pq.read_schema(file).names]
        if missing:
            raise GalleryError(f"{file} has no column {' and no column '.join(missing)}, which say what is held out.")
        read = pq.read_table(file, columns=list(SPLIT_COLUMNS))
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        raise GalleryError(f"{file} is not a readable Parquet file ({error}). Fetch it again.") from error
    for item_id, split in zip(*(read[name].to_pylist() for name in SPLIT_COLUMNS), strict=True):
        yield str(item_id), str(split)


def t2i(arguments: argparse.Namespace) -> None:
    held_out = held_out_ids(arguments.gallery, arguments.split)
    encoder = EmbeddedEncoder.open(arguments.encoder, caption_weight=0.0)
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
    t2i_parser = commands.add_parser("t2i", help="product names and attribute captions against pictures")
    t2i_parser.add_argument(
        "--gallery",
        type=Path,
        required=True,
        help="catalogue: a Parquet file or a folder of them, with columns id and split",
    )
    t2i_parser.add_argument("--split", default="val", help="the products whose names and captions are asked for")
    t2i_parser.add_argument("--encoder", type=Path, default=DEFAULT_FOLDER, help="folder of the exported weights")
    t2i_parser.add_argument(
        "--index", type=Path, default=Path("runs/t2i"), help="keeps vectors: a second run only scores"
    )
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

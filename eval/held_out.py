"""Which products of a catalogue are held out, by the column split of its Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from retrieval.errors import GalleryError

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

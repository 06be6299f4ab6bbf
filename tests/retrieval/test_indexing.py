from __future__ import annotations

import dataclasses
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image as PilImage

from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import GalleryError, StoreError
from retrieval.gallery import Skipped, read_gallery
from retrieval.indexing import IndexReport, index, write_skipped
from retrieval.picture_files import image_id
from retrieval.retriever import Retriever
from retrieval.schema import Filter, Image, Item, Query
from retrieval.stores.lance import LanceStore
from retrieval.stores.memory import MemoryStore

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings

ROOT = Path(__file__).parents[2]
CATALOGUE = ROOT.parent / "shared" / "data" / "fpi"


class CountingEncoder(HashingEncoder):
    """Remembers what it was asked to encode."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        self.batches.append([item.item_id for item in items])
        return super().encode_items(items, pictures)

    @property
    def encoded(self) -> list[str]:
        return [item_id for batch in self.batches for item_id in batch]


def picture(folder: Path, name: str, colour: int) -> Image:
    folder.mkdir(exist_ok=True)
    path = folder / name
    PilImage.new("RGB", (12, 16), ((colour * 37) % 256, (colour * 91) % 256, colour % 256)).save(path)
    return Image(image_id(path.read_bytes()), str(path))


def items(folder: Path, n_items: int) -> list[Item]:
    return [
        Item(f"i{number:03}", picture(folder, f"{number}.png", number), f"Shirt {number}", {"colour": "Red"})
        for number in range(n_items)
    ]


@pytest.fixture
def encoder() -> CountingEncoder:
    return CountingEncoder()


@pytest.fixture
def store(encoder: CountingEncoder) -> MemoryStore:
    return MemoryStore(encoder.dim)


def run(encoder: HashingEncoder, store: MemoryStore | LanceStore, entries: Sequence[Item | Skipped]) -> IndexReport:
    return index(encoder, store, entries, batch_size=4, progress=False)


def test_all_items_are_encoded_in_batches_and_published(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    gallery = items(tmp_path, 10)
    assert run(encoder, store, gallery) == IndexReport(10, 0, 0, ())
    assert [len(batch) for batch in encoder.batches] == [4, 4, 2]
    assert store.get([item.item_id for item in gallery]) == gallery


def test_vectors_stay_with_their_items(tmp_path: Path, encoder: CountingEncoder, store: MemoryStore) -> None:
    gallery = items(tmp_path, 11)
    Path(gallery[5].image.path).write_bytes(b"not a picture")
    run(encoder, store, gallery)
    good = [item for item in gallery if item is not gallery[5]]
    with_pictures = HashingEncoder().encode_items(good, [PilImage.open(item.image.path) for item in good])
    assert abs(store.embeddings([item.item_id for item in good]) - with_pictures).max() < 1e-6


def test_only_changed_items_are_encoded_again(tmp_path: Path, encoder: CountingEncoder, store: MemoryStore) -> None:
    gallery = items(tmp_path, 10)
    run(encoder, store, gallery)
    encoder.batches.clear()
    gallery[2] = dataclasses.replace(gallery[2], caption="Dress")
    gallery[3] = dataclasses.replace(gallery[3], attributes={"colour": "Blue"})
    gallery[4] = dataclasses.replace(gallery[4], image=picture(tmp_path, "4.png", 99))
    assert run(encoder, store, gallery) == IndexReport(3, 7, 0, ())
    assert encoder.encoded == ["i002", "i003", "i004"]
    assert store.get(["i002"])[0].caption == "Dress"


def test_items_that_vanished_from_the_gallery_are_removed(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    gallery = items(tmp_path, 6)
    run(encoder, store, gallery)
    assert run(encoder, store, gallery[:4]) == IndexReport(0, 4, 2, ())
    assert store.count() == 4


def test_nothing_is_removed_or_published_when_reading_breaks_off(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    gallery = items(tmp_path, 6)
    run(encoder, store, gallery)

    def broken() -> Iterator[Item]:
        yield gallery[0]
        yield dataclasses.replace(gallery[1], caption="Changed")
        raise GalleryError("the disk is gone")

    with pytest.raises(GalleryError, match="the disk is gone"):
        index(encoder, store, broken(), progress=False)
    assert store.count() == 6
    assert store.get(["i001"])[0].caption == "Shirt 1"


def test_progress_does_not_flood_what_is_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index(HashingEncoder(), MemoryStore(64), items(tmp_path / "pictures", 3))
    assert capsys.readouterr().err == ""


def test_bad_pictures_are_skipped_with_their_reason_and_the_rest_is_indexed(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    gallery = items(tmp_path, 12)
    truncated = Path(gallery[0].image.path)
    truncated.write_bytes(truncated.read_bytes()[:30])
    Path(gallery[7].image.path).write_text("hello")
    Path(gallery[11].image.path).unlink()
    read = Skipped("list.csv", 9, "no picture")
    report = run(encoder, store, [*gallery[:3], read, *gallery[3:]])
    assert (report.n_encoded, store.count()) == (9, 9)
    assert {one.file for one in report.skipped} == {"list.csv", *(gallery[row].image.path for row in (0, 7, 11))}
    assert all(one.reason for one in report.skipped)
    assert "9 items in the index" in str(report)
    assert "and 1 more" in str(report)


def test_an_item_whose_picture_broke_is_no_longer_found(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    gallery = items(tmp_path, 4)
    run(encoder, store, gallery)
    Path(gallery[1].image.path).write_bytes(b"broken")
    gallery[1] = dataclasses.replace(gallery[1], image=Image(image_id(b"broken"), gallery[1].image.path))
    report = run(encoder, store, gallery)
    assert (report.n_unchanged, report.n_removed, len(report.skipped)) == (3, 1, 1)
    assert store.count() == 3


def test_a_gallery_without_one_usable_item_empties_nothing(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    run(encoder, store, items(tmp_path, 4))
    for entries in ([], [Skipped("list.csv", 2, "no such picture")]):
        with pytest.raises(GalleryError, match="No item of the gallery can be used"):
            run(encoder, store, entries)
    assert store.count() == 4


def test_the_first_of_equal_ids_is_kept_and_the_second_reported(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    first, second = items(tmp_path, 2)
    report = run(encoder, store, [first, dataclasses.replace(second, item_id="i000")])
    assert store.get(["i000"]) == [first]
    assert [one.file for one in report.skipped] == [second.image.path]
    assert "i000" in report.skipped[0].reason


def test_text_that_is_not_unicode_is_skipped(tmp_path: Path, encoder: CountingEncoder, store: MemoryStore) -> None:
    good, bad = items(tmp_path, 2)
    report = run(encoder, store, [good, dataclasses.replace(bad, caption="caf\udce9")])
    assert (report.n_encoded, len(report.skipped)) == (1, 1)


def test_a_moved_gallery_is_not_encoded_again_but_its_pictures_are_found(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    run(encoder, store, items(tmp_path / "old", 5))
    encoder.batches.clear()
    moved = items(tmp_path / "new", 5)
    assert run(encoder, store, moved) == IndexReport(0, 5, 0, ())
    assert encoder.encoded == []
    assert store.get(["i003"]) == [moved[3]]


def test_the_list_of_skipped_entries_is_written_with_one_line_each(tmp_path: Path) -> None:
    skipped = (Skipped("a\tb.csv", 3, "two\nlines"), Skipped("caf\udce9.jpg", 0, "not a picture"))
    write_skipped(IndexReport(1, 0, 0, skipped), tmp_path / "skipped.tsv")
    lines = (tmp_path / "skipped.tsv").read_text(encoding="utf-8").splitlines()
    assert lines == ["file\tline\treason", "a b.csv\t3\ttwo lines", "caf\\udce9.jpg\t0\tnot a picture"]
    assert [file.name for file in tmp_path.iterdir()] == ["skipped.tsv"]


def test_a_list_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "skipped.tsv").mkdir()
    with pytest.raises(StoreError, match=r"skipped\.tsv cannot be written"):
        write_skipped(IndexReport(1, 0, 0, ()), tmp_path / "skipped.tsv")
    assert [file.name for file in tmp_path.iterdir()] == ["skipped.tsv"]


def test_the_real_catalogue_is_indexed_and_found_by_name_and_filter(
    tmp_path: Path, encoder: CountingEncoder, store: MemoryStore
) -> None:
    if not CATALOGUE.is_dir():
        pytest.skip("the catalogue is not at ../shared/data/fpi")
    entries = list(islice(read_gallery(CATALOGUE, tmp_path / "pictures"), 150))
    report = run(encoder, store, entries)
    assert report.n_encoded + len(report.skipped) == 150
    retriever = Retriever(encoder, store)
    wanted = retriever.get(list(store.fingerprints()))[20]
    colour = wanted.attributes["colour"]
    ranking = retriever.search(Query("q", wanted.caption), 10, [Filter("colour", "any_of", (str(colour).upper(),))])
    assert wanted.item_id in {hit.item_id for hit in ranking.hits}
    assert {item.attributes["colour"] for item in retriever.get([hit.item_id for hit in ranking.hits])} == {colour}


KILLED = """
import os, signal, sys
sys.path[:0] = [{root!r}, {tests!r}]
from test_indexing import *
from retrieval import indexing
indexing.RESUME_EVERY = 8
class Killed(CountingEncoder):
    def encode_items(self, items, pictures):
        if len(self.encoded) == 16:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode_items(items, pictures)
encoder = Killed()
with LanceStore.open_or_create({path!r}, encoder.manifest) as store:
    run(encoder, store, items(Path({pictures!r}), 30))
"""


def test_a_killed_run_goes_on_where_it_was_and_readers_keep_the_last_one(
    tmp_path: Path, encoder: CountingEncoder
) -> None:
    path, pictures = tmp_path / "index", tmp_path / "pictures"
    with LanceStore.create(path, encoder.manifest) as store:
        run(encoder, store, items(pictures, 3))
    reader = LanceStore.open(path, encoder.manifest)
    paths = {"path": str(path), "pictures": str(pictures), "root": str(ROOT), "tests": str(Path(__file__).parent)}
    code = textwrap.dedent(KILLED).format(**paths)
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert killed.returncode < 0, killed.stderr
    assert reader.count() == LanceStore.open(path, encoder.manifest).count() == 3
    encoder.batches.clear()
    with LanceStore.open_or_create(path, encoder.manifest) as store:
        assert run(encoder, store, items(pictures, 30)) == IndexReport(11, 19, 0, ())
    assert encoder.encoded == [f"i{number:03}" for number in range(19, 30)]
    assert reader.count() == 30

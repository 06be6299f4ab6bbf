"""A bounded fuzzing run over what strangers send: pictures, lists of products, filters. DIMITY_FUZZ=5000 looks longer.

Whatever comes in, the answer is a usable value or one of our own errors, and nothing is left half-written.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow

from retrieval.errors import FilterError, GalleryError, ImageError
from retrieval.filters import matches
from retrieval.gallery import Skipped, read_gallery
from retrieval.images import UPLOAD_SIDE
from retrieval.picture_files import MIN_SIDE, crop, image_id, store_upload, thumbnail
from retrieval.protocols import Manifest
from retrieval.schema import Filter, Image, Item
from retrieval.stores.lance import LanceStore
from retrieval.stores.memory import MemoryStore
from tests.retrieval.made_pictures import PHOTO, encoded, png_claiming

fuzzed = settings(
    max_examples=int(os.environ.get("DIMITY_FUZZ", "40")),
    deadline=None,
    derandomize="DIMITY_FUZZ" not in os.environ,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

MODES = ("RGB", "RGBA", "L", "LA", "P", "1", "CMYK", "I;16")
KINDS = {
    "PNG": MODES[:6] + MODES[7:],
    "JPEG": ("RGB", "L", "CMYK"),
    "WEBP": ("RGB", "RGBA"),
    "GIF": ("P", "L"),
    "BMP": ("RGB", "L", "1"),
}


# --- pictures ---


@st.composite
def picture_files(draw: st.DrawFn) -> bytes:
    """Files of every kind, mode and size, with or without a turn and a wrong profile, then damaged in a few places."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    mode = draw(st.sampled_from(KINDS[kind]))
    size = draw(st.integers(1, 90)), draw(st.integers(1, 90))
    options: dict[str, Any] = {}
    if kind in {"JPEG", "PNG", "WEBP"}:
        turned = Pillow.Exif()
        turned[0x0112] = draw(st.integers(0, 65535))
        options = {"exif": turned, "icc_profile": draw(st.binary(max_size=40))}
    data = bytearray(encoded(Pillow.new(mode, size), kind, **options))
    for _ in range(draw(st.integers(0, 4))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))]) if draw(st.booleans()) else bytes(data)


claimed_sizes = st.builds(png_claiming, st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
wrongly_started = st.builds(
    lambda head, tail: head + tail,
    st.sampled_from(
        [
            b"\xff\xd8\xff\xe0",
            b"\x89PNG\r\n\x1a\n",
            b"GIF89a",
            b"BM",
            b"RIFF\x10\0\0\0WEBPVP8 ",
            b"\0\0\0 ftypavif",
            b"<svg ",
            b"%PDF-",
        ]
    ),
    st.binary(max_size=300),
)


@fuzzed
@given(data=st.one_of(picture_files(), claimed_sizes, wrongly_started))
def test_any_upload_becomes_a_small_plain_picture_or_is_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error", Pillow.DecompressionBombWarning)
        try:
            kept = store_upload(data, folder)
        except ImageError:
            assert list(Path(folder).iterdir()) == []
            return
        shown = Pillow.open(kept.path)
        assert (shown.mode, min(shown.size) >= MIN_SIDE, max(shown.size) <= UPLOAD_SIDE) == ("RGB", True, True)
        assert "exif" not in shown.info
        assert kept.image_id == image_id(Path(kept.path).read_bytes())
        shown.load()


@fuzzed
@given(box=st.lists(st.floats() | st.integers(-(2**70), 2**70), min_size=0, max_size=5))
def test_any_box_cuts_out_a_part_or_is_refused(box: Sequence[float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = store_upload(PHOTO, folder)
        try:
            part = Pillow.open(crop(whole, box, folder).path)
        except ImageError:
            return
        assert MIN_SIDE <= min(part.size) <= max(part.size) <= 200


@fuzzed
@given(data=picture_files())
def test_any_picture_of_a_catalogue_has_a_thumbnail_or_is_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.bin"
        path.write_bytes(data)
        try:
            small = thumbnail(Image("a", str(path)), Path(folder) / "small", 32)
        except ImageError:
            return
        assert max(Pillow.open(small).size) <= 32


# --- lists of products ---

cells = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "../../../etc/passwd",
            "/etc/passwd",
            "C:\\secret.png",
            "..\\..\\x.png",
            "file:///etc/passwd",
            "http://127.0.0.1/x",
            "a.png",
            "images/a.png",
            "link.png",
            "=1+1",
            "NaN",
            "1e400",
            "-0",
            '"',
            "'",
            "\0",
            "\r\n",
            ",,,",
            "\ufeff",
            "\u202e",
            "O'Brien",
            "x' OR 1=1 --",
            "%",
            "_",
            "\\",
        ]
    ),
)


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two pictures, and a link that leads out of it."""
    folder = tmp_path_factory.mktemp("catalogue")
    outside = tmp_path_factory.mktemp("outside") / "secret.png"
    outside.write_bytes(encoded(Pillow.new("RGB", (20, 20), "black")))
    (folder / "images").mkdir()
    for name in ("a.png", "images/a.png"):
        (folder / name).write_bytes(encoded(Pillow.new("RGB", (20, 20), "red")))
    (folder / "link.png").symlink_to(outside)
    return folder


@fuzzed
@given(rows=st.lists(st.lists(cells, min_size=1, max_size=6), max_size=5), joint=st.sampled_from(",;\t|"))
def test_any_list_gives_items_of_its_own_folder_or_says_what_is_wrong(
    rows: list[list[str]], joint: str, catalogue: Path
) -> None:
    table = catalogue / "items.csv"
    text = "\n".join(joint.join(row) for row in [["id", "image", "name", "price", "colour"], *rows])
    table.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    with tempfile.TemporaryDirectory() as kept:
        try:
            entries = list(read_gallery(str(table), Path(kept)))
        except GalleryError:
            return
    for entry in entries:
        assert isinstance(entry, Item | Skipped)
        if isinstance(entry, Item):
            assert Path(entry.image.path).resolve().is_relative_to(catalogue.resolve())
            assert all(np.isfinite(value) for value in entry.attributes.values() if isinstance(value, int | float))


# --- filters ---

WORDS = (
    "Red",
    "navy blue",
    "O'Brien",
    "x' OR 1=1 --",
    'say "hi"',
    "100%",
    "a_b",
    "back\\slash",
    "L\u2019Or\u00e9al",
    "\u202e",
    "NULL",
    "true",
)
N_ITEMS = 40
filters = st.builds(
    Filter,
    st.sampled_from(
        ["colour", "price", "brand", "item_id", "vector", "colour; drop table items", "", "colour IS NULL OR colour"]
    ),
    st.sampled_from(["any_of", "none_of", "at_most", "at_least"]),
    st.lists(
        st.one_of(
            st.sampled_from(WORDS), st.text(max_size=8), st.integers(-(10**30), 10**30), st.floats(), st.booleans()
        ),
        max_size=3,
    ).map(tuple),
)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[MemoryStore, LanceStore, list[Item]]:
    """The same items in both; the store in memory compares in Python."""
    generator = np.random.default_rng(0)
    items = []
    for number in range(N_ITEMS):
        attributes: dict[str, Any] = {"colour": WORDS[number % len(WORDS)], "price": float(number)}
        if number % 3:
            attributes["brand"] = WORDS[-1 - number % 5]
        items.append(Item(f"i{number:02}", Image(f"i{number:02}", "x.png"), "x", attributes))
    vectors = generator.normal(size=(N_ITEMS, 8)).astype(np.float32)
    memory = MemoryStore(8)
    lance = LanceStore.open_or_create(tmp_path_factory.mktemp("index") / "lance", Manifest("test", "1", 8))
    for store in (memory, lance):
        store.add(items, vectors)
        store.commit()
    return memory, lance, items


@fuzzed
@given(wanted=st.lists(filters, max_size=3))
def test_any_filter_means_the_same_in_every_store_or_is_refused_in_both(
    wanted: list[Filter], stores: tuple[MemoryStore, LanceStore, list[Item]]
) -> None:
    memory, lance, items = stores
    probe = np.ones(8, np.float32) / np.sqrt(8, dtype=np.float32)
    try:
        expected = [hit.item_id for hit in memory.search(probe, N_ITEMS, wanted)]
    except FilterError:
        with pytest.raises(FilterError):
            lance.search(probe, N_ITEMS, wanted)
        return
    assert [hit.item_id for hit in lance.search(probe, N_ITEMS, wanted)] == expected
    assert sorted(expected) == [one.item_id for one in items if all(matches(f, one.attributes) for f in wanted)]
    assert lance.count(wanted) == len(expected)

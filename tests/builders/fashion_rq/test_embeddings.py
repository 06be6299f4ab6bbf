"""Vectors of products: kept on disk, gone on with, and never another catalogue's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from builders.fashion_rq import embeddings
from builders.fashion_rq.embeddings import embed
from builders.fashion_rq.products import Products
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import GalleryError
from retrieval.rq_benchmark import Listing
from retrieval.schema import Image


class CountingEncoder(HashingEncoder):
    """Says how much it encoded, and may be stopped after some."""

    n_encoded = 0
    stop_after = 10_000

    def _count(self, n: int) -> None:
        if self.n_encoded >= self.stop_after:
            raise KeyboardInterrupt
        self.n_encoded += n

    def encode_items(self, items, pictures):
        self._count(len(items))
        return super().encode_items(items, pictures)

    def encode_queries(self, queries):
        self._count(len(queries))
        return super().encode_queries(queries)


@pytest.fixture
def products(tmp_path: Path) -> Products:
    return catalogue(tmp_path, [f"shirt {number}" for number in range(7)])


def catalogue(folder: Path, texts: Sequence[str]) -> Products:
    images = {}
    for number, _ in enumerate(texts):
        path = folder / f"{number}.png"
        Pillow.new("RGB", (24, 24), (number * 30, 90, 160)).save(path)
        images[str(number)] = Image(f"picture {number}", str(path))
    return Products(tuple(Listing(str(at), text, text, {}, ()) for at, text in enumerate(texts)), images)


def test_rows_are_unit_vectors_in_the_order_of_the_products(tmp_path: Path, products: Products) -> None:
    kept, vectors = embed(HashingEncoder(), products, "text", tmp_path / "cache", progress=False)
    assert kept.listings == products.listings
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    backwards = replace(products, listings=products.listings[::-1])
    _, turned = embed(HashingEncoder(), backwards, "text", tmp_path / "cache", progress=False)
    assert np.array_equal(turned, vectors[::-1])


def test_both_is_the_mean_of_the_two_cosines(tmp_path: Path, products: Products) -> None:
    picture, text, both = (
        embed(HashingEncoder(), products, what, tmp_path / "cache", progress=False)[1]
        for what in ("picture", "text", "both")
    )
    assert np.allclose(both @ both.T, (picture @ picture.T + text @ text.T) / 2, atol=1e-5)


def test_a_second_run_encodes_nothing(tmp_path: Path, products: Products) -> None:
    _, first = embed(HashingEncoder(), products, "both", tmp_path / "cache", progress=False)
    encoder = CountingEncoder()
    _, second = embed(encoder, products, "both", tmp_path / "cache", progress=False)
    assert encoder.n_encoded == 0
    assert np.array_equal(first, second)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path, products: Products, monkeypatch) -> None:
    monkeypatch.setattr(embeddings, "CHUNK", 2)
    encoder = CountingEncoder()
    encoder.stop_after = 4
    with pytest.raises(KeyboardInterrupt):
        embed(encoder, products, "picture", tmp_path / "cache", progress=False)
    second = CountingEncoder()
    _, found = embed(second, products, "picture", tmp_path / "cache", progress=False)
    assert second.n_encoded == 3
    _, whole = embed(HashingEncoder(), products, "picture", tmp_path / "other", progress=False)
    assert np.array_equal(found, whole)
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_changed_products_are_encoded_again(tmp_path: Path, products: Products) -> None:
    embed(HashingEncoder(), products, "text", tmp_path / "cache", progress=False)
    encoder = CountingEncoder()
    embed(encoder, catalogue(tmp_path, ["other"] * 7), "text", tmp_path / "cache", progress=False)
    assert encoder.n_encoded > 0


def test_equal_texts_are_encoded_once(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    _, vectors = embed(encoder, catalogue(tmp_path, ["a shirt"] * 5), "text", tmp_path / "cache", progress=False)
    assert encoder.n_encoded == 1
    assert len(vectors) == 5


def test_a_product_without_a_usable_picture_is_left_out(tmp_path: Path, products: Products) -> None:
    (tmp_path / "2.png").write_bytes(b"not a picture")
    kept, vectors = embed(HashingEncoder(), products, "both", tmp_path / "cache", progress=False)
    assert [listing.item_id for listing in kept.listings] == ["0", "1", "3", "4", "5", "6"]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_catalogue_without_a_usable_picture_says_so(tmp_path: Path, products: Products) -> None:
    for path in tmp_path.glob("*.png"):
        path.write_bytes(b"not a picture")
    with pytest.raises(GalleryError, match="Not one picture"):
        embed(HashingEncoder(), products, "picture", tmp_path / "cache", progress=False)


def test_a_spoilt_file_says_what_to_do(tmp_path: Path, products: Products) -> None:
    embed(HashingEncoder(), products, "text", tmp_path / "cache", progress=False)
    next((tmp_path / "cache").iterdir()).write_bytes(b"\x93NUMPY")
    with pytest.raises(GalleryError, match="delete it"):
        embed(HashingEncoder(), products, "text", tmp_path / "cache", progress=False)

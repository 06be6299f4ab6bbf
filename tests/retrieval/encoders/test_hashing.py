from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PilImage

from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import ImageError, MessageError
from retrieval.schema import HistoryTurn, Image, Item, Query

RED_DRESS = Item("1", Image("a", ""), "Red dress", {"season": "Summer"})
BLUE_SHIRT = Item("2", Image("b", ""), "Blue shirt")
PICTURES = [PilImage.new("RGB", (9, 12), colour) for colour in ("red", "blue")]


@pytest.fixture
def red(tmp_path: Path) -> Image:
    PICTURES[0].save(tmp_path / "red.png")
    return Image("a", str(tmp_path / "red.png"))


def scores(*queries: Query, dim: int = 64) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    encoder = HashingEncoder(dim)
    return encoder.encode_queries(queries) @ encoder.encode_items([RED_DRESS, BLUE_SHIRT], PICTURES).T


def test_vectors_have_unit_length_and_the_shape_of_the_manifest(red: Image) -> None:
    encoder = HashingEncoder(100)
    queries = [
        Query("q", "red"),
        Query("q", "?!"),
        Query("q", references=(red,)),
        Query("q", "red", unwanted_texts=("red",), unwanted_images=(red,)),
        Query("q", "red", (red, red), (HistoryTurn("a dress", (red,)),)),
    ]
    found = encoder.encode_queries(queries)
    assert found.dtype == np.float32
    assert found.shape == (5, encoder.manifest.dim)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    items = encoder.encode_items([RED_DRESS, Item("3", Image("c", ""), "")], PICTURES)
    np.testing.assert_allclose(np.linalg.norm(items, axis=1), 1, atol=1e-5)
    assert encoder.encode_queries([]).shape == (0, 100)


def test_shared_words_and_the_same_picture_score_higher(red: Image) -> None:
    by_caption, by_attribute, by_picture, composed = scores(
        Query("q", "a RED dress!"), Query("q", "summer"), Query("q", references=(red,)), Query("q", "dress", (red,))
    )
    for found in (by_caption, by_attribute, by_picture, composed):
        assert found[0] > found[1] + 0.1


def test_unwanted_words_and_pictures_score_lower(red: Image) -> None:
    plain, without, unlike = scores(
        Query("q", "red dress or blue shirt"),
        Query("q", "red dress or blue shirt", unwanted_texts=("dress",)),
        Query("q", "red dress or blue shirt", unwanted_images=(red,)),
    )
    assert without[0] < plain[0]
    assert unlike[0] < plain[0]


def test_history_leaves_a_trace() -> None:
    plain, after = scores(Query("q", "cheaper"), Query("q", "cheaper", history=(HistoryTurn("red dress"),)))
    assert after[0] > plain[0]


def test_a_vector_does_not_depend_on_its_batch() -> None:
    encoder = HashingEncoder()
    together = encoder.encode_queries([Query("q", "red"), Query("r", "blue dress")])
    np.testing.assert_array_equal(together[1:], encoder.encode_queries([Query("r", "blue dress")]))


def test_a_query_without_content_is_refused_and_a_missing_picture_named() -> None:
    with pytest.raises(MessageError):
        HashingEncoder().encode_queries([Query("q", "  ")])
    with pytest.raises(ImageError):
        HashingEncoder().encode_queries([Query("q", references=(Image("x", "missing.png"),))])

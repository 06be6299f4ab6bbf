import numpy as np
import pytest
from PIL import Image as Pillow

from retrieval.encoders.described import DescribedEncoder
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import MessageError
from retrieval.schema import Image, Item, Query

CAPTIONS = {"a": "red striped dress", "b": "blue denim skirt", "empty": ""}
A, B = Image("a", ""), Image("b", "")


@pytest.fixture
def encoder():
    return DescribedEncoder(HashingEncoder(), CAPTIONS)


def text(words: str):
    return HashingEncoder().encode_queries([Query("", words)])[0]


def unit(vector):
    return vector / np.linalg.norm(vector)


def one(encoder, **parts):
    return encoder.encode_queries([Query("q", **parts)])[0]


def test_an_item_is_its_caption_and_needs_no_picture(encoder):
    items = [Item("a", A, CAPTIONS["a"]), Item("b", B, CAPTIONS["b"])]
    found = encoder.encode_items(items, ())
    assert found == pytest.approx(np.stack([text(CAPTIONS["a"]), text(CAPTIONS["b"])]))


def test_a_reference_counts_by_its_caption(encoder):
    assert one(encoder, references=(A,)) == pytest.approx(text(CAPTIONS["a"]))


def test_words_and_references_are_fused_with_equal_weight(encoder):
    fused = one(encoder, text="in green", references=(A, B))
    references = (text(CAPTIONS["a"]) + text(CAPTIONS["b"])) / 2
    assert fused == pytest.approx(unit(text("in green") + references), abs=1e-6)


def test_what_is_unwanted_is_subtracted(encoder):
    moved = one(encoder, text="dress", unwanted_texts=("logo",), unwanted_images=(B,))
    expected = text("dress") - 0.5 * (text("logo") + text(CAPTIONS["b"])) / 2
    assert moved == pytest.approx(unit(expected), abs=1e-6)


def test_a_picture_without_a_caption_is_looked_at(encoder, tmp_path):
    Pillow.new("RGB", (20, 20), (200, 10, 10)).save(tmp_path / "own.png")
    own = Image("own", str(tmp_path / "own.png"))
    assert one(encoder, references=(own,)) == pytest.approx(
        HashingEncoder().encode_queries([Query("", references=(own,))])[0]
    )


def test_queries_do_not_depend_on_their_batch(encoder):
    queries = [Query("1", "dress"), Query("2", "in blue", (A,)), Query("3", "", (B,))]
    together = encoder.encode_queries(queries)
    for row, query in enumerate(queries):
        assert encoder.encode_queries([query])[0] == pytest.approx(together[row], abs=1e-6)
    assert encoder.encode_queries([]).shape == (0, 64)
    assert encoder.encode_items([], ()).shape == (0, 64)


def test_an_empty_caption_still_has_a_direction(encoder):
    (found,) = encoder.encode_items([Item("empty", Image("empty", ""), "")], ())
    assert np.linalg.norm(found) == pytest.approx(1)


def test_its_vectors_do_not_share_an_index_with_those_of_pictures(encoder):
    assert encoder.manifest != HashingEncoder().manifest
    assert "captions" in encoder.manifest.revision


def test_an_empty_query_is_refused(encoder):
    with pytest.raises(MessageError):
        encoder.encode_queries([Query("q", "  ")])

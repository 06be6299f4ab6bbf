import hashlib
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image as PillowImage
from PIL import ImageDraw

from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.encoders.preprocess import INPUT_HEIGHT, INPUT_WIDTH, pixels
from retrieval.errors import EncoderError, MessageError
from retrieval.indexing import index
from retrieval.picture_files import store_upload
from retrieval.schema import Image, Item, Query
from retrieval.stores.memory import MemoryStore


@pytest.fixture(scope="module")
def encoder() -> EmbeddedEncoder:
    return EmbeddedEncoder.open()


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")

    def picture(colour: str):
        image = PillowImage.new("RGB", (120, 160), "white")
        ImageDraw.Draw(image).polygon([(30, 20), (90, 20), (110, 60), (90, 150), (30, 150), (10, 60)], fill=colour)
        return store_upload(image, folder)

    return {colour: picture(colour) for colour in ("red", "blue", "green")}


def test_vectors_have_unit_length_and_the_promised_shape(encoder, pictures):
    queries = [Query("q", "red dress"), Query("q", "", (pictures["red"],)), Query("q", "in blue", (pictures["red"],))]
    vectors = encoder.encode_queries(queries)
    assert vectors.shape == (3, encoder.manifest.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_vector_does_not_depend_on_its_batch(encoder):
    texts = ["dress", "a very long and winding wish for a blue shirt with long sleeves and a collar for men", "cap"]
    together = encoder.encode_queries([Query("q", t) for t in texts])
    alone = np.concatenate([encoder.encode_queries([Query("q", t)]) for t in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_picture_is_encoded_alike_as_item_and_as_query(encoder, pictures):
    from retrieval.images import open_picture

    image = pictures["red"]
    as_item = encoder.encode_items([Item("1", image, "")], [open_picture(image.path)])
    np.testing.assert_allclose(as_item, encoder.encode_queries([Query("q", "", (image,))]), atol=1e-5)


def test_a_large_picture_of_the_gallery_has_one_vector_as_item_and_as_reference(encoder, tmp_path):
    noise = np.random.default_rng(0).integers(0, 255, (15, 20, 3), np.uint8)
    PillowImage.fromarray(noise).resize((2400, 1800), 0).save(tmp_path / "large.png")
    item = Item("1", Image("large", str(tmp_path / "large.png")), "")
    store = MemoryStore(encoder.manifest.dim)
    index(encoder, store, [item], progress=False)
    np.testing.assert_allclose(
        store.embeddings(["1"]), encoder.encode_queries([Query("q", "", (item.image,))]), atol=1e-5
    )


def test_no_queries_give_no_vectors(encoder):
    assert encoder.encode_queries([]).shape == (0, encoder.manifest.dim)


def test_words_find_the_colour_they_name(encoder, pictures):
    colours = list(pictures)
    gallery = encoder.encode_queries([Query("q", "", (pictures[c],)) for c in colours])
    words = encoder.encode_queries([Query("q", f"{c} top") for c in colours])
    assert (words @ gallery.T).argmax(1).tolist() == [0, 1, 2]


def test_a_query_is_its_words_and_its_mean_picture_less_half_the_mean_of_what_is_unwanted(encoder, pictures):
    red, blue, green = (encoder.encode_queries([Query("q", "", (pictures[c],))])[0] for c in pictures)
    top, logo = (encoder.encode_queries([Query("q", text)])[0] for text in ("top", "logo"))
    query = Query(
        "q",
        "top",
        (pictures["red"], pictures["blue"]),
        unwanted_texts=("logo", " "),
        unwanted_images=(pictures["green"],),
    )
    expected = top + (red + blue) / 2 - 0.5 * (logo + green) / 2
    np.testing.assert_allclose(encoder.encode_queries([query])[0], expected / np.linalg.norm(expected), atol=1e-5)


def test_what_is_unwanted_moves_the_query_away(encoder, pictures):
    red = encoder.encode_queries([Query("q", "red top")])[0]
    plain, moved = encoder.encode_queries([Query("q", "top"), Query("q", "top", unwanted_texts=("red top",))])
    assert moved @ red < plain @ red
    image = encoder.encode_queries([Query("q", "", (pictures["red"],))])[0]
    less = encoder.encode_queries([Query("q", "top", unwanted_images=(pictures["red"],))])[0]
    assert less @ image < plain @ image


def test_the_sentence_space_is_that_of_minilm(encoder):
    # Cosines of the original all-MiniLM-L6-v2 in 32 bits for these sentences.
    dress, gown, jeans = encoder.encode_sentences(["a red dress", "crimson gown", "blue jeans"])
    assert dress @ gown == pytest.approx(0.5493, abs=2e-3)
    assert dress @ jeans == pytest.approx(0.2532, abs=2e-3)
    assert gown @ jeans == pytest.approx(0.3514, abs=2e-3)


def test_a_query_without_words_and_pictures_is_refused(encoder):
    with pytest.raises(MessageError, match="few words"):
        encoder.encode_queries([Query("q", "   ")])


def test_names_count_only_where_they_are_asked_for(pictures):
    from retrieval.images import open_picture

    item, picture = Item("1", pictures["red"], "blue jeans"), open_picture(pictures["red"].path)
    alone, named = EmbeddedEncoder.open(), EmbeddedEncoder.open(caption_weight=0.5)
    assert alone.manifest != named.manifest
    jeans = alone.encode_queries([Query("q", "blue jeans")])[0]
    assert named.encode_items([item], [picture])[0] @ jeans > alone.encode_items([item], [picture])[0] @ jeans + 0.1
    nameless = Item("1", pictures["red"], "")
    np.testing.assert_allclose(
        named.encode_items([nameless], [picture]), alone.encode_items([nameless], [picture]), atol=1e-6
    )


def test_the_shipped_files_are_those_of_the_card_and_at_most_60_mb():
    card = json.loads((DEFAULT_FOLDER / "card.json").read_text("utf8"))
    for name, digest in card["sha256"].items():
        assert hashlib.sha256((DEFAULT_FOLDER / name).read_bytes()).hexdigest() == digest, name
    assert sum(file.stat().st_size for file in DEFAULT_FOLDER.iterdir()) <= 60_000_000


def test_missing_damaged_and_foreign_weights_are_refused_with_what_to_do(tmp_path):
    with pytest.raises(EncoderError, match="restore"):
        EmbeddedEncoder.open(tmp_path)
    shutil.copytree(DEFAULT_FOLDER, tmp_path / "cut")
    (tmp_path / "cut" / "text.onnx").write_bytes(b"\x08\x07")
    with pytest.raises(EncoderError, match="damaged"):
        EmbeddedEncoder.open(tmp_path / "cut")
    card = json.loads((DEFAULT_FOLDER / "card.json").read_text("utf8"))
    (tmp_path / "cut" / "card.json").write_text(json.dumps(card | {"preprocessing": "other"}))
    with pytest.raises(EncoderError, match="export"):
        EmbeddedEncoder.open(tmp_path / "cut")


def test_pixels_are_letterboxed_on_white():
    wide = pixels(PillowImage.new("RGB", (400, 40), "black"))
    assert wide.shape == (3, INPUT_HEIGHT, INPUT_WIDTH)
    assert (wide[:, :60] == 255).all()
    assert (wide[:, INPUT_HEIGHT // 2] == 0).all()
    tall = pixels(PillowImage.new("RGB", (1, 900), "black"))
    assert tall[:, :, (INPUT_WIDTH - 1) // 2].max() == 0


def test_opening_the_encoder_leaves_no_telemetry_behind(tmp_path):
    # CI=true alone would keep onnxruntime quiet, which hides what a user's machine would do.
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    environment |= {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    code = "from retrieval.encoders.embedded import EmbeddedEncoder as E; E.open().encode_sentences(['a red dress'])"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, cwd=DEFAULT_FOLDER.parents[1])
    assert list(tmp_path.iterdir()) == []

"""The shipped system, where it is there; tests/training/test_query.py exports one of its own."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.encoders.opening import open_encoder
from retrieval.encoders.towers import DEFAULT_FOLDER
from retrieval.errors import EncoderError, MessageError
from retrieval.images import open_picture
from retrieval.schema import HistoryTurn, Image, Item, Query

FOLDER = DEFAULT_FOLDER.parent / "fashion_am"
PICTURES = sorted((DEFAULT_FOLDER.parent / "gallery" / "images").iterdir())[:4]


@pytest.fixture(scope="module")
def encoder():
    return open_encoder(FOLDER)


@pytest.fixture(scope="module")
def queries():
    first, second, third, fourth = (Image(path.name, str(path)) for path in PICTURES)
    return [
        Query("a", "red dress"),
        Query("b", "", (first,)),
        Query("c", "in blue", (third,), (HistoryTurn("a shirt", (), second), HistoryTurn("dotted", (second,), third))),
        Query("d", "what goes with these?", (first, fourth), (), "so what goes with these two?"),
    ]


def test_vectors_have_unit_length_and_do_not_depend_on_their_batch(encoder, queries):
    together = encoder.encode_queries(queries)
    assert together.shape == (4, encoder.manifest.dim)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.concatenate([encoder.encode_queries([query]) for query in queries])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_no_queries_give_no_vectors_and_an_empty_one_is_refused(encoder):
    assert encoder.encode_queries([]).shape == (0, encoder.manifest.dim)
    with pytest.raises(MessageError, match="few words"):
        encoder.encode_queries([Query("q", "  ")])


def test_the_history_counts(encoder, queries):
    with_history, without = encoder.encode_queries([queries[2], replace(queries[2], history=())])
    assert with_history @ without < 0.9999


def test_items_are_encoded_by_the_towers_alone(encoder, queries):
    picture = open_picture(PICTURES[0])
    items = encoder.encode_items([Item("1", queries[1].references[0], "a name")], [picture])
    np.testing.assert_allclose(items, encoder.encode_pictures([picture]))


def test_files_are_those_of_the_card():
    card = json.loads((FOLDER / "card.json").read_text("utf8"))
    base = FOLDER / card["base"]
    for name, digest in card["sha256"].items():
        file = FOLDER / name if (FOLDER / name).is_file() else Path(base, name)
        assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, name


def test_a_query_encoder_of_another_version_is_refused(tmp_path):
    (tmp_path / "encoder").symlink_to(DEFAULT_FOLDER)
    old = shutil.copytree(FOLDER, tmp_path / "fashion_am")
    shutil.copyfile(old / "picture.onnx", old / "query.onnx")  # it has other inputs
    with pytest.raises(EncoderError, match="another version: train it again"):
        open_encoder(old)


def test_the_words_with_which_a_picture_was_chosen_count(encoder, queries):
    told = queries[2]
    other = replace(told, history=(told.history[0], replace(told.history[1], text="leather boots")))
    with_these, with_others = encoder.encode_queries([told, other])
    assert with_these @ with_others < 0.999


def test_a_conversation_s_words_are_read_once(encoder, queries, monkeypatch):
    encoder.encode_queries([queries[2]])
    asked, as_it_was = [], encoder.towers.text_features
    monkeypatch.setattr(encoder.towers, "text_features", lambda texts: asked.extend(texts) or as_it_was(texts))
    encoder.encode_queries([replace(queries[2], text="now in green")])
    assert asked == ["now in green"]

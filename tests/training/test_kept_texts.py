import zlib
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from retrieval.encoders.towers import DEFAULT_FOLDER, Towers
from retrieval.fashion_am import kept_texts
from retrieval.fashion_am.kept_texts import joint_vectors, text_features, text_vectors


class Asked:
    """Encodes, and notes what it was asked for."""

    text_name = "asked"

    def __init__(self, failing_after=99):
        self.texts, self.left = [], failing_after

    def __call__(self, texts):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.texts += texts
        return vectors_of(texts)

    text_features = __call__


def vectors_of(texts):
    return np.array([[zlib.crc32(text.encode()) % 1000, len(text)] for text in texts], np.float32)


def test_a_text_is_encoded_once_for_all_runs(tmp_path):
    file, first, second = tmp_path / "texts.pt", Asked(), Asked()
    one = text_vectors(["red dress", "cap", "red dress"], first, file)
    other = text_vectors(["red dress", "cap", "red dress"], second, file)
    assert sorted(first.texts) == ["cap", "red dress"]
    assert second.texts == []
    assert torch.equal(one, other)


def test_new_texts_are_added_to_those_that_are_kept(tmp_path):
    file, asked = tmp_path / "texts.pt", Asked()
    text_vectors(["red dress", "cap"], Asked(), file)
    text_vectors(["blue", "cap"], asked, file)
    assert asked.texts == ["blue"]
    text_vectors(["red dress", "cap", "blue"], asked, file)
    assert asked.texts == ["blue"]


@pytest.mark.parametrize("kept", [[], ["cap", "a very long text"]])
def test_rows_are_in_the_order_of_the_texts(tmp_path, monkeypatch, kept):
    monkeypatch.setattr(kept_texts, "BATCH", 2)
    if kept:
        text_vectors(kept, Asked(), tmp_path / "texts.pt")
    texts = ["red dress", "a very long text", "cap", "in blue", "cap", "x", ""]
    found = text_vectors(texts, Asked(), tmp_path / "texts.pt")
    assert found.dtype == torch.float32
    np.testing.assert_array_equal(found, vectors_of(texts))


def test_what_was_encoded_before_a_run_was_killed_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_texts, "BATCH", 2)
    file, killed, resumed = tmp_path / "texts.pt", Asked(failing_after=2), Asked()
    with pytest.raises(KeyboardInterrupt):
        text_vectors(list("abcdefg"), killed, file)
    np.testing.assert_array_equal(text_vectors(list("abcdefg"), resumed, file), vectors_of("abcdefg"))
    assert (killed.texts, resumed.texts) == (list("abcd"), list("efg"))


def test_texts_are_read_by_the_towers_all_but_the_empty_one(tmp_path):
    towers = Towers.open(DEFAULT_FOLDER)
    texts = ["red dress", "", "a green shirt with long sleeves", "red dress"]
    found = text_features(towers, iter(texts), tmp_path / "new" / "folder")
    joint = joint_vectors(towers, iter(texts), tmp_path / "new" / "folder")
    assert list(found) == list(joint) == ["a green shirt with long sleeves", "red dress"]
    for text, vector in found.items():
        np.testing.assert_allclose(vector, towers.text_features([text])[0], atol=1e-5)
        np.testing.assert_allclose(joint[text], towers.encode_texts([text])[0][0], atol=1e-5)


def test_systems_share_what_is_kept_where_they_share_the_text_tower(tmp_path):
    first, same, other = Asked(), Asked(), SimpleNamespace(text_name="other", text_features=Asked())
    text_features(first, ["red"], tmp_path)
    text_features(same, ["red"], tmp_path)
    assert same.texts == []
    text_features(other, ["red"], tmp_path)
    assert len(set(tmp_path.iterdir())) == 2


def test_without_a_text_there_is_no_vector(tmp_path):
    assert text_features(Asked(), ["", ""], tmp_path) == {}

"""Texts word by word, by the shipped system."""

import json

import numpy as np
import pytest

from retrieval.encoders import words as words_module
from retrieval.encoders.towers import DEFAULT_FOLDER
from retrieval.encoders.words import MAX_WORDS, WORDS, Words
from retrieval.errors import EncoderError

FOLDER = DEFAULT_FOLDER.parent / "fashion_am"


@pytest.fixture(scope="module")
def words():
    return Words.open(FOLDER, json.loads((FOLDER / "card.json").read_text("utf8")))


def test_a_text_has_as_many_states_as_words_and_they_do_not_depend_on_other_texts(words):
    texts = ["red dress", "in blue", "with a collar and long sleeves", "red dress"]
    together = words.of(texts)
    assert [len(each) for each in together] == [words.n_words(text) for text in texts] == [2, 2, 6, 2]
    assert all(each.shape[1] == 384 and each.dtype == np.float32 for each in together)
    alone = Words(words._session, words._tokenizer).of(["in blue"])[0]
    np.testing.assert_allclose(together[1], alone, atol=1e-5)
    assert not np.allclose(together[0], together[1], atol=0.1)


def test_a_word_s_state_depends_on_the_words_around_it(words):
    red_dress, red_shoes = words.of(["red dress", "red shoes"])
    assert not np.allclose(red_dress[0], red_shoes[0], atol=0.01)


def test_a_text_that_was_read_lately_is_not_read_again(words, monkeypatch):
    first = words.of(["a green skirt"])[0]
    monkeypatch.setattr(words, "_session", None)
    np.testing.assert_array_equal(words.of(["a green skirt"])[0], first)


def test_a_long_text_is_cut_and_one_without_words_has_no_states(words):
    assert words.of(["again " * 500])[0].shape == (MAX_WORDS, 384)
    assert words.n_words("again " * 500) == MAX_WORDS
    assert words.of([""])[0].shape == (0, 384)


def test_many_texts_of_one_length_are_read_in_batches(words, monkeypatch):
    texts = [f"number {i}" for i in range(10, 19)]
    whole = words.of(texts)
    monkeypatch.setattr(words_module, "BATCH", 4)
    again = Words(words._session, words._tokenizer).of(texts)
    for one, other in zip(whole, again, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_a_folder_without_the_file_is_refused(tmp_path):
    card = json.loads((FOLDER / "card.json").read_text("utf8")) | {"base": str(DEFAULT_FOLDER)}
    with pytest.raises(EncoderError, match=WORDS):
        Words.open(tmp_path, card)

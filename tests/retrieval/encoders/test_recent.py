import threading

import numpy as np
import pytest

from retrieval.encoders import recent
from retrieval.encoders.recent import Recent


class Lengths:
    """Encodes a text as its length, and remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked.append(list(texts))
        return np.array([[len(text)] for text in texts], np.float32)


def test_each_value_is_encoded_once_and_comes_back_for_itself():
    encode = Lengths()
    kept = Recent(encode)
    assert {text: row.tolist() for text, row in kept.of(["ab", "c", "ab"]).items()} == {"ab": [2], "c": [1]}
    assert list(kept.of(["c", "def"])) == ["c", "def"]
    assert encode.asked == [["ab", "c"], ["def"]]
    assert kept.of([]) == {}


def test_what_was_used_last_is_kept(monkeypatch):
    monkeypatch.setattr(recent, "KEPT", 2)
    encode = Lengths()
    kept = Recent(encode)
    for texts in (["a"], ["bb"], ["a"], ["ccc"], ["a"], ["bb"]):
        kept.of(texts)
    assert encode.asked == [["a"], ["bb"], ["ccc"], ["bb"]]


def test_more_values_at_once_than_are_kept_all_come_back(monkeypatch):
    monkeypatch.setattr(recent, "KEPT", 2)
    assert list(Recent(Lengths()).of(["a", "bb", "ccc"])) == ["a", "bb", "ccc"]


def test_a_kept_array_does_not_hold_the_batch_that_it_came_from():
    kept = Recent(Lengths())
    kept.of(["a", "bb"])
    assert all(row.base is None for row in kept.of(["a", "bb"]).values())


def test_a_failure_leaves_nothing_half_kept():
    def fails(texts):
        raise OSError("unreadable")

    kept = Recent(fails)
    with pytest.raises(OSError, match="unreadable"):
        kept.of(["a"])
    kept._encode = Lengths()
    assert kept.of(["a"])["a"] == [1]


def test_several_threads_get_what_they_asked_for(monkeypatch):
    monkeypatch.setattr(recent, "KEPT", 5)
    kept, wrong = Recent(Lengths()), []

    def ask(start):
        for i in range(200):
            text = "x" * ((start + i) % 17 + 1)
            if kept.of([text])[text] != [len(text)]:
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []

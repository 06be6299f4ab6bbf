"""A system that looks at the first of a ranking once more, and a model that does not answer."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from eval.alone import Gallery, Protocol, Ranker
from eval.metrics import with_ties
from retrieval.benchmark import Benchmark, BenchmarkImage, RecordedSession, RecordedTurn, Task
from retrieval.errors import ChatError
from retrieval.protocols import Manifest
from retrieval.schema import Item, Query

IDS = tuple(f"g/{number}" for number in range(8))
GALLERY = Gallery(IDS, np.array([(np.cos(0.1 * n), np.sin(0.1 * n)) for n in range(8)], np.float32))
"""On an arc: the nearest to the query are g/0, g/1, ..."""


class Reversing:
    manifest = Manifest("reversing", "1", 2)
    rerank_depth = 3

    def __init__(self, fails_at: str = "") -> None:
        self.seen: list[Item] = []
        self._fails_at = fails_at

    def encode_queries(self, queries: Sequence[Query]) -> np.ndarray:
        if self._fails_at == "encode":
            raise ChatError("The model does not answer.")
        return np.array([(1, 0)] * len(queries), np.float32)

    def rerank(self, query: Query, items: Sequence[Item]) -> list[str]:
        if self._fails_at == "rerank":
            raise ChatError("The model does not answer.")
        self.seen += items
        return [item.item_id for item in reversed(items)]


def played(system: Reversing, pools: dict[str, tuple[str, ...]] | None = None, gallery: Gallery = GALLERY):
    images = {each: BenchmarkImage(each, "g", f"{each}.png", in_gallery=True) for each in IDS}
    session = RecordedSession("s", "test", (RecordedTurn(1, Task.T2I, "d", "a dress", "g/0"),))
    made = Benchmark(Path("b"), {}, (session,), images, {"s/1": {"g/0": 1}}, pools or {}, {"g": Path("p")})
    (record,) = Ranker(made, system, gallery, Protocol("recorded", "previous", 6)).play(made.sessions)
    return record


def test_the_first_stand_in_the_systems_order_and_the_rest_stays():
    system = Reversing()
    record = played(system)
    assert [hit.item_id for hit in record.hits] == ["g/2", "g/1", "g/0", "g/3", "g/4", "g/5"]
    scores = [hit.score for hit in record.hits]
    assert scores == sorted(scores, reverse=True)
    assert [item.image.path for item in system.seen] == ["p/g/0.png", "p/g/1.png", "p/g/2.png"]


def test_a_pool_is_looked_at_too():
    record = played(Reversing(), {"s/1": ("g/0", "g/4", "g/6", "g/7")})
    assert [hit.item_id for hit in record.hits] == ["g/6", "g/4", "g/0", "g/7"]


def test_equal_scores_fall_in_the_systems_order():
    vectors = np.tile(np.array([1, 0], np.float32), (8, 1))
    record = played(Reversing(), gallery=Gallery(IDS, vectors))
    assert [hit.item_id for hit in record.hits] == ["g/2", "g/1", "g/0", "g/3", "g/4", "g/5"]
    assert with_ties(record.hits) == [("g/2",), ("g/1",), ("g/0",), ("g/3", "g/4", "g/5")]
    assert record.hits[0].score == pytest.approx(1.0)


@pytest.mark.parametrize("stage", ["encode", "rerank"])
def test_a_model_that_does_not_answer_ends_the_run(stage):
    with pytest.raises(ChatError, match="does not answer"):
        played(Reversing(stage))

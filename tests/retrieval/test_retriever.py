from __future__ import annotations

import subprocess
import sys

import pytest
from PIL import Image as PilImage

from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import FilterError, MessageError
from retrieval.retriever import DEFAULT_K, Retriever
from retrieval.schema import Filter, Image, Item, Query
from retrieval.stores.memory import MemoryStore


@pytest.fixture
def retriever() -> Retriever:
    encoder = HashingEncoder()
    store = MemoryStore(encoder.manifest.dim)
    items = [
        Item("1", Image("a", "a.jpg"), "Navy blue shirt", {"colour": "Navy Blue", "price": 10.0}),
        Item("2", Image("b", "b.jpg"), "Red summer dress", {"colour": "Red", "price": 30.0}),
        Item("3", Image("c", "c.jpg"), "Red shirt", {"colour": "Red"}),
    ]
    pictures = [PilImage.new("RGB", (8, 8), colour) for colour in ("navy", "red", "red")]
    store.add(items, encoder.encode_items(items, pictures))
    store.commit()
    return Retriever(encoder, store)


def test_a_ranking_carries_its_query_and_the_best_item_first(retriever: Retriever) -> None:
    ranking = retriever.search(Query("s/1", "red dress"))
    assert ranking.query_id == "s/1"
    assert [hit.item_id for hit in ranking.hits] == ["2", "3", "1"]


def test_k_filters_and_exclusions_reach_the_store(retriever: Retriever) -> None:
    red = [Filter("colour", "any_of", ("red",))]
    assert [hit.item_id for hit in retriever.search(Query("q", "shirt"), k=1).hits] == ["3"]
    assert {hit.item_id for hit in retriever.search(Query("q", "shirt"), filters=red).hits} == {"2", "3"}
    assert [hit.item_id for hit in retriever.search(Query("q", "shirt"), filters=red, exclude=["3"]).hits] == ["2"]


def test_it_passes_on_what_the_store_knows(retriever: Retriever) -> None:
    assert retriever.count() == 3
    assert retriever.count([Filter("price", "at_most", (10,))]) == 1
    assert retriever.facets()["colour"].counts == {"Red": 2, "Navy Blue": 1}
    assert [item.item_id for item in retriever.get(["3", "1"])] == ["3", "1"]
    assert retriever.embeddings(["3"]).shape == (1, 64)
    assert DEFAULT_K > 0


def test_a_failing_search_is_never_an_empty_ranking(retriever: Retriever) -> None:
    with pytest.raises(MessageError):
        retriever.search(Query("q"))
    with pytest.raises(FilterError):
        retriever.search(Query("q", "shirt"), filters=[Filter("size", "any_of", ("M",))])


HEAVY = {"gradio", "lancedb", "langgraph", "pyarrow", "torch", "onnxruntime", "tokenizers", "skia", "datasets", "scipy"}


@pytest.mark.parametrize(
    ("module", "also_not"),
    [
        ("retrieval.schema", {"numpy", "PIL"}),
        ("retrieval.sessions", {"numpy", "PIL"}),
        ("retrieval.filters", {"numpy", "PIL"}),
        ("retrieval.retriever", {"numpy", "PIL"}),
        ("retrieval.images", {"numpy"}),
        ("retrieval.picture_files", {"numpy"}),
        ("retrieval.gallery", {"numpy"}),
        ("retrieval.indexing", {"numpy"}),
        ("retrieval.stores.lance", {"PIL"}),
        ("retrieval.encoders.embedded", set()),
        ("eval.metrics", {"PIL"}),
        ("eval.t2i", {"PIL"}),
    ],
)
def test_importing_a_module_loads_nothing_heavy(module: str, also_not: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & (HEAVY | also_not)

import numpy as np
import pytest

from retrieval.errors import FilterError, StoreError
from retrieval.schema import Filter, Image, Item
from retrieval.stores.memory import MemoryStore
from retrieval.stores.pool import PoolStore

ITEMS = [
    Item(f"i{n}", Image(f"p{n}", ""), f"item {n}", {"colour": "Red" if n % 2 else "Blue", "price": float(n)})
    for n in range(12)
]
RARE = Item("rare", Image("p-rare", ""), "rare", {"colour": "Red", "shape": "Round", "price": 50.0})
OTHER = Item("other", Image("p-other", ""), "other", {"colour": "Red", "shape": "Oval", "price": 60.0})
POOL = ["i3", "i1", "i4", "i7", "i1"]


@pytest.fixture(scope="module")
def vectors():
    return np.random.default_rng(0).normal(size=(len(ITEMS) + 2, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def store(vectors):
    filled = MemoryStore(8)
    filled.add([*ITEMS, RARE, OTHER], vectors)
    filled.commit()
    return filled


@pytest.fixture(scope="module")
def pool(store):
    return PoolStore(store, POOL)


def query(seed: int = 1):
    vector = np.random.default_rng(seed).normal(size=8).astype(np.float32)
    return vector / np.linalg.norm(vector)


def test_it_ranks_its_candidates_as_the_whole_gallery_does(store, pool):
    for seed in range(5):
        whole = [hit for hit in store.search(query(seed), 14) if hit.item_id in POOL]
        assert pool.search(query(seed), 9) == whole
        assert pool.search(query(seed), 2) == whole[:2]


def test_filters_and_exclusions_hold_within_it(store, pool):
    red = [Filter("colour", "any_of", ("Red",)), Filter("price", "at_least", (2.0,))]
    assert {hit.item_id for hit in pool.search(query(), 9, red)} == {"i3", "i7"}
    assert {hit.item_id for hit in pool.search(query(), 9, red, ["i3"])} == {"i7"}
    assert pool.count(red) == 2
    assert pool.count() == 4


def test_items_vectors_and_facets_are_those_of_the_gallery(store, pool):
    assert pool.get(["i9"]) == store.get(["i9"])
    assert np.array_equal(pool.embeddings(["i9"]), store.embeddings(["i9"]))
    assert pool.facets() == store.facets()
    assert pool.fingerprints() == store.fingerprints()


def test_a_filter_that_the_gallery_knows_and_no_candidate_has_finds_nothing(pool):
    assert pool.search(query(), 9, [Filter("shape", "any_of", ("Round",))]) == []


def test_a_filter_that_the_gallery_does_not_know_is_refused(pool):
    for bad in (Filter("collar", "any_of", ("Round",)), Filter("price", "any_of", ("cheap",))):
        with pytest.raises(FilterError):
            pool.search(query(), 9, [bad])
        with pytest.raises(FilterError):
            pool.count([bad])


def test_an_empty_pool_finds_nothing(store):
    empty = PoolStore(store, [])
    assert empty.search(query(), 3) == []
    assert empty.count() == 0


def test_an_unknown_candidate_is_an_error(store):
    with pytest.raises(KeyError):
        PoolStore(store, ["nowhere"])


def test_it_is_for_reading_only(pool, vectors):
    for write in (lambda: pool.add(ITEMS[:1], vectors[:1]), lambda: pool.remove(["i1"]), pool.commit):
        with pytest.raises(StoreError, match="reading only"):
            write()

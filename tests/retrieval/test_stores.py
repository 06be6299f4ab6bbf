"""The contract of `protocols.Store`, run for every store; MemoryStore is the truth."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lancedb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.errors import FilterError, GalleryError, ManifestError, StoreError
from retrieval.protocols import Manifest, Store
from retrieval.schema import AttributeValue, Filter, Hit, Image, Item
from retrieval.stores import index_directory
from retrieval.stores.lance import MAX_INDEX_PARTS, TABLE, LanceStore
from retrieval.stores.lance_version import VECTOR_INDEX, Version
from retrieval.stores.memory import MemoryStore
from retrieval.stores.rows import attribute_name, column_name

DIM = 16
if TYPE_CHECKING:
    from retrieval.protocols import Embeddings

MANIFEST = Manifest(encoder="test", revision="1", dim=DIM)
BRANDS = ["L'Oreal", "Levi's", "100% Wool", "a_b", "back\\slash", "semi; colon", "Zoë", "x' OR 1=1 --", '"Q"', "naïve "]
ROOT = Path(__file__).parents[2]


def item(number: int, /, **attributes: AttributeValue) -> Item:
    return Item(f"i{number:04}", Image(f"hash{number}", f"pictures/{number}.jpg"), f"Item {number}", attributes)


def vectors(n_rows: int, seed: int = 0) -> Embeddings:
    found = np.random.default_rng(seed).normal(size=(n_rows, DIM))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def gallery(n_items: int) -> list[Item]:
    found = []
    for number in range(n_items):
        attributes: dict[str, AttributeValue] = {"brand": BRANDS[number % len(BRANDS)]}
        if number % 3:
            attributes["price"] = float(number)
        if number % 4:
            attributes["Sub Category"] = ["Tops", "Bottoms"][number % 2]
        found.append(item(number, **attributes))
    return found


@pytest.fixture(params=["memory", "lance flat", "lance indexed"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore(DIM)
        return
    rows = 10 if request.param == "lance indexed" else 10_000
    with LanceStore.create(tmp_path / "index", MANIFEST, ann_rows=rows) as made:
        yield made


@pytest.fixture
def truth() -> MemoryStore:
    return MemoryStore(DIM)


def fill(*stores: Store, n_items: int = 200) -> None:
    for one in stores:
        one.add(gallery(n_items), vectors(n_items))
        one.commit()


FILTERS: list[tuple[Filter, ...]] = [
    (),
    *[(Filter("brand", "any_of", (brand,)),) for brand in BRANDS],
    *[(Filter("brand", "none_of", (brand,)),) for brand in BRANDS],
    (Filter("brand", "any_of", ("LEVI'S", "zoË")),),
    (Filter("brand", "any_of", ("Levi",)),),
    (Filter("brand", "none_of", ("Levi",)),),
    (Filter("brand", "any_of", ("%", "_", "' OR ''='")),),
    (Filter("price", "at_most", (50,)), Filter("brand", "any_of", ("a_b", "Levi's"))),
    (Filter("price", "at_least", (50.0,)), Filter("price", "at_most", (60.0,))),
    (Filter("price", "any_of", (50.0, 51.0)),),
    (Filter("price", "none_of", (50.0,)),),
    (Filter("Sub Category", "any_of", ("tops",)),),
    (Filter("Sub Category", "none_of", ("tops",)),),
    (Filter("price", "at_most", (-1e300,)),),
]


@pytest.mark.parametrize("filters", FILTERS, ids=lambda filters: "-".join(repr(f.values) for f in filters) or "none")
def test_every_store_gives_the_ranking_of_the_exact_one(
    store: Store, truth: MemoryStore, filters: tuple[Filter, ...]
) -> None:
    fill(store, truth)
    exclude = [f"i{number:04}" for number in range(0, 200, 7)] + ["not there", "' OR 1=1 --"]
    for query in vectors(3, seed=9):
        expected = truth.search(query, 10, filters, exclude)
        found = store.search(query, 10, filters, exclude)
        assert [hit.item_id for hit in found] == [hit.item_id for hit in expected]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=1e-5)
    assert store.count(filters) == truth.count(filters)


def test_the_exact_store_agrees_with_a_plain_loop(truth: MemoryStore) -> None:
    fill(truth)
    query, rows = vectors(1, seed=3)[0], vectors(200)
    expected = sorted(((-float(row @ query), i.item_id) for row, i in zip(rows, gallery(200), strict=True)))[:5]
    found = truth.search(query, 5)
    assert [hit.item_id for hit in found] == [item_id for _, item_id in expected]
    assert [hit.score for hit in found] == pytest.approx([-score for score, _ in expected], abs=1e-5)


def test_the_length_of_a_vector_changes_nothing(store: Store) -> None:
    store.add(gallery(50), vectors(50) * np.linspace(0.1, 900, 50, dtype=np.float32)[:, None])
    store.commit()
    query = vectors(1, seed=4)[0]
    expected = store.search(query, 5)
    assert store.search(query * 1000, 5) == expected
    assert expected[0].score == pytest.approx(float((vectors(50) @ query).max()), abs=1e-5)


def test_a_vector_finds_itself_with_score_one(store: Store) -> None:
    fill(store, n_items=60)
    best = store.search(vectors(60)[17], 1)[0]
    assert best.item_id == "i0017"
    assert best.score == pytest.approx(1.0, abs=1e-5)


def test_equal_scores_are_ordered_by_item_id_even_across_the_cut(store: Store) -> None:
    same = np.repeat(vectors(1), 100, axis=0)
    store.add(gallery(100)[::-1], same)
    store.commit()
    assert [hit.item_id for hit in store.search(vectors(1)[0], 3)] == ["i0000", "i0001", "i0002"]


def test_excluded_items_are_replaced_by_the_next_ones(store: Store) -> None:
    fill(store)
    query = vectors(1, seed=2)[0]
    first = [hit.item_id for hit in store.search(query, 10)]
    assert [hit.item_id for hit in store.search(query, 5, exclude=first[:5])] == first[5:]


def test_fewer_than_k_hits_mean_that_no_more_pass(store: Store) -> None:
    fill(store, n_items=40)
    filters = [Filter("brand", "any_of", ("Levi's",))]
    assert len(store.search(vectors(1)[0], 30, filters)) == store.count(filters) == 4
    assert len(store.search(vectors(1)[0], 1000)) == 40
    assert store.search(vectors(1)[0], 0) == []


def test_items_come_back_as_they_were_given_and_in_the_order_asked_for(store: Store) -> None:
    fill(store, n_items=50)
    numbers = [33, 4, 49, 4]
    wanted = [gallery(50)[number] for number in numbers]
    assert store.get([one.item_id for one in wanted]) == wanted
    found = store.embeddings([one.item_id for one in wanted])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, vectors(50)[numbers], atol=1e-6)
    assert store.get([]) == []
    assert store.embeddings([]).shape == (0, DIM)


def test_an_unknown_id_is_a_key_error(store: Store) -> None:
    fill(store, n_items=20)
    with pytest.raises(KeyError):
        store.get(["i0001", "nobody"])
    with pytest.raises(KeyError):
        store.embeddings(["nobody"])


def test_adding_an_id_again_replaces_the_item(store: Store) -> None:
    fill(store, n_items=50)
    changed = dataclasses.replace(gallery(50)[7], caption="New", attributes={"brand": "Nobody"})
    store.add([changed], vectors(1, seed=8))
    store.commit()
    assert store.count() == 50
    assert store.get(["i0007"]) == [changed]
    assert store.search(vectors(1, seed=8)[0], 1)[0].item_id == "i0007"


def test_the_last_of_equal_ids_wins(store: Store) -> None:
    first, last = item(1, brand="First"), item(1, brand="Last")
    store.add([first, item(2, brand="First"), last], vectors(3))
    store.commit()
    assert store.count() == 2
    assert store.get(["i0001"]) == [last]
    np.testing.assert_allclose(store.embeddings(["i0001"]), vectors(3)[2:], atol=1e-6)


def test_removed_items_are_gone_and_unknown_ids_are_ignored(store: Store) -> None:
    fill(store, n_items=30)
    store.remove(["i0003", "i0003", "nobody", "x' OR 1=1 --"])
    store.commit()
    assert store.count() == 29
    assert "i0003" not in {hit.item_id for hit in store.search(vectors(30)[3], 30)}
    assert "i0003" not in store.fingerprints()


def test_nothing_is_seen_before_the_commit_but_fingerprints(store: Store) -> None:
    fill(store, n_items=20)
    store.add([item(77, brand="Late")], vectors(1, seed=7))
    store.remove(["i0000"])
    assert store.count() == 20
    assert store.search(vectors(1, seed=7)[0], 1)[0].item_id != "i0077"
    assert "i0077" in store.fingerprints()
    store.commit()
    assert store.search(vectors(1, seed=7)[0], 1)[0].item_id == "i0077"
    assert store.count() == 20


def test_an_empty_store_answers_with_nothing(store: Store) -> None:
    store.commit()
    assert store.search(vectors(1)[0], 5) == []
    assert store.count() == 0
    assert store.facets() == {}
    assert store.fingerprints() == {}


def test_facets_count_words_and_give_the_range_of_numbers(store: Store, truth: MemoryStore) -> None:
    fill(store, truth, n_items=45)
    store.add([item(900, once="only")], vectors(1))
    store.commit()
    facets = store.facets()
    assert set(facets) == {"brand", "price", "Sub Category"}
    assert facets == truth.facets()
    assert list(facets["brand"].counts)[:2] == ["100% Wool", "L'Oreal"]
    counts = list(facets["brand"].counts.values())
    assert counts == sorted(counts, reverse=True)
    assert (facets["price"].minimum, facets["price"].maximum) == (1.0, 44.0)


def test_attributes_that_come_later_can_be_filtered(store: Store) -> None:
    fill(store, n_items=20)
    store.add([item(50, neckline="V-Neck", **{"Größe (EU)": 38.0})], vectors(1, seed=5))
    store.commit()
    query = vectors(1)[0]
    assert [hit.item_id for hit in store.search(query, 5, [Filter("neckline", "any_of", ("v-neck",))])] == ["i0050"]
    assert [hit.item_id for hit in store.search(query, 5, [Filter("Größe (EU)", "at_least", (38,))])] == ["i0050"]
    assert store.get(["i0050"])[0].attributes == {"neckline": "V-Neck", "Größe (EU)": 38.0}
    assert store.count([Filter("neckline", "none_of", ("V-Neck",))]) == 20


def test_an_attribute_that_is_word_and_number_is_refused_and_nothing_is_lost(store: Store) -> None:
    fill(store, n_items=20)
    with pytest.raises(GalleryError, match="price"):
        store.add([item(1, price="cheap")], vectors(1))
    with pytest.raises(GalleryError, match="nan"):
        store.add([item(1, price=float("nan"))], vectors(1))
    store.commit()
    assert store.count() == 20
    assert store.get(["i0001"])[0].attributes["price"] == 1.0


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (Filter("brnad", "any_of", ("Levi's",)), "'brand'"),
        (Filter("price) OR (1=1", "at_most", (3,)), "no attribute"),
        (Filter("brand", "at_most", (3,)), "holds words"),
        (Filter("price", "any_of", ("cheap",)), "holds numbers"),
    ],
)
def test_a_filter_that_does_not_fit_is_refused(store: Store, wrong: Filter, hint: str) -> None:
    fill(store, n_items=20)
    with pytest.raises(FilterError, match=hint):
        store.search(vectors(1)[0], 5, [wrong])
    with pytest.raises(FilterError, match=hint):
        store.count([wrong])


def test_vectors_of_another_shape_or_without_direction_are_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="shape"):
        store.add(gallery(2), np.ones((2, DIM + 1), dtype=np.float32))
    with pytest.raises(ValueError, match="shape"):
        store.add(gallery(2), vectors(3))
    for bad in (0.0, np.nan, np.inf):
        with pytest.raises(StoreError, match="row 1"):
            store.add(gallery(2), np.vstack([vectors(1), np.full((1, DIM), bad, dtype=np.float32)]))


def test_a_fingerprint_changes_with_caption_and_attributes(store: Store) -> None:
    fill(store, n_items=3)
    before = dict(store.fingerprints())
    store.add([dataclasses.replace(gallery(3)[1], caption="New")], vectors(1))
    after = store.fingerprints()
    assert set(after) == set(before) == {"i0000", "i0001", "i0002"}
    assert [key for key in before if before[key] != after[key]] == ["i0001"]


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    [*BRANDS, "a\x00b", "ß", "SS", "İ"]
)
numbers = st.floats(allow_nan=False, allow_infinity=False)
filters_of_words = st.builds(Filter, st.just("word"), st.sampled_from(["any_of", "none_of"]), st.tuples(words, words))
filters_of_numbers = st.builds(
    Filter, st.just("number"), st.sampled_from(["any_of", "none_of", "at_most", "at_least"]), st.tuples(numbers)
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.tuples(st.none() | words, st.none() | numbers), min_size=2, max_size=6),
    made=st.lists(filters_of_words | filters_of_numbers, min_size=1, max_size=6),
)
def test_filters_mean_the_same_in_both_stores(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[tuple[str | None, float | None]],
    made: list[Filter],
) -> None:
    items = [item(0, word="a", number=0.0)]
    for number, (word, size) in enumerate(values, start=1):
        known: dict[str, AttributeValue | None] = {"word": word, "number": size}
        items.append(item(number, **{name: value for name, value in known.items() if value is not None}))
    truth = MemoryStore(DIM)
    path = tmp_path_factory.mktemp("index")
    with LanceStore.create(path, MANIFEST) as lance:
        for one in (truth, lance):
            one.add(items, vectors(len(items)))
            one.commit()
        own = [Filter("word", "any_of", (str(items[-1].attributes.get("word", "a")).upper(),))]
        for condition in [*made, *own]:
            expected = {hit.item_id for hit in truth.search(vectors(1)[0], 99, [condition])}
            assert {hit.item_id for hit in lance.search(vectors(1)[0], 99, [condition])} == expected, condition
    shutil.rmtree(path)


def test_a_long_life_of_changes_leaves_both_stores_alike(store: Store, truth: MemoryStore) -> None:
    rng = np.random.default_rng(0)
    for seed in range(8):
        numbers = [int(number) for number in rng.integers(0, 150, size=30)]
        batch = [item(number, brand=BRANDS[(number + seed) % len(BRANDS)], price=float(seed)) for number in numbers]
        gone = [f"i{number:04}" for number in rng.integers(0, 150, size=10)]
        for one in (store, truth):
            one.add(batch, vectors(30, seed=seed))
            one.remove(gone)
            one.commit()
        filters = [Filter("price", "at_least", (seed - 2,)), Filter("brand", "none_of", ("Levi's",))]
        query = vectors(1, seed=99)[0]
        for some in ((), filters):
            found, expected = (one.search(query, 20, some) for one in (store, truth))
            assert [hit.item_id for hit in found] == [hit.item_id for hit in expected]
        assert store.fingerprints() == truth.fingerprints()
        assert store.facets() == truth.facets()


@given(st.lists(st.text(max_size=12) | st.sampled_from(["a b", "a_b", "a_u20_b", "A", "a", "", "größe"]), unique=True))
def test_every_attribute_has_a_column_of_its_own_and_comes_back(names: list[str]) -> None:
    columns = [column_name(name) for name in names]
    assert [attribute_name(column) for column in columns] == names
    assert len(set(columns)) == len(names)
    assert all(re.fullmatch("[a-z0-9_]+", column) for column in columns)


# What only an index on disk can do.


@pytest.fixture
def index(tmp_path: Path) -> Path:
    with LanceStore.create(tmp_path / "index", MANIFEST, ann_rows=10) as writer:
        fill(writer, n_items=40)
    return tmp_path / "index"


def test_an_index_is_opened_again_with_all_that_is_in_it(index: Path, truth: MemoryStore) -> None:
    fill(truth, n_items=40)
    reader = LanceStore.open(index, MANIFEST)
    found, expected = (one.search(vectors(1, seed=1)[0], 40) for one in (reader, truth))
    assert [hit.item_id for hit in found] == [hit.item_id for hit in expected]
    assert reader.facets() == truth.facets()
    assert reader.fingerprints() == truth.fingerprints()


@pytest.mark.parametrize("field", ["encoder", "revision", "metric"])
def test_vectors_of_another_encoder_are_refused_with_what_to_do(index: Path, field: str) -> None:
    change: dict[str, Any] = {field: "other"}
    other = dataclasses.replace(MANIFEST, **change)
    for opened in (LanceStore.open, LanceStore.open_or_create):
        with pytest.raises(ManifestError, match=f"{field} .*index the gallery again"):
            opened(index, other)
    with pytest.raises(ManifestError, match="dim 16 instead of 8"):
        LanceStore.open(index, dataclasses.replace(MANIFEST, dim=8))


def test_a_refused_writer_leaves_the_lock_to_others(index: Path) -> None:
    with pytest.raises(ManifestError):
        LanceStore.open_or_create(index, dataclasses.replace(MANIFEST, revision="2"))
    LanceStore.open_or_create(index, MANIFEST).close()


def test_a_missing_index_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="index a gallery"):
        LanceStore.open(tmp_path / "nowhere", MANIFEST)
    assert not (tmp_path / "nowhere").exists()


def test_an_index_is_not_created_over_another(index: Path) -> None:
    with pytest.raises(StoreError, match="already"):
        LanceStore.create(index, MANIFEST)


def damage_manifest(index: Path) -> None:
    (index / "manifest.json").write_text("{")


def damage_layout(index: Path) -> None:
    (index / "manifest.json").write_text(json.dumps({"layout": 99, **dataclasses.asdict(MANIFEST)}))


def damage_table(index: Path) -> None:
    shutil.rmtree(index / "items.lance")


def damage_versions(index: Path) -> None:
    shutil.rmtree(index / "items.lance" / "_versions")


def damage_tag(index: Path) -> None:
    shutil.rmtree(index / "items.lance" / "_refs")


def damage_data(index: Path) -> None:
    for file in (index / "items.lance" / "data").iterdir():
        file.write_bytes(file.read_bytes()[:40])


@pytest.mark.parametrize(
    "damage", [damage_manifest, damage_layout, damage_table, damage_versions, damage_tag, damage_data]
)
def test_a_damaged_index_is_a_store_error_that_says_what_to_do(index: Path, damage: Callable[[Path], None]) -> None:
    damage(index)
    with pytest.raises(StoreError, match="index the gallery again"):
        LanceStore.open(index, MANIFEST).search(vectors(1)[0], 3)


@pytest.mark.parametrize("damage", [damage_manifest, damage_layout, damage_tag, damage_data])
def test_a_damaged_index_is_not_written_to_either(index: Path, damage: Callable[[Path], None]) -> None:
    damage(index)
    with pytest.raises(StoreError, match="index the gallery again"), LanceStore.open_or_create(index, MANIFEST):
        pass


def test_the_fingerprints_of_a_damaged_index_are_a_store_error(index: Path) -> None:
    reader = LanceStore.open(index, MANIFEST)
    damage_data(index)
    with pytest.raises(StoreError, match="index the gallery again"):
        reader.fingerprints()


@pytest.mark.parametrize("damage", [damage_table, damage_versions])
def test_a_table_whose_creation_was_cut_off_is_created_again(index: Path, damage: Callable[[Path], None]) -> None:
    damage(index)
    (index / "items.lance").mkdir(exist_ok=True)
    with LanceStore.open_or_create(index, MANIFEST) as writer:
        writer.add(gallery(5), vectors(5))
        writer.commit()
    assert LanceStore.open(index, MANIFEST).count() == 5


def test_a_place_that_cannot_be_written_is_a_store_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match="--index"):
            LanceStore.open_or_create(place, MANIFEST)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "advice"),
    [("lance error: No space left on device (os error 28), lib.rs:1", "make room"), ("Not found: x.lance", "delete")],
)
def test_what_fails_on_the_disk_says_whether_the_files_are_at_fault(words: str, advice: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=advice), index_directory.disk_errors(tmp_path):
        raise RuntimeError(words)


def test_a_gallery_whose_numbers_became_words_is_told_which_index_to_delete(index: Path) -> None:
    with LanceStore.open_or_create(index, MANIFEST) as writer, pytest.raises(GalleryError, match=f"delete {index}"):
        writer.add([item(1, price="cheap")], vectors(1))


def test_an_index_can_be_copied_to_another_place(index: Path, tmp_path: Path) -> None:
    index.rename(tmp_path / "elsewhere")
    assert LanceStore.open(tmp_path / "elsewhere", MANIFEST).count() == 40


def test_an_encoder_of_another_metric_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cosine"):
        LanceStore.create(tmp_path / "index", dataclasses.replace(MANIFEST, metric="dot"))


def test_many_threads_search_while_one_writes(index: Path) -> None:
    reader = LanceStore.open(index, MANIFEST)

    def look(seed: int) -> int:
        return len(reader.search(vectors(1, seed=seed)[0], 1000, [Filter("brand", "none_of", ("Nobody",))]))

    with LanceStore.open_or_create(index, MANIFEST, ann_rows=10) as writer, ThreadPoolExecutor(4) as pool:
        found = [pool.submit(look, seed) for seed in range(40)]
        for number in range(3):
            writer.add([item(500 + number, brand="New")], vectors(1, seed=number))
            writer.commit()
        assert {one.result() for one in found} <= {40, 41, 42, 43}


def test_a_search_is_asked_again_when_its_version_is_cleaned_up_meanwhile(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = LanceStore.open(index, MANIFEST)
    search, asked = Version.search, []

    def overtaken(version: Version, *arguments: Any) -> list[Hit]:
        asked.append(version.number)
        if len(asked) == 1:
            with LanceStore.open_or_create(index, MANIFEST) as writer:
                fill(writer, n_items=60)
        return search(version, *arguments)

    monkeypatch.setattr(Version, "search", overtaken)
    assert len(reader.search(vectors(1)[0], 1000)) == 60
    assert len(asked) == 2


def test_a_reader_cannot_write(index: Path) -> None:
    reader = LanceStore.open(index, MANIFEST)
    with pytest.raises(StoreError, match="reading only"):
        reader.add(gallery(1), vectors(1))
    with pytest.raises(StoreError, match="reading only"):
        reader.remove(["i0001"])
    with pytest.raises(StoreError, match="reading only"):
        reader.commit()


def test_a_second_writer_is_refused_until_the_first_is_done(index: Path) -> None:
    with LanceStore.open_or_create(index, MANIFEST):
        with pytest.raises(StoreError, match="Another process is indexing"):
            LanceStore.open_or_create(index, MANIFEST)
        assert LanceStore.open(index, MANIFEST).count() == 40
    LanceStore.open_or_create(index, MANIFEST).close()


def test_an_open_reader_sees_each_commit_and_only_whole_ones(index: Path) -> None:
    reader = LanceStore.open(index, MANIFEST)
    with LanceStore.open_or_create(index, MANIFEST, ann_rows=10) as writer:
        for round_number in range(1, 4):
            writer.add([item(1000 + round_number, brand="New")], vectors(1, seed=round_number))
            assert reader.count() == 40 + round_number - 1
            writer.commit()
            assert reader.count() == 40 + round_number
            assert reader.search(vectors(1, seed=round_number)[0], 1)[0].item_id == f"i{1000 + round_number}"
            assert reader.get([f"i{1000 + round_number}"])[0].attributes == {"brand": "New"}


def test_a_commit_leaves_one_version_and_no_litter(index: Path) -> None:
    def files() -> set[str]:
        return {str(file.relative_to(index)) for file in index.rglob("*") if file.is_file()}

    with LanceStore.open_or_create(index, MANIFEST, ann_rows=10) as writer:
        before = len(files())
        for seed in range(5):
            writer.add(gallery(40), vectors(40, seed=seed))
            writer.commit()
        assert len(files()) <= before + 12
        assert len([name for name in files() if name.endswith(".manifest")]) <= 2
        published = files()
        writer.commit()
        assert files() == published
    assert {path.name for path in index.iterdir()} <= {"manifest.json", "items.lance", "writer.lock"}


def test_an_ann_index_that_grew_by_many_commits_is_built_anew(index: Path, truth: MemoryStore) -> None:
    parts = []
    with LanceStore.open_or_create(index, MANIFEST, ann_rows=10) as writer:
        for number in range(40, 40 + MAX_INDEX_PARTS + 2):
            writer.add([item(number)], vectors(1, seed=number))
            writer.commit()
            parts.append(lancedb.connect(index).open_table(TABLE).index_stats(VECTOR_INDEX).num_indices)
    assert parts[0] == 2
    assert max(parts) == MAX_INDEX_PARTS
    fill(truth, n_items=40)
    for number in range(40, 40 + MAX_INDEX_PARTS + 2):
        truth.add([item(number)], vectors(1, seed=number))
    truth.commit()
    found, expected = (one.search(vectors(1, seed=1)[0], 60) for one in (LanceStore.open(index, MANIFEST), truth))
    assert [hit.item_id for hit in found] == [hit.item_id for hit in expected]


KILLED = """
import os, signal, sys
sys.path[:0] = [{root!r}, {tests!r}]
from test_stores import *
writer = LanceStore.open_or_create({path!r}, MANIFEST)
writer.remove(["i0000"])
writer.add(gallery(100)[50:], vectors(100)[50:])
print("added", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_leaves_the_last_version_and_its_rows_to_the_next_run(index: Path) -> None:
    reader = LanceStore.open(index, MANIFEST)
    code = textwrap.dedent(KILLED).format(root=str(ROOT), tests=str(Path(__file__).parent), path=str(index))
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert killed.stdout == "added\n", killed.stderr
    assert killed.returncode < 0
    for one in (reader, LanceStore.open(index, MANIFEST)):
        assert one.count() == 40
        assert one.get(["i0000"])
    with LanceStore.open_or_create(index, MANIFEST) as writer:
        assert len(writer.fingerprints()) == 89
        assert writer.count() == 40
        writer.commit()
    assert reader.count() == 89


def test_an_index_that_was_never_finished_is_not_served(tmp_path: Path) -> None:
    with LanceStore.create(tmp_path / "index", MANIFEST) as writer:
        writer.add(gallery(5), vectors(5))
    with pytest.raises(StoreError, match="never finished"):
        LanceStore.open(tmp_path / "index", MANIFEST)


READER = """
import sys
sys.path[:0] = [{root!r}, {tests!r}]
from test_stores import *
reader = LanceStore.open({path!r}, MANIFEST)
sizes = []
print("ready", flush=True)
while not sizes or sizes[-1] < 140:
    hits = reader.search(vectors(1)[0], 1000)
    sizes.append(len(hits))
print(sorted(set(sizes)))
"""


def test_another_process_reads_while_this_one_writes(index: Path) -> None:
    code = textwrap.dedent(READER).format(root=str(ROOT), tests=str(Path(__file__).parent), path=str(index))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        with LanceStore.open_or_create(index, MANIFEST, ann_rows=10) as writer:
            for start in range(40, 140, 20):
                batch = [item(number, brand="New") for number in range(start, start + 20)]
                writer.add(batch[:10], vectors(10, seed=start))
                writer.add(batch[10:], vectors(10, seed=start + 1))
                writer.commit()
        seen = json.loads(process.communicate(timeout=20)[0])
    assert set(seen) <= {40, 60, 80, 100, 120, 140}
    assert seen[-1] == 140

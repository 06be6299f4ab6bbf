"""What is replayed: the benchmark as it was asked for, its sessions, its gallery as an index."""

import os
from dataclasses import replace

import pytest

from eval.opening import (
    Request,
    gallery_items,
    hash_of,
    index_gallery,
    is_described,
    open_stage,
    open_system,
    picture_of,
    read_requested,
    references_stay,
    sessions_of,
)
from eval.runs import RunError
from retrieval.benchmark import RecordedTurn, Task
from retrieval.errors import BenchmarkError
from retrieval.gallery import Skipped
from retrieval.schema import Image


@pytest.fixture(scope="module")
def benchmark(benchmark_folder):
    return read_requested(Request(benchmark_folder))


@pytest.fixture(scope="module")
def described(described_folder):
    return read_requested(Request(described_folder))


def test_sessions_of_a_split_come_in_the_order_of_the_file_and_the_first_alone_on_request(benchmark, benchmark_folder):
    request = Request(benchmark_folder)
    found = sessions_of(benchmark, request)
    assert [session.session_id for session in found] == ["s1", "s2", "s3", "s4", "s5", "s6"]
    assert sessions_of(benchmark, replace(request, limit=2)) == found[:2]
    assert [each.session_id for each in sessions_of(benchmark, replace(request, split="train"))] == ["s7"]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(benchmark, benchmark_folder, limit):
    with pytest.raises(RunError, match=f"--limit is {limit}"):
        sessions_of(benchmark, Request(benchmark_folder, limit=limit))


def test_a_session_that_shows_what_there_is_not_is_refused(benchmark, benchmark_folder):
    turn = RecordedTurn(1, Task.CIR, "d", "in blue", "squares/dress-blue", ("squares/gone",))
    spoilt = replace(benchmark, sessions=(replace(benchmark.sessions[0], turns=(turn,)),))
    with pytest.raises(BenchmarkError, match=r"squares/gone.*lacks"):
        sessions_of(spoilt, Request(benchmark_folder))


def test_pictures_named_in_the_request_come_before_those_of_the_benchmark(benchmark_folder, tmp_path):
    asked = read_requested(Request(benchmark_folder, pictures={"squares": tmp_path}))
    assert asked.picture_path("squares/street") == tmp_path / "street.png"


def test_a_gallery_is_of_pictures_or_of_words_but_not_of_both(benchmark, described):
    assert not is_described(benchmark)
    assert is_described(described)
    one = next(image for image in described.images.values() if image.in_gallery)
    mixed = replace(described, images={**described.images, one.image_id: replace(one, path="x.png")})
    with pytest.raises(BenchmarkError, match="19 of 20 gallery items"):
        is_described(mixed)
    with pytest.raises(BenchmarkError, match="is empty"):
        is_described(replace(described, images={}))


@pytest.mark.parametrize(("card", "stay"), [({}, False), ({"references_stay": True}, True)])
def test_the_card_says_whether_references_stay(described, card, stay):
    assert references_stay(replace(described, card=card)) is stay


def test_a_card_that_says_so_in_another_way_is_refused(described):
    with pytest.raises(BenchmarkError, match="neither true nor false"):
        references_stay(replace(described, card={"references_stay": "yes"}))


def test_gallery_items_are_in_the_order_of_their_ids_with_what_cannot_be_read(make, recorded_sessions, tmp_path):
    folder = make(tmp_path / "b", recorded_sessions[:1])
    (folder / "pictures" / "dress-blue.png").unlink()
    entries = list(gallery_items(read_requested(Request(folder))))
    (skipped,) = (entry for entry in entries if isinstance(entry, Skipped))
    assert "cannot be read" in str(skipped)
    ids = [entry.item_id for entry in entries if not isinstance(entry, Skipped)]
    assert ids == sorted(ids)
    assert len(ids) == 19


def test_a_picture_is_named_by_its_bytes_and_words_by_their_item(benchmark, described):
    red = picture_of(benchmark, benchmark.images["squares/dress-red"])
    assert red.image_id not in benchmark.images
    assert red == picture_of(benchmark, benchmark.images["squares/dress-red"])
    assert picture_of(described, described.images["squares/dress-red"]) == Image("squares/dress-red", "")


@pytest.mark.parametrize("changes", [{"caption": "other"}, {"attributes": {"colour": "Pink"}}, {"item_id": "other"}])
def test_the_hash_is_of_all_that_the_agent_sees_and_of_no_order(described, changes):
    items = list(gallery_items(described))
    assert hash_of(items) == hash_of(items[::-1])
    assert hash_of([replace(items[0], **changes), *items[1:]]) != hash_of(items)


def test_an_index_is_found_again_and_written_where_it_is_asked_for(described, described_folder, tmp_path):
    request = Request(described_folder, index=tmp_path)
    encoder = open_system(request, described)
    first = index_gallery(request, described, encoder)
    assert (first.index.parent, first.n_items, first.n_skipped) == (tmp_path, 20, 0)
    assert first.gallery_hash == hash_of(list(gallery_items(described)))
    assert index_gallery(request, described, encoder) == first
    assert list(tmp_path.iterdir()) == [first.index]
    stage = open_stage(replace(request, depth=None), first.index)
    assert (stage.depth, stage.references_stay) == (20, False)


def test_a_pipe_in_a_pictures_place_is_left_out_and_not_waited_for(make, recorded_sessions, tmp_path):
    folder = make(tmp_path / "b", recorded_sessions)
    benchmark = read_requested(Request(folder))
    path = benchmark.picture_path(benchmark.gallery()[0].image_id)
    path.unlink()
    os.mkfifo(path)
    assert [type(entry) is Skipped for entry in gallery_items(benchmark)][:2] == [True, False]


def test_no_store_is_asked_for_more_than_it_holds(benchmark, benchmark_folder, tmp_path):
    request = Request(benchmark_folder, depth=999_999_999, index=tmp_path)
    index = index_gallery(request, benchmark, open_system(request, benchmark)).index
    assert open_stage(request, index).depth == len(benchmark.gallery())

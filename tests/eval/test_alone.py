"""Turns ranked by a system alone: what is left out, pools, the live user, leaks, failures."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eval.alone import Gallery, Protocol, Ranker, alone, rank, read_gallery
from eval.compare import comparison_table
from eval.opening import Request, index_gallery, open_system, picked, read_requested, read_system
from eval.report import as_markdown, sections_of
from eval.runs import RunError, read_run
from retrieval.benchmark import Benchmark, BenchmarkImage, RecordedSession, RecordedTurn, Task
from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import EncoderError, ImageError
from retrieval.protocols import Manifest
from retrieval.recorded import query_of
from retrieval.schema import Hit, Image, Item, Query
from retrieval.stores.memory import MemoryStore
from retrieval.stores.pool import PoolStore

N = 40
IDS = tuple(f"g/{number:02}" for number in range(N))


def towards(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)], np.float32)


GALLERY = Gallery(IDS, np.stack([towards(0.02 * number) for number in range(N)]))
"""On an arc: the nearest to g/00 are g/01, g/02, ..."""


class Pointing:
    """A query's words name the item that its vector points at; notes what it was asked."""

    manifest = Manifest("pointing", "1", 2)

    def __init__(self) -> None:
        self.asked: list[Query] = []

    def encode_queries(self, queries: Sequence[Query]) -> np.ndarray:
        self.asked += queries
        if any(query.text == "broken" for query in queries):
            raise ImageError("A picture cannot be read.")
        return np.stack([GALLERY.embeddings[GALLERY.row[query.text]] for query in queries])


def benchmark(*sessions: RecordedSession, pools=None, qrels=None) -> Benchmark:
    images = {each: BenchmarkImage(each, "g", f"{each}.png", in_gallery=True) for each in IDS}
    judged = {session.query_id(turn): {turn.chosen: 1} for session in sessions for turn in session.turns}
    return Benchmark(Path("b"), {}, sessions, images, judged if qrels is None else qrels, pools or {}, {"g": Path("p")})


def turn(number: int, text: str, chosen: str, *references: str, back: int | None = None, task=Task.CIR) -> RecordedTurn:
    return RecordedTurn(number, task, "d", text, chosen, references, back)


def session(*turns: RecordedTurn, name: str = "s") -> RecordedSession:
    return RecordedSession(name, "test", turns)


def played(made: Benchmark, history="recorded", encoder=None, references="previous", **changes):
    protocol = Protocol(history, references, changes.pop("depth", 10), **changes)
    return Ranker(made, encoder or Pointing(), GALLERY, protocol).play(made.sessions)


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.item_id for hit in hits]


# --- one ranking -----------------------------------------------------------------------------------------------------


def test_the_nearest_come_first_without_what_is_left_out():
    assert ids(rank(GALLERY, towards(0.0), 3)) == ["g/00", "g/01", "g/02"]
    assert ids(rank(GALLERY, towards(0.0), 3, ["g/01", "elsewhere"])) == ["g/00", "g/02", "g/03"]
    assert rank(GALLERY, towards(0.0), 1)[0].score == pytest.approx(1.0)
    assert ids(rank(GALLERY, towards(0.0), 5, ["g/09"], ["g/30", "g/09", "g/02", "gone"])) == ["g/02", "g/30"]
    assert len(rank(GALLERY, towards(0.0), 99, ["g/00"])) == N - 1


def test_items_of_one_score_are_ranked_by_their_ids_whatever_the_cut():
    tied = Gallery(IDS, np.stack([towards(0.3)] * N))
    assert ids(rank(tied, towards(0.3), 4)) == list(IDS[:4])


def test_a_ranking_is_that_of_the_stores():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(N, 16)).astype(np.float32)
    vectors[7] = vectors[23]
    store = MemoryStore(16)
    store.add([Item(each, Image(each, ""), "") for each in IDS], vectors)
    store.commit()
    gallery = Gallery(IDS, store.embeddings(IDS))
    pool = IDS[::3]
    for query in rng.normal(size=(20, 16)).astype(np.float32):
        unit = query / np.linalg.norm(query)
        whole = rank(gallery, unit, 9, ["g/05"]), store.search(query, 9, exclude=["g/05"])
        within = rank(gallery, unit, 99, ["g/06"], pool), PoolStore(store, pool).search(query, 99, exclude=["g/06"])
        for ours, theirs in (whole, within):
            assert ids(ours) == ids(theirs)
            assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs], abs=2e-6)


# --- sessions --------------------------------------------------------------------------------------------------------


def test_what_a_query_starts_from_is_in_no_ranking_unless_the_benchmark_keeps_it():
    made = benchmark(session(turn(1, "g/00", "g/01"), turn(2, "g/00", "g/02", "g/01")))
    first, second = played(made, depth=3)
    assert ids(first.hits) == ["g/00", "g/01", "g/02"]
    assert ids(second.hits) == ["g/00", "g/02", "g/03"]
    assert [record.n_candidates for record in (first, second)] == [N, N - 1]
    assert second.references == ("g/01",)
    kept = played(made, depth=3, references_stay=True)[1]
    assert (ids(kept.hits), kept.n_candidates) == (["g/00", "g/01", "g/02"], N)


def test_a_relevant_item_that_is_left_out_is_noted():
    made = benchmark(session(turn(1, "g/00", "g/01", "g/05")), qrels={"s/1": {"g/05": 1, "g/01": 2}})
    (record,) = played(made)
    assert record.left_out == ("g/05",)
    assert record.relevant == {"g/05": 1, "g/01": 2}


def test_a_query_with_candidates_of_its_own_ranks_them_all_and_nothing_else():
    asked = session(turn(1, "g/00", "g/20", "g/10", task=Task.ASFR))
    (record,) = played(benchmark(asked, pools={"s/1": ("g/30", "g/20", "g/10", "g/05")}), depth=1)
    assert ids(record.hits) == ["g/05", "g/20", "g/30"]
    assert (record.in_pool, record.n_candidates) == (True, 3)


def test_who_goes_back_starts_from_the_turn_before_or_from_where_the_references_say():
    turns = (turn(1, "g/00", "g/01"), turn(2, "g/00", "g/02", "g/01"), turn(3, "g/00", "g/03", "g/01", back=1))
    made = benchmark(session(*turns))
    for references, start, n_history in (("previous", "g/02", 2), ("resolved", "g/01", 1)):
        encoder = Pointing()
        assert played(made, references=references, encoder=encoder)[2].references == (start,)
        assert len(encoder.asked[2].history) == n_history


def test_the_live_user_takes_the_recorded_choice_among_the_first_24_and_else_the_best():
    assert picked([Hit(each, 0.5) for each in IDS], "g/23") == "g/23"
    assert picked([Hit(each, 0.5) for each in IDS], "g/24") == "g/00"
    assert picked([], "g/24") is None
    for chosen, start in (("g/23", "g/23"), ("g/24", "g/00")):
        made = benchmark(session(turn(1, "g/00", chosen), turn(2, "g/10", "g/11", chosen)))
        assert played(made, "live", depth=1)[1].references == (start,)
        assert played(made, "recorded", depth=1)[1].references == (chosen,)


def test_where_a_live_turn_found_nothing_the_next_one_starts_from_words_alone():
    encoder = Pointing()
    made = benchmark(session(turn(1, "broken", "g/01"), turn(2, "g/00", "g/02", "g/01")))
    first, second = played(made, "live", encoder)
    assert (first.error, first.hits) == ("ImageError: A picture cannot be read.", ())
    assert (second.references, second.error) == ((), "")
    assert encoder.asked[-1].history[0].target is None


def test_a_query_that_fails_costs_no_other_its_answer_and_is_counted():
    made = benchmark(*(session(turn(1, text, "g/00"), name=text) for text in ("g/00", "broken", "g/01")))
    records = played(made)
    assert [bool(record.error) for record in records] == [False, True, False]
    assert [record.query_id for record in records] == ["g/00/1", "broken/1", "g/01/1"]
    assert records[1].relevant == {"g/00": 1}


def test_a_vector_that_is_not_finite_fails_its_own_query():
    class Spoilt(Pointing):
        def encode_queries(self, queries):
            vectors = super().encode_queries(queries)
            vectors[[query.text == "g/05" for query in queries]] = np.nan
            return vectors

    made = benchmark(*(session(turn(1, text, "g/00"), name=text) for text in ("g/00", "g/05")))
    assert [record.error[:10] for record in played(made, encoder=Spoilt())] == ["", "StoreError"]


def test_a_turn_without_judgements_keeps_what_a_shop_shows():
    (record,) = played(benchmark(session(turn(1, "g/00", "g/01")), qrels={}), depth=30)
    assert (record.relevant, len(record.hits)) == (None, 24)


# --- on pictures -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def squares(benchmark_folder) -> Benchmark:
    return read_requested(Request(benchmark_folder))


@pytest.fixture(scope="module")
def hashed(squares) -> Gallery:
    from retrieval.images import open_picture

    images = squares.gallery()
    pictures = [open_picture(str(squares.picture_path(image.image_id))) for image in images]
    items = [Item(image.image_id, Image(image.image_id, ""), image.caption) for image in images]
    return Gallery([item.item_id for item in items], HashingEncoder().encode_items(items, pictures))


def rankings(ranker: Ranker, session: RecordedSession) -> list[tuple[Hit, ...]]:
    return [record.hits for record in ranker.play([session])]


@pytest.mark.parametrize(
    ("history", "references"), list(itertools.product(["recorded", "live"], ["previous", "resolved"]))
)
def test_neither_choices_nor_judgements_of_this_and_later_turns_change_a_ranking(squares, hashed, history, references):
    protocol = Protocol(history, references, 20)
    (session,) = (each for each in squares.sessions if each.session_id == "s1")
    truth = rankings(Ranker(squares, HashingEncoder(), hashed, protocol), session)
    chosen = [turn.chosen for turn in session.turns]
    for place in range(len(session.turns)):
        for others in itertools.permutations(chosen[place:]):
            turns = zip(session.turns, (*chosen[:place], *others), strict=True)
            # what later turns start from is left as it was: only the choices themselves move
            changed = replace(session, turns=tuple(replace(turn, chosen=other) for turn, other in turns))
            qrels = {**squares.qrels, **{f"s1/{number + 1}": {others[0]: 1} for number in range(place, len(chosen))}}
            ranker = Ranker(replace(squares, qrels=qrels), HashingEncoder(), hashed, protocol)
            assert rankings(ranker, changed)[: place + 1] == truth[: place + 1]


def test_sessions_side_by_side_are_ranked_as_one_by_one(squares, hashed):
    ranker = Ranker(squares, HashingEncoder(), hashed, Protocol("live", "previous", 20))
    sessions = squares.split("test")
    alone = [record for session in sessions for record in ranker.play([session])]
    together = ranker.play(sessions)
    assert [replace(record, ms=0.0) for record in together] == [replace(record, ms=0.0) for record in alone]


def test_words_stand_for_pictures_in_a_query_too(described_folder):
    described = read_requested(Request(described_folder))
    (session,) = (each for each in described.sessions if each.session_id == "s1")
    query = query_of(described, session, session.turns[1], ["squares/dress-red"], "previous")
    assert query.references == (Image("squares/dress-red", ""),)


# --- whole runs ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alone_run(benchmark_folder, tmp_path_factory):
    return alone(Request(benchmark_folder), tmp_path_factory.mktemp("runs") / "alone", progress=False)


def test_a_run_names_system_protocol_and_gallery(alone_run, run):
    settings = alone_run.settings
    card = json.loads((DEFAULT_FOLDER / "card.json").read_text())
    assert settings["system"] == {"kind": "late_fusion", "name": card["name"], "query_revision": card["revision"]}
    assert (settings["protocol"], settings["references"], settings["history"]) == ("alone", "previous", "recorded")
    assert run.settings["protocol"] == "agent"
    for name in ("system", "gallery_hash", "encoder", "n_queries", "checksum"):
        assert settings[name] == run.settings[name], name
    assert len(alone_run.turns) == 13


def test_it_is_reported_and_compared_like_a_replay(alone_run, run):
    text = as_markdown("", sections_of(alone_run))
    assert "How turns were understood" not in text
    assert "Items that a query starts from are left out of it" in text
    assert "references=previous" in text
    assert "whole gallery: 12 queries" in comparison_table(alone_run, run)


def test_an_interrupted_one_goes_on_and_a_finished_one_is_read(alone_run, benchmark_folder, tmp_path):
    lines = (alone_run.folder / "turns.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "settings.json").write_bytes((alone_run.folder / "settings.json").read_bytes())
    (tmp_path / "turns.jsonl").write_text("".join(lines[:5]))
    resumed = alone(Request(benchmark_folder), tmp_path, progress=False)
    assert resumed.turns[:4] == alone_run.turns[:4]
    assert [record.query_id for record in resumed.turns] == [record.query_id for record in alone_run.turns]
    assert alone(Request(benchmark_folder), tmp_path, progress=False).turns == resumed.turns
    with pytest.raises(RunError, match="another references"):
        alone(Request(benchmark_folder), tmp_path, "resolved", progress=False)


def system(folder: Path, **card) -> Path:
    """The shipped weights under another card."""
    folder.mkdir()
    for path in DEFAULT_FOLDER.iterdir():
        (folder / path.name).symlink_to(path)
    (folder / "card.json").unlink()
    written = {**json.loads((DEFAULT_FOLDER / "card.json").read_text()), **card}
    (folder / "card.json").write_text(json.dumps(written))
    return folder


def test_another_system_over_the_same_towers_shares_the_index_and_not_the_run(benchmark_folder, tmp_path, alone_run):
    folder = system(tmp_path / "other", query_revision="q2")
    request = Request(benchmark_folder, encoder=folder)
    benchmark = read_requested(request)
    assert read_system(folder).query_revision == "q2"
    one, other = (open_system(each, benchmark) for each in (request, Request(benchmark_folder)))
    indexed = index_gallery(request, benchmark, one)
    assert indexed == index_gallery(Request(benchmark_folder), benchmark, other)
    assert len(read_gallery(indexed.index, one.manifest).item_ids) == 20
    with pytest.raises(RunError, match="another system"):
        alone(request, alone_run.folder, progress=False)


def test_words_for_pictures_are_for_late_fusion_alone(described_folder, tmp_path):
    run = alone(Request(described_folder), tmp_path / "run", progress=False)
    assert read_run(run.folder).settings["n_queries"] == 2
    assert not any(record.error for record in run.turns)
    folder = system(tmp_path / "other", kind="fashion_am", query_revision="q1")
    with pytest.raises(EncoderError, match=r"only late fusion reads.*'fashion_am'"):
        alone(Request(described_folder, encoder=folder), tmp_path / "none", progress=False)

import logging
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as Pictures

from agent.assistant import Assistant
from agent.opening import sentences_of
from agent.planners.rules import RulesPlanner
from eval.rqbench import system_vectors
from eval.rqbench.system_encoder import open_shipped
from eval.rqbench.system_index import gallery_attributes, index_candidates
from eval.rqbench.systems import known_systems, open_system
from retrieval.errors import BenchmarkError, EncoderError
from retrieval.images import open_picture
from retrieval.retriever import Retriever
from retrieval.rq_benchmark import PICTURES, Listing, RQBenchmark
from retrieval.schema import Message, Query, Session

SHADES = {"Red": (200, 20, 30), "Blue": (20, 40, 200), "Green": (30, 150, 40)}


@pytest.fixture(scope="module")
def pictured(small: RQBenchmark, tmp_path_factory: pytest.TempPathFactory) -> RQBenchmark:
    """The small benchmark with a picture of its own for each product, in its colour."""
    folder = tmp_path_factory.mktemp("pictured")
    (folder / PICTURES).mkdir()
    listings = {}
    for number, listing in enumerate(small.listings.values()):
        picture = Pictures.new("RGB", (60, 80), "white")
        picture.paste(SHADES[str(listing.attributes["colour"])], (5, 5, 30 + number % 20, 40 + number % 30))
        picture.save(folder / PICTURES / f"{listing.item_id}.png")
        listings[listing.item_id] = replace(listing, picture=f"{listing.item_id}.png")
    return replace(small, folder=folder, listings=listings)


@pytest.fixture(scope="module")
def encoder():
    return open_shipped(None).encoder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def agent(cache):
    return open_system("agent", cache)


def asking(benchmark: RQBenchmark, **texts: str) -> RQBenchmark:
    """With other queries, which have all products as candidates of T1."""
    one = next(iter(benchmark.queries.values()))
    queries = {query_id: replace(one, query_id=query_id, text=text) for query_id, text in texts.items()}
    everything = dict.fromkeys(benchmark.listings, "exact")
    return replace(
        benchmark, queries=queries, candidates={**benchmark.candidates, "T1": dict.fromkeys(queries, everything)}
    )


def everything(benchmark: RQBenchmark) -> dict[str, list[str]]:
    return {query_id: list(benchmark.listings) for query_id in benchmark.queries}


def scored(system, benchmark: RQBenchmark) -> dict[str, float]:
    """All products by their score for query q."""
    return dict(zip(benchmark.listings, system.score(benchmark, everything(benchmark))["q"], strict=True))


def test_an_unknown_system_is_answered_with_the_known_ones(tmp_path):
    with pytest.raises(BenchmarkError, match=r"'bm52'.*bm25, minilm, encoder:text.*agent.*splade"):
        open_system("bm52", tmp_path)


def test_every_system_of_the_papers_table_2_has_a_name():
    assert {"bm25", "roberta-large", "simcse", "sentence-t5", "qwen3-embedding-4b"} <= set(known_systems())


def test_bm25_has_no_weights_to_be_named(tmp_path):
    with pytest.raises(BenchmarkError, match="no weights"):
        open_system("bm25@folder", tmp_path)


def listed(benchmark: RQBenchmark, *texts: str) -> RQBenchmark:
    listings = {f"p{at}": Listing(f"p{at}", text, text, {}, (0, 0, 0)) for at, text in enumerate(texts)}
    return replace(benchmark, listings=listings)


def test_bm25_counts_stems_over_all_listings_and_gives_0_without_a_common_word(small, tmp_path):
    texts = ["red dresses", "red shirt with the red stripes red", "blue jeans", "green jeans", "red dress red dress"]
    benchmark = asking(listed(small, *texts), q="The dress, in red!", other="zebra", stop="with the")
    system = open_system("bm25", tmp_path)
    asked = {"q": ["p4", "p2", "p0", "p1"], "other": ["p0", "p2"], "stop": ["p1"]}
    found = system.score(benchmark, asked)
    words = [["red", "dress"], ["red", "shirt", "red", "stripe", "red"], ["blue", "jean"], ["green", "jean"],
             ["red", "dress", "red", "dress"]]  # fmt: skip
    mean = sum(map(len, words)) / len(words)

    def bm25(document: list[str]) -> float:
        total = 0.0
        for word in ("dress", "red"):
            holding = sum(word in each for each in words)
            idf = math.log(1 + (len(words) - holding + 0.5) / (holding + 0.5))
            count = document.count(word)
            total += idf * count / (count + 1.2 * (1 - 0.75 + 0.75 * len(document) / mean))
        return total

    assert found["q"] == pytest.approx([bm25(words[int(item_id[1:])]) for item_id in asked["q"]], rel=1e-5)
    assert found["q"][1] == 0.0
    assert found["other"] == [0.0, 0.0]
    assert found["stop"] == [0.0]


def test_bm25_reads_another_benchmarks_listings_anew(small, tmp_path):
    system = open_system("bm25", tmp_path)
    ask = {"q": ["p0", "p1"]}
    first = system.score(asking(listed(small, "red dress", "blue jeans"), q="red"), ask)["q"]
    second = system.score(asking(listed(small, "blue jeans", "red dress"), q="red"), ask)["q"]
    assert first == second[::-1]
    assert first[0] > first[1]


def test_bm25_tells_nothing_of_how_it_indexes(small, tmp_path, caplog):
    with caplog.at_level(logging.DEBUG):
        open_system("bm25", tmp_path).score(asking(small, q="red"), {"q": []})
    assert not [record for record in caplog.records if record.name == "bm25s"]


def test_minilm_is_the_cosine_in_the_sentence_space(small, encoder, tmp_path):
    pairs = {query_id: list(labels) for query_id, labels in list(small.candidates["T1"].items())[:3]}
    found = open_system("minilm", tmp_path).score(small, pairs)
    for query_id, item_ids in pairs.items():
        query = encoder.encode_sentences([small.queries[query_id].text])
        listings = encoder.encode_sentences([small.listings[item_id].text for item_id in item_ids])
        assert found[query_id] == pytest.approx((listings @ query[0]).tolist(), abs=1e-4)


def test_the_encoder_compares_words_with_words_and_with_pictures(pictured, encoder, cache):
    pairs = {query_id: list(labels) for query_id, labels in list(pictured.candidates["T1"].items())[:2]}
    by_text, by_picture, both = (
        open_system(f"encoder:{kind}", cache).score(pictured, pairs) for kind in ("text", "picture", "both")
    )
    for query_id, item_ids in pairs.items():
        text = pictured.queries[query_id].text
        (query,) = encoder.towers.encode_texts([text])[0]
        (message,) = encoder.encode_queries([Query("", text, request=text)])
        listings = encoder.towers.encode_texts([pictured.listings[item_id].text for item_id in item_ids])[0]
        shown = encoder.encode_pictures([open_picture(str(pictured.picture_path(item_id))) for item_id in item_ids])
        assert by_text[query_id] == pytest.approx((listings @ query).tolist(), abs=1e-4)
        assert by_picture[query_id] == pytest.approx((shown @ message).tolist(), abs=1e-4)
        mean = [(a + b) / 2 for a, b in zip(by_text[query_id], by_picture[query_id], strict=True)]
        assert both[query_id] == pytest.approx(mean, abs=1e-6)


def test_another_folder_is_another_revision(tmp_path):
    shipped, other = open_system("encoder:text", tmp_path), open_system("encoder:text@late-fusion", tmp_path)
    assert other.name == "encoder:text@late-fusion"
    assert shipped.revision != other.revision


def test_a_folder_without_an_encoder_is_refused(tmp_path):
    with pytest.raises(EncoderError, match="There is no encoder in"):
        open_system(f"encoder:picture@{tmp_path}", tmp_path)


def counted(calls: list[int]) -> Callable[[list[str]], np.ndarray]:
    def encode(texts: list[str]) -> np.ndarray:
        calls.append(len(texts))
        return np.array([[len(text), 1.0] for text in texts], np.float32)

    return encode


def test_vectors_that_the_folder_keeps_are_not_encoded_again(tmp_path, monkeypatch):
    monkeypatch.setattr(system_vectors, "PART", 2)
    calls: list[int] = []
    first = system_vectors.text_vectors(["a", "bb", "ccc"], counted(calls), tmp_path, "one")
    again = system_vectors.text_vectors(["ccc", "a", "dddd"], counted(calls), tmp_path, "one")
    system_vectors.text_vectors(["a"], counted(calls), tmp_path, "two")
    assert calls == [2, 1, 1, 1]
    assert {text: vector[0] for text, vector in again.items()} == {"ccc": 3.0, "a": 1.0, "dddd": 4.0}
    assert first["bb"].tolist() == [2.0, 1.0]


def test_an_interrupted_run_keeps_the_parts_that_it_wrote(tmp_path, monkeypatch):
    monkeypatch.setattr(system_vectors, "PART", 2)
    calls: list[int] = []

    def fails_late(texts: list[str]) -> np.ndarray:
        if calls:
            raise KeyboardInterrupt
        return counted(calls)(texts)

    with pytest.raises(KeyboardInterrupt):
        system_vectors.text_vectors(["a", "bb", "ccc"], fails_late, tmp_path, "one")
    system_vectors.text_vectors(["a", "bb", "ccc"], counted(calls), tmp_path, "one")
    assert calls == [2, 1]


def test_a_damaged_file_of_vectors_is_named(tmp_path):
    system_vectors.text_vectors(["a"], counted([]), tmp_path, "one")
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(BenchmarkError, match=rf"{file.name} is damaged"):
        system_vectors.text_vectors(["a"], counted([]), tmp_path, "one")


def test_a_candidate_without_a_picture_is_told(small, tmp_path):
    query_id, labels = next(iter(small.candidates["T1"].items()))
    with pytest.raises(BenchmarkError, match=r"has no picture, which this system reads"):
        open_system("encoder:picture", tmp_path).score(small, {query_id: list(labels)})


def test_a_candidate_whose_picture_is_damaged_is_told(pictured, encoder, tmp_path):
    folder = tmp_path / "damaged"
    (folder / PICTURES).mkdir(parents=True)
    for file in (pictured.folder / PICTURES).iterdir():
        (folder / PICTURES / file.name).write_bytes(file.read_bytes())
    item_id = next(iter(next(iter(pictured.candidates["T1"].values()))))
    (folder / PICTURES / f"{item_id}.png").write_bytes(b"no picture")
    with pytest.raises(BenchmarkError, match=f"1 candidates cannot be indexed, the first, .*{item_id}"):
        index_candidates(replace(pictured, folder=folder), encoder, tmp_path / "index")


def test_the_shop_sees_its_own_names_and_no_missing_values():
    attributes = {"product_type": "Shirts", "occasion": "Casual", "colour": "NA", "brand": "", "price": "1299",
                  "material": "Cotton"}  # fmt: skip
    found = gallery_attributes(Listing("p", "", "", attributes, (0, 0, 0)))
    assert found == {"category": "Shirts", "usage": "Casual", "price": 1299.0, "material": "Cotton"}


def test_the_agent_ranks_what_its_filters_leave_as_it_shows_it_and_the_rest_below(pictured, encoder, agent, cache):
    benchmark = asking(pictured, q="red dresses for women")
    found = scored(agent, benchmark)
    store = index_candidates(benchmark, encoder, cache)
    assistant = Assistant(Retriever(encoder, store), RulesPlanner(sentences_of(encoder)), store.count())
    turn = assistant.respond(Session("q"), Message("red dresses for women"))
    assert turn.plan.filters
    shown = [hit.item_id for hit in turn.ranking.hits]
    assert 0 < len(shown) < len(found)
    by_score = sorted(found, key=lambda item_id: -found[item_id])
    assert by_score[: len(shown)] == shown
    assert [found[item_id] for item_id in shown] == [1 / rank for rank in range(1, len(shown) + 1)]
    query = encoder.encode_queries([turn.query])[0]
    left_out = by_score[len(shown) :]
    cosines = (store.embeddings(left_out) @ query).tolist()
    assert cosines == sorted(cosines, reverse=True)
    assert all(found[item_id] < 0 for item_id in left_out)


def test_the_agents_score_of_a_candidate_does_not_depend_on_the_others_that_are_asked(pictured, agent):
    together = scored(agent, asking(pictured, q="red dresses for women"))
    some = list(pictured.listings)[::7]
    alone = asking(pictured, q="red dresses for women")
    assert agent.score(alone, {"q": some})["q"] == [together[each] for each in some]


def test_a_message_that_asks_for_nothing_is_counted_and_ranked_by_the_encoder(pictured, agent, caplog):
    benchmark = asking(pictured, q="hello")
    with caplog.at_level(logging.WARNING):
        scores = agent.score(benchmark, everything(benchmark))["q"]
    assert "1 of 1 messages led to no search" in caplog.text
    assert max(scores) < 0
    assert len(set(scores)) > len(scores) // 2


def test_the_candidates_are_indexed_once(pictured, encoder, tmp_path, monkeypatch):
    benchmark = asking(pictured, q="red dresses for women")
    item_ids = sorted(benchmark.listings)
    first = index_candidates(benchmark, encoder, tmp_path).embeddings(item_ids)
    monkeypatch.setattr("retrieval.indexing.index", lambda *_args, **_settings: pytest.fail("indexed again"))
    assert (index_candidates(benchmark, encoder, tmp_path).embeddings(item_ids) == first).all()

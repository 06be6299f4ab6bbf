import numpy as np
import pytest

from agent.retrieval_step import retrieve_plan
from retrieval.encoders.hashing import HashingEncoder
from retrieval.retriever import Retriever
from retrieval.schema import Image, Intent, Item, Message, Plan, Session
from retrieval.stores.memory import MemoryStore


@pytest.fixture(scope="module")
def kurtas() -> Retriever:
    """Forty printed ones and three others."""
    names = [f"Printed Kurta {n}" for n in range(40)] + ["Plain Kurta", "Tie Dye Kurta", "Striped Kurta"]
    items = [Item(f"{n:02d}", Image(f"{n}", f"{n}.jpg"), name, {"category": "Kurtas"}) for n, name in enumerate(names)]
    encoder = HashingEncoder()
    store = MemoryStore(encoder.manifest.dim)
    words = np.stack([encoder.encode_queries([_query(item.caption)])[0] for item in items])
    store.add(items, words)
    store.commit()
    return Retriever(encoder, store)


def _query(text: str):
    from retrieval.schema import Query

    return Query("q", text)


def names(retriever: Retriever, *unwanted: str, k: int = 2) -> list[str]:
    plan = Plan(Intent.SEARCH, text="kurta", unwanted_texts=unwanted)
    outcome = retrieve_plan(retriever, Session("s"), Message("kurta"), plan, k)
    return [item.caption for item in outcome.items]


def test_what_a_name_says_to_be_unwanted_is_not_shown_even_behind_many_of_them(kurtas: Retriever) -> None:
    found = names(kurtas, "printed", k=3)
    assert set(found) == {"Plain Kurta", "Tie Dye Kurta", "Striped Kurta"}


def test_of_several_unwanted_words_each_counts_and_a_phrase_only_as_a_whole(kurtas: Retriever) -> None:
    assert set(names(kurtas, "printed", "striped", k=3)) == {"Plain Kurta", "Tie Dye Kurta"}
    assert "Plain Kurta" in names(kurtas, "plain shirt", "printed", k=3)


def test_other_forms_of_a_word_count_and_other_words_do_not(kurtas: Retriever) -> None:
    assert set(names(kurtas, "print", "stripes", k=3)) == {"Plain Kurta", "Tie Dye Kurta"}
    assert "Tie Dye Kurta" in names(kurtas, "print", "die", k=3)

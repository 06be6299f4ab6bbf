import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from retrieval.errors import DependencyError, EncoderError
from retrieval.text_rankers.opening import open_text_ranker
from retrieval.text_rankers.pairs import PairRanker, by_length, read_in_batches, read_rows
from retrieval.text_rankers.recipes import RECIPES, TASK, Dense


@dataclass
class LetterReader:
    """A text is the set of its letters."""

    read: list[str] = field(default_factory=list)
    revision: str = "letters"

    def queries(self, texts: Sequence[str]) -> list[set[str]]:
        return [set(text) for text in texts]

    def listings(self, texts: Sequence[str]) -> list[set[str]]:
        self.read += texts
        return [set(text) for text in texts]

    def similarity(self, query: set[str], listing: set[str]) -> float:
        return float(len(query & listing))


def test_scores_come_in_the_order_of_the_pairs():
    pairs = [("abc", "a"), ("a", "abc"), ("abc", "abc"), ("x", "a"), ("abc", "a")]
    assert PairRanker(LetterReader()).logits(pairs) == [1.0, 1.0, 3.0, 0.0, 1.0]


def test_no_listing_is_read_twice():
    reader = LetterReader()
    ranker = PairRanker(reader)
    ranker.logits([("a", "abc"), ("b", "abc"), ("a", "d")])
    ranker.logits([("c", "abc"), ("c", "e")])
    assert reader.read == ["abc", "d", "e"]


def test_batches_hold_each_text_once_and_stay_within_the_budget():
    lengths = [3, 50, 7, 7, 1, 20, 20, 2]
    batches = list(by_length(lengths, max_tokens=40, max_rows=3))
    assert sorted(at for batch in batches for at in batch) == list(range(len(lengths)))
    assert batches[0] == [1]  # longer than the budget: alone
    assert all(len(batch) * max(lengths[at] for at in batch) <= 40 and len(batch) <= 3 for batch in batches[1:])


def test_batched_outcomes_come_in_the_order_of_the_texts():
    rows = [[1], [1, 2, 3], [5, 5]]
    assert read_rows(rows, lambda batch: [sum(row) for row in batch], "cpu", "Sums") == [1, 6, 10]
    assert read_in_batches([], lambda batch: batch, "cpu", "Nothing") == []


def test_an_unknown_text_ranker_is_answered_with_the_known_ones():
    with pytest.raises(EncoderError, match=r"'oracle'.*splade, colbert, contriever.*cross-encoder"):
        open_text_ranker("oracle")


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
@pytest.mark.parametrize("name", RECIPES)
def test_without_torch_the_error_says_what_to_install(name):
    with pytest.raises(DependencyError, match=r"requirements-train\.txt"):
        open_text_ranker(name, "/nowhere")


def test_the_large_models_read_the_instruction_before_queries_and_their_last_token_in_half_precision():
    large = [recipe for recipe in RECIPES.values() if isinstance(recipe, Dense) and recipe.pooling == "last"]
    assert len(large) == 5
    assert all(TASK in recipe.query_prefix and recipe.bfloat16 for recipe in large)
    assert {recipe.max_length for recipe in large} == {8192, 4096}

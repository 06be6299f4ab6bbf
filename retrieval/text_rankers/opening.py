"""Opens a text ranker by its name, from the hub or from a folder. Needs torch only when one is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.errors import DependencyError, EncoderError
from retrieval.text_rankers.pairs import PairRanker
from retrieval.text_rankers.recipes import RECIPES, CrossEncoder, Dense, MultiVector, Sparse

if TYPE_CHECKING:
    from retrieval.text_rankers.pairs import TextRanker
    from retrieval.text_rankers.recipes import Recipe


def open_text_ranker(name: str, place: str | None = None, device: str | None = None) -> TextRanker:
    """name: one of RECIPES. place: a hub name or a folder in place of the recipe's own checkpoint. device: None is the
    GPU where there is one.

    Raises EncoderError for an unknown name, a checkpoint that cannot be had or is of another kind, a device that is not
    there; DependencyError without torch or transformers.
    """
    if name not in RECIPES:
        raise EncoderError(f"There is no text ranker {name!r}. Known: {', '.join(RECIPES)}.")
    recipe = RECIPES[name]
    try:
        return _opened(recipe, place or recipe.hub, device)
    except ImportError as error:  # transformers raises a bare one for what a tokenizer needs
        raise DependencyError(
            f"The text ranker {name} needs {error.name or error}. Install it: pip install -r requirements-train.txt"
        ) from error


def _opened(recipe: Recipe, place: str, device: str | None) -> TextRanker:
    match recipe:
        case Dense():
            from retrieval.text_rankers.dense import DenseReader

            return PairRanker(DenseReader.open(recipe, place, device))
        case Sparse():
            from retrieval.text_rankers.sparse import SparseReader

            return PairRanker(SparseReader.open(recipe, place, device))
        case MultiVector():
            from retrieval.text_rankers.multi_vector import MultiVectorReader

            return PairRanker(MultiVectorReader.open(recipe, place, device))
        case CrossEncoder():
            from retrieval.text_rankers.cross_encoder import CrossEncoderOracle

            return CrossEncoderOracle.open(recipe, place, device)

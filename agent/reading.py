"""What a message says, before anybody asks what it means here: words, values, prices, comparisons and negations.

Everything is found as a span of the corrected lower-case text, so that each later step can take its words out of the
rest: what no step takes is what the encoder gets to see.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent.comparisons import Comparison, find_comparisons
from agent.mentions import Mention, find_mentions
from agent.negations import Negation, find_negations
from agent.prices import Price, find_prices
from agent.spelling import correct
from agent.vocabulary import Lexicon
from agent.words import emoji


@dataclass(frozen=True, slots=True)
class Reading:
    text: str
    mentions: tuple[Mention, ...]
    prices: tuple[Price, ...]
    comparisons: tuple[Comparison, ...]
    negations: tuple[Negation, ...]
    corrections: tuple[str, ...]
    """Notes on words that were read as others."""

    def mentioned(self, attribute: str) -> tuple[Mention, ...]:
        """Mentions of an attribute; a style that names a garment counts as its category."""
        is_category = attribute == "category"
        return tuple(m for m in self.mentions if m.attribute == attribute or (is_category and m.meaning.is_kind))


def read(text: str, lexicon: Lexicon, known_words: frozenset[str]) -> Reading:
    corrected, corrections = correct(_plain(text), lexicon, known_words)
    comparisons = find_comparisons(corrected)
    prices = find_prices(corrected)
    taken = [comparison.span for comparison in comparisons] + [price.span for price in prices]
    mentions = find_mentions(corrected, lexicon, taken)
    return Reading(corrected, mentions, prices, comparisons, find_negations(corrected, mentions, taken), corrections)


def _plain(text: str) -> str:
    """Lower case, one kind of apostrophe and blank, pictograms as words; its length does not matter."""
    text = "".join(f" {emoji()[sign]} " if sign in emoji() else sign for sign in text)
    return " ".join(text.lower().replace("’", "'").replace("`", "'").split())

"""What a message says, before anybody asks what it means here: words, values, prices, comparisons and negations.

Everything is found as a span of the corrected lower-case text, so that each later step can take its words out of the
rest: what no step takes is what the encoder gets to see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agent.accents import with_accents
from agent.amounts import Amounts, find_amounts
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
    amounts: Amounts = field(default_factory=Amounts)

    def mentioned(self, attribute: str) -> tuple[Mention, ...]:
        """Mentions of an attribute; a style that names a garment counts as its category."""
        is_category = attribute == "category"
        return tuple(m for m in self.mentions if m.attribute == attribute or (is_category and m.meaning.is_kind))


def read(text: str, lexicon: Lexicon, known_words: frozenset[str]) -> Reading:
    corrected, corrections = correct(plain(text), lexicon, known_words)
    prices = find_prices(corrected)
    comparisons = tuple(c for c in find_comparisons(corrected) if not _is_superlative(corrected, c))
    taken = [comparison.span for comparison in comparisons] + [price.span for price in prices]
    mentions = with_accents(corrected, find_mentions(corrected, lexicon, taken), lexicon)
    kinds = [mention.span for mention in mentions if mention.attribute == "category" or mention.meaning.is_kind]
    amounts = find_amounts(corrected, kinds, [price.span for price in prices])
    negations = find_negations(corrected, mentions, taken)
    return Reading(corrected, mentions, prices, comparisons, negations, corrections, amounts)


def _is_superlative(text: str, comparison: Comparison) -> bool:
    """The "cheap" of "cheapest" compares with nothing."""
    return text[comparison.span[1] :].startswith("est") or text[: comparison.span[0]].endswith(("most ", "least "))


_AGE = re.compile(
    r"\b(?P<n>\d{1,2})[- ]?(?:years?|yrs?|months?|y/?o)[- ]?(?:olds?)?\b(?! (?:ago|warranty))"
    r"(?=\s*(?P<who>girls?|boys?|son|daughter|kids?|child|niece|nephew|man|woman|men|women)?\b)"
)
CHILD = 13


_MARKUP = re.compile(r"<[^<>]{0,200}>|!?\[[^\]]{0,200}\]\([^)]{0,400}\)|https?://\S+")


def _as_person(match: re.Match[str]) -> str:
    """ "My 8 year old girl" is a girl; "my 8 year old" is a child."""
    return "" if match["who"] or int(match["n"]) > CHILD else "kid"


def plain(text: str) -> str:
    """Lower case, one kind of apostrophe and blank, pictograms as words, without markup and links."""
    text = _MARKUP.sub(" ", text)
    text = "".join(f" {emoji()[sign]} " if sign in emoji() else sign for sign in text)
    return " ".join(_AGE.sub(_as_person, text.lower().replace("’", "'").replace("`", "'")).split())

"""A language model words a reply: sentence by sentence, each checked against what was found before anybody reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from agent.mentions import find_mentions
from agent.planners.chat_request import copies_prompt, described, quoted
from agent.protocols import Outcome
from agent.reading import plain
from agent.vocabulary import Lexicon
from retrieval.schema import Item, Message

N_TOLD = 6
"""Items that a reply may speak of."""
TOLD_OF_ITEM = (
    "category", "colour", "price", "brand", "material", "pattern", "gender", "neckline", "sleeves", "length", "fit",
    "usage", "season",
)  # fmt: skip
N_CHARACTERS = 400
CHECKED = frozenset({"category", "colour", "brand", "material", "pattern", "neckline", "sleeves", "length", "fit"})
"""What an item is seen to have: a word for it must be one of a fact."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_UNFIT = re.compile(r"://|www\.|\w\.(?:com|net|org|io|co|ru|cn|de|shop|info|biz)\b|[@<>{}\[\]|\\`*_#~^]|/\S*/")
_WHOLE = re.compile(r"[.!?…][\"'”’)]*\s*$")
_END = re.compile(r"[.!?…][\"'”’)]*\s|\n")
_DENIES = re.compile(r"\b(?:not?|none|nothing|neither|without|unknown|cannot|never)\b|n['’]t\b")
_PROMISES = re.compile(
    r"\b(?:discount|voucher|coupon|free (?:shipping|delivery|returns?)|deliver(?:y|ed|s)?|shipp(?:ed|ing)|refunds?"
    r"|in stock|sold out|warranty|guarantee\w*|order now|% off|on sale)\b"
)


class UnfoundedError(ValueError):
    """A sentence says what no fact does."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a reply may be made of."""

    message: str
    told: str
    """What the shop itself says of the outcome."""
    items: tuple[Item, ...]

    def data(self) -> dict[str, object]:
        rows = [described(item, TOLD_OF_ITEM) for item in self.items]
        return {"message": quoted(self.message, len(self.message)), "facts": self.told, "items": rows}

    def text(self) -> str:
        """Of the catalogue alone: what a shopper says is no fact."""
        values = (str(value) for item in self.items for value in described(item, TOLD_OF_ITEM).values())
        return " ; ".join((self.told, *values))


def facts_of(message: Message, told: str, outcome: Outcome) -> Facts:
    items = {item.item_id: item for item in (*outcome.references, *outcome.items)}
    return Facts(message.text, told, tuple(items.values())[:N_TOLD])


def founded(pieces: Iterable[str], facts: Facts, lexicon: Lexicon) -> Iterator[str]:
    """The sentences of a text, each as soon as it is whole and known to hold; without one that is cut off.

    Raises UnfoundedError for the first that does not hold, and where there is none.
    """
    known = _Known.of(facts, lexicon)
    held, n_characters = "", 0
    for piece in pieces:
        held += piece
        *whole, held = _sentences(held)
        for sentence in whole:
            n_characters += len(sentence)
            _check(sentence, known, lexicon, n_characters)
            yield sentence
    if _WHOLE.search(held):
        _check(held, known, lexicon, n_characters + len(held))
        yield held
    elif not n_characters:
        raise UnfoundedError("it is cut off" if held.strip() else "it says nothing")


@dataclass(frozen=True, slots=True)
class _Known:
    numbers: frozenset[float]
    values: frozenset[tuple[str, str]]
    """(attribute, catalogue word) of all that the catalogue says."""
    asked: frozenset[tuple[str, str]]
    """The same of what the shopper says, which no more than a sentence that denies may repeat."""
    text: str
    """All that was said and found: to repeat that is no secret given away."""

    @classmethod
    def of(cls, facts: Facts, lexicon: Lexicon) -> _Known:
        text = facts.text()
        places = map(float, range(1, len(facts.items) + 1))
        numbers = _numbers(text).union(places)
        return cls(numbers, _named(text, lexicon), _named(facts.message, lexicon), f"{text} {facts.message}")


def _sentences(text: str) -> list[str]:
    """Whole ones, then the rest, which may be empty."""
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def _check(sentence: str, known: _Known, lexicon: Lexicon, n_characters: int) -> None:
    """Raises UnfoundedError that says why a sentence cannot be shown."""
    if n_characters > N_CHARACTERS:
        raise UnfoundedError("it is too long")
    if _UNFIT.search(sentence) or not all(sign.isprintable() or sign.isspace() for sign in sentence):
        raise UnfoundedError("it holds an address or markup")
    if copies_prompt(sentence, known.text):
        raise UnfoundedError("it repeats its instructions")
    denies = _DENIES.search(sentence.lower()) is not None
    if (promise := _PROMISES.search(sentence.lower())) and not denies:
        raise UnfoundedError(f"it speaks of “{promise.group()}”")
    for number in _numbers(sentence) - known.numbers:
        raise UnfoundedError(f"no fact says {number:g}")
    for values in _meant(sentence, lexicon):
        if not values & known.values and not (denies and values & known.asked):
            raise UnfoundedError(f"no fact says “{min(values)[1]}”")


def _numbers(text: str) -> frozenset[float]:
    """With "1,299.50" as one number."""
    found = (match.group().rstrip(".,") for match in _NUMBER.finditer(text))
    return frozenset(
        float(re.sub(r",(?=\d{3}\b)", "", number).replace(",", ".")) for number in found if _is_one(number)
    )


def _is_one(number: str) -> bool:
    return re.sub(r",(?=\d{3}\b)", "", number).replace(",", ".").count(".") <= 1


def _meant(text: str, lexicon: Lexicon) -> list[frozenset[tuple[str, str]]]:
    """For each word that says what an item has: the (attribute, catalogue word) that it may stand for."""
    mentions = (mention for mention in find_mentions(plain(text), lexicon) if mention.attribute in CHECKED)
    return [frozenset((m.attribute, value) for value in m.meaning.values or (m.said,)) for m in mentions]


def _named(text: str, lexicon: Lexicon) -> frozenset[tuple[str, str]]:
    return frozenset(value for values in _meant(text, lexicon) for value in values)

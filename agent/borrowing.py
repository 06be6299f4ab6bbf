"""What one item lends another: "like the first, in the colour of the third" is the first, in what the third has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.cues_sharing import sharing_of
from agent.reading import Reading, read
from agent.references import refer
from agent.scene import Scene
from agent.spans import within
from agent.vocabulary import CONTEXT, Lexicon
from agent.wording import attribute_name, item_name, value_text
from agent.words import key
from retrieval.schema import Item

_LINK = re.compile(
    r"[, ]*\b(?:(?:but|and) )?(?:(?:in|with|having|has|get|give (?:it|me)) )?(?:the|its?) (?:exact |very )?(?:same )?"
    r"(?P<name>[a-z ]{3,20}?) (?:of|from|as|like|that) (?=(?:the |number |nr |no |item |option |#|that |this )*\w)"
)


@dataclass(frozen=True, slots=True)
class Borrowed:
    text: str
    """The message with the value in place of the phrase."""
    notes: tuple[str, ...]


def borrow(text: str, scene: Scene, lexicon: Lexicon, known_words: frozenset[str]) -> Borrowed | None:
    """None unless the message means an item and names an attribute of another. Lower-case text in and out."""
    if not scene.shown():
        return None
    sharing = sharing_of(lexicon.facets)
    for link in _links(text):
        name = next(iter(sharing.named(link["name"])), "")
        if not name or not sharing.is_name(link["name"].strip()):
            continue
        lender = _lender(text[link.end() :], scene, lexicon, known_words)
        rest = text[: link.start()].strip(" ,.;")
        main = read(rest, lexicon, known_words)
        if lender is None or not _means_an_item(main, scene):
            continue
        item, end = lender
        value = value_text(item, name)
        tail = text[link.end() + end :]
        if not value:
            said = f"the catalogue does not say the {attribute_name(name)} of {item_name(item)}"
            return Borrowed(f"{rest}{tail}", (said,))
        return Borrowed(
            f"{rest} in {_as_said(name, value)}{tail}", (f"the {attribute_name(name)} of {item_name(item)} is {value}",)
        )
    return None


def _links(text: str) -> Iterator[re.Match[str]]:
    """Also those that begin within an earlier one."""
    link = _LINK.search(text)
    while link is not None:
        yield link
        link = _LINK.search(text, link.start() + 1)


def _lender(text: str, scene: Scene, lexicon: Lexicon, known_words: frozenset[str]) -> tuple[Item, int] | None:
    """The item that the text begins with, and where its words end."""
    referent = refer(read(text, lexicon, known_words), scene)
    if not referent.is_explicit or len(referent.items) != 1:
        return None
    start, end = min(referent.spans)
    return (referent.items[0], end) if not text[:start].strip() else None


def _means_an_item(reading: Reading, scene: Scene) -> bool:
    """A garment that is wanted beside it makes it another wish: "a bag in the colour of the third"."""
    referent = refer(reading, scene)
    others = [m for m in reading.mentioned("category") if not within(m.span, referent.spans)]
    return bool(referent.items) and not others


def _as_said(name: str, value: str) -> str:
    """ "Midi" of a length is no word for one by itself."""
    nouns = CONTEXT.get(name, ())
    return (
        value.lower()
        if not nouns or any(key(value).endswith(noun) for noun in nouns)
        else f"{value.lower()} {nouns[0]}"
    )

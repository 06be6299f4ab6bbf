"""What shoppers type: descriptions of a garment in several lengths, and the requests that go with pictures."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from builders.studio import naming
from builders.studio.changes import clause
from builders.studio.garment import Garment
from builders.studio.outfits import PLACE_OF


def description(garment: Garment, rng: random.Random) -> str:
    """A search by words alone; every word is true of the garment."""
    short = naming.captions(garment, 6)
    forms: Sequence[Callable[[Garment, random.Random], str]] = (_full, _sentence, _listed_words)
    if rng.random() < 0.35:
        return rng.choice(short)
    return rng.choice(forms)(garment, rng)


def _looks(garment: Garment) -> list[str]:
    """Details that the picture shows, as they follow "with"."""
    words = []
    for attribute in ("pattern", "sleeves", "neckline", "heel", "pockets"):
        value = getattr(garment, attribute)
        if value in ("", "None", "Solid", "Sleeveless", "Hooded", "Turtleneck", "Flat"):
            continue
        if attribute != "pockets" or garment.kind in ("Shirt", "Cardigan"):
            words.append(clause(garment, attribute).removeprefix("with "))
    hood = {"Hooded": "a hood", "Turtleneck": "a turtleneck"}.get(garment.neckline)
    return [*words, hood] if hood else words


def _with(words: Sequence[str]) -> str:
    if not words:
        return ""
    return f" with {words[0]}" if len(words) == 1 else f" with {', '.join(words[:-1])} and {words[-1]}"


def _length(garment: Garment) -> str:
    if garment.kind not in ("Dress", "Skirt", "Coat", "Leggings"):
        return ""
    return garment.length.lower().replace(" length", "-length")


def _head(garment: Garment) -> str:
    material = garment.material.lower()
    what = naming.noun(garment).lower()
    fit = "" if garment.fit in ("", "Regular") or garment.kind in ("Leggings", "Coat") else f"{garment.fit.lower()}-fit"
    words = (fit, _length(garment), garment.colour.lower(), "" if material in what else material, what)
    return " ".join(word for word in words if word)


def _full(garment: Garment, rng: random.Random) -> str:
    looks = _looks(garment)
    chosen = rng.sample(looks, min(len(looks), rng.choice((1, 2, 2, 3))))
    whom = "" if garment.gender == "Unisex" or rng.random() < 0.5 else f" for {garment.gender.lower()}"
    return f"{_head(garment)}{whom}{_with(chosen)}"


_OCCASIONS = {"Casual": "every day", "Formal": "the office", "Party": "a party", "Sports": "sport", "Travel": "a trip"}


def _sentence(garment: Garment, rng: random.Random) -> str:
    head = _head(garment)
    article = "" if naming.is_plural(garment) else ("an " if head[0] in "aeio" else "a ")
    lead = rng.choice(("I am looking for", "I need", "Please find me", "We want"))
    return f"{lead} {article}{head}{_with(_looks(garment)[:2])} for {_OCCASIONS[garment.usage]}"


def _listed_words(garment: Garment, rng: random.Random) -> str:
    words = [naming.noun(garment).lower(), garment.colour.lower(), *_looks(garment)[:2]]
    if garment.gender != "Unisex":
        words.append(f"{garment.gender.lower()}'s")
    if rng.random() < 0.5:
        words.append(garment.season.lower())
    return ", ".join(words)


def sketch_request(garment: Garment, rng: random.Random) -> str:
    """Goes with a drawing: names what a drawing cannot show."""
    look = f"in {garment.colour.lower()}"
    if garment.pattern not in ("Solid", "Tipped", "Washed"):
        look += f" {clause(garment, 'pattern')}"
    kind = garment.kind.lower()
    phrases = (
        "something shaped like this, {look}", "find the {kind} that I drew, {look}", "like my sketch, {look}",
        "do you have what I drew {look}?", "this cut {look}", "the {kind} of this drawing {look}",
    )  # fmt: skip
    return rng.choice(phrases).format(look=look, kind=kind)


_STREET = (
    "where can I buy this?", "find this {kind} in the shop", "do you sell the {kind} in my picture?",
    "I saw this {kind}, which one is it?", "I took a photo of {it}, find the product", "the very same {kind}, please",
)  # fmt: skip
_SAME = (
    "show me the same item in another picture", "more pictures of this {kind}", "the same {kind} from another side",
    "how does {it} look in another photo?", "another view of this very product", "can I see {it} differently?",
)  # fmt: skip


def street_request(garment: Garment, rng: random.Random) -> str:
    return _with_kind(rng.choice(_STREET), garment)


def same_item_request(garment: Garment, rng: random.Random) -> str:
    return _with_kind(rng.choice(_SAME), garment)


def _with_kind(phrase: str, garment: Garment) -> str:
    plural = garment.kind in naming.PLURAL
    words = phrase.format(kind=garment.kind.lower(), it="them" if plural else "it")
    if plural:
        words = words.replace("how does them", "how do they").replace("which one is it", "which ones are they")
        words = words.replace(f"this {garment.kind.lower()}", f"these {garment.kind.lower()}")
    return words


_COMPLETE = (
    "which {kind} would go with this?", "find {a} {kind} to wear with it", "complete the look with {a} {kind}",
    "{a} {kind} that matches, please", "I need {a} {kind} to go with this", "what {kind} suits this?",
)  # fmt: skip
_COMPLETE_OUTFIT = (
    "which {kind} completes this outfit?", "{a} {kind} to go with all of these", "finish this look with {a} {kind}",
    "what {kind} would you wear with these?",
)  # fmt: skip


def compatible_request(wanted: Garment, n_references: int, rng: random.Random) -> str:
    """Names the kind that is wanted and nothing else of the target."""
    kind = "shoes" if PLACE_OF[wanted.kind] == "feet" and rng.random() < 0.3 else wanted.kind.lower()
    plural = wanted.kind in naming.PLURAL
    article = "" if plural else ("an" if kind[0] in "aeio" else "a")
    phrase = rng.choice(_COMPLETE if n_references == 1 else _COMPLETE_OUTFIT)
    words = " ".join(phrase.format(kind=kind, a=article).split())
    if plural:
        words = words.replace("that matches", "that match").replace(f"{kind} suits", f"{kind} suit")
        words = words.replace(f"{kind} completes", f"{kind} complete")
    return words

"""One or two words of a garment changed, all else and the seed kept: the exact target of a modification, and its text.

Only what can be seen is changed: `second` (the pattern's second colour) where the pattern shows it, `material` where
the weave differs plainly, `fit` between narrow and wide.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from builders.studio import naming
from builders.studio.fabric import PANELLED, fabrics
from builders.studio.garment import ONE_COLOUR, Garment, contrast, make_sensible, palette, second_colours
from builders.studio.kinds import KINDS, Choices
from builders.studio.shapes.motifs import motif_name
from builders.studio.styles import STYLES

_LENGTHS = ("Short", "Mini", "Capri", "Knee Length", "Ankle Length", "Midi", "Maxi", "Full Length")
_NARROW, _WIDE = ("Slim", "Skinny"), ("Relaxed", "Oversized")

_SEEN: Mapping[str, tuple[str, ...]] = {
    "neckline": ("T-shirt", "Shirt", "Blouse", "Tank Top", "Sweater", "Cardigan", "Dress", "Jumpsuit"),
    "sleeves": ("T-shirt", "Shirt", "Blouse", "Polo", "Dress", "Jumpsuit"),
    "length": ("Coat", "Dress", "Skirt", "Shorts", "Leggings"),
    "fit": ("T-shirt", "Sweater", "Hoodie", "Trousers", "Jeans", "Blouse", "Cardigan", "Coat"),
    "heel": ("Boots", "Heels"),
    "closure": ("Belt",),
    "pockets": ("Shirt", "Cardigan"),
    "material": ("Shirt", "Jacket", "Blazer", "Trousers", "Boots", "Heels", "Formal Shoes", "Handbag", "Tote Bag",
                 "Backpack", "Belt", "Dress", "Skirt", "Sneakers"),
}  # fmt: skip
"""Attribute -> kinds whose picture shows it; colour and pattern are seen on all."""

_UNSEEN_STYLES = (("Tank Top", "Camisole"), ("Tank Top", "Racerback"), ("Dress", "Slip"), ("Jumpsuit", "Dungarees"))
"""Styles whose cut leaves no choice of neckline or sleeves."""

CHANGEABLE = ("colour", "pattern", "second", *_SEEN)


@dataclass(frozen=True, slots=True)
class Change:
    """A garment and what was changed to get to it."""

    before: Garment
    after: Garment
    attributes: tuple[str, ...]
    """Field names of `Garment`, one or two."""

    def reversed(self) -> Change:
        return Change(self.after, self.before, self.attributes)


def choices(garment: Garment) -> Choices:
    """Field name -> the words that garments of this kind and style may have."""
    return {**KINDS[garment.kind], **STYLES.get((garment.kind, garment.style), {})}


def with_word(garment: Garment, attribute: str, word: str) -> Garment:
    return replace(garment, **{attribute: word})  # type: ignore[arg-type]


def options(garment: Garment, attribute: str) -> list[str]:
    """Other words for one attribute that leave a sensible garment which looks different; in the order of the studio."""
    if attribute == "colour":
        words: Sequence[str] = palette(garment.kind, garment.style)
    elif attribute == "second":
        words = second_colours(garment.colour) if shows_second(garment) else ()
    else:
        words = tuple(dict.fromkeys(choices(garment).get(attribute, "").split(",")))
        if attribute in _SEEN and garment.kind not in _SEEN[attribute]:
            words = ()
        if attribute in ("neckline", "sleeves") and (garment.kind, garment.style) in _UNSEEN_STYLES:
            words = ()
    old = getattr(garment, attribute)
    return [word for word in words if word and word != old and _fits(garment, attribute, word)]


def shows_second(garment: Garment) -> bool:
    """Whether the second colour is that of the pattern, so that words about the pattern mean it."""
    return garment.pattern not in ONE_COLOUR and garment.pattern in naming.PATTERN_WORDS


def _fits(garment: Garment, attribute: str, word: str) -> bool:
    changed = with_word(garment, attribute, word)
    if contrast(changed.colour, changed.second) <= 60 or changed.colour == changed.second:
        return False
    if not _is_sensible(changed):
        return False
    if attribute == "fit":
        old = garment.fit
        return (word in _NARROW and old in _WIDE) or (word in _WIDE and old in _NARROW)
    if attribute == "material":
        before, after = fabrics(garment)["main"], fabrics(changed)["main"]
        return before.weave != after.weave and "denim corduroy leather felt canvas mesh".count(after.weave or "-") > 0
    if attribute == "pattern":
        return "Tipped" not in (word, garment.pattern) and _pattern_is_plain_to_see(garment, word)
    return True


def _pattern_is_plain_to_see(garment: Garment, word: str) -> bool:
    if (garment.kind, garment.style) in PANELLED:
        return "Colourblocked" not in (word, garment.pattern)
    return {word, garment.pattern} != {"Solid", "Melange"} and {word, garment.pattern} != {"Checked", "Gingham"}


def _is_sensible(garment: Garment) -> bool:
    """Whether the sampler would leave what is seen of it as it is."""
    words = {name: str(word) for name, word in asdict(garment).items() if name != "seed" and word != ""}
    seen = dict(words)
    make_sensible(random.Random(0), words)
    return all(
        words[name] == seen[name]
        for name in ("colour", "second", "pattern", "material", "neckline", "sleeves")
        if name in seen
    )


def draw_change(garment: Garment, rng: random.Random, how_many: int = 1) -> Change:
    """A garment that differs in so many words, or fewer where the kind offers no more; in one at least.

    What is seen from near only is never changed alone.
    """
    order = _order(rng)
    after = garment
    changed: list[str] = []
    for attribute in [*order, *order]:
        found = options(after, attribute)
        if not found or attribute in changed or (_is_subtle(garment, attribute) and not changed):
            continue
        if {attribute, *changed} >= {"second", "pattern"}:
            continue
        after = with_word(after, attribute, rng.choice(found))
        changed.append(attribute)
        if len(changed) == how_many:
            break
    return Change(garment, after, tuple(changed))


def _is_subtle(garment: Garment, attribute: str) -> bool:
    return attribute == "material" or (attribute == "neckline" and garment.kind == "Dress")


def _order(rng: random.Random) -> list[str]:
    """All attributes in a random order, what shoppers change most often mostly first."""
    weights = {
        "colour": 5.0,
        "pattern": 3.0,
        "sleeves": 4.0,
        "length": 4.0,
        "neckline": 4.0,
        "second": 1.0,
        "pockets": 1.0,
    }
    return sorted(CHANGEABLE, key=lambda name: -(rng.random() ** (1 / weights.get(name, 2.0))))


_PATTERNS: Mapping[str, str] = {
    "Striped": "{second} stripes", "Pinstriped": "{second} pinstripes", "Checked": "{second} checks",
    "Gingham": "gingham checks", "Polka Dot": "{second} dots", "Floral": "{second} flowers",
    "Colourblocked": "a block of {second}", "Printed": "a {second} {motif} print", "Melange": "a melange look",
    "Camouflage": "a camouflage pattern", "Chevron": "{second} zigzags", "Leopard": "a leopard print",
    "Argyle": "a {second} argyle pattern", "Fair Isle": "a {second} fair isle pattern",
    "Houndstooth": "a houndstooth pattern", "Paisley": "a {second} paisley print", "Tipped": "{second} tipping",
    "Washed": "a washed look",
}  # fmt: skip


def clause(garment: Garment, attribute: str, before: Garment | None = None) -> str:
    """What one word of a garment is, after a noun or "the same, but": "in navy blue", "with long sleeves", "plain".

    `before` is the garment that it was changed from.
    """
    word = str(getattr(garment, attribute)).lower()
    if attribute == "pattern":
        if garment.pattern == "Solid":
            return "plain"
        return "with " + _PATTERNS[garment.pattern].format(second=garment.second.lower(), motif=motif_name(garment))
    if attribute == "second":
        return f"with {word} where it is {before.second.lower()}" if before else f"with {word}"
    if attribute == "length":
        words = word if "length" in word else f"{word} length"
        if before is None:
            return f"in {words}"
        return (
            f"{'longer' if _LENGTHS.index(garment.length) > _LENGTHS.index(before.length) else 'shorter'}, in {words}"
        )
    if attribute == "pockets":
        if word == "none":
            return f"without {before.pockets.lower()}" if before else "without pockets"
        return f"with {'two' if word.endswith('s') else 'a'} {word}"
    if attribute in ("colour", "material"):
        return f"in {word}"
    if attribute == "sleeves":
        return word if word == "sleeveless" else f"with {word}"
    noun = f"{word} fit" if attribute == "fit" else word
    return f"with {'an' if noun[0] in 'aeio' else 'a'} {noun}"


_REQUESTS = (
    "the same, but {changes}", "the same {noun} {changes}", "{changes} instead", "I would like {it} {changes}",
    "do you have {it} {changes}?", "{changes}, please", "can I see {it} {changes}?", "like this, only {changes}",
)  # fmt: skip
_COLOUR_REQUESTS = (
    "change the colour to {colour}",
    "make {it} {colour}",
    "the same in {colour}",
    "{colour} instead of {old}",
)
_PATTERN_REQUESTS = ("make {it} {pattern}", "{pattern} instead", "the same, but {pattern}")


def request(change: Change, rng: random.Random) -> str:
    """What a shopper says: names every changed word's new value and nothing else of the target."""
    before, after = change.before, change.after
    names = sorted(change.attributes, key=lambda name: name not in ("colour", "material"))
    clauses = [clause(after, name, before) for name in names]
    phrases: tuple[str, ...] = _REQUESTS
    if change.attributes == ("colour",):
        phrases = (*_REQUESTS, *_COLOUR_REQUESTS)
    elif change.attributes == ("pattern",) and after.pattern != "Printed":
        phrases = (*_REQUESTS, *_PATTERN_REQUESTS)
    plural = naming.is_plural(before)
    return rng.choice(phrases).format(
        changes=" and ".join(clauses),
        noun=naming.noun(before).lower(),
        it="them" if plural else "it",
        colour=after.colour.lower(),
        old=before.colour.lower(),
        pattern=_adjective(after),
    )


def _adjective(garment: Garment) -> str:
    words = naming.PATTERN_WORDS[garment.pattern]
    return f"{words} with {garment.second.lower()}" if shows_second(garment) else words

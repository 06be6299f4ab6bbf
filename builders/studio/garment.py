"""The record of one garment and the sampler that draws sensible ones."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, fields

from builders.studio.kinds import ALL_CLOTH, COLOURS, DENIM, KINDS, PALETTES, Choices
from builders.studio.styles import STYLES

_PLAIN_FOR_MEN = ("T-shirt", "Tank Top", "Shorts", "Scarf", "Sneakers", "Hat", "Backpack")
_DENIM_COLOURS = frozenset(DENIM.split(","))

_FAMILIES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "tops": ("Apparel", "Topwear", ("T-shirt", "Shirt", "Blouse", "Polo", "Tank Top", "Sweater", "Hoodie", "Cardigan")),
    "outerwear": ("Apparel", "Topwear", ("Jacket", "Blazer", "Coat")),
    "dresses": ("Apparel", "Dress", ("Dress", "Jumpsuit")),
    "bottoms": ("Apparel", "Bottomwear", ("Skirt", "Trousers", "Jeans", "Shorts", "Leggings")),
    "shoes": ("Footwear", "Shoes", ("Sneakers", "Boots", "Heels", "Sandals", "Formal Shoes")),
    "bags": ("Accessories", "Bags", ("Handbag", "Backpack", "Tote Bag")),
    "accessories": ("Accessories", "Accessories", ("Hat", "Cap", "Scarf", "Belt", "Tie", "Sunglasses", "Watch")),
}

ONE_COLOUR = ("Solid", "Melange", "Washed", "Leopard", "Camouflage", "Gingham", "Houndstooth")
"""Patterns that are made of shades of the main colour."""
_PLAIN_ACCENTS = ("White", "Black", "Cream", "Navy Blue", "Grey", "Beige")
_ACCENTS: Mapping[str, tuple[str, ...]] = {
    "Black": ("White", "Red", "Grey", "Gold", "Pink", "Turquoise Blue"),
    "White": ("Navy Blue", "Black", "Red", "Green", "Light Blue", "Pink", "Teal", "Orange"),
    "Grey": ("White", "Black", "Navy Blue", "Burgundy", "Yellow", "Red"),
    "Charcoal": ("White", "Grey", "Mustard", "Light Blue", "Burgundy"),
    "Navy Blue": ("White", "Red", "Light Blue", "Mustard", "Pink", "Cream"),
    "Blue": ("White", "Navy Blue", "Yellow", "Orange", "Light Blue"),
    "Light Blue": ("White", "Navy Blue", "Brown", "Pink", "Red"),
    "Red": ("White", "Black", "Navy Blue", "Cream", "Grey"),
    "Burgundy": ("Cream", "Pink", "Grey", "Navy Blue", "Mustard"),
    "Pink": ("White", "Burgundy", "Grey", "Navy Blue", "Green", "Red"),
    "Green": ("White", "Navy Blue", "Cream", "Yellow", "Black"),
    "Olive": ("Cream", "Black", "Rust", "Beige", "Mustard"),
    "Teal": ("White", "Cream", "Mustard", "Navy Blue", "Peach"),
    "Yellow": ("White", "Navy Blue", "Grey", "Green", "Blue"),
    "Mustard": ("Cream", "Navy Blue", "Burgundy", "White", "Brown"),
    "Orange": ("White", "Navy Blue", "Cream", "Brown", "Blue"),
    "Purple": ("White", "Lavender", "Yellow", "Black", "Pink"),
    "Lavender": ("White", "Purple", "Grey", "Navy Blue", "Green"),
    "Brown": ("Cream", "Beige", "Light Blue", "Tan", "Orange"),
    "Rust": ("Cream", "Navy Blue", "Beige", "Teal", "Brown"),
}


@dataclass(frozen=True, slots=True)
class Garment:
    """One garment in words. An empty string means that the word does not apply to this kind."""

    kind: str
    colour: str
    second: str
    """The second colour: of stripes, prints, tipping, linings and soles."""
    pattern: str
    material: str
    gender: str
    usage: str
    season: str
    style: str
    """A sub-kind: "Bomber" of a jacket, "Chelsea" of boots."""
    neckline: str = ""
    sleeves: str = ""
    length: str = ""
    fit: str = ""
    closure: str = ""
    pockets: str = ""
    heel: str = ""
    strap: str = ""
    seed: int = 0
    """Decides what has no name: small differences of proportion, the motif of a print."""

    def attributes(self) -> dict[str, str]:
        """Attribute name -> word, without the empty ones; the kind is the category."""
        words = {f.name: str(getattr(self, f.name)) for f in fields(self) if f.name not in ("kind", "second", "seed")}
        master, sub = FAMILY_CATEGORIES[family(self.kind)]
        words |= {"category": self.kind, "master_category": master, "sub_category": sub}
        words["second_colour"] = "" if self.pattern in ONE_COLOUR else self.second
        return {name: word for name, word in words.items() if word and word not in ("None", "Classic")}


FAMILY_CATEGORIES: Mapping[str, tuple[str, str]] = {name: (row[0], row[1]) for name, row in _FAMILIES.items()}
FAMILY_OF_KIND: Mapping[str, str] = {kind: name for name, row in _FAMILIES.items() for kind in row[2]}


def family(kind: str) -> str:
    """Raises ValueError for a kind that the studio cannot draw."""
    if kind not in FAMILY_OF_KIND:
        raise ValueError(f"unknown kind {kind!r}; known kinds: {', '.join(KINDS)}")
    return FAMILY_OF_KIND[kind]


def styles(kind: str) -> tuple[str, ...]:
    family(kind)
    return tuple(dict.fromkeys(KINDS[kind]["style"].split(",")))


def palette(kind: str, style: str) -> tuple[str, ...]:
    """The colours that a style is sold in."""
    words = STYLES.get((kind, style), {}).get("colour") or PALETTES.get(kind, ALL_CLOTH)
    return tuple(dict.fromkeys(words.split(",")))


def sample_garment(
    rng: random.Random,
    kind: str | None = None,
    colour: str | None = None,
    style: str | None = None,
    instead: Choices | None = None,
) -> Garment:
    """Draw a garment; what is given is kept, the rest is drawn to fit it.

    `instead` holds words that replace those of the kind and style.
    """
    kind = kind or rng.choice(list(KINDS))
    style = style or rng.choice(KINDS[kind]["style"].split(","))
    choices = {**KINDS[kind], **STYLES.get((kind, style), {}), **(instead or {})}
    choices.pop("colour", None)
    colour = colour or rng.choice(palette(kind, style))
    words = {name: rng.choice(values.split(",")) for name, values in choices.items()}
    words |= {"kind": kind, "style": style, "colour": colour, "second": _second_colour(rng, colour)}
    make_sensible(rng, words)
    return Garment(seed=rng.randrange(1 << 30), **words)


def _second_colour(rng: random.Random, colour: str) -> str:
    return rng.choice(second_colours(colour))


def second_colours(colour: str) -> list[str]:
    """Colours that go with it in a pattern and stand out from it."""
    return [c for c in _ACCENTS.get(colour, _PLAIN_ACCENTS) if contrast(c, colour) > 60]


def contrast(one: str, two: str) -> float:
    """Mean difference of the channels, 0 to 255."""
    return sum(abs(a - b) for a, b in zip(COLOURS[one], COLOURS[two], strict=True)) / 3


def make_sensible(rng: random.Random, words: dict[str, str]) -> None:
    """Remove the combinations that no shop sells."""
    kind, style = words["kind"], words["style"]
    if words["gender"] == "Men":
        if words["pattern"] in ("Floral", "Polka Dot", "Leopard") and kind in _PLAIN_FOR_MEN:
            words["pattern"] = "Checked" if kind in ("Sneakers", "Hat", "Backpack") else "Striped"
        if words.get("neckline") == "Scoop Neck" and kind == "T-shirt":
            words["neckline"] = "Crew Neck"
    if kind == "Shirt":
        if words["material"] in ("Denim", "Corduroy"):
            words |= {"pattern": "Solid", "usage": "Casual", "season": "Fall"}
        if words["pattern"] in ("Floral", "Polka Dot") or words["sleeves"] == "Short Sleeves":
            words["usage"] = "Casual"
    if kind in ("T-shirt", "Polo") and words["sleeves"] == "Long Sleeves":
        words["season"] = "Fall"
    if kind == "Dress" and words["sleeves"] == "Long Sleeves":
        words["season"] = rng.choice(("Fall", "Winter"))
    if words["material"] == "Denim" and words["colour"] not in _DENIM_COLOURS:
        words["material"] = "Corduroy" if kind == "Jumpsuit" else "Cotton"
    if kind == "Trousers" and words["material"] == "Corduroy":
        words["pattern"] = "Solid"
    if kind in ("Blazer", "Jumpsuit") and words["material"] in ("Velvet", "Satin"):
        words["usage"] = "Party"
    if kind == "Leggings" and style == "Classic" and words["pattern"] in ("Floral", "Leopard"):
        words["usage"] = "Casual"
    if kind == "Scarf" and words["material"] == "Silk" and words["pattern"] in ("Fair Isle", "Checked"):
        words["pattern"] = "Floral"
    if kind == "Sneakers" and words["pattern"] == "Solid":
        words["second"] = "White" if words["colour"] not in ("White", "Silver", "Grey") else "Charcoal"
    if words["material"] == "Linen" and kind in ("Trousers", "Blazer", "Shirt"):
        words["season"] = "Summer"

"""Outfits by stated rules. Two garments go together when all of these hold:

- kinds: they cover different places (top, bottom, whole body, over it, feet, bag, head, neck, waist, tie, eyes, wrist),
  and none takes the place of the other: a dress leaves no room for a top, a bottom, a belt or a tie;
- gender: the same, or one of them is for everyone;
- occasion: the same usage, where Travel counts as Casual; a Sports piece goes with Sports pieces only;
- season: the same, or next to each other as Spring with Summer, and Fall with Winter;
- colour: the main colours are the same, one of them is a neutral, or both are in one list of friends (`FRIENDS`);
- pattern: at most one strong pattern in the whole outfit.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from builders.studio.garment import ONE_COLOUR, Garment

PLACES: Mapping[str, tuple[str, ...]] = {
    "top": ("T-shirt", "Shirt", "Blouse", "Polo", "Tank Top", "Sweater", "Hoodie"),
    "over": ("Cardigan", "Jacket", "Blazer", "Coat"),
    "whole": ("Dress", "Jumpsuit"),
    "bottom": ("Skirt", "Trousers", "Jeans", "Shorts", "Leggings"),
    "feet": ("Sneakers", "Boots", "Heels", "Sandals", "Formal Shoes"),
    "bag": ("Handbag", "Backpack", "Tote Bag"),
    "head": ("Hat", "Cap"),
    "neck": ("Scarf",),
    "waist": ("Belt",),
    "tie": ("Tie",),
    "eyes": ("Sunglasses",),
    "wrist": ("Watch",),
}
PLACE_OF: Mapping[str, str] = {kind: place for place, kinds in PLACES.items() for kind in kinds}

_EXCLUDED: Mapping[str, tuple[str, ...]] = {
    "whole": ("top", "bottom", "waist", "tie"),
    "tie": ("neck", "whole"),
}
"""Places that a garment leaves no room for, beside its own."""
_TIE_NEEDS = ("Shirt", "Blazer")
"""The only clothes of the upper body that a tie goes with."""

NEUTRALS = ("Black", "White", "Grey", "Charcoal", "Cream", "Beige", "Navy Blue", "Tan", "Brown", "Silver", "Gold")
FRIENDS: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split(","))
    for words in (
        "Blue,Light Blue,Teal,Turquoise Blue,Green",
        "Red,Burgundy,Pink,Magenta",
        "Mustard,Rust,Olive,Orange,Burgundy",
        "Lavender,Purple,Pink,Magenta",
        "Peach,Pink,Rust,Orange",
        "Yellow,Blue,Light Blue",
        "Mustard,Teal",
        "Green,Olive,Yellow,Mustard",
        "Lavender,Light Blue,Pink,Peach",
        "Burgundy,Olive,Teal",
    )
)
"""Colours that are worn together."""

STRONG = (
    "Striped", "Checked", "Gingham", "Floral", "Polka Dot", "Leopard", "Camouflage", "Argyle", "Fair Isle", "Chevron",
    "Paisley", "Houndstooth", "Printed", "Colourblocked",
)  # fmt: skip
_SEASONS = (frozenset(("Spring", "Summer")), frozenset(("Fall", "Winter")))


def go_together(one: Garment, two: Garment) -> bool:
    return (
        kinds_agree(one.kind, two.kind)
        and genders_agree(one, two)
        and occasions_agree(one, two)
        and seasons_agree(one, two)
        and colours_agree(one, two)
        and not (one.pattern in STRONG and two.pattern in STRONG)
    )


def kinds_agree(one: str, two: str) -> bool:
    a, b = PLACE_OF[one], PLACE_OF[two]
    if a == b or b in _EXCLUDED.get(a, ()) or a in _EXCLUDED.get(b, ()):
        return False
    if "tie" in (a, b):
        other, place = (two, b) if a == "tie" else (one, a)
        return place not in ("top", "over") or other in _TIE_NEEDS
    return True


def genders_agree(one: Garment, two: Garment) -> bool:
    return one.gender == two.gender or "Unisex" in (one.gender, two.gender)


def occasions_agree(one: Garment, two: Garment) -> bool:
    return _occasion(one) == _occasion(two)


def _occasion(garment: Garment) -> str:
    return "Casual" if garment.usage == "Travel" else garment.usage


def seasons_agree(one: Garment, two: Garment) -> bool:
    return one.season == two.season or any({one.season, two.season} <= pair for pair in _SEASONS)


def colours_agree(one: Garment, two: Garment) -> bool:
    a, b = one.colour, two.colour
    return a == b or a in NEUTRALS or b in NEUTRALS or any({a, b} <= friends for friends in FRIENDS)


def harmony(one: Garment, two: Garment) -> float:
    """How well two go together: higher is better. A shared accent counts most, then a neutral, then the season."""
    seen_one = {one.colour} | (set() if one.pattern in ONE_COLOUR else {one.second})
    seen_two = {two.colour} | (set() if two.pattern in ONE_COLOUR else {two.second})
    shared = 1.0 if seen_one & seen_two - set(NEUTRALS) else 0.0
    contrasting = 0.6 if (one.colour in NEUTRALS) != (two.colour in NEUTRALS) else 0.0
    return (
        shared + contrasting + (0.4 if one.season == two.season else 0.0) + (0.2 if one.gender == two.gender else 0.0)
    )


def is_outfit(garments: Sequence[Garment]) -> bool:
    """Whether every two of them go together."""
    return all(go_together(a, b) for at, a in enumerate(garments) for b in garments[at + 1 :])


_WANTED: Mapping[str, tuple[str, ...]] = {
    "top": ("bottom", "bottom", "over", "feet", "bag", "tie"),
    "over": ("top", "bottom", "whole", "feet", "bag", "neck"),
    "whole": ("feet", "feet", "bag", "over", "head", "eyes"),
    "bottom": ("top", "top", "over", "feet", "waist", "bag"),
    "feet": ("bottom", "whole", "bag", "waist", "top"),
    "bag": ("feet", "whole", "over", "eyes", "top"),
    "head": ("over", "top", "neck", "feet", "eyes"),
    "neck": ("over", "head", "top", "bag"),
    "waist": ("bottom", "feet", "top", "wrist"),
    "tie": ("top", "over", "feet", "wrist"),
    "eyes": ("head", "bag", "top", "whole"),
    "wrist": ("waist", "feet", "top", "over"),
}
"""Place -> places that shoppers ask for next, the likelier ones more than once."""
_DRAWN = 60


class Wardrobe:
    """Garments by kind, to find what completes an outfit."""

    def __init__(self, garments: Iterable[tuple[str, Garment]]) -> None:
        """`garments` are (name, garment), in a fixed order."""
        self._by_kind: dict[str, list[tuple[str, Garment]]] = {}
        for name, garment in garments:
            self._by_kind.setdefault(garment.kind, []).append((name, garment))

    def match(self, worn: Sequence[Garment], rng: random.Random) -> tuple[str, Garment] | None:
        """One that goes with all of these, of a kind that they call for: the most harmonious of some that are drawn."""
        places = list(dict.fromkeys(rng.sample(_WANTED[PLACE_OF[worn[0].kind]], len(_WANTED[PLACE_OF[worn[0].kind]]))))
        for place in places:
            kinds = [kind for kind in PLACES[place] if all(kinds_agree(kind, each.kind) for each in worn)]
            rng.shuffle(kinds)
            for kind in kinds:
                found = self._of_kind(kind, worn, rng)
                if found is not None:
                    return found
        return None

    def _of_kind(self, kind: str, worn: Sequence[Garment], rng: random.Random) -> tuple[str, Garment] | None:
        stock = self._by_kind.get(kind, [])
        drawn = rng.sample(stock, min(_DRAWN, len(stock)))
        fitting = [(name, each) for name, each in drawn if is_outfit([*worn, each])]
        if not fitting:
            return None
        return max(fitting, key=lambda pair: (sum(harmony(pair[1], each) for each in worn), pair[0]))

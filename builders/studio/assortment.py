"""What the embedded gallery has in stock: many of the kinds that shoppers refine, in the colours they ask for."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from math import fsum
from typing import Final

from builders.studio import naming
from builders.studio.garment import Garment, family, palette, sample_garment, styles
from builders.studio.kinds import KINDS, Choices
from builders.studio.styles import STYLES

_SHARES: Mapping[str, int] = {
    "Dress": 96, "Shirt": 60, "T-shirt": 60, "Sneakers": 50, "Jacket": 42, "Coat": 40, "Skirt": 40, "Trousers": 42,
    "Jeans": 38, "Sweater": 42, "Blouse": 40, "Handbag": 40, "Heels": 35, "Boots": 36, "Blazer": 32,
}  # fmt: skip
"""Kind -> garments among about 1,100."""
_OTHER_SHARE, _ACCESSORY_SHARE = 28, 14

_MAIN_COLOURS: Mapping[str, str] = {
    "Dress": "Black:9,Red:9,Blue:8,White:7,Green:7,Navy Blue:6,Pink:6,Yellow:5,Purple:5,Beige:5,Grey:5,Brown:5",
    "Shirt": "White:7,Blue:6,Light Blue:5,Black:5,Navy Blue:4,Red:4,Green:4,Grey:3,Pink:3,Beige:3,Brown:2,Purple:2",
    "T-shirt": "Black:6,White:6,Blue:5,Red:5,Green:4,Grey:4,Navy Blue:4,Yellow:3,Pink:3,Beige:3,Purple:3,Brown:2",
    "Sneakers": "Black:8,White:7,Blue:4,Red:4,Grey:4,Brown:4,Navy Blue:2,Green:2,Pink:2,Beige:2,Yellow:1,Purple:1",
    "Jacket": "Black:7,Brown:5,Blue:5,Navy Blue:3,Green:3,Red:3,Grey:3,White:2,Beige:2,Olive:1,Pink:1,Yellow:1",
    "Coat": "Black:6,Beige:5,Navy Blue:4,Grey:4,Brown:3,Red:3,Green:2,Tan:2,Pink:1,Blue:1,White:1",
    "Skirt": "Black:5,Red:4,Blue:4,White:3,Green:3,Navy Blue:3,Pink:3,Grey:2,Beige:2,Yellow:2,Purple:2,Brown:2",
    "Trousers": "Black:7,Navy Blue:5,Beige:5,Grey:5,Brown:4,White:3,Blue:3,Green:2,Olive:1",
    "Jeans": "Blue:10,Black:7,Light Blue:7,Navy Blue:5,Grey:4,White:3,Charcoal:2",
    "Sweater": "Black:5,Grey:4,Navy Blue:4,Red:4,Green:3,White:3,Beige:3,Blue:3,Brown:2,Pink:2,Purple:1",
    "Blouse": "White:5,Black:4,Blue:4,Red:4,Pink:3,Green:3,Navy Blue:2,Yellow:2,Purple:2,Beige:2,Grey:1",
    "Handbag": "Black:7,Brown:5,Red:4,Beige:3,White:3,Blue:3,Green:2,Navy Blue:2,Pink:2,Grey:1,Yellow:1",
    "Heels": "Black:6,Red:5,White:3,Beige:3,Blue:2,Navy Blue:2,Pink:2,Green:2,Brown:2,Purple:1",
    "Boots": "Black:8,Brown:7,White:4,Tan:2,Beige:2,Grey:2,Red:2,Navy Blue:1,Green:1",
}
"""Kind -> its main colours with how often each comes for every other; about four fifths of what is in stock."""
_OTHER_MAIN = "Black:3,White:2,Blue:2,Navy Blue:2,Grey:2,Red:2,Green:2,Beige:1,Pink:1,Brown:1"
_MAIN_PART, _OTHER_MAIN_PART = 0.8, 0.6

_ALSO_SOLD: Mapping[str, tuple[str, ...]] = {
    "Sneakers": ("Brown", "Beige"), "Heels": ("Brown", "Grey"), "Coat": ("Blue", "White"), "Sweater": ("Blue",),
    "Cardigan": ("Blue",), "Blazer": ("Blue",), "Trousers": ("Red",),
}  # fmt: skip
"""Colours of a kind beside those of its palette."""

_DRESS_PATTERNS = "Solid,Solid,Solid,Solid,Floral,Floral,Polka Dot,Striped,Checked,Leopard"
_ALL_YEAR = "Summer,Spring,Fall,Winter"

_WIDER: Mapping[tuple[str, str], Choices] = {
    ("Dress", ""): {
        "sleeves": "Sleeveless,Sleeveless,Short Sleeves,Short Sleeves,Long Sleeves,Long Sleeves,Puff Sleeves",
        "usage": "Casual,Party,Party,Formal",
        "season": "Summer,Summer,Summer,Spring,Fall",
        "pattern": _DRESS_PATTERNS,
    },
    ("Dress", "Sheath"): {
        "usage": "Formal,Formal,Party",
        "sleeves": "Sleeveless,Short Sleeves,Long Sleeves",
        "season": _ALL_YEAR,
    },
    ("Dress", "Wrap"): {"usage": "Casual,Party,Formal", "pattern": "Solid,Solid,Solid,Floral,Floral,Polka Dot,Leopard"},
    ("Dress", "Slip"): {
        "usage": "Party,Party,Casual",
        "season": "Summer,Summer,Summer,Spring,Fall,Winter",
        "pattern": "Solid,Solid,Solid,Floral,Leopard",
    },
    ("Dress", "Tiered"): {
        "usage": "Casual,Casual,Party",
        "pattern": "Solid,Solid,Solid,Floral,Floral,Checked,Polka Dot",
        "season": "Summer,Summer,Spring",
    },
    ("Shirt", ""): {
        "material": "Cotton,Cotton,Cotton,Cotton,Cotton,Cotton,Cotton,Linen,Linen,Denim,Corduroy",
        "sleeves": "Long Sleeves,Long Sleeves,Long Sleeves,Short Sleeves",
        "pattern": "Solid,Solid,Solid,Solid,Striped,Striped,Pinstriped,Checked,Checked,Gingham,Floral,Polka Dot",
        "usage": "Formal,Formal,Formal,Casual",
        "gender": "Men,Men,Men,Women,Women",
        "season": "Spring,Summer,Fall,Winter",
    },
    ("T-shirt", ""): {
        "pattern": "Solid,Solid,Solid,Solid,Striped,Printed,Printed,Colourblocked,Melange,Polka Dot,Floral",
    },
    ("Blouse", ""): {
        "pattern": "Solid,Solid,Solid,Solid,Floral,Floral,Polka Dot,Leopard,Striped",
        "season": "Spring,Summer,Summer,Fall",
    },
    ("Sweater", "Fine Knit"): {
        "usage": "Formal,Casual",
        "pattern": "Solid,Solid,Solid,Striped,Argyle,Melange,Colourblocked,Fair Isle",
        "season": "Winter,Fall,Spring",
    },
    ("Sweater", "Cable Knit"): {"usage": "Casual,Casual,Casual,Formal"},
    ("Cardigan", "Classic"): {"usage": "Casual,Casual,Formal", "season": "Fall,Winter,Spring"},
    ("Jacket", "Bomber"): {"usage": "Casual,Casual,Sports", "season": "Fall,Winter,Spring,Summer"},
    ("Jacket", "Denim"): {"season": "Spring,Fall,Summer"},
    ("Jacket", "Biker"): {"usage": "Casual,Casual,Party", "season": "Fall,Winter,Spring"},
    ("Jacket", "Puffer"): {"usage": "Casual,Casual,Sports"},
    ("Blazer", ""): {"usage": "Formal,Formal,Formal,Party,Casual", "season": _ALL_YEAR},
    ("Skirt", ""): {
        "season": _ALL_YEAR,
        "length": "Mini,Mini,Knee Length,Midi,Maxi",
        "pattern": "Solid,Solid,Solid,Solid,Floral,Checked,Polka Dot,Striped,Leopard",
    },
    ("Skirt", "Pleated"): {"length": "Mini,Mini,Knee Length,Midi"},
    ("Skirt", "Pencil"): {"usage": "Formal,Formal,Party"},
    ("Skirt", "Tiered"): {"usage": "Casual,Casual,Party", "season": "Summer,Summer,Spring"},
    ("Trousers", ""): {"season": _ALL_YEAR},
    ("Trousers", "Chinos"): {"usage": "Casual,Casual,Formal"},
    ("Jeans", ""): {"season": _ALL_YEAR},
    ("Jumpsuit", "Wide-Leg"): {"usage": "Casual,Party,Formal"},
    ("Sneakers", ""): {"season": "Summer,Spring,Fall"},
    ("Sneakers", "High-Top"): {"usage": "Casual,Casual,Sports"},
    ("Boots", "Chelsea"): {"usage": "Casual,Formal"},
    ("Boots", "Knee-High"): {"usage": "Casual,Formal,Party"},
    ("Heels", ""): {"season": _ALL_YEAR},
    ("Handbag", ""): {"season": _ALL_YEAR},
    ("Sandals", "Gladiator"): {"usage": "Casual,Party"},
    ("Sandals", "Wedge"): {"usage": "Casual,Party"},
}
"""(kind, style) -> words in place of the studio's own; "" as style: for the whole kind, below what a style says."""

_STYLE_OFTEN: Mapping[tuple[str, str], int] = {
    ("Sweater", "Fine Knit"): 2,
    ("Jeans", "Classic"): 2,
    ("Jacket", "Denim"): 3,
}

_ALWAYS: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "Dress": (
        {"sleeves": "Sleeveless", "usage": "Party", "season": "Summer"},
        {"sleeves": "Short Sleeves", "usage": "Party", "season": "Summer"},
    )
}
"""What a kind has in each of its main colours."""

_WARM, _LIGHT = ("Wool", "Cashmere", "Corduroy", "Velvet", "Fleece"), ("Linen", "Chiffon")

_BALANCED: Final[tuple[tuple[str, ...], ...]] = (
    ("style",), ("pattern",), ("material",), ("neckline",), ("length",), ("fit",), ("heel",), ("strap",),
    ("plain", "sleeves"), ("usage", "season"), ("usage", "sleeves"), ("gender", "usage"), ("gender", "plain"),
)  # fmt: skip
"""Words, alone or together, that are spread evenly within a colour and within a kind."""
_CANDIDATES = 90


def counts(n: int) -> dict[str, int]:
    """How many garments of each kind; adds up to n."""
    shares = {kind: _share(kind) for kind in KINDS}
    total, given, made = sum(shares.values()), 0, {}
    for kind, share in shares.items():
        before, given = round(given * n / total), given + share
        made[kind] = round(given * n / total) - before
    return made


def _share(kind: str) -> int:
    return _SHARES.get(kind, _ACCESSORY_SHARE if family(kind) == "accessories" else _OTHER_SHARE)


def stock(n: int, seed: int) -> list[Garment]:
    """n garments in mixed order; no two of one name unless there are thousands."""
    names: set[str] = set()
    garments = [g for kind, count in counts(n).items() for g in _of_kind(kind, count, f"{seed} {kind}", names)]
    random.Random(seed).shuffle(garments)
    return garments


def _of_kind(kind: str, count: int, seed: str, names: set[str]) -> list[Garment]:
    """Choose from a pool of garments for each colour those whose words have come least often for their likelihood."""
    rng = random.Random(seed)
    slots = colours(kind, count)
    pools = {
        colour: _pool(rng, kind, colour, max(_CANDIDATES, 2 * slots.count(colour))) for colour in dict.fromkeys(slots)
    }
    likely = Counter(word for colour in slots for garment in pools[colour] for word in _words(garment))
    total = sum(len(pools[colour]) for colour in slots)
    used: Counter[tuple[str, ...]] = Counter()
    chosen: list[Garment] = []
    rng.shuffle(slots)
    for colour in slots:
        fresh = [garment for garment in pools[colour] if naming.name(garment) not in names] or pools[colour]
        fresh = [garment for garment in fresh if _has(garment, _due(kind, colour, chosen))] or fresh
        best = min(
            fresh, key=lambda g: fsum(_pressed(used, word, g.colour) * total / likely[word] for word in _words(g))
        )
        pools[colour].remove(best)
        names.add(naming.name(best))
        chosen.append(best)
        used.update((*word, at) for word in _words(best) for at in ("", colour))
    return chosen


def _due(kind: str, colour: str, chosen: list[Garment]) -> Mapping[str, str]:
    """The words that the next garment of a colour must have."""
    always = _ALWAYS.get(kind, ()) if colour in _main_weights(kind) else ()
    turn = sum(garment.colour == colour for garment in chosen)
    return always[turn] if turn < len(always) else {}


def _has(garment: Garment, words: Mapping[str, str]) -> bool:
    return all(getattr(garment, name) == word for name, word in words.items())


def _main_weights(kind: str) -> dict[str, int]:
    pairs = (pair.split(":") for pair in _MAIN_COLOURS.get(kind, _OTHER_MAIN).split(","))
    return {colour: int(weight) for colour, weight in pairs}


def _pressed(used: Mapping[tuple[str, ...], int], word: tuple[str, ...], colour: str) -> float:
    """How often a word came, mainly in this colour."""
    return used.get((*word, colour), 0) + 0.1 * used.get((*word, ""), 0)


def _words(garment: Garment) -> Iterable[tuple[str, ...]]:
    plain = "plain" if garment.pattern in ("Solid", "Washed") else "patterned"
    for names in _BALANCED:
        yield (*names, *(plain if name == "plain" else str(getattr(garment, name)) for name in names))


def colours(kind: str, count: int) -> list[str]:
    """The colours of `count` garments: mostly the main ones by their weight, then all others in turn."""
    sold = [*dict.fromkeys(c for style in styles(kind) for c in palette(kind, style)), *_ALSO_SOLD.get(kind, ())]
    part = _MAIN_PART if kind in _MAIN_COLOURS else _OTHER_MAIN_PART
    weights = {colour: weight for colour, weight in _main_weights(kind).items() if colour in sold}
    rest = [colour for colour in sold if colour not in weights]
    mainly = round(part * count) if rest else count
    found: Counter[str] = Counter()
    while found.total() < mainly:
        found[min(weights, key=lambda c: (found[c] + 0.5) / weights[c])] += 1
    return [*found.elements(), *(rest[turn % len(rest)] for turn in range(count - mainly))]


def _pool(rng: random.Random, kind: str, colour: str, size: int) -> list[Garment]:
    own = [style for style in styles(kind) if colour in palette(kind, style)] or styles(kind)
    offered = [style for style in own for _ in range(_STYLE_OFTEN.get((kind, style), 1))]
    pool: list[Garment] = []
    while len(pool) < size:
        style = rng.choice(offered)
        garment = sample_garment(rng, kind, colour, style, _instead(kind, style))
        if not _is_odd(garment):
            pool.append(garment)
    return pool


def _instead(kind: str, style: str) -> Choices:
    return {**_WIDER.get((kind, ""), {}), **STYLES.get((kind, style), {}), **_WIDER.get((kind, style), {})}


def _is_odd(garment: Garment) -> bool:
    """Allowed word by word, yet nothing that one would wear."""
    return (
        (garment.season == "Summer" and garment.material in _WARM)
        or (garment.season == "Winter" and garment.material in _LIGHT)
        or (garment.season == "Winter" and garment.sleeves == "Sleeveless" and garment.usage == "Casual")
        or (garment.usage == "Formal" and garment.pattern in ("Leopard", "Camouflage", "Fair Isle"))
        or (garment.usage == "Formal" and garment.length == "Mini")
        or (garment.kind == "Sweater" and garment.usage == "Formal" and garment.pattern == "Colourblocked")
    )

"""Words for garments: shop names, prices, descriptions, and the captions that an encoder is trained on."""
# ruff: noqa: E501

from __future__ import annotations

import random
from collections.abc import Mapping

from builders.studio.fabric import seeded
from builders.studio.garment import Garment
from builders.studio.shapes.motifs import motif_name

BRANDS = (
    "Veldra", "Hollin & Rye", "Norrstrand", "Pellico", "Sunfold", "Thistleby", "Oakmere", "Brisa Nova", "Kestrio", "Umbrelle",
    "Lindqvale", "Corvane", "Marabelle", "Tavish Row", "Rivenna", "Zephrine",
)  # fmt: skip

_PRICES: Mapping[str, tuple[int, int]] = {
    "T-shirt": (12, 35), "Shirt": (28, 79), "Blouse": (29, 85), "Polo": (24, 59), "Tank Top": (10, 32), "Sweater": (39, 129),
    "Hoodie": (35, 79), "Cardigan": (39, 119), "Jacket": (59, 189), "Blazer": (79, 229), "Coat": (99, 289), "Dress": (39, 149),
    "Skirt": (25, 79), "Trousers": (35, 99), "Jeans": (39, 109), "Shorts": (19, 49), "Leggings": (18, 55), "Jumpsuit": (45, 119),
    "Sneakers": (39, 119), "Boots": (69, 199), "Heels": (45, 139), "Sandals": (19, 79), "Formal Shoes": (69, 189),
    "Handbag": (45, 229), "Backpack": (35, 119), "Tote Bag": (19, 99), "Hat": (15, 49), "Cap": (12, 32), "Scarf": (15, 69),
    "Belt": (15, 49), "Tie": (15, 49), "Sunglasses": (15, 129), "Watch": (49, 249),
}  # fmt: skip
_DEAR = ("Silk", "Cashmere", "Leather", "Wool", "Velvet", "Suede", "Steel")

PLURAL = (
    "Trousers",
    "Jeans",
    "Shorts",
    "Leggings",
    "Sneakers",
    "Boots",
    "Heels",
    "Sandals",
    "Formal Shoes",
    "Sunglasses",
)
PATTERN_WORDS: Mapping[str, str] = {
    "Solid": "plain", "Striped": "striped", "Pinstriped": "pinstriped", "Checked": "checked", "Gingham": "gingham",
    "Polka Dot": "polka dot", "Floral": "floral", "Colourblocked": "colour block", "Printed": "printed", "Melange": "melange",
    "Camouflage": "camouflage", "Chevron": "chevron", "Leopard": "leopard print", "Argyle": "argyle", "Fair Isle": "fair isle",
    "Houndstooth": "houndstooth", "Paisley": "paisley", "Tipped": "tipped", "Washed": "washed",
}  # fmt: skip
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "T-shirt": ("t-shirt", "tee", "t shirt", "tshirt"), "Tank Top": ("tank top", "sleeveless top", "vest top"),
    "Blouse": ("blouse", "top"), "Polo": ("polo shirt", "polo", "polo t-shirt"), "Sweater": ("sweater", "jumper", "pullover"),
    "Hoodie": ("hoodie", "hooded sweatshirt"), "Trousers": ("trousers", "pants"), "Sneakers": ("sneakers", "trainers"),
    "Handbag": ("handbag", "bag", "purse"), "Backpack": ("backpack", "rucksack"), "Tote Bag": ("tote bag", "tote", "shopping bag"),
    "Formal Shoes": ("formal shoes", "dress shoes"), "Blazer": ("blazer", "suit jacket"), "Jumpsuit": ("jumpsuit", "one-piece"),
    "Heels": ("heels", "high heels"), "Tie": ("tie",), "Cap": ("cap",), "Watch": ("watch", "wristwatch"),
    "Sunglasses": ("sunglasses", "shades"),
}  # fmt: skip
_OWN_NAMES: Mapping[tuple[str, str], str] = {
    ("Coat", "Trench"): "Trench Coat", ("Coat", "Overcoat"): "Overcoat", ("Jumpsuit", "Dungarees"): "Dungarees",
    ("Tank Top", "Camisole"): "Camisole", ("Shorts", "Denim"): "Denim Shorts", ("Hat", "Fedora"): "Fedora Hat",
    ("Hat", "Beanie"): "Beanie", ("Hat", "Sun Hat"): "Sun Hat", ("Cap", "Flat Cap"): "Flat Cap", ("Tie", "Necktie"): "Tie",
    ("Tie", "Skinny Tie"): "Skinny Tie", ("Tie", "Bow Tie"): "Bow Tie", ("Trousers", "Chinos"): "Chinos",
    ("Formal Shoes", "Oxford"): "Oxford Shoes", ("Formal Shoes", "Brogue"): "Brogues", ("Formal Shoes", "Loafer"): "Loafers",
    ("Formal Shoes", "Monk Strap"): "Monk Strap Shoes", ("Heels", "Pumps"): "Pumps", ("Heels", "Block Heel"): "Block Heels",
    ("Sandals", "Slide"): "Slides", ("Sandals", "Flip-Flop"): "Flip-Flops", ("Sandals", "Wedge"): "Wedge Sandals",
    ("Boots", "Ankle"): "Ankle Boots", ("Sneakers", "Running"): "Running Shoes", ("Handbag", "Shoulder"): "Shoulder Bag",
    ("Handbag", "Bucket"): "Bucket Bag", ("Handbag", "Satchel"): "Satchel", ("Cap", "Baseball"): "Baseball Cap",
    ("Tote Bag", "Shopper"): "Tote Bag", ("Watch", "Chronograph"): "Chronograph Watch",
}  # fmt: skip
_PLURAL_NAMES = ("Dungarees", "Chinos", "Brogues", "Loafers", "Pumps", "Slides", "Flip-Flops")


def noun(garment: Garment) -> str:
    """The name of the sub-kind: "Trench Coat", "Chelsea Boots", "Shirt"."""
    own = _OWN_NAMES.get((garment.kind, garment.style))
    if own:
        return own
    return garment.kind if garment.style == "Classic" else f"{garment.style} {garment.kind}"


def brand(garment: Garment) -> str:
    return seeded(garment, "brand").choice(BRANDS)


def price(garment: Garment) -> float:
    """A shop price with two decimals."""
    low, high = _PRICES[garment.kind]
    rng = seeded(garment, "price")
    dear = 0.35 if garment.material in _DEAR else 0.0
    share: float = min(1.0, rng.random() ** 1.3 * 0.75 + dear)
    return round(round(low + (high - low) * share) - rng.choice((0.01, 0.05, 0.5)), 2)


def name(garment: Garment) -> str:
    """The product's name as a catalogue gives it: brand, gender, colour, pattern, material, noun."""
    words = [brand(garment), garment.gender, garment.colour]
    if garment.pattern not in ("Solid", "Washed", "Tipped"):
        words.append("Colour Block" if garment.pattern == "Colourblocked" else garment.pattern)
    what = noun(garment)
    if garment.material not in what and garment.material not in ("Acetate", "Metal", "Mesh"):
        words.append(garment.material)
    return " ".join([*words, what])


def description(garment: Garment) -> str:
    """One or two sentences of facts."""
    article = "" if is_plural(garment) else ("An " if garment.material[0] in "AEIO" else "A ")
    material = "" if garment.material in noun(garment) else garment.material.lower()
    what = article + _joined(material, noun(garment).lower())
    first = f"{what} in {garment.colour.lower()}"
    if garment.pattern == "Printed":
        first += f" with a {motif_name(garment)} print in {garment.second.lower()}"
    elif garment.pattern not in ("Solid", "Melange", "Washed", "Leopard", "Camouflage"):
        first += f", {PATTERN_WORDS[garment.pattern]} with {garment.second.lower()}"
    elif garment.pattern != "Solid":
        first += f", {PATTERN_WORDS[garment.pattern]}"
    details = _details(garment)
    extra = f", with {_listed(details)}" if details else ""
    text = f"{first}{extra}."
    return text[0].upper() + text[1:]


def is_plural(garment: Garment) -> bool:
    return noun(garment) in _PLURAL_NAMES or garment.kind in PLURAL


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _details(garment: Garment) -> list[str]:
    """Things that the picture shows, as nouns: "long sleeves", "a shirt collar"."""
    found: list[str] = []
    if garment.sleeves and garment.sleeves != "Sleeveless":
        found.append(garment.sleeves.lower())
    if garment.neckline == "Hooded":
        found.append("a hood")
    elif garment.neckline == "Turtleneck":
        found.append("a turtleneck")
    elif garment.neckline and garment.kind != "Polo":
        found.append(f"a {garment.neckline.lower()}")
    if garment.pockets and garment.pockets != "None" and garment.kind in ("Shirt", "Cardigan", "Hoodie", "Trousers"):
        plural = garment.pockets.endswith("s")
        found.append(f"{'' if plural else 'a '}{garment.pockets.lower()}")
    if garment.heel and garment.heel not in ("Flat", "Low Heel"):
        found.append(f"a {garment.heel.lower()}")
    if garment.strap and garment.kind == "Handbag":
        found.append(f"a {garment.strap.lower()}")
    return found


def captions(garment: Garment, count: int = 4) -> list[str]:
    """Different phrasings of what a shopper might type for this garment; every one is true of the picture."""
    rng = seeded(garment, "captions")
    forms = (_plain_caption, _full_caption, _short_caption, _wish_caption, _keyword_caption, _catalogue_caption)
    order = [_full_caption, *rng.sample([f for f in forms if f is not _full_caption], len(forms) - 1)]
    made = [form(garment, rng) for form in order]
    return list(dict.fromkeys(made))[:count]


def _word(garment: Garment, rng: random.Random) -> str:
    """A word for the kind, sometimes the sub-kind."""
    if garment.style != "Classic" and rng.random() < 0.55:
        return noun(garment).lower()
    return rng.choice(SYNONYMS.get(garment.kind, (garment.kind.lower(),)))


def _pattern(garment: Garment, rng: random.Random) -> str:
    if garment.pattern == "Solid":
        return rng.choice(("", "", "plain", "solid"))
    if garment.pattern == "Checked":
        return rng.choice(("checked", "plaid", "check"))
    if garment.pattern == "Striped":
        return rng.choice(("striped", "stripy"))
    if garment.pattern == "Polka Dot":
        return rng.choice(("polka dot", "dotted", "spotted"))
    if garment.pattern == "Floral":
        return rng.choice(("floral", "flowered", "flower print"))
    return PATTERN_WORDS[garment.pattern]


def _joined(*words: str) -> str:
    return " ".join(word for word in words if word)


def _whom(garment: Garment, rng: random.Random) -> str:
    if garment.gender == "Unisex":
        return rng.choice(("", "for everyone", "unisex"))
    return rng.choice((f"for {garment.gender.lower()}", f"for {garment.gender.lower()}", ""))


def _plain_caption(garment: Garment, rng: random.Random) -> str:
    return _joined(garment.colour.lower(), _pattern(garment, rng), _word(garment, rng))


def _full_caption(garment: Garment, rng: random.Random) -> str:
    details = _details(garment)
    extra = f"with {_listed(rng.sample(details, min(len(details), rng.choice((1, 2)))))}" if details else ""
    if garment.pattern == "Printed":
        extra = rng.choice((f"with a {garment.second.lower()} {motif_name(garment)} print", extra))
    material = garment.material.lower() if garment.material.lower() not in noun(garment).lower() else ""
    return _joined(
        garment.colour.lower(), _pattern(garment, rng), material, _word(garment, rng), extra, _whom(garment, rng)
    )


def _short_caption(garment: Garment, rng: random.Random) -> str:
    fit = garment.fit.lower() + " fit" if garment.fit and garment.fit not in ("Regular",) else ""
    length = garment.length.lower() if garment.kind in ("Dress", "Skirt", "Coat", "Leggings") else ""
    material = "" if garment.material in noun(garment) else garment.material.lower()
    lead = rng.choice([word for word in (fit, length, material) if word] or [""])
    return _joined(lead, garment.colour.lower(), _word(garment, rng))


def _wish_caption(garment: Garment, rng: random.Random) -> str:
    what = _joined(_pattern(garment, rng), _word(garment, rng))
    lead = rng.choice(("looking for", "i need", "show me", "do you have"))
    article = "" if is_plural(garment) else "a "
    return f"{lead} {article}{what} in {garment.colour.lower()}"


def _keyword_caption(garment: Garment, rng: random.Random) -> str:
    extras = [garment.season.lower(), garment.usage.lower(), garment.gender.lower()]
    lead = " ".join(rng.sample(extras, 2))
    return _joined(lead, garment.colour.lower(), _word(garment, rng))


def _catalogue_caption(garment: Garment, rng: random.Random) -> str:
    two = garment.pattern in ("Striped", "Colourblocked", "Checked", "Polka Dot", "Tipped", "Argyle")
    colour = f"{garment.colour} and {garment.second}" if two else garment.colour
    return _joined(garment.gender, colour, _pattern(garment, rng), _word(garment, rng)).lower()

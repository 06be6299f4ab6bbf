"""Attribute captions: what a shopper would type for a product, made from its attributes.

`benchmark_caption` is the fixed form that the evaluation uses; `attribute_captions` draws varied ones for training,
with synonyms, dropped attributes and everyday word order, so that the text tower does not learn one template by heart.
It imports no torch, for the evaluation needs it where nothing is trained.
"""

from __future__ import annotations

import random

from retrieval.schema import Attributes

CATEGORY_WORDS: dict[str, tuple[str, ...]] = {
    "tshirts": ("t-shirt", "tee", "tshirt", "t shirt"),
    "casual shoes": ("casual shoes", "sneakers", "trainers", "shoes"),
    "sports shoes": ("sports shoes", "running shoes", "trainers", "sneakers"),
    "formal shoes": ("formal shoes", "dress shoes", "leather shoes"),
    "flip flops": ("flip flops", "slippers", "thongs"),
    "heels": ("heels", "high heels", "pumps"),
    "flats": ("flats", "flat shoes", "ballerinas"),
    "trousers": ("trousers", "pants", "slacks"),
    "track pants": ("track pants", "joggers", "sweatpants"),
    "sweaters": ("sweater", "jumper", "pullover", "knit"),
    "sweatshirts": ("sweatshirt", "hoodie", "sweater"),
    "handbags": ("handbag", "bag", "purse", "shoulder bag"),
    "wallets": ("wallet", "purse"),
    "backpacks": ("backpack", "rucksack", "bag"),
    "sunglasses": ("sunglasses", "shades", "glasses"),
    "caps": ("cap", "baseball cap", "hat"),
    "watches": ("watch", "wristwatch"),
    "sarees": ("saree", "sari"),
    "innerwear vests": ("vest", "undershirt"),
    "necklace and chains": ("necklace", "chain"),
    "jackets": ("jacket", "coat"),
    "scarves": ("scarf",),
    "dresses": ("dress", "gown", "frock"),
    "jeans": ("jeans", "denims", "denim pants"),
    "shorts": ("shorts",),
    "leggings": ("leggings", "tights"),
    "sports sandals": ("sports sandals", "outdoor sandals"),
    "perfume and body mist": ("perfume", "fragrance", "body mist"),
}
COLOUR_WORDS: dict[str, tuple[str, ...]] = {
    "navy blue": ("navy blue", "navy", "dark blue"),
    "off white": ("off white", "off-white", "cream", "ivory"),
    "cream": ("cream", "ivory", "off white"),
    "grey": ("grey", "gray"),
    "grey melange": ("grey melange", "heather grey", "light grey"),
    "maroon": ("maroon", "dark red", "wine"),
    "burgundy": ("burgundy", "wine red", "dark red"),
    "multi": ("multicoloured", "multicolor", "colourful"),
    "charcoal": ("charcoal", "dark grey"),
    "turquoise blue": ("turquoise", "turquoise blue"),
    "skin": ("skin coloured", "nude", "beige"),
    "tan": ("tan", "light brown", "camel"),
    "olive": ("olive", "olive green", "khaki green"),
    "lavender": ("lavender", "lilac", "light purple"),
    "purple": ("purple", "violet"),
    "teal": ("teal", "blue green"),
    "coffee brown": ("coffee brown", "dark brown"),
}
GENDER_WORDS: dict[str, tuple[str, ...]] = {
    "men": ("men", "man", "him", "guys", "gents"),
    "women": ("women", "woman", "her", "ladies"),
    "boys": ("boys", "boy", "kids"),
    "girls": ("girls", "girl", "kids"),
    "unisex": ("unisex", "everyone"),
}
USAGE_WORDS: dict[str, tuple[str, ...]] = {
    "casual": ("casual", "everyday"),
    "sports": ("sports", "sporty", "gym", "athletic"),
    "formal": ("formal", "office", "business"),
    "ethnic": ("ethnic", "traditional", "indian"),
    "party": ("party", "evening"),
    "smart casual": ("smart casual",),
    "travel": ("travel",),
}


def _word(attributes: Attributes, name: str) -> str:
    return str(attributes.get(name, "")).lower()


def benchmark_caption(attributes: Attributes) -> str:
    """`{colour} {category} for {gender}, {usage} {season}` in lower case; what is unknown is left out."""
    colour, category, gender = (_word(attributes, name) for name in ("colour", "category", "gender"))
    head = " ".join(part for part in (colour, category, f"for {gender}" if gender else "") if part)
    tail = " ".join(part for part in (_word(attributes, "usage"), _word(attributes, "season")) if part)
    return f"{head}, {tail}" if tail else head


def category_phrase(category: str, rng: random.Random) -> str:
    """One everyday word for a category: "tshirts" -> "tee"."""
    words = CATEGORY_WORDS.get(category)
    if words and rng.random() < 0.7:
        return rng.choice(words)
    singular = category[:-1] if category.endswith("s") and not category.endswith("ss") else category
    return rng.choice((category, singular))


def attribute_caption(attributes: Attributes, rng: random.Random, *, colour: bool = True) -> str:
    """One varied caption; `colour=False` for line drawings, which show none."""
    category = category_phrase(_word(attributes, "category"), rng)
    tint, gender, usage = (_word(attributes, name) for name in ("colour", "gender", "usage"))
    tint = rng.choice(COLOUR_WORDS.get(tint, (tint,))) if colour and tint and rng.random() < 0.9 else ""
    gender = rng.choice(GENDER_WORDS.get(gender, (gender,))) if gender and rng.random() < 0.7 else ""
    usage = rng.choice(USAGE_WORDS.get(usage, (usage,))) if usage and rng.random() < 0.4 else ""
    front = gender in ("men", "women", "boys", "girls", "unisex") and rng.random() < 0.5
    parts = [usage, f"{gender}'s" if front and gender != "unisex" else gender if front else "", tint, category]
    if rng.random() < 0.2:
        parts.insert(0, rng.choice(("a", "show me a", "i want a", "looking for a", "a nice")))
    if gender and not front:
        parts.append(f"for {gender}")
    if (season := _word(attributes, "season")) and rng.random() < 0.15:
        parts.append(f"for {season}")
    return " ".join(part for part in parts if part)


def attribute_captions(attributes: Attributes, n: int, seed: str, *, colour: bool = True) -> list[str]:
    """n captions, the same for the same seed."""
    rng = random.Random(seed)
    return [attribute_caption(attributes, rng, colour=colour) for _ in range(n)]

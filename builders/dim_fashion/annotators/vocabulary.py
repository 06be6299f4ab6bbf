"""Words of different catalogues brought together: spellings, kinds of garment, genders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from builders.wording import key_of, singular, words_of
from retrieval.schema import AttributeValue

UNKNOWN = frozenset({"", "na", "none", "unknown", "other", "others", "invisible"})
SAME: Mapping[str, str] = {
    "tee": "tshirt", "teeshirt": "tshirt", "pant": "trouser", "jumper": "sweater", "pullover": "sweater",
    "trainer": "sneaker", "tote": "totebag", "rucksack": "backpack",
    "vesttop": "tanktop", "poloshirt": "polo", "polotshirt": "polo", "gray": "grey", "graymelange": "greymelange",
    "navy": "navyblue", "turquoise": "turquoiseblue", "ivory": "offwhite", "wine": "burgundy",
    "plain": "solid", "stripe": "striped", "stripy": "striped", "check": "checked", "plaid": "checked",
    "dotted": "polkadot", "dot": "polkadot", "polkadotted": "polkadot", "flower": "floral", "print": "printed",
    "graphic": "printed", "colourblock": "colourblocked", "colorblock": "colourblocked", "roundneck": "crewneck",
    "roundcollar": "crewneck", "crew": "crewneck", "vneckline": "vneck", "hood": "hooded", "longsleeved": "longsleeve",
    "shortsleeved": "shortsleeve", "woman": "women", "female": "women", "lady": "women", "ladie": "women",
    "womens": "women",
    "man": "men", "male": "men", "mens": "men", "boy": "boys", "girl": "girls", "sport": "sports", "scarve": "scarf",
}  # fmt: skip
_TOPS = frozenset({"tshirt", "blouse", "tanktop", "tunic", "camisole", "shirt", "polo", "sweater", "top", "sling"})
_BOTTOMS = frozenset(
    {"trouser", "jean", "short", "skirt", "legging", "jegging", "capri", "chino", "jogger", "trackpant"}
)
_OUTER = frozenset({"jacket", "blazer", "coat", "rainjacket"})
BROAD: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("top", "toptee", "shortsleevetop", "longsleevetop"), _TOPS),
    **dict.fromkeys(("jacket", "shortsleeveoutwear", "longsleeveoutwear"), _OUTER),
    "bottom": _BOTTOMS,
    "tshirt": frozenset({"polo"}),
    "casualshoe": frozenset({"sneaker"}),
    "sportshoe": frozenset({"sneaker", "runningshoe"}),
    "shoe": frozenset({"sneaker", "casualshoe", "sportshoe", "formalshoe", "boot", "heel", "flat", "sandal"}),
    "handbag": frozenset({"totebag", "clutch"}),
    "bag": frozenset({"handbag", "totebag", "clutch", "backpack"}),
    "hat": frozenset({"cap"}),
    "sandal": frozenset({"flipflop", "slide", "sportsandal"}),
    "sweatshirt": frozenset({"hoodie"}),
}
"""A loose word of one catalogue -> what another may call the same thing: never said to be a difference."""

GROUPS: Mapping[str, str] = {
    "top": "tshirt shirt top blouse polo tanktop sweater hoodie sweatshirt kurta kurti tunic camisole "
    "tank toptee sling",
    "bottom": "bottom trouser jean short skirt legging jegging capri trackpant churidar salwar patiala pant chino "
    "jogger",
    "full": "dress jumpsuit saree gown romper tracksuit dungaree",
    "outer": "jacket coat blazer parka rainjacket nehrujacket outwear",
    "layer": "cardigan waistcoat vest",
    "shoes": "sneaker boot heel sandal shoe flat flipflop loafer pump slide bootie slipper brogue "
    "oxford clog moccasin wedge stiletto",
    "bag": "handbag bag totebag backpack clutch duffelbag laptopbag messengerbag purse satchel wallet pouch",
    "head": "hat cap beanie headband",
    "scarf": "scarf stole muffler dupatta shawl",
    "belt": "belt suspender",
    "tie": "tie",
    "eyes": "sunglass glass eyewear",
    "watch": "watch wristwatch",
    "jewellery": "earring necklace ring bangle bracelet pendant jewelleryset",
    "socks": "sock stocking",
}
"""Kinds of garment that are worn in one place, in folded words: one of each makes an outfit."""
GROUP_OF: Mapping[str, str] = {word: group for group, words in GROUPS.items() for word in words.split()}
NEAR = frozenset(
    {("full", "top"), ("outer", "top"), ("full", "outer"), ("bottom", "full"), ("layer", "top"), ("layer", "outer")}
)
"""Groups, in order of the alphabet, between which a wish may lead with one step."""

GENDER_WORDS: Mapping[str, str] = {
    "men": "men", "man": "men", "mens": "men", "male": "men", "women": "women", "woman": "women", "womens": "women",
    "female": "women", "ladies": "women", "boys": "boys", "girls": "girls",
}  # fmt: skip
GENDERS = ("men", "women", "boys", "girls")


def fold(value: AttributeValue | None) -> str:
    """One spelling for "T-shirt", "Tshirts" and "t shirt"; "" for what is unknown, or a number."""
    if not isinstance(value, str):
        return ""
    key = key_of(value)
    key = SAME.get(key, key)
    return "" if key in UNKNOWN else key


def parts(value: AttributeValue | None) -> tuple[str, ...]:
    """What a value names: "Leather; Suede", "Shirts & Polos" and "Blouses Shirts" name two things; in lower case."""
    if not isinstance(value, str):
        return ()
    pieces = [" ".join(piece.split()) for piece in re.split(r"[;,&/]|\band\b", value.lower()) if piece.strip()]
    words = value.lower().split()
    if (
        len(pieces) == 1
        and len(words) == 2
        and all(singular(word) != word and fold(word) in GROUP_OF for word in words)
    ):
        return tuple(words)
    return tuple(pieces)


def agree(attribute: str, one: AttributeValue | None, other: AttributeValue | None) -> bool | None:
    """Whether two values mean the same, or have a part in common; None where one of them is not known."""
    first, second = _keys(one), _keys(other)
    if not first or not second:
        return None
    if attribute == "gender" and "unisex" in first | second:
        return True
    if attribute == "category":
        ours, theirs = _kinds(one), _kinds(other)
        return any(_is_within(a, b) or _is_within(b, a) for a in ours for b in theirs)
    return bool(first & second)


def _keys(value: AttributeValue | None) -> frozenset[str]:
    keys = (fold(part) for part in parts(value))
    return frozenset(key for key in keys if key)


def _kinds(value: AttributeValue | None) -> list[tuple[str, ...]]:
    return [ends for part in parts(value) if (ends := kind_ends(part))]


def _is_within(narrow: tuple[str, ...], wide: tuple[str, ...]) -> bool:
    """Whether one kind is the other or a narrower one: "Graphic Tees" are t-shirts, "Sneakers" casual shoes."""
    return any(end == wide[0] or end in BROAD.get(wide[0], ()) for end in narrow)


@lru_cache(maxsize=4096)
def kind_ends(kind: str) -> tuple[str, ...]:
    """The kind and the wider ones that its name ends with, in folded words, up to the first that GROUPS has.

    ("shortsleevedress", "sleevedress", "dress"), but ("tshirt",): it is no shirt. () for what is unknown.
    """
    words = words_of(kind)
    found: list[str] = []
    for at in range(len(words)):
        if key := fold(" ".join(words[at:])):
            found.append(key)
        if key in GROUP_OF:
            break
    return tuple(found)


def group(category: AttributeValue | None) -> str:
    """Where a garment is worn: "shoes" for "Casual Shoes"; "" when not known, or when two are named."""
    found = {_group(part) for part in parts(category)}
    return found.pop() if len(found) == 1 else ""


def _group(kind: str) -> str:
    ends = kind_ends(kind)
    return GROUP_OF.get(ends[-1], "") if ends else ""


def is_near(one: str, other: str) -> bool:
    """Whether a wish may lead from one group of garments to the other; unknown ones are far."""
    return one != "" and (one == other or tuple(sorted((one, other))) in NEAR)


def genders_in(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z]+", text.lower().replace("'s", "").replace("’s", ""))
    return frozenset(GENDER_WORDS[word] for word in words if word in GENDER_WORDS)

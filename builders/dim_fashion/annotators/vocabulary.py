"""Words of different catalogues brought together: spellings, kinds of garment, colours, genders."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
_TOPS = frozenset({"tshirt", "blouse", "tanktop", "tunic", "camisole", "shirt", "polo", "sweater", "top"})
_OUTER = frozenset({"jacket", "blazer", "coat", "rainjacket"})
BROAD: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("top", "toptee", "shortsleevetop", "longsleevetop"), _TOPS),
    **dict.fromkeys(("jacket", "shortsleeveoutwear", "longsleeveoutwear"), _OUTER),
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
    "bottom": "trouser jean short skirt legging jegging capri trackpant churidar salwar patiala pant chino jogger",
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

FAMILIES: Mapping[str, str] = {
    "black": "charcoal", "white": "off-white cream ivory beige silver", "grey": "gray charcoal silver steel melange",
    "blue": "navy teal turquoise indigo denim", "red": "maroon burgundy rust wine magenta",
    "green": "olive teal khaki mint lime turquoise", "brown": "tan rust coffee copper bronze khaki camel taupe beige",
    "yellow": "mustard gold", "orange": "rust peach copper", "pink": "magenta rose peach mauve lavender",
    "purple": "lavender mauve magenta violet burgundy", "beige": "cream nude tan skin khaki camel taupe ivory",
}  # fmt: skip
"""Colour -> shades that somebody may call so."""
GENDER_WORDS: Mapping[str, str] = {
    "men": "men", "man": "men", "mens": "men", "male": "men", "women": "women", "woman": "women", "womens": "women",
    "female": "women", "ladies": "women", "boys": "boys", "girls": "girls",
}  # fmt: skip
GENDERS = ("men", "women", "boys", "girls")


def fold(value: AttributeValue | None) -> str:
    """One spelling for "T-shirt", "Tshirts" and "t shirt"; "" for what is unknown, or a number."""
    if not isinstance(value, str):
        return ""
    words = [_singular(word) for word in re.findall(r"[^\W_]+", value.lower().replace("'s", "s"))]
    key = "".join(words)
    key = SAME.get(key, key)
    return "" if key in UNKNOWN else key


def _singular(word: str) -> str:
    if word in {"mens", "womens", "boys", "girls"} or len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    for ending, single in (("sses", "ss"), ("shes", "sh"), ("ches", "ch")):
        if word.endswith(ending):
            return word.removesuffix(ending) + single
    return word[:-1]


def parts(value: AttributeValue | None) -> tuple[str, ...]:
    """What a value names: "Leather; Suede", "Shirts & Polos" and "Blouses Shirts" name two things; in lower case."""
    if not isinstance(value, str):
        return ()
    pieces = [" ".join(piece.split()) for piece in re.split(r"[;,&/]|\band\b", value.lower()) if piece.strip()]
    words = value.lower().split()
    if (
        len(pieces) == 1
        and len(words) == 2
        and all(_singular(word) != word and fold(word) in GROUP_OF for word in words)
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
    if attribute == "category" and any(_is_loose(a, b) or _is_loose(b, a) for a in first for b in second):
        return True
    return bool(first & second)


def _keys(value: AttributeValue | None) -> frozenset[str]:
    keys = (fold(part) for part in parts(value))
    return frozenset(key for key in keys if key)


def _is_loose(one: str, other: str) -> bool:
    return other in BROAD.get(one, ())


def group(category: AttributeValue | None) -> str:
    """Where a garment is worn: "shoes" for "Casual Shoes"; "" when not known, or when two are named."""
    found = {_group(part) for part in parts(category)}
    return found.pop() if len(found) == 1 else ""


def _group(category: str) -> str:
    return GROUP_OF.get(fold(category)) or GROUP_OF.get(fold(category.replace("-", "").split()[-1]), "")


def is_near(one: str, other: str) -> bool:
    """Whether a wish may lead from one group of garments to the other; unknown ones are far."""
    return one != "" and (one == other or tuple(sorted((one, other))) in NEAR)


def colour_families(colour: str) -> frozenset[str]:
    """The plain colours that somebody may call it; empty for what is no colour, or of all colours."""
    found: set[str] = set()
    for word in re.findall(r"[a-z]+", colour.lower().replace("off white", "off-white").replace("gray", "grey")):
        found.update(name for name, shades in FAMILIES.items() if word == name or word in shades.split())
    return frozenset(found)


def genders_in(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z]+", text.lower().replace("'s", "").replace("’s", ""))
    return frozenset(GENDER_WORDS[word] for word in words if word in GENDER_WORDS)

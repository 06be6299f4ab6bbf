"""Words for colours, and what else each may be called: one table for all sources and annotators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "black": ("black",), "charcoal": ("grey", "black"), "gunmetal": ("grey", "black"),
    "white": ("white",), "off white": ("white", "beige"), "cream": ("white", "beige", "yellow"),
    "ivory": ("white", "beige"), "ecru": ("white", "beige"), "champagne": ("beige", "white", "yellow"),
    "grey": ("grey",), "gray": ("grey",), "grey melange": ("grey",), "melange": ("grey",), "silver": ("grey", "white"),
    "steel": ("grey", "white"), "metallic": ("grey", "white"),
    "blue": ("blue",), "navy": ("blue", "black"), "navy blue": ("blue", "black"), "cobalt": ("blue",),
    "denim": ("blue",), "indigo": ("blue", "purple"), "turquoise": ("blue", "green"),
    "turquoise blue": ("blue", "green"), "teal": ("blue", "green"), "aqua": ("blue", "green"),
    "brown": ("brown",), "coffee": ("brown",), "coffee brown": ("brown",), "chocolate": ("brown",),
    "mushroom brown": ("brown", "beige"), "tan": ("brown", "beige"), "camel": ("brown", "beige"),
    "taupe": ("beige", "grey", "brown"), "bronze": ("brown", "yellow"), "copper": ("brown", "orange"),
    "beige": ("beige", "white", "brown"), "khaki": ("beige", "brown", "green"), "sand": ("beige", "brown", "yellow"),
    "skin": ("beige", "pink"), "nude": ("beige", "pink"),
    "red": ("red",), "scarlet": ("red", "orange"), "crimson": ("red",), "ruby": ("red", "pink"),
    "rust": ("orange", "red", "brown"), "maroon": ("red", "brown"), "burgundy": ("red", "purple"),
    "bordeaux": ("red", "purple"), "wine": ("red", "purple"),
    "pink": ("pink",), "rose": ("pink", "red"), "blush": ("pink", "beige"), "fuchsia": ("pink", "purple"),
    "magenta": ("pink", "purple", "red"), "coral": ("orange", "pink"), "peach": ("orange", "pink"),
    "purple": ("purple",), "violet": ("purple",), "lavender": ("purple", "pink"), "lilac": ("purple",),
    "plum": ("purple", "red"), "mauve": ("purple", "pink"),
    "green": ("green",), "olive": ("green", "brown"), "emerald": ("green",), "mint": ("green",),
    "sea green": ("green", "blue"), "lime": ("green", "yellow"), "lime green": ("green", "yellow"),
    "fluorescent green": ("green", "yellow"),
    "yellow": ("yellow",), "mustard": ("yellow", "brown"), "gold": ("yellow", "brown"), "golden": ("yellow", "brown"),
    "orange": ("orange", "red"), "apricot": ("orange", "yellow"), "amber": ("orange", "yellow", "brown"),
    "multi": ("multi",), "multicoloured": ("multi",), "multicolour": ("multi",), "multicolor": ("multi",),
}  # fmt: skip
"""Word -> what somebody may call it. Two colours that share one are no sure contradiction."""
MIXED = frozenset({"multi", "multicolour", "multicolor", "multicoloured", "multi colour", "multi coloured", "assorted"})
"""Colours that no two products need to have in common."""
ALSO_NAMES = frozenset(
    {
        "amber", "apricot", "blush", "bordeaux", "champagne", "cobalt", "crimson", "denim", "ecru", "emerald",
        "melange", "plum", "ruby", "sand", "scarlet",
    }
)  # fmt: skip
"""Words that name models and cloths as well ("Ruby", "denim"): no colours in the name of a product."""
_VAGUE = MIXED | {"metallic"}
_CLOTHS = frozenset({"denim", "melange", "metallic", "steel", "skin"})
"""Words that are colours only where a catalogue gives them as one."""


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


WORD = _pattern(FAMILIES)
WORD_IN_NAME = _pattern(FAMILIES.keys() - ALSO_NAMES)


def families(colour: str) -> frozenset[str]:
    """The plain colours that a colour in lower case may be called; itself when it is not known."""
    return frozenset(FAMILIES.get(colour, (colour,)))


def families_in(text: str) -> frozenset[str]:
    """The plain colours that the colours in a text may be called; empty where it names none, or several at once."""
    words = WORD.findall(text.lower().replace("-", " "))
    return frozenset(name for word in words if word not in _VAGUE for name in FAMILIES[word])


def is_word(word: str) -> bool:
    """Whether a word in lower case is always a colour: "navy", but not "denim"."""
    return word in FAMILIES and " " not in word and word not in _CLOTHS

"""Material, pattern and style of a product by the words of its name, where a catalogue has no columns for them.

A word counts only where it is no part of the brand, and where the name says one value: two that do not agree say
nothing (ours). Colours that are named like materials ("Gold", "Silver", "Coral") are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from builders.wording import folded

MATERIALS: Mapping[str, str] = {
    "leather": r"leather", "leatherette": r"leath?er[ie]tte?|(?:faux|pu) leather", "denim": r"denim",
    "canvas": r"canvas", "suede": r"suede", "silk": r"silk|tussar", "cotton": r"cotton|poplin",
    "wool": r"wool|woollen|woolen", "linen": r"linen", "polyester": r"poly(?:ester)?", "nylon": r"nylon",
    "satin": r"satin", "velvet": r"velvet", "chiffon": r"chiffon", "georgette": r"georgette", "crepe": r"crepe",
    "chanderi": r"chanderi", "net": r"net", "lace": r"lace(?![ -]?up)", "fleece": r"fleece", "corduroy": r"corduroy",
    "viscose": r"viscose|rayon", "jute": r"jute", "mesh": r"mesh", "rubber": r"rubber", "pique": r"pique",
    "steel": r"(?:stainless )?steel|ssteele?", "metal": r"metal", "pearl": r"pearls?", "crystal": r"crystals?",
    "wood": r"wood|wooden", "sterling silver": r"sterling silver", "brass": r"brass",
}  # fmt: skip
PATTERNS: Mapping[str, str] = {
    "striped": r"striped?|stripes|stripers?|pinstripes?",
    "checked": r"checks?|checked|checkered|plaids?|gingham|tartan", "solid": r"solid|plain",
    "printed": r"printed|prints?", "graphic": r"graphic", "floral": r"floral|flowers?",
    "polka dot": r"polka(?: dots?)?|dotted", "camouflage": r"camouflage|camo",
    "embroidered": r"embroidered|embroidery", "animal print": r"animal|leopard|zebra", "beaded": r"beaded",
    "sequined": r"sequin(?:ed|ned|s)?", "woven": r"woven", "quilted": r"quilted",
    "colour block": r"colou?r[ -]?block(?:ed)?", "paisley": r"paisley", "washed": r"washed",
}  # fmt: skip
STYLES: Mapping[str, str] = {
    "slim fit": r"slim(?: fit)?", "skinny fit": r"skinny", "regular fit": r"regular(?: fit)?",
    "bootcut": r"boot ?cut", "relaxed fit": r"(?:relaxed|loose|comfort) fit", "polo": r"polo(?! assn)",
    "v-neck": r"v[ -]?neck", "round neck": r"(?:round|crew)[ -]?neck|crew", "henley": r"henley",
    "hooded": r"hooded|hoodie|hoody|hood", "turtleneck": r"turtle[ -]?neck", "sleeveless": r"sleeveless",
    "long sleeved": r"(?:long|full)[ -]?sleeved?s?", "short sleeved": r"(?:short|half)[ -]?sleeved?s?",
    "cargo": r"cargo", "reversible": r"reversible", "slip-on": r"slip[ -]?ons?", "lace-up": r"lace[ -]?ups?",
    "wedge": r"wedges?", "peep toe": r"peep[ -]toes?", "gladiator": r"gladiators?", "ballerina": r"ballerinas?",
    "pump": r"pumps?", "sneaker": r"sneakers?", "loafer": r"loafers?", "floater": r"floaters?",
    "running": r"running|runner", "training": r"training|trainer", "basketball": r"basketball",
    "football": r"football|soccer", "tennis": r"tennis", "cricket": r"cricket", "aviator": r"aviators?",
    "wayfarer": r"wayfarers?", "chronograph": r"chronograph|chrono", "digital": r"digital",
    "analogue": r"analog(?:ue)?", "multi-dial": r"multi-?dial", "tote": r"tote", "sling": r"sling",
    "messenger": r"messenger", "laptop": r"laptop", "duffle": r"duff(?:le|el)", "matte": r"matte",
    "gloss": r"gloss(?:y)?",
}  # fmt: skip
_FORMS = {
    attribute: [(value, re.compile(rf"\b(?:{form})\b")) for value, form in table.items()]
    for attribute, table in {"material": MATERIALS, "pattern": PATTERNS, "style": STYLES}.items()
}
_NARROWER: Mapping[str, tuple[str, ...]] = {
    "printed": ("graphic", "floral", "polka dot", "camouflage", "animal print", "paisley"),
    "leather": ("suede", "leatherette"), "metal": ("steel", "brass", "sterling silver"),
    "cotton": ("denim", "canvas"), "analogue": ("chronograph", "multi-dial"),
}  # fmt: skip
"""Wide value -> narrower ones: a "printed floral" shirt is floral."""


def read_name(name: str, brand: str = "") -> dict[str, str]:
    """material, pattern and style, each only where the name says exactly one."""
    text, head = folded(name), folded(brand)
    text = text.removeprefix(head) if head else text
    found: dict[str, str] = {}
    for attribute, forms in _FORMS.items():
        values = [value for value, form in forms if form.search(text)]
        narrow = [value for value in values if not set(_NARROWER.get(value, ())) & set(values)]
        if len(narrow) == 1:
            found[attribute] = narrow[0]
    return found

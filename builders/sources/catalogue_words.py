"""What a product's name tells of what is to be seen: colours, pattern, neckline, sleeves, material, closure, model.

A word is trusted only where it cannot be part of the brand, and where two words contradict each other nothing is said.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from builders.colours import WORD_IN_NAME, families
from builders.wording import folded

_AUDIENCE_WORD = re.compile(
    r"\b(?:men|mens|women|womens|man|woman|unisex|boys?|girls?|kids?|ladies|infants?|toddlers?)(?:['’]?s)?\b"
)
_PATTERNS: Mapping[str, str] = {
    "striped": r"striped?|stripes|striper", "checked": r"checks?|checked|checkered|plaids?", "solid": r"solid|plain",
    "printed": r"printed|prints?|graphic", "floral": r"floral|flowers?", "polka dot": r"polka(?: dots?)?",
    "camouflage": r"camouflage|camo", "embroidered": r"embroidered",
}  # fmt: skip
_NECKLINES: Mapping[str, str] = {
    "v-neck": r"v[ -]?neck", "round neck": r"(?:round|crew)[ -]?neck", "polo collar": r"polo(?! assn)",
    "henley neck": r"henley", "turtleneck": r"turtle[ -]?neck", "hood": r"hooded|hoodie|hoody|hood",
    "square neck": r"square[ -]?neck", "scoop neck": r"scoop[ -]?neck", "cowl neck": r"cowl[ -]?neck",
    "halter neck": r"halter(?:[ -]?neck)?", "boat neck": r"boat[ -]?neck",
    "mandarin collar": r"(?:mandarin|chinese) collar",
}  # fmt: skip
_SLEEVES: Mapping[str, str] = {
    "no sleeves": r"sleeveless", "long sleeves": r"(?:long|full)[ -]?sleeved?s?", "short sleeves":
    r"(?:short|half)[ -]?sleeved?s?", "three-quarter sleeves": r"3/4(?:th)? sleeved?s?|three[ -]quarter sleeved?s?",
}  # fmt: skip
_MATERIALS: Mapping[str, str] = {
    "leather": r"leather", "denim": r"denim", "canvas": r"canvas", "suede": r"suede", "silk": r"silk", "jute": r"jute",
}  # fmt: skip
_CLOSURES: Mapping[str, str] = {
    "zip": r"zip|zips|zipper|zipped|zip-up", "laces": r"lace[ -]?ups?", "velcro": r"velcro",
    "slip-on": r"slip[ -]?ons?",
    "buckle": r"buckled?", "buttons": r"button[ -]?down|buttoned",
}  # fmt: skip
_TABLES = {
    "pattern": _PATTERNS, "neckline": _NECKLINES, "sleeves": _SLEEVES, "material": _MATERIALS, "closure": _CLOSURES,
}  # fmt: skip
_FORMS = {
    name: [(value, re.compile(rf"\b(?:{pattern})\b")) for value, pattern in table.items()]
    for name, table in _TABLES.items()
}
_OPEN_TO: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "pattern": {"printed": ("floral", "polka dot", "camouflage")},
    "material": {"leather": ("suede",)},
}
"""attribute -> wide value -> narrower ones: a "printed floral" shirt is floral, and any printed one may be."""
_NO_CLOTH = re.compile(r"watch|glasses|ring|pendant|necklace|bangle|bracelet|belt|cufflink|jewel|perfume|cosmetic")
_NO_NECK = re.compile(
    r"shoe|sandal|flip|flat|heel|bag|pack|wallet|clutch|sock|cap|hat|jean|trouser|short|skirt|pant|belt"
)
MAX_BRANDS_OF_MODEL = 2
"""A word that names a model ("Faas") belongs to one brand, at most two ("Ferrari"); "shirt" belongs to many."""
MAX_USES_OF_MODEL = 20
"""And it is not in the name of everything that a small brand makes ("sari")."""


def name_colours(name: str, brand: str = "") -> tuple[str, ...]:
    """The colours that a name speaks of, in its order, without those in the brand ("Red Tape")."""
    return tuple(dict.fromkeys(WORD_IN_NAME.findall(_without_brand(name, brand))))


def agree(colour: str, named: Iterable[str]) -> bool:
    """Whether the catalogue's colour is one of those in the name; a name without colours contradicts nothing."""
    others = list(named)
    return not others or any(families(folded(colour)) & families(other) for other in others)


def visible_in_name(name: str, category: str, brand: str = "") -> dict[str, str]:
    """pattern, neckline, sleeves, material and closure, each only where the name says exactly one."""
    text, kind = _without_brand(name, brand), category.casefold()
    found: dict[str, str] = {}
    for attribute, forms in _FORMS.items():
        if attribute == "pattern" and _NO_CLOTH.search(kind):
            continue
        if attribute in ("neckline", "sleeves") and (_NO_NECK.search(kind) or _NO_CLOTH.search(kind)):
            continue
        values = [value for value, form in forms if form.search(text)]
        narrow = [value for value in values if not set(_OPEN_TO.get(attribute, {}).get(value, ())) & set(values)]
        if len(narrow) == 1:
            found[attribute] = narrow[0]
    return found


def may_be(attribute: str, value: str, other: str) -> bool:
    """Whether a product that is called `other` may also be `value`: no sure negative."""
    if attribute == "colour":
        return bool(families(folded(value)) & families(folded(other)))
    wide = _OPEN_TO.get(attribute, {})
    return other in wide.get(value, ()) or value in wide.get(other, ())


def stem_of(name: str, brand: str = "") -> str:
    """The name without brand, colours and audience: equal for variants of one model."""
    bare = _AUDIENCE_WORD.sub(" ", WORD_IN_NAME.sub(" ", _without_brand(name, brand)))
    return " ".join(re.findall(r"[^\W_]+(?:[-./'][^\W_]+)*", bare))


def model_words(stems: Iterable[tuple[str, str, str]]) -> frozenset[str]:
    """Words of `(brand, category, stem)` that name models: few brands use them, and they are not the category's own."""
    users: dict[str, set[str]] = defaultdict(set)
    uses: Counter[str] = Counter()
    plain: set[str] = set()
    for brand, category, stem in stems:
        plain.update(form for word in folded(category).split() for form in (word, word.rstrip("s")))
        for word in stem.split():
            users[word].add(brand)
            uses[word] += 1
    return frozenset(
        word
        for word, brands in users.items()
        if len(brands) <= MAX_BRANDS_OF_MODEL
        and uses[word] <= MAX_USES_OF_MODEL
        and len(word) > 2
        and word not in plain
        and not _is_described(word)
    )


def _is_described(word: str) -> bool:
    return any(form.fullmatch(word) for forms in _FORMS.values() for _, form in forms)


def _without_brand(name: str, brand: str) -> str:
    text, head = folded(name), folded(brand)
    return text.removeprefix(head) if head and text.startswith(head) else text

"""How a shopper words attributes: descriptions ("navy striped polo shirt for men") and changes ("the same in navy")."""

from __future__ import annotations

import random
from collections.abc import Mapping

from builders.wording import is_plural, noun, with_article

_COLOURS: Mapping[str, tuple[str, ...]] = {
    "navy blue": ("navy blue", "navy"), "turquoise blue": ("turquoise",), "multi": ("multicoloured", "many colours"),
    "grey melange": ("grey melange",), "coffee brown": ("coffee brown",), "skin": ("skin colour", "nude"),
    "metallic": ("a metallic colour",), "steel": ("steel grey", "steel"),
}  # fmt: skip
_AUDIENCES: Mapping[str, str] = {"unisex": "for everyone"}
_PATTERNS: Mapping[str, str] = {
    "striped": "with stripes", "checked": "with checks", "printed": "with a print", "solid": "in one plain colour",
    "floral": "with a floral print", "polka dot": "with polka dots", "embroidered": "with embroidery",
}  # fmt: skip
_USAGES: Mapping[str, tuple[str, ...]] = {
    "casual": ("for everyday wear", "in a casual style"), "formal": ("for formal occasions", "in a formal style"),
    "sports": ("for sports",), "party": ("for a party",), "ethnic": ("in an ethnic style",),
    "smart casual": ("in a smart casual style",), "travel": ("for travelling",),
}  # fmt: skip
_CLOSURES: Mapping[str, str] = {
    "zip": "with a zip", "laces": "with laces", "velcro": "with velcro", "slip-on": "to slip on",
    "buckle": "with a buckle", "buttons": "with buttons",
}  # fmt: skip

_SAME = (
    "the same {change}", "this one {change}", "the same, but {change}", "do you have this {change}?",
    "can I get exactly this {change}?", "I'd like this one {change} please", "same model, just {change}",
)  # fmt: skip
_SIMILAR = (
    "a similar one {change}", "something like this {change}", "like this, but {change}",
    "close to this one, only {change}", "I want it {change}, otherwise much the same",
)  # fmt: skip
_BRANDED = (
    "another one by {brand}, but {change}", "also from {brand}, but {change}", "stay with {brand}, only {change}",
    "the same brand, but {change}", "what does {brand} have like this, {change}?",
)  # fmt: skip
_NAMED = ("{name}", "{name}", "do you have the {name}?", "I am looking for the {name}", "show me {name}")
_DESCRIBED = (
    "{text}",
    "{text}",
    "{text}",
    "looking for {a_text}",
    "I need {a_text}",
    "show me {a_text}",
    "{text} please",
)
_FINDS = (
    "find {this} in the shop", "where can I buy {this}?", "do you sell the {thing} in my photo?",
    "I took a picture of {this}, do you stock that?", "the {thing} in this photo please", "find me {this}",
)  # fmt: skip
Spoken = Mapping[str, str]
"""Attribute -> value in lower case: category, colour, gender, usage, pattern, neckline, sleeves, material, closure."""


def described(spoken: Spoken, brand: str, rng: random.Random) -> str:
    """Says every attribute that it is given, and the brand unless it is ""."""
    front = [_front(spoken, name, rng) for name in ("usage", "colour", "pattern", "material")]
    category = spoken["category"]
    owner = spoken.get("gender", "")
    owned = f"{owner}'s" if owner in ("men", "women") else f"{owner}'" if owner in ("boys", "girls") else ""
    ahead = bool(owned) and rng.random() < 0.3
    head = " ".join(part for part in (owned if ahead else "", *front, noun(category)) if part)
    tail = [f"from {brand}" if rng.random() < 0.5 else f"by {brand}"] if brand else []
    tail += [_phrase(name, spoken[name], rng) for name in ("neckline", "sleeves", "closure") if name in spoken]
    if owner and not ahead:
        tail.append(_phrase("gender", owner, rng))
    text = " ".join((head, *tail))
    return rng.choice(_DESCRIBED).format(text=text, a_text=with_article(text, category))


def named(name: str, rng: random.Random) -> str:
    return rng.choice(_NAMED).format(name=name if rng.random() < 0.6 else name.lower())


def sought(category: str, rng: random.Random) -> str:
    """Asks for what a user's own picture shows."""
    thing = noun(category)
    this = f"these {thing}" if is_plural(category) else f"this {thing}"
    return rng.choice(_FINDS).format(this=this, thing=thing)


def changed(change: Spoken, category: str, brand: str, is_same_model: bool, rng: random.Random) -> str:
    """Says every attribute of the change with its new value; `category` is what is wanted. brand "": not spoken of."""
    rest = [_phrase(name, value, rng) for name, value in change.items() if name != "category"]
    phrase = " and ".join(rest)
    if "category" in change:
        thing = with_article(noun(category), category)
        phrase = f"as {thing} {phrase}".strip() if is_same_model else f"{thing} {phrase}".strip()
    elif list(change) == ["usage"] and not is_plural(category) and rng.random() < 0.4:
        return f"{with_article(change['usage'], category)} one instead"
    if is_same_model:
        return rng.choice(_SAME).format(change=phrase)
    templates = _BRANDED if brand and rng.random() < 0.5 else _SIMILAR
    if "category" in change and templates is _SIMILAR:
        return rng.choice(("{0} instead", "like this, but {0}", "rather {0}", "in this manner, but {0}")).format(phrase)
    return rng.choice(templates).format(change=phrase, brand=brand)


def _front(spoken: Spoken, name: str, rng: random.Random) -> str:
    value = spoken.get(name, "")
    if name == "usage" and value == "casual" and "casual" in spoken["category"]:
        return ""
    if name == "usage" and value in spoken["category"].split():
        return ""
    return rng.choice(_COLOURS.get(value, (value,))).removeprefix("a ") if name == "colour" else value


def _phrase(name: str, value: str, rng: random.Random) -> str:
    if name == "colour":
        return f"in {rng.choice(_COLOURS.get(value, (value,)))}"
    if name == "gender":
        return _AUDIENCES.get(value, f"for {value}")
    if name == "usage":
        return rng.choice(_USAGES.get(value, (f"for {value}",)))
    if name == "pattern":
        return _PATTERNS.get(value, f"with a {value} pattern")
    if name == "neckline":
        return f"with a {value}"
    if name == "sleeves":
        return "without sleeves" if value in ("no sleeves", "sleeveless") else f"with {value}"
    if name == "material":
        return f"made of {value}"
    return _CLOSURES.get(value, f"with {value}")

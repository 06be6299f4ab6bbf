"""Kinds of garment as one says them: one or a pair, with or without an article; and spellings brought together."""

from __future__ import annotations

import re
from collections.abc import Mapping

NOUNS: Mapping[str, str] = {
    "tshirt": "t-shirt", "tee": "t-shirt", "teeshirt": "t-shirt", "loungetshirt": "lounge t-shirt", "toptee": "top",
    "polo": "polo shirt", "scarve": "scarf", "accessorygiftset": "gift set", "freegift": "gift",
    "necklaceandchain": "necklace", "tieandcufflink": "tie set",
}  # fmt: skip
"""Key of a kind -> what one of it is called, where that is not its name without the plural's ending."""
PAIRS = (
    "shoes", "heels", "flats", "flops", "sandals", "boots", "booties", "sneakers", "trainers", "slippers", "loafers",
    "pumps", "oxfords", "brogues", "clogs", "moccasins", "wedges", "slides", "mules", "espadrilles", "stilettos",
    "trousers", "jeans", "shorts", "pants", "leggings", "jeggings", "tights", "stockings", "capris", "capri", "joggers",
    "culottes", "chinos", "briefs", "boxers", "salwar and dupatta", "sunglasses", "glasses", "socks", "earrings",
    "cufflinks", "gloves", "accessories",
)  # fmt: skip
"""Ends of kinds that one speaks of in the plural."""
_ALWAYS_S = frozenset({"mens", "womens", "boys", "girls"})
_NO_AN = ("uni", "eu", "one", "us", "ut")
"""Beginnings that are spoken as "you" or "won"."""


def folded(text: str) -> str:
    """Lower case, single blanks, straight apostrophes: equal for equal names."""
    return " ".join(text.casefold().replace("’", "'").split())


def singular(word: str) -> str:
    """Of a word in lower case, by its ending: "dresses" -> "dress", "tees" -> "tee"; genders stay."""
    if word in _ALWAYS_S or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us")):
        return word
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes")) else word[:-1]


def words_of(text: str) -> list[str]:
    """Letters and digits in lower case: "Women's T-shirts" -> "womens", "t", "shirts"."""
    return re.findall(r"[^\W_]+", text.lower().replace("'s", "s").replace("’s", "s"))


def key_of(text: str) -> str:
    """One spelling for "T-shirt", "Tshirts" and "t shirt"."""
    return "".join(map(singular, words_of(text)))


def noun(kind: str) -> str:
    """One of a kind, as one says it: "Tshirts" -> "t-shirt", "Casual Shoes" -> "casual shoes"."""
    plain = kind.lower()
    known = NOUNS.get(key_of(plain))
    if known is not None or is_plural(plain):
        return known or plain
    *before, last = plain.split(" ")
    return " ".join([*before, singular(last)])


def is_plural(kind: str) -> bool:
    """Whether one speaks of it in the plural, without an article: shoes, trousers, glasses."""
    return key_of(kind) not in NOUNS and kind.lower().endswith(PAIRS)


def article(text: str) -> str:
    return "an" if text[:1] in tuple("aeiou") and not text.startswith(_NO_AN) else "a"


def with_article(text: str, kind: str) -> str:
    """The text that names something of this kind, with "a" or "an" where one says so."""
    return text if is_plural(kind) else f"{article(text)} {text}"

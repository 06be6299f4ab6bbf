"""What differs between two pictures by their attributes, and garments, in the words of a shopper."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from builders import wording
from builders.dim_fashion.annotators import vocabulary
from builders.dim_fashion.annotators.vocabulary import fold
from builders.wording import article, is_plural, with_article
from retrieval.schema import Attributes, AttributeValue

MAX_SAID = 3
MAX_DIFFERENCES = 5
"""With more, the two pictures are not taken as two steps of one search."""
VISIBLE = (
    "category", "gender", "colour", "pattern", "sleeves", "neckline", "length", "heel", "style", "material", "fit",
    "usage",
)  # fmt: skip
"""In the order in which differences are said."""

PATTERNS: Mapping[str, str] = {
    "solid": "plain", "colourblocked": "colour-blocked", "leopard": "leopard print", "polkadot": "polka dot",
}  # fmt: skip
USAGES: Mapping[str, str] = {
    "casual": "casual", "formal": "formal", "smartcasual": "smart casual", "ethnic": "ethnic",
}  # fmt: skip
OCCASIONS: Mapping[str, str] = {"sports": "for sports", "party": "for a party", "travel": "for travel"}
NECKLINES: Mapping[str, str] = {"hooded": "a hood", "collarless": "no collar"}

FRAMES_PLAIN = (
    "the same {}", "this one {}", "do you have it {}?", "can I see this {}?", "the same, but {}", "I'd like it {}",
)  # fmt: skip
FRAMES_ANY = (
    "make it {}", "the same, but {}", "like this, but {}", "could it be {}?", "I'd rather have it {}", "this, only {}",
)  # fmt: skip
FRAMES_KIND = (
    "like this, but {}", "the same look as {}", "instead of this, {}", "in this manner, but {}", "show me {} like this",
)  # fmt: skip
FRAMES_SEARCH = (
    "{}", "{}", "looking for {a}{}", "I need {a}{}", "show me {a}{}", "do you have {a}{}?", "{a}{}", "find {a}{}",
)  # fmt: skip
MAX_WORDS = 9


def choice(options: Sequence[str], *ids: str) -> str:
    """One of the options, by the ids alone."""
    digest = hashlib.sha256("\n".join(ids).encode()).digest()
    return options[int.from_bytes(digest[:8], "big") % len(options)]


def differing(one: Attributes, other: Attributes) -> list[str]:
    """Visible attributes that both have and whose values differ, in the order in which they are said."""
    return [name for name in VISIBLE if vocabulary.agree(name, one.get(name), other.get(name)) is False]


def modification(one: Attributes, other: Attributes, *ids: str) -> str:
    """What to say to get from one to the other, true of the other; "" when nothing or too much differs."""
    names = differing(one, other)
    if "category" in names:
        if not vocabulary.is_near(vocabulary.group(one["category"]), vocabulary.group(other["category"])):
            return ""
        names = [name for name in names if name != "style"]
    said = [name for name in names if phrase(name, other[name])]
    if not said or len(names) > MAX_DIFFERENCES or ("gender" in names and "gender" not in said):
        return ""
    said = said[:MAX_SAID]
    if "category" in said:
        return choice(FRAMES_KIND, *ids).format(_garment(other, said))
    said.sort(key=lambda name: not _is_adjective(name, other[name]))
    parts = _listed([phrase(name, other[name]) for name in said])
    return choice(FRAMES_ANY if _is_adjective(said[0], other[said[0]]) else FRAMES_PLAIN, *ids).format(parts)


def search(attributes: Attributes, *ids: str) -> str:
    """Three to nine words that would lead to a garment; "" where the attributes say too little."""
    if not vocabulary.group(attributes.get("category")):
        return ""
    known = [name for name in VISIBLE if name in attributes and _tells(name, attributes)]
    first = [name for name in ("colour", "pattern") if name in known]
    rest = sorted((name for name in known if name not in first), key=lambda name: _draw(name, *ids))
    chosen: list[str] = []
    for name in (*first, *rest):
        if len(_noun_phrase(attributes, [*chosen, name]).split()) <= MAX_WORDS - 1:
            chosen.append(name)
        if len(chosen) == MAX_SAID + 1:
            break
    words = _noun_phrase(attributes, chosen)
    frames = [frame for frame in FRAMES_SEARCH if len(_framed(frame, attributes, words).split()) <= MAX_WORDS]
    text = _framed(choice(frames or ["{}"], *ids), attributes, words)
    return text if len(words.split()) >= 2 and len(text.split()) >= 3 else _barest(attributes, words, chosen)


def _tells(name: str, attributes: Attributes) -> bool:
    """Whether it narrows a search: most clothes are casual and plain, and sports shoes are for sports."""
    key = fold(attributes[name])
    within = fold(attributes["category"])
    said = name != "category" and phrase(name, attributes[name]) != "" and key not in {"casual", "solid"}
    return said and key not in within and fold(str(attributes[name]).rstrip("s")) not in within


def noun(category: AttributeValue) -> str:
    """ "Dresses" -> "dress", "Casual Shoes" as it is, "Blouses Shirts" -> "blouse or shirt"; lower case."""
    return " or ".join(wording.noun(part) for part in vocabulary.parts(category))


def phrase(name: str, value: AttributeValue) -> str:
    """ "in navy blue", "with long sleeves", "striped"; "" for a value that says nothing."""
    word = str(value).lower().partition(";")[0].strip()
    key = fold(word)
    if not key or key in {"classic", "regular", "unisex"}:
        return noun(value) if name == "category" and key else ""
    if name == "category":
        return noun(value)
    if name == "sleeves":
        return "sleeveless" if key == "sleeveless" else _with(word if "sleeve" in word else f"{word} sleeves")
    if name == "neckline":
        return f"with {NECKLINES[key]}" if key in NECKLINES else _with(_neckline(word))
    plain = {
        "gender": f"for {word}",
        "colour": "in several colours" if key in {"multi", "multicolour", "multicolor"} else f"in {word}",
        "pattern": PATTERNS.get(key, word),
        "length": f"in {word}" if "length" in word else f"in {word} length",
        "heel": "flat" if key == "flat" else _with(word),
        "style": f"in {article(word)} {word} style",
        "material": f"in {word}",
        "fit": f"with {article(word)} {word} fit",
        "usage": USAGES.get(key, OCCASIONS.get(key, "")),
    }
    return plain.get(name, "")


def _neckline(word: str) -> str:
    return word if re.search(r"neck|collar|hood|lapel", word) else f"{word} neck"


def _with(word: str) -> str:
    return f"with {word}" if word.endswith("s") else f"with {article(word)} {word}"


def _is_adjective(name: str, value: AttributeValue) -> bool:
    return not phrase(name, value).startswith(("in ", "with ", "for "))


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _garment(attributes: Attributes, names: Sequence[str]) -> str:
    """ "a striped dress in red", of these attributes."""
    rest = [name for name in names if name != "category"]
    before = [phrase(name, attributes[name]) for name in rest if _is_adjective(name, attributes[name])]
    after = [phrase(name, attributes[name]) for name in rest if not _is_adjective(name, attributes[name])]
    words = " ".join([*before, noun(attributes["category"]), *after])
    return with_article(words, str(attributes["category"]))


def _noun_phrase(attributes: Attributes, names: Sequence[str]) -> str:
    """ "navy blue striped shirt with long sleeves for men"."""
    front, back = [], []
    for name in sorted(VISIBLE, key=lambda name: name == "style"):  # next to the noun
        if name not in names:
            continue
        words = phrase(name, attributes[name])
        if name in {"colour", "material"}:
            front.append("multicoloured" if words == "in several colours" else words.removeprefix("in "))
        elif name in {"style", "length"}:
            front.append(str(attributes[name]).lower().partition(";")[0])
        elif _is_adjective(name, attributes[name]):
            front.append(words)
        else:
            back.append((words.startswith("for "), words))
    what = noun(attributes["category"])
    if front and front[-1].endswith(f" {what}"):  # a bow tie, a flat cap
        what = front.pop()
    return " ".join([*front, what, *(words for _, words in sorted(back))])


def _framed(frame: str, attributes: Attributes, words: str) -> str:
    return frame.format(words, a="" if is_plural(str(attributes["category"])) else f"{article(words)} ")


def _barest(attributes: Attributes, words: str, chosen: Sequence[str]) -> str:
    """The barest search that has three words; "" when nothing but the kind is known."""
    return _framed("looking for {a}{}", attributes, words) if chosen else ""


def _draw(name: str, *ids: str) -> bytes:
    return hashlib.sha256("\n".join((name, *ids)).encode()).digest()

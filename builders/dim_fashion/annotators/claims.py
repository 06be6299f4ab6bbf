"""What a request claims of its target, by the words for colours, kinds and genders in it."""

from __future__ import annotations

import re
from itertools import pairwise

from builders.colours import families_in
from builders.dim_fashion.annotators import vocabulary
from builders.dim_fashion.annotators.vocabulary import fold
from retrieval.schema import Attributes

DENIALS = frozenset(
    {"not", "no", "without", "instead", "than", "less", "never", "from", "isn", "doesn", "remove", "rather"}
)
DENIAL_REACH = 4
"""Words after a denial that it may mean."""
_DETAILS = (
    "collar sleeve button print trim stripe dot logo lettering text strap buckle flower pattern design sole lace heel "
    "cuff zip lining pocket detail accent writing graphic letter lettered band border edge edging piping hem stitching "
    "wash toe dial undertone background floral polka check plaid waist neck neckline bottom top sash bow ribbon tassel "
    "embroidery sequin cut style sleeved striped polkadot printed checked hooded"
)
DETAILS = frozenset(_DETAILS.split())
"""Nouns whose colour is not the garment's, or whose shape is another garment's ("a shirt collar")."""


def contradict(text: str, attributes: Attributes, caption: str = "", *, names_kind: bool) -> bool:
    """Whether the target is of another colour or gender than the text says; with `names_kind` also of another kind.

    What is denied ("not red"), belongs to a part ("a black collar", "with red dots") or is not known counts as nothing,
    and so do words of the target's own name: a brand, or a catalogue that sees its colour otherwise.
    """
    genders = vocabulary.genders_in(text) - vocabulary.genders_in(caption)
    gender = fold(attributes.get("gender"))
    if genders and gender in vocabulary.GENDERS and gender not in genders and not _denies(text):
        return True
    if names_kind and _other_kind(text, attributes):
        return True
    return _other_colour(text, attributes, caption)


def _other_colour(text: str, attributes: Attributes, caption: str) -> bool:
    own = families_in(str(attributes.get("colour", "")))
    said = claimed_colours(text)
    if not own or any(own & families_in(word) for word in said):
        return False
    named = re.findall(r"[a-z]+", caption.lower())
    return any(word not in named for word in said)


def claimed_colours(text: str) -> tuple[str, ...]:
    """Words for the colour of the garment as a whole, in their order."""
    found: list[str] = []
    for clause in re.split(r"[,;.!?]", text.lower()):
        words = re.findall(r"[a-z]+", clause)
        for at, word in enumerate(words):
            if not families_in(word) or _is_denied(words, at):
                continue
            if _of_a_part(words, at):
                continue
            found.append(word)
    return tuple(found)


def _is_denied(words: list[str], at: int) -> bool:
    return any(word in DENIALS for word in words[max(0, at - DENIAL_REACH) : at])


def _of_a_part(words: list[str], at: int) -> bool:
    """ "with red dots", "black collar": a "with" before it that no later "in" ends, or a part's noun right after."""
    before = words[:at]
    if "with" in before and "in" not in before[len(before) - before[::-1].index("with") :]:
        return True
    return any(fold(word) in DETAILS or word in DETAILS for word in words[at + 1 : at + 4])


def _denies(text: str) -> bool:
    return any(word in DENIALS for word in re.findall(r"[a-z]+", text.lower()))


def _other_kind(text: str, attributes: Attributes) -> bool:
    own = vocabulary.group(attributes.get("category"))
    named = groups_in(text)
    return bool(own and named) and own not in named


def groups_in(text: str) -> frozenset[str]:
    """Groups of the garments that are named, be it for a part ("a shirt collar")."""
    words = re.findall(r"[a-z]+", text.lower().replace("t-shirt", "tshirt").replace("-", " "))
    named = {vocabulary.group(word) for word in words}
    return frozenset((named | {vocabulary.group(f"{one} {other}") for one, other in pairwise(words)}) - {""})

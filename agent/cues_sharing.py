"""Phrases that ask for what shares an attribute: "the same collar", "keep the print and change the rest"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

_SPOKEN: Mapping[str, str] = {
    "second_colour": r"second(?:ary)? colou?rs?",
    "colour": r"colou?rs?(?: scheme)?|shades?|hue",
    "pattern": r"patterns?|prints?|design|motif",
    "neckline": r"neck ?lines?|neck(?: shape)?|collars?",
    "sleeves": r"sleeves?(?: length)?",
    "material": r"materials?|fabrics?|cloth|textile",
    "brand": r"brands?|labels?|designers?|makers?",
    "length": r"length",
    "fit": r"fit(?! (?:and flare|with|in|under|the|my|me|well|better|nicely|perfectly))|cut(?![ -]?outs?)|silhouette",
    "style": r"style",
    "closure": r"closures?|fasten(?:ing|er)s?",
    "strap": r"straps?",
    "heel": r"heel(?: (?:height|type|shape))?|height of (?:the |its |their )?heels?",
    "pockets": r"pockets?",
    "season": r"season",
    "usage": r"occasion",
}
"""Attribute -> how it is spoken of; others of a gallery go by their own names. "Heels" are shoes."""

_NOT_SHARED = frozenset({"name", "caption", "category", "master_category", "sub_category", "gender", "price", "year"})

_POINT = r"(?:this|that|it|these|those|them|(?:the )?(?:\w+ )?one|(?:the )?(?:first|second|third|last)|number \w+)\b"
_FUNCTION_WORD = (
    r"has|have|had|with|without|in|is|are|was|of|by|for|on|or|and|but|to|no|not|the|an?|from|at|as|needs?|comes?|makes?"
    r"|suits?|goes|go|matches|match|looks?|does|do|shows?|wears?|its?|would|can|will"
)
_REST = (
    r"(?:the (?:entire |whole )?(?:rest|remainder)|all the rest|everything else|all else|anything else|nothing else"
    r"|all other (?:\w+)|the other (?:things|details|parts|features)|something (?:else|different)"
    r"|other (?:garments|items|pieces|products|things|ones|clothes|options))\b"
)
_MUST = r"(?:(?:should|must|shall|can|may|has to|have to|needs? to|ought to|is to|are to|to|will) )?"
_STAYS = (
    r"(?:stays?|remains?|be (?:kept|left|preserved|the same|as it is|like this)|keeps?|matters?|counts?"
    r"|(?:is|are) (?:important|to (?:stay|remain)|what (?:matters|counts)|right|good|fine|perfect))\b"
    r"(?: (?:as (?:it|they) (?:is|are)|the same|like (?:this|that|it is)|unchanged|to me|for me))*"
)
_KEEP = r"(?:keep|leave|retain|preserve|stick (?:to|with)|stay with|hold on to|maintain)(?:ing)?"
_WANTED = r"(?:find|show|see|give|any|anything|other|others|more|else|what|which|who|something|things?|all|everything)"


@dataclass(frozen=True, slots=True)
class Sharing:
    """The patterns for the attributes of one gallery, over lower-case text."""

    attributes: tuple[str, ...]
    name: re.Pattern[str]
    """One attribute's name; group i + 1 is that of attribute i."""
    same: re.Pattern[str]
    """ "the same collar", "this collar": says which attribute, not yet that others are wanted."""
    others: tuple[re.Pattern[str], ...]
    """Whole phrases that say that other garments with the attribute are wanted."""

    def named(self, text: str) -> tuple[str, ...]:
        """All attributes that a text names, in its order."""
        found = (self.attributes[match.lastindex - 1] for match in self.name.finditer(text) if match.lastindex)
        return tuple(dict.fromkeys(found))

    def is_name(self, said: str) -> bool:
        """A "collar" is a neckline as well: as the name of the attribute it is no value."""
        return self.name.fullmatch(said) is not None

    def phrase_for_others(self, text: str) -> re.Match[str] | None:
        return next((match for pattern in self.others if (match := pattern.search(text))), None)


def sharing_of(facets: Iterable[str]) -> Sharing:
    """For the attributes of a gallery, and those that a picture may show although the gallery does not list them."""
    return _sharing(tuple(sorted(set(facets) - _SPOKEN.keys() - _NOT_SHARED)))


@cache
def _sharing(own_names: tuple[str, ...]) -> Sharing:
    spoken = {**{name: _spelt(name) for name in own_names}, **_SPOKEN}
    words = "|".join(f"(?:{pattern})" for pattern in spoken.values())
    named = rf"(?:{words})\b(?:(?:,? (?:and|or) |, )(?:the |its |their )?(?:same )?(?:{words})\b)*"
    described = rf"(?:(?!(?:{_FUNCTION_WORD})\b)\w+ )?{named}"
    return Sharing(
        tuple(spoken),
        re.compile(r"\b(?:" + "|".join(f"({pattern})" for pattern in spoken.values()) + r")\b"),
        re.compile(
            rf"\b(?:same|this|that|such an?|its|identical)(?: exact| very| same)?(?: (?:kind|type|sort) of)?"
            rf" (?P<attribute>{described})"
        ),
        tuple(re.compile(pattern) for pattern in _phrases(named, described)),
    )


def _phrases(named: str, described: str) -> Iterator[str]:
    the = rf"(?:the |this |that |its |their )(?:very |exact |same )?{described}"
    yield rf"\b(?:only|just|nothing but|all but) {the} {_MUST}{_STAYS}"
    yield rf"\b(?:only|just|merely) {_KEEP} {the}"
    yield rf"\b{_KEEP} (?:only|just|nothing but) {the}"
    yield rf"\b(?:only|just|mainly|mostly) (?:really )?(?:care|mind|think) about {the}(?: (?:staying|being) the same)?"
    yield (
        rf"\b(?:(?:only|one) (?:thing|part|detail)|all|what)(?: that| which)? "
        rf"(?:(?:i|we) (?:\w+ ){{1,5}}|{_MUST}{_STAYS} )(?:is|are) {the}"
    )
    yield (
        rf"{the} (?:is|are) (?:all|the only thing|the one thing|what)(?: that)?"
        r" (?:matters|counts|i (?:\w+ ){0,3}\w+)"
    )
    yield rf"\b{_KEEP} {the}\b.{{0,50}}?\b{_REST}(?:.{{0,12}} (?:change|differ|vary|be different|go))?"
    yield rf"{the} {_MUST}{_STAYS}.{{0,40}}?\b{_REST}(?:.{{0,12}} (?:change|differ|vary|be different|go))?"
    yield (
        rf"\bchange (?:everything|anything|all|it all) (?:but|except|apart from|other than|besides|save)(?: for)? {the}"
    )
    yield (
        rf"\b(?:everything|anything|all|the rest) (?:but|except|apart from|other than|besides|save)(?: for)? {the}"
        r" (?:\w+ ){0,2}(?:change|differ|different|vary|go)\b"
    )
    yield (
        rf"(?:\bi (?:\w+ ){{1,3}}?)?{the}\b.{{0,50}}\b{_WANTED}\b.{{0,30}}?"
        r"\b(?:shar\w+|with|has|have|having|in|featur\w+|got|use|uses) (?:it|that|this|the same|the very same)"
        r"(?=\W*$|[.,;!?]| (?:too|as well|please|same)\b)"
    )
    yield rf"\bshar(?:e|es|ed|ing) (?:the |this |that |its |their |an? |same )+{described}(?: (?:of|with) {_POINT})?"
    yield (
        rf"\b(?:with|in|has|have|having|wears?|by|from|of|got|like) (?:the |an? )(?:very |exact |same )?{described} "
        rf"(?:of|from|as|like|as in|as on|on|that) {_POINT}(?: has| have)?"
    )
    yield rf"\b(?:with|in|has|have|having|got) (?:the |an? )(?:exact |same )?{named} (?:shown|seen|pictured)? ?here\b"


def _spelt(name: str) -> str:
    spoken = re.escape(name.replace("_", " ").lower()).replace(r"\ ", " ")
    return rf"{spoken.removesuffix('s')}e?s?"

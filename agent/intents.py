"""Which of the intents a message has: plain cues first, the nearest labelled examples where no cue speaks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent import cues, cues_other, cues_pictures
from agent.cues_sharing import Sharing, sharing_of
from agent.mentions import Mention
from agent.reading import Reading
from agent.references import Referent
from agent.scene import Scene
from agent.spans import Span, within
from agent.words import WORD
from retrieval.schema import Intent

_ATTRIBUTES = {name: re.compile(rf"\b(?:{words})\b") for name, words in cues.ATTRIBUTE_WORDS.items()}


N_WORDS_MORE = 2
_BESIDE = frozenset(
    ("and", "or", "ok", "okay", "the", "please", "yes", "maybe", "then", "from", "in", "of", "like", "i", "meant", "no")
)
""" "The third one, please" says which one, and nothing else."""


class Examples(Protocol):
    """The nearest labelled examples to a sentence."""

    def vote(self, text: str) -> Mapping[Intent, float]:
        """Intent -> share of the vote."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    intent: Intent
    detail: str = ""
    """The kind of OTHER; the attribute of ASK and SAME_ATTRIBUTE."""
    cues: tuple[Span, ...] = ()
    """Words that said so, which are no part of the wish."""


def decide(reading: Reading, scene: Scene, referent: Referent, examples: Examples | None) -> Decision:
    """For messages with a text; going back is decided before (`planners.rollback`)."""
    return _by_cue(reading, scene, referent) or _by_example(reading, scene, referent, examples)


def attributes_named(text: str) -> tuple[str, ...]:
    """All attributes that a text names, in its order."""
    found = [(match.start(), name) for name, pattern in _ATTRIBUTES.items() if (match := pattern.search(text))]
    return tuple(name for _, name in sorted(found))


def _first_attribute(text: str) -> str:
    return next(iter(attributes_named(text)), "")


def _by_cue(reading: Reading, scene: Scene, referent: Referent) -> Decision | None:
    text = reading.text
    has_scene = scene.turn is not None or scene.has_reference
    is_in_shop = scene.has_upload and cues_pictures.IN_SHOP.search(text) is not None
    if not is_in_shop and (kind := _other(reading)):
        return Decision(Intent.OTHER, kind)
    if same := _same_attribute(reading, referent, sharing_of(scene.catalogue.facets), has_scene):
        return same
    is_same_item = is_in_shop or (has_scene and cues_pictures.SAME_ITEM.search(text)) or _is_pictured(reading, scene)
    if is_same_item and not _changes_something(reading, referent):
        return Decision(Intent.SAME_ITEM, cues=_all(cues_pictures.SAME_ITEM, text))
    if has_scene and cues.WHY.search(text):
        return Decision(Intent.ASK, "why")
    if has_scene and _compares_items(text, referent):
        return Decision(Intent.ASK, _first_attribute(text))
    if cues.COMPATIBLE.search(text) and not re.search(r"\b(?:match|same|similar).{0,20}\b(?:price|size|rating)", text):
        return Decision(Intent.COMPATIBLE, cues=_all(cues.COMPATIBLE, text))
    if cues.WHAT_IS_THERE.match(text):
        return Decision(Intent.ASK, "category")
    if has_scene and any(pattern.search(text) for pattern in cues.OPEN.values()):
        return Decision(Intent.MODIFY)
    if has_scene and _is_amount_alone(reading, referent):
        return Decision(Intent.MODIFY)
    if has_scene and referent.is_explicit and referent.items and not _says_more(reading, referent):
        return Decision(Intent.MODIFY)
    wants_another = any(comparison.step == 0 for comparison in reading.comparisons)
    if not wants_another and _asks(reading, scene, referent):
        return Decision(Intent.ASK, _first_attribute(text))
    if cues.CORRECTION.search(text) and scene.turn is not None and not scene.has_upload:
        return Decision(Intent.MODIFY)
    is_new = cues.NEW_WISH.search(text) and not (referent.is_pointed or scene.has_reference or reading.comparisons)
    if is_new and reading.mentions:
        return Decision(Intent.SEARCH)
    if has_scene and _modifies(reading, scene, referent):
        return Decision(Intent.MODIFY)
    if not has_scene and (reading.mentions or reading.prices):
        return Decision(Intent.SEARCH)
    if reading.mentioned("category") and not referent.is_pointed:
        return Decision(Intent.SEARCH)
    return None


def _by_example(reading: Reading, scene: Scene, referent: Referent, examples: Examples | None) -> Decision:
    has_scene = scene.turn is not None or scene.has_reference
    if examples is not None:
        votes = _possible(examples.vote(reading.text), reading, scene, referent)
        for intent in sorted(votes, key=lambda intent: -votes[intent]):
            detail = _first_attribute(reading.text) if intent in (Intent.ASK, Intent.SAME_ATTRIBUTE) else ""
            if intent is Intent.ASK and not (referent.is_pointed or detail or cues.ASKS.search(reading.text)):
                continue
            if intent is Intent.SEARCH and scene.turn is not None and _is_a_word_more(reading):
                return Decision(Intent.MODIFY)
            if intent is not Intent.SAME_ATTRIBUTE or detail:
                return Decision(intent, "off_topic" if intent is Intent.OTHER else detail)
    if has_scene and (not reading.mentioned("category") or scene.has_reference):
        return Decision(Intent.MODIFY)
    return Decision(Intent.SEARCH)


def _compares_items(text: str, referent: Referent) -> bool:
    return (
        len(referent.items) > 1
        and re.search(r"\b(?:compare|comparison|differ(?:s|ence|ences)?|versus|vs)\b", text) is not None
    )


def _says_more(reading: Reading, referent: Referent) -> bool:
    """Whether anything is left beside the words that point."""
    words = [m for m in WORD.finditer(reading.text) if not within(m.span(), referent.spans)]
    return any(match.group() not in _BESIDE for match in words)


def _is_amount_alone(reading: Reading, referent: Referent) -> bool:
    """ "Only five", "the cheapest first": the same wish, in another amount or order."""
    is_said = reading.amounts.n_wanted or reading.amounts.sort_by
    return bool(is_said) and not referent.is_explicit and not reading.mentioned("category")


def _is_a_word_more(reading: Reading) -> bool:
    """ "aviator" after sunglasses for men: too short for a wish of its own."""
    return not reading.mentioned("category") and len(reading.text.split()) <= N_WORDS_MORE


_NEEDS_SCENE = (Intent.MODIFY, Intent.SAME_ITEM, Intent.SAME_ATTRIBUTE, Intent.COMPATIBLE)


def _possible(votes: Mapping[Intent, float], reading: Reading, scene: Scene, referent: Referent) -> dict[Intent, float]:
    """Without what cannot be meant here: nothing can be changed before something is shown, and who names a garment
    without pointing is not chatting."""
    counted = dict(votes)
    counted.pop(Intent.ROLLBACK, None)
    if not referent.is_pointed and not scene.has_reference:
        for intent in (Intent.COMPATIBLE, Intent.SAME_ITEM, Intent.SAME_ATTRIBUTE):
            counted.pop(intent, None)
    if scene.turn is None and not scene.has_reference:
        moved = sum(counted.pop(intent, 0.0) for intent in _NEEDS_SCENE)
        counted[Intent.SEARCH] = counted.get(Intent.SEARCH, 0.0) + moved
    elif not scene.has_reference and reading.mentioned("category"):
        counted[Intent.SEARCH] = counted.get(Intent.SEARCH, 0.0) + counted.pop(Intent.MODIFY, 0.0) / 2
    if reading.mentions and not referent.is_pointed:
        counted.pop(Intent.OTHER, None)
    return counted


def _other(reading: Reading) -> str:
    """The kind of OTHER, or ""."""
    for kind, pattern in cues_other.OTHER_KINDS.items():
        if pattern.search(reading.text) and not (kind == "off_topic" and reading.mentioned("category")):
            return kind
    return ""


def _is_pictured(reading: Reading, scene: Scene) -> bool:
    """ "The jacket in my photo, please", not "shoes for the dress in my photo"."""
    text = reading.text
    is_one = scene.has_upload and len(reading.mentioned("category")) <= 1
    is_shown = is_one and cues_pictures.SHOWN_IN_PICTURE.search(text) is not None
    is_other = cues_pictures.LIKE_IT.search(text) or cues.COMPATIBLE.search(text)
    return is_shown and not is_other


def _changes_something(reading: Reading, referent: Referent) -> bool:
    """ "exactly this one in blue" is a change, however exact it sounds."""
    outside = [m for m in _outside(reading.mentions, referent) if m.attribute != "category"]
    return bool(outside or reading.comparisons or reading.negations or reading.prices)


def _outside(mentions: Sequence[Mention], referent: Referent) -> list[Mention]:
    return [mention for mention in mentions if not within(mention.span, referent.spans)]


def _same_attribute(reading: Reading, referent: Referent, sharing: Sharing, has_scene: bool) -> Decision | None:
    text = reading.text
    if match := cues.SHARED_BRAND.search(text):
        return Decision(Intent.SAME_ATTRIBUTE, "brand", (match.span(),))
    is_longer = any(comparison.attribute != "price" for comparison in reading.comparisons)
    phrase = sharing.phrase_for_others(text) if has_scene and not is_longer else None
    if phrase and not cues.ABOUT_ITSELF.match(text) and not _names_item(reading, phrase):
        return Decision(Intent.SAME_ATTRIBUTE, sharing.named(phrase.group())[0], (phrase.span(),))
    match = sharing.same.search(text)
    if match and not _names_item(reading, match) and _wants_shared(reading, referent, match):
        return Decision(Intent.SAME_ATTRIBUTE, sharing.named(match["attribute"])[0], (match.span(),))
    return None


def _wants_shared(reading: Reading, referent: Referent, match: re.Match[str]) -> bool:
    """ "Same colour" may be a question, or what stays while the item itself is changed."""
    text, rest = reading.text, reading.text[match.end() :]
    says_same = "same" in match.group() or "identical" in match.group()
    wants_others = cues.WANTS_OTHERS.search(text[: match.start()] + " " + rest)
    category = _outside(reading.mentioned("category"), referent)
    is_other_garment = cues.ON_OTHER_GARMENT.search(text) or cues.ANOTHER_ONE.search(text)
    changes = (
        reading.comparisons
        or re.search(r"\b(?:different|other|another) (?!kind|type|garment|item|one|thing|piece|product|pair)\w+", rest)
        or (re.search(r"\bbut\b", rest) and not is_other_garment)
    )
    is_question = re.match(r"(?:what|which|how|is|does|do|are|who)\b", text) and not re.search(
        r"\b(?:else|other|have|has|comes?|items|things)\b", text
    )
    if cues.ABOUT_ITSELF.match(text) or (is_question and not says_same) or (changes and not category):
        return False
    if match["attribute"].endswith("style") and not (wants_others or category):
        return False
    return bool(says_same or wants_others or category)


def _names_item(reading: Reading, match: re.Match[str]) -> bool:
    """ "The same fit and flare dress", "this crew neck jumper": the item itself, by its details."""
    start, end = match.span("attribute") if "attribute" in match.re.groupindex else match.span()
    for mention in reading.mentions:
        overlaps = mention.span[0] < end and start < mention.span[1]
        is_more = " " in mention.said or "-" in mention.said
        if overlaps and is_more and any(m.span[0] == mention.span[1] + 1 for m in reading.mentioned("category")):
            return True
    return False


def _asks(reading: Reading, scene: Scene, referent: Referent) -> bool:
    text = reading.text
    if re.search(r"\bhow many\b", text) or cues.BARE_ATTRIBUTE.match(text):
        return True
    if cues.SUGGESTS.match(text):
        return False
    is_about = bool(cues.QUESTION_ABOUT.search(text)) and (
        referent.is_pointed or scene.has_reference or scene.turn is not None
    )
    if is_about and re.search(r"\bwith (?:an? )?\w+\W*$|\bfor (?:men|women|kids|boys|girls|summer|winter)\W*$", text):
        return True
    if cues.OFFERED_IN.search(text):
        return bool(
            re.search(r"\b(?:what|which) (?:\w+ )?(?:colou?rs?|sizes?|materials?|fabrics?|patterns?|lengths?)\b", text)
        ) or _asks_size(text)
    if _asks_size(text) or cues.ASK.search(text):
        return scene.turn is not None or scene.has_reference or not reading.mentioned("category")
    if is_about:
        return not re.search(
            r"\b(?:(?:a|an|any|another|cheaper) one|ones|anything|something|version|another|cheaper"
            r"|any(?! of (?:these|those|them))) (?:in|with"
            r"|that|of|for)"
            r"|\bin (?:another|other|a different)",
            text,
        )
    if cues.GALLERY_QUESTION.match(text) and _first_attribute(text) == "category" and reading.mentioned("category"):
        return False
    if cues.WH.search(text) and _first_attribute(text):
        return not cues.WANTS_ITEMS.search(text) or bool(cues.GALLERY_QUESTION.match(text))
    return False


def _asks_size(text: str) -> bool:
    if cues.FOUND_IN_A_SIZE.search(text):
        return False
    return bool(cues.SIZE.search(text) and cues.SIZE_OF_WHAT.search(text))


def _modifies(reading: Reading, scene: Scene, referent: Referent) -> bool:
    text = reading.text
    categories = _outside(reading.mentioned("category"), referent)
    wants_new = bool(cues.WANTS_ITEMS.search(text)) and bool(categories)
    if referent.is_pointed and (cues.MODIFY.search(text) or reading.comparisons or reading.negations):
        return True
    if scene.has_upload and not wants_new:
        return True
    is_elliptic = bool(cues.ELLIPTIC.match(text)) and not wants_new
    if reading.comparisons or is_elliptic:
        return not categories or is_elliptic or referent.is_pointed or scene.has_reference
    if scene.selected is not None and not wants_new and (reading.mentions or cues.MODIFY.search(text)):
        return not re.match(r"(?:now |next )?(?:show|find|search|look)", text) or not categories
    if categories:
        return bool(re.search(r"\binstead\b", text)) and referent.is_pointed
    return bool(cues.MODIFY.search(text) or reading.mentions or reading.prices or reading.negations)


def _all(pattern: re.Pattern[str], text: str) -> tuple[Span, ...]:
    return tuple(match.span() for match in pattern.finditer(text))

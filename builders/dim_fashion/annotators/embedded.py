"""The annotator without a model: the attributes that sources give decide, and what is not known never fails."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from builders import colours, instances, wording
from builders.dim_fashion.annotators import BridgeReading, Enrichment, claims, differences, vocabulary
from builders.dim_fashion.annotators.vocabulary import agree, fold, group
from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.instances import SourceImage, are_apart
from builders.sources.reading import revision_of
from retrieval.benchmark import PictureKind, Task

ITEM_CENTRIC: tuple[PictureKind, ...] = ("product",)
SAME_PRODUCT = (Task.IN_SHOP, Task.STREET2SHOP, Task.SKETCH2IMG)


class EmbeddedAnnotator:
    """Two pictures show the same garment when

    - their product_ids are equal and known, and no attribute that decides what it is (category, gender, colour)
      contradicts that: catalogues give one id to a product in all its colours; or
    - both have the same name in their catalogue and the same colour, and no product_ids tell them apart.

    All else is a modification in the words of what differs, or nothing: the garments are of different places (a shoe, a
    shirt), too much differs (`differences.MAX_DIFFERENCES`) or nothing that could be said.
    """

    def __init__(self, images: Mapping[str, SourceImage]) -> None:
        self._images = images

    @property
    def name(self) -> str:
        return f"embedded-{revision_of(map(Path, _rules()))[:8]}"

    def read_bridges(self, pairs: Sequence[tuple[str, str]]) -> list[BridgeReading]:
        return [self._read(self._images[one], self._images[other]) for one, other in pairs]

    def enrich(self, image_ids: Sequence[str]) -> list[Enrichment]:
        return [self._enrich(self._images[image_id]) for image_id in image_ids]

    def check_turns(self, turns: Sequence[DraftTurn]) -> list[bool]:
        return [self._is_reasonable(turn) for turn in turns]

    def check_sessions(self, sessions: Sequence[DraftSession]) -> list[bool]:
        return [self._is_coherent(session) for session in sessions]

    def _read(self, one: SourceImage, other: SourceImage) -> BridgeReading:
        if _is_same(one, other):
            return BridgeReading(is_same=True)
        wish = differences.modification(one.attributes, other.attributes, one.image_id, other.image_id)
        return BridgeReading(is_same=False, modification=wish)

    def _enrich(self, image: SourceImage) -> Enrichment:
        if image.kind not in ITEM_CENTRIC:
            return Enrichment(is_item_centric=False)
        text = differences.search(image.attributes, image.image_id)
        if not text and 3 <= len(image.caption.split()) <= differences.MAX_WORDS:  # a name is not cut: its kind ends it
            text = " ".join(image.caption.split())
        return Enrichment(is_item_centric=bool(text), text=text)

    def _is_reasonable(self, turn: DraftTurn) -> bool:
        target = self._images[turn.target]
        references = [self._images[image_id] for image_id in turn.references]
        if turn.task in SAME_PRODUCT:
            return not any(are_apart(reference, target) for reference in references)
        if turn.task is Task.COMPATIBLE:
            return all(_goes_with(reference, target) for reference in references)
        if turn.task is Task.ASFR:
            values = [reference.attributes.get(turn.attribute) for reference in references]
            return all(agree(turn.attribute, v, target.attributes.get(turn.attribute)) is not False for v in values)
        if not turn.text.strip() or any(_is_far(reference, target, turn.text) for reference in references):
            return False
        return not claims.contradict(turn.text, target.attributes, target.caption, names_kind=turn.task is Task.T2I)

    def _is_coherent(self, session: DraftSession) -> bool:
        texts = [wording.folded(turn.text) for turn in session]
        if any(text and text == before for before, text in pairwise(texts)):
            return False
        if any(not _rollback_fits(turn, number) for number, turn in enumerate(session, 1)):
            return False
        genders: list[str] = []
        """Of the target after each turn; goes on where a target's is not known."""
        for turn in session:
            first = self._gender(turn.references[0]) if turn.references else ""
            last = genders[(turn.rollback_to or len(genders)) - 1] if genders else ""
            after = self._gender(turn.target)
            asked = vocabulary.genders_in(turn.text)
            if after and after not in asked and any(before not in ("", after) for before in (first, last)):
                return False
            genders.append(after or last)
        return True

    def _gender(self, image_id: str) -> str:
        """ "" for what is not known, and for what everybody wears."""
        gender = fold(self._images[image_id].attributes.get("gender"))
        return gender if gender in vocabulary.GENDERS else ""


def _is_same(one: SourceImage, other: SourceImage) -> bool:
    verdicts = {name: agree(name, one.attributes.get(name), other.attributes.get(name)) for name in _DECIDE}
    if one.product_id and one.product_id == other.product_id:
        return False not in verdicts.values()
    named = fold(one.caption)
    return not are_apart(one, other) and named != "" and named == fold(other.caption) and verdicts["colour"] is True


_DECIDE = ("category", "gender", "colour")


def _is_far(one: SourceImage, other: SourceImage, text: str) -> bool:
    """A shoe after a shirt that no word asks for."""
    before, after = group(one.attributes.get("category")), group(other.attributes.get("category"))
    return before != "" != after and not vocabulary.is_near(before, after) and after not in claims.groups_in(text)


def _goes_with(one: SourceImage, other: SourceImage) -> bool:
    places = group(one.attributes.get("category")), group(other.attributes.get("category"))
    if places[0] and places[0] == places[1]:
        return False
    return agree("gender", one.attributes.get("gender"), other.attributes.get("gender")) is not False


def _rollback_fits(turn: DraftTurn, number: int) -> bool:
    """A rollback goes to an earlier turn, and its text, where it says a number, says that one's."""
    if turn.rollback_to is None:
        return True
    if not 1 <= turn.rollback_to < number:
        return False
    said = {int(digits) for digits in re.findall(r"\b(?:turn|round|step)\s+(\d+)", turn.text.lower())}
    return not said or turn.rollback_to in said


def _rules() -> list[str]:
    """Files of all code that an answer hangs on."""
    modules = (sys.modules[__name__], claims, colours, differences, instances, vocabulary, wording)
    return [str(module.__file__) for module in modules]

"""Scores of the planner on labelled utterances: intents, references, filters, exclusions, and the time of a message."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.understanding_step import settle
from eval.understanding.labels import Counts, count_exclusions, count_filters
from retrieval.errors import MessageError
from retrieval.schema import Intent, Item, Message, Plan, Session

if TYPE_CHECKING:
    from eval.understanding.shop import TalkingShop
    from eval.understanding.utterances import Utterance


NOTHING = Counts()


@dataclass(frozen=True, slots=True)
class Understood:
    """One utterance, and what was made of it."""

    utterance: Utterance
    plan: Plan | None
    """None where the message was refused."""
    milliseconds: float
    is_right_reference: bool | None = None
    """None where references are not labelled."""
    filters: Counts = NOTHING
    exclusions: Counts = NOTHING

    @property
    def intent(self) -> Intent | None:
        return self.plan.intent if self.plan else None

    @property
    def is_right(self) -> bool:
        missed = self.filters.missed + self.filters.false + self.exclusions.missed + self.exclusions.false
        return self.intent is self.utterance.intent and self.is_right_reference is not False and not missed


@dataclass(frozen=True, slots=True)
class Scores:
    n: int
    accuracy: float
    macro_f1: float
    by_intent: Mapping[Intent, Counts]
    references: float
    n_references: int
    filters: Counts
    exclusions: Counts
    median_ms: float
    p95_ms: float


def understand_all(shop: TalkingShop, utterances: Sequence[Utterance]) -> list[Understood]:
    return [_understand(shop, utterance) for utterance in utterances]


def score(understood: Sequence[Understood]) -> Scores:
    """Macro-F1 is the mean over the intents that are labelled at least once."""
    pairs = [(one.utterance.intent, one.intent) for one in understood]
    by_intent = {intent: _of_intent(intent, pairs) for intent in Intent if any(wanted is intent for wanted, _ in pairs)}
    judged = [one.is_right_reference for one in understood if one.is_right_reference is not None]
    times = sorted(one.milliseconds for one in understood)
    return Scores(
        n=len(understood),
        accuracy=statistics.fmean(wanted is found for wanted, found in pairs),
        macro_f1=statistics.fmean(counts.f1 for counts in by_intent.values()),
        by_intent=by_intent,
        references=statistics.fmean(judged) if judged else 1.0,
        n_references=len(judged),
        filters=sum((one.filters for one in understood), Counts()),
        exclusions=sum((one.exclusions for one in understood), Counts()),
        median_ms=statistics.median(times),
        p95_ms=times[min(len(times) - 1, int(0.95 * len(times)))],
    )


def _of_intent(intent: Intent, pairs: Sequence[tuple[Intent, Intent | None]]) -> Counts:
    right = sum(wanted is found is intent for wanted, found in pairs)
    wanted = sum(wanted is intent for wanted, _ in pairs)
    return Counts(right, wanted - right, sum(found is intent for _, found in pairs) - right)


def _understand(shop: TalkingShop, utterance: Utterance) -> Understood:
    session = shop.after(utterance.before)

    def resolve(reference: str) -> Item:
        return _referred(shop, session, utterance, reference)

    selected = resolve("selected").item_id if utterance.selected else None
    images = (shop.picture_of(utterance.picture),) if utterance.picture else ()
    message = Message(utterance.text, images=images, selected=selected)
    start = time.perf_counter()
    try:
        plan = shop.planner.understand(session, message, shop.catalogue)
    except MessageError:
        return Understood(utterance, None, 1000 * (time.perf_counter() - start))
    milliseconds = 1000 * (time.perf_counter() - start)
    plan = settle(session, message, plan, shop.catalogue)
    last = session.latest.plan if session.latest else Plan(Intent.SEARCH)
    meant = shop.retriever.get([*plan.references, *([utterance.picture] if utterance.picture else [])])
    is_right, filters, exclusions = None, Counts(), Counts()
    if utterance.references is not None:
        is_right = {resolve(one).item_id for one in utterance.references} == set(plan.references)
    if utterance.filters is not None:
        filters = count_filters(utterance.filters, plan, last.filters, meant, resolve)
    if utterance.exclusions is not None:
        exclusions = count_exclusions(utterance.exclusions, plan, last.filters, last.unwanted_texts, resolve)
    return Understood(utterance, plan, milliseconds, is_right, filters, exclusions)


def _referred(shop: TalkingShop, session: Session, utterance: Utterance, reference: str) -> Item:
    """Raises IndexError for a position that is not shown."""
    turn, _, position = reference.rpartition(":")
    items = shop.shown(session, int(turn) if turn else None)
    if position == "last":
        return items[-1]
    number = utterance.selected if position == "selected" else int(position)
    if not number or not 0 < number <= len(items):
        raise IndexError(f"{utterance.text!r} is labelled with {reference!r}, and {len(items)} items are shown")
    return items[number - 1]

"""The default planner: no language model, a few milliseconds, and every decision can be read.

A message is read (`agent.reading`), what it points at is looked up (`agent.references`), its intent is decided
(`agent.intents`), and what remains is the wish (`agent.wishes`); `planners.plans` puts the four together.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from agent.borrowing import borrow
from agent.cues_other import OTHER_KINDS
from agent.cues_pictures import OF_OWN_PICTURE
from agent.cues_sharing import sharing_of
from agent.intents import Decision, decide
from agent.offers import item_offers
from agent.ordering import can_sort
from agent.planners.nearest import NearestExamples, load_examples
from agent.planners.plans import PLANS, without_words
from agent.planners.rollback import Return, find_return
from agent.planners.understanding import Understanding
from agent.protocols import Catalogue, Outcome, SentenceEncoder
from agent.reading import Reading, read
from agent.references import Referent, refer
from agent.replies import reply_to
from agent.scene import Scene, look
from agent.several import goes_with_the_first, note_on, several_wishes, wish_to_go_with
from agent.spans import Span, within
from agent.turn_references import earlier_spans
from agent.vocabulary import Lexicon
from agent.wishes import wish_of
from agent.wording import attribute_name
from agent.words import singular, word_list
from retrieval.schema import Intent, Message, Offer, Plan, Reply, Session

_GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you(?: so much)?|okay|ok|great|perfect"
    r"|nice|cool|lovely"
    r"|awesome|wow|yes|yeah|yep|sure|alright|please|hmm+|um+|uh|oh|there)\b[\s,!.-]*)+(?=\w)"
)


class RulesPlanner:
    """Give it the sentence encoder of the embedded weights to decide what the cues leave open; it works without, too.

    Safe to share between users: it remembers only the vocabulary of the gallery that it saw last.
    """

    def __init__(self, encode_sentences: SentenceEncoder | None = None) -> None:
        examples = load_examples()
        self._known_words = (
            frozenset(word for text, _ in examples for word in re.findall(r"[a-z]+", text.lower())) | _english()
        )
        self._examples = NearestExamples(encode_sentences, examples) if encode_sentences else None
        self._lexicon: Lexicon | None = None

    def understand(self, session: Session, message: Message, catalogue: Catalogue) -> Plan:
        lexicon = self._lexicon_of(catalogue)
        text = message.text.strip()
        scene = look(session, message, catalogue)
        if found := find_return(text, session, scene, lexicon):
            return self._return(found, message, lexicon)
        if not text:
            return without_words(message, scene)
        return self._plan(text, scene, lexicon)

    def respond(self, session: Session, message: Message, plan: Plan, outcome: Outcome) -> Reply:
        reply = reply_to(session, message, plan, outcome)
        if message.plan is None and plan.intent is Intent.SEARCH and outcome.items:
            return replace(reply, offers=(*self._next_wishes(session, message, outcome), *reply.offers))
        return reply

    def _lexicon_of(self, catalogue: Catalogue) -> Lexicon:
        lexicon = self._lexicon
        if lexicon is None or (lexicon.facets is not catalogue.facets and lexicon.facets != catalogue.facets):
            lexicon = self._lexicon = Lexicon(catalogue.facets)
        return lexicon

    def _plan(self, text: str, scene: Scene, lexicon: Lexicon) -> Plan:
        said = _without_greeting(text)
        borrowed = borrow(said, scene, lexicon, self._known_words)
        reading = read(borrowed.text if borrowed else said, lexicon, self._known_words)
        referent = refer(reading, scene)
        decision = decide(reading, scene, referent, self._examples)
        if wishes := _wishes(reading, referent, scene, decision.intent):
            plan = self._plan(wishes[0], scene, lexicon)
            return replace(plan, notes=(note_on(wishes), *plan.notes))
        pointing = _pointing(reading, referent, scene)
        wanted = _without_names(reading, decision, lexicon) if decision.intent is Intent.SAME_ATTRIBUTE else reading
        wish = wish_of(wanted, pointing, decision.cues, scene.catalogue.facets)
        plan = PLANS[decision.intent](Understanding(reading, scene, referent, decision, wish, lexicon))
        plan = _with_amounts(plan, reading, scene)
        if borrowed:
            plan = replace(plan, notes=(*plan.notes, *borrowed.notes))
        return self._with_unknown_words(plan, reading, lexicon)

    def _next_wishes(self, session: Session, message: Message, outcome: Outcome) -> tuple[Offer, ...]:
        """Where a message holds several wishes, a button for each that was put off."""
        scene = look(session, message, outcome.catalogue)
        lexicon = self._lexicon_of(outcome.catalogue)
        reading = read(_without_greeting(message.text.strip()), lexicon, self._known_words)
        offers: list[Offer] = []
        for wish in _wishes(reading, refer(reading, scene), scene, Intent.SEARCH)[1:]:
            plan = self._plan(wish, replace(scene, path=(), turn=None), lexicon)
            if goes_with_the_first(wish):
                goes_with = item_offers(Plan(Intent.SEARCH, reference_turn=len(session.turns) + 1), outcome.items[:1])
                wanted = tuple(f for f in plan.filters if f.operator != "none_of")
                plan = replace(goes_with[-1].plan, text=plan.text, filters=wanted) if goes_with else plan
            offers.append(Offer(f"Next: {wish}", plan))
        return tuple(offers)

    def _with_unknown_words(self, plan: Plan, reading: Reading, lexicon: Lexicon) -> Plan:
        """A message in another language is not "off topic"; what little was understood of it is said."""
        words = re.findall(r"[^\W\d_]{3,}|[^\x00-\u024f\W\d_]+", reading.text)
        known = (self._known_words, word_list("stop"), lexicon.single_words)
        unknown = [word for word in words if not any({word, singular(word)} & vocabulary for vocabulary in known)]
        is_a_name = len(unknown) == 1 and unknown[0].isascii()
        if reading.mentions or is_a_name or 2 * len(unknown) <= len(words):
            return plan
        if plan.intent is Intent.OTHER and plan.attribute == "off_topic":
            return replace(plan, attribute="language")
        is_search = plan.action not in (Intent.OTHER, Intent.ASK)
        said = f"I do not know “{' '.join(unknown[:4])}”; I understand English best, in everyday words"
        return replace(plan, notes=(*plan.notes, said)) if is_search else plan

    def _return(self, found: Return, message: Message, lexicon: Lexicon) -> Plan:
        """Back to an earlier turn; what else the message says is understood as if it had been said there."""
        if found.turn is None:
            return Plan(Intent.ROLLBACK, notes=found.notes)
        if not found.rest and not message.images:
            shown = found.turn.plan
            return replace(
                shown, intent=Intent.ROLLBACK, then=None, reference_turn=found.turn.turn_number, notes=found.notes
            )
        plan = self._plan(found.rest, found.scene, lexicon) if found.rest else without_words(message, found.scene)
        if plan.intent in (Intent.OTHER, Intent.ROLLBACK):
            return replace(found.turn.plan, intent=Intent.ROLLBACK, then=None, reference_turn=found.turn.turn_number)
        return replace(plan, intent=Intent.ROLLBACK, then=plan.intent, reference_turn=found.turn.turn_number,
                       notes=(*found.notes, *plan.notes))  # fmt: skip


def _wishes(reading: Reading, referent: Referent, scene: Scene, intent: Intent) -> tuple[str, ...]:
    """Several wishes in one message, else empty."""
    if not scene.has_reference and (found := wish_to_go_with(reading, referent.spans)):
        return found
    return several_wishes(reading) if intent is Intent.SEARCH else ()


def _with_amounts(plan: Plan, reading: Reading, scene: Scene) -> Plan:
    """How many and in which order, for what is searched; an order that the catalogue does not know is said."""
    if plan.action in (Intent.ASK, Intent.OTHER):
        return plan
    wanted = reading.amounts
    if not wanted.sort_by or can_sort(wanted.sort_by, scene.catalogue.facets):
        return replace(plan, n_wanted=wanted.n_wanted, sort_by=wanted.sort_by or plan.sort_by)
    name = attribute_name(wanted.sort_by.removeprefix("-"))
    unknown = f"the catalogue does not say the {name} of its items, so I could not sort by it"
    return replace(plan, n_wanted=wanted.n_wanted, notes=(*plan.notes, unknown))


def _pointing(reading: Reading, referent: Referent, scene: Scene) -> list[Span]:
    """The words that are no part of the wish since they point. What a shopper's own picture is said to show is one."""
    spans = [*referent.spans, *(earlier_spans(reading.text) if referent.is_pointed else ())]
    if not scene.has_upload or referent.items:
        return spans
    kinds = [mention.span for mention in reading.mentioned("category")]
    cut = [(start, next((kind[0] for kind in kinds if within(kind, [(start, end)])), end)) for start, end in spans]
    return [*cut, *(match.span() for match in OF_OWN_PICTURE.finditer(reading.text))]


def _without_names(reading: Reading, decision: Decision, lexicon: Lexicon) -> Reading:
    """Without what only names the shared attribute: the "collar" that is to stay is no wish for any collar."""
    sharing = sharing_of(lexicon.facets)
    mentions = (m for m in reading.mentions if not (within(m.span, decision.cues) and sharing.is_name(m.said)))
    negations = (negation for negation in reading.negations if not within(negation.cue, decision.cues))
    return replace(reading, mentions=tuple(mentions), negations=tuple(negations))


def _without_greeting(text: str) -> str:
    """ "Hi, I need a coat" asks for a coat; "thanks a lot" stays what it is."""
    lowered = text.lower()
    return lowered if any(pattern.search(lowered) for pattern in OTHER_KINDS.values()) else _GREETING.sub("", lowered)


@cache
def _english() -> frozenset[str]:
    """Everyday words that are one or two letters away from a garment's or a colour's name, and no typing errors."""
    return frozenset(Path(__file__).with_name("known_words.txt").read_text(encoding="utf-8").split())

"""A planner that asks a language model, behind any OpenAI-compatible endpoint, what a message means and how to say it.

The model fills in a form (`chat_request`), its answer is checked against what exists (`chat_answer`) and becomes a
plan (`chat_plans`); of its words for a reply only sentences that the facts bear are shown (`chat_words`). Where it does
not answer in time, the default planner stands in, and the reply says so.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from agent.planners.chat_answer import check, read_answer
from agent.planners.chat_plans import plan_of
from agent.planners.chat_request import offered, parts_of, prompt, schema_of
from agent.planners.chat_words import UnfoundedError, facts_of, founded
from agent.scene import look
from agent.vocabulary import Lexicon
from retrieval.chat import Form, LiveChat, Question
from retrieval.errors import ChatError

if TYPE_CHECKING:
    from agent.protocols import Catalogue, Outcome, Planner, Tell
    from retrieval.schema import Message, Plan, Reply, Session

log = logging.getLogger(__name__)

STOOD_IN = "the language model did not answer, so the built-in understanding stood in"
NOT_WORDED = "The language model did not answer, so these are the built-in words."
PLAN_TOKENS = 500
REPLY_TOKENS = 160


@dataclass(frozen=True, slots=True)
class ChatUse:
    """What a model is asked for."""

    sees_pictures: bool = True
    words_replies: bool = True


class ChatPlanner:
    """Safe to share between users: it remembers only the vocabulary of the gallery that it saw last."""

    def __init__(self, chat: LiveChat, stand_in: Planner, use: ChatUse | None = None) -> None:
        self._chat = chat
        self._stand_in = stand_in
        self._use = use or ChatUse()
        self._lexicon: Lexicon | None = None

    def understand(self, session: Session, message: Message, catalogue: Catalogue) -> Plan:
        if not message.text.strip():
            return self._stand_in.understand(session, message, catalogue)
        scene = look(session, message, catalogue)
        offer = offered(session, message, scene)
        parts = parts_of(scene, message, offer)
        if not self._use.sees_pictures:
            parts = [part for part in parts if isinstance(part, str)]
        form = Form("plan", schema_of(offer), partial(check, offer=offer))
        try:
            answer = self._chat.ask(Question("a message", prompt("understand"), parts, form, PLAN_TOKENS))
        except ChatError as error:
            log.warning("The built-in understanding stands in: %s", error)
            plan = self._stand_in.understand(session, message, catalogue)
            return replace(plan, notes=(*plan.notes, STOOD_IN))
        said = read_answer(answer, message.text, offer, catalogue.facets)
        return plan_of(said, session, message, scene, self._lexicon_of(catalogue))

    def respond(self, session: Session, message: Message, plan: Plan, outcome: Outcome) -> Reply:
        return self.narrate(session, message, plan, outcome, lambda _: None)

    def narrate(self, session: Session, message: Message, plan: Plan, outcome: Outcome, tell: Tell) -> Reply:
        """Offers and notes are the shop's own, whoever words the rest."""
        built_in = self._stand_in.respond(session, message, plan, outcome)
        if STOOD_IN in plan.notes:
            return _with(built_in, _sentence(STOOD_IN))
        if message.plan is not None or not message.text.strip() or not self._use.words_replies:
            return _with(built_in, *map(_sentence, plan.notes))
        told = self._stand_in.respond(session, message, replace(plan, notes=()), outcome).text
        try:
            text = self._worded(message, told, outcome, tell)
        except UnfoundedError as error:
            log.warning("The model's words are left out: %s", error)
            return _with(built_in, *map(_sentence, plan.notes))
        except ChatError as error:
            log.warning("The built-in words stand in: %s", error)
            return _with(built_in, *map(_sentence, plan.notes), NOT_WORDED)
        return _with(replace(built_in, text=text), *map(_sentence, plan.notes))

    def _worded(self, message: Message, told: str, outcome: Outcome, tell: Tell) -> str:
        """Raises ChatError without an answer, UnfoundedError for words that no fact bears."""
        facts = facts_of(message, told, outcome)
        data = json.dumps(facts.data(), ensure_ascii=False)
        pieces = self._chat.words(Question("a reply", prompt("reply"), [data], max_tokens=REPLY_TOKENS))
        text = ""
        for sentence in founded(pieces, facts, self._lexicon_of(outcome.catalogue)):
            text += sentence
            tell(text.strip())
        return " ".join(text.split())

    def _lexicon_of(self, catalogue: Catalogue) -> Lexicon:
        lexicon = self._lexicon
        if lexicon is None or (lexicon.facets is not catalogue.facets and lexicon.facets != catalogue.facets):
            lexicon = self._lexicon = Lexicon(catalogue.facets)
        return lexicon


def _with(reply: Reply, *sentences: str) -> Reply:
    """The reply with those sentences that it does not hold already."""
    missing = [sentence for sentence in sentences if sentence not in reply.text]
    return replace(reply, text=" ".join([reply.text, *missing]))


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."

"""The shop's agent over a gallery, and conversations that were said to it once and are gone on with many times."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from retrieval.schema import Image, Item, Message, Session, Turn

if TYPE_CHECKING:
    from agent.assistant import Assistant
    from agent.planners.rules import RulesPlanner
    from agent.protocols import Catalogue, SentenceEncoder
    from retrieval.retriever import Retriever


@dataclass(frozen=True, slots=True)
class TalkingShop:
    """As the page opens it, without the page."""

    assistant: Assistant
    planner: RulesPlanner
    retriever: Retriever
    catalogue: Catalogue
    _said: dict[tuple[str, ...], Session] = field(default_factory=dict)

    @classmethod
    def open(cls, gallery: str | None = None, index: Path | None = None) -> Self:
        """By default over the embedded gallery. Loads all that is heavy; raises what `agent.opening` raises."""
        from agent.opening import open_query_encoder, open_store, sentences_of
        from retrieval.retriever import Retriever

        encoder = open_query_encoder(None)
        return cls.over(Retriever(encoder, open_store(gallery, index, encoder)), sentences_of(encoder))

    @classmethod
    def over(cls, retriever: Retriever, sentences: SentenceEncoder | None = None) -> Self:
        from agent.assistant import Assistant
        from agent.planners.rules import RulesPlanner
        from agent.retrieval_step import catalogue_of

        planner = RulesPlanner(sentences)
        return cls(Assistant(retriever, planner), planner, retriever, catalogue_of(retriever))

    def after(self, messages: tuple[str, ...]) -> Session:
        """The session in which these were said, one after the other."""
        if not messages:
            return Session("labelled")
        if messages not in self._said:
            earlier = self.after(messages[:-1])
            turn = self.assistant.respond(earlier, Message(messages[-1]))
            self._said[messages] = earlier.append(turn)
        return self._said[messages]

    def shown(self, session: Session, turn_number: int | None = None) -> list[Item]:
        """What a turn shows; by default the latest that shows anything."""
        turns = session.turns if turn_number is None else (session.turn(turn_number),)
        return next((items for turn in reversed(turns) if (items := self.shown_by(turn))), [])

    def shown_by(self, turn: Turn) -> list[Item]:
        return self.retriever.get([hit.item_id for hit in turn.ranking.hits]) if turn.ranking else []

    def picture_of(self, item_id: str) -> Image:
        return self.retriever.get([item_id])[0].image

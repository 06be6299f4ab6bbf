"""The annotator of the paper: a multimodal model behind any OpenAI-compatible endpoint, asked in parallel."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from builders.dim_fashion.annotators import BridgeReading, Enrichment, questions
from builders.dim_fashion.annotators.questions import Question
from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.instances import SourceImage
from retrieval import chat
from retrieval.chat import ChatEndpoint, ChatSettings

_T = TypeVar("_T")


class ChatAnnotator:
    """Answers are kept in the file `cache`: a run that was interrupted asks only what is left."""

    def __init__(
        self,
        images: Mapping[str, SourceImage],
        path_of: Callable[[str], Path],
        base_url: str,
        model: str,
        cache: Path,
        settings: ChatSettings | None = None,
    ) -> None:
        """`path_of` gives an image_id's file; `base_url` ends in /v1.

        Raises ChatError for a damaged cache, or for what is no address.
        """
        self._images = images
        self._path_of = path_of
        self._endpoint = ChatEndpoint(base_url, model, cache, settings)

    @property
    def name(self) -> str:
        versions = [questions.prompt_version(prompt) for prompt in questions.PROMPTS]
        digest = hashlib.sha256(json.dumps([self._endpoint.asked_of, versions]).encode()).hexdigest()
        return f"chat-{self._endpoint.model}-{digest[:8]}"

    def read_bridges(self, pairs: Sequence[tuple[str, str]]) -> list[BridgeReading]:
        asked = [questions.ask_bridge(self._images, one, other) for one, other in pairs]
        return self._answers("Bridges", asked, questions.read_bridge)

    def enrich(self, image_ids: Sequence[str]) -> list[Enrichment]:
        asked = [questions.ask_enrichment(self._images, image_id) for image_id in image_ids]
        return self._answers("First searches", asked, questions.read_enrichment)

    def check_turns(self, turns: Sequence[DraftTurn]) -> list[bool]:
        asked = [questions.ask_turn(self._images, turn) for turn in turns]
        return self._answers("Turn checks", asked, questions.read_check)

    def check_sessions(self, sessions: Sequence[DraftSession]) -> list[bool]:
        asked = [questions.ask_session(self._images, session) for session in sessions]
        return self._answers("Session checks", asked, questions.read_check)

    def _answers(self, what: str, asked: Sequence[Question], read: Callable[[Mapping[str, Any]], _T]) -> list[_T]:
        return [read(answer) for answer in self._endpoint.answers(what, [self._with_files(one) for one in asked])]

    def _with_files(self, question: Question) -> chat.Question:
        parts = [part if isinstance(part, str) else self._path_of(part.image_id) for part in question.parts]
        prompt = question.prompt
        return chat.Question(question.title, questions.prompt_text(prompt), parts, questions.form(prompt))

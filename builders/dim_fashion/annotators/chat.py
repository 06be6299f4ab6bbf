"""The annotator of the paper: a multimodal model behind any OpenAI-compatible endpoint, asked in parallel."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from tqdm import tqdm

from builders.dim_fashion.annotators import BridgeReading, Enrichment, questions
from builders.dim_fashion.annotators.cache import AnswerCache
from builders.dim_fashion.annotators.questions import Question
from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.instances import SourceImage
from retrieval.errors import AnnotatorError, DependencyError

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

log = logging.getLogger(__name__)

KEY_VARIABLE = "DIMITY_CHAT_API_KEY"
MAX_SIDE = 512
"""Longest side of a picture that is sent, in pixels."""
JPEG_QUALITY = 90
CONNECT_S = 10.0
"""Until a host that says nothing counts as unreachable: much less than an answer may take."""
TEMPERATURES = (0.0, 0.3, 0.7)
"""Of the first try and of those after an answer that could not be used."""
_T = TypeVar("_T")


def _no_thinking() -> dict[str, Any]:
    return {"chat_template_kwargs": {"enable_thinking": False}}


@dataclass(frozen=True, slots=True)
class ChatSettings:
    concurrency: int = 8
    timeout_s: float = 180.0
    retries: int = 6
    """After network errors, 429 and 5xx; waits grow from half a second to eight."""
    max_tokens: int = 400
    extra: Mapping[str, Any] = field(default_factory=_no_thinking)
    """Further fields of a request: as vLLM asks Qwen for no thoughts; {} for endpoints that refuse unknown ones."""


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

        Raises AnnotatorError for a damaged cache, or for what is no address.
        """
        check_address(base_url)
        self._images = images
        self._path_of = path_of
        self._base_url = base_url
        self._model = model
        self._settings = settings or ChatSettings()
        self._cache = AnswerCache(cache)
        self._hashes: dict[str, str] = {}
        self._client: OpenAI | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        versions = [questions.prompt_version(prompt) for prompt in questions.PROMPTS]
        digest = hashlib.sha256(json.dumps([self._asked_of(), versions]).encode()).hexdigest()
        return f"chat-{self._model}-{digest[:8]}"

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
        keys = [question.key(self._asked_of(), self._hash_of) for question in asked]
        missing = {key: each for key, each in zip(keys, asked, strict=True) if self._cache.get(key) is None}
        log.info("%s: %d questions, %d of them new", what, len(asked), len(missing))
        if missing:
            self._ask_all(what, missing)
        return [read(self._cache.get(key) or {}) for key in keys]

    def _ask_all(self, what: str, missing: Mapping[str, Question]) -> None:
        """Raises the first AnnotatorError; questions that were not begun then are left for the next run."""
        self._connect()
        pool = ThreadPoolExecutor(self._settings.concurrency)
        try:
            begun: list[Future[None]] = [pool.submit(self._ask, key, question) for key, question in missing.items()]
            for done in tqdm(as_completed(begun), what, total=len(begun), mininterval=1):
                done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _ask(self, key: str, question: Question) -> None:
        problem = ""
        messages = self._messages(question)
        for temperature in TEMPERATURES:
            content = self._complete(question, messages, temperature)
            try:
                answer = questions.parse(content)
                questions.check(question.prompt, answer)
            except ValueError as error:
                problem = f"{error}: {content[:200]!r}"
                log.info("The answer about %s could not be used (%s)", question.title, problem)
                continue
            self._cache.put(key, answer)
            return
        raise AnnotatorError(
            f"{self._model} gave no usable answer about {question.title} in {len(TEMPERATURES)} tries ({problem}). "
            f"Choose a model that keeps to a JSON schema; the answers so far are kept in {self._cache.path}."
        )

    def _complete(self, question: Question, messages: Any, temperature: float) -> str:
        """The reply's text. Raises AnnotatorError when the endpoint gives none."""
        import openai

        form = {"name": question.prompt, "schema": questions.schema(question.prompt), "strict": True}
        response_format: Any = {"type": "json_schema", "json_schema": form}
        try:
            reply = self._connect().chat.completions.create(
                model=self._model,
                messages=messages,
                temperature=temperature,
                max_tokens=self._settings.max_tokens,
                response_format=response_format,
                extra_body=dict(self._settings.extra),
            )
        except openai.APIStatusError as error:
            raise AnnotatorError(self._refusal(question, error)) from error
        except openai.APIConnectionError as error:
            raise AnnotatorError(
                f"{self._base_url} cannot be reached ({error}). Start the model's server and run again: the answers so "
                f"far are kept in {self._cache.path}."
            ) from error
        except openai.OpenAIError as error:
            raise AnnotatorError(f"{self._base_url} did not answer about {question.title}: {error}.") from error
        except (ValueError, RecursionError) as error:  # the body is not what its header says
            log.info("The reply about %s is no JSON (%s)", question.title, error)
            return ""
        return _content(reply)

    def _refusal(self, question: Question, error: APIStatusError) -> str:
        said = " ".join(str(error.message).split())[:300]
        advice = {
            401: f"Set the environment variable {KEY_VARIABLE} to a key that it accepts.",
            403: f"Set the environment variable {KEY_VARIABLE} to a key that may use {self._model!r}.",
            404: f"Is the model's name {self._model!r} right, and does the address end in /v1?",
        }
        other = (
            "Run again later: the answers so far are kept."
            if error.status_code >= 500 or error.status_code == 429
            else "Does it take pictures and a JSON schema?"
        )
        return (
            f"{self._base_url} refused the question about {question.title} with {error.status_code} ({said}). "
            f"{advice.get(error.status_code, other)}"
        )

    def _connect(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                try:
                    from openai import OpenAI, Timeout
                except ImportError as error:
                    raise DependencyError(
                        "The chat annotator needs the package openai: pip install -r requirements-build.txt"
                    ) from error
                self._client = OpenAI(
                    base_url=self._base_url,
                    api_key=_key(),
                    timeout=Timeout(self._settings.timeout_s, connect=min(CONNECT_S, self._settings.timeout_s)),
                    max_retries=self._settings.retries,
                )
            return self._client

    def _messages(self, question: Question) -> list[dict[str, Any]]:
        content: list[dict[str, Any]] = []
        for part in question.parts:
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
            else:
                url = data_url(self._path_of(part.image_id))
                content.append({"type": "image_url", "image_url": {"url": url}})
        return [
            {"role": "system", "content": questions.prompt_text(question.prompt)},
            {"role": "user", "content": content},
        ]

    def _asked_of(self) -> str:
        """Model and settings that change an answer."""
        settings = [self._model, MAX_SIDE, JPEG_QUALITY, TEMPERATURES, dict(self._settings.extra)]
        return json.dumps(settings, sort_keys=True)

    def _hash_of(self, image_id: str) -> str:
        """Of the file's bytes. Raises AnnotatorError for a picture that is not there."""
        if image_id not in self._hashes:
            try:
                with self._path_of(image_id).open("rb") as file:
                    blocks = iter(partial(file.read, 1 << 20), b"")
                    digest = hashlib.sha256()
                    for block in blocks:
                        digest.update(block)
            except OSError as error:
                raise AnnotatorError(f"The picture {image_id} cannot be read ({error}).") from error
            self._hashes[image_id] = digest.hexdigest()
        return self._hashes[image_id]


def check_address(base_url: str) -> None:
    """Raises AnnotatorError for what cannot be the address of an endpoint."""
    try:
        parts = urlsplit(base_url)
        host = (parts.hostname or "").encode("idna")
        is_whole = parts.scheme in ("http", "https") and bool(host) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_whole = False
    if not is_whole or not base_url.isprintable():
        raise AnnotatorError(f"{base_url!r:.80} is no address of an endpoint. Give one like http://localhost:8000/v1.")


def _key() -> str:
    key = os.environ.get(KEY_VARIABLE) or "none"
    if not (key.isascii() and key.isprintable()):
        raise AnnotatorError(f"{KEY_VARIABLE} holds characters that no key has. Set it again.")
    return key


def _content(reply: Any) -> str:
    """The text in a reply of any form; "" where there is none. A web page, say, comes back as a text."""
    choices = getattr(reply, "choices", None)
    first = choices[0] if isinstance(choices, list) and choices else None
    content = getattr(getattr(first, "message", None), "content", None)
    return content if isinstance(content, str) else ""


def data_url(path: Path) -> str:
    """The picture as a JPEG within MAX_SIDE. Raises ImageError for one that cannot be used."""
    from retrieval.images import open_picture

    buffer = io.BytesIO()
    open_picture(path, MAX_SIDE).save(buffer, "JPEG", quality=JPEG_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"

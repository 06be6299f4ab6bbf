"""The client: questions in parallel, retries, answers that are kept."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import urlsplit

from PIL.Image import Image as Picture

from retrieval.chat.bodies import content_of, pieces_of, response_format
from retrieval.chat.cache import AnswerCache
from retrieval.chat.questions import JPEG_QUALITY, MAX_SIDE, Form, Part, Question, prompt_version
from retrieval.errors import ChatError, DependencyError

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

log = logging.getLogger(__name__)

KEY_VARIABLE = "DIMITY_CHAT_API_KEY"
CONNECT_S = 10.0
"""Until a host that says nothing counts as unreachable: much less than an answer may take."""
TEMPERATURES = (0.0, 0.3, 0.7)
"""Of the first try and of those after an answer that could not be used."""
SAMPLED = (0.7, 0.8, 0.9)
"""The same for answers that are drawn by chance."""


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


class RefusalError(ChatError):
    """The endpoint answered that it will not."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class ChatEndpoint:
    """One model behind one address. Safe to call from several threads."""

    def __init__(self, url: str, model: str, cache: Path | None = None, settings: ChatSettings | None = None) -> None:
        """`url` ends in /v1; a key is read from the environment (KEY_VARIABLE). Without `cache`, answers are kept in
        memory alone.

        Raises ChatError for a damaged cache, or for what is no address.
        """
        check_address(url)
        self.url = url
        self.model = model
        self.settings = settings or ChatSettings()
        self._cache = AnswerCache(cache)
        self._hashes: dict[Path, str] = {}
        self._client: OpenAI | None = None
        self._lock = Lock()

    @property
    def asked_of(self) -> str:
        """Model and settings that change an answer."""
        settings = [self.model, MAX_SIDE, JPEG_QUALITY, TEMPERATURES, dict(self.settings.extra)]
        return json.dumps(settings, sort_keys=True)

    @overload
    def ask(self, prompt: str, parts: Sequence[Part], form: None = None, max_tokens: int | None = None) -> str: ...
    @overload
    def ask(self, prompt: str, parts: Sequence[Part], form: Form, max_tokens: int | None = None) -> dict[str, Any]: ...
    def ask(
        self, prompt: str, parts: Sequence[Part], form: Form | None = None, max_tokens: int | None = None
    ) -> str | dict[str, Any]:
        """One question, its title its first words. Raises as `answers` does."""
        title = repr(next((part for part in parts if isinstance(part, str)), "a picture")[:60])
        answer = self._answer(Question(title, prompt, parts, form, max_tokens))
        return answer if form else str(answer["text"])

    def answers(self, what: str, questions: Sequence[Question]) -> list[dict[str, Any]]:
        """JSON objects, {"text": ...} where a question has no form; `what` is the progress bar's title.

        Raises the first ChatError or ImageError; questions that were not begun then are left for the next run.
        """
        keys = [self._key(question) for question in questions]
        missing = {key: each for key, each in zip(keys, questions, strict=True) if self._cache.get(key) is None}
        log.info("%s: %d questions, %d of them new", what, len(questions), len(missing))
        if missing:
            self._ask_all(what, missing)
        return [self._cache.get(key) or {} for key in keys]

    def _answer(self, question: Question) -> dict[str, Any]:
        key = self._key(question)
        if self._cache.get(key) is None:
            self._ask(key, question)
        return self._cache.get(key) or {}

    def _ask_all(self, what: str, missing: Mapping[str, Question]) -> None:
        from tqdm import tqdm

        self._connect()
        pool = ThreadPoolExecutor(self.settings.concurrency)
        try:
            begun: list[Future[None]] = [pool.submit(self._ask, key, question) for key, question in missing.items()]
            for done in tqdm(as_completed(begun), what, total=len(begun), mininterval=1):
                done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _ask(self, key: str, question: Question) -> None:
        problem = ""
        messages = question.messages()
        for temperature in SAMPLED if question.sample else TEMPERATURES:
            content = self._complete(question, messages, temperature)
            try:
                answer = question.read(content)
            except ValueError as error:
                problem = f"{error}: {content[:200]!r}"
                log.info("The answer about %s could not be used (%s)", question.title, problem)
                continue
            self._cache.put(key, answer)
            return
        advice = "Choose a model that keeps to a JSON schema" if question.form else "Choose another model"
        raise ChatError(
            f"{self.model} gave no usable answer about {question.title} in {len(TEMPERATURES)} tries ({problem}). "
            f"{advice}; {self._kept}."
        )

    def _complete(self, question: Question, messages: Any, temperature: float) -> str:
        """The reply's text. Raises ChatError when the endpoint gives none."""
        import openai

        with self._told(question):
            try:
                reply = self._connect().chat.completions.create(
                    model=self.model,
                    messages=messages,
                    temperature=temperature,
                    max_tokens=question.max_tokens or self.settings.max_tokens,
                    response_format=response_format(question.form) if question.form else openai.omit,
                    seed=question.sample or openai.omit,
                    extra_body=dict(self.settings.extra),
                )
            except (ValueError, RecursionError) as error:  # the body is not what its header says
                log.info("The reply about %s is no JSON (%s)", question.title, error)
                return ""
        return content_of(reply)

    def load(self) -> None:
        """Loads what the first question needs, which takes seconds. Raises DependencyError without the library, and
        ChatError for a key that is none."""
        _ = self._connect().chat.completions

    def stream(
        self, question: Question, silence_s: float, temperature: float = 0.0, extra: Mapping[str, Any] | None = None
    ) -> Generator[str, None, None]:
        """The answer's text in pieces as they come, whole where the endpoint does not stream; asked once, kept nowhere.

        `silence_s` is how long the endpoint may say nothing; `extra` replaces that of the settings. Raises ChatError,
        of its kind RefusalError where the endpoint refuses, and ImageError for a picture that cannot be used.
        """
        import openai

        messages: Any = question.messages()
        with self._told(question):
            client = self._connect().with_options(
                max_retries=0, timeout=openai.Timeout(silence_s, connect=min(CONNECT_S, silence_s))
            )
            with client.chat.completions.create(
                model=self.model,
                messages=messages,
                temperature=temperature,
                max_tokens=question.max_tokens or self.settings.max_tokens,
                response_format=response_format(question.form) if question.form else openai.omit,
                extra_body=dict(self.settings.extra if extra is None else extra),
                stream=True,
            ) as stream:
                try:
                    yield from pieces_of(stream)
                except (ValueError, RecursionError) as error:
                    raise ChatError(f"{self.url} answers with what is no JSON ({error}).") from error

    @contextmanager
    def _told(self, question: Question) -> Iterator[None]:
        """Whatever goes wrong on the way to an answer, as a ChatError."""
        import openai

        try:
            yield
        except openai.APIStatusError as error:
            raise RefusalError(self._refusal(question, error), error.status_code) from error
        except openai.APIConnectionError as error:
            raise ChatError(
                f"{self.url} cannot be reached ({error}). Start the model's server and run again: {self._kept}."
            ) from error
        except openai.OpenAIError as error:
            raise ChatError(f"{self.url} did not answer about {question.title}: {error}.") from error

    def _refusal(self, question: Question, error: APIStatusError) -> str:
        said = " ".join(str(error.message).split())[:300]
        advice = {
            401: f"Set the environment variable {KEY_VARIABLE} to a key that it accepts.",
            403: f"Set the environment variable {KEY_VARIABLE} to a key that may use {self.model!r}.",
            404: f"Is the model's name {self.model!r} right, and does the address end in /v1?",
        }
        other = (
            "Run again later: the answers so far are kept."
            if error.status_code >= 500 or error.status_code == 429
            else "Does it take pictures and a JSON schema?"
        )
        return (
            f"{self.url} refused the question about {question.title} with {error.status_code} ({said}). "
            f"{advice.get(error.status_code, other)}"
        )

    @property
    def _kept(self) -> str:
        where = f"in {self._cache.path}" if self._cache.path else "as long as this program runs"
        return f"the answers so far are kept {where}"

    def _connect(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                try:
                    from openai import OpenAI, Timeout
                except ImportError as error:
                    raise DependencyError(
                        "Asking a model needs the package openai: pip install -r requirements-chat.txt"
                    ) from error
                self._client = OpenAI(
                    base_url=self.url,
                    api_key=_key(),
                    timeout=Timeout(self.settings.timeout_s, connect=min(CONNECT_S, self.settings.timeout_s)),
                    max_retries=self.settings.retries,
                )
            return self._client

    def _key(self, question: Question) -> str:
        """Equal for equal questions: model and settings, prompt and form, pictures' bytes, words."""
        parts: list[Any] = [part if isinstance(part, str) else {"picture": self._hash(part)} for part in question.parts]
        limit = [question.max_tokens] if question.max_tokens else []
        drawn = [{"sample": question.sample}] if question.sample else []
        asked = [self.asked_of, prompt_version(question.prompt, question.form), parts, *limit, *drawn]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()

    def _hash(self, picture: Path | Picture) -> str:
        """Of a file's bytes, or of pixels. Raises ChatError for a file that is not there."""
        if isinstance(picture, Picture):
            return hashlib.sha256(f"{picture.mode} {picture.size}".encode() + picture.tobytes()).hexdigest()
        if picture not in self._hashes:
            try:
                with picture.open("rb") as file:
                    self._hashes[picture] = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise ChatError(f"The picture {picture} cannot be read ({error}).") from error
        return self._hashes[picture]


def check_address(url: str) -> None:
    """Raises ChatError for what cannot be the address of an endpoint."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        is_whole = parts.scheme in ("http", "https") and bool(host) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_whole = False
    if not is_whole or not url.isprintable():
        raise ChatError(f"{url!r:.80} is no address of an endpoint. Give one like http://localhost:8000/v1.")


def _key() -> str:
    key = os.environ.get(KEY_VARIABLE) or "none"
    if not (key.isascii() and key.isprintable()):
        raise ChatError(f"{KEY_VARIABLE} holds characters that no key has. Set it again.")
    return key

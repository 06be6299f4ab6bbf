"""Questions of somebody who waits: an answer within seconds or none, in pieces as it is written, kept nowhere."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from retrieval.chat.endpoint import ChatEndpoint, RefusalError
from retrieval.chat.questions import Question
from retrieval.errors import ChatError

log = logging.getLogger(__name__)

TEMPERATURES = (0.0, 0.3)
"""Of the tries: an answer that cannot be used is asked for once more, a little differently."""
PAUSE_S = 0.3
"""Before the second try."""
SHORTEST_S = 1.0
"""With less time left, nothing is asked."""
MOST_CHARACTERS = 8_000
NOT_UNDERSTOOD = (400, 413, 415, 422, 500)
"""How endpoints say that they do not know a field or take no pictures: then it is asked more simply."""
_ON_PICTURES = re.compile(r"image|picture|vision|multi-?modal|mmproj|content type|content must be", re.IGNORECASE)
_THOUGHT = "<think>"


@dataclass(frozen=True, slots=True)
class LiveSettings:
    seconds: float = 12.0
    """For one question in all: its tries, their waits, the last word."""
    rest_s: float = 20.0
    """So long nothing is asked of an endpoint that did not answer: one visitor waits for what is down, not all."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How much of the protocol an endpoint takes."""

    has_extra: bool = True
    has_pictures: bool = True


class UnusableError(ChatError):
    """There was an answer, and it is none."""


class LiveChat:
    """Safe to call from several threads. It remembers how the endpoint wants to be asked, and whether it is down."""

    def __init__(self, endpoint: ChatEndpoint, settings: LiveSettings | None = None) -> None:
        """Loads the client, so that nobody waits for that. Raises DependencyError without its library."""
        endpoint.load()
        self.endpoint = endpoint
        self.settings = settings or LiveSettings()
        self._way = _Way()
        self._down_until = 0.0

    def ask(self, question: Question) -> dict[str, Any]:
        """A JSON object, {"text": ...} without a form. Raises ChatError when there is none in time."""
        until = self._begin()
        problem: ChatError | None = None
        for temperature in TEMPERATURES:
            if problem is not None and until - time.monotonic() < SHORTEST_S + PAUSE_S:
                break
            if problem is not None:
                time.sleep(PAUSE_S)
            try:
                return question.read("".join(self._pieces(question, temperature, until)))
            except ValueError as error:
                problem = UnusableError(f"{self.endpoint.model} gave no usable answer about {question.title}: {error}.")
            except ChatError as error:
                problem = error
                if isinstance(error, RefusalError) and not _passes(error):
                    break
        raise self._failed(problem)

    def words(self, question: Question) -> Iterator[str]:
        """A text in pieces as it is written, without thoughts; asked once. Raises ChatError also in the middle."""
        until = self._begin()
        try:
            yield from _spoken(self._pieces(question, TEMPERATURES[0], until))
        except ChatError as error:
            raise self._failed(error) from error

    def _begin(self) -> float:
        """Until when an answer is waited for."""
        now = time.monotonic()
        if now < self._down_until:
            raise ChatError(f"{self.endpoint.url} did not answer a moment ago and is left alone for now.")
        return now + self.settings.seconds

    def _failed(self, problem: ChatError | None) -> ChatError:
        """The problem; an endpoint that is down is left alone for a while, one that merely answers badly is not."""
        assert problem is not None  # there is at least one try
        is_alive = isinstance(problem, UnusableError) or (isinstance(problem, RefusalError) and not _passes(problem))
        if not is_alive:
            self._down_until = time.monotonic() + self.settings.rest_s
        return problem

    def _pieces(self, question: Question, temperature: float, until: float) -> Iterator[str]:
        """Asked as the endpoint took it last, and where it does not understand that, with less."""
        refused: RefusalError | None = None
        for way in self._ways(question):
            pieces = self._asked(question, temperature, until, way)
            try:
                first = next(pieces, "")
            except RefusalError as error:
                if error.status not in NOT_UNDERSTOOD:
                    raise
                refused = refused or error
                continue
            self._remember(way, refused)
            return chain((first,), pieces)
        assert refused is not None  # there is at least one way
        raise refused

    def _ways(self, question: Question) -> list[_Way]:
        has_extra = self._way.has_extra and bool(self.endpoint.settings.extra)
        has_pictures = self._way.has_pictures and any(not isinstance(part, str) for part in question.parts)
        full = _Way(has_extra, has_pictures)
        simpler = (full, replace(full, has_extra=False), replace(full, has_pictures=False), _Way(False, False))
        return list(dict.fromkeys(simpler))

    def _asked(self, question: Question, temperature: float, until: float, way: _Way) -> Iterator[str]:
        left = until - time.monotonic()
        if left <= 0:
            raise ChatError(f"{self.endpoint.url} took longer than {self.settings.seconds:g} seconds.")
        shown = question if way.has_pictures else replace(question, parts=[p for p in question.parts if _is_text(p)])
        extra: Mapping[str, Any] = self.endpoint.settings.extra if way.has_extra else {}
        return _within(left, self.endpoint.stream(shown, left, temperature, extra))

    def _remember(self, way: _Way, refused: RefusalError | None) -> None:
        """What one question was refused for may be its own fault; what the endpoint named is not."""
        if refused is None:
            return
        takes_pictures = self._way.has_pictures and not (not way.has_pictures and _ON_PICTURES.search(str(refused)))
        log.info("%s is asked more simply from now on: it refused with %d", self.endpoint.url, refused.status)
        self._way = _Way(way.has_extra, takes_pictures)


def _is_text(part: object) -> bool:
    return isinstance(part, str)


def _passes(error: RefusalError) -> bool:
    """Whether it may answer the same question a little later."""
    return error.status == 429 or error.status >= 500


def _within(seconds: float, pieces: Generator[str, None, None]) -> Iterator[str]:
    """The same pieces, in so many seconds all together: read in a thread of their own, since an endpoint that sends a
    byte now and then would never be silent for long. A thread that is left behind ends with the next silence."""
    came: SimpleQueue[str | Exception | None] = SimpleQueue()
    is_left = Event()

    def read() -> None:
        try:
            with closing(pieces) as source:
                for piece in source:
                    came.put(piece)
                    if is_left.is_set():
                        return
            came.put(None)
        except Exception as error:  # is raised where somebody waits for it
            came.put(error)

    Thread(target=read, name="live-chat", daemon=True).start()
    until = time.monotonic() + seconds
    n_characters = 0
    try:
        while True:
            try:
                piece = came.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                raise ChatError(f"The model took longer than {seconds:.1f} seconds.") from None
            if piece is None:
                return
            if isinstance(piece, Exception):
                raise piece
            n_characters += len(piece)
            if n_characters > MOST_CHARACTERS:
                raise UnusableError(f"The model wrote more than {MOST_CHARACTERS} characters and was interrupted.")
            yield piece
    finally:
        is_left.set()


def _spoken(pieces: Iterator[str]) -> Iterator[str]:
    """Without the thoughts that a text may begin with."""
    held = ""
    for piece in pieces:
        held += piece
        begun = held.lstrip()
        if _THOUGHT.startswith(begun[: len(_THOUGHT)]) and "</think>" not in held:
            continue  # it may be, or is, a thought
        yield held.rpartition("</think>")[2]
        break
    else:
        if not held.lstrip().startswith(_THOUGHT):
            yield held
        return
    yield from pieces

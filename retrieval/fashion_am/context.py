"""The context that a query encoder reads: a conversation as texts and pictures in their order (the paper's Prompt C).

A template says in which words; it is a versioned resource, and its hash is part of an encoder's revision, since a
trained model depends on it. `full` is for language models that follow instructions, `compact` for MiniLM, whose every
token costs. It imports no torch, for the running encoder needs it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from retrieval.errors import EncoderError
from retrieval.schema import Image

if TYPE_CHECKING:
    from retrieval.schema import Query

FOLDER = Path(__file__).with_name("contexts")
TemplateName = Literal["full", "compact"]
Context = tuple[str | Image, ...]
"""Texts and pictures in the order in which they are read; no two texts stand side by side."""
Line = Image | tuple[str, ...]
"""A picture, or a line of words in pieces: what was said apart from the words around it."""


@dataclass(frozen=True, slots=True)
class Template:
    """The words between what was said and shown; `{turn}`, `{next}` and `{request}` are filled in."""

    name: str
    version: int
    history_query: str
    history_request: str
    history_target: str
    instruction: str
    current_query: str
    current_request: str
    no_request: str
    closing: str
    recent: int | None = None
    """How many of the last turns before the current one are told in words; older ones by their pictures alone."""

    @property
    def revision(self) -> str:
        """Equal for equal words."""
        words = json.dumps([getattr(self, each.name) for each in fields(self)], ensure_ascii=False)
        return hashlib.sha256(words.encode()).hexdigest()[:12]


def open_template(name: TemplateName) -> Template:
    """Raises EncoderError for a template that there is not, or a damaged one."""
    file = FOLDER / f"{name}.json"
    try:
        return Template(name=name, **json.loads(file.read_text("utf8")))
    except (OSError, ValueError, TypeError) as error:
        raise EncoderError(
            f"There is no context template in {file} ({error}): restore it from the repository."
        ) from error


def context_of(query: Query, template: Template) -> Context:
    """The whole conversation of a query, oldest first; the picture that two turns share occurs once.

    Turns of `query.history` are numbered from 1, as the shopper may name them.
    """
    parts: list[str | Image] = []
    for line in lines_of(query, template):
        words = line if isinstance(line, Image) else "".join(line)
        if isinstance(words, str) and parts and isinstance(parts[-1], str):
            parts[-1] = f"{parts[-1]}\n{words}"
        else:
            parts.append(words)
    return tuple(parts)


def lines_of(query: Query, template: Template) -> list[Line]:
    """The same line by line; no line is empty."""
    lines: list[Line] = []
    before: tuple[Image, ...] = ()
    n_old = 0 if template.recent is None else len(query.history) - template.recent
    for turn, past in enumerate(query.history, 1):
        lines += _shown(template.history_query, past.references, before, turn)
        if turn > n_old:
            lines.append(_said(template.history_request, _line(past.text) or template.no_request, turn))
        before = (past.target,) if past.target else ()
        lines += _shown(template.history_target, before, (), turn)
    lines.append((template.instruction,))
    lines += _shown(template.current_query, query.references, before)
    request = _line(query.as_said)
    lines.append(_said(template.current_request, request) if request else (template.no_request,))
    lines.append((template.closing,))
    return [line for line in lines if isinstance(line, Image) or any(line)]


def _shown(words: str, images: tuple[Image, ...], before: tuple[Image, ...], turn: int = 0) -> list[Line]:
    """Nothing where the pictures are those that were shown just before."""
    return [(words.format(turn=turn, next=turn + 1),), *images] if images and images != before else []


def _said(words: str, request: str, turn: int = 0) -> tuple[str, ...]:
    around = words.partition("{request}")
    return (around[0].format(turn=turn), request, around[2].format(turn=turn))


def _line(text: str) -> str:
    return " ".join(text.split())

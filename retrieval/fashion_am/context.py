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
    before: tuple[Image, ...] = ()
    for turn, past in enumerate(query.history, 1):
        parts += _shown(template.history_query.format(turn=turn), past.references, before)
        parts.append(template.history_request.format(turn=turn, request=_line(past.text) or template.no_request))
        before = (past.target,) if past.target else ()
        parts += _shown(template.history_target.format(turn=turn, next=turn + 1), before, ())
    parts.append(template.instruction)
    parts += _shown(template.current_query, query.references, before)
    request = _line(query.as_said)
    parts.append(template.current_request.format(request=request) if request else template.no_request)
    parts.append(template.closing)
    return _joined(parts)


def _shown(words: str, images: tuple[Image, ...], before: tuple[Image, ...]) -> list[str | Image]:
    """Nothing where the pictures are those that were shown just before."""
    return [words, *images] if images and images != before else []


def _line(text: str) -> str:
    return " ".join(text.split())


def _joined(parts: list[str | Image]) -> Context:
    joined: list[str | Image] = []
    for part in parts:
        if part == "":
            continue
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] = f"{joined[-1]}\n{part}"
        else:
            joined.append(part)
    return tuple(joined)

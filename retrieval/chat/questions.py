"""What a model is asked and how its answer is read: words and pictures in their order, JSON objects by schema."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL.Image import Image as Picture

from retrieval.images import open_picture

MAX_SIDE = 512
"""Longest side of a picture that is sent, in pixels."""
JPEG_QUALITY = 90
Part = str | Path | Picture
"""Words, a picture's file, or a decoded picture."""


def _anything(_: Mapping[str, Any]) -> None:
    return


@dataclass(frozen=True, slots=True)
class Form:
    """An answer that is a JSON object."""

    name: str
    schema: Mapping[str, Any]
    check: Callable[[Mapping[str, Any]], None] = _anything
    """Raises ValueError that says what is wrong; such an answer is asked for again, a little differently."""


@dataclass(frozen=True, slots=True)
class Question:
    title: str
    """As an error names it: "the caption of p/17"."""
    prompt: str
    """The system's message; none when empty."""
    parts: Sequence[Part]
    """The user's message: words and pictures in their order."""
    form: Form | None = None
    """None: the answer is a text."""
    max_tokens: int | None = None
    """None: as the settings say."""
    sample: int = 0
    """0 for the likeliest answer; from 1 on, answers drawn by chance that are kept apart."""

    def messages(self) -> list[dict[str, Any]]:
        """As the endpoint takes them. Raises ImageError for a picture that cannot be used."""
        content: list[dict[str, Any]] = []
        for part in self.parts:
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
            else:
                content.append({"type": "image_url", "image_url": {"url": data_url(part)}})
        system = [{"role": "system", "content": self.prompt}] if self.prompt else []
        return [*system, {"role": "user", "content": content}]

    def read(self, content: str) -> dict[str, Any]:
        """The answer in a reply. Raises ValueError that says why it cannot be used."""
        if self.form is None:
            text = without_thoughts(content)
            if not text:
                raise ValueError("it is empty")
            answer: dict[str, Any] = {"text": text}
        else:
            answer = parse(content)
            self.form.check(answer)
        json.dumps(answer, ensure_ascii=False).encode()  # JSON can hold half a character, and no file can
        return answer


def prompt_version(prompt: str, form: Form | None) -> str:
    """Changes with the prompt's words and with the form of its answer."""
    schema = dict(form.schema) if form else None
    return hashlib.sha256(f"{prompt}\n{json.dumps(schema)}".encode()).hexdigest()[:12]


def without_thoughts(content: str) -> str:
    return content.rpartition("</think>")[2].strip()


def parse(content: str) -> dict[str, Any]:
    """The JSON object of a reply, without a model's thoughts and fences. Raises ValueError that says what is wrong."""
    text = without_thoughts(content)
    if fenced := re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL):
        text = fenced.group(1)
    try:
        answer = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(answer, dict):
        raise ValueError("it is no JSON object")
    return answer


def data_url(picture: Path | Picture) -> str:
    """The picture as a JPEG within MAX_SIDE. Raises ImageError for one that cannot be used."""
    if isinstance(picture, Picture):
        shown = picture.convert("RGB")
        shown.thumbnail((MAX_SIDE, MAX_SIDE))
    else:
        shown = open_picture(picture, MAX_SIDE)
    buffer = io.BytesIO()
    shown.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"

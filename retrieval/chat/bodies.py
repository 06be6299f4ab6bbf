"""What requests and replies of the protocol look like: the form of an answer, and the text in whatever comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from retrieval.chat.questions import Form


def response_format(form: Form) -> Any:
    return {"type": "json_schema", "json_schema": {"name": form.name, "schema": dict(form.schema), "strict": True}}


def pieces_of(stream: Any) -> Iterator[str]:
    """The texts of a stream's events; of a plain body, which comes from an endpoint that does not stream, its text."""
    if "text/event-stream" not in stream.response.headers.get("content-type", ""):
        body = json.loads(stream.response.read())
        choices = body.get("choices") if isinstance(body, dict) else None
        first = choices[0] if isinstance(choices, list) and choices else {}
        message = first.get("message") if isinstance(first, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        yield content if isinstance(content, str) else ""
        return
    for event in stream:
        choices = getattr(event, "choices", None)
        delta = getattr(choices[0], "delta", None) if isinstance(choices, list) and choices else None
        piece = getattr(delta, "content", None)
        if isinstance(piece, str) and piece:
            yield piece


def content_of(reply: Any) -> str:
    """The text in a reply of any form; "" where there is none. A web page, say, comes back as a text."""
    choices = getattr(reply, "choices", None)
    first = choices[0] if isinstance(choices, list) and choices else None
    content = getattr(getattr(first, "message", None), "content", None)
    return content if isinstance(content, str) else ""

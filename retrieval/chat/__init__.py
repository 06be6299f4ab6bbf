"""Questions to a language model that sees pictures, behind any OpenAI-compatible endpoint, asked in parallel.

    endpoint = ChatEndpoint("http://localhost:8000/v1", "Qwen3.5-9B", cache=Path("runs/answers.jsonl"))
    endpoint.ask("You sell clothes.", ["What is this?", Path("dress.jpg")])             a text
    endpoint.ask("You sell clothes.", [Path("dress.jpg")], Form("kind", SCHEMA))        a JSON object
    endpoint.answers("Kinds", [Question(...), Question(...)])                           many, in the order asked

Answers are kept by model, settings, prompt, words and pictures: what was answered once is never asked again.

    LiveChat(endpoint, LiveSettings(seconds=8)).ask(Question(...))        for somebody who waits: within 8 s, or not
    for piece in LiveChat(endpoint).words(Question(...)): ...             the words as they are written; kept nowhere
"""

from __future__ import annotations

from retrieval.chat.endpoint import KEY_VARIABLE, ChatEndpoint, ChatSettings, check_address
from retrieval.chat.live import LiveChat, LiveSettings
from retrieval.chat.questions import Form, Part, Question

__all__ = [
    "KEY_VARIABLE", "ChatEndpoint", "ChatSettings", "Form", "LiveChat", "LiveSettings", "Part", "Question",
    "check_address",
]  # fmt: skip

"""Textification by a language model that sees pictures: it describes the wanted item, the text tower reads it.

The training-free baseline of the paper (Qwen3.5-4B and OpenFlamingo-9B) over any OpenAI-compatible endpoint. A prompt
is a versioned resource in `prompts/`: `qwen` instructs a chat model, which answers greedily in one sentence;
`openflamingo` is a completion after two examples in words alone, pictures and requests interleaved, as such models are
asked without training.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.chat import ChatEndpoint, Form, Part, Question
from retrieval.encoders import cards
from retrieval.encoders.cards import CARD
from retrieval.errors import EncoderError, MessageError
from retrieval.fashion_am.context import Template, context_of
from retrieval.schema import Query

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Encoder, Manifest
    from retrieval.schema import Item

PROMPTS = Path(__file__).with_name("prompts")
ANSWERS = "answers.jsonl"
MAX_WORDS = 60
"""A description beyond it is no sentence; the text tower reads about forty words."""
_DECLINED = re.compile(r"\W*(?:i['’]?m sorry|sorry,|i (?:can(?:no|['’])t|am unable)|as an ai\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """How a conversation is told to a model, and where its answer ends."""

    template: Template
    system: str
    examples: str
    max_tokens: int
    as_json: bool
    stop: tuple[str, ...]

    @property
    def revision(self) -> str:
        """Equal for equal words."""
        rest = [self.template.revision, self.system, self.examples, self.max_tokens, self.as_json, list(self.stop)]
        return hashlib.sha256(json.dumps(rest, ensure_ascii=False).encode()).hexdigest()[:12]


def open_prompt(name: str) -> Prompt:
    """`qwen` or `openflamingo`. Raises EncoderError for one that there is not, or a damaged one."""
    table = read_table(name)
    try:
        own = {key: table.pop(key) for key in ("system", "examples", "max_tokens", "as_json", "stop")}
        return Prompt(**{**own, "stop": tuple(own["stop"]), "template": Template(name=name, **table)})
    except (KeyError, TypeError) as error:
        known = ", ".join(sorted(file.stem for file in PROMPTS.glob("*.json") if file.stem != "imagescope_context"))
        raise EncoderError(f"{name!r} is no prompt of textification ({error}). There are: {known}.") from error


def read_table(name: str) -> dict[str, Any]:
    """Raises EncoderError for a resource that there is not."""
    file = PROMPTS / f"{name}.json"
    if Path(name).name != name or not file.is_file():
        known = ", ".join(sorted(each.stem for each in PROMPTS.glob("*.json")))
        raise EncoderError(f"There is no prompt {name!r}. There are: {known}.")
    return dict(json.loads(file.read_text("utf8")))


def parts_of(query: Query, template: Template) -> list[Part]:
    """A conversation as words and pictures' files.

    Raises MessageError where there is nothing, or where words stand for a picture.
    """
    if not (query.as_said or query.references):
        raise MessageError("There is nothing to search for: write a few words or add a picture.")
    parts: list[Part] = []
    for part in context_of(query, template):
        if isinstance(part, str):
            parts.append(part)
        elif part.path:
            parts.append(Path(part.path))
        else:
            raise MessageError(f"{part.image_id} is known by words alone, and a model is asked about pictures.")
    return parts


class ChatTextification:
    """Implements `protocols.Encoder` over any encoder that reads a text alone; items are its items.

    Raises ChatError where the model gives no usable answer, EncoderError where a completion is none: no description is
    made up.
    """

    def __init__(self, towers: Encoder, endpoint: ChatEndpoint, prompt: Prompt) -> None:
        self.towers = towers
        self._endpoint = endpoint
        self._prompt = prompt

    @property
    def manifest(self) -> Manifest:
        return self.towers.manifest

    @property
    def query_revision(self) -> str:
        return f"textification/{self._prompt.template.name}-{self._prompt.revision}/{self._endpoint.model}"

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        return self.towers.encode_items(items, pictures)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        return encode_texts(self.towers, self.descriptions(queries))

    def descriptions(self, queries: Sequence[Query]) -> list[str]:
        answers = self._endpoint.answers("Descriptions", [self._question(query) for query in queries])
        return [self._sentence(query, answer) for query, answer in zip(queries, answers, strict=True)]

    def _question(self, query: Query) -> Question:
        parts = parts_of(query, self._prompt.template)
        return Question(
            title=f"the item that {query.query_id or 'a query'} wants",
            prompt=self._prompt.system,
            parts=[self._prompt.examples, *parts] if self._prompt.examples else parts,
            form=DESCRIPTION if self._prompt.as_json else None,
            max_tokens=self._prompt.max_tokens,
        )

    def _sentence(self, query: Query, answer: Mapping[str, Any]) -> str:
        """Raises EncoderError for a reply that is cut to nothing, or that declines."""
        said = str(answer["description" if self._prompt.as_json else "text"]).strip()
        for stop in self._prompt.stop:
            said = said.partition(stop)[0].strip()
        if not said or _DECLINED.match(said):
            raise EncoderError(
                f"{self._endpoint.model} did not describe the item that {query.query_id or 'a query'} wants "
                f"({answer!r:.200}). Choose another model or prompt."
            )
        return " ".join(said.split())


def _check_description(answer: Mapping[str, Any]) -> None:
    said = answer.get("description")
    if not isinstance(said, str) or not said.strip():
        raise ValueError("it has no description")
    if len(said.split()) > MAX_WORDS:
        raise ValueError(f"its description has {len(said.split())} words, more than {MAX_WORDS}")
    if _DECLINED.match(said):
        raise ValueError("it declines to describe anything")


DESCRIPTION = Form(
    "description",
    {
        "type": "object",
        "properties": {"description": {"type": "string"}},
        "required": ["description"],
        "additionalProperties": False,
    },
    _check_description,
)


def encode_texts(towers: Encoder, texts: Sequence[str]) -> Embeddings:
    """Unit vectors of texts alone, shape (len(texts), dim)."""
    if not texts:
        return np.zeros((0, towers.manifest.dim), np.float32)
    return towers.encode_queries([Query("", text=text) for text in texts])


def open_textification(folder: Path, towers: Encoder, cache: Path | None = None) -> ChatTextification:
    """A system folder: card.json with `url`, `model` and `prompt`; answers are kept in `cache`, or beside the card.

    Raises EncoderError for a card without them, ChatError for what is no address.
    """
    card = read_card(folder, "textification")
    endpoint = ChatEndpoint(card["url"], card["model"], cache or folder / ANSWERS)
    return ChatTextification(towers, endpoint, open_prompt(card.get("prompt", "qwen")))


def read_card(folder: Path, kind: str) -> dict[str, Any]:
    """Of a system that asks a model: `url` and `model` are there. Raises EncoderError."""
    card = cards.read(folder)
    if card.get("kind") != kind:
        raise EncoderError(f'{folder / CARD} is not the card of a system of "kind": "{kind}".')
    lacking = [name for name in ("url", "model") if not isinstance(card.get(name), str) or not card[name]]
    if lacking:
        raise EncoderError(f"{folder / CARD} lacks {' and '.join(lacking)} of the endpoint: write them into it.")
    return card

"""What a multimodal model is asked and how its answer is read: prompts, their JSON schemas, the order of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from builders.dim_fashion.annotators import BridgeReading, Enrichment
from builders.dim_fashion.drafts import DraftSession, DraftTurn
from builders.instances import SourceImage
from retrieval.benchmark import PictureKind
from retrieval.chat import Form
from retrieval.chat import questions as chat_questions

PROMPTS = ("bridge", "enrichment", "turn_check", "session_check")
MAX_WORDS, MAX_CHARACTERS = 25, 300
"""Longer requests are no longer what a shopper types: such an answer is asked for again."""
KINDS: Mapping[PictureKind, str] = {
    "product": "shop picture",
    "worn": "shop picture, worn",
    "street": "the shopper's photograph",
    "sketch": "sketch",
    "cutout": "picture without its background",
}
_YES_NO = {"is_reasonable": {"type": "string", "enum": ["yes", "no"]}}
_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "bridge": {"is_same": {"type": "boolean"}, "modification": {"type": "string"}},
    "enrichment": {"is_item_centric": {"type": "boolean"}, "text": {"type": "string"}},
    "turn_check": _YES_NO,
    "session_check": _YES_NO,
}

Images = Mapping[str, SourceImage]


@dataclass(frozen=True, slots=True)
class Shown:
    """A place in a question where a picture is shown."""

    image_id: str


@dataclass(frozen=True, slots=True)
class Question:
    prompt: str
    """One of PROMPTS."""
    title: str
    """As an error names it."""
    parts: tuple[str | Shown, ...]


@lru_cache
def prompt_text(prompt: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{prompt}.md").read_text(encoding="utf-8").strip()


def schema(prompt: str) -> dict[str, Any]:
    """JSON schema of the answer."""
    fields = _FIELDS[prompt]
    return {"type": "object", "properties": dict(fields), "required": list(fields), "additionalProperties": False}


def form(prompt: str) -> Form:
    """Of the answer, with its check."""
    return Form(prompt, schema(prompt), partial(check, prompt))


def prompt_version(prompt: str) -> str:
    """Changes with the prompt's words and with the form of its answer."""
    return chat_questions.prompt_version(prompt_text(prompt), form(prompt))


def ask_bridge(images: Images, one: str, other: str) -> Question:
    parts = (f"A ({_kind(images, one)}):", Shown(one), f"B ({_kind(images, other)}):", Shown(other))
    return Question("bridge", f"the step from {one} to {other}", parts)


def ask_enrichment(images: Images, image_id: str) -> Question:
    return Question("enrichment", f"a first search for {image_id}", (f"{_kind(images, image_id)}:", Shown(image_id)))


def ask_turn(images: Images, turn: DraftTurn) -> Question:
    parts: list[str | Shown] = [f"Task: {turn.task}{_attribute(turn)}"]
    for number, reference in enumerate(turn.references, 1):
        parts += [f"Shown picture {number} ({_kind(images, reference)}):", Shown(reference)]
    parts += [_words(turn), f"Target ({_kind(images, turn.target)}):", Shown(turn.target)]
    return Question("turn_check", f"the {turn.task} turn that leads to {turn.target}", tuple(parts))


def ask_session(images: Images, session: DraftSession) -> Question:
    """Every picture is sent once, where it first occurs, and named by its number later on."""
    parts: list[str | Shown] = []
    numbers: dict[str, int] = {}

    def show(role: str, image_id: str) -> None:
        if image_id in numbers:
            parts.append(f"{role}: picture {numbers[image_id]} again")
            return
        numbers[image_id] = len(numbers) + 1
        parts.extend((f"{role}: picture {numbers[image_id]} ({_kind(images, image_id)})", Shown(image_id)))

    for number, turn in enumerate(session, 1):
        back = f", going back to turn {turn.rollback_to}" if turn.rollback_to is not None else ""
        parts.append(f"Turn {number}. Task: {turn.task}{_attribute(turn)}{back}")
        for reference in turn.references:
            show("Shown", reference)
        parts.append(_words(turn))
        show("Target", turn.target)
    ends = f"from {session[0].target} to {session[-1].target}" if session else "without turns"
    return Question("session_check", f"the session of {len(session)} turns {ends}", tuple(parts))


def check(prompt: str, answer: Mapping[str, Any]) -> None:
    """Raises ValueError that says what is wrong with an answer."""
    for name, rule in _FIELDS[prompt].items():
        if name not in answer:
            raise ValueError(f"{name!r} is missing")
        value = answer[name]
        if not isinstance(value, bool if rule["type"] == "boolean" else str) or value not in rule.get("enum", [value]):
            raise ValueError(f"{name!r} is {value!r}")
        str(value).encode()  # half a character, which JSON can hold and no file can, is a ValueError as well
    said = str(answer.get("modification", answer.get("text", "")))
    words = said.split()
    if len(said) > MAX_CHARACTERS or not " ".join(words).isprintable():
        raise ValueError(f"its text of {len(said)} characters is nothing that a shopper types")
    if len(words) > MAX_WORDS:
        raise ValueError(f"its text has {len(words)} words, more than {MAX_WORDS}")
    if answer.get("is_item_centric") is True and not words:
        raise ValueError("it is item-centric and has no text")


def read_bridge(answer: Mapping[str, Any]) -> BridgeReading:
    same = answer["is_same"]
    return BridgeReading(is_same=same, modification="" if same else _folded(answer["modification"]))


def read_enrichment(answer: Mapping[str, Any]) -> Enrichment:
    centred = answer["is_item_centric"]
    return Enrichment(is_item_centric=centred, text=_folded(answer["text"]) if centred else "")


def read_check(answer: Mapping[str, Any]) -> bool:
    return bool(answer["is_reasonable"] == "yes")


def _folded(text: str) -> str:
    return " ".join(text.split())


def _kind(images: Images, image_id: str) -> str:
    return KINDS[images[image_id].kind]


def _attribute(turn: DraftTurn) -> str:
    return f", attribute: {turn.attribute}" if turn.attribute else ""


def _words(turn: DraftTurn) -> str:
    return f'Words: "{_folded(turn.text)}"' if turn.text.strip() else "Words: none"

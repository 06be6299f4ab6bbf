"""ImageScope (Luo et al., WWW 2025): reason and retrieve, verify and rerank, evaluate; training-free, over an endpoint.

1. *Reason.* The model reads the conversation step by step and writes three descriptions of the wanted item, from coarse
   to fine, and statements that hold, or do not, of its picture. The mean of the descriptions' vectors is the query.
2. *Verify.* Each statement is put to each of the first candidates. Those of which all come out right stand first, then
   those of which one does not, and so on (the paper's relaxation); among equals the order of stage 1 stays.
3. *Evaluate.* The first of them are compared as a whole with what the conversation starts from, one after the other,
   until one is accepted: it goes to the front. Where none is, the order of stage 2 stays.

The paper has a model for each role (captioner, reasoner, verifier, evaluator); here one endpoint that sees pictures
plays all of them, so that the captioner falls away *(ours)*. A failing endpoint is an error, never an unverified order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.baselines.textification import ANSWERS, PROMPTS, encode_texts, parts_of, read_card, read_table
from retrieval.chat import ChatEndpoint, Form, Question
from retrieval.encoders.towers import unit
from retrieval.errors import EncoderError, MessageError
from retrieval.fashion_am.context import Template

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    from retrieval.protocols import Embeddings, Encoder, Manifest
    from retrieval.schema import Item, Query

    Vector = NDArray[np.float32]

LEVELS = ("core", "details", "whole")
"""Descriptions from coarse to fine."""
MAX_STATEMENTS = 6
REASON_TOKENS, JUDGE_TOKENS = 900, 30


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """*(ours)* where the paper leaves it open."""

    samples: int = 1
    """Readings of a conversation; of several, which are drawn by chance, the one that agrees most with the others is
    taken (self-consistency)."""
    n_verified: int = 20
    """Candidates of stage 2; the rest of a ranking stays where it is."""
    n_evaluated: int = 3
    """Candidates of stage 3; 0 leaves it out."""


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    is_true: bool
    """Whether it holds of the wanted item."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reasoner makes of a conversation."""

    descriptions: tuple[str, ...]
    statements: tuple[Statement, ...]


class ImageScope:
    """Implements `protocols.Encoder` by its first stage, and `protocols.Reranker` by the two others."""

    def __init__(self, towers: Encoder, endpoint: ChatEndpoint, settings: ScopeSettings | None = None) -> None:
        self.towers = towers
        self._endpoint = endpoint
        self._settings = settings or ScopeSettings()
        self._template = Template(name="imagescope_context", **read_table("imagescope_context"))
        self._prompts = {role: _prompt(role) for role in ("reason", "verify", "evaluate")}

    @property
    def manifest(self) -> Manifest:
        return self.towers.manifest

    @property
    def query_revision(self) -> str:
        words = json.dumps([self._template.revision, self._prompts, asdict(self._settings)], sort_keys=True)
        return f"imagescope/{hashlib.sha256(words.encode()).hexdigest()[:12]}/{self._endpoint.model}"

    @property
    def rerank_depth(self) -> int:
        return self._settings.n_verified

    def encode_items(self, items: Sequence[Item], pictures: Sequence[Picture]) -> Embeddings:
        return self.towers.encode_items(items, pictures)

    def encode_queries(self, queries: Sequence[Query]) -> Embeddings:
        found = [vector for _, vector in self._readings(queries)]
        return np.array(found, np.float32).reshape(len(queries), self.manifest.dim)

    def rerank(self, query: Query, items: Sequence[Item]) -> list[str]:
        """item_ids of stages 2 and 3, best first; `items` come in the order of stage 1.

        Raises ChatError when the endpoint gives no usable answer, MessageError for an item without a picture.
        """
        if not all(item.image.path for item in items):
            raise MessageError("Candidates without pictures cannot be verified: choose a gallery with pictures.")
        ((reading, _),) = self._readings([query])
        verified = self._verified(reading, items[: self._settings.n_verified])
        ordered = self._evaluated(query, verified)
        return [item.item_id for item in (*ordered, *items[self._settings.n_verified :])]

    def _readings(self, queries: Sequence[Query]) -> list[tuple[Reading, Vector]]:
        """Of each query the reading that is taken, and the unit mean of its descriptions' vectors."""
        n = self._settings.samples
        numbers = range(1, n + 1) if n > 1 else range(1)
        asked = [self._reason(query, number) for query in queries for number in numbers]
        answers = [_reading(answer) for answer in self._endpoint.answers("Readings", asked)]
        texts = list(dict.fromkeys(text for reading in answers for text in reading.descriptions))
        row = {text: at for at, text in enumerate(texts)}
        vectors = encode_texts(self.towers, texts)
        means = [unit(vectors[[row[text] for text in reading.descriptions]].mean(axis=0)) for reading in answers]
        taken = []
        for at in range(0, len(answers), n):
            own = np.array(means[at : at + n])
            best = at + int(np.argmax((own @ own.T).sum(axis=1).round(6)))
            taken.append((answers[best], means[best]))
        return taken

    def _reason(self, query: Query, sample: int) -> Question:
        return Question(
            title=f"what {query.query_id or 'a query'} wants",
            prompt=self._prompts["reason"],
            parts=parts_of(query, self._template),
            form=READING,
            max_tokens=REASON_TOKENS,
            sample=sample,
        )

    def _verified(self, reading: Reading, items: Sequence[Item]) -> list[Item]:
        """By the number of statements that come out as they have to."""
        asked = [
            Question(
                title=f"{item.item_id}: {statement.text!r:.60}",
                prompt=self._prompts["verify"],
                parts=[Path(item.image.path), f"Statement: {statement.text}"],
                form=IS_TRUE,
                max_tokens=JUDGE_TOKENS,
            )
            for item in items
            for statement in reading.statements
        ]
        answers = iter(self._endpoint.answers("Statements", asked))
        right = {
            item.item_id: sum((next(answers)["is_true"] == "yes") == each.is_true for each in reading.statements)
            for item in items
        }
        return sorted(items, key=lambda item: -right[item.item_id])

    def _evaluated(self, query: Query, items: Sequence[Item]) -> list[Item]:
        """The first that is accepted as a whole goes to the front."""
        for place, item in enumerate(items[: self._settings.n_evaluated]):
            question = Question(
                title=f"whether {item.item_id} is what {query.query_id or 'a query'} wants",
                prompt=self._prompts["evaluate"],
                parts=[*parts_of(query, self._template), "Candidate:", Path(item.image.path)],
                form=IS_WANTED,
                max_tokens=JUDGE_TOKENS,
            )
            (answer,) = self._endpoint.answers("Candidates", [question])
            if answer["is_wanted"] == "yes":
                return [item, *items[:place], *items[place + 1 :]]
        return list(items)


def open_imagescope(folder: Path, towers: Encoder, cache: Path | None = None) -> ImageScope:
    """A system folder: card.json with `url`, `model` and, perhaps, `settings`; answers are kept in `cache` or there.

    Raises EncoderError for a card without them or with other settings, ChatError for what is no address.
    """
    card = read_card(folder, "imagescope")
    try:
        settings = ScopeSettings(**card.get("settings", {}))
        if not (settings.samples >= 1 and settings.n_verified >= 1 and settings.n_evaluated >= 0):
            raise ValueError("a number out of range")
    except (TypeError, ValueError) as error:
        raise EncoderError(f"The settings in {folder / 'card.json'} are none of ImageScope's ({error}).") from error
    return ImageScope(towers, ChatEndpoint(card["url"], card["model"], cache or folder / ANSWERS), settings)


def _prompt(role: str) -> str:
    return (PROMPTS / f"imagescope_{role}.md").read_text("utf8").strip()


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_STATEMENTS = {
    "type": "array",
    "items": _object({"text": _TEXT, "is_true": {"type": "boolean"}}),
    "minItems": 1,
    "maxItems": MAX_STATEMENTS,
}


def _reading(answer: Mapping[str, Any]) -> Reading:
    statements = tuple(Statement(" ".join(each["text"].split()), each["is_true"]) for each in answer["statements"])
    return Reading(tuple(" ".join(answer[level].split()) for level in LEVELS), statements)


def _check_reading(answer: Mapping[str, Any]) -> None:
    for level in LEVELS:
        if not isinstance(answer.get(level), str) or not answer[level].strip():
            raise ValueError(f"{level!r} is no description")
    statements = answer.get("statements")
    if not isinstance(statements, list) or not 1 <= len(statements) <= MAX_STATEMENTS:
        raise ValueError(f"'statements' is no list of one to {MAX_STATEMENTS}")
    for each in statements:
        is_whole = isinstance(each, dict) and isinstance(each.get("text"), str) and each["text"].strip()
        if not is_whole or not isinstance(each.get("is_true"), bool):
            raise ValueError(f"{each!r:.80} is no statement")


def _yes_or_no(name: str) -> Form:
    def check(answer: Mapping[str, Any]) -> None:
        if answer.get(name) not in ("yes", "no"):
            raise ValueError(f"{name!r} is neither yes nor no")

    return Form(name, _object({name: {"type": "string", "enum": ["yes", "no"]}}), check)


READING = Form(
    "reading", _object({"thoughts": _TEXT, **dict.fromkeys(LEVELS, _TEXT), "statements": _STATEMENTS}), _check_reading
)
IS_TRUE = _yes_or_no("is_true")
IS_WANTED = _yes_or_no("is_wanted")

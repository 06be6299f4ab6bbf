"""Queries worded by a model behind any OpenAI-compatible endpoint; what does not hold is asked for again, then replaced
by the grammar's."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, reduce
from pathlib import Path
from typing import Any

from builders.fashion_rq.grammar import MAX_WORDS, MIN_WORDS, USUAL_WORDS, WordSettings, paraphrases
from builders.fashion_rq.lexicon import AGE_OF, fold, kind_of, words_in
from builders.fashion_rq.query_writing import Asked, Plan, rng_of
from builders.fashion_rq.truth import claims_of, is_true, unsaid
from retrieval.chat import ChatEndpoint, ChatSettings, Form, Question
from retrieval.chat.questions import prompt_version

log = logging.getLogger(__name__)

MAX_ROUNDS = 3
"""Questions about one leaf, refused requests included (ours)."""
MAX_CHARACTERS = 200
Brands = re.Pattern[str] | None
MIN_BRAND = 3
"""Letters of a brand that is looked for in a request."""
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}


class ChatWriter:
    """Answers are kept in the file `cache`: a run that was interrupted asks only what is left."""

    def __init__(self, base_url: str, model: str, cache: Path, settings: ChatSettings | None = None) -> None:
        """`base_url` ends in /v1. Raises ChatError for a damaged cache, or for what is no address."""
        self._endpoint = ChatEndpoint(base_url, model, cache, settings)
        self.n_replaced = 0
        """Requests of the last `write` that are the grammar's, since the model had none that holds."""

    @property
    def name(self) -> str:
        version = prompt_version(prompt_text(), FORM)
        digest = hashlib.sha256(json.dumps([self._endpoint.asked_of, version]).encode()).hexdigest()
        return f"chat-{self._endpoint.model}-{digest[:8]}"

    def write(self, planned: Plan, seed: int, settings: WordSettings = USUAL_WORDS) -> list[list[str]]:
        """No two paraphrases of a group are equal; the settings are for the grammar's. Raises ChatError where the
        endpoint gives no answers."""
        asked, brands = planned.asked, _pattern(planned.brands)
        found: list[dict[tuple[str, ...], str]] = [{} for _ in asked]
        refused: list[dict[str, str]] = [{} for _ in asked]
        for number in range(1, MAX_ROUNDS + 1):
            open_ones = [place for place, each in enumerate(asked) if len(found[place]) < each.count]
            if not open_ones:
                break
            questions = [ask(asked[place], list(found[place].values()), refused[place]) for place in open_ones]
            answers = self._endpoint.answers(f"Queries, round {number}", questions)
            for place, answer in zip(open_ones, answers, strict=True):
                _take(asked[place], answer["queries"], brands, found[place], refused[place])
        self.n_replaced = 0
        for each, texts in zip(asked, found, strict=True):
            self.n_replaced += _fill(texts, each, seed, settings)
        log.info("%d requests are the grammar's: the model's did not hold", self.n_replaced)
        return [list(texts.values()) for texts in found]


def _take(
    asked: Asked, texts: Sequence[str], brands: Brands, found: dict[tuple[str, ...], str], refused: dict[str, str]
) -> None:
    """Sorts what a model wrote into what holds and what does not."""
    for raw in texts:
        text = " ".join(raw.split())
        reason = "it is there already" if words_in(text) in found else problem(text, asked.wanted, brands)
        if reason:
            refused[text[:MAX_CHARACTERS]] = reason
        elif len(found) < asked.count:
            found[words_in(text)] = text


def problem(text: str, wanted: Mapping[str, str], brands: Brands = None) -> str:
    """What is wrong with a request, or ""."""
    if len(text) > MAX_CHARACTERS or not text.isprintable() or not MIN_WORDS <= len(text.split()) <= MAX_WORDS:
        return f"it has {len(text.split())} words or strange characters"
    without_wanted = reduce(lambda rest, value: rest.replace(value.lower(), ""), wanted.values(), text.lower())
    if re.search(r"\d", without_wanted):
        return "it names a number"
    if missing := unsaid(text, wanted):
        return f"it does not say the {missing[0].replace('_', ' ')}"
    for claim in claims_of(text, wanted):
        if not is_true(claim, _known(wanted)):
            return f"it says {claim.words}, which is not asked for"
    asked = set(map(fold, wanted.values()))
    for brand in brands.findall(text) if brands else ():
        if fold(brand) not in asked:
            return f"it says {brand}, which is not asked for"
    return ""


def ask(asked: Asked, found: Sequence[str] = (), refused: Mapping[str, str] | None = None) -> Question:
    """For the requests that are missing beside those found."""
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in asked.wanted.items()]
    parts = ["Wanted:\n" + "\n".join(lines), f"Write {asked.count - len(found)} requests."]
    if found:
        parts.append("There are already:\n" + "\n".join(found))
    if refused:
        parts.append("Refused:\n" + "\n".join(f"{text} ({reason})" for text, reason in refused.items()))
    return Question(f"the queries of leaf {asked.leaf}", prompt_text(), parts, FORM, max_tokens=60 * asked.count + 100)


@cache
def prompt_text() -> str:
    return (Path(__file__).parent / "prompts" / "queries.md").read_text(encoding="utf-8").strip()


def check(answer: Mapping[str, Any]) -> None:
    """Raises ValueError that says what is wrong with an answer's form."""
    queries = answer.get("queries")
    if not isinstance(queries, list) or not queries or not all(isinstance(text, str) for text in queries):
        raise ValueError(f"'queries' is {queries!r:.80}, no list of texts")


FORM = Form("queries", SCHEMA, check)


def _known(wanted: Mapping[str, str]) -> dict[str, str]:
    """What is wanted, and what that implies: the age of men, the occasion of sports shoes."""
    age = AGE_OF.get(fold(wanted.get("gender")), "")
    return {"age": age, "occasion": kind_of(wanted.get("product_type", "")).occasion, **wanted}


def _pattern(brands: Collection[str]) -> Brands:
    """Brands as they are spelt: "Only" is one, "only" is none."""
    names = sorted({brand for brand in brands if len(brand) >= MIN_BRAND}, key=lambda brand: (-len(brand), brand))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b") if names else None


def _fill(texts: dict[tuple[str, ...], str], asked: Asked, seed: int, settings: WordSettings) -> int:
    """Requests of the grammar up to the number asked for; how many."""
    n_before = len(texts)
    if n_before < asked.count:
        rng = rng_of(seed, "words", asked.leaf)
        for saying in paraphrases(asked.wanted, 2 * asked.count, rng, settings):
            if len(texts) < asked.count:
                texts.setdefault(words_in(saying.text), saying.text)
    return len(texts) - n_before

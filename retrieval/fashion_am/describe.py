"""Captions for stage 2, written by a multimodal model from pictures whose ground was removed.

    python -m retrieval.fashion_am.describe --pictures PHOTOS.parquet --masks runs/masks \
        --chat-url http://localhost:8000/v1 --chat-model Qwen3.5-9B --out runs/captions

Where no model is at hand, captions are made from attributes (`captions`). An interrupted run goes on: answers are kept.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from retrieval import command
from retrieval.chat import ChatEndpoint, Form, Question
from retrieval.chat.questions import prompt_version
from retrieval.errors import ImageError
from retrieval.fashion_am.cutouts.cutter import clean
from retrieval.fashion_am.cutouts.masks import MAX_SIDE, Choice, mask_file, pictures
from retrieval.images import decode, open_picture

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

PROMPT_FILE = Path(__file__).parent / "prompts" / "caption.md"
MAX_WORDS = 45
"""Within the 77 tokens of CLIP's text tower."""
MAX_CHARACTERS = 800
"""Longer answers are no captions: they are asked for again."""
BATCH = 64
CAPTIONS, ANSWERS, CARD = "captions.jsonl", "answers.jsonl", "card.json"
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"caption": {"type": "string"}},
    "required": ["caption"],
    "additionalProperties": False,
}


@lru_cache
def prompt() -> str:
    return PROMPT_FILE.read_text("utf8").strip()


def check(answer: Mapping[str, Any]) -> None:
    """Raises ValueError that says what is wrong with an answer."""
    caption = answer.get("caption")
    if not isinstance(caption, str) or not caption.split():
        raise ValueError("it has no caption")
    if len(caption) > MAX_CHARACTERS or not " ".join(caption.split()).isprintable():
        raise ValueError(f"its text of {len(caption)} characters is no caption")


CAPTION = Form("caption", _SCHEMA, check)


def cut_at_word(text: str, fits: Callable[[str], bool]) -> str:
    """The longest beginning of whole words that fits: "" when not even the first does."""
    words = text.split()
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(" ".join(words[:middle])) else (low, middle - 1)
    cut = " ".join(words[:low])
    return cut if low == len(words) else cut.rstrip(",;:-–— ")


def few_words(text: str) -> bool:
    return len(text.split()) <= MAX_WORDS


def captions(
    endpoint: ChatEndpoint, named: Sequence[tuple[str, Picture]], fits: Callable[[str], bool] = few_words
) -> list[str]:
    """Of decoded clean pictures with their ids, in their order. Raises ChatError."""
    asked = [Question(f"the caption of {name}", prompt(), [picture], CAPTION) for name, picture in named]
    return [cut_at_word(answer["caption"], fits) for answer in endpoint.answers("Captions", asked)]


@dataclass(slots=True)
class DescribeReport:
    n_described: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        left = "".join(f"\n  {n} left out: {reason}" for reason, n in sorted(self.left_out.items()))
        return f"{self.n_described} captions written{left}"


def describe(
    endpoint: ChatEndpoint, sources: Iterable[tuple[str, bytes | Path]], masks: Path, out: Path
) -> DescribeReport:
    """Captions of all pictures with a mask, into `out`/captions.jsonl, sorted by id. Raises ChatError."""
    report = DescribeReport()
    found: dict[str, str] = {}
    cleaned = _cleaned(sources, masks, report)
    while batch := list(islice(cleaned, BATCH)):
        found.update(zip((name for name, _ in batch), captions(endpoint, batch), strict=True))
    report.n_described = len(found)
    lines = (json.dumps({"id": name, "caption": found[name]}, ensure_ascii=False) + "\n" for name in sorted(found))
    card = {"model": endpoint.model, "prompt": prompt_version(prompt(), CAPTION), "captions": len(found)}
    _write(out / CAPTIONS, "".join(lines))
    _write(out / CARD, json.dumps({**card, "left_out": dict(sorted(report.left_out.items()))}, indent=2) + "\n")
    return report


def _cleaned(
    sources: Iterable[tuple[str, bytes | Path]], masks: Path, report: DescribeReport
) -> Iterator[tuple[str, Picture]]:
    for name, source in sources:
        file = mask_file(masks, name)
        if not file.is_file():
            report.left_out["it has no mask"] += 1
            continue
        try:
            picture = decode(source, name, MAX_SIDE) if isinstance(source, bytes) else open_picture(source, MAX_SIDE)
        except ImageError:
            report.left_out["the picture cannot be read"] += 1
            continue
        with Image.open(file) as mask:
            yield name, clean(picture, mask.convert("L").resize(picture.size))


def _write(file: Path, text: str) -> None:
    part = file.with_name(f"{file.name}.partial")
    part.write_text(text, "utf8")
    part.replace(file)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m retrieval.fashion_am.describe", description=__doc__.split("\n")[0])
    parser.add_argument("--pictures", type=Path, required=True, help="a folder, or a Parquet file with column image")
    parser.add_argument("--masks", type=Path, required=True, help="what `cutouts cut` wrote for these pictures")
    parser.add_argument("--chat-url", required=True, help="of an OpenAI-compatible endpoint; ends in /v1")
    parser.add_argument("--chat-model", required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of the captions")
    parser.add_argument("--split", default=Choice().split, help="pictures of a Parquet file (default: train)")
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)

    def act() -> int:
        endpoint = ChatEndpoint(arguments.chat_url, arguments.chat_model, arguments.out / ANSWERS)
        sources = pictures(arguments.pictures, Choice(arguments.split, limit=arguments.limit))
        sys.stdout.write(f"{describe(endpoint, sources, arguments.masks, arguments.out)}\n")
        return 0

    return command.run(act, "the same command goes on where it stopped")


if __name__ == "__main__":
    sys.exit(main())

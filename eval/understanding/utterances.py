"""Labelled utterances as data: what is said, where, and what it asks for.

One JSON object a line. `before` are the messages said first, `selected` the position of the item that is selected among
what they show, `picture` the id of a gallery item whose picture is sent along. `intent` is always labelled, the rest
where it says something:

- `references`: `"2"` (of what is shown), `"1:2"` (the second of turn 1), `"last"`, `"selected"`
- `filters`, new with this message:
  `"colour=White|Grey"`, `"price<=60"`, `"price<"` (whichever bound), `"colour=@3"` (as the
  third item has it), `"price<=@2"`, `"category=Heels/style=Pumps"` (either)
- `exclusions`: `"pattern!=Striped"`, `"item=3"`, `"belt"` (in words)

An empty list says that there is none; an absent one is not scored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from eval.runs import RunError
from retrieval.schema import Intent

DATA = Path(__file__).with_name("data")
Part = Literal["dev", "test"]
"""`dev` may be looked at when rules are written, `test` may not."""
_LISTS = ("before", "references", "filters", "exclusions")


@dataclass(frozen=True, slots=True)
class Utterance:
    text: str
    intent: Intent
    before: tuple[str, ...] = ()
    selected: int | None = None
    picture: str | None = None
    references: tuple[str, ...] | None = None
    filters: tuple[str, ...] | None = None
    exclusions: tuple[str, ...] | None = None


def read_utterances(part: Part) -> tuple[Utterance, ...]:
    """In the order of the file."""
    return tuple(_utterance(row, where) for where, row in rows_of(DATA / f"{part}.jsonl"))


def parts() -> tuple[Part, ...]:
    return get_args(Part)


def rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each row stands, and the row. Raises RunError for a line that is no JSON object."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}, line {number}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise RunError(f"{where} is no JSON ({error.msg}): correct or remove it.") from None
        if not isinstance(row, dict):
            raise RunError(f"{where} is no JSON object: give each row as one object on its line.")
        yield where, row


def _utterance(row: Mapping[str, Any], where: str) -> Utterance:
    unknown = sorted(row.keys() - {field.name for field in fields(Utterance)})
    if unknown or "text" not in row or row.get("intent") not in set(Intent):
        wrong = f"has an unknown field {unknown[0]!r}" if unknown else "needs a text and one of the intents"
        raise RunError(f"{where} {wrong}: see the labels described in eval/understanding/utterances.py.")
    lists = {name: tuple(row[name]) for name in _LISTS if name in row}
    return Utterance(**{**row, **lists, "intent": Intent(row["intent"])})

"""Answers that were paid for once: an append-only file of JSON lines, so that an interrupted run goes on."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from threading import Lock
from typing import Any

from retrieval.errors import ChatError

log = logging.getLogger(__name__)


class AnswerCache:
    """Safe to call from several threads of one process; each answer is on disk before `put` returns."""

    def __init__(self, path: Path | None) -> None:
        """None keeps answers in memory alone; a last line that was cut is dropped.

        Raises ChatError for a file that is something else.
        """
        self.path = path
        self._lock = Lock()
        self._answers = _read(path) if path else {}

    def get(self, key: str) -> dict[str, Any] | None:
        return self._answers.get(key)

    def put(self, key: str, answer: dict[str, Any]) -> None:
        line = json.dumps({"key": key, "answer": answer}, ensure_ascii=False) + "\n"
        with self._lock:
            if self.path:
                with self.path.open("ab") as file:
                    file.write(line.encode())
            self._answers[key] = answer


def _read(path: Path) -> dict[str, dict[str, Any]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        return {}
    data = path.read_bytes()
    whole, cut = data[: data.rfind(b"\n") + 1], data[data.rfind(b"\n") + 1 :]
    answers: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            record = json.loads(line)
            answers[record["key"]] = dict(record["answer"])
        except (ValueError, TypeError, KeyError) as error:
            raise ChatError(
                f"Line {number} of {path} is no answer of a model. Name another file, or delete this one."
            ) from error
    if cut:
        log.warning("%s ends in the middle of an answer, which is asked for again", path)
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return answers

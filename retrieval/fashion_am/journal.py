"""Metrics of a training run: `metrics.jsonl`, one line a note, and TensorBoard beside it where asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from retrieval.errors import DependencyError


class Journal:
    """Notes later than `step`, where the run goes on from, are dropped: they will be made again."""

    def __init__(self, out: Path, step: int, tensorboard: bool = False) -> None:
        self._file = out / "metrics.jsonl"
        self._board = _open_board(out / "tensorboard", step) if tensorboard else None
        if self._file.exists():
            _keep_until(self._file, step)

    def note(self, step: int, **metrics: Any) -> None:
        with self._file.open("a", encoding="utf8") as file:
            file.write(json.dumps({"step": step, **metrics}) + "\n")
        if self._board is not None:
            for name, value in metrics.items():
                self._board.add_scalar(name, value, step)
            self._board.flush()

    def close(self) -> None:
        if self._board is not None:
            self._board.close()


def _keep_until(file: Path, step: int) -> None:
    """A last line that was cut goes as well."""
    lines = file.read_text(encoding="utf8").splitlines(keepends=True)
    kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
    temporary = file.with_suffix(".tmp")
    temporary.write_text("".join(kept), encoding="utf8")
    temporary.replace(file)


def _open_board(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise DependencyError("--tensorboard needs tensorboard: pip install -r requirements-train.txt") from error
    return SummaryWriter(str(folder), purge_step=step + 1)

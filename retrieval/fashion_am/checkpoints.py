"""Checkpoints of a training run: one file that is replaced as a whole, and taken up only by the run that made it.

Frozen parameters are left out, so that a LoRA's checkpoint is as small as the LoRA.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from retrieval.errors import TrainingError

NAME = "checkpoint.pt"


@dataclass(slots=True)
class Trained:
    """What goes on from step to step."""

    module: nn.Module
    averaged: Any
    """torch.optim.swa_utils.AveragedModel, or None."""
    optimiser: torch.optim.Optimizer
    step: int = 0

    @property
    def result(self) -> nn.Module:
        result: nn.Module = self.averaged.module if self.averaged is not None else self.module
        return result


def save(state: Trained, out: Path, settings: Mapping[str, Any], random: list[dict[str, Any]]) -> None:
    """random: of each process (`processes.gather_states`)."""
    kept = {
        "module": _changing(state.module),
        "averaged": _changing(state.averaged) if state.averaged is not None else None,
        "optimiser": state.optimiser.state_dict(),
        "settings": json.dumps(_plain(settings)),
        "step": state.step,
        "random": random,
    }
    temporary = out / f"{NAME}.tmp"
    torch.save(kept, temporary)
    temporary.replace(out / NAME)


def resume(state: Trained, out: Path, settings: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Take up the checkpoint of `out` and return the random state of each process; None where there is none.

    Raises TrainingError when it is cut, or was made with other settings.
    """
    file = out / NAME
    if not file.exists():
        return None
    kept = _read(file)
    if differing := _differing(json.loads(kept["settings"]), _plain(settings)):
        raise TrainingError(
            f"{file} was made with other settings ({', '.join(differing)}): choose another --out or delete it."
        )
    try:
        _load(state.module, kept["module"])
        if state.averaged is not None:
            _load(state.averaged, kept["averaged"])
        state.optimiser.load_state_dict(kept["optimiser"])
    except (RuntimeError, ValueError) as error:  # torch says so when shapes or names differ
        raise TrainingError(f"{file} is of another model: choose another --out or delete it. {error}") from error
    state.step = int(kept["step"])
    random: list[dict[str, Any]] = kept["random"]
    return random


def _changing(module: nn.Module) -> dict[str, Any]:
    """Its state without the frozen parameters, which the caller of `loop.run` brings again."""
    frozen = {name for name, parameter in module.named_parameters() if not parameter.requires_grad}
    return {name: value for name, value in module.state_dict().items() if name not in frozen}


def _load(module: nn.Module, changing: dict[str, Any]) -> None:
    """Raises RuntimeError unless the names and shapes are those of `_changing(module)`."""
    if changing.keys() != _changing(module).keys():
        raise RuntimeError("Its parameters have other names, or other parameters are frozen.")
    module.load_state_dict(changing, strict=False)


def _read(file: Path) -> dict[str, Any]:
    with file.open("rb") as opened:
        try:
            kept: dict[str, Any] = torch.load(opened, weights_only=True, map_location="cpu")
        except (RuntimeError, EOFError, OSError, pickle.UnpicklingError) as error:  # all of them for cut files
            raise TrainingError(f"{file} is cut or damaged: delete it and train anew, or put back a copy.") from error
    if not isinstance(kept, dict) or not {"module", "optimiser", "settings", "step", "random"} <= kept.keys():
        raise TrainingError(f"{file} was made by another version of this program: choose another --out or delete it.")
    return kept


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON gives them back: tuples as lists, paths as text."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(settings), default=str))
    return plain


def _differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    absent = object()
    return sorted(key for key in one.keys() | other.keys() if one.get(key, absent) != other.get(key, absent))


def digest(module: nn.Module) -> str:
    """Equal for equal weights: what a training starts from is among what its checkpoint depends on."""
    found = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        found.update(name.encode())
        found.update(value.detach().float().cpu().numpy().tobytes())
    return found.hexdigest()[:16]

"""The training loop of all stages and baselines: schedule, checkpoints, running average, metrics, and when to stop.

A step is the caller's: `backward` turns a batch into gradients. Killed at any step, the same call goes on from the last
checkpoint with the same result, for everything that is random is drawn from (seed, epoch) or kept in the checkpoint.
"""

from __future__ import annotations

import json
import logging
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn
from tqdm import tqdm

log = logging.getLogger(__name__)
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast; learning rates are those of the parameter groups, at their peak."""

    epochs: int
    warmup: int = 60
    average: float = 0.0
    """Decay of the running average of the weights, which is what is evaluated and returned; 0 for none."""
    clip: float = 1.0
    save_every: int = 50
    seed: int = 0


@dataclass(slots=True)
class Trained:
    """What goes on from step to step."""

    module: nn.Module
    averaged: Any
    optimiser: torch.optim.Optimizer
    step: int = 0

    @property
    def result(self) -> nn.Module:
        result: nn.Module = self.averaged.module if self.averaged is not None else self.module
        return result


def run(
    module: nn.Module,
    groups: Sequence[dict[str, Any]],
    batches: Callable[[int], Iterator[B]],
    n_batches: int,
    backward: Callable[[B], float],
    schedule: Schedule,
    out: Path,
    settings: Mapping[str, Any],
    validate: Callable[[nn.Module], Mapping[str, float]] | None = None,
) -> nn.Module:
    """Train `module` and return it (its running average, where there is one) in evaluation mode.

    groups: parameter groups of AdamW, each with "params", "lr" and "weight_decay". batches: the batches of an epoch,
    always the same for the same epoch; `n_batches` of them. backward: leaves gradients on the parameters and returns
    the loss. settings: all that a checkpoint depends on; one made with others is refused. Metrics go to
    `out/metrics.jsonl`.
    Raises ValueError for too little data or a foreign checkpoint, FloatingPointError when the loss is not finite.
    """
    if not n_batches:
        raise ValueError("there is less data than one batch: lower --batch")
    out.mkdir(parents=True, exist_ok=True)
    averaged = None
    if schedule.average:
        average = torch.optim.swa_utils.get_ema_multi_avg_fn(schedule.average)
        averaged = torch.optim.swa_utils.AveragedModel(module, multi_avg_fn=average)
    peaks = [{**group, "peak": group["lr"]} for group in groups]
    state = Trained(module, averaged, torch.optim.AdamW(peaks, betas=(0.9, 0.98)))
    resume(state, out, settings)
    total = schedule.epochs * n_batches
    bar = tqdm(total=total, initial=state.step, mininterval=10)
    for epoch in range(state.step // n_batches, schedule.epochs):
        first = epoch * n_batches
        if first >= state.step:  # within an epoch the checkpoint's own state goes on
            torch.manual_seed(zlib.crc32(f"{schedule.seed}/{epoch}".encode()))
        for step, batch in enumerate(batches(epoch), first):
            if step < state.step:
                continue
            loss = one_step(state, backward, batch, schedule, total)
            bar.update()
            bar.set_postfix(loss=f"{loss:.3f}")
            if state.step % schedule.save_every == 0 and state.step < first + n_batches:
                save(state, out, settings)
                note(out, step=state.step, loss=loss)
        if validate is not None and state.step == first + n_batches:
            scores = dict(validate(state.result.eval()))
            log.info("epoch %d loss %.3f %s", epoch + 1, loss, scores)
            note(out, step=state.step, epoch=epoch + 1, loss=loss, **scores)
        save(state, out, settings)
    return state.result.eval()


def one_step(state: Trained, backward: Callable[[B], float], batch: B, schedule: Schedule, total: int) -> float:
    factor = rate_factor(state.step, schedule.warmup, total)
    for group in state.optimiser.param_groups:
        group["lr"] = group["peak"] * factor
    state.module.train()
    state.optimiser.zero_grad(set_to_none=True)
    loss = backward(batch)
    if not math.isfinite(loss):
        raise FloatingPointError(f"loss is {loss} at step {state.step}: lower the learning rates and resume")
    nn.utils.clip_grad_norm_([p for p in state.module.parameters() if p.requires_grad], schedule.clip)
    state.optimiser.step()
    if state.averaged is not None:
        state.averaged.update_parameters(state.module)
    state.step += 1
    return loss


def rate_factor(step: int, warmup: int, total: int) -> float:
    """Linear warm-up, then a half cosine to 0; 1 at the peak."""
    progress = max(0.0, (step - warmup) / max(1, total - warmup))
    return min(1.0, (step + 1) / max(1, warmup)) * 0.5 * (1 + math.cos(math.pi * progress))


def note(out: Path, **metrics: Any) -> None:
    with (out / "metrics.jsonl").open("a", encoding="utf8") as file:
        file.write(json.dumps(metrics) + "\n")


def save(state: Trained, out: Path, settings: Mapping[str, Any]) -> None:
    kept = {
        "module": state.module.state_dict(),
        "averaged": state.averaged.state_dict() if state.averaged is not None else None,
        "optimiser": state.optimiser.state_dict(),
        "settings": dict(settings),
        "step": state.step,
        "random": torch.get_rng_state(),
    }
    torch.save(kept, out / "checkpoint.pt.tmp")
    (out / "checkpoint.pt.tmp").replace(out / "checkpoint.pt")


def resume(state: Trained, out: Path, settings: Mapping[str, Any]) -> None:
    """Take up `out/checkpoint.pt` where there is one. Raises ValueError when it was made with other settings."""
    if not (out / "checkpoint.pt").exists():
        return
    kept = torch.load(out / "checkpoint.pt", weights_only=True)
    if kept["settings"] != dict(settings):
        raise ValueError(f"{out}/checkpoint.pt was made with other settings: choose another --out or delete it")
    state.module.load_state_dict(kept["module"])
    if state.averaged is not None:
        state.averaged.load_state_dict(kept["averaged"])
    state.optimiser.load_state_dict(kept["optimiser"])
    torch.set_rng_state(kept["random"])
    state.step = int(kept["step"])

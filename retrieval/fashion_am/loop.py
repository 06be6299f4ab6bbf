"""The training loop of all stages and baselines: schedule, running average, several processes, and when to stop.

A step is the caller's: `backward` turns a batch into gradients. Killed at any step, the same call goes on from the last
checkpoint with the same result, for everything that is random is drawn from (seed, epoch) or kept in the checkpoint.
"""

from __future__ import annotations

import logging
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn
from tqdm import tqdm

from retrieval.errors import TrainingError
from retrieval.fashion_am import checkpoints, processes
from retrieval.fashion_am.checkpoints import Trained
from retrieval.fashion_am.journal import Journal

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


def groups_of(parameters: Iterable[nn.Parameter], rate: float, weight_decay: float) -> list[dict[str, Any]]:
    """Two groups for AdamW: matrices decay; biases, norms and other vectors do not."""
    known = list(parameters)
    return [
        {"params": [each for each in known if each.ndim > 1], "lr": rate, "weight_decay": weight_decay},
        {"params": [each for each in known if each.ndim <= 1], "lr": rate, "weight_decay": 0.0},
    ]


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
    *,
    accelerator: Any = None,
    tensorboard: bool = False,
) -> nn.Module:
    """Train `module` and return it (its running average, where there is one) in evaluation mode.

    groups: parameter groups of AdamW, each with "params", "lr" and "weight_decay". batches: the batches of an epoch,
    always the same for the same epoch; `n_batches` of them. backward: leaves gradients on the parameters and returns
    the loss. settings: all that a checkpoint depends on; one made with others is refused. Metrics go to
    `out/metrics.jsonl`. accelerator: moves `module` to its device; each process gets all batches and takes its share of
    the rows in `backward` (`processes.own_share`), gradients are averaged over processes, and the first alone
    validates and writes.
    Raises TrainingError for too little data, a checkpoint that is cut or foreign, and a loss or gradient that is not
    finite; the last good checkpoint stays.
    """
    _refuse_impossible(n_batches, accelerator)
    out.mkdir(parents=True, exist_ok=True)
    settings = dict(settings) | _circumstances(accelerator)
    state, random = _taken_up(module, groups, schedule, out, settings, accelerator)
    journal = Journal(out, state.step, tensorboard) if processes.rank(accelerator) == 0 else None
    bar = tqdm(total=schedule.epochs * n_batches, initial=state.step, mininterval=10, disable=journal is None)
    for step, batch in _steps(batches, n_batches, state.step, schedule, random, accelerator):
        metrics = _one_step(
            state, backward, batch, rate_factor(step, schedule.warmup, bar.total), schedule.clip, out, accelerator
        )
        bar.update()
        bar.set_postfix(loss=f"{metrics['loss']:.3f}")
        at_end = state.step % n_batches == 0
        if not at_end and state.step % schedule.save_every:
            continue
        if journal is not None:
            journal.note(state.step, **metrics, **(_validated(state, n_batches, validate) if at_end else {}))
        _save(state, out, settings, accelerator)
    bar.close()
    if journal is not None:
        journal.close()
    return state.result.eval()


def _refuse_impossible(n_batches: int, accelerator: Any) -> None:
    if not n_batches:
        raise TrainingError("There is less data than one batch: lower --batch.")
    if accelerator is None and processes.launched() > 1:
        raise TrainingError("This stage trains in one process: start it without torchrun.")


def _taken_up(
    module: nn.Module,
    groups: Sequence[dict[str, Any]],
    schedule: Schedule,
    out: Path,
    settings: Mapping[str, Any],
    accelerator: Any,
) -> tuple[Trained, list[dict[str, Any]] | None]:
    """Where the checkpoint left it, or at the start, on its device and equal in all processes; random states."""
    if accelerator is not None:
        module.to(accelerator.device)
    state = Trained(module, _averaged(module, schedule), _optimiser(groups))
    random = checkpoints.resume(state, out, settings)
    processes.copy_from_first(module, accelerator)
    return state, random


def _validated(
    state: Trained, n_batches: int, validate: Callable[[nn.Module], Mapping[str, float]] | None
) -> dict[str, float]:
    """Of an epoch that ends; nothing where nothing watches."""
    if validate is None:
        return {}
    metrics = {"epoch": state.step // n_batches, **validate(state.result.eval())}
    log.info("%s", metrics)
    return metrics


def _steps(
    batches: Callable[[int], Iterator[B]],
    n_batches: int,
    done: int,
    schedule: Schedule,
    random: list[dict[str, Any]] | None,
    accelerator: Any,
) -> Iterator[tuple[int, B]]:
    """All steps from `done` on, each with torch's random state as it is in a run that was never killed."""
    rank = processes.rank(accelerator)
    for epoch in range(done // n_batches, schedule.epochs):
        first = epoch * n_batches
        torch.manual_seed(zlib.crc32(f"{schedule.seed}/{epoch}".encode()) + rank)
        for step, batch in enumerate(batches(epoch), first):
            if step < done:
                continue
            if step == done and step > first and random is not None:  # within an epoch the checkpoint's state goes on
                processes.set_random_state(random[rank])
            yield step, batch


def _circumstances(accelerator: Any) -> dict[str, Any]:
    """What changes the numbers besides the caller's settings."""
    precision = "no" if accelerator is None else str(accelerator.mixed_precision)
    return {"processes": processes.n_processes(accelerator), "precision": precision}


def _averaged(module: nn.Module, schedule: Schedule) -> Any:
    if not schedule.average:
        return None
    average = torch.optim.swa_utils.get_ema_multi_avg_fn(schedule.average)
    return torch.optim.swa_utils.AveragedModel(module, multi_avg_fn=average)


def _optimiser(groups: Sequence[dict[str, Any]]) -> torch.optim.Optimizer:
    return torch.optim.AdamW([{**group, "peak": group["lr"]} for group in groups], betas=(0.9, 0.98))


def _one_step(
    state: Trained,
    backward: Callable[[B], float],
    batch: B,
    factor: float,
    clip: float,
    out: Path,
    accelerator: Any,
) -> dict[str, float]:
    for group in state.optimiser.param_groups:
        group["lr"] = group["peak"] * factor
    state.module.train()
    state.optimiser.zero_grad(set_to_none=True)
    loss = processes.mean_of(backward(batch), accelerator)
    _demand_finite("loss", loss, state.step, out)
    processes.average_gradients(state.module, accelerator)
    trained = [parameter for parameter in state.module.parameters() if parameter.requires_grad]
    clipped = nn.utils.clip_grad_norm_ if accelerator is None else accelerator.clip_grad_norm_
    norm = float(clipped(trained, clip))
    _demand_finite("gradient", norm, state.step, out)
    state.optimiser.step()
    if state.averaged is not None:
        state.averaged.update_parameters(state.module)
    state.step += 1
    return {"loss": loss, "gradient": norm, "rate": factor}


def _demand_finite(what: str, value: float, step: int, out: Path) -> None:
    if math.isfinite(value):
        return
    kept = f"{out / checkpoints.NAME} still holds the last good weights" if (out / checkpoints.NAME).exists() else ""
    raise TrainingError(
        f"The {what} is {value} at step {step}{'; ' if kept else ''}{kept}. Train anew in another --out with lower "
        "learning rates or without --precision bf16; if it comes at the first steps, look at the data."
    )


def rate_factor(step: int, warmup: int, total: int) -> float:
    """Linear warm-up, then a half cosine to 0; 1 at the peak."""
    progress = max(0.0, (step - warmup) / max(1, total - warmup))
    return min(1.0, (step + 1) / max(1, warmup)) * 0.5 * (1 + math.cos(math.pi * progress))


def _save(state: Trained, out: Path, settings: Mapping[str, Any], accelerator: Any) -> None:
    random = processes.gather_states(accelerator)
    if processes.rank(accelerator) == 0:
        checkpoints.save(state, out, settings, random)
    if accelerator is not None:
        accelerator.wait_for_everyone()

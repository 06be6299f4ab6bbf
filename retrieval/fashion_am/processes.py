"""Several processes and lower precision in training, through accelerate; without an accelerator there is one process.

Every process draws the same batches and takes its own share of the rows. torchrun starts the processes, on GPUs and on
CPUs; `accelerate launch --cpu` starts one alone, whatever --num_processes says, unless there is mpirun.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from retrieval.errors import DependencyError, TrainingError

T = TypeVar("T")


def open_accelerator(precision: str = "no") -> Any:
    """accelerate.Accelerator on the device at hand; None for one process on the CPU in full precision.

    precision: "no" or "bf16".
    Raises DependencyError when accelerate is missing, TrainingError when the device lacks the precision.
    """
    if launched() == 1 and precision == "no" and not torch.cuda.is_available():
        return None
    try:
        from accelerate import Accelerator
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    try:
        # Without cpu=True accelerate ignores torchrun on a machine without GPUs.
        return Accelerator(cpu=launched() > 1 and not torch.cuda.is_available(), mixed_precision=precision)
    except ValueError as error:
        raise TrainingError(f"{error}. Use --precision no on this device.") from error


def launched() -> int:
    """How many processes torchrun or `accelerate launch` started; 1 without them."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def n_processes(accelerator: Any = None) -> int:
    return 1 if accelerator is None else int(accelerator.num_processes)


def rank(accelerator: Any = None) -> int:
    return 0 if accelerator is None else int(accelerator.process_index)


def autocast(accelerator: Any = None) -> AbstractContextManager[Any]:
    context: AbstractContextManager[Any] = nullcontext() if accelerator is None else accelerator.autocast()
    return context


def own_share(rows: Sequence[T], accelerator: Any = None) -> Sequence[T]:
    """The rows of this process: neighbours, in order, so that the shares of all ranks in a row are `rows` again."""
    n, k = n_processes(accelerator), rank(accelerator)
    return rows[len(rows) * k // n : len(rows) * (k + 1) // n]


def gather_rows(rows: Tensor, accelerator: Any = None) -> tuple[Tensor, int]:
    """The rows of all processes by rank, however many each has, and the position of this one's first. No gradients.

    Raises TrainingError when a process has none.
    """
    if n_processes(accelerator) == 1:
        return rows, 0
    sizes: list[int] = accelerator.gather(torch.tensor([len(rows)], device=rows.device)).tolist()
    if not min(sizes):
        raise TrainingError(f"A batch of {sum(sizes)} is too small for {len(sizes)} processes: raise --batch.")
    padded = rows.new_zeros((max(sizes), *rows.shape[1:]))
    padded[: len(rows)] = rows
    blocks = accelerator.gather(padded).split(max(sizes))
    all_rows = torch.cat([block[:size] for block, size in zip(blocks, sizes, strict=True)])
    return all_rows, sum(sizes[: rank(accelerator)])


def mean_of(value: float, accelerator: Any = None) -> float:
    """Over processes."""
    if n_processes(accelerator) == 1:
        return value
    return float(accelerator.reduce(torch.tensor(value, device=accelerator.device), reduction="mean"))


def gather_states(accelerator: Any = None) -> list[dict[str, Any]]:
    """The random state of torch of every process, by rank."""
    own = random_state()
    if n_processes(accelerator) == 1:
        return [own]
    from accelerate.utils import gather_object

    states: list[dict[str, Any]] = gather_object([own])
    return states


def random_state() -> dict[str, Any]:
    """Of the CPU and of every GPU."""
    return {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []}


def set_random_state(state: dict[str, Any]) -> None:
    torch.set_rng_state(state["cpu"])
    if state["cuda"]:
        torch.cuda.set_rng_state_all(state["cuda"])


def average_gradients(module: nn.Module, accelerator: Any = None) -> None:
    """Replace each gradient by its mean over processes; where some have none it counts as 0, where all, none comes."""
    if n_processes(accelerator) == 1:
        return
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    present = torch.tensor([parameter.grad is not None for parameter in trained], device=accelerator.device).long()
    for parameter, n_present in zip(trained, accelerator.reduce(present).tolist(), strict=True):
        if n_present:
            own = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
            parameter.grad = accelerator.reduce(own, reduction="mean")


def copy_from_first(module: nn.Module, accelerator: Any = None) -> None:
    """Give every process the parameters and buffers of the first."""
    if n_processes(accelerator) == 1:
        return
    from accelerate.utils import broadcast

    with torch.no_grad():
        for tensor in (*module.parameters(), *module.buffers()):
            tensor.copy_(broadcast(tensor.detach().clone()))

"""Contrastive steps over batches that do not fit in memory: gradient caching (Gao et al. 2021, section 3.2).

The loss needs all representations at once but their graphs one chunk at a time: chunks are encoded without gradients,
the loss gives the gradient of each representation, and each chunk is encoded again to carry its part on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

from retrieval.errors import TrainingError
from retrieval.fashion_am.processes import autocast, gather_rows, n_processes, random_state, set_random_state

T = TypeVar("T")


def grad_cached(
    encode: Callable[[T], Tensor], chunks: Sequence[T], loss: Callable[[Tensor], Tensor], accelerator: Any = None
) -> float:
    """Leave the gradients of loss(all representations) on the parameters and return the loss.

    encode: rows of a chunk as (n, dim); its only randomness is torch's, which is repeated in the second pass, and no
    row depends on others (no batch normalisation). A single chunk is encoded once, with gradients. loss: sees all rows
    as float32, the chunks of all processes by rank, and may have parameters of its own. When the loss is not finite
    nothing is carried back. With several processes the gradients are such that their mean over processes is the
    gradient of the loss (`processes.average_gradients`, which `loop.run` calls).
    Raises TrainingError when a process has no chunk.
    """
    if not chunks:
        raise TrainingError("The batch is smaller than the number of processes: raise --batch.")
    once = len(chunks) == 1
    states, parts = [], []
    with torch.set_grad_enabled(once):
        for chunk in chunks:
            states.append(random_state())
            parts.append(_encoded(encode, chunk, accelerator))
    rows, first = gather_rows(torch.cat(parts).detach(), accelerator)
    rows = rows.clone().requires_grad_()
    value = loss(rows)
    if not math.isfinite(value.item()):
        return float(value.item())
    value.backward()
    carried = rows.grad * n_processes(accelerator)
    carried = carried[first : first + sum(map(len, parts))].split([len(part) for part in parts])
    for chunk, state, part, gradient in zip(chunks, states, parts, carried, strict=True):
        if not once:
            set_random_state(state)
            part = _encoded(encode, chunk, accelerator)
        part.backward(gradient)
    return float(value.item())


def _encoded(encode: Callable[[T], Tensor], chunk: T, accelerator: Any) -> Tensor:
    """Each call has its own autocast: weights that were cast without gradients must not be met again with them."""
    with autocast(accelerator):
        rows = encode(chunk)
    return rows.float()

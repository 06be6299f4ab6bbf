"""Made worlds: unit vectors with planted neighbours and instances of several data sets over them."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from builders.instances import Instance
from retrieval.benchmark import Task

FOLLOWING = (Task.CIR, Task.IN_SHOP, Task.ASFR, Task.COMPATIBLE)


def planted(n: int, dim: int, n_groups: int, spread: float, seed: int = 0) -> NDArray[np.float32]:
    """Shape (n, dim): groups around random directions, so that members of a group are near each other."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_groups, dim))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    vectors = centres[rng.integers(0, n_groups, n)] + spread * rng.normal(size=(n, dim)) / dim**0.5
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def instances_over(n_pictures: int, n_instances: int, seed: int = 0) -> list[Instance]:
    """Instances of eight data sets with single references, and of three that only begin a session."""
    rng = random.Random(seed)
    made = []
    for number in range(n_instances):
        kind = rng.randrange(11)
        reference, target, *rest = rng.sample(range(n_pictures), 70)
        task = FOLLOWING[kind % 4] if kind < 8 else (Task.T2I, Task.SKETCH2IMG, Task.STREET2SHOP)[kind - 8]
        pool = [f"p/{row}" for row in rest]
        made.append(
            Instance(
                instance_id=f"i/{number:05d}",
                task=task,
                dataset=f"set-{kind}",
                text=f"request {number}",
                target=f"p/{target}",
                references=() if task is Task.T2I else (f"p/{reference}",),
                attribute="neckline" if task is Task.ASFR else "",
                positives=(f"p/{target}", *pool[:7]) if task is Task.ASFR else (),
                negatives=tuple(pool[7:57]) if task is Task.ASFR else (),
            )
        )
    return made

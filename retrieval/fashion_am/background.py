"""Stage 1: a picture finds its own garment without the ground (background-agnostic visual alignment).

The picture tower learns to give a raw picture the vector that a frozen copy of it, the anchor, gives the same item
alone on white: on cluttered grounds, on the street, worn, drawn in lines. Equation and constants: the paper's stage 1.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from retrieval.fashion_am import checkpoints, loop, processes, stage_files
from retrieval.fashion_am.clip import ClipScope
from retrieval.fashion_am.gradcache import grad_cached
from retrieval.fashion_am.items import CLEAN
from retrieval.fashion_am.losses import align_loss
from retrieval.fashion_am.towers import Scope
from retrieval.fashion_am.trunk_cache import CachedProducts
from retrieval.fashion_am.vlp import gather


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """Stage 1, size `mini`."""

    epochs: int = 3
    batch: int = 256
    mu: float = 1.0
    """Weight of the pair loss; 0 leaves it out (the paper's ablation)."""
    scope: Scope | ClipScope = "all"
    rate: float = 2e-4
    weight_decay: float = 0.05
    warmup: int = 40
    average: float = 0.99
    drawn: float = 0.15
    """How often the raw picture of an item is a line drawing of it, where it has one."""
    seed: int = 0


class Tower(Protocol):
    """A picture tower that stages 1 and 2 can train: EfficientNet here, CLIP at the paper's size."""

    def embed(self, batch: Any) -> Tensor:
        """Unit vectors (n, dim)."""
        ...

    def parameters_in(self, scope: Any) -> list[nn.Parameter]: ...


class Items(Protocol):
    """Items with their views; `views[CLEAN]` is the item alone on white."""

    def __len__(self) -> int: ...

    def raw_views(self, row: int) -> Sequence[int]: ...

    def drawings(self, row: int) -> Sequence[int]: ...

    def clean_view(self, row: int) -> int: ...

    def inputs(self, rows: Sequence[int], views: Sequence[int]) -> Any:
        """What `Tower.embed` takes, for one view each of some items."""
        ...

    def content(self) -> str:
        """Equal for equal items with equal pictures."""
        ...


class CachedItems:
    """Items of several sources as cached outputs of the frozen trunk."""

    def __init__(self, materials: Sequence[CachedProducts]) -> None:
        self.materials = materials
        self.place = [(s, i) for s, material in enumerate(materials) for i in range(len(material))]
        """Source and position in it of every item."""

    def __len__(self) -> int:
        return len(self.place)

    def raw_views(self, row: int) -> Sequence[int]:
        s, i = self.place[row]
        return self.materials[s].views[i][CLEAN + 1 :]

    def drawings(self, row: int) -> Sequence[int]:
        s, i = self.place[row]
        return self.materials[s].sketches[i]

    def clean_view(self, row: int) -> int:
        s, i = self.place[row]
        return self.materials[s].views[i][CLEAN]

    def inputs(self, rows: Sequence[int], views: Sequence[int]) -> tuple[Tensor, Tensor]:
        return gather(self.materials, [self.place[row][0] for row in rows], views)

    def content(self) -> str:
        return hashlib.sha256("\n".join(material.content() for material in self.materials).encode()).hexdigest()[:16]


class Aligned(nn.Module):
    """The tower that learns, and the temperature, learnt as CLIP's: exp(a), a from log(1/.07), capped at 100."""

    def __init__(self, tower: nn.Module) -> None:
        super().__init__()
        self.tower: Any = tower
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    @property
    def scale(self) -> Tensor:
        return self.log_scale.exp().clamp(max=100)

    def train_only(self, scope: Any, rate: float, weight_decay: float) -> list[dict[str, Any]]:
        """Freezes the rest; the parameter groups of what learns."""
        self.requires_grad_(False)
        trained = [*self.tower.parameters_in(scope), self.log_scale]
        for parameter in trained:
            parameter.requires_grad_(True)
        return loop.groups_of(trained, rate, weight_decay)


def anchors(tower: Tower, items: Items, batch: int = 256) -> Tensor:
    """Vectors of all clean pictures by the tower as it is now, (n, dim)."""
    vectors = []
    with torch.no_grad():
        for at in range(0, len(items), batch):
            rows = range(at, min(at + batch, len(items)))
            vectors.append(tower.embed(items.inputs(rows, [items.clean_view(row) for row in rows])))
    return torch.cat(vectors)


def align(
    tower: nn.Module,
    items: Items,
    settings: AlignSettings,
    out: Path,
    validate: Callable[[Any], Mapping[str, float]] | None = None,
    chunk: int = 0,
    anchor: Tensor | None = None,
    **running: Any,
) -> Any:
    """Train a copy of the tower; returns it. running: `accelerator` and `tensorboard` of `loop.run`.

    anchor: what `anchors(tower, items)` gives, where it is known. chunk: pictures that pass the tower at once, 0 for a
    whole batch; changes memory alone.
    """
    known = anchors(copy.deepcopy(tower).eval(), items) if anchor is None else anchor
    module = Aligned(copy.deepcopy(tower))
    groups = module.train_only(settings.scope, settings.rate, settings.weight_decay)

    def backward(batch: RawBatch) -> float:
        def loss(raw: Tensor) -> Tensor:
            return align_loss(raw, known[batch.rows].to(raw.device), module.scale, settings.mu)

        return cached_step(module.tower, items, batch.rows, batch.views, loss, chunk, running.get("accelerator"))

    schedule = loop.Schedule(settings.epochs, settings.warmup, settings.average, seed=settings.seed)
    made_of = {"stage": "background", **asdict(settings), **trained_on(tower, items)}
    epoch, n_batches = partial(batches, items, settings), len(items) // settings.batch
    trained = loop.run(module, groups, epoch, n_batches, backward, schedule, out, made_of, validate, **running)
    return trained.tower


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Some items and a raw picture of each."""

    rows: list[int]
    views: list[int]


def batches(items: Items, settings: AlignSettings, epoch: int) -> Iterator[RawBatch]:
    """One epoch in an order fixed by seed and epoch; the last short batch is left out."""
    rng = random.Random(f"align/{settings.seed}/{epoch}")
    order = list(range(len(items)))
    rng.shuffle(order)
    for at in range(0, len(order) - settings.batch + 1, settings.batch):
        rows = order[at : at + settings.batch]
        yield RawBatch(rows, [raw_view(items, row, rng, settings.drawn) for row in rows])


def trained_on(tower: nn.Module, items: Items) -> dict[str, str]:
    """What a checkpoint depends on besides settings, under the names that a refusal of another one says."""
    return {"items and their pictures": items.content(), "tower of --start": checkpoints.digest(tower)}


def cached_step(
    tower: Tower,
    items: Items,
    rows: Sequence[int],
    views: Sequence[int],
    loss: Callable[[Tensor], Tensor],
    chunk: int,
    accelerator: Any,
) -> float:
    """Gradients of the loss over all rows, of which this process encodes its share, `chunk` at once."""
    own = processes.own_share(list(zip(rows, views, strict=True)), accelerator)
    size = chunk or max(1, len(own))
    parts = [own[at : at + size] for at in range(0, len(own), size)]

    def encode(part: Sequence[tuple[int, int]]) -> Tensor:
        return tower.embed(items.inputs([row for row, _ in part], [view for _, view in part]))

    return grad_cached(encode, parts, loss, accelerator)


def raw_view(items: Items, row: int, rng: random.Random, drawn: float) -> int:
    """One of an item's pictures by chance."""
    drawings = items.drawings(row)
    return rng.choice(drawings if drawings and rng.random() < drawn else items.raw_views(row))


UNREAD = stage_files.UNREAD


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stage_files.add_arguments(parser)
    parser.add_argument("--mu", type=float, default=AlignSettings().mu, help="weight of the pair loss; %(default)s")
    parser.set_defaults(epochs=AlignSettings().epochs, batch=AlignSettings().batch)


def run(arguments: argparse.Namespace) -> None:
    """Prints the held-out scores; --out holds `picture.safetensors` and its card."""
    base, running = stage_files.at_size(arguments, "background", AlignSettings())
    settings = replace(base, epochs=arguments.epochs, batch=arguments.batch, mu=arguments.mu, seed=arguments.seed)
    tower = stage_files.open_tower(arguments)
    sources = stage_files.open_sources(arguments, tower)
    items = CachedItems(list(sources.items.values()))

    def validate(module: Aligned) -> dict[str, float]:
        return {**sources.scores(module.tower), "clutter cosine": clutter_cosine(module.tower, items, anchor)}

    anchor = anchors(tower, items)
    trained = align(tower, items, settings, arguments.out, validate, anchor=anchor, **running)
    if processes.rank(running.get("accelerator")):
        return
    scores = {**sources.scores(trained), "clutter cosine": clutter_cosine(trained, items, anchor)}
    card = {"stage": "background", "settings": asdict(settings), **sources.described(), "scores": scores}
    stage_files.write_tower(trained, arguments.out, card)
    sys.stdout.write(json.dumps(scores) + "\n")


def clutter_cosine(tower: Tower, items: Items, anchor: Tensor, n: int = 2048) -> float:
    """Mean cosine of raw pictures, one each of n training items, with the anchor's vectors of the clean ones."""
    rng = random.Random("clutter cosine")
    rows = sorted(rng.sample(range(len(items)), min(n, len(items))))
    found = []
    with torch.no_grad():
        for at in range(0, len(rows), 256):
            some = rows[at : at + 256]
            raw = tower.embed(items.inputs(some, [rng.choice(items.raw_views(row)) for row in some]))
            found.append((raw * anchor[some]).sum(1))
    return round(float(torch.cat(found).mean()), 4)

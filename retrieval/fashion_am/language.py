"""Stage 2: a picture finds the text of its garment (item-centric vision-language alignment).

The text tower is frozen, so every text has its vector beforehand; of the picture tower the last blocks learn. One step:
a batch of items, each with one of its raw pictures and either its name or a caption, against each other's texts, and
against many further texts of the data (ours: a frozen text costs nothing but a row of a matrix).
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.errors import TrainingError
from retrieval.fashion_am import loop, processes, stage_files
from retrieval.fashion_am.background import Aligned, CachedItems, Items, cached_step, trained_on
from retrieval.fashion_am.clip import ClipScope
from retrieval.fashion_am.losses import caption_loss
from retrieval.fashion_am.towers import Scope
from retrieval.fashion_am.trunk_cache import CachedProducts
from retrieval.fashion_am.vlp import positives_of


@dataclass(frozen=True, slots=True)
class LanguageSettings:
    """Stage 2, size `mini`."""

    epochs: int = 8
    batch: int = 384
    scope: Scope | ClipScope = "all"
    """Everything behind the frozen trunk; the paper's last two blocks hold less here."""
    name_share: float = 0.6
    """How often an item with a name is paired with it rather than with a caption."""
    other_texts: int = 8192
    """Further texts a step that are negatives of the pictures."""
    swaps: int = 4
    """Captions an item with another kind or another colour in its place; two of them a step are among the negatives."""
    clean: float = 0.1
    """How often the clean picture stands for a raw one."""
    drawn: float = 0.1
    rate: float = 3e-4
    weight_decay: float = 0.05
    warmup: int = 40
    average: float = 0.995
    seed: int = 0


class Texts:
    """All texts of the items with their frozen vectors, and which of them fit which item."""

    def __init__(
        self, materials: Sequence[CachedProducts], encode: Callable[[Sequence[str]], Tensor], n_swaps: int = 0
    ) -> None:
        rows = [(s, i) for s, material in enumerate(materials) for i in range(len(material))]
        self.names = [materials[s].names[i] for s, i in rows]
        self.captions = [materials[s].captions[i] for s, i in rows]
        self.drawn = [materials[s].sketch_captions[i] for s, i in rows]
        self.same = [f"{s}/{materials[s].same[i]}" for s, i in rows]
        swapped = swapped_captions(self.same, [captions[0] for captions in self.captions], n_swaps)
        self.swaps = [[text for _, text in some] for some in swapped]
        said = (*self.captions, *self.drawn, *self.swaps)
        self.texts = sorted({*self.names, *(text for some in said for text in some)} - {""})
        self.row = {text: row for row, text in enumerate(self.texts)}
        self.vectors = encode(self.texts)
        fitting: dict[str, set[int]] = {}
        for same, captions in zip(self.same, self.captions, strict=True):
            fitting.setdefault(same, set()).update(self.row[text] for text in captions)
        for same, text in (each for some in swapped for each in some):
            if same in fitting:
                fitting[same].add(self.row[text])
        self._fitting = {same: np.array(sorted(texts)) for same, texts in fitting.items()}

    def masked(self, rows: Sequence[int], others: Sequence[int]) -> Tensor:
        """(len(rows), len(others)) bool: text `others[j]` is a name or caption that fits item `rows[i]` too."""
        place = np.full(len(self.texts), -1)
        place[others] = np.arange(len(others))
        masked = np.zeros((len(rows), len(others)), bool)
        for i, row in enumerate(rows):
            own = [self.row[text] for text in (self.names[row], *self.drawn[row]) if text]
            found = place[np.concatenate([self._fitting[self.same[row]], np.array(own, int)])]
            masked[i, found[found >= 0]] = True
        return torch.from_numpy(masked)

    def content(self) -> str:
        """Equal for equal texts with equal vectors."""
        digest = hashlib.sha256("\n".join(self.texts).encode())
        digest.update(self.vectors.cpu().numpy().tobytes())
        return digest.hexdigest()[:16]


def swapped_captions(same: Sequence[str], captions: Sequence[str], n: int) -> list[list[tuple[str, str]]]:
    """For each item n captions that do not fit it, with the `same` that they fit: in turn another kind, another colour.

    same: "source/kind/colour/gender"; items whose `same` is of another form, or is not in the caption, get none.
    """
    parts = [key.split("/") for key in same]
    kinds, colours = ([p[i] for p in parts if len(p) == 4] for i in (1, 2))
    swapped: list[list[tuple[str, str]]] = []
    for row, (part, caption) in enumerate(zip(parts, captions, strict=True)):
        head = f"{part[2]} {part[1]}".lower() if len(part) == 4 else ""
        made: list[tuple[str, str]] = []
        rng = random.Random(f"swap/{row}")
        for i in range(n if head and caption.startswith(head) else 0):
            kind, colour = (rng.choice(kinds), part[2]) if i % 2 == 0 else (part[1], rng.choice(colours))
            if (kind, colour) != (part[1], part[2]):
                text = caption.replace(head, f"{colour} {kind}".lower(), 1)
                made.append(("/".join((part[0], kind, colour, part[3])), text))
        swapped.append(made)
    return swapped


@dataclass(frozen=True, slots=True)
class CaptionBatch:
    rows: list[int]
    views: list[int]
    texts: list[int]
    positives: Tensor
    others: list[int]
    masked: Tensor


def batches(items: Items, texts: Texts, settings: LanguageSettings, epoch: int) -> Iterator[CaptionBatch]:
    """One epoch in an order fixed by seed and epoch; the last short batch is left out."""
    rng = random.Random(f"language/{settings.seed}/{epoch}")
    order = list(range(len(items)))
    rng.shuffle(order)
    for at in range(0, len(order) - settings.batch + 1, settings.batch):
        yield make_batch(items, texts, settings, order[at : at + settings.batch], rng)


def make_batch(
    items: Items, texts: Texts, settings: LanguageSettings, rows: list[int], rng: random.Random
) -> CaptionBatch:
    views, said, is_name = [], [], []
    for row in rows:
        drawings, chance = items.drawings(row), rng.random()
        is_drawn = bool(drawings) and chance < settings.drawn
        is_clean = not is_drawn and chance > 1 - settings.clean
        named = not is_drawn and bool(texts.names[row]) and rng.random() < settings.name_share
        captions = texts.drawn[row] if is_drawn and texts.drawn[row] else texts.captions[row]
        views.append(
            rng.choice(drawings)
            if is_drawn
            else items.clean_view(row)
            if is_clean
            else rng.choice(items.raw_views(row))
        )
        said.append(texts.names[row] if named else rng.choice(captions))
        is_name.append(named)
    drawn = rng.sample(range(len(texts.texts)), min(settings.other_texts, len(texts.texts)))
    swaps = [texts.row[text] for row in rows for text in rng.sample(texts.swaps[row], min(2, len(texts.swaps[row])))]
    others = list(dict.fromkeys([*drawn, *swaps]))
    return CaptionBatch(
        rows=rows,
        views=views,
        texts=[texts.row[text] for text in said],
        positives=positives_of(said, is_name, [texts.same[row] for row in rows]),
        others=others,
        masked=texts.masked(rows, others),
    )


def adapt(
    tower: nn.Module,
    items: Items,
    texts: Texts,
    settings: LanguageSettings,
    out: Path,
    validate: Callable[[Any], Mapping[str, float]] | None = None,
    chunk: int = 0,
    **running: Any,
) -> Any:
    """Train a copy of the tower; returns it. running: `accelerator` and `tensorboard` of `loop.run`.

    chunk: pictures that pass the tower at once, 0 for a whole batch; changes memory alone.
    """
    module = Aligned(copy.deepcopy(tower))
    groups = module.train_only(settings.scope, settings.rate, settings.weight_decay)

    def backward(batch: CaptionBatch) -> float:
        def loss(pictures: Tensor) -> Tensor:
            own = texts_of(batch, texts, module.tower, settings)
            beside = (own, batch.positives, texts.vectors[batch.others], batch.masked)
            said, positives, others, masked = (each.to(pictures.device) for each in beside)
            return caption_loss(pictures, said, positives, others, masked, module.scale)

        return cached_step(module.tower, items, batch.rows, batch.views, loss, chunk, running.get("accelerator"))

    schedule = loop.Schedule(settings.epochs, settings.warmup, settings.average, seed=settings.seed)
    made_of = {"stage": "language", **asdict(settings), **trained_on(tower, items), "texts": texts.content()}
    epoch, n_batches = partial(batches, items, texts, settings), len(items) // settings.batch
    trained = loop.run(module, groups, epoch, n_batches, backward, schedule, out, made_of, validate, **running)
    return trained.tower


def texts_of(batch: CaptionBatch, texts: Texts, tower: Any, settings: LanguageSettings) -> Tensor:
    """Vectors of a batch's own texts, (n, dim): of the frozen text tower, or of the one that learns too."""
    if settings.scope.endswith("+text"):
        vectors: Tensor = tower.encode_texts([texts.texts[i] for i in batch.texts])
        return vectors
    return texts.vectors[batch.texts]


UNREAD = stage_files.UNREAD


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stage_files.add_arguments(parser)
    parser.add_argument(
        "--scope", choices=["last1", "last2", "last3", "all", "last2+text"], default=LanguageSettings().scope,
        help="blocks that learn; %(default)s; last2+text: of CLIP alone",
    )  # fmt: skip
    parser.set_defaults(epochs=LanguageSettings().epochs, batch=LanguageSettings().batch)


def run(arguments: argparse.Namespace) -> None:
    """Prints the held-out scores; --out holds `picture.safetensors` and its card."""
    base, running = stage_files.at_size(arguments, "language", LanguageSettings())
    if arguments.size == "mini" and arguments.scope.endswith("+text"):
        raise TrainingError(
            f"--scope {arguments.scope} trains the text tower of a CLIP as well: it needs --size paper."
        )
    settings = replace(base, epochs=arguments.epochs, batch=arguments.batch, scope=arguments.scope, seed=arguments.seed)
    tower = stage_files.open_tower(arguments)
    sources = stage_files.open_sources(arguments, tower, uncut=True)
    materials = list(sources.items.values())
    items, texts = CachedItems(materials), Texts(materials, sources.encode, settings.swaps)

    def validate(module: Aligned) -> dict[str, float]:
        return sources.scores(module.tower)

    trained = adapt(tower, items, texts, settings, arguments.out, validate, **running)
    if processes.rank(running.get("accelerator")):
        return
    scores = sources.scores(trained)
    card = {"stage": "language", "settings": asdict(settings), **sources.described(), "scores": scores}
    stage_files.write_tower(trained, arguments.out, card)
    sys.stdout.write(json.dumps(scores) + "\n")

"""Contrastive pre-training of the two towers (stage `vlp`): pictures with names and attribute captions.

One step: a batch of products, each with one of its views and either its name or a caption, and the line drawings of
some of them. The loss is the symmetric contrastive loss of the batch plus a third of the drawings' own losses, against
their products and against colour-free captions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.fashion_am import loop
from retrieval.fashion_am.loop import Schedule
from retrieval.fashion_am.losses import multi_positive_loss
from retrieval.fashion_am.texts import TextBank
from retrieval.fashion_am.towers import TRUNK_BLOCKS, PictureTower, TextTower
from retrieval.fashion_am.trunk_cache import CachedProducts


@dataclass(frozen=True, slots=True)
class VlpSettings:
    """Everything that changes the weights besides the data.

    Expected: 16 minutes on two cores to cache features and texts once, then 61 minutes on one core for 8 epochs (888
    steps) over 42,813 products; success@10 of names .799 on the 4,060 held-out products, colour precision@10 .659.
    """

    dim: int = 256
    epochs: int = 8
    batch: int = 384
    sketches: int = 40
    """Line drawings a step, at most."""
    sketch_weight: float = 0.3
    name_share: float = 0.6
    """How often a product with a name is paired with it rather than with a caption."""
    head_rate: float = 1e-3
    picture_rate: float = 3e-4
    text_rate: float = 1e-4
    weight_decay: float = 0.05
    warmup: int = 60
    average: float = 0.995
    """Decay of the running average of the weights, which is what is evaluated and exported."""
    seed: int = 0
    save_every: int = 50


class VlpTowers(nn.Module):
    """Both towers and the temperature."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.picture = PictureTower(dim)
        self.text = TextTower(dim)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    @property
    def scale(self) -> Tensor:
        return self.log_scale.exp().clamp(max=100)

    def freeze_trunks(self) -> None:
        trained = [*self.picture.blocks[TRUNK_BLOCKS:], self.picture.last, self.picture.head]
        trained += [self.text.tuned, self.text.head]
        self.requires_grad_(False)
        for module in trained:
            module.requires_grad_(True)
        self.log_scale.requires_grad_(True)

    def parameter_groups(self, settings: VlpSettings) -> list[dict[str, Any]]:
        """Heads and the temperature learn fastest."""
        rates: dict[float, list[nn.Parameter]] = {}
        for name, parameter in self.named_parameters():
            if not parameter.requires_grad:
                continue
            rate = settings.picture_rate if name.startswith("picture") else settings.text_rate
            rate = settings.head_rate if "head" in name or name == "log_scale" else rate
            rates.setdefault(rate, []).append(parameter)
        return [group for rate, some in rates.items() for group in loop.groups_of(some, rate, settings.weight_decay)]


@dataclass(frozen=True, slots=True)
class Batch:
    """Positions of one step's views and its texts."""

    sources: list[int]
    views: list[int]
    texts: list[str]
    positives: Tensor
    """(n, n) bool: product i and text j belong together."""
    sketch_of: list[int]
    """Row of the product of each drawing."""
    sketch_sources: list[int]
    sketch_views: list[int]
    sketch_texts: list[str]


def batches(materials: Sequence[CachedProducts], settings: VlpSettings, epoch: int) -> Iterator[Batch]:
    """One epoch in an order fixed by seed and epoch; the last short batch is left out."""
    rng = random.Random(f"{settings.seed}/{epoch}")
    order = [(s, i) for s, material in enumerate(materials) for i in range(len(material))]
    rng.shuffle(order)
    for at in range(0, len(order) - settings.batch + 1, settings.batch):
        yield make_batch(materials, order[at : at + settings.batch], settings, rng)


def make_batch(
    materials: Sequence[CachedProducts], rows: Sequence[tuple[int, int]], settings: VlpSettings, rng: random.Random
) -> Batch:
    views, texts, is_name, same = [], [], [], []
    for s, i in rows:
        material = materials[s]
        views.append(rng.choice(material.views[i]))
        named = bool(material.names[i]) and rng.random() < settings.name_share
        texts.append(material.names[i] if named else rng.choice(material.captions[i]))
        is_name.append(named)
        same.append(material.same[i])
    drawn = [r for r, (s, i) in enumerate(rows) if materials[s].sketches[i]]
    drawn = sorted(rng.sample(drawn, min(settings.sketches, len(drawn))))
    return Batch(
        sources=[s for s, _ in rows],
        views=views,
        texts=texts,
        positives=positives_of(texts, is_name, same),
        sketch_of=drawn,
        sketch_sources=[rows[r][0] for r in drawn],
        sketch_views=[rng.choice(materials[rows[r][0]].sketches[rows[r][1]]) for r in drawn],
        sketch_texts=[rng.choice(materials[rows[r][0]].sketch_captions[rows[r][1]]) for r in drawn],
    )


def positives_of(texts: Sequence[str], is_name: Sequence[bool], same: Sequence[str]) -> Tensor:
    """(n, n) bool. Equal texts are positives; a caption also fits every product with the same attributes."""
    _, text = np.unique(np.array(texts), return_inverse=True)
    _, group = np.unique(np.array(same), return_inverse=True)
    equal_text = text[:, None] == text[None]
    equal_group = (group[:, None] == group[None]) & ~np.array(is_name)[None]
    return torch.from_numpy(equal_text | equal_group | np.eye(len(texts), dtype=bool))


def gather(materials: Sequence[CachedProducts], sources: Sequence[int], views: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Cached trunk outputs of some views: features (n, 112, h, w) and low (n, 40), float32."""
    features = np.stack([materials[s].features[v] for s, v in zip(sources, views, strict=True)])
    low = np.stack([materials[s].low[v] for s, v in zip(sources, views, strict=True)])
    fast = torch.from_numpy(features).float().contiguous(memory_format=torch.channels_last)
    return fast, torch.from_numpy(low)


def step_loss(
    towers: VlpTowers, materials: Sequence[CachedProducts], bank: TextBank, batch: Batch, settings: VlpSettings
) -> Tensor:
    n = len(batch.views)
    features = gather(materials, [*batch.sources, *batch.sketch_sources], [*batch.views, *batch.sketch_views])
    pictures = towers.picture.tail(*features)
    texts = text_vectors(towers.text, bank, [*batch.texts, *batch.sketch_texts])
    products, sketches = pictures[:n], pictures[n:]
    loss = multi_positive_loss(towers.scale * products @ texts[:n].T, batch.positives)
    if len(batch.sketch_of) > 1:
        own = torch.eye(len(batch.sketch_of), dtype=torch.bool)
        equal = positives_of(batch.sketch_texts, [True] * len(own), batch.sketch_texts)
        to_products = multi_positive_loss(towers.scale * sketches @ products[batch.sketch_of].T, own)
        to_texts = multi_positive_loss(towers.scale * sketches @ texts[n:].T, equal)
        loss = loss + settings.sketch_weight * (to_products + to_texts)
    return loss


def text_vectors(tower: TextTower, bank: TextBank, texts: Sequence[str], n_groups: int = 6) -> Tensor:
    """Unit vectors (n, dim) in the order of `texts`; encoded in groups of like length, which halves the padding."""
    order = sorted(range(len(texts)), key=lambda i: bank.length(texts[i]))
    size = -(-len(order) // n_groups)
    groups = [order[at : at + size] for at in range(0, len(order), size)]
    vectors = torch.cat([tower.tail(*bank.batch([texts[i] for i in group])) for group in groups])
    return vectors[torch.tensor(order).argsort()]


def train(
    towers: VlpTowers,
    materials: Sequence[CachedProducts],
    bank: TextBank,
    settings: VlpSettings,
    out: Path,
    validate: Callable[[VlpTowers], Mapping[str, float]] | None = None,
    tensorboard: bool = False,
) -> VlpTowers:
    """Train as `loop.run` does; returns the averaged weights."""
    towers.freeze_trunks()

    def backward(batch: Batch) -> float:
        loss = step_loss(towers, materials, bank, batch, settings)
        loss.backward()
        return float(loss.item())

    trained: VlpTowers = loop.run(
        towers,
        towers.parameter_groups(settings),
        lambda epoch: batches(materials, settings, epoch),
        sum(map(len, materials)) // settings.batch,
        backward,
        Schedule(
            settings.epochs, settings.warmup, settings.average, save_every=settings.save_every, seed=settings.seed
        ),
        out,
        asdict(settings),
        validate,
        tensorboard=tensorboard,
    )
    return trained


def name_success(
    pictures: Tensor, texts: Tensor, names: Sequence[str], cutoffs: Sequence[int] = (1, 5, 10)
) -> dict[str, float]:
    """Share of queries with a product of the same name in the top k, on one small gallery, for watching a run only."""
    _, name = np.unique(np.array(names), return_inverse=True)
    name_ids = torch.from_numpy(name)
    top = (texts @ pictures.T).topk(max(cutoffs), dim=1).indices
    found = name_ids[top] == name_ids[:, None]
    return {f"success@{k}": round(found[:, :k].any(1).float().mean().item(), 4) for k in cutoffs}


def embed_views(picture: PictureTower, material: CachedProducts) -> Tensor:
    """First view of every product through the tail: (n, dim)."""
    out = []
    with torch.no_grad():
        for at in range(0, len(material), 256):
            views = [v[0] for v in material.views[at : at + 256]]
            out.append(picture.embed(gather([material], [0] * len(views), views)).cpu())
    return torch.cat(out)


def embed_texts(towers: VlpTowers, bank: TextBank, texts: Sequence[str]) -> Tensor:
    """(n, dim), without gradients."""
    with torch.no_grad():
        return text_vectors(towers.text, bank, texts, n_groups=max(1, len(texts) // 256))

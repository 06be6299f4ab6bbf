"""RQ-VAE over product vectors: an encoder, residual quantisers, a decoder of their sum; the exclusivity loss beside.

`r_0 = enc(x)`, `c_l = argmin_k |r_l - e_k|`, `r_{l+1} = r_l - e_{c_l}`; the sum of the codes' vectors is decoded. The
codes' vectors follow moving averages of what is given to them, in place of a codebook loss. Errors are sums over
dimensions, means over products.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from vector_quantize_pytorch import VectorQuantize

from builders.fashion_rq.exclusivity import exclusivity_loss
from builders.fashion_rq.hierarchy_settings import HierarchySettings
from builders.folders import partial_of
from retrieval.errors import TrainingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings

    Codes = NDArray[np.int64]

log = logging.getLogger(__name__)

KMEANS_ITERATIONS = 20
ENCODED_AT_ONCE = 4096
Watch = Callable[[list[dict[str, Any]], "Codes", float], dict[str, Any]]
"""What was kept of the epochs before, codes and mean squared error of the whole catalogue -> what is kept of this."""


class RQVAE(nn.Module):
    def __init__(self, dim: int, settings: HierarchySettings) -> None:
        super().__init__()
        sizes = (dim, *settings.hidden, settings.latent)
        self.encoder = _layers(sizes)
        self.decoder = _layers(sizes[::-1])
        # One quantiser a level, not the library's residual stack: the loss needs each level's sum with its gradient.
        self.quantisers = nn.ModuleList(_quantiser(settings) for _ in settings.levels)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """x (n, dim) -> reconstruction (n, dim), codes (n, n_levels), cumulative quantised vectors (n_levels, n,
        latent) and the commitment loss times beta (0 unless in training)."""
        residual = self.encoder(x)[None]
        reached = torch.zeros_like(residual)
        commitment = x.new_zeros(())
        codes, levels = [], []
        for quantiser in self.quantisers:
            quantised, code, loss = quantiser(residual)
            residual = residual - quantised.detach()
            reached = reached + quantised
            commitment = commitment + loss.sum()
            codes.append(code[0])
            levels.append(reached[0])
        return self.decoder(reached[0]), torch.stack(codes, 1), torch.stack(levels), commitment

    def is_started(self) -> bool:
        """Whether k-means has placed the codes; the flags are among the weights."""
        return all(bool(quantiser._codebook.initted) for quantiser in self.quantisers)


@dataclass(slots=True)
class _State:
    model: RQVAE
    optimiser: torch.optim.Optimizer
    history: list[dict[str, Any]]
    """What `Watch` made of each epoch so far."""

    def save(self, path: Path) -> None:
        held = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "history": self.history,
            "random": torch.get_rng_state(),
        }
        torch.save(held, partial_of(path))
        partial_of(path).replace(path)

    def load(self, path: Path) -> None:
        """Raises TrainingError for a damaged checkpoint."""
        try:
            held = torch.load(path, weights_only=True)
            self.model.load_state_dict(held["model"])
            self.optimiser.load_state_dict(held["optimiser"])
            self.history = held["history"]
            torch.set_rng_state(held["random"])
        except (RuntimeError, KeyError, ValueError, EOFError, OSError, pickle.UnpicklingError) as error:
            raise TrainingError(f"{path} is damaged ({error}): delete it, and the training starts again.") from error


def train(
    vectors: Embeddings, tuples: Codes, settings: HierarchySettings, checkpoint: Path, watch: Watch, *, progress: bool
) -> Codes:
    """vectors (n, dim), tuples (n, n_levels): number of the attribute tuple by level -> codes (n, n_levels).

    Goes on from `checkpoint`, which belongs to these vectors and settings, with the same result as in one run. Raises
    TrainingError for a codebook larger than the catalogue, a damaged checkpoint and a loss that is no number.
    """
    from tqdm import tqdm

    settings.check(len(vectors))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        model = RQVAE(vectors.shape[1], settings)
        state = _State(model, torch.optim.AdamW(model.parameters(), lr=settings.rate), [])
        if checkpoint.exists():
            state.load(checkpoint)
        epochs = range(len(state.history), settings.epochs)
        for epoch in tqdm(epochs, unit="epoch", desc="Hierarchy", disable=not progress or not epochs):
            if not model.is_started():
                _warm_up(state, vectors, settings)
                _start(model, vectors, settings)
            _one_epoch(state, vectors, tuples, settings, epoch)
            codes, error = encode(model, vectors)
            state.history.append(watch(state.history, codes, error))
            state.save(checkpoint)
        return encode(model, vectors)[0]


def encode(model: RQVAE, vectors: Embeddings) -> tuple[Codes, float]:
    """Codes (n, n_levels) and the mean squared error of the reconstruction."""
    model.eval()
    codes, errors = [], 0.0
    with torch.no_grad():
        for x in _batches(vectors, np.arange(len(vectors)), ENCODED_AT_ONCE):
            rebuilt, code, _, _ = model(x)
            codes.append(code.numpy())
            errors += float(_error(rebuilt, x).sum())
    return np.concatenate(codes).astype(np.int64), errors / len(vectors)


def _warm_up(state: _State, vectors: Embeddings, settings: HierarchySettings) -> None:
    """Encoder and decoder alone: k-means on what an untrained encoder gives leaves most codes dead for many epochs."""
    rng = np.random.default_rng(settings.seed)
    state.model.train()
    for _ in range(settings.warm_steps):
        x = next(_batches(vectors, rng.choice(len(vectors), min(settings.batch, len(vectors)), False), settings.batch))
        _step(state, _error(state.model.decoder(state.model.encoder(x)), x).mean(), settings)


def _start(model: RQVAE, vectors: Embeddings, settings: HierarchySettings) -> None:
    """k-means on a sample, level by level: the quantisers do it on the first vectors that they see in training."""
    rows = np.random.default_rng(settings.seed).permutation(len(vectors))[: settings.start_sample]
    model.train()
    with torch.no_grad():
        model(torch.from_numpy(np.ascontiguousarray(vectors[np.sort(rows)])))


def _one_epoch(state: _State, vectors: Embeddings, tuples: Codes, settings: HierarchySettings, epoch: int) -> None:
    order = np.random.default_rng((settings.seed, epoch)).permutation(len(vectors))
    keys = torch.from_numpy(tuples[order])
    state.model.train()
    for number, x in enumerate(_batches(vectors, order, settings.batch)):
        rebuilt, _, levels, commitment = state.model(x)
        loss = _error(rebuilt, x).mean() + commitment
        if settings.exclusivity:
            own = keys[number * settings.batch : (number + 1) * settings.batch]
            loss = loss + settings.exclusivity * exclusivity_loss(levels, own, settings.temperature)
        _step(state, loss, settings)


def _step(state: _State, loss: Tensor, settings: HierarchySettings) -> None:
    if not bool(torch.isfinite(loss)):
        raise TrainingError(
            f"The loss of epoch {len(state.history) + 1} is no number: the vectors hold values that are none, or the "
            f"learning rate {settings.rate:g} is too high."
        )
    state.optimiser.zero_grad()
    loss.backward()
    state.optimiser.step()


def _batches(vectors: Embeddings, rows: NDArray[np.int64], size: int) -> Iterator[Tensor]:
    for start in range(0, len(rows), size):
        yield torch.from_numpy(np.array(vectors[rows[start : start + size]], np.float32))


def _error(rebuilt: Tensor, x: Tensor) -> Tensor:
    return (rebuilt - x).square().sum(1)


def _layers(sizes: tuple[int, ...]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for inner, outer in pairwise(sizes):
        layers += [nn.Linear(inner, outer), nn.GELU()]
    return nn.Sequential(*layers[:-1])


def _quantiser(settings: HierarchySettings) -> VectorQuantize:
    return VectorQuantize(
        dim=settings.latent,
        codebook_size=settings.codebook,
        decay=settings.decay,
        kmeans_init=True,
        kmeans_iters=KMEANS_ITERATIONS,
        threshold_ema_dead_code=settings.dead_share * settings.batch / settings.codebook,
        # The library's commitment is a mean over dimensions; the reconstruction beside it is a sum.
        commitment_weight=settings.beta * settings.latent,
        rotation_trick=settings.estimator == "rotation",
    )

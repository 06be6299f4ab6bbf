"""The settings of the hierarchy; without torch, so that a finished one is read everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.errors import TrainingError

Estimator = Literal["straight_through", "rotation"]


@dataclass(frozen=True, slots=True)
class HierarchySettings:
    """What the paper does not give is ours."""

    codebook: int = 64
    """Codes a level: 64, 128 or 256 (Tables 5 and 6)."""
    levels: tuple[tuple[str, ...], ...] = (
        ("product_type",),
        ("product_type", "gender", "colour"),
        ("product_type", "gender", "colour", "occasion", "season"),
    )
    """The attributes that the exclusivity loss holds together on each level, the tuple finer by level (ours)."""
    latent: int = 64
    hidden: tuple[int, ...] = (256,)
    beta: float = 0.25
    """Of the commitment."""
    exclusivity: float = 0.5
    """Weight of the attribute exclusivity loss; 0 leaves it out."""
    temperature: float = 0.1
    estimator: Estimator = "straight_through"
    decay: float = 0.95
    """Of the codes' moving averages, which stand for the codebook loss."""
    dead_share: float = 0.05
    """A code with less than this share of a uniform use is dead and is placed anew on a product of the batch."""
    epochs: int = 20
    batch: int = 1024
    rate: float = 1e-3
    warm_steps: int = 100
    """Of encoder and decoder alone, before k-means places the codes."""
    start_sample: int = 16384
    """Products that k-means starts the codebooks on."""
    seed: int = 0

    def check(self, n_products: int) -> None:
        """Raises TrainingError for a codebook larger than the catalogue."""
        if self.codebook > n_products:
            raise TrainingError(
                f"A codebook of {self.codebook} codes is larger than the catalogue of {n_products} products: choose a "
                "smaller one."
            )

"""The two towers of the joint space: EfficientNet-Lite0 for pictures, all-MiniLM-L6-v2 for text.

Batch normalisation is folded into the convolutions when the ImageNet weights are loaded: the statistics are then
frozen, a training step is faster, and a vector does not depend on the other pictures of its batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

PICTURE_MEAN, PICTURE_STD = 127.0, 128.0
"""EfficientNet-Lite's own scaling of 0..255 pixels."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of EfficientNet: `repeats` inverted residual blocks, the first with `stride`."""

    kernel: int
    stride: int
    expand: int
    width: int
    repeats: int


STAGES = (
    Stage(3, 1, 1, 16, 1),
    Stage(3, 2, 6, 24, 2),
    Stage(5, 2, 6, 40, 2),
    Stage(3, 2, 6, 80, 3),
    Stage(5, 1, 6, 112, 3),
    Stage(5, 2, 6, 192, 4),
    Stage(3, 1, 6, 320, 1),
)
"""EfficientNet-Lite0 (Tan and Le 2019, table 1, without squeeze-and-excitation, with ReLU6)."""
STEM_WIDTH, LAST_WIDTH = 32, 1280
TRUNK_BLOCKS = 11
"""Blocks 0..10 (stem to stage 5) are the frozen trunk, whose outputs are cached; blocks 11..15 are trained."""
Scope = Literal["all", "last1", "last2", "last3"]
"""How much of a picture tower a stage trains (the paper's Table 9)."""
LOW_BLOCK = 4
"""Block whose pooled channels (40, stride 8) reach the head directly: colour and texture survive there."""


class SameConv(nn.Conv2d):
    """Convolution with TensorFlow's SAME padding, which is asymmetric at stride 2."""

    def forward(self, x: Tensor) -> Tensor:
        k, s = self.kernel_size[0], self.stride[0]
        high, wide = (max((-(-n // s) - 1) * s + k - n, 0) for n in x.shape[-2:])
        if high or wide:
            x = F.pad(x, (wide // 2, wide - wide // 2, high // 2, high - high // 2))
        return F.conv2d(x, self.weight, self.bias, self.stride, 0, 1, self.groups)


class Block(nn.Module):
    """Inverted residual: 1x1 expansion, depthwise, 1x1 projection; (n, c_in, h, w) -> (n, c_out, h', w')."""

    def __init__(self, c_in: int, c_out: int, kernel: int, stride: int, expand: int) -> None:
        super().__init__()
        hidden = c_in * expand
        self.expand = SameConv(c_in, hidden, 1) if expand != 1 else None
        self.depthwise = SameConv(hidden, hidden, kernel, stride, groups=hidden)
        self.project = SameConv(hidden, c_out, 1)
        self.residual = stride == 1 and c_in == c_out

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu6(self.expand(x)) if self.expand is not None else x
        y = self.project(F.relu6(self.depthwise(y)))
        return x + y if self.residual else y


class PictureTower(nn.Module):
    """Pixels to a unit vector: trunk (frozen) -> tail (trained) -> head.

    The head reads the pooled last features (1280) and the pooled channels of two earlier depths (112 and 40).
    """

    def __init__(self, dim: int, hidden: int = 1024, dropout: float = 0.2) -> None:
        super().__init__()
        self.stem = SameConv(3, STEM_WIDTH, 3, 2)
        blocks: list[Block] = []
        width = STEM_WIDTH
        for stage in STAGES:
            for i in range(stage.repeats):
                blocks.append(Block(width, stage.width, stage.kernel, stage.stride if i == 0 else 1, stage.expand))
                width = stage.width
        self.blocks = nn.ModuleList(blocks)
        self.last = SameConv(width, LAST_WIDTH, 1)
        pooled = LAST_WIDTH + STAGES[4].width + STAGES[2].width
        self.head = Head(pooled, hidden, dim, dropout)

    def trunk(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """uint8 or float pixels 0..255, (n, 3, h, w) -> features (n, 112, h/16, w/16) and pooled low ones (n, 40)."""
        x = F.relu6(self.stem((pixels.float() - PICTURE_MEAN) / PICTURE_STD))
        low = x
        for i, block in enumerate(self.blocks[:TRUNK_BLOCKS]):
            x = block(x)
            if i == LOW_BLOCK:
                low = x
        return x, low.mean((2, 3))

    def tail(self, features: Tensor, low: Tensor) -> Tensor:
        """The trunk's two outputs -> unit vectors (n, dim)."""
        x = features
        for block in self.blocks[TRUNK_BLOCKS:]:
            x = block(x)
        x = F.relu6(self.last(x)).mean((2, 3))
        return F.normalize(self.head(torch.cat([x, features.mean((2, 3)), low], 1)), dim=1)

    def embed(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        """What stages 1 and 2 train: the trunk's two outputs -> unit vectors (n, dim)."""
        return self.tail(*batch)

    def parameters_in(self, scope: Scope) -> list[nn.Parameter]:
        """What a stage trains: all behind the frozen trunk, or the last one, two or three blocks with what follows."""
        n_blocks = {"all": len(self.blocks) - TRUNK_BLOCKS, "last1": 1, "last2": 2, "last3": 3}[scope]
        modules = [*self.blocks[-n_blocks:], self.last, self.head]
        return [parameter for module in modules for parameter in module.parameters()]

    def forward(self, pixels: Tensor) -> Tensor:
        return self.tail(*self.trunk(pixels))


class Head(nn.Module):
    """LayerNorm, then a linear map plus a two-layer one beside it: (n, c_in) -> (n, dim)."""

    def __init__(self, c_in: int, hidden: int, dim: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(c_in)
        self.linear = nn.Linear(c_in, dim)
        self.up = nn.Linear(c_in, hidden)
        self.down = nn.Linear(hidden, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.dropout(self.norm(x))
        return self.linear(x) + self.down(self.dropout(F.gelu(self.up(x))))


class TextLayer(nn.Module):
    """One BERT layer (post-norm): (n, t, 384) with a mask (n, t) of True for real tokens."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.attended = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        n, t, width = x.shape
        q, k, v = (f(x).view(n, t, self.heads, -1).transpose(1, 2) for f in (self.query, self.key, self.value))
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        x = self.norm1(x + self.attended(a.transpose(1, 2).reshape(n, t, width)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


TEXT_WIDTH, TEXT_LAYERS, TEXT_HEADS, TEXT_INNER, TEXT_VOCABULARY, TEXT_POSITIONS = 384, 6, 12, 1536, 30522, 512
TUNED_LAYERS = 2
"""The last two layers exist twice: as they came (sentence space, for intents) and tuned (joint space)."""


class TextTower(nn.Module):
    """Token ids to a unit vector of the joint space, and to the sentence vector of the original model beside it."""

    def __init__(self, dim: int, hidden: int = 768, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(TEXT_VOCABULARY, TEXT_WIDTH)
        self.positions = nn.Embedding(TEXT_POSITIONS, TEXT_WIDTH)
        self.kind = nn.Parameter(torch.zeros(TEXT_WIDTH))
        self.norm = nn.LayerNorm(TEXT_WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(TextLayer(TEXT_WIDTH, TEXT_HEADS, TEXT_INNER) for _ in range(TEXT_LAYERS))
        self.tuned = nn.ModuleList(TextLayer(TEXT_WIDTH, TEXT_HEADS, TEXT_INNER) for _ in range(TUNED_LAYERS))
        self.head = Head(2 * TEXT_WIDTH, hidden, dim, dropout)

    def trunk(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Token ids and mask, both (n, t) -> hidden states (n, t, 384) below the tuned layers."""
        x = self.norm(self.words(ids) + self.positions.weight[: ids.shape[1]] + self.kind)
        for layer in self.layers[:-TUNED_LAYERS]:
            x = layer(x, mask)
        return x

    def tail(self, states: Tensor, mask: Tensor) -> Tensor:
        """Hidden states of the trunk -> unit vectors (n, dim)."""
        x = states
        for layer in self.tuned:
            x = layer(x, mask)
        pooled = torch.cat([mean_over_tokens(x, mask), mean_over_tokens(states, mask)], 1)
        return F.normalize(self.head(pooled), dim=1)

    def sentence(self, states: Tensor, mask: Tensor) -> Tensor:
        """Hidden states of the trunk -> unit vectors (n, 384) of the original all-MiniLM-L6-v2."""
        x = states
        for layer in self.layers[-TUNED_LAYERS:]:
            x = layer(x, mask)
        return F.normalize(mean_over_tokens(x, mask), dim=1)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        states = self.trunk(ids, mask)
        return self.tail(states, mask), self.sentence(states, mask)


def mean_over_tokens(x: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(x.dtype)
    return (x * weights).sum(1) / weights.sum(1).clamp(min=1)


def _folded(weights: Mapping[str, Tensor], conv: str, norm: str) -> dict[str, Tensor]:
    """Convolution and batch norm (eps 1e-3) as one convolution with a bias."""
    scale = weights[f"{norm}.weight"] / torch.sqrt(weights[f"{norm}.running_var"] + 1e-3)
    bias = weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * scale
    return {"weight": weights[f"{conv}.weight"] * scale[:, None, None, None], "bias": bias}


def load_imagenet(tower: PictureTower, path: Path) -> None:
    """Fill the convolutions from the EfficientNet-Lite0 checkpoint (names of efficientnet_lite_pytorch)."""
    weights: dict[str, Tensor] = torch.load(path, map_location="cpu", weights_only=True)
    tower.stem.load_state_dict(_folded(weights, "_conv_stem", "_bn0"))
    tower.last.load_state_dict(_folded(weights, "_conv_head", "_bn1"))
    for i, block in enumerate(tower.blocks):
        assert isinstance(block, Block)
        name = f"_blocks.{i}"
        if block.expand is not None:
            block.expand.load_state_dict(_folded(weights, f"{name}._expand_conv", f"{name}._bn0"))
        block.depthwise.load_state_dict(_folded(weights, f"{name}._depthwise_conv", f"{name}._bn1"))
        block.project.load_state_dict(_folded(weights, f"{name}._project_conv", f"{name}._bn2"))


_BERT_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}


def load_minilm(tower: TextTower, path: Path) -> None:
    """Fill the text tower from `model.safetensors` of all-MiniLM-L6-v2; the tuned layers start as copies."""
    from safetensors.torch import load_file

    weights = load_file(path)
    tower.words.weight.data.copy_(weights["embeddings.word_embeddings.weight"])
    tower.positions.weight.data.copy_(weights["embeddings.position_embeddings.weight"])
    tower.kind.data.copy_(weights["embeddings.token_type_embeddings.weight"][0])
    for part in ("weight", "bias"):
        getattr(tower.norm, part).data.copy_(weights[f"embeddings.LayerNorm.{part}"])
    for i, layer in enumerate(tower.layers):
        for ours, theirs in _BERT_NAMES.items():
            for part in ("weight", "bias"):
                getattr(getattr(layer, ours), part).data.copy_(weights[f"encoder.layer.{i}.{theirs}.{part}"])
    for copy, layer in zip(tower.tuned, tower.layers[-TUNED_LAYERS:], strict=True):
        copy.load_state_dict(layer.state_dict())

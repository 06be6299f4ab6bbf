"""Backbones of the query encoder, from transformers with LoRA by peft. `mini`: MiniLM that reads pictures as tokens."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from retrieval.errors import DependencyError
from retrieval.fashion_am.packing import N_ROLES, WORD_DIM
from retrieval.fashion_am.query_encoder import QueryEncoder, Shown
from retrieval.fashion_am.torchvision_import import ensure_torchvision

M = TypeVar("M", bound=nn.Module)
LORA_RANK, LORA_ALPHA = 16, 32
BERT_LORA = ("query", "key", "value", "dense")
"""All linear maps of a BERT layer."""
WORD_STD = 0.6
"""Of the hidden states of words."""


def open_minilm(folder: Path, layers: int) -> nn.Module:
    """The last `layers` layers of a BERT model, weights and configuration from `folder`, without dropout and without
    word embeddings: words come as hidden states of the layers below.

    Raises DependencyError when transformers is missing.
    """
    ensure_torchvision()
    try:
        from transformers import BertConfig, BertModel
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    config = BertConfig.from_pretrained(folder)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    model: Any = BertModel.from_pretrained(
        folder,
        config=config,
        add_pooling_layer=False,
        attn_implementation="eager",  # for contexts this short the fused kernel's gradient takes a third of a step
    )
    model.encoder.layer = model.encoder.layer[-layers:]
    opened: nn.Module = model
    return opened


def with_lora(model: nn.Module, targets: tuple[str, ...], dropout: float = 0.0) -> nn.Module:
    """`model` frozen, with LoRA of the paper's rank on the modules named by their endings."""
    ensure_torchvision()
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    config = LoraConfig(r=LORA_RANK, lora_alpha=LORA_ALPHA, lora_dropout=dropout, target_modules=list(targets))
    adapted: Any = get_peft_model(model, config)
    return adapted.base_model.model


def merged(model: M) -> M:
    """A copy whose LoRA is added into the weights."""
    from peft.tuners.lora import LoraLayer

    whole = copy.deepcopy(model)
    for name, module in list(whole.named_modules()):
        if isinstance(module, LoraLayer):
            module.merge()
            parent, _, own = name.rpartition(".")
            setattr(whole.get_submodule(parent), own, module.get_base_layer())
    return whole


class MiniQueryEncoder(nn.Module):
    """`packing.Padded` as tensors to unit vectors (n, dim)."""

    def __init__(
        self, bert: nn.Module, dim: int, suffix: int, picture_tokens: int, residual: bool, dropout: float = 0.0
    ) -> None:
        super().__init__()
        known: Tensor = bert.get_input_embeddings().weight.detach()
        scale, width = float(known.std()), known.shape[1]
        self.picture_tokens = picture_tokens
        backbone: Any = with_lora(bert, BERT_LORA, dropout)
        backbone.embeddings.word_embeddings = nn.Identity()
        backbone.embeddings.LayerNorm = nn.LayerNorm(width)  # of other inputs than it was trained for
        self.encoder = QueryEncoder(backbone, width, dim, suffix, residual)
        self.words = nn.Linear(WORD_DIM, width)
        nn.init.zeros_(self.words.bias)
        nn.init.eye_(self.words.weight)
        self.fitting = scale / WORD_STD  # before the map: with small weights on large states each step would be a leap
        self.projector = Projector(dim, width, picture_tokens, scale)

    def forward(
        self,
        words: Tensor,
        slots: Tensor,
        mask: Tensor,
        pictures: Tensor,
        roles: Tensor,
        said: Tensor,
        requests: Tensor,
        meant: Tensor | None = None,
    ) -> Tensor:
        tokens = self.projector(pictures, roles).flatten(1, 2)
        at = (slots - 1).clamp(min=0)[:, :, None].expand(-1, -1, tokens.shape[2])
        read = self.words(words * self.fitting)
        embeddings = torch.where(slots[:, :, None] > 0, tokens.gather(1, at).to(read.dtype), read)
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        shown = Shown(pictures, roles, self._places(slots, pictures.shape[1]), said, requests)
        vectors: Tensor = self.encoder(embeddings, mask, positions, shown, meant)
        return vectors

    def _places(self, slots: Tensor, n_pictures: int) -> Tensor:
        """(n, p, t): a picture's own tokens, and the word before them, the number of its turn."""
        owner = torch.where(slots > 0, (slots - 1) // self.picture_tokens, -1)
        following = torch.cat([owner[:, 1:], torch.full_like(owner[:, :1], -1)], 1)
        owner = torch.where(owner >= 0, owner, following)
        return owner[:, None, :] == torch.arange(n_pictures, device=slots.device)[None, :, None]


class Projector(nn.Module):
    """Gallery vectors (n, p, dim) with their roles (n, p) to tokens (n, p, picture_tokens, width) of the backbone."""

    def __init__(self, dim: int, width: int, picture_tokens: int, scale: float) -> None:
        super().__init__()
        self.up = nn.Linear(dim, 2 * width)
        self.down = nn.Linear(2 * width, picture_tokens * width)
        self.norm = nn.LayerNorm(width)
        self.kinds = nn.Parameter(torch.randn(picture_tokens, width) * scale)
        self.roles = nn.Embedding(N_ROLES, width)
        nn.init.normal_(self.roles.weight, std=scale)
        nn.init.constant_(self.norm.weight, scale)

    def forward(self, pictures: Tensor, roles: Tensor) -> Tensor:
        x = self.down(nn.functional.gelu(self.up(pictures * pictures.shape[2] ** 0.5)))
        tokens: Tensor = self.norm(x.unflatten(2, (len(self.kinds), -1))) + self.kinds + self.roles(roles)[:, :, None]
        return tokens

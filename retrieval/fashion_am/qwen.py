"""The paper's query encoder: Qwen3.5 with its own eyes reads a conversation, LoRA adapts its language model.

A batch is padded on the left, so that the suffix follows the last word. Pictures are encoded by the frozen vision tower
and put in place of their tokens here, since the model is called with embeddings; positions (text, height, width) come
from the model's own rule. A 9B is only another name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from retrieval import images
from retrieval.errors import DependencyError, EncoderError
from retrieval.fashion_am.backbones import with_lora
from retrieval.fashion_am.chat import CELL, ChatLimits, chat_template, fitted, message_of
from retrieval.fashion_am.context import Template, context_of
from retrieval.fashion_am.query_encoder import QueryEncoder
from retrieval.fashion_am.torchvision_import import ensure_torchvision
from retrieval.schema import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from retrieval.schema import Query

QWEN_LORA = (
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "in_proj_qkv", "in_proj_z", "out_proj",
)  # fmt: skip
"""All large linear maps of the language model: attention, gated delta-net (three layers of four) and MLP. Modules of
the vision tower have other names."""

Inputs = tuple[Tensor, ...]
"""One batch: token ids, attention mask and kinds of token, all (n, t); patches of all its p pictures (k, pixels of a
patch), and the grid of each (p, 3). Without pictures k and p are 0."""


@dataclass(frozen=True, slots=True)
class QwenSettings:
    """What a trained query encoder depends on, besides its backbone and the words of its template."""

    suffix: int = 64
    """The paper's M."""
    lora_dropout: float = 0.05
    limits: ChatLimits = field(default_factory=ChatLimits)


class QwenQueryEncoder(nn.Module):
    """Batches of a `ContextReader` to unit vectors (n, dim)."""

    def __init__(self, model: Any, dim: int, settings: QwenSettings) -> None:
        """model: a Qwen3_5Model; it is frozen, and LoRA added to it in place."""
        super().__init__()
        self.settings = settings
        adapted = with_lora(model, QWEN_LORA, settings.lora_dropout)
        self.encoder = QueryEncoder(adapted, int(model.config.text_config.hidden_size), dim, settings.suffix)

    @property
    def backbone(self) -> Any:
        return self.encoder.backbone

    def forward(self, *inputs: Tensor) -> Tensor:
        """The five of `Inputs`, on the model's device or not."""
        vectors: Tensor = self.encoder(*self._context(*inputs))
        return vectors

    def states(self, *inputs: Tensor) -> Tensor:
        """Last hidden states of the suffix, after the final norm: (n, M, width)."""
        return self.encoder.states(*self._context(*inputs))[0]

    def _context(self, *inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Embeddings (n, t, width), mask (n, t) and positions (3, n, t)."""
        ids, mask, kinds, pixels, grid = (each.to(self.encoder.suffix.device) for each in inputs)
        positions, _ = self.backbone.get_rope_index(ids, kinds, image_grid_thw=grid, attention_mask=mask)
        return self._embedded(ids, pixels, grid), mask, positions

    def _embedded(self, input_ids: Tensor, pixels: Tensor, grid: Tensor) -> Tensor:
        embeddings: Tensor = self.backbone.get_input_embeddings()(input_ids)
        if not len(grid):
            return embeddings
        with torch.no_grad():  # the vision tower is frozen
            seen = torch.cat(list(self.backbone.get_image_features(pixels, grid).pooler_output))
        at = (input_ids == self.backbone.config.image_token_id)[:, :, None]
        return embeddings.masked_scatter(at, seen.to(embeddings.dtype))


@dataclass(frozen=True, slots=True)
class ContextReader:
    """Queries as the inputs of a model: the template's words, the chat's layout, pictures as their files are."""

    processor: Any
    template: Template
    limits: ChatLimits
    open_picture: Callable[[Image], Picture] = lambda image: images.open_picture(image.path, images.UPLOAD_SIDE)

    def __call__(self, queries: Sequence[Query]) -> Inputs:
        """Tensors of one batch, padded on the left. Raises ImageError for a picture that cannot be decoded."""
        prompts, pictures = [], []
        for query in queries:
            parts = message_of(context_of(query, self.template), self.limits)
            pictures += [fitted(self.open_picture(part), self.limits) for part in parts if isinstance(part, Image)]
            prompts.append(self.prompt(parts))
        read = self.processor(
            text=prompts, images=pictures or None, padding=True, return_tensors="pt", return_mm_token_type_ids=True
        )
        words = (read["input_ids"], read["attention_mask"], read["mm_token_type_ids"])
        if not pictures:
            return *words, torch.zeros(0, 1), torch.zeros(0, 3, dtype=torch.int64)
        return *words, read["pixel_values"], read["image_grid_thw"]

    def prompt(self, parts: Sequence[str | Image]) -> str:
        content = [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in parts]
        text: str = self.processor.tokenizer.apply_chat_template(
            [{"role": "user", "content": content}], chat_template=chat_template(), tokenize=False
        )
        return text


def open_qwen(name: str, limits: ChatLimits, precision: str = "no", checkpointing: bool = True) -> tuple[Any, Any]:
    """A Qwen3_5Model and its processor, by the name of a hub or a folder.

    precision: "bf16" keeps the frozen weights in 16 bits. checkpointing: states inside a layer are computed again on
    the way back, which fits the paper's batches into memory.
    Raises DependencyError without transformers, EncoderError for a name that gives no such model.
    """
    ensure_torchvision()
    try:
        from transformers import AutoProcessor, Qwen3_5Model
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    try:
        model = Qwen3_5Model.from_pretrained(name, dtype=torch.bfloat16 if precision == "bf16" else torch.float32)
        processor = AutoProcessor.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise EncoderError(f"{name} is no Qwen3.5 that can be loaded: {error}") from error
    model.config.text_config.use_cache = False
    if checkpointing:
        model.activation_checkpointing_enable()
    return model, prepared_processor(processor, limits)


def prepared_processor(processor: Any, limits: ChatLimits) -> Any:
    """Padding on the left, and picture sizes under which none is resized again. Changes the processor.

    Raises EncoderError when its tokens of pictures are of another size than ours.
    """
    looks = processor.image_processor
    if looks.patch_size * looks.merge_size != CELL:
        raise EncoderError(f"its picture tokens are {looks.patch_size * looks.merge_size} pixels wide, not {CELL}")
    processor.tokenizer.padding_side = "left"
    looks.size = {"shortest_edge": limits.least_tokens * CELL**2, "longest_edge": limits.picture_tokens * CELL**2}
    return processor


@dataclass(frozen=True, slots=True)
class Pending:
    """Queries that are read when their inputs are needed, each time anew: pictures of a whole batch are gigabytes."""

    reader: ContextReader
    queries: Sequence[Query]

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.reader(self.queries))


class QwenData:
    """What `query.train` reads: queries in chunks of one size."""

    def __init__(self, reader: ContextReader, chunk: int) -> None:
        self._reader, self._chunk = reader, chunk

    def by_length(self, queries: Sequence[Query]) -> list[int]:
        """Positions of the queries, the shortest context first: neighbours need little padding."""
        lengths = [self._length(query) for query in queries]
        return sorted(range(len(queries)), key=lambda i: lengths[i])

    def chunks(self, queries: Sequence[Query]) -> list[Pending]:
        return [Pending(self._reader, queries[at : at + self._chunk]) for at in range(0, len(queries), self._chunk)]

    def _length(self, query: Query) -> tuple[int, int]:
        parts = message_of(context_of(query, self._reader.template), self._reader.limits)
        return sum(isinstance(part, Image) for part in parts), sum(len(p) for p in parts if isinstance(p, str))

"""Dense text rankers: one unit vector a text by the pooling of its recipe (Tables 12 and 13)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from retrieval.errors import EncoderError
from retrieval.text_rankers.loading import Checkpoint, find_file, open_checkpoint
from retrieval.text_rankers.pairs import mean_over_tokens, read_rows, tokenized

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from retrieval.text_rankers.recipes import Dense, Pooling

    Vector = NDArray[np.float32]

log = logging.getLogger(__name__)
DENSE_LAYER = "2_Dense"
"""Folder of a checkpoint of sentence-transformers that holds the layer behind the pooling."""
ACTIVATIONS: Mapping[str, Callable[[], nn.Module]] = {"Identity": nn.Identity, "Tanh": nn.Tanh}


class DenseReader:
    """Implements `pairs.Reader`; `open` is how it is made."""

    def __init__(self, checkpoint: Checkpoint, recipe: Dense, behind: nn.Module | None = None) -> None:
        self._checkpoint = checkpoint
        self._recipe = recipe
        self._behind = behind
        self._max_length = min(recipe.max_length, checkpoint.longest)

    @classmethod
    def open(cls, recipe: Dense, name: str, device: str | None = None) -> DenseReader:
        """Raises EncoderError, DependencyError."""
        model_class = "T5EncoderModel" if recipe.pooling == "mean_dense" else "AutoModel"
        unread = "" if recipe.pooling == "pooler" else "pooler."
        checkpoint = open_checkpoint(model_class, name, device, bfloat16=recipe.bfloat16, unread=unread)
        behind = None
        if recipe.pooling == "mean_dense":
            behind = open_dense_layer(name, int(checkpoint.model.config.d_model)).to(checkpoint.device)
        if recipe.eos == "auto":
            _warn_without_eos(checkpoint, name)
        if recipe.eos == "manual" and checkpoint.tokenizer.eos_token_id is None:
            raise EncoderError(f"The tokenizer in {name} has no end mark, whose state is the text's vector.")
        return cls(checkpoint, recipe, behind)

    @property
    def revision(self) -> str:
        return f"{self._checkpoint.revision}/{self._recipe}"

    def queries(self, texts: Sequence[str]) -> list[Vector]:
        return self._vectors([self._recipe.query_prefix + text for text in texts], "Queries")

    def listings(self, texts: Sequence[str]) -> list[Vector]:
        return self._vectors(texts, "Listings")

    def similarity(self, query: Vector, listing: Vector) -> float:
        return float(query @ listing)

    def _vectors(self, texts: Sequence[str], what: str) -> list[Vector]:
        return read_rows(self._tokenized(texts), self._read, self._checkpoint.device.type, what)

    def _tokenized(self, texts: Sequence[str]) -> list[list[int]]:
        tokenizer = self._checkpoint.tokenizer
        if self._recipe.eos != "manual":
            return tokenized(tokenizer, texts, self._max_length)
        end = tokenizer.eos_token_id
        rows = tokenized(tokenizer, texts, self._max_length - 1)
        return [ids if ids[-1:] == [end] else [*ids, end] for ids in rows]

    def _read(self, ids: list[Sequence[int]]) -> Sequence[Vector]:
        with torch.inference_mode():
            batch = self._checkpoint.padded(ids)
            read = self._checkpoint.model(**batch, output_hidden_states=self._recipe.pooling == "first_last")
            vectors = POOLED[self._recipe.pooling](read, batch["attention_mask"])
            if self._behind is not None:
                vectors = self._behind(vectors)
            if self._recipe.similarity == "cosine":
                vectors = nn.functional.normalize(vectors, dim=1)
            found: Vector = vectors.cpu().numpy()
            return list(found)


def _mean(read: Any, mask: Tensor) -> Tensor:
    return mean_over_tokens(read.last_hidden_state.float(), mask)


def _first_last(read: Any, mask: Tensor) -> Tensor:
    """The first layer is the first that attends; the embeddings below it are none (ours)."""
    return mean_over_tokens((read.hidden_states[1].float() + read.hidden_states[-1].float()) / 2, mask)


def _pooler(read: Any, _mask: Tensor) -> Tensor:
    vectors: Tensor = read.pooler_output.float()
    return vectors


def _last(read: Any, mask: Tensor) -> Tensor:
    states = read.last_hidden_state
    vectors: Tensor = states[torch.arange(len(states), device=states.device), mask.sum(1) - 1].float()
    return vectors


POOLED: Mapping[Pooling, Callable[[Any, Tensor], Tensor]] = {
    "mean": _mean, "first_last": _first_last, "pooler": _pooler, "mean_dense": _mean, "last": _last,
}  # fmt: skip
"""A model's output with the mask (n, t) -> (n, d) float32."""


def open_dense_layer(name: str, width: int) -> nn.Module:
    """The layer behind the pooling, (n, width) -> (n, d), with the activation that the checkpoint names: Table 12 says
    tanh, the published one none. Raises EncoderError for a checkpoint without it."""
    weights = _dense_weights(name)
    settings = {}
    if file := find_file(name, f"{DENSE_LAYER}/config.json"):
        settings = json.loads(file.read_text("utf8"))
    activation = str(settings.get("activation_function", "Identity")).rpartition(".")[2]
    matrix = weights.get("linear.weight")
    if activation not in ACTIVATIONS or matrix is None or matrix.shape[1] != width:
        raise EncoderError(f"{DENSE_LAYER} of {name} does not fit its model: fetch the checkpoint again.")
    layer = nn.Linear(width, matrix.shape[0], bias="linear.bias" in weights)
    layer.load_state_dict({key.removeprefix("linear."): weight.float() for key, weight in weights.items()})
    return nn.Sequential(layer, ACTIVATIONS[activation]()).eval()


def _dense_weights(name: str) -> dict[str, Tensor]:
    if file := find_file(name, f"{DENSE_LAYER}/model.safetensors"):
        from safetensors.torch import load_file

        weights: dict[str, Tensor] = load_file(file)
        return weights
    if file := find_file(name, f"{DENSE_LAYER}/pytorch_model.bin"):
        loaded: dict[str, Tensor] = torch.load(Path(file), map_location="cpu", weights_only=True)
        return loaded
    raise EncoderError(f"{name} has no {DENSE_LAYER}, the layer behind its pooling: name the whole checkpoint.")


def _warn_without_eos(checkpoint: Checkpoint, name: str) -> None:
    tokenizer = checkpoint.tokenizer
    if tokenizer("a")["input_ids"][-1] not in (tokenizer.eos_token_id, tokenizer.pad_token_id):
        log.warning("The tokenizer of %s ends no text with a mark, although its vectors are read there", name)

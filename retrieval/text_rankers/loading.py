"""Loads a checkpoint of transformers by its hub name or from a folder, on the device and in the precision asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor

from retrieval.errors import DependencyError, EncoderError
from retrieval.fashion_am.torchvision_import import ensure_torchvision

REVISION_DIGITS = 16
WEIGHTS = ("*.safetensors", "*.bin", "*/*.safetensors", "*/*.bin")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model that was loaded for reading, with its tokenizer."""

    model: Any
    tokenizer: Any
    device: torch.device
    revision: str
    """Changes with the weights."""

    @property
    def longest(self) -> int:
        """How many tokens the model has positions for; learned ones of RoBERTa start behind the padding's."""
        config = self.model.config
        places = getattr(config, "max_position_embeddings", None)
        if places is None:
            return 1 << 30
        return int(places) - (config.pad_token_id + 1 if config.model_type == "roberta" else 0)

    def padded(self, ids: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """input_ids and attention_mask (n, t), filled up on the right, on the device."""
        width = max(map(len, ids))
        lengths = torch.tensor([len(each) for each in ids])[:, None]
        mask = (torch.arange(width)[None] < lengths).long()
        fill = self.tokenizer.pad_token_id
        return {"input_ids": self.filled(ids, 0 if fill is None else fill), "attention_mask": mask.to(self.device)}

    def filled(self, rows: Sequence[Sequence[int]], fill: int) -> Tensor:
        """(n, t) int64 on the device."""
        width = max(map(len, rows))
        return torch.tensor([[*row, *[fill] * (width - len(row))] for row in rows], dtype=torch.long).to(self.device)


def open_checkpoint(
    model_class: str | type, name: str, device: str | None = None, *, bfloat16: bool = False, unread: str = ""
) -> Checkpoint:
    """`model_class`: the model's class, or the name of one in transformers. device: None is the GPU where there is one.
    unread: how weights begin that no one reads, and that the checkpoint may lack.

    Raises EncoderError for a checkpoint that cannot be had or does not fit the class, DependencyError without
    transformers.
    """
    ensure_torchvision()
    try:
        import transformers
        from safetensors import SafetensorError
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    place = open_device(device)
    half = bfloat16 and place.type == "cuda" and torch.cuda.is_bf16_supported()
    loaded: Any = getattr(transformers, model_class) if isinstance(model_class, str) else model_class
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        model, report = loaded.from_pretrained(
            name, dtype=torch.bfloat16 if half else torch.float32, output_loading_info=True
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError, UnpicklingError) as error:
        raise EncoderError(
            f"The checkpoint {name} cannot be loaded ({_first_line(error)}). Fetch it while the hub can be reached, or "
            "name a folder that holds it: NAME@FOLDER."
        ) from error
    missing = sorted(key for key in report["missing_keys"] if not (unread and key.startswith(unread)))
    if missing:
        raise EncoderError(
            f"The checkpoint {name} lacks {', '.join(missing[:3])}{' and more' if len(missing) > 3 else ''}: it is of "
            "another kind of model."
        )
    return Checkpoint(model.eval().to(place), tokenizer, place, f"{_revision(name, model)}{'/bf16' if half else ''}")


def open_device(device: str | None) -> torch.device:
    """Raises EncoderError for a device that is not there."""
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        place = torch.device(device)
        torch.zeros(1, device=place)
    except (RuntimeError, AssertionError) as error:
        raise EncoderError(f"There is no device {device!r} ({_first_line(error)}): name cpu or cuda.") from error
    return place


def find_file(name: str, file: str) -> Path | None:
    """A file of the checkpoint beside its weights; None where it has none such. Raises EncoderError."""
    from transformers.utils import cached_file

    try:
        found = cached_file(name, file, _raise_exceptions_for_missing_entries=False)
    except OSError as error:
        raise EncoderError(f"{file} of {name} cannot be fetched ({_first_line(error)}).") from error
    return Path(found) if found else None


def _revision(name: str, model: Any) -> str:
    """The hub's commit, or a digest of the folder's weights."""
    if commit := getattr(model.config, "_commit_hash", None):
        return f"{name}/{commit[:REVISION_DIGITS]}"
    digest = hashlib.sha256()
    for file in sorted({file for pattern in WEIGHTS for file in Path(name).glob(pattern)}):
        digest.update(str(file.relative_to(name)).encode())
        with file.open("rb") as read:
            while block := read.read(1 << 20):
                digest.update(block)
    return f"{Path(name).name}/{digest.hexdigest()[:REVISION_DIGITS]}"


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]

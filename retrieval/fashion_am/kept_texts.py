"""Vectors of texts by a frozen text tower, kept on disk: a text is encoded once for all runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.encoders.towers import Towers
    from retrieval.protocols import Embeddings

BATCH = 4096


def file_of(folder: Path, revision: str) -> Path:
    """One file for each tower."""
    return folder / f"texts-{hashlib.sha256(revision.encode()).hexdigest()[:12]}.pt"


def text_vectors(texts: Sequence[str], encode: Callable[[Sequence[str]], Embeddings], file: Path) -> Tensor:
    """(n, dim) float32 in the order of `texts`; those that `file` lacks are encoded and added to it, batch by batch."""
    known: dict[str, int] = {}
    vectors: list[Tensor] = []
    if file.exists():
        kept = torch.load(file, weights_only=True)
        known, vectors = {text: row for row, text in enumerate(kept["texts"])}, [kept["vectors"]]
    missing = sorted(set(texts) - known.keys(), key=lambda text: (len(text), text))
    for at in tqdm(range(0, len(missing), BATCH), desc="Texts", mininterval=10, disable=not missing):
        batch = missing[at : at + BATCH]
        vectors.append(torch.from_numpy(np.ascontiguousarray(encode(batch))))
        known |= {text: len(known) + i for i, text in enumerate(batch)}
        _write(file, list(known), torch.cat(vectors))
    return torch.cat(vectors)[[known[text] for text in texts]]


def joint_vectors(towers: Towers, texts: Iterable[str], folder: Path) -> dict[str, NDArray[np.float32]]:
    """Joint vectors (dim,) of the distinct texts but the empty one, by the text tower of a system; kept in `folder`."""
    dim = towers.manifest.dim
    return {text: vector[:dim] for text, vector in text_features(towers, texts, folder).items()}


def text_features(towers: Towers, texts: Iterable[str], folder: Path) -> dict[str, NDArray[np.float32]]:
    """As `joint_vectors`, with each text's sentence vector behind the joint one: `Towers.text_features`."""
    ordered = sorted(set(texts) - {""})
    if not ordered:
        return {}
    folder.mkdir(parents=True, exist_ok=True)
    vectors = text_vectors(ordered, towers.text_features, file_of(folder, f"{towers.text_name} read"))
    return dict(zip(ordered, vectors.numpy(), strict=True))


def _write(file: Path, texts: list[str], vectors: Tensor) -> None:
    torch.save({"texts": texts, "vectors": vectors}, file.with_suffix(".tmp"))
    file.with_suffix(".tmp").replace(file)

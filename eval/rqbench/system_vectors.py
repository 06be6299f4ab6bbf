"""Systems that compare a query's vector with a listing's, and the folder where listings' vectors are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from retrieval.errors import BenchmarkError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eval.rqbench.systems import Pairs
    from retrieval.protocols import Embeddings
    from retrieval.rq_benchmark import RQBenchmark

    Vectors = Mapping[str, NDArray[np.float32]]
    """item_id -> unit vector (dim,)."""

PART = 1024
"""Texts that are encoded between two writings: what a killed run has lost."""
KEY_DIGITS = 24


@dataclass(frozen=True, slots=True)
class ByVectors:
    """Implements `systems.System` by cosine."""

    name: str
    revision: str
    encode_queries: Callable[[Sequence[str]], Embeddings]
    """Texts -> (n, dim), unit rows."""
    listing_vectors: Callable[[RQBenchmark, Sequence[str]], Vectors]
    """Of these item_ids."""

    def score(self, benchmark: RQBenchmark, pairs: Pairs) -> Mapping[str, Sequence[float]]:
        asked = sorted({item_id for item_ids in pairs.values() for item_id in item_ids})
        listings = self.listing_vectors(benchmark, asked)
        texts = list(dict.fromkeys(benchmark.queries[query_id].text for query_id in pairs))
        queries = dict(zip(texts, self.encode_queries(texts), strict=True))
        return {
            query_id: [float(queries[benchmark.queries[query_id].text] @ listings[item_id]) for item_id in item_ids]
            for query_id, item_ids in pairs.items()
        }


def text_vectors(
    texts: Sequence[str], encode: Callable[[Sequence[str]], Embeddings], folder: Path, revision: str
) -> dict[str, NDArray[np.float32]]:
    """Vectors of the distinct texts; `folder` keeps them for the same revision, so that a text is encoded once.

    Raises BenchmarkError for a damaged file.
    """
    from tqdm import tqdm

    prefix = f"texts-{hashlib.sha256(revision.encode()).hexdigest()[:12]}"
    kept = _read_parts(sorted(folder.glob(f"{prefix}-*.npz")))
    keys = {_key(text): text for text in texts}
    new = sorted(keys.keys() - kept.keys(), key=lambda key: (len(keys[key]), key))
    with tqdm(total=len(new), desc="Listings", unit="text", mininterval=5, disable=len(new) < PART) as bar:
        for at in range(0, len(new), PART):
            part = new[at : at + PART]
            vectors = np.asarray(encode([keys[key] for key in part]), np.float32)
            folder.mkdir(parents=True, exist_ok=True)
            _write_part(folder / f"{prefix}-{part[0]}.npz", part, vectors)
            kept.update(zip(part, vectors, strict=True))
            bar.update(len(part))
    return {text: kept[key] for key, text in keys.items()}


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]


def _read_parts(files: Sequence[Path]) -> dict[str, NDArray[np.float32]]:
    kept: dict[str, NDArray[np.float32]] = {}
    for file in files:
        try:
            with np.load(file, allow_pickle=False) as part:
                kept.update(zip(part["keys"].tolist(), part["vectors"], strict=True))
        except (ValueError, KeyError, EOFError, BadZipFile) as error:
            raise BenchmarkError(f"{file} is damaged ({error}): remove it, and it is written again.") from error
    return kept


def _write_part(file: Path, keys: Sequence[str], vectors: Embeddings) -> None:
    temporary = file.with_suffix(".tmp")
    with temporary.open("wb") as opened:
        np.savez(opened, keys=np.array(keys), vectors=vectors)
    temporary.replace(file)

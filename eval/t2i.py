"""Text-to-image retrieval on a catalogue: product names and attribute captions against pictures alone.

Names: relevant are the products of the same name. Captions: precision@10 of category, colour and gender, each counted
alone. The same queries run against the held-out products only and against the whole catalogue, where products that were
trained on crowd the others. Pictures are encoded without their names.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from eval.metrics import bootstrap_interval, precision_at, random_success_at, success_at
from retrieval.errors import GalleryError
from retrieval.fashion_am.captions import benchmark_caption
from retrieval.schema import Item, Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings, Encoder

CUTOFFS = (1, 5, 10)
CAPTION_PARTS = ("category", "colour", "gender")
DEPTH = max(CUTOFFS)
BATCH = 256
"""Queries that are compared with a whole gallery at a time."""


@dataclass(frozen=True, slots=True)
class Gallery:
    """What is searched: items with their vectors, of shape (len(items), dim), unit rows."""

    name: str
    items: Sequence[Item]
    embeddings: Embeddings


@dataclass(frozen=True, slots=True)
class Score:
    """One printed line: a mean over queries with its interval, and what chance would give."""

    gallery: str
    queries: str
    measure: str
    value: float
    low: float
    high: float
    random: float
    values: tuple[float, ...] = field(repr=False)
    """One a query, in an order that depends on the gallery's items alone."""

    @property
    def n_queries(self) -> int:
        return len(self.values)


class Texts:
    """Encodes texts, each once: every gallery is asked the same."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Unit rows, (len(texts), dim)."""
        new = sorted(set(texts) - self._known.keys())
        if new:
            vectors = self._encoder.encode_queries([Query(f"t2i/{i}", text) for i, text in enumerate(new)])
            self._known.update(zip(new, vectors, strict=True))
        return np.stack([self._known[text] for text in texts])


def rankings(query_embeddings: Embeddings, gallery: Gallery, k: int = DEPTH) -> list[list[str]]:
    """Exact top k of each query, best first, ties by item_id. `query_embeddings` has shape (n, dim), unit rows."""
    item_ids = np.array([item.item_id for item in gallery.items])
    by_id = np.argsort(item_ids, kind="stable")
    item_ids, embeddings = item_ids[by_id], gallery.embeddings[by_id]
    n_found = min(k, len(item_ids))
    found: list[list[str]] = []
    for start in range(0, len(query_embeddings), BATCH):
        scores = query_embeddings[start : start + BATCH] @ embeddings.T
        cut = np.partition(scores, -n_found, axis=1)[:, -n_found]
        for row, least in zip(scores, cut, strict=True):
            near = np.flatnonzero(row >= least)
            best = near[np.argsort(-row[near], kind="stable")][:k]
            found.append([str(item_id) for item_id in item_ids[best]])
    return found


def name_scores(texts: Texts, gallery: Gallery, held_out: set[str]) -> list[Score]:
    """Success@k of product names: once per distinct name, and once per product as others count it.

    Raises GalleryError when no held-out product has a name.
    """
    members: dict[str, list[str]] = {}
    for item in gallery.items:
        members.setdefault(item.caption, []).append(item.item_id)
    n_products = Counter(item.caption for item in gallery.items if item.item_id in held_out and item.caption)
    names = sorted(n_products)
    if not names:
        raise GalleryError(
            "No held-out product has a name, and names are what is asked for. Give a gallery with names."
        )
    found = rankings(texts.encode(names), gallery)
    scores = []
    for queries, repeat in (("names", dict.fromkeys(names, 1)), ("names, one a product", n_products)):
        for k in CUTOFFS:
            values = [
                success_at(ranking, dict.fromkeys(members[name], 1), k)
                for name, ranking in zip(names, found, strict=True)
                for _ in range(repeat[name])
            ]
            chance = [
                random_success_at(len(members[name]), len(gallery.items), k)
                for name in names
                for _ in range(repeat[name])
            ]
            scores.append(_score(gallery.name, queries, f"success@{k}", values, chance))
    return scores


def caption_scores(texts: Texts, gallery: Gallery, held_out: set[str]) -> list[Score]:
    """Precision@10 of each attribute for the attribute caption of every held-out product that has all three.

    Raises GalleryError when there is none.
    """
    described = [item for item in gallery.items if all(part in item.attributes for part in CAPTION_PARTS)]
    queries = [item for item in described if item.item_id in held_out]
    if not queries:
        raise GalleryError(f"No held-out product has {', '.join(CAPTION_PARTS)}. Give a gallery with these columns.")
    found = rankings(texts.encode([benchmark_caption(item.attributes) for item in queries]), gallery)
    scores = []
    for part in CAPTION_PARTS:
        members: dict[str, dict[str, int]] = {}
        for item in gallery.items:
            members.setdefault(str(item.attributes.get(part, "")), {})[item.item_id] = 1
        values, chance = [], []
        for query, ranking in zip(queries, found, strict=True):
            relevant = members[str(query.attributes[part])]
            values.append(precision_at(ranking, relevant, DEPTH))
            chance.append(len(relevant) / len(gallery.items))
        scores.append(_score(gallery.name, "attribute captions", f"{part} precision@{DEPTH}", values, chance))
    return scores


def _score(gallery: str, queries: str, measure: str, values: Sequence[float], chance: Sequence[float]) -> Score:
    low, high = bootstrap_interval(values)
    mean, random = float(np.mean(values)), float(np.mean(chance))
    return Score(gallery, queries, measure, mean, low, high, random, tuple(values))


def gallery_hash(items: Iterable[Item]) -> str:
    """Hash over ids and pictures: equal hashes are equal galleries."""
    lines = sorted(f"{item.item_id} {item.image.image_id}" for item in items)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def evaluate(encoder: Encoder, items: Sequence[Item], embeddings: Embeddings, held_out: set[str]) -> list[Score]:
    """All scores: held-out products as their own gallery, then the same queries in the whole one.

    `embeddings` has shape (len(items), dim), unit rows; `held_out` holds item_ids. Raises GalleryError for a gallery
    that leaves nothing to ask for.
    """
    rows = [row for row, item in enumerate(items) if item.item_id in held_out]
    part = [items[row] for row in rows]
    scores: list[Score] = []
    texts = Texts(encoder)
    for gallery in (
        Gallery(f"held-out {len(part)} [{gallery_hash(part)}]", part, embeddings[rows]),
        Gallery(f"whole {len(items)} [{gallery_hash(items)}]", items, embeddings),
    ):
        scores += gallery_scores(texts, gallery, held_out)
    return scores


def gallery_scores(texts: Texts, gallery: Gallery, held_out: set[str]) -> list[Score]:
    """Names and captions. Raises GalleryError for a gallery that leaves nothing to ask for."""
    return name_scores(texts, gallery, held_out) + caption_scores(texts, gallery, held_out)


def table(scores: Sequence[Score]) -> str:
    """One line a score, grouped by gallery."""
    lines = []
    for gallery in dict.fromkeys(score.gallery for score in scores):
        lines.append(f"gallery: {gallery}")
        lines.append(f"  {'queries':22} {'n':>6}  {'measure':24} {'value':>6}  {'95% interval':15}  {'random':>6}")
        for s in scores:
            if s.gallery == gallery:
                interval = f"{s.low:.3f} to {s.high:.3f}"
                lines.append(
                    f"  {s.queries:22} {s.n_queries:6d}  {s.measure:24} {s.value:6.3f}  {interval:15}  {s.random:6.3f}"
                )
    return "\n".join(lines)

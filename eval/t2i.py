"""Text-to-image retrieval on a catalogue: product names and attribute captions against pictures alone.

Names: relevant are the products of the same name. Captions: precision@10 of category, colour and gender, each counted
alone. The same queries run against the held-out products only and against the whole catalogue, where products that were
trained on crowd the others. Pictures are encoded without their names.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eval.metrics import bootstrap_interval, precision_at, random_success_at, success_at
from retrieval.fashion_am.captions import benchmark_caption
from retrieval.schema import Item, Query

if TYPE_CHECKING:
    from retrieval.protocols import Embeddings, Encoder

CUTOFFS = (1, 5, 10)
CAPTION_PARTS = ("category", "colour", "gender")
DEPTH = 10


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
    n_queries: int


def encode_texts(encoder: Encoder, texts: Sequence[str]) -> Embeddings:
    return encoder.encode_queries([Query(f"t2i/{i}", text) for i, text in enumerate(texts)])


def rankings(queries: Embeddings, gallery: Embeddings, item_ids: Sequence[str], k: int = DEPTH) -> list[list[str]]:
    """Exact top k of each query, best first, ties by item_id. queries (n, dim), gallery (m, dim), both unit rows."""
    by_id = np.argsort(np.array(item_ids), kind="stable")
    ids, vectors = np.array(item_ids)[by_id], gallery[by_id]
    found: list[list[str]] = []
    for at in range(0, len(queries), 256):
        scores = queries[at : at + 256] @ vectors.T
        cut = np.partition(scores, -min(k, scores.shape[1]), axis=1)[:, -min(k, scores.shape[1])]
        for row, least in zip(scores, cut, strict=True):
            candidates = np.flatnonzero(row >= least)
            order = candidates[np.argsort(-row[candidates], kind="stable")][:k]
            found.append([str(item_id) for item_id in ids[order]])
    return found


def name_scores(
    gallery: str, encoder: Encoder, items: Sequence[Item], embeddings: Embeddings, asked: set[str]
) -> list[Score]:
    """Success@k of product names: once per distinct name, and once per product as others count it."""
    members: dict[str, list[str]] = {}
    for item in items:
        members.setdefault(item.caption, []).append(item.item_id)
    weight = Counter(item.caption for item in items if item.item_id in asked and item.caption)
    names = sorted(weight)
    found = rankings(encode_texts(encoder, names), embeddings, [item.item_id for item in items])
    scores = []
    for queries, repeat in (("names", dict.fromkeys(names, 1)), ("names, one a product", weight)):
        for k in CUTOFFS:
            values = [
                success_at(ranking, dict.fromkeys(members[name], 1), k)
                for name, ranking in zip(names, found, strict=True)
                for _ in range(repeat[name])
            ]
            chance = [random_success_at(len(members[n]), len(items), k) for n in names for _ in range(repeat[n])]
            scores.append(_score(gallery, queries, f"success@{k}", values, chance))
    return scores


def caption_scores(
    gallery: str, encoder: Encoder, items: Sequence[Item], embeddings: Embeddings, asked: set[str]
) -> list[Score]:
    """Precision@10 of each attribute for the attribute caption of every asked product that has all three attributes."""
    queries = [i for i in items if i.item_id in asked and all(part in i.attributes for part in CAPTION_PARTS)]
    found = rankings(
        encode_texts(encoder, [benchmark_caption(i.attributes) for i in queries]),
        embeddings,
        [i.item_id for i in items],
    )
    scores = []
    for part in CAPTION_PARTS:
        members: dict[str, dict[str, int]] = {}
        for item in items:
            members.setdefault(str(item.attributes.get(part, "")), {})[item.item_id] = 1
        values, chance = [], []
        for query, ranking in zip(queries, found, strict=True):
            relevant = members[str(query.attributes[part])]
            values.append(precision_at(ranking, relevant, DEPTH))
            chance.append(len(relevant) / len(items))
        scores.append(_score(gallery, "attribute captions", f"{part} precision@{DEPTH}", values, chance))
    return scores


def _score(gallery: str, queries: str, measure: str, values: Sequence[float], chance: Sequence[float]) -> Score:
    low, high = bootstrap_interval(values)
    mean, random = float(np.mean(values)), float(np.mean(chance))
    return Score(gallery, queries, measure, mean, low, high, random, len(values))


def gallery_hash(items: Iterable[Item]) -> str:
    """Hash over ids and pictures: equal hashes are equal galleries."""
    lines = sorted(f"{item.item_id} {item.image.image_id}" for item in items)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def evaluate(encoder: Encoder, items: Sequence[Item], embeddings: Embeddings, held_out: set[str]) -> list[Score]:
    """All scores: held-out products as their own gallery, then the same queries in the whole one."""
    rows = [i for i, item in enumerate(items) if item.item_id in held_out]
    part, part_embeddings = [items[i] for i in rows], embeddings[rows]
    scores = []
    for gallery, members, vectors in (
        (f"held-out {len(part)} [{gallery_hash(part)}]", part, part_embeddings),
        (f"whole {len(items)} [{gallery_hash(items)}]", items, embeddings),
    ):
        scores += name_scores(gallery, encoder, members, vectors, held_out)
        scores += caption_scores(gallery, encoder, members, vectors, held_out)
    return scores


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

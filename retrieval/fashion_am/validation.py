"""How well query vectors find their targets on a split of recorded turns: for watching and choosing runs.

The paper's protocol of single turns: the recorded choices as history, the whole gallery without the query's own
references, or the pool of a query by attribute. The published tables come from `eval`, which adds judgement grades,
ties and intervals; this is a matrix product. It imports no torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.benchmark import Benchmark, Split, Task
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.recorded import Example, References, examples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.protocols import Embeddings

CUTOFFS = (5, 8)
"""The paper's R@5 and R@8: whether any right item stands in the first k."""
CHUNK = 256


@dataclass(frozen=True, slots=True)
class Validation:
    """Turns and what they are ranked against."""

    examples: Sequence[Example]
    gallery: Sequence[str]
    """image_ids, all with a vector."""
    pools: Mapping[str, Sequence[str]]
    """query_id -> the image_ids that this query alone is ranked against; the others rank the gallery."""
    vectors: PictureVectors

    def scores(self, queries: Embeddings) -> dict[str, float]:
        """Scores of `queries`, shape (len(examples), dim), unit rows in the order of `examples`.

        success@k over the turns without a pool, together and by task ("success@5/cir"); "map": mean average precision
        over the pools of ASFR turns. A measure without any turn is left out. Rounded to 4 digits.
        Raises ValueError for a vector that is not finite.
        """
        if not np.isfinite(queries).all():
            raise ValueError("a query vector is not finite")
        found: dict[str, list[float]] = {}
        rows = [row for row, example in enumerate(self.examples) if example.query.query_id not in self.pools]
        ranks = self._ranks(queries, rows)
        for row, rank in zip(rows, ranks.tolist(), strict=True):
            for k in CUTOFFS:
                for name in (f"success@{k}", f"success@{k}/{self.examples[row].task.value}"):
                    found.setdefault(name, []).append(float(rank < k))
        for row in sorted(set(range(len(self.examples))) - set(rows)):
            found.setdefault("map", []).append(self._average_precision(queries[row], self.examples[row]))
        return {name: round(float(np.mean(values)), 4) for name, values in sorted(found.items())}

    def _ranks(self, queries: Embeddings, rows: Sequence[int]) -> NDArray[np.int64]:
        """Number of gallery items above the first right one, own references not counted."""
        gallery = np.ascontiguousarray(self.vectors.of(self.gallery))
        column = {image_id: at for at, image_id in enumerate(self.gallery)}
        ranks = np.zeros(len(rows), np.int64)
        for at in range(0, len(rows), CHUNK):
            some = rows[at : at + CHUNK]
            similar = queries[some] @ gallery.T
            for i, row in enumerate(some):
                own = _own(self.examples[row])
                right = [column[each] for each in self.examples[row].positives if each in column and each not in own]
                best = similar[i, right].max() if right else 2.0
                similar[i, [column[each] for each in own if each in column]] = -2
                ranks[at + i] = (similar[i] > best).sum() if right else len(self.gallery)
        return ranks

    def _average_precision(self, query: NDArray[np.float32], example: Example) -> float:
        own = _own(example)
        pool = [each for each in self.pools[example.query.query_id] if each not in own]
        order = np.argsort(-(self.vectors.of(pool) @ query), kind="stable")
        right = np.isin(np.array(pool)[order], example.positives)
        precision = np.cumsum(right) / np.arange(1, len(pool) + 1)
        return float(precision[right].sum() / max(1, len(set(example.positives) - own)))


def open_validation(
    benchmark: Benchmark, vectors: PictureVectors, split: Split = "val", references: References = "previous"
) -> Validation:
    """All turns of a split against the benchmark's gallery and pools."""
    turns = examples(benchmark, benchmark.split(split), references)
    with_pool = {turn.query.query_id for turn in turns if turn.task is Task.ASFR} & benchmark.pools.keys()
    return Validation(
        examples=turns,
        gallery=[image.image_id for image in benchmark.gallery() if image.image_id in vectors.row],
        pools={query_id: benchmark.pools[query_id] for query_id in with_pool},
        vectors=vectors,
    )


def _own(example: Example) -> set[str]:
    return {image.image_id for image in example.query.references}

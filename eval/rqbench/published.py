"""The paper's Tables 2, 3, 9 and 10, to stand beside ours: they were measured on other data.

From the text of "FASHION-RQ: Mining Hierarchical Semantic Structure for Automated Evaluation of Fashion Retrieval".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TASKS: Mapping[str, tuple[float, ...]] = {
    "BM25": (0.7736, 0.7376, 0.4023, 0.3919, 0.6142, 0.7723, 0.5067, 0.7419),
    "RoBERTa-large": (0.7391, 0.7252, 0.3749, 0.3481, 0.5491, 0.7260, 0.4462, 0.7135),
    "SimCSE-RoBERTa-large": (0.8655, 0.8242, 0.5046, 0.5047, 0.6421, 0.8145, 0.5914, 0.8197),
    "Sentence-T5-large": (0.8235, 0.7845, 0.4328, 0.4227, 0.6610, 0.8318, 0.5879, 0.8115),
    "Qwen3-Embedding-4B": (0.8719, 0.8279, 0.5145, 0.5146, 0.6641, 0.8232, 0.6041, 0.8373),
}
"""Table 2: nDCG@10 and Recall@10 of T1, accuracy and macro-F1 of T2, nDCG@3 and Recall@3 of T3, Consistency@5 and @10
of T4."""

ATTRIBUTES = ("age", "brand", "colour", "gender", "material", "occasion", "pattern", "price", "product_type", "style")
"""Table 3's columns after the weighted relevance, by the benchmark's names."""
ATTRIBUTE_SCORES: Mapping[str, tuple[float, ...]] = {
    "Qwen3-Embedding-8B": (0.9274, 0.9907, 0.8560, 0.9125, 0.9750, 0.5367, 0.9632, 0.8521, 0.6484, 0.9409, 0.4291),
    "E5-Mistral-7B": (0.9158, 0.9900, 0.8914, 0.8782, 0.9676, 0.5232, 0.9618, 0.8465, 0.6543, 0.9395, 0.4265),
    "Qwen3-Embedding-4B": (0.9254, 0.9895, 0.8221, 0.8965, 0.9721, 0.5217, 0.9624, 0.8327, 0.6426, 0.9438, 0.4204),
    "Sentence-T5-large": (0.9018, 0.9918, 0.7587, 0.9159, 0.9911, 0.5310, 0.9628, 0.8395, 0.6562, 0.9392, 0.4229),
    "SimCSE-RoBERTa-large": (0.8923, 0.9922, 0.6613, 0.9008, 0.9873, 0.5003, 0.9616, 0.8296, 0.6247, 0.9368, 0.4292),
    "BM25": (0.8753, 0.9826, 0.7927, 0.8451, 0.8889, 0.4987, 0.9585, 0.7934, 0.6169, 0.8929, 0.4211),
}
"""Table 3: the weighted relevance, then `ATTRIBUTES`."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A row of Tables 9 and 10."""

    n: int
    """Observations of a query with a twin pair."""
    mean: float
    low: float
    high: float
    sign_consistency: float
    coefficient: float
    vif: float
    weight: float


WEIGHTS: Mapping[str, Weight] = {
    "product_type": Weight(561, 0.579, 0.440, 0.713, 0.78, 0.467, 1.10, 0.290),
    "gender": Weight(730, 0.730, 0.625, 0.838, 0.80, 0.125, 1.06, 0.127),
    "age": Weight(129, 0.737, 0.537, 0.951, 0.83, 0.006, 1.00, 0.066),
    "colour": Weight(786, 0.926, 0.828, 1.025, 0.86, 0.114, 1.01, 0.138),
    "material": Weight(259, 0.589, 0.384, 0.796, 0.75, 0.026, 1.02, 0.063),
    "occasion": Weight(952, 0.072, -0.010, 0.153, 0.53, 0.004, 1.02, 0.008),
}
"""The other attributes' rows are not printed; these weights sum to .692."""

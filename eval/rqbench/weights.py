"""Attribute weights w_a from an oracle's logits (Tables 9 and 10): twin pairs, a ridge regression, and their blend.

w_a is the mean of two shares: of the attribute's twin-pair effect among all effects, and of its ridge coefficient among
all coefficients; what is below 0 counts 0, and an attribute without a twin pair has its second share alone, before all
are scaled to a sum of 1 (ours: the paper prints no rule; this one gives its six weights to .001 where its ten effects
sum to 5.86 and its ten coefficients to .971).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eval.rqbench.attributes import has_value
from eval.rqbench.twins import Effect, effects, find_twins, pairs_of
from eval.runs import RunError, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from eval.rqbench.oracle import Oracle
    from retrieval.rq_benchmark import RQBenchmark

RIDGE = 1.0
"""Penalty on the squared coefficients, beside a sum of squared errors over thousands of pairs (ours)."""
MAX_INFLATION = 1e9
FORMAT, VERSION = "dimity-rq-weights", 1


@dataclass(frozen=True, slots=True)
class Coefficient:
    ridge: float
    """Logits that a match is worth, all other matches held fixed."""
    vif: float
    """Variance inflation: 1 where the other attributes' matches tell nothing of this one's."""
    n: int
    """Pairs whose query names the attribute."""


@dataclass(frozen=True, slots=True)
class Weights:
    oracle: str
    effects: Mapping[str, Effect]
    coefficients: Mapping[str, Coefficient]
    weights: Mapping[str, float]
    """Sum to 1."""


def derive_weights(benchmark: RQBenchmark, oracle: Oracle) -> Weights:
    """Raises RunError for logits that are no numbers, or that rise with no attribute."""
    observations, judged = find_twins(benchmark), one_a_group(benchmark)
    twin_pairs = pairs_of(benchmark, observations)
    ranked_pairs = [(benchmark.queries[q].text, benchmark.listings[item_id].text) for q, item_id in judged]
    logits = np.asarray(oracle.logits([*twin_pairs, *ranked_pairs]), np.float64)
    if logits.shape != (len(twin_pairs) + len(ranked_pairs),) or not np.isfinite(logits).all():
        raise RunError(f"The oracle {oracle.name} does not give one finite logit a pair: choose another by --oracle.")
    of_twins = effects(observations, logits[: len(twin_pairs)])
    coefficients = regress(benchmark, judged, logits[len(twin_pairs) :])
    blended = blend(
        {name: each.mean for name, each in of_twins.items()}, {name: each.ridge for name, each in coefficients.items()}
    )
    if not blended:
        raise RunError(
            f"The logits of the oracle {oracle.name} rise with no attribute that the queries name: choose another by "
            "--oracle, or the paper's weights by --oracle published."
        )
    return Weights(oracle.description, of_twins, coefficients, blended)


def one_a_group(benchmark: RQBenchmark) -> list[tuple[str, str]]:
    """(query_id, item_id) of T1's candidates, of the first of each group of paraphrases that names an attribute."""
    first: dict[str, str] = {}
    for query_id in sorted(benchmark.candidates["T1"]):
        if benchmark.queries[query_id].wanted:
            first.setdefault(benchmark.queries[query_id].group_id, query_id)
    return [(query_id, item_id) for query_id in first.values() for item_id in benchmark.candidates["T1"][query_id]]


def regress(
    benchmark: RQBenchmark, pairs: Sequence[tuple[str, str]], logits: NDArray[np.float64]
) -> dict[str, Coefficient]:
    """Ridge of the logits on attribute matches: 1 where the product has what is asked for, 0 where it lacks it.

    Both sides less their mean over the query's pairs (ours: queries differ in the level of their logits), so that an
    attribute which a query does not name is 0 for it. Attributes whose match never varies within a query are left out.
    """
    queries = [query_id for query_id, _ in pairs]
    names = sorted({name for query_id in set(queries) for name in benchmark.queries[query_id].wanted})
    matches, named = np.zeros((len(pairs), len(names))), np.zeros(len(names), np.int64)
    for row, (query_id, item_id) in enumerate(pairs):
        wanted, attributes = benchmark.queries[query_id].wanted, benchmark.listings[item_id].attributes
        for at, name in enumerate(names):
            if name in wanted:
                named[at] += 1
                matches[row, at] = has_value(attributes, name, wanted[name])
    x, y = _within(matches, queries), _within(logits[:, None], queries)[:, 0]
    kept = [at for at in range(len(names)) if np.abs(x[:, at]).max(initial=0) > 0]
    x = x[:, kept]
    ridge = np.linalg.solve(x.T @ x + RIDGE * np.eye(len(kept)), x.T @ y)
    return {
        names[at]: Coefficient(float(ridge[place]), vif, int(named[at]))
        for place, (at, vif) in enumerate(zip(kept, inflation(x), strict=True))
    }


def _within(values: NDArray[np.float64], queries: Sequence[str]) -> NDArray[np.float64]:
    """Less the mean over the rows of the same query. Shape (n_pairs, n_columns)."""
    rows = np.unique(np.asarray(queries), return_inverse=True)[1]
    sums = np.zeros((rows.max(initial=-1) + 1, values.shape[1]))
    np.add.at(sums, rows, values)
    found: NDArray[np.float64] = values - (sums / np.bincount(rows)[:, None])[rows]
    return found


def inflation(x: NDArray[np.float64]) -> list[float]:
    """1 / (1 - R^2) of each column on the others, columns of mean 0; `MAX_INFLATION` where they give it away."""
    found = []
    for at in range(x.shape[1]):
        others = np.delete(x, at, axis=1)
        fitted = others @ np.linalg.lstsq(others, x[:, at], rcond=None)[0] if others.size else np.zeros(len(x))
        left = float(((x[:, at] - fitted) ** 2).sum() / (x[:, at] ** 2).sum())
        found.append(1 / max(left, 1 / MAX_INFLATION))
    return found


def blend(twin_effects: Mapping[str, float], coefficients: Mapping[str, float]) -> dict[str, float]:
    """Weights that sum to 1, sorted by name; empty where nothing is above 0."""
    of_twins, of_ridge = _shares(twin_effects), _shares(coefficients)
    found = {}
    for name in sorted({**of_twins, **of_ridge}):
        shares = [part[name] for part in (of_twins, of_ridge) if name in part]
        found[name] = sum(shares) / len(shares)
    total = sum(found.values())
    return {name: value / total for name, value in found.items()} if total > 0 else {}


def _shares(values: Mapping[str, float]) -> dict[str, float]:
    total = sum(max(0.0, value) for value in values.values())
    return {name: max(0.0, value) / total if total > 0 else 0.0 for name, value in values.items()}


def kept_weights(benchmark: RQBenchmark, oracle: Oracle, path: Path) -> Weights:
    """Derived once for a benchmark and an oracle, and read from `path` afterwards; others are derived anew."""
    key = {
        "format": FORMAT, "version": VERSION, "benchmark": benchmark.card["checksum"],
        "name": oracle.name, "revision": oracle.revision,
    }  # fmt: skip
    if found := _read(path, key):
        return found
    weights = derive_weights(benchmark, oracle)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, [json.dumps({**key, **asdict(weights)}, indent=1, ensure_ascii=False)])
    return weights


def _read(path: Path, key: Mapping[str, Any]) -> Weights | None:
    """None without kept weights, or for those of something else. Raises RunError for a damaged file."""
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if any(record.get(name) != value for name, value in key.items()):
            return None
        return Weights(
            record["oracle"],
            {name: Effect(**values) for name, values in record["effects"].items()},
            {name: Coefficient(**values) for name, values in record["coefficients"].items()},
            record["weights"],
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RunError(f"{path} is damaged ({error}): delete it, the weights are derived again.") from error

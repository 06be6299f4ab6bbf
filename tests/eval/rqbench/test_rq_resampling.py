import numpy as np
import pytest

from eval.metrics import session_intervals
from eval.rqbench.resampling import difference, estimate, mean_over

LEAVES = [f"l{n // 6}" for n in range(120)]


def test_paraphrases_of_a_leaf_are_one_piece_of_evidence():
    by_leaf = np.random.default_rng(0).random(20).repeat(6)
    together = estimate(mean_over(LEAVES, by_leaf, [0.5]))
    apart = estimate(mean_over([str(n) for n in range(120)], by_leaf, [0.5]))
    assert together.value == apart.value
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_the_interval_is_that_of_sessions_up_to_sampling():
    values = np.random.default_rng(1).random(120)
    low, high = session_intervals(values[:, None], LEAVES, n_samples=4000)[:, 0]
    found = estimate(mean_over(LEAVES, values, [0.5]))
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)


def test_a_small_steady_difference_is_told_from_none():
    noise = np.random.default_rng(2).random(120)
    a, b = mean_over(LEAVES, noise + 0.01, [0.5]), mean_over(LEAVES, noise, [0.5])
    found = difference(a, b)
    assert found.value == pytest.approx(0.01)
    assert found.low == pytest.approx(0.01)
    assert found.p < 0.01
    assert difference(a, a).p == 1


def test_systems_over_other_queries_are_not_compared():
    with pytest.raises(ValueError, match="same queries"):
        difference(mean_over(["a"], [1.0], [0.5]), mean_over(["b"], [1.0], [0.5]))

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.rqbench.thresholds import classify, fit_cuts

Pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(Pairs)
def test_no_three_cuts_are_right_more_often(pairs):
    scores = np.array([score for score, _ in pairs], float)
    grades = np.array([grade for _, grade in pairs])
    cuts = fit_cuts(scores, grades)
    assert list(cuts) == sorted(cuts)
    found = (classify(scores, cuts) == grades).sum()
    places = [-math.inf, *(value + 0.5 for value in range(7)), math.inf]
    best = max((classify(scores, each) == grades).sum() for each in itertools.combinations_with_replacement(places, 3))
    assert found == best


def test_a_class_that_never_pays_is_never_answered():
    cuts = fit_cuts(np.array([0.0, 1.0]), np.array([0, 3]))
    assert classify(np.array([0.0, 1.0]), cuts).tolist() == [0, 3]
    assert len(set(cuts)) == 1


def test_neighbouring_floats_are_told_apart():
    low = 0.1
    high = math.nextafter(low, 1)
    assert classify(np.array([low, high]), fit_cuts(np.array([low, high]), np.array([0, 3]))).tolist() == [0, 3]


def test_cuts_of_no_pairs_are_an_error():
    with pytest.raises(ValueError, match="at least one"):
        fit_cuts(np.array([]), np.array([], int))

"""The scores that the default planner must keep, and how they are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.understanding.real_turns import SHARED, SIMMC, score_real
from eval.understanding.scores import Understood, score, understand_all
from eval.understanding.shop import TalkingShop
from eval.understanding.utterances import Utterance, read_utterances
from retrieval.schema import Intent, Plan


def test_unseen_utterances_are_understood(shop: TalkingShop) -> None:
    found = score(understand_all(shop, read_utterances("test")))
    assert found.macro_f1 >= 0.9
    assert found.references >= 0.9
    assert found.filters.f1 >= 0.88
    assert found.exclusions.f1 >= 0.7


def test_macro_f1_weighs_intents_alike() -> None:
    said = [(Intent.ASK, Intent.ASK)] * 3 + [(Intent.OTHER, Intent.ASK)]
    found = score([Understood(Utterance("x", wanted), Plan(got), 1.0) for wanted, got in said])
    assert found.accuracy == pytest.approx(0.75)
    assert found.macro_f1 == pytest.approx((6 / 7 + 0) / 2)


def test_a_refused_message_is_no_intent() -> None:
    found = score([Understood(Utterance("x", Intent.ASK), None, 1.0)])
    assert (found.accuracy, found.macro_f1) == (0.0, 0.0)


def test_a_label_that_points_at_nothing_is_an_error(shop: TalkingShop) -> None:
    with pytest.raises(IndexError, match="labelled with '99'"):
        understand_all(shop, [Utterance("that one", Intent.MODIFY, ("dresses",), references=("99",))])


def test_real_shoppers_are_understood(shop: TalkingShop) -> None:
    if not (SHARED / SIMMC).exists():
        pytest.skip("the SIMMC 2.0 user turns are not at ../shared/data/router")
    (acts, *captions) = score_real(shop)
    assert acts.macro_f1 is not None
    assert acts.macro_f1 > 0.92
    assert all(one.accuracy > 0.93 for one in captions if one.n)


def test_what_is_not_at_hand_is_left_out_with_a_reason(shop: TalkingShop, tmp_path: Path) -> None:
    found = score_real(shop, tmp_path)
    assert all(one.n == 0 and one.reason for one in found)

"""The shop's agent over the embedded gallery, opened once."""

from __future__ import annotations

import pytest

from eval.understanding.shop import TalkingShop


@pytest.fixture(scope="session")
def shop() -> TalkingShop:
    return TalkingShop.open()

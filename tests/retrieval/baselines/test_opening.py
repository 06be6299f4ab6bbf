"""Folders of systems that need no training, as their cards name them."""

import json
import os
from pathlib import Path

import pytest

from retrieval.baselines.imagescope import ImageScope
from retrieval.baselines.textification import ChatTextification
from retrieval.baselines.tracker import AttributeTracker
from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.encoders.opening import open_encoder

CARDS = {
    "tracker": ({}, AttributeTracker),
    "textification": ({"url": "http://127.0.0.1:1/v1", "model": "m", "prompt": "openflamingo"}, ChatTextification),
    "imagescope": ({"url": "http://127.0.0.1:1/v1", "model": "m", "settings": {"n_verified": 5}}, ImageScope),
}


@pytest.mark.parametrize("kind", CARDS)
def test_a_card_over_towers_is_all_that_such_a_system_needs(tmp_path: Path, kind: str) -> None:
    card, opened = CARDS[kind]
    base = os.path.relpath(DEFAULT_FOLDER, tmp_path)
    (tmp_path / "card.json").write_text(json.dumps({"format": 1, "kind": kind, "base": base, **card}))
    system = open_encoder(tmp_path)
    assert isinstance(system, opened)
    assert system.manifest == open_encoder(DEFAULT_FOLDER).manifest

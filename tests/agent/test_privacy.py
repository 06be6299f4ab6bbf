"""What visitors say and show stays out of the log, at every level."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from PIL import Image as Pillow

from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from agent.shopfront import Shop, View
from retrieval.errors import FashionSearchError
from retrieval.retriever import Retriever

SECRET = "Philomena"


def test_no_log_holds_a_visitors_words_or_pictures(
    studio: Retriever, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shop = Shop.open(Assistant(studio, RulesPlanner()), studio, tmp_path / "served")
    good, bad = tmp_path / f"{SECRET}.png", tmp_path / f"{SECRET}.jpg"
    Pillow.new("RGB", (40, 40), "red").save(good)
    bad.write_bytes(b"\xff\xd8\xff broken")
    view = View.new()
    for text, files in ((f"a red dress for {SECRET}", []), (f"like this, says {SECRET}", [str(good)]), (SECRET, [])):
        view = shop.send(view, text, files)
        shop.export(view.session)
    for text, files in ((SECRET, [str(bad)]), (SECRET * 400, []), (f"{SECRET} \ud800", [])):
        with pytest.raises(FashionSearchError):
            shop.send(view, text, files)
    assert [record.getMessage() for record in caplog.records if SECRET in record.getMessage()] == []

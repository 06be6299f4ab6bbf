"""Links to conversations."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent import shelf
from agent.shelf import Shelf
from retrieval.errors import MessageError
from retrieval.schema import Intent, Message, Plan, Reply, Session, Turn

SESSION = Session("s").append(Turn(1, None, Message("a red dress"), Plan(Intent.SEARCH), Reply("Here.")))


def test_a_link_opens_a_copy_also_for_a_process_that_started_later(tmp_path: Path) -> None:
    token = Shelf(tmp_path / "links").put(SESSION)
    opened = Shelf(tmp_path / "links").take(token, tmp_path / "uploads")
    assert opened.turns == SESSION.turns
    assert opened.session_id != SESSION.session_id


@pytest.mark.parametrize("token", ["", "x", "../secret", "A" * 22, "../../../../etc/passwd"])
def test_a_link_that_leads_nowhere_says_so(tmp_path: Path, token: str) -> None:
    (tmp_path / "secret.jsonl").write_text("{}")
    with pytest.raises(MessageError, match="leads to no conversation"):
        Shelf(tmp_path / "links").take(token, tmp_path / "uploads")


def test_the_oldest_link_gives_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "KEPT", 3)
    links = Shelf(tmp_path)
    for _ in range(5):
        links.put(SESSION)
    assert len(list(tmp_path.iterdir())) == 3

"""Fifty tabs on one server at once, over HTTP: nobody ever sees a word of another; what those ask who look after it."""

from __future__ import annotations

import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.tab import PageMap, Tab

pytestmark = pytest.mark.slow
N_VISITORS = 50


def test_fifty_visitors_at_once_never_see_each_others_words(app_url: str) -> None:
    url = app_url.rstrip("/")
    first = Tab.open(url)
    page: PageMap = first.page
    first.close()

    def visit(number: int) -> tuple[list[str], list[str], list[str]]:
        tab = Tab.open(url, page)
        own = [f"a red dress for visitor {number}", f"and one in blue for visitor {number}"]
        shown = [tab.say(words) for words in own]
        tab.close()
        return own, shown[-1], tab.notices

    with ThreadPoolExecutor(N_VISITORS) as visitors:
        seen = list(visitors.map(visit, range(N_VISITORS)))
    busy = [notices for own, shown, notices in seen if shown != own]
    assert all(notices and "busy" in notices[-1] for notices in busy), busy
    assert len(busy) < N_VISITORS / 2, "most visitors must be served"
    for own, shown, _ in seen:
        assert set(shown) <= set(own)


def test_a_visitor_who_is_too_hasty_is_told_so_and_others_are_not(app_url: str) -> None:
    url = app_url.rstrip("/")
    hasty, calm = Tab.open(url), Tab.open(url)
    for _ in range(40):
        if not hasty.say("hello"):
            break
    assert hasty.notices
    assert "a lot at once" in hasty.notices[-1]
    assert calm.say("a red dress") == ["a red dress"]
    hasty.close()
    calm.close()


def test_health_and_measures_are_there_and_hold_no_words(app_url: str) -> None:
    tab = Tab.open(app_url.rstrip("/"))
    tab.say("a dress for Philomena Featherstonehaugh")
    tab.close()
    with urllib.request.urlopen(f"{app_url}healthz", timeout=30) as answer:
        assert (answer.status, b'"status":"ok"' in answer.read()) == (200, True)
    with urllib.request.urlopen(f"{app_url}metrics", timeout=30) as answer:
        text = answer.read().decode()
    assert 'dimity_turns_total{outcome="answered"}' in text
    assert "Philomena" not in text

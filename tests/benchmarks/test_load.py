from __future__ import annotations

import httpx
import pytest

from benchmarks.load import CONVERSATION, Tally, _is_own, _words, main, report
from benchmarks.tab import said


def test_words_of_another_visitor_are_noticed() -> None:
    assert _is_own(["a red dress", "in blue"], ["a red dress", "in blue"])
    assert _is_own(["in blue"], ["a red dress", "in blue"]), "a rollback shortens what is shown"
    assert not _is_own(["a red dress", "in blue"], ["in blue"])
    assert not _is_own(["in blue", "a red dress"], ["a red dress", "in blue"]), "the last words are not the latest"


def test_every_visitor_begins_with_words_of_their_own_and_then_stands_elsewhere() -> None:
    assert len({_words(number, 0) for number in range(50)}) == 50
    assert {_words(number, 1) for number in range(7)} == set(CONVERSATION[1:])


def test_the_report_counts_times_errors_and_what_the_server_used() -> None:
    tally = Tally(seconds=[0.1] * 95 + [2.0] * 5, mixed_up=1)
    tally.errors["gone"] = 2
    before = {"process_resident_memory_bytes": 5e8, "process_cpu_seconds_total": 10.0}
    lines = list(report(tally, before, {"process_resident_memory_bytes": 6e8, "process_cpu_seconds_total": 15.0}))
    assert " ".join(lines[0].split()) == "a text turn n 100 p50 0.100 s p95 0.195 s max 2.000 s"
    assert lines[1].startswith("errors 2 ")
    assert lines[2].endswith(" 1")
    assert lines[-2:] == [
        "server: 500 MB before, 600 MB after",
        "server: 50 ms of processor time a turn, openings included",
    ]


def test_what_a_visitor_said_is_read_from_both_forms_of_a_chat() -> None:
    parts = [{"type": "text", "text": "like this"}, {"type": "file", "path": "a.png"}]
    chat = [
        {"role": "user", "content": "a dress"},
        {"role": "assistant", "content": "Here."},
        {"role": "user", "content": parts},
    ]
    assert said(chat) == ["a dress", "like this"]


def test_a_server_that_is_not_there_is_no_measurement() -> None:
    with pytest.raises(httpx.ConnectError):
        main(["--url", "http://127.0.0.1:9", "--clients", "1", "--seconds", "1"])

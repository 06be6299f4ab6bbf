"""Labelled utterances: the parts, and rows that are damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.planners.nearest import load_examples
from eval.runs import RunError
from eval.understanding import utterances
from eval.understanding.utterances import Utterance, read_utterances
from retrieval.schema import Intent

OLDER = Path(__file__).parents[2] / "agent" / "utterances.jsonl"


def test_each_part_has_every_intent_and_hundreds_of_utterances() -> None:
    for part in utterances.parts():
        found = read_utterances(part)
        assert len(found) > 250
        assert {utterance.intent for utterance in found} == set(Intent)


def test_no_test_utterance_is_learnt_from_or_looked_at_elsewhere() -> None:
    test = {utterance.text.lower() for utterance in read_utterances("test")}
    assert not test & {text.lower() for text, _ in load_examples()}
    assert not test & {utterance.text.lower() for utterance in read_utterances("dev")}
    older = (json.loads(line)["text"].lower() for line in OLDER.read_text(encoding="utf-8").splitlines())
    assert not test & set(older)


def test_the_labels_of_a_row_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = '{"before": ["dresses"], "text": "the second in red", "intent": "modify", "references": ["2"], "filters": []}'
    (tmp_path / "dev.jsonl").write_text(row + "\n", encoding="utf-8")
    monkeypatch.setattr(utterances, "DATA", tmp_path)
    assert read_utterances("dev") == (
        Utterance("the second in red", Intent.MODIFY, ("dresses",), references=("2",), filters=()),
    )


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ('{"text": "hi"}', "one of the intents"),
        ('{"text": "hi", "intent": "greet"}', "one of the intents"),
        ('{"text": "hi", "intent": "other", "filter": []}', "unknown field 'filter'"),
    ],
)
def test_a_damaged_row_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, said: str) -> None:
    (tmp_path / "test.jsonl").write_text(row + "\n", encoding="utf-8")
    monkeypatch.setattr(utterances, "DATA", tmp_path)
    with pytest.raises(RunError, match=f"line 1 .*{said}"):
        read_utterances("test")

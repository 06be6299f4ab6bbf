"""Stage 3 at the paper's size by its command, on the smallest models of its classes and a benchmark of squares."""

import json
from dataclasses import replace

import pytest

from retrieval.fashion_am import paper, paper_query, train
from retrieval.fashion_am.chat import ChatLimits
from tests.eval.conftest import make_benchmark, sessions
from tests.training.tiny_models import save_clip, save_qwen


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "LIMITS", ChatLimits(pictures=2, picture_tokens=4, least_tokens=1))
    recorded = sessions()
    splits = {"s1": "train", "s2": "train", "s7": "val"}
    kept = [replace(each, split=splits[each.session_id]) for each in recorded if each.session_id in splits]
    return [
        "query", "--size", "paper", "--benchmark", str(make_benchmark(tmp_path / "benchmark", kept)),
        "--towers", str(save_clip(tmp_path / "clip")), "--backbone", str(save_qwen(tmp_path / "qwen")),
        "--out", str(tmp_path / "out"), "--export", str(tmp_path / "served"), "--precision", "no",
        "--batch", "6", "--suffix", "3", "--threads", "1",
    ]  # fmt: skip


def test_stage_3_of_the_paper_is_one_command(arguments, tmp_path, capsys):
    assert train.main(arguments) == 0
    assert "previous/success@5" in json.loads(capsys.readouterr().out)
    card = json.loads((tmp_path / "served" / "card.json").read_text())
    assert card["kind"] == "fashion_am_remote"
    assert card["suffix"] == 3
    assert card["settings"]["lora_rate"] == paper.QUERY.lora_rate, "the paper's values are the defaults"
    assert card["settings"]["epochs"] == 2
    losses = [json.loads(line)["loss"] for line in (tmp_path / "out" / "metrics.jsonl").read_text().splitlines()]
    assert len(losses) == 2
    assert (tmp_path / "served" / "model.safetensors").is_file()
    assert (tmp_path / "served" / card["base"] / "config.json").is_file()


def test_without_a_backbone_there_is_one_line(arguments, capsys):
    at = arguments.index("--backbone")
    assert train.main([*arguments[:at], *arguments[at + 2 :]]) == 2
    assert "--size paper needs --backbone" in capsys.readouterr().err


def test_every_stage_has_settings_of_the_papers_size():
    assert set(paper.SETTINGS) == {"background", "language", "query"}
    assert paper.defaults("background")["epochs"] == paper.defaults("language")["epochs"] == 32
    assert paper.QUERY.suffix == 64
    assert not paper.QUERY.residual
    assert paper_query.run.__doc__

"""A cross-encoder as the oracle of attribute weights, on a tiny checkpoint of the real class with random weights."""

import importlib
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import pytest
import torch

from eval.rqbench.oracle import open_oracle
from retrieval.fashion_am.torchvision_import import ensure_torchvision

ensure_torchvision()
transformers = importlib.import_module("transformers")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "blue", "dress", "shirt", "for", "women"]
PAIRS = [("red dress", "red dress for women"), ("blue shirt", "red dress for women"), ("red dress", "blue shirt")]


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        initializer_range=0.5, num_labels=1,
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).eval().save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS))
    transformers.BertTokenizer(vocab=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    return tmp_path


def test_a_cross_encoder_gives_the_models_own_logits(checkpoint):
    oracle = open_oracle(f"cross-encoder@{checkpoint}", "cpu")
    model = transformers.BertForSequenceClassification.from_pretrained(checkpoint)
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
    with torch.inference_mode():
        expected = [model(**tokenizer(*pair, return_tensors="pt")).logits.item() for pair in PAIRS]
    assert oracle.logits(PAIRS) == pytest.approx(np.array(expected), abs=1e-5)
    assert len(set(expected)) == 3
    assert "cross-encoder" in oracle.description
    assert "stand-in" not in oracle.description

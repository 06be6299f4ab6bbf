import pytest
import torch

from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.fashion_am.texts import TextBank, open_tokenizer, tokenized
from retrieval.fashion_am.towers import TextTower

TOKENIZER = open_tokenizer(DEFAULT_FOLDER / "tokenizer.json")


@pytest.fixture(scope="module")
def tower() -> TextTower:
    torch.manual_seed(0)
    return TextTower(16).eval()


def test_a_bank_gives_back_what_the_trunk_gave(tower):
    texts = ["red dress", "long sleeved blue shirt for men", "cap"]
    states, mask = TextBank.encode(tower, TOKENIZER, texts).batch(texts)
    with torch.no_grad():
        expected = tower.trunk(*tokenized(TOKENIZER, texts))
    torch.testing.assert_close(states[mask], expected[mask], atol=2e-3, rtol=0)


def test_a_cached_bank_encodes_only_what_it_lacks(tower, tmp_path, monkeypatch):
    file = tmp_path / "texts.pt"
    TextBank.cached(tower, TOKENIZER, ["red dress", "cap"], file)
    asked: list[str] = []
    encode = TextBank.encode

    def watched(tower, tokenizer, texts):
        asked.extend(texts)
        return encode(tower, tokenizer, texts)

    monkeypatch.setattr(TextBank, "encode", watched)
    bank = TextBank.cached(tower, TOKENIZER, ["red dress", "blue jeans"], file)
    assert asked == ["blue jeans"]
    whole = encode(tower, TOKENIZER, ["blue jeans", "cap"])
    for texts in (["blue jeans"], ["cap"]):
        torch.testing.assert_close(bank.batch(texts), whole.batch(texts))

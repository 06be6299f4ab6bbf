from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from retrieval.errors import TrainingError
from retrieval.fashion_am import vlp
from retrieval.fashion_am.texts import TextBank, open_tokenizer
from retrieval.fashion_am.trunk_cache import LOW_WIDTH, TRUNK_SHAPE, CachedProducts
from retrieval.fashion_am.vlp import (
    VlpSettings,
    VlpTowers,
    embed_texts,
    embed_views,
    name_success,
    positives_of,
    text_vectors,
    train,
)

TOKENIZER = Path(__file__).parents[2] / "assets" / "encoder" / "tokenizer.json"
WORDS = ["red", "blue", "green", "black", "white", "pink", "grey", "brown"]


@pytest.fixture(scope="module")
def material() -> CachedProducts:
    rng = np.random.default_rng(0)
    return CachedProducts(
        features=rng.normal(size=(24, *TRUNK_SHAPE)).astype(np.float16),
        low=rng.normal(size=(24, LOW_WIDTH)).astype(np.float32),
        names=[f"{word} shirt" for word in WORDS],
        captions=[[f"{word} top"] for word in WORDS],
        same=[f"shirt/{word}/men" for word in WORDS],
        views=[[i, 8 + i] for i in range(8)],
        sketches=[[16 + i] for i in range(8)],
        sketch_captions=[["shirt for men"] for _ in WORDS],
    )


SETTINGS = VlpSettings(dim=32, epochs=3, batch=4, sketches=2, warmup=2, average=0.5, save_every=1)


def run(material: CachedProducts, out: Path, settings: VlpSettings = SETTINGS) -> tuple[VlpTowers, TextBank]:
    torch.manual_seed(0)
    towers = VlpTowers(32)
    texts = {*material.names, *(c[0] for c in material.captions), "shirt for men"}
    bank = TextBank.encode(towers.text, open_tokenizer(TOKENIZER), texts)
    return train(towers, [material], bank, settings, out), bank


def test_eight_products_are_learnt_by_heart(material, tmp_path):
    fast = replace(SETTINGS, epochs=60, batch=8, sketches=0, head_rate=3e-3, text_rate=5e-4, save_every=1000)
    towers, bank = run(material, tmp_path, fast)
    found = name_success(
        embed_views(towers.picture, material), embed_texts(towers, bank, material.names), material.names, (1,)
    )
    assert found["success@1"] == 1.0


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_run_killed_after_any_step_ends_with_the_same_weights(material, tmp_path, monkeypatch, steps):
    whole, _ = run(material, tmp_path)
    (tmp_path / "checkpoint.pt").unlink()
    step_loss, n_done = vlp.step_loss, 0

    def killed_after(*arguments) -> torch.Tensor:
        nonlocal n_done
        if n_done == steps:
            raise KeyboardInterrupt
        n_done += 1
        return step_loss(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(vlp, "step_loss", killed_after)
        with pytest.raises(KeyboardInterrupt):
            run(material, tmp_path)
    resumed, _ = run(material, tmp_path)
    for (name, a), (_, b) in zip(whole.named_parameters(), resumed.named_parameters(), strict=True):
        assert torch.equal(a, b), name


def test_more_than_there_is_cannot_be_a_batch(material, tmp_path):
    with pytest.raises(TrainingError, match="lower --batch"):
        run(material, tmp_path, replace(SETTINGS, batch=9))


def test_a_checkpoint_of_other_settings_is_refused(material, tmp_path):
    run(material, tmp_path)
    with pytest.raises(TrainingError, match="other settings"):
        run(material, tmp_path, replace(SETTINGS, seed=1))


def test_captions_fit_every_product_with_the_same_attributes_and_names_only_their_own():
    positives = positives_of(["a", "b", "c"], [True, False, False], ["x", "x", "y"])
    assert positives.tolist() == [[True, True, False], [False, True, False], [False, False, True]]


def test_text_vectors_keep_the_order_of_their_texts(material):
    torch.manual_seed(0)
    towers = VlpTowers(16).eval()
    texts = ["red shirt", "a rather long wish for a green shirt with many more words", "cap", "blue shirt"]
    bank = TextBank.encode(towers.text, open_tokenizer(TOKENIZER), texts)
    with torch.no_grad():
        together = text_vectors(towers.text, bank, texts, n_groups=3)
        alone = torch.cat([towers.text.tail(*bank.batch([text])) for text in texts])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)

"""The RQ-VAE: levels that add up, a start that is kept, training that goes on as if it had never stopped."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from builders.fashion_rq import ablation, hierarchy, rqvae
from builders.fashion_rq.exclusivity import exclusivity_loss
from builders.fashion_rq.hierarchy import build_hierarchy, hierarchy_folder, levels_of, tuple_numbers
from builders.fashion_rq.hierarchy_settings import HierarchySettings
from builders.fashion_rq.rqvae import RQVAE
from retrieval.errors import TrainingError
from retrieval.rq_benchmark import Listing

SMALL = HierarchySettings(
    codebook=8, latent=8, hidden=(16,), epochs=3, batch=64, rate=3e-3, warm_steps=10, start_sample=256
)
KINDS, COLOURS = ("Shirts", "Shoes", "Watches", "Bags"), ("Red", "Blue", "Green")
N = 300


@pytest.fixture(scope="module")
def listings() -> list[Listing]:
    return [
        Listing(str(at), "", "", {"product_type": KINDS[at % 4], "colour": COLOURS[at % 3], "gender": "Men"}, ())
        for at in range(N)
    ]


@pytest.fixture(scope="module")
def vectors(listings: list[Listing]) -> np.ndarray:
    """Kinds lie far apart, colours less so."""
    rng = np.random.default_rng(0)
    axes = {word: rng.normal(size=32) * (2 if word in KINDS else 1) for word in (*KINDS, *COLOURS)}
    rows = [sum(axes[str(one.attributes[name])] for name in ("product_type", "colour")) for one in listings]
    made = np.stack(rows) + rng.normal(size=(N, 32)) * 0.3
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def build(vectors: np.ndarray, listings: list[Listing], out: Path, settings: HierarchySettings = SMALL) -> np.ndarray:
    return build_hierarchy(vectors, listings, settings, out, progress=False)


@pytest.mark.parametrize("estimator", ["straight_through", "rotation"])
def test_the_levels_add_up_and_their_gradient_reaches_the_encoder(vectors: np.ndarray, estimator: str) -> None:
    model = RQVAE(32, replace(SMALL, estimator=estimator))
    rqvae._start(model, vectors, SMALL)
    x = torch.from_numpy(vectors[:64])
    _, codes, levels, commitment = model(x)
    books = [quantiser.codebook for quantiser in model.quantisers]
    reached = torch.zeros(64, SMALL.latent)
    for at, level in enumerate(levels):
        # the codebooks move on with the batch, so only what belongs to one level is compared
        step = level - (levels[at - 1] if at else 0)
        assert all(
            bool(torch.allclose(*step[codes[:, at] == code][[0, -1]], atol=1e-4)) for code in set(codes[:, at].tolist())
        )
        reached = reached + step
    assert len(books) == 3
    assert torch.allclose(reached, levels[-1], atol=1e-5)
    (levels[-1].sum() + commitment).backward()
    assert all(float(p.grad.abs().sum()) > 0 for p in model.encoder.parameters())


def test_each_level_takes_the_nearest_code_of_what_is_left(vectors: np.ndarray) -> None:
    model = RQVAE(32, SMALL)
    rqvae._start(model, vectors, SMALL)
    codes, _ = rqvae.encode(model, vectors)
    with torch.no_grad():
        left = model.encoder(torch.from_numpy(vectors))
        for at, quantiser in enumerate(model.quantisers):
            nearest = torch.cdist(left, quantiser.codebook).argmin(1)
            assert nearest.tolist() == codes[:, at].tolist()
            left = left - quantiser.codebook[nearest]


def test_the_start_of_the_codebooks_is_kept_with_the_weights(vectors: np.ndarray) -> None:
    model, other = RQVAE(32, SMALL), RQVAE(32, SMALL)
    assert not model.is_started()
    rqvae._start(model, vectors, SMALL)
    other.load_state_dict(model.state_dict())
    assert other.is_started()
    before = other.quantisers[0].codebook.clone()
    other.eval()
    other(torch.from_numpy(vectors[:5]))
    assert torch.equal(before, other.quantisers[0].codebook)


def test_a_dead_code_is_placed_anew(vectors: np.ndarray) -> None:
    model = RQVAE(32, SMALL)
    rqvae._start(model, vectors, SMALL)
    book = model.quantisers[0]._codebook
    book.embed.data[0, 0] = 100.0
    book.embed_avg.data[0, 0] = 0.0
    book.cluster_size.data[0, 0] = 0.0
    model.train()
    model(torch.from_numpy(vectors))
    assert float(book.embed[0, 0].abs().max()) < 50


def test_the_exclusivity_loss_is_small_where_tuples_lie_together() -> None:
    keys = torch.tensor([[0], [0], [1], [1]])
    apart = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    mixed = apart[[0, 2, 1, 3]]
    assert float(exclusivity_loss(apart[None], keys, 0.1)) < 0.01
    # by hand: each meets its own at cosine 0, one other at 1 and one at 0
    assert float(exclusivity_loss(mixed[None], keys, 0.1)) == pytest.approx(math.log(math.exp(10) + 2), abs=1e-4)


def test_the_exclusivity_loss_of_products_that_share_nothing_is_0() -> None:
    level = torch.randn(3, 4, requires_grad=True)
    loss = exclusivity_loss(level[None], torch.arange(3)[:, None], 0.1)
    loss.backward()
    assert float(loss.detach()) == 0


def test_tuples_get_finer_by_level(listings: list[Listing]) -> None:
    numbers = tuple_numbers(listings, SMALL)
    assert [len(set(numbers[:, level])) for level in range(3)] == [4, 12, 12]


def test_products_of_a_kind_come_together_and_clusters_get_finer(vectors, listings, tmp_path: Path) -> None:
    settings = replace(SMALL, epochs=12)
    codes = build(vectors, listings, tmp_path, settings)
    levels = levels_of(hierarchy_folder(vectors, listings, settings, tmp_path))
    assert codes.shape == (N, 3)
    assert codes.dtype == np.int64
    purity = [level["purity"]["product_type"] for level in levels]
    assert purity == sorted(purity)
    assert purity[-1] > 0.9
    assert levels[0]["clusters"] <= levels[1]["clusters"] <= levels[2]["clusters"]


def test_a_finished_hierarchy_is_read_without_training(vectors, listings, tmp_path: Path, monkeypatch) -> None:
    first = build(vectors, listings, tmp_path)
    monkeypatch.setattr(rqvae, "train", None)
    assert np.array_equal(build(vectors, listings, tmp_path), first)


def test_the_same_seed_gives_the_same_codes_and_another_seed_others(vectors, listings, tmp_path: Path) -> None:
    first = build(vectors, listings, tmp_path / "1")
    torch.rand(7)  # what else the program draws has no part in it
    assert np.array_equal(build(vectors, listings, tmp_path / "2"), first)
    assert not np.array_equal(build(vectors, listings, tmp_path / "3", replace(SMALL, seed=1)), first)


def test_a_killed_training_goes_on_with_the_same_result(vectors, listings, tmp_path: Path, monkeypatch) -> None:
    whole = build(vectors, listings, tmp_path / "whole")
    real, calls = rqvae._one_epoch, []

    def killed(*arguments) -> None:
        calls.append(0)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(*arguments)

    monkeypatch.setattr(rqvae, "_one_epoch", killed)
    with pytest.raises(KeyboardInterrupt):
        build(vectors, listings, tmp_path / "cut")
    torch.rand(3)
    assert np.array_equal(build(vectors, listings, tmp_path / "cut"), whole)
    assert len(calls) == 4
    folders = [hierarchy_folder(vectors, listings, SMALL, tmp_path / name) for name in ("whole", "cut")]
    assert len({(folder / hierarchy.METRICS).read_text() for folder in folders}) == 1


def test_every_epoch_is_measured_on_the_whole_catalogue(vectors, listings, tmp_path: Path) -> None:
    build(vectors, listings, tmp_path)
    folder = hierarchy_folder(vectors, listings, SMALL, tmp_path)
    epochs = [json.loads(line) for line in (folder / hierarchy.METRICS).read_text().splitlines()]
    assert [epoch["epoch"] for epoch in epochs] == [1, 2, 3]
    assert all(epoch["levels"][0]["dead"] + epoch["levels"][0]["clusters"] == 8 for epoch in epochs)
    assert all(0 <= epoch["collisions"] <= N for epoch in epochs)


def test_a_codebook_larger_than_the_catalogue_is_refused(vectors, listings, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="larger than the catalogue of 300"):
        build(vectors, listings, tmp_path, replace(SMALL, codebook=301))


def test_a_loss_that_is_no_number_stops_the_training(vectors, listings, tmp_path: Path) -> None:
    broken = vectors.copy()
    broken[7] = np.nan
    with pytest.raises(TrainingError, match="is no number"):
        build(broken, listings, tmp_path)


def test_a_damaged_checkpoint_says_what_to_do(vectors, listings, tmp_path: Path) -> None:
    folder = hierarchy_folder(vectors, listings, SMALL, tmp_path)
    folder.mkdir(parents=True)
    (folder / hierarchy.CHECKPOINT).write_bytes(b"cut")
    with pytest.raises(TrainingError, match="delete it"):
        build(vectors, listings, tmp_path)


def test_other_settings_vectors_or_attributes_have_their_own_folder(vectors, listings, tmp_path: Path) -> None:
    other = [replace(listings[0], attributes={"product_type": "Bags"}), *listings[1:]]
    folders = {
        hierarchy_folder(*known, tmp_path)
        for known in (
            (vectors, listings, SMALL), (vectors, listings, replace(SMALL, beta=0.5)), (-vectors, listings, SMALL),
            (vectors, other, SMALL),
        )
    }  # fmt: skip
    assert len(folders) == 4


def test_the_ablation_prints_both_tables_and_the_losss_effect(tmp_path: Path, capsys) -> None:
    shop = tmp_path / "shop"
    (shop / "images").mkdir(parents=True)
    rows = ["id,articleType,baseColour,gender,usage,productDisplayName"]
    for at in range(40):
        rows.append(f"{at},{KINDS[at % 4]},{COLOURS[at % 3]},Men,Casual,{COLOURS[at % 3]} {KINDS[at % 4]} {at}")
        Image.new("RGB", (16, 16), (at * 6, 90 * (at % 3), 160)).save(shop / "images" / f"{at}.png")
    (shop / "styles.csv").write_text("\n".join(rows), encoding="utf-8")
    known = ["--gallery", str(shop), "--out", str(tmp_path / "out"), "--epochs", "1"]
    assert ablation.main([*known, "--codebooks", "4", "8", "--seeds", "0", "1"]) == 0
    printed = capsys.readouterr().out
    assert "| 8, D3 |" in printed
    assert printed.count("\n| 0.5 |") == printed.count("\n| 0 |") == 3
    assert len(list((tmp_path / "out").glob("hierarchy-*"))) == 5

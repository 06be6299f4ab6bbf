"""Stages 1 and 2 on small made-up items, and what must never be among them."""

import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image as Pillow
from torch.nn import functional as F

from retrieval.benchmark import read_benchmark
from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.encoders.preprocess import pixels
from retrieval.errors import BenchmarkError, EncoderError, TrainingError
from retrieval.fashion_am import background, language, stage_files
from retrieval.fashion_am.background import AlignSettings, CachedItems
from retrieval.fashion_am.data import Sample, fpi_rows
from retrieval.fashion_am.items import benchmark_items, clean, photo_items, refuse_unknown_sources, with_clean_view
from retrieval.fashion_am.language import LanguageSettings, Texts
from retrieval.fashion_am.losses import align_loss, caption_loss
from retrieval.fashion_am.towers import PictureTower
from retrieval.fashion_am.trunk_cache import LOW_WIDTH, TRUNK_SHAPE, CachedProducts
from retrieval.recorded import held_out_products
from tests.eval.conftest import make_benchmark, name

N = 16
SHAPE = (TRUNK_SHAPE[0], 3, 3)
"""Of features: smaller than a picture's, for nothing depends on their height and width."""


@pytest.fixture(scope="module")
def items() -> CachedItems:
    """Each item's raw views are its clean one with the same disturbance in all."""
    rng = np.random.default_rng(0)
    of_item = rng.normal(size=(N, *SHAPE))
    ground = 2 * rng.normal(size=(2, *SHAPE))
    views = np.concatenate([of_item, of_item + ground[0], of_item + ground[1]])
    return CachedItems(
        [
            CachedProducts(
                features=views.astype(np.float16),
                low=rng.normal(size=(3 * N, LOW_WIDTH)).astype(np.float32),
                names=[f"shirt {i}" for i in range(N)],
                captions=[[f"colour {i // 2} shirt"] for i in range(N)],
                same=[f"shirt/{i // 2}/men" for i in range(N)],
                views=[[i, N + i, 2 * N + i] for i in range(N)],
                sketches=[[] for _ in range(N)],
                sketch_captions=[[] for _ in range(N)],
            )
        ]
    )


def tower() -> PictureTower:
    torch.manual_seed(1)
    return PictureTower(32).eval()


def encode(texts) -> torch.Tensor:
    """Another vector for each text, and always the same."""
    drawn = [torch.randn(32, generator=torch.Generator().manual_seed(zlib.crc32(text.encode()))) for text in texts]
    return F.normalize(torch.stack(drawn), dim=1)


@pytest.mark.parametrize("part", ["names", "captions", "same", "views", "low", "features"])
def test_items_are_others_when_their_words_or_views_or_pictures_are(items, part):
    material = items.materials[0]
    changed = getattr(material, part)[::-1]
    assert CachedItems([replace(material)]).content() == items.content()
    assert CachedItems([replace(material, **{part: changed})]).content() != items.content()


def test_texts_are_others_when_another_tower_read_them(items):
    texts = Texts(items.materials, encode)
    assert Texts(items.materials, encode).content() == texts.content()
    assert Texts(items.materials, lambda some: -encode(some)).content() != texts.content()


def test_raw_pictures_come_near_the_vectors_of_the_clean_ones(items, tmp_path):
    start = tower()
    anchor = background.anchors(start, items)
    before = background.clutter_cosine(start, items, anchor)
    settings = AlignSettings(epochs=10, batch=16, warmup=2, rate=3e-3, average=0.0)
    after = background.clutter_cosine(background.align(start, items, settings, tmp_path), items, anchor)
    assert after > before + 0.05


def test_stage_1_leaves_the_tower_it_starts_from_and_the_frozen_trunk_as_they_are(items, tmp_path):
    start = tower()
    kept = {key: value.clone() for key, value in start.state_dict().items()}
    trained = background.align(start, items, AlignSettings(epochs=2, batch=16, warmup=1, average=0.0), tmp_path)
    assert all(torch.equal(value, kept[key]) for key, value in start.state_dict().items())
    assert torch.equal(trained.blocks[0].project.weight, kept["blocks.0.project.weight"])
    assert not torch.equal(trained.head.linear.weight, kept["head.linear.weight"])


def test_anchors_that_are_known_are_not_computed_again(items, tmp_path, monkeypatch):
    start, settings = tower(), AlignSettings(epochs=1, batch=16, warmup=1, average=0.0)
    anchor = background.anchors(start, items)
    own = background.align(start, items, settings, tmp_path / "own")
    monkeypatch.setattr(background, "anchors", None)
    given = background.align(start, items, settings, tmp_path / "given", anchor=anchor)
    assert torch.equal(own.head.linear.weight, given.head.linear.weight)


def test_align_loss_is_the_symmetric_contrastive_loss_plus_the_pair_loss():
    torch.manual_seed(0)
    raw, anchor = F.normalize(torch.randn(5, 8), dim=1), F.normalize(torch.randn(5, 8), dim=1)
    logits = 10 * raw @ anchor.T
    rows = -torch.log_softmax(logits, 1).diagonal().mean()
    columns = -torch.log_softmax(logits, 0).diagonal().mean()
    pairs = 1 - (raw * anchor).sum(1).mean()
    expected = (rows + columns) / 2 + 0.5 * pairs
    torch.testing.assert_close(align_loss(raw, anchor, torch.tensor(10.0), 0.5), expected)


@pytest.mark.parametrize(("scope", "first"), [("last1", 15), ("last2", 14), ("last3", 13), ("all", 11)])
def test_only_the_blocks_of_its_scope_learn(items, tmp_path, scope, first):
    start = tower()
    settings = LanguageSettings(epochs=1, batch=16, warmup=1, rate=1e-3, average=0.0, scope=scope)
    trained = language.adapt(start, items, Texts(items.materials, encode), settings, tmp_path)
    changed = [
        i
        for i, (a, b) in enumerate(zip(start.blocks, trained.blocks, strict=True))
        if not torch.equal(a.project.weight, b.project.weight)
    ]
    assert changed == list(range(first, 16))


def test_pictures_find_their_names_after_stage_2(items, tmp_path):
    texts = Texts(items.materials, encode)
    settings = LanguageSettings(epochs=40, batch=16, warmup=2, rate=1e-3, average=0.0, name_share=1.0)
    trained = language.adapt(tower(), items, texts, settings, tmp_path)
    with torch.no_grad():
        pictures = trained.embed(items.inputs(range(N), [items.clean_view(row) for row in range(N)]))
    names = texts.vectors[[texts.row[f"shirt {i}"] for i in range(N)]]
    assert (pictures @ names.T).argmax(1).tolist() == list(range(N))


def test_captions_of_equal_attributes_and_own_names_are_no_negatives(items):
    texts = Texts(items.materials, encode)
    others = [texts.row["colour 0 shirt"], texts.row["shirt 1"], texts.row["colour 3 shirt"], texts.row["shirt 0"]]
    assert texts.masked([0, 1], others).tolist() == [[True, False, False, True], [True, True, False, False]]


def test_swapped_captions_name_another_kind_or_colour_and_fit_whoever_has_both():
    same = ["0/Shirts/Red/Men", "0/Jeans/Blue/Men", "1/photo/shirt"]
    captions = ["red shirts for men, casual", "blue jeans for men", "my shirt"]
    first, second, photo = language.swapped_captions(same, captions, 12)
    assert set(first) == {
        ("0/Jeans/Red/Men", "red jeans for men, casual"),
        ("0/Shirts/Blue/Men", "blue shirts for men, casual"),
    }
    assert ("0/Jeans/Red/Men", "red jeans for men") in second
    assert photo == []


def test_further_texts_count_for_pictures_alone():
    torch.manual_seed(0)
    pictures, texts, others = (F.normalize(torch.randn(n, 8), dim=1) for n in (3, 3, 4))
    masked = torch.zeros(3, 4, dtype=torch.bool)
    masked[0, 1] = True
    rows = 5 * torch.cat([pictures @ texts.T, pictures @ others.T], 1)
    rows[0, 4] = float("-inf")
    to_texts = -torch.log_softmax(rows, 1)[:, :3].diagonal().mean()
    to_pictures = -torch.log_softmax(5 * pictures @ texts.T, 0).diagonal().mean()
    found = caption_loss(pictures, texts, torch.eye(3, dtype=torch.bool), others, masked, torch.tensor(5.0))
    torch.testing.assert_close(found, (to_texts + to_pictures) / 2)


def test_no_picture_of_a_product_that_a_test_session_touches_is_trained_on(tmp_path):
    benchmark = read_benchmark(make_benchmark(tmp_path / "b"))
    held_out = held_out_products(benchmark)
    touched = {
        image_id
        for session in benchmark.sessions
        if session.split != "train"
        for turn in session.turns
        for image_id in (turn.chosen, *turn.references, *benchmark.qrels[session.query_id(turn)])
    }
    assert {name("Dress", "Red"), name("Shirt", "Blue")} < touched
    trained = {sample.key for sample in benchmark_items(benchmark, "squares", held_out, [])}
    assert trained
    assert not trained & touched
    assert name("Skirt", "Blue") in trained  # only a train session asks for it


def test_a_clean_view_is_white_where_the_ground_was():
    picture = Pillow.new("RGB", (60, 80), (250, 249, 251))
    picture.paste((200, 10, 10), (20, 20, 40, 60))
    cleaned = clean(picture)
    assert cleaned.getpixel((2, 2)) == (255, 255, 255)
    assert cleaned.getpixel((30, 40)) == (200, 10, 10)


def test_photos_without_a_mask_or_with_an_empty_one_are_left_out(tmp_path):
    photo = Pillow.new("RGB", (40, 40), (10, 20, 30))
    Pillow.new("L", (20, 20), 0).save(tmp_path / "empty.png")
    half = Pillow.new("L", (20, 20), 0)
    half.paste(255, (0, 0, 10, 20))
    half.save(tmp_path / "half.png")
    samples = [Sample(key, (photo,), "", ("shirt",), "photo/shirt") for key in ("empty", "half", "none")]
    (found,) = photo_items(samples, tmp_path)
    assert found.key == "half"
    assert found.views[0].getpixel((2, 20)) == (10, 20, 30)
    assert found.views[0].getpixel((38, 20)) == (255, 255, 255)


def test_a_sample_gets_its_clean_view_first_and_the_same_views_each_time():
    picture = Pillow.new("RGB", (60, 80), "white")
    picture.paste((200, 10, 10), (20, 20, 40, 60))
    sample = Sample("x", (picture,), "shirt", ("red shirt",), "shirt/red/men")
    one, other = with_clean_view(sample, []), with_clean_view(sample, [])
    assert [v.tobytes() for v in one.views] == [v.tobytes() for v in other.views]
    assert one.views[1] is picture
    assert one.views[3].getpixel((0, 0)) != (255, 255, 255)


def test_a_tower_comes_back_from_its_file_and_a_foreign_one_is_refused(tmp_path):
    start = tower()
    stage_files.write_picture_tower(start, tmp_path, {"stage": "background"})
    back = stage_files.read_picture_tower(tmp_path)
    assert all(torch.equal(value, back.state_dict()[key]) for key, value in start.state_dict().items())
    with pytest.raises(EncoderError, match="name the --out"):
        stage_files.read_picture_tower(Path(tmp_path / "nowhere"))


@pytest.mark.parametrize("name", ["picture.safetensors", "picture.onnx"])
def test_a_damaged_tower_is_told_of(tmp_path, name):
    (tmp_path / name).write_bytes(b"cut off")
    with pytest.raises(EncoderError, match="cut or damaged"):
        stage_files.read_picture_tower(tmp_path)


def test_a_tower_goes_on_from_the_shipped_encoder():
    start = stage_files.read_picture_tower(DEFAULT_FOLDER)
    picture = Pillow.new("RGB", (60, 80), "white")
    picture.paste((200, 10, 10), (20, 20, 40, 60))
    shipped = EmbeddedEncoder.open().encode_pictures([picture])
    with torch.no_grad():
        again = start(torch.from_numpy(pixels(picture))[None]).numpy()
    assert (shipped * again).sum() > 0.9999


def test_a_benchmark_whose_held_out_products_cannot_be_told_is_refused(tmp_path):
    benchmark = read_benchmark(make_benchmark(tmp_path / "b"))
    with pytest.raises(BenchmarkError, match="none named 'fpi'"):
        refuse_unknown_sources(benchmark)


def test_a_folder_without_the_catalogue_is_said_to_be_one(tmp_path):
    with pytest.raises(TrainingError, match="holds no Parquet file"):
        list(fpi_rows(tmp_path, "train"))

"""CLIP through stages 1 and 2: the real classes of transformers and open_clip, random weights, a few steps."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image as Pictures

from retrieval.encoders.opening import open_encoder
from retrieval.errors import EncoderError, MessageError
from retrieval.fashion_am import background, language, paper, stage_files, trunk_cache
from retrieval.fashion_am.background import CachedItems
from retrieval.fashion_am.clip import Clip, PixelTrunk, cut_between_words, open_towers
from retrieval.fashion_am.clip_conversion import converted
from retrieval.fashion_am.clip_encoder import ClipEncoder
from retrieval.fashion_am.data import Sample
from retrieval.fashion_am.language import Texts
from retrieval.protocols import Manifest
from retrieval.schema import Image as PictureName
from retrieval.schema import Item, Query
from tests.training.tiny_models import save_clip, tiny_open_clip

COLOURS = ["red", "navy", "olive", "pink", "black", "gold", "teal", "white"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture
def clip(folder) -> Clip:
    return open_towers(str(folder))


@pytest.fixture(scope="module")
def materials(folder, tmp_path_factory):
    """Garments of one colour each: alone on white, and on a grey ground."""
    samples = []
    for colour in COLOURS:
        views = []
        for ground in ("white", "grey", "dimgrey"):
            view = Pictures.new("RGB", (40, 56), ground)
            view.paste(colour, (10, 14, 30, 42))
            views.append(view)
        samples.append(
            Sample(colour, tuple(views), "", (f"a {colour} dress", f"{colour} dress"), f"dress/{colour}/women")
        )
    trunk = PixelTrunk(open_towers(str(folder)))
    return [trunk_cache.cache(samples, trunk, tmp_path_factory.mktemp("cache") / "items", batch=5)]


@pytest.mark.parametrize("quick", [True, False])
def test_a_model_of_open_clip_is_the_same_under_transformers(quick):
    theirs = tiny_open_clip(quick)
    ours = converted(theirs)
    assert ours.model.config.vision_config.hidden_act == ("quick_gelu" if quick else "gelu")
    import open_clip

    pixels = torch.randint(0, 256, (3, 3, ours.side, ours.side))
    texts = ["A red dress, café 123!", "isn't it  nice\nblue jeans <b>", ""]
    with torch.no_grad():
        seen = theirs.encode_image((pixels / 255 - ours.mean) / ours.std, normalize=True)
        said = theirs.encode_text(open_clip.SimpleTokenizer()(texts), normalize=True)
        torch.testing.assert_close(ours.encode(pixels), seen, atol=1e-5, rtol=0)
        torch.testing.assert_close(ours.encode_texts(texts), said, atol=1e-5, rtol=0)


def test_an_architecture_that_is_no_plain_clip_is_refused():
    theirs = tiny_open_clip(True)
    theirs.visual = torch.nn.Identity()
    with pytest.raises(EncoderError, match="no CLIP with a vision transformer"):
        converted(theirs)


def test_preprocessing_is_that_of_transformers(clip, folder):
    from transformers import CLIPImageProcessorPil

    theirs = CLIPImageProcessorPil.from_pretrained(folder)
    rng = np.random.default_rng(0)
    for size in ((50, 90), (33, 32), (31, 20), (200, 133)):
        picture = Pictures.fromarray(rng.integers(0, 256, (*size[::-1], 3), dtype=np.uint8))
        ours = (torch.from_numpy(clip.pixels(picture)) / 255 - clip.mean) / clip.std
        torch.testing.assert_close(ours, torch.as_tensor(np.array(theirs(images=picture)["pixel_values"][0])))


def test_a_vector_does_not_depend_on_the_others_of_its_batch(clip):
    pixels = torch.randint(0, 256, (5, 3, clip.side, clip.side))
    texts = ["a red dress", "a rather long wish for a green shirt with sleeves", "cap"]
    with torch.no_grad():
        alone = torch.cat([clip.encode(pixels[i : i + 1]) for i in range(5)])
        torch.testing.assert_close(clip.encode(pixels), alone, atol=1e-6, rtol=0)
        alone = torch.cat([clip.encode_texts([text]) for text in texts])
        torch.testing.assert_close(clip.encode_texts(texts), alone, atol=1e-6, rtol=0)


def test_captions_are_cut_between_words(clip):
    assert cut_between_words("one two three four", lambda text: len(text) <= 9) == "one two"
    assert cut_between_words("one two", lambda text: len(text) <= 9) == "one two"
    assert cut_between_words("extraordinarily", lambda _: False) == "extraordinarily"
    long = " ".join(["embroidered"] * 100)
    kept = cut_between_words(long, clip._fits)
    assert clip._fits(kept)
    assert not clip._fits(f"{kept} embroidered")
    with torch.no_grad():
        torch.testing.assert_close(clip.encode_texts([long, kept])[0], clip.encode_texts([kept])[0])


def test_scopes_are_those_of_table_9(clip):
    names = {id(parameter): name for name, parameter in clip.named_parameters()}
    found = {
        scope: {names[id(parameter)].removeprefix("model.") for parameter in clip.parameters_in(scope)}
        for scope in ("all", "last1", "last2", "last3", "last2+text")
    }
    assert len(found["last1"]) < len(found["last2"]) < len(found["last3"]) < len(found["all"])
    layers = {name.split(".")[3] for name in found["last2"] if "layers" in name}
    assert layers == {"1", "2"}
    assert {name for name in found["last2"] if "layers" not in name} == {
        "vision_model.post_layernorm.weight", "vision_model.post_layernorm.bias", "visual_projection.weight",
    }  # fmt: skip
    assert not [name for name in found["all"] if name.startswith("text")]
    assert {name.split(".")[0] for name in found["last2+text"] - found["last2"]} == {"text_model", "text_projection"}
    with pytest.raises(EncoderError, match="no scope"):
        clip.parameters_in("last9")


def losses(out) -> list[float]:
    return [json.loads(line)["loss"] for line in (out / "metrics.jsonl").read_text().splitlines()]


def test_stage_1_learns_in_the_picture_tower_alone_and_alike_in_chunks(clip, materials, tmp_path):
    items, before = CachedItems(materials), {name: value.clone() for name, value in clip.state_dict().items()}
    settings = replace(paper.ALIGN, epochs=8, batch=8, rate=1e-3, warmup=1)
    whole = background.align(clip, items, settings, tmp_path / "whole")
    chunks = background.align(clip, items, settings, tmp_path / "chunks", chunk=3)
    found = losses(tmp_path / "whole")
    assert found[-1] < found[0] - 0.05, found
    np.testing.assert_allclose(losses(tmp_path / "chunks"), found, atol=1e-3)
    pixels = items.inputs(range(8), [items.clean_view(row) for row in range(8)])
    with torch.no_grad():
        torch.testing.assert_close(chunks.embed(pixels), whole.embed(pixels), atol=1e-2, rtol=0)
    for name, value in clip.state_dict().items():
        assert torch.equal(value, before[name]), "the tower that was given has changed"
    changed = {name for name, value in whole.state_dict().items() if not torch.equal(value, before[name])}
    assert changed
    assert not [name for name in changed if "text" in name]


@pytest.mark.parametrize("scope", ["last2", "last2+text"])
def test_stage_2_brings_pictures_to_their_captions(clip, materials, tmp_path, scope):
    def encode(texts) -> torch.Tensor:
        with torch.no_grad():
            return clip.encode_texts(texts)

    items, texts = CachedItems(materials), Texts(materials, encode)
    settings = replace(paper.LANGUAGE, epochs=12, batch=8, rate=1e-3, warmup=1, scope=scope)
    trained = language.adapt(clip, items, texts, settings, tmp_path, chunk=5)
    found = losses(tmp_path)
    assert found[-1] < found[0] - 0.05, found
    changed = {name for name, value in trained.named_parameters() if not torch.equal(value, clip.get_parameter(name))}
    allowed = {id(parameter) for parameter in trained.parameters_in(scope)}
    assert {id(trained.get_parameter(name)) for name in changed} <= allowed
    assert any("text" in name for name in changed) == (scope == "last2+text")


def test_towers_that_a_stage_left_are_opened_by_the_next(clip, tmp_path):
    stage_files.write_tower(clip, tmp_path, {"stage": "background"})
    again = open_towers(str(tmp_path / "clip"))
    assert open_encoder(tmp_path / "clip").manifest == ClipEncoder(clip).manifest
    assert again.revision() == clip.revision()
    with torch.no_grad():
        next(again.parameters()).add_(1)
    assert again.revision() != clip.revision()
    pixels = torch.randint(0, 256, (1, 3, clip.side, clip.side))
    with torch.no_grad():
        torch.testing.assert_close(open_towers(str(tmp_path / "clip")).encode(pixels), clip.encode(pixels))


def test_names_without_a_model_are_errors(tmp_path):
    with pytest.raises(EncoderError, match="no CLIP"):
        open_towers(str(tmp_path / "nothing"))
    with pytest.raises(EncoderError, match="open_clip has no"):
        open_towers("open_clip:ViT-L-14/no-such-weights")


def test_clip_is_an_encoder_of_the_shop(clip, tmp_path):
    encoder = ClipEncoder(clip)
    assert encoder.manifest == Manifest("clip", clip.revision(), clip.dim)
    picture = Pictures.new("RGB", (60, 80), "navy")
    picture.save(tmp_path / "a.png")
    image = PictureName("a", str(tmp_path / "a.png"))
    item = encoder.encode_items([Item("a", image, "a dress")], [picture])
    shown, said, both, away = encoder.encode_queries(
        [
            Query("1", references=(image,)),
            Query("2", "red"),
            Query("3", "red", (image,)),
            Query("4", "red", unwanted_images=(image,)),
        ]
    )
    np.testing.assert_allclose(item[0], shown, atol=1e-6)
    np.testing.assert_allclose(both, (shown + said) / np.linalg.norm(shown + said), atol=1e-5)
    np.testing.assert_allclose(away, (said - shown / 2) / np.linalg.norm(said - shown / 2), atol=1e-5)
    with pytest.raises(MessageError):
        encoder.encode_queries([Query("5")])

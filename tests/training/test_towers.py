import json

import numpy as np
import onnxruntime as ort
import pytest
import torch
from PIL import Image

from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.encoders.preprocess import pixels
from retrieval.errors import EncoderError
from retrieval.fashion_am.export import export_encoder, export_trunk
from retrieval.fashion_am.texts import open_tokenizer, tokenized
from retrieval.fashion_am.towers import PictureTower, SameConv, TextTower
from retrieval.schema import Query

TOKENIZER = DEFAULT_FOLDER / "tokenizer.json"
TEXTS = ["a red dress", "black leather running shoes for men with a white sole", "cap"]


def pictures(n: int) -> list[Image.Image]:
    return [Image.fromarray(np.random.default_rng(i).integers(0, 255, (80, 60, 3), dtype=np.uint8)) for i in range(n)]


def test_same_padding_halves_odd_and_even_sides_as_tensorflow_does():
    conv = SameConv(1, 1, 3, 2)
    assert conv(torch.zeros(1, 1, 160, 128)).shape[-2:] == (80, 64)
    assert conv(torch.zeros(1, 1, 5, 4)).shape[-2:] == (3, 2)


def test_text_vectors_do_not_depend_on_padding():
    tower = TextTower(16).eval()
    tokenizer = open_tokenizer(TOKENIZER)
    with torch.no_grad():
        together, _ = tower(*tokenized(tokenizer, TEXTS))
        alone, _ = tower(*tokenized(tokenizer, TEXTS[:1]))
    torch.testing.assert_close(together[:1], alone, atol=1e-5, rtol=0)


def test_the_exported_trunk_gives_what_torch_gives(tmp_path):
    tower = PictureTower(16).eval()
    export_trunk(tower, tmp_path / "trunk.onnx")
    batch = np.stack([pixels(p) for p in pictures(3)])
    features, low = ort.InferenceSession(str(tmp_path / "trunk.onnx")).run(None, {"pixels": batch})
    with torch.no_grad():
        expected = tower.trunk(torch.from_numpy(batch))
    np.testing.assert_allclose(features, expected[0], atol=1e-4)
    np.testing.assert_allclose(low, expected[1], atol=1e-4)


def test_a_folder_of_something_else_is_not_replaced_by_an_export(tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(EncoderError, match="Choose another --export"):
        export_encoder(PictureTower(8), TextTower(8), TOKENIZER, tmp_path, {})
    assert [file.name for file in tmp_path.iterdir()] == ["letters.txt"]


def test_the_exported_encoder_agrees_with_torch(tmp_path):
    picture, text = PictureTower(16).eval(), TextTower(16).eval()
    export_encoder(picture, text, TOKENIZER, tmp_path / "encoder", {"settings": {"epochs": 1}})
    encoder = EmbeddedEncoder.open(tmp_path / "encoder")
    with torch.no_grad():
        joint, sentence = text(*tokenized(open_tokenizer(TOKENIZER), TEXTS))
        looks = picture(torch.from_numpy(np.stack([pixels(p) for p in pictures(3)])))
    cosines = [
        (encoder.encode_queries([Query("q", t) for t in TEXTS]) * joint.numpy()).sum(1),
        (encoder.encode_sentences(TEXTS) * sentence.numpy()).sum(1),
        (encoder.encode_pictures(pictures(3)) * looks.numpy()).sum(1),
    ]
    assert np.min(cosines) > 0.999
    card = json.loads((tmp_path / "encoder" / "card.json").read_text())
    assert card["settings"] == {"epochs": 1}
    assert card["revision"] in encoder.manifest.revision

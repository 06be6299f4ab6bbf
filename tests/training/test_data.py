import json
import random

import numpy as np
import pytest
from PIL import Image, ImageDraw

from retrieval.errors import TrainingError
from retrieval.fashion_am.data import Sample
from retrieval.fashion_am.trunk_cache import LOW_WIDTH, TRUNK_SHAPE, Trunk, cache
from retrieval.fashion_am.views import ground_mask, jittered, line_drawing, on_ground


def product(colour: str = "navy") -> Image.Image:
    picture = Image.new("RGB", (120, 160), "white")
    ImageDraw.Draw(picture).rectangle((30, 30, 90, 130), fill=colour)
    return picture


class MeanTrunk(Trunk):
    """Every feature is its picture's mean."""

    def __init__(self) -> None:
        """No weights."""

    def __call__(self, batch):
        n = len(batch)
        mean = batch.reshape(n, -1).mean(1)
        features = np.broadcast_to(mean[:, None, None, None], (n, *TRUNK_SHAPE)).astype(np.float16)
        return features, np.zeros((n, LOW_WIDTH), np.float32)


trunk = MeanTrunk()


def sample(key: str, n_views: int = 2) -> Sample:
    return Sample(key, (product(),) * n_views, f"name {key}", ("caption",), "same", (product("black"),), ("drawn",))


def test_the_ground_mask_covers_the_white_and_spares_the_product():
    mask = np.asarray(ground_mask(product()))
    assert mask[5, 5] > 250
    assert mask[80, 60] < 5


def test_a_product_on_another_ground_keeps_its_own_colour():
    moved = on_ground(product("red"), [Image.new("RGB", (200, 200), "green")], random.Random(0))
    red, green, blue = moved.getpixel((60, 80))
    assert red > 200
    assert max(green, blue) < 40
    assert moved.getpixel((5, 5)) != (255, 255, 255)


def test_a_line_drawing_is_dark_lines_on_white():
    drawn = np.asarray(line_drawing(product(), random.Random(0)))
    assert (drawn == 255).mean() > 0.8
    assert drawn.min() < 120


def test_views_are_the_same_for_the_same_seed():
    one, two = (jittered(product(), random.Random(3)) for _ in range(2))
    assert one.tobytes() == two.tobytes()


def test_a_cache_knows_which_view_belongs_to_which_product(tmp_path):
    material = cache([sample("a", 2), sample("b", 3)], trunk, tmp_path, batch=3)
    assert material.views == [[0, 1], [3, 4, 5]]
    assert material.sketches == [[2], [6]]
    assert material.features.shape == (7, *TRUNK_SHAPE)
    assert material.features[2].mean() < material.features[0].mean(), "the black drawing is darker"
    again = cache([], trunk, tmp_path)
    assert again.names == ["name a", "name b"]


def test_a_cache_of_another_recipe_is_refused(tmp_path):
    cache([sample("a")], trunk, tmp_path)
    index = json.loads((tmp_path / "index.json").read_text())
    (tmp_path / "index.json").write_text(json.dumps(index | {"recipe": "older"}))
    with pytest.raises(TrainingError, match="another version"):
        cache([], trunk, tmp_path)

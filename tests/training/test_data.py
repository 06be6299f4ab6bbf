import io
import json
import random
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageDraw

from retrieval.errors import TrainingError
from retrieval.fashion_am.data import Sample, fpi_samples
from retrieval.fashion_am.items import open_items
from retrieval.fashion_am.trunk_cache import LOW_WIDTH, TRUNK_SHAPE, Trunk, cache, digest_of
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


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fpi")
    write_catalogue(folder / "fpi.parquet", 12)
    return folder


def write_catalogue(file, n, colour="navy"):
    buffer = io.BytesIO()
    product(colour).save(buffer, "PNG")
    rows = [
        {"id": str(i), "split": "train", "image": buffer.getvalue(), "productDisplayName": f"shirt {i}",
         "articleType": "Shirts", "baseColour": "Navy", "gender": "Men", "usage": "Casual", "season": "Summer"}
        for i in range(n)
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), file)


def as_bytes(each, n_views=None):
    return [[view.tobytes() for view in views] for views in (each.views[:n_views], each.sketches)]


def test_the_first_view_alone_leaves_all_else_as_it_is(catalogue):
    whole = list(fpi_samples(catalogue, "train", ()))
    first = list(fpi_samples(catalogue, "train", (), only_first=True))
    assert {len(each.views) for each in whole} == {4}
    assert {len(each.views) for each in first} == {1}
    assert 0 < sum(bool(each.sketches) for each in first) < len(first)
    assert [as_bytes(each, 1) for each in whole] == [as_bytes(each) for each in first]
    assert [replace(each, views=(), sketches=()) for each in whole] == [
        replace(each, views=(), sketches=()) for each in first
    ]


def test_a_digest_tells_other_files_and_not_where_they_lie(tmp_path):
    files = []
    for folder, n, colour in (("a", 3, "navy"), ("b", 3, "navy"), ("c", 4, "navy"), ("d", 3, "red")):
        (tmp_path / folder).mkdir()
        write_catalogue(tmp_path / folder / "fpi.parquet", n, colour)
        files.append(tmp_path / folder / "fpi.parquet")
    one, moved, longer, other = (digest_of("sha256:1", file) for file in files)
    assert one == moved
    assert len({one, longer, other, digest_of("sha256:2", files[0]), digest_of("sha256:1")}) == 5
    for folder, text in (("a", '{"id": 1}\n'), ("b", '{"id": 2}\n')):
        (tmp_path / folder / "items.jsonl").write_text(text)
    assert digest_of(tmp_path / "a" / "items.jsonl") != digest_of(tmp_path / "b" / "items.jsonl")


class NoTrunk(MeanTrunk):
    def __call__(self, batch):
        raise AssertionError("this is in the cache")


def test_another_folder_of_the_catalogue_has_a_cache_of_its_own(catalogue, tmp_path):
    write_catalogue(tmp_path / "fpi.parquet", 5)
    benchmark = SimpleNamespace(images={}, sessions=(), qrels={}, card={"checksum": "sha256:0123"}, folder=tmp_path)

    def n_products(fpi, through):
        found = open_items(benchmark, through, tmp_path / "caches", fpi, None, None, None, uncut=True)
        return {name: len(products) for name, products in found.items()}

    assert n_products(catalogue, trunk) == {"catalogue": 12}
    assert n_products(tmp_path, trunk) == {"catalogue": 5}
    assert [n_products(fpi, NoTrunk())["catalogue"] for fpi in (catalogue, tmp_path)] == [12, 5]


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

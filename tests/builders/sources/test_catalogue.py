"""A plain catalogue as a source: what is asked is true, and few products fit it."""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageDraw

from builders import colours, wording
from builders.instances import Instance, SourceData
from builders.sources import (
    asfr_pools,
    attribute_texts,
    catalogue,
    catalogue_cut,
    catalogue_grounds,
    catalogue_pairs,
    catalogue_street,
    catalogue_words,
)
from builders.sources.attribute_texts import changed, described, sought
from builders.sources.catalogue import read
from builders.sources.catalogue_cut import cut
from builders.sources.catalogue_pairs import MAX_FITTING
from builders.sources.catalogue_street import EVERY, SIZE, compose
from builders.sources.catalogue_words import agree, may_be, model_words, stem_of, visible_in_name
from builders.wording import noun
from retrieval.benchmark import Task
from retrieval.errors import SourceError

COLOURS = {
    "Red": (190, 30, 40),
    "Navy Blue": (25, 35, 90),
    "Green": (40, 130, 60),
    "Black": (30, 30, 30),
    "Pink": (230, 110, 160),
}
MODELS = ("Nimbus", "Corvo", "Tarn", "Vesper", "Okapi", "Lyra")
FIELDS = ("id", "name", "category", "sub_category", "colour", "gender", "usage", "brand")
Row = dict[str, str]


def jpeg(colour: tuple[int, int, int], mark: int = 0) -> bytes:
    """A shirt-like shape on white; `mark` makes the bytes its own."""
    picture = Image.new("RGB", (90, 120), "white")
    draw = ImageDraw.Draw(picture)
    draw.polygon(
        [(30, 20), (60, 20), (82, 45), (70, 55), (65, 48), (65, 100), (25, 100), (25, 48), (20, 55), (8, 45)],
        fill=colour,
    )
    draw.line([(28, 60 + mark % 35), (28 + mark // 35, 60 + mark % 35)], fill=(250, 220, 90))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


def rows_of_shop() -> list[Row]:
    """Six models of shirts in five colours, for men and for women where the number is even."""
    rows = []
    for place, model in enumerate(MODELS):
        for number, colour in enumerate(COLOURS):
            for gender in ("Men", "Women")[: 1 + (place + number) % 2]:
                name = f"Acme {gender} {model} {'Striped' if place % 2 else 'Checked'} {colour} Shirt"
                rows.append(
                    dict(
                        zip(
                            FIELDS,
                            (str(1000 + len(rows)), name, "Shirts", "Topwear", colour, gender, "Casual", "Acme"),
                            strict=True,
                        )
                    )
                )
    for number in range(40):
        colour = list(COLOURS)[number % 5]
        name = f"Bolt Men {colour} Top number{number}"
        rows.append(
            dict(
                zip(FIELDS, (str(2000 + number), name, "Tops", "Topwear", colour, "Men", "Sports", "Bolt"), strict=True)
            )
        )
    return rows


def write_shop(folder: Path, rows: list[Row], fields: tuple[str, ...] = FIELDS) -> Path:
    (folder / "images").mkdir(parents=True)
    with (folder / "items.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    for mark, row in enumerate(rows):
        (folder / "images" / f"{row['id']}.jpg").write_bytes(jpeg(COLOURS.get(row["colour"], (120, 90, 60)), mark))
    return folder


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> SourceData:
    folder = tmp_path_factory.mktemp("shop")
    return read(write_shop(folder / "shop", rows_of_shop()), folder / "made", 0, None)


def of_task(data: SourceData, task: Task) -> list[Instance]:
    found = [instance for instance in data.instances if instance.task is task]
    assert found
    return found


def values(data: SourceData, image_id: str) -> dict[str, str]:
    kept = ("category", "colour", "gender", "usage", "pattern")
    return {name: str(value).lower() for name, value in data.images[image_id].attributes.items() if name in kept}


def test_all_four_tasks_come_under_the_names_of_their_data_sets(shop: SourceData) -> None:
    found = {(instance.task, instance.dataset) for instance in shop.instances}
    assert found == {
        (Task.T2I, "catalogue-t2i"),
        (Task.CIR, "catalogue-cir"),
        (Task.ASFR, "catalogue-asfr"),
        (Task.STREET2SHOP, "catalogue-street"),
    }


def test_a_pair_differs_in_what_the_text_says_and_in_nothing_else(shop: SourceData) -> None:
    said = {"navy blue": "navy", "striped": "stripes", "checked": "checks", "men": "for men", "women": "for women"}
    for instance in of_task(shop, Task.CIR):
        before, after = values(shop, instance.references[0]), values(shop, instance.target)
        differing = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert 1 <= len(differing) <= 2
        words = f" {instance.text} ".replace("?", " ").replace(",", " ").replace("navy blue", "navy")
        for name in ("colour", "gender", "pattern"):
            assert (f" {said.get(after[name], after[name])} " in words) == (name in differing), instance


def test_the_same_in_another_colour_is_said_of_one_model_only(shop: SourceData) -> None:
    same = [each for each in of_task(shop, Task.CIR) if each.text.startswith(("the same in", "this one", "same model"))]
    assert same
    for instance in same:
        first, second = (shop.images[each].caption.split()[2] for each in (instance.references[0], instance.target))
        assert first == second


def test_few_products_fit_a_description(shop: SourceData) -> None:
    described_as = Counter(instance.text for instance in of_task(shop, Task.T2I))
    assert max(described_as.values()) <= MAX_FITTING


def test_products_that_no_text_tells_apart_are_no_targets_of_words(tmp_path: Path) -> None:
    rows = rows_of_shop()
    for row in rows:
        if row["brand"] == "Bolt":
            row["name"] = f"Bolt Men {row['colour']} Top"
    data = read(write_shop(tmp_path / "shop", rows), tmp_path / "made", 0, None)
    assert not [each for each in of_task(data, Task.T2I) if each.target.startswith("catalogue/2")]
    assert data.coverage.tolerated["no text that fits few products"] == 40


def test_candidates_share_the_attribute_or_surely_do_not(shop: SourceData) -> None:
    for instance in of_task(shop, Task.ASFR):
        wanted = values(shop, instance.references[0])[instance.attribute]
        assert 7 <= len(instance.positives) <= 10
        assert len(instance.negatives) == 50
        assert instance.target in instance.positives
        assert instance.references[0] not in instance.positives
        assert all(values(shop, image)[instance.attribute] == wanted for image in instance.positives)
        for image in instance.negatives:
            other = values(shop, image)[instance.attribute]
            assert other != wanted
            assert not may_be(instance.attribute, wanted, other)


def test_a_street_picture_shows_the_product_in_its_colours_on_another_ground(shop: SourceData) -> None:
    for instance in of_task(shop, Task.STREET2SHOP):
        image = shop.images[instance.references[0]]
        assert (image.kind, image.product_id, instance.target) == (
            "street",
            instance.target,
            shop.images[instance.target].product_id,
        )
        pixels = np.asarray(Image.open(shop.root / image.path).convert("RGB"), dtype=float)
        assert pixels.shape == (SIZE[1], SIZE[0], 3)
        assert (pixels.min(axis=2) > 245).mean() < 0.1
        garment = np.array(COLOURS[str(shop.images[instance.target].attributes["colour"])])
        assert (np.abs(pixels - garment).max(axis=2) < 45).mean() > 0.05


def test_the_picture_in_the_catalogue_is_kept_byte_for_byte(shop: SourceData) -> None:
    original = shop.root.parent / "shop" / "images" / "1003.jpg"
    assert (shop.root / shop.images["catalogue/1003"].path).read_bytes() == original.read_bytes()


def test_equal_seeds_give_equal_instances_and_other_seeds_others(tmp_path: Path, shop: SourceData) -> None:
    folder = shop.root.parent / "shop"
    again, other = (read(folder, tmp_path / str(seed), seed, None) for seed in (0, 1))
    assert again.instances == shop.instances
    assert again.images == shop.images
    assert again.revision == shop.revision
    assert other.instances != shop.instances
    for image in shop.images.values():
        assert (shop.root / image.path).read_bytes() == (again.root / image.path).read_bytes()


def test_pictures_that_are_there_are_not_made_again(shop: SourceData) -> None:
    times = {path: path.stat().st_mtime_ns for path in shop.root.rglob("*.jpg")}
    read(shop.root.parent / "shop", shop.root, 0, None)
    assert times == {path: path.stat().st_mtime_ns for path in shop.root.rglob("*.jpg")}


def _touched(module: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module's code as if it were changed."""
    changed = folder / Path(str(module.__file__)).name
    changed.write_bytes(Path(str(module.__file__)).read_bytes() + b"\n")
    monkeypatch.setattr(module, "__file__", str(changed))


@pytest.mark.parametrize("module", [catalogue_cut, catalogue_grounds, catalogue_street])
def test_street_pictures_of_older_code_are_not_used_again(
    module: ModuleType, shop: SourceData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = {path for path in shop.root.rglob("*.jpg") if catalogue_street.STREETS in path.parts}
    _touched(module, tmp_path, monkeypatch)

    data = read(shop.root.parent / "shop", shop.root, 0, None)

    streets = {image.image_id: shop.root / image.path for image in data.images.values() if image.kind == "street"}
    assert streets.keys() == {image.image_id for image in shop.images.values() if image.kind == "street"}
    assert not older & set(streets.values())
    assert data.revision != shop.revision


@pytest.mark.parametrize("module", [attribute_texts, catalogue_words, catalogue_pairs, asfr_pools, wording, colours])
def test_other_words_are_another_revision(module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = catalogue._recipe()
    _touched(module, tmp_path, monkeypatch)
    assert catalogue._recipe() != before


def test_products_that_ask_for_no_attribute_are_counted(tmp_path: Path) -> None:
    rows = [row for row in rows_of_shop() if row["brand"] == "Acme"]
    data = read(write_shop(tmp_path / "shop", rows), tmp_path / "made", 0, None)
    assert not [each for each in data.instances if each.task is Task.ASFR]
    counted = [n for reason, n in data.coverage.tolerated.items() if reason.startswith("no query by attribute: ")]
    assert sum(counted) == len(rows)


def test_every_row_is_accounted_for(tmp_path: Path) -> None:
    rows = rows_of_shop()
    folder = write_shop(tmp_path / "shop", rows)
    (folder / "images" / "1000.jpg").unlink()
    (folder / "images" / "1001.jpg").write_bytes((folder / "images" / "1002.jpg").read_bytes())
    with (folder / "items.csv").open("a", encoding="utf-8") as file:
        file.write("1003,Again,Shirts,Topwear,Red,Men,Casual,Acme\n")
    coverage = read(folder, tmp_path / "made", 0, None).coverage
    assert coverage.n_records == len(rows) + 1 == coverage.n_kept + coverage.dropped.total()
    assert coverage.dropped == {"picture is missing": 1, "same picture as another product": 1, "id occurs twice": 1}
    assert coverage.missing_pictures == {"images/1000.jpg"}


def test_a_limit_keeps_groups_together_and_is_counted(shop: SourceData, tmp_path: Path) -> None:
    data = read(shop.root.parent / "shop", tmp_path / "made", 0, 40)
    brands = Counter(str(image.attributes["brand"]) for image in data.images.values() if image.kind == "product")
    assert brands.total() == 40 == data.coverage.n_kept
    assert 40 in brands.values() or max(brands.values()) in (45, 40)
    assert data.coverage.n_records == data.coverage.n_kept + data.coverage.dropped["beyond the limit"]


def test_a_white_product_is_not_cut_and_counted(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "shop", rows_of_shop())
    for mark, path in enumerate(sorted((folder / "images").iterdir())):
        path.write_bytes(jpeg((240, 240, 240), mark))
    data = read(folder, tmp_path / "made", 0, None)
    assert not [image for image in data.images.values() if image.kind == "street"]
    assert data.coverage.tolerated["cannot be cut cleanly from its ground"] > 85 / EVERY / 3


def test_a_product_that_touches_the_upper_border_is_not_cut() -> None:
    picture = Image.new("RGB", (60, 80), "white")
    ImageDraw.Draw(picture).rectangle((20, 0, 40, 60), fill="navy")
    assert cut(picture) is None


def test_edges_of_a_cut_keep_no_white() -> None:
    found = cut(Image.open(io.BytesIO(jpeg((25, 35, 90)))))
    assert found is not None
    shown = found.pixels[found.pixels[..., 3] > 0.5]
    assert (shown[:, :3].min(axis=1) < 140).mean() > 0.99
    assert set(np.unique(found.pixels[..., 3] > 0.99)) == {False, True}


def test_two_pictures_of_one_product_are_two_photos() -> None:
    found = cut(Image.open(io.BytesIO(jpeg((190, 30, 40)))))
    assert found is not None
    first, second = (np.asarray(compose(found, np.random.default_rng(seed)), dtype=float) for seed in (1, 2))
    assert np.abs(first - second).mean() > 10


def test_jsonl_parquet_and_a_single_file_are_read_alike(tmp_path: Path, shop: SourceData) -> None:
    folder, rows = shop.root.parent / "shop", rows_of_shop()
    (tmp_path / "lines").mkdir()
    shutil.copytree(folder / "images", tmp_path / "lines" / "images")
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "lines" / "items.jsonl").write_text(lines, encoding="utf-8")
    pictures = [(folder / "images" / f"{row['id']}.jpg").read_bytes() for row in rows]
    table = pa.table({**{name: [row[name] for row in rows] for name in FIELDS}, "image": pictures})
    (tmp_path / "columns").mkdir()
    pq.write_table(table, tmp_path / "columns" / "items.parquet")
    for path in (folder / "items.csv", tmp_path / "lines", tmp_path / "columns"):
        assert read(path, tmp_path / "made" / path.name, 0, None).instances == shop.instances


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match=r"is empty\. Give the folder"):
        read(tmp_path / "empty", tmp_path / "made", 0, None)


def test_a_table_without_pictures_or_ids_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "items.csv").write_text("size,weight\n1,2\n", encoding="utf-8")
    with pytest.raises(SourceError, match="no column with pictures"):
        read(tmp_path / "shop", tmp_path / "made", 0, None)


def test_a_catalogue_of_which_nothing_can_be_asked_is_refused(tmp_path: Path) -> None:
    folder = write_shop(tmp_path / "shop", rows_of_shop()[:3], ("id",))
    for path in (folder / "images").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\xff\xd9", b"") + path.name.encode() + b"\xff\xd9")
        Image.new("RGB", (40, 40 + int(path.stem) % 7), "white").save(path)
    with pytest.raises(SourceError, match="Nothing can be asked"):
        read(folder, tmp_path / "made", 0, None)


@pytest.mark.parametrize(
    ("name", "category", "brand", "expected"),
    [
        ("Wrangler Men V-Neck Striped Tshirt", "Tshirts", "Wrangler", {"neckline": "v-neck", "pattern": "striped"}),
        ("U.S. Polo Assn. Men Solid Tshirt", "Tshirts", "U.S. Polo Assn.", {"pattern": "solid"}),
        ("Gas Women Printed Floral Top", "Tops", "Gas", {"pattern": "floral"}),
        ("Gas Women Printed Striped Top", "Tops", "Gas", {}),
        ("Fossil Checked Dial Watch", "Watches", "Fossil", {}),
        ("Baggit Long Sleeve Leather Handbag", "Handbags", "Baggit", {"material": "leather"}),
    ],
)
def test_a_name_tells_only_what_can_be_seen(name: str, category: str, brand: str, expected: dict[str, str]) -> None:
    assert visible_in_name(name, category, brand) == expected


def test_colours_agree_by_family() -> None:
    assert agree("navy blue", ["blue"])
    assert agree("black", [])
    assert not agree("black", ["silver"])


def test_variants_have_one_stem() -> None:
    assert stem_of("Puma Men Ferrari Black T-shirt", "Puma") == stem_of("Puma Women's Ferrari Red T-shirt", "Puma")


def test_words_of_many_brands_name_no_model() -> None:
    stems = [(brand, "Tshirts", f"{word.lower()} crest tee") for brand, word in zip("abcd", MODELS, strict=False)]
    assert model_words(stems) == {"nimbus", "corvo", "tarn", "vesper"}


def test_nouns_are_said_as_one_says_them() -> None:
    said = [noun(each) for each in ("Tshirts", "Dresses", "Casual Shoes", "Watches", "Dress", "Scarves", "Jeans")]
    assert said == ["t-shirt", "dress", "casual shoes", "watch", "dress", "scarf", "jeans"]


def test_texts_say_every_attribute_that_they_are_given() -> None:
    spoken = {"category": "tops", "colour": "teal", "gender": "women", "usage": "formal", "neckline": "v-neck"}
    for seed in range(30):
        rng = random.Random(seed)
        text = described(spoken, "Acme", rng)
        assert all(word in text for word in ("top", "teal", "women", "formal", "v-neck", "Acme"))
        text = changed({"category": "tops", "colour": "teal"}, "tops", "Acme", False, rng)
        assert "top" in text
        assert "in teal" in text


def test_pairs_of_things_are_spoken_of_in_the_plural() -> None:
    texts = {sought("Casual Shoes", random.Random(seed)) for seed in range(30)}
    assert any("these casual shoes" in text for text in texts)
    assert not any("this casual" in text for text in texts)

import json
from pathlib import Path
from typing import Any

import pytest

from builders.instances import SourceData
from builders.sources import deepfashion2
from retrieval.benchmark import Task
from retrieval.errors import SourceError


def _garment(category: str = "trousers", style: int = 1, left: int = 0, viewpoint: int = 2) -> dict[str, Any]:
    box = [left, 10, left + 100, 200]
    return {"category_name": category, "category_id": 8, "style": style, "bounding_box": box, "viewpoint": viewpoint}


def _photo(folder: Path, name: str, source: str, pair: int, *garments: dict[str, Any], picture: bool = True) -> None:
    split, number = name.split("/")
    record = {"source": source, "pair_id": pair, **{f"item{n}": each for n, each in enumerate(garments, 1)}}
    for kind, ending in (("annos", "json"), ("image", "jpg")):
        path = folder / split / kind / f"{number}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "annos":
            path.write_text(json.dumps(record))
        elif picture:
            path.touch()


def _read(folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = deepfashion2.read(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + data.coverage.dropped.total()
    assert data.coverage.n_kept == len(data.instances)
    return data


def test_a_users_garment_leads_to_the_shops_picture_of_it(tmp_path: Path) -> None:
    _photo(tmp_path, "train/000001", "user", 7, _garment())
    _photo(tmp_path, "train/000002", "shop", 7, _garment())

    data = _read(tmp_path)

    [instance] = data.instances
    assert instance.task is Task.STREET2SHOP
    assert (instance.references, instance.target) == (("deepfashion2/train/000001",), "deepfashion2/train/000002")
    assert (data.images[instance.references[0]].kind, data.images[instance.target].kind) == ("street", "worn")
    assert all((tmp_path / image.path).is_file() for image in data.images.values())
    assert len({image.product_id for image in data.images.values()} - {""}) == 1


@pytest.mark.parametrize(("category", "called"), [("vest", "tank top"), ("sling", "camisole"), ("skirt", "skirt")])
def test_vests_and_slings_are_the_tops_of_other_catalogues(tmp_path: Path, category: str, called: str) -> None:
    _photo(tmp_path, "train/000001", "user", 7, _garment(category))
    _photo(tmp_path, "train/000002", "shop", 7, _garment(category))

    assert {image.attributes["category"] for image in _read(tmp_path).images.values()} == {called}


def test_style_zero_has_no_pair(tmp_path: Path) -> None:
    _photo(tmp_path, "train/000001", "user", 7, _garment(style=0))
    _photo(tmp_path, "train/000002", "shop", 7, _garment(style=0))

    assert _read(tmp_path).coverage.dropped == {"style 0: no pair": 1}


@pytest.mark.parametrize(
    ("shop", "reason"),
    [
        (("train/000002", 7, _garment(style=2)), "no picture of the shop's item"),
        (("train/000002", 8, _garment()), "no picture of the shop's item"),
        (("validation/000002", 7, _garment()), "no picture of the shop's item"),
        (("train/000002", 7, _garment("skirt")), "the shop's item is of another category"),
    ],
)
def test_another_style_pair_split_or_category_is_another_item(
    tmp_path: Path, shop: tuple[str, int, dict[str, Any]], reason: str
) -> None:
    _photo(tmp_path, "train/000001", "user", 7, _garment())
    name, pair, garment = shop
    _photo(tmp_path, name, "shop", pair, garment)

    assert _read(tmp_path).coverage.dropped == {reason: 1}


def test_the_text_says_which_of_several_garments_is_meant(tmp_path: Path) -> None:
    _photo(tmp_path, "train/000001", "user", 7, _garment(), _garment("long sleeve outwear", 2))
    _photo(tmp_path, "train/000002", "shop", 7, _garment(), _garment("long sleeve outwear", 2))

    trousers, jacket = (instance.text for instance in _read(tmp_path).instances)

    assert "the trousers" in trousers
    assert "the long-sleeved jacket" in jacket


def test_garments_of_one_sort_are_told_apart_by_their_place(tmp_path: Path) -> None:
    row = [_garment("skirt", 1, left=300), _garment("skirt", 2, left=0), _garment("skirt", 3, left=100)]
    _photo(tmp_path, "train/000001", "user", 7, *row)
    for number in (1, 2, 3):
        _photo(tmp_path, f"train/00001{number}", "shop", 7, _garment("skirt", number))

    texts = {instance.target[-1]: instance.text for instance in _read(tmp_path).instances}

    assert "skirt on the right" in texts["1"]
    assert "skirt on the left" in texts["2"]
    assert "skirt in the middle" in texts["3"]


def test_one_garment_needs_no_place_and_plural_words_stay_grammatical(tmp_path: Path) -> None:
    for number in range(30):
        _photo(tmp_path, f"train/0000{number:02}", "user", number, _garment("shorts"))
        _photo(tmp_path, f"train/0001{number:02}", "shop", number, _garment("shorts"))

    texts = {instance.text for instance in _read(tmp_path).instances}

    assert len(texts) == len(deepfashion2.ONE_TEXTS)
    assert all("these shorts" in text for text in texts)


def test_the_seed_chooses_among_the_shops_pictures(tmp_path: Path) -> None:
    _photo(tmp_path, "train/000001", "user", 7, _garment())
    for number in range(20):
        _photo(tmp_path, f"train/0001{number:02}", "shop", 7, _garment())

    targets = {_read(tmp_path, seed=seed).instances[0].target for seed in range(6)}

    assert len(targets) > 1
    assert _read(tmp_path, seed=3).instances == _read(tmp_path, seed=3).instances


def test_a_shop_picture_without_a_wearer_is_a_product_picture(tmp_path: Path) -> None:
    _photo(tmp_path, "train/000001", "user", 7, _garment())
    _photo(tmp_path, "train/000002", "shop", 7, _garment(viewpoint=1))

    assert _read(tmp_path).images["deepfashion2/train/000002"].kind == "product"


def test_a_missing_users_picture_is_named_and_a_missing_shops_is_no_target(tmp_path: Path) -> None:
    _photo(tmp_path, "train/000001", "user", 7, _garment(), picture=False)
    _photo(tmp_path, "train/000002", "shop", 7, _garment())
    _photo(tmp_path, "train/000003", "user", 8, _garment())
    _photo(tmp_path, "train/000004", "shop", 8, _garment(), picture=False)

    coverage = _read(tmp_path).coverage

    assert coverage.dropped == {"picture is missing": 1, "no picture of the shop's item": 1}
    assert "train/image/000001.jpg" in coverage.missing_pictures


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"source": "user", "pair',
        "[]",
        '{"source": "user"}',
        '{"source": "user", "pair_id": 1, "item1": {"style": 1}}',
    ],
)
def test_a_damaged_annotation_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    (tmp_path / "train/annos").mkdir(parents=True)
    (tmp_path / "train/annos/000001.json").write_text(content)

    with pytest.raises(SourceError, match=r"000001\.json"):
        _read(tmp_path)


def test_a_folder_without_annotations_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")

    with pytest.raises(SourceError, match="does not hold DeepFashion2"):
        _read(tmp_path)

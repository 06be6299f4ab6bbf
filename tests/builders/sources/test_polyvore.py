import json
import shutil
from pathlib import Path

import pytest

from builders.instances import SourceData
from builders.sources.polyvore import read
from builders.sources.polyvore_kinds import KINDS, kind_of
from retrieval.benchmark import Task
from retrieval.errors import SourceError

FORMATS = Path(__file__).parents[3].parent / "shared/data/formats/polyvore"

CATEGORIES = (
    "41 Shoes\n43 Pumps\n8 Mini Skirts\n17 Blouses\n318 Handbags\n113 Furniture\n295 Men's Loafers & Moccasins\n"
)


def _item(index: int, category: int, name: str = "thing", price: float = -1) -> dict[str, object]:
    return {"index": index, "name": name, "price": price, "image": f"data/{index}.jpg", "categoryid": category}


def _write(folder: Path, outfits: dict[str, list[dict[str, object]]], file: str = "train_no_dup.json") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "category_id.txt").write_text(CATEGORIES)
    records = [{"set_id": set_id, "name": "an outfit", "items": items} for set_id, items in outfits.items()]
    (folder / file).write_text(json.dumps(records))
    for set_id, items in outfits.items():
        (folder / "images" / set_id).mkdir(parents=True, exist_ok=True)
        for item in items:
            (folder / "images" / set_id / f"{item['index']}.jpg").touch()


def _read(folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = read(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + sum(data.coverage.dropped.values())
    assert data.coverage.n_kept == len(data.instances)
    return data


OUTFIT = [_item(1, 43, "red suede pumps", 19.5), _item(2, 8), _item(3, 17), _item(4, 318), _item(5, 113)]


def test_each_piece_of_an_outfit_is_the_target_once_and_the_query_shows_other_kinds(tmp_path: Path) -> None:
    _write(tmp_path, {"100": OUTFIT})

    data = _read(tmp_path)

    assert [instance.target for instance in data.instances] == [f"polyvore/100_{index}" for index in (1, 2, 3, 4)]
    for instance in data.instances:
        assert instance.task is Task.COMPATIBLE
        assert instance.target not in instance.references
        assert 1 <= len(instance.references) <= 4
    assert data.coverage.dropped == {"not clothes, or too broad a category": 1}
    assert "polyvore/100_5" not in data.images


def test_queries_show_one_picture_or_two_to_four(tmp_path: Path) -> None:
    _write(tmp_path, {str(number): [*OUTFIT, _item(6, 41)] for number in range(100, 140)})

    counts = {len(instance.references) for instance in _read(tmp_path).instances}

    assert counts == {1, 2, 3, 4}


def test_a_piece_of_the_same_part_of_the_outfit_is_not_shown(tmp_path: Path) -> None:
    _write(tmp_path, {str(number): [_item(1, 43), _item(2, 41), _item(3, 17)] for number in range(100, 120)})

    for instance in _read(tmp_path).instances:
        if instance.target.endswith(("_1", "_2")):
            assert instance.references == (instance.target[:-1] + "3",)


def test_the_request_names_the_kind_and_nothing_of_the_name(tmp_path: Path) -> None:
    _write(tmp_path, {"100": OUTFIT})

    shoes = _read(tmp_path).instances[0]

    assert "shoes" in shoes.text
    assert not {"red", "suede", "pumps"} & set(shoes.text.split())


def test_category_price_and_gender_become_attributes_where_they_are_known(tmp_path: Path) -> None:
    _write(tmp_path, {"100": [_item(1, 43, "red  suede pumps", 19.5), _item(2, 17), _item(3, 295)]})

    images = _read(tmp_path).images

    assert images["polyvore/100_1"].attributes == {"category": "Pumps", "price": 19.5}
    assert images["polyvore/100_1"].caption == "red suede pumps"
    assert images["polyvore/100_2"].attributes == {"category": "Blouses"}
    assert images["polyvore/100_3"].attributes == {"category": "Loafers & Moccasins", "gender": "Men"}


def test_an_outfit_of_one_kind_only_is_dropped(tmp_path: Path) -> None:
    _write(tmp_path, {"100": [_item(1, 43), _item(2, 41), _item(3, 113)]})

    assert _read(tmp_path).coverage.dropped["nothing of another kind in the outfit"] == 2


def test_a_missing_picture_is_counted_and_never_shown(tmp_path: Path) -> None:
    _write(tmp_path, {"100": OUTFIT})
    (tmp_path / "images/100/3.jpg").unlink()

    data = _read(tmp_path)

    assert data.coverage.dropped["picture is missing"] == 1
    assert data.coverage.missing_pictures == {"images/100/3.jpg"}
    assert all("polyvore/100_3" not in instance.references for instance in data.instances)


def test_pictures_in_u_fires_spelling_are_found(tmp_path: Path) -> None:
    _write(tmp_path, {"100": OUTFIT})
    shutil.rmtree(tmp_path / "images")
    (tmp_path / "Polyvore_images").mkdir()
    for index, kind in ((1, "shoes"), (2, "skirt")):
        (tmp_path / "Polyvore_images" / f"{kind}+100_{index}.jpg").touch()

    data = _read(tmp_path)

    assert {image.path for image in data.images.values()} == {
        "Polyvore_images/shoes+100_1.jpg",
        "Polyvore_images/skirt+100_2.jpg",
    }
    assert data.coverage.n_kept == 2


def test_the_same_seed_gives_the_same_and_the_limit_bounds_the_records(tmp_path: Path) -> None:
    _write(tmp_path, {str(number): OUTFIT for number in range(100, 110)})

    assert _read(tmp_path, seed=3).instances == _read(tmp_path, seed=3).instances
    assert _read(tmp_path, seed=3).instances != _read(tmp_path, seed=4).instances
    assert _read(tmp_path, limit=7).coverage.n_records == 7


def test_a_limit_leaves_only_pictures_of_its_queries(tmp_path: Path) -> None:
    _write(tmp_path, {str(number): OUTFIT for number in range(100, 110)})

    data = _read(tmp_path, limit=7)

    assert set(data.images) == {image for each in data.instances for image in (each.target, *each.references)}
    assert len(data.images) < len(_read(tmp_path).images)


def test_a_cut_file_and_a_folder_of_something_else_are_refused(tmp_path: Path) -> None:
    _write(tmp_path, {"100": OUTFIT})
    whole = (tmp_path / "train_no_dup.json").read_text()
    (tmp_path / "train_no_dup.json").write_text(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match="cut or not JSON"):
        _read(tmp_path)
    (tmp_path / "train_no_dup.json").unlink()
    with pytest.raises(SourceError, match="Polyvore"):
        _read(tmp_path)


def test_an_item_without_category_names_its_outfit(tmp_path: Path) -> None:
    broken = _item(1, 43)
    del broken["categoryid"]
    _write(tmp_path, {"100": [broken]})

    with pytest.raises(SourceError, match="Outfit 100"):
        _read(tmp_path)


def test_a_damaged_list_of_categories_names_its_line(tmp_path: Path) -> None:
    _write(tmp_path, {"100": OUTFIT})
    (tmp_path / "category_id.txt").write_text("41 Shoes\nMini Skirts\n")

    with pytest.raises(SourceError, match="Line 2"):
        _read(tmp_path)


def test_no_category_stands_for_two_kinds_and_furniture_for_none() -> None:
    names = [name for _, names in KINDS.values() for name in names.split("|")]

    assert len(names) == len(set(names))
    assert kind_of("Sofas") == kind_of("Lipstick") == ("", "")


@pytest.mark.skipif(not FORMATS.is_dir(), reason="../shared/data/formats/polyvore is not there")
def test_original_records_without_pictures_are_all_counted_and_with_pictures_mostly_kept(tmp_path: Path) -> None:
    bare = _read(FORMATS)
    assert bare.coverage.n_kept == 0
    assert bare.coverage.n_records == 133
    assert bare.coverage.dropped["picture is missing"] == 84

    for name in ("train_no_dup.json", "valid_no_dup.json", "test_no_dup.json", "category_id.txt"):
        shutil.copyfile(FORMATS / name, tmp_path / name)
    for path in bare.coverage.missing_pictures:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert _read(tmp_path).coverage.n_kept > 75

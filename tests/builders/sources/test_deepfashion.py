import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from builders.instances import SourceData
from builders.sources import deepfashion
from retrieval.benchmark import Task
from retrieval.errors import SourceError

SHIRT = "img/WOMEN/Blouses_Shirts/id_00000001"
COAT = "img/MEN/Jackets_Coats/id_00000002"


def _paths(item: str, *names: str) -> list[str]:
    return [f"{item}/{name}.jpg" for name in names]


VIEWS = [
    *_paths(SHIRT, "01_1_front", "01_2_side", "01_3_back", "02_1_front", "02_6_flat"),
    *_paths(COAT, "01_1_front", "02_1_front"),
]


def _partition(folder: Path, paths: list[str], count: int | None = None, status: str = "train") -> None:
    rows = [f"{path}   {path.split('/')[3]}   {status}" for path in paths]
    lines = [str(len(rows) if count is None else count), "image_name item_id evaluation_status", *rows]
    (folder / "list_eval_partition.txt").write_text("\n".join(lines) + "\n")


def _pictures(folder: Path, paths: list[str], upper: str = "") -> None:
    for path in paths:
        (folder / upper / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / upper / path).touch()


def _boxes(folder: Path, poses: dict[str, int]) -> None:
    rows = [f"{path} 1 {pose} 10 20 110 220" for path, pose in poses.items()]
    columns = "image_name clothes_type pose_type x_1 y_1 x_2 y_2"
    (folder / "list_bbox_inshop.txt").write_text("\n".join([str(len(rows)), columns, *rows]))


def _described(folder: Path, *records: dict[str, Any]) -> None:
    (folder / "list_description_inshop.json").write_text(json.dumps(records))


def _read(folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = deepfashion.read(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + data.coverage.dropped.total()
    assert data.coverage.n_kept == len(data.instances)
    return data


def test_each_view_leads_to_another_view_of_its_item(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS)
    _pictures(tmp_path, VIEWS)

    data = _read(tmp_path)

    assert len(data.instances) == len(VIEWS)
    for instance in data.instances:
        reference, target = data.images[instance.references[0]], data.images[instance.target]
        assert instance.task is Task.IN_SHOP
        assert reference != target
        assert reference.product_id == target.product_id


def test_views_of_one_outfit_are_found_once_each(tmp_path: Path) -> None:
    views = _paths(SHIRT, *(f"01_{n}_additional" for n in range(9)))
    _partition(tmp_path, views)
    _pictures(tmp_path, views)

    assert set(Counter(instance.target for instance in _read(tmp_path).instances).values()) == {1}


def test_the_same_outfit_is_preferred_to_another_colour_of_the_item(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS)
    _pictures(tmp_path, VIEWS)

    for instance in _read(tmp_path).instances:
        if "id_00000001" in instance.target:
            assert instance.target.split("/")[-1][:2] == instance.references[0].split("/")[-1][:2]


def test_the_seed_decides_the_pairs_and_nothing_else_does(tmp_path: Path) -> None:
    views = _paths(SHIRT, *(f"01_{n}_additional" for n in range(9)))
    _partition(tmp_path, views)
    _pictures(tmp_path, views)
    first = _read(tmp_path, seed=1)
    _partition(tmp_path, views[::-1])

    again, other = _read(tmp_path, seed=1), _read(tmp_path, seed=2)

    assert again.instances == first.instances
    assert other.instances != first.instances


def test_the_wish_names_the_view_that_is_looked_for(tmp_path: Path) -> None:
    views = _paths(SHIRT, *(f"{n:02}_{pose}" for n in range(40) for pose in ("1_front", "3_back")))
    _partition(tmp_path, views)
    _pictures(tmp_path, views)

    backs = Counter(i.text in deepfashion.POSE_TEXTS[3] for i in _read(tmp_path).instances if i.target.endswith("back"))
    fronts = {i.text for i in _read(tmp_path).instances if i.target.endswith("front")}

    assert 20 <= backs[True] < 40
    assert fronts & set(deepfashion.POSE_TEXTS[1])
    assert not fronts & set(deepfashion.POSE_TEXTS[3])


def test_views_of_one_pose_get_a_wish_without_it(tmp_path: Path) -> None:
    views = _paths(SHIRT, *(f"{n:02}_{k}_front" for n in range(10) for k in range(2)))
    _partition(tmp_path, views)
    _pictures(tmp_path, views)

    assert {instance.text for instance in _read(tmp_path).instances} <= set(deepfashion.ANY_TEXTS)


def test_the_list_of_boxes_knows_the_pose_before_the_file_name_does(tmp_path: Path) -> None:
    views = _paths(SHIRT, "01_1_front", "01_7_additional")
    _partition(tmp_path, views)
    _pictures(tmp_path, views)
    _boxes(tmp_path, {views[1]: 6})

    images = _read(tmp_path).images

    assert [images[key].kind for key in sorted(images)] == ["worn", "product"]


def test_gender_category_colour_and_caption_come_from_path_and_description(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS)
    _pictures(tmp_path, VIEWS)
    shirt = {"item": "id_00000001", "color": "Black-white", "description": ["", "A woven  blouse.", "Made in USA"]}
    coat = {"item": "id_00000002", "color": "Red", "description": "A coat."}
    _described(tmp_path, shirt, coat, {**coat, "color": "Blue"})

    images = _read(tmp_path).images

    blouse = images["deepfashion/WOMEN/Blouses_Shirts/id_00000001/01_1_front"]
    assert blouse.attributes == {"category": "Blouses Shirts", "gender": "Women", "colour": "Black-white"}
    assert blouse.caption == "A woven blouse."
    jacket = images["deepfashion/MEN/Jackets_Coats/id_00000002/01_1_front"]
    assert jacket.attributes == {"category": "Jackets Coats", "gender": "Men"}
    assert jacket.caption == "A coat."


def test_a_missing_picture_is_counted_and_its_neighbours_still_pair(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS)
    _pictures(tmp_path, [view for view in VIEWS if "01_3_back" not in view and "id_00000002/02" not in view])

    data = _read(tmp_path)

    assert data.coverage.dropped == {"picture is missing": 2, "no other picture of the item": 1}
    assert data.coverage.missing_pictures == {f"{SHIRT}/01_3_back.jpg", f"{COAT}/02_1_front.jpg"}
    assert len(data.instances) == 4


def test_a_folder_without_any_picture_shows_its_coverage(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS)

    assert _read(tmp_path).coverage.dropped == {"picture is missing": len(VIEWS)}


def test_pictures_below_another_upper_folder_are_found(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS)
    _pictures(tmp_path, VIEWS, "Img")

    data = _read(tmp_path)

    assert len(data.instances) == len(VIEWS)
    assert all((tmp_path / image.path).is_file() for image in data.images.values())


def test_a_wrong_count_in_the_first_line_is_tolerated_and_counted(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS, count=52712)
    _pictures(tmp_path, VIEWS)

    data = _read(tmp_path)

    assert data.coverage.tolerated == {"count in line 1 is wrong": 1}
    assert len(data.instances) == len(VIEWS)


def test_a_limit_bounds_the_references_and_leaves_their_pairs_as_they_are(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS)
    _pictures(tmp_path, VIEWS)

    limited = _read(tmp_path, limit=3)

    assert limited.coverage.n_records == 3
    assert set(limited.instances) <= set(_read(tmp_path).instances)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "2\n",
        "2\nimage_name item_id evaluation_status\n",
        f"1\nimage_name item_id evaluation_status\n{SHIRT}/01_1_front.jpg id_0000",
        f"1\nimage_name item_id evaluation_status\n{SHIRT}/01_1_front.jpg id_00000001 tra",
        "1\nimage_pair_name_1 image_pair_name_2 item_id evaluation_status\na b c train",
    ],
)
def test_a_cut_or_foreign_list_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    (tmp_path / "list_eval_partition.txt").write_text(content)

    with pytest.raises(SourceError, match=r"list_eval_partition\.txt"):
        _read(tmp_path)


def test_a_cut_list_of_boxes_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    _partition(tmp_path, VIEWS)
    (tmp_path / "list_bbox_inshop.txt").write_text(f"1\nimage_name clothes_type\n{VIEWS[0]} 1 1 10 20")

    with pytest.raises(SourceError, match=r"Line 3 of .*list_bbox_inshop\.txt has 5 of 7 columns"):
        _read(tmp_path)

import json
import random
from pathlib import Path

import pytest

from builders.instances import SourceData
from builders.sources.fashion_ai import CLASSES, read
from retrieval.benchmark import Task
from retrieval.errors import SourceError

GALLERY = (
    Path(__file__).parents[3].parent / "shared/data/formats/u_fire/gallery/9_asfr_FashionAI_test_candidate_data.json"
)


def _rows(task: str, code: str, start: int, count: int) -> list[str]:
    return [f"Images/{task}/{number:08x}.jpg,{task},{code}" for number in range(start, start + count)]


COLLARS = [
    *_rows("collar_design_labels", "nynnn", 0, 30),
    *_rows("collar_design_labels", "nnynn", 100, 60),
]


def _write(folder: Path, rows: list[str], pictures: bool = True) -> None:
    (folder / "Annotations").mkdir(exist_ok=True)
    (folder / "Annotations/label.csv").write_text("".join(row + "\n" for row in rows))
    for row in rows if pictures else []:
        path = folder / row.split(",")[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def _read(folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = read(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + sum(data.coverage.dropped.values())
    assert data.coverage.n_kept == len(data.instances)
    return data


def _numbers(images: tuple[str, ...]) -> set[int]:
    return {int(Path(image).stem, 16) for image in images}


def test_pictures_of_a_class_ask_for_others_of_it(tmp_path: Path) -> None:
    _write(tmp_path, COLLARS)

    instances = _read(tmp_path).instances

    assert len(instances) == 30
    for instance in instances:
        assert (instance.task, instance.attribute) == (Task.ASFR, "collar design")
        assert "collar design" in instance.text
        assert _numbers(instance.positives) <= set(range(30)) - _numbers(instance.references)
        assert _numbers(instance.negatives) <= set(range(100, 160))


def test_requests_seldom_name_the_class(tmp_path: Path) -> None:
    _write(
        tmp_path, [*_rows("collar_design_labels", "nynnn", 0, 120), *_rows("collar_design_labels", "nnynn", 200, 120)]
    )

    texts = [instance.text for instance in _read(tmp_path).instances]
    naming = [text for text in texts if "shirt collar" in text or "peter pan" in text]

    assert 0 < len(naming) < len(texts) / 3


def test_a_picture_that_may_have_the_class_is_no_negative_of_it(tmp_path: Path) -> None:
    _write(tmp_path, [*COLLARS, *_rows("collar_design_labels", "nmynn", 300, 40)])

    for instance in _read(tmp_path).instances:
        if _numbers(instance.references) <= set(range(30)):
            assert not _numbers(instance.negatives) & set(range(300, 340))


def test_pictures_that_do_not_show_the_attribute_are_in_no_pool(tmp_path: Path) -> None:
    _write(tmp_path, [*COLLARS, *_rows("collar_design_labels", "ynnnn", 300, 80)])

    data = _read(tmp_path)

    assert data.coverage.dropped["the attribute cannot be seen"] == 80
    assert all(max(_numbers((*each.positives, *each.negatives))) < 300 for each in data.instances)


def test_a_row_without_sure_class_is_dropped(tmp_path: Path) -> None:
    _write(tmp_path, [*COLLARS, *_rows("collar_design_labels", "nmmnn", 300, 3)])

    assert _read(tmp_path).coverage.dropped["no sure class"] == 3


def test_classes_of_two_tasks_are_never_mixed(tmp_path: Path) -> None:
    _write(tmp_path, [*COLLARS, *_rows("lapel_design_labels", "nynnn", 300, 90)])

    data = _read(tmp_path)

    assert {instance.attribute for instance in data.instances} == {"collar design"}
    assert all(max(_numbers((*each.positives, *each.negatives))) < 300 for each in data.instances)


def test_missing_pictures_are_counted_and_u_fires_spelling_is_found(tmp_path: Path) -> None:
    _write(tmp_path, COLLARS, pictures=False)
    (tmp_path / "FashionAI_images").mkdir()
    for number in (*range(28), *range(100, 160)):
        (tmp_path / f"FashionAI_images/collar_design_labels+{number:08x}.jpg").touch()

    data = _read(tmp_path)

    assert data.coverage.dropped["picture is missing"] == 2
    assert data.coverage.missing_pictures == {f"Images/collar_design_labels/{number:08x}.jpg" for number in (28, 29)}
    assert len(data.instances) == 28


def test_a_folder_without_pictures_drops_all(tmp_path: Path) -> None:
    _write(tmp_path, COLLARS, pictures=False)

    assert _read(tmp_path).coverage.dropped == {"picture is missing": 90}


def test_seed_and_limit_decide_what_is_read(tmp_path: Path) -> None:
    _write(tmp_path, COLLARS)

    assert _read(tmp_path, seed=1).instances == _read(tmp_path, seed=1).instances
    assert _read(tmp_path, seed=1).instances != _read(tmp_path, seed=2).instances
    assert _read(tmp_path, limit=10).coverage.n_records == 10


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    _write(tmp_path, COLLARS)
    before = _read(tmp_path).instances
    _write(tmp_path, random.Random(3).sample(COLLARS, len(COLLARS)))

    assert _read(tmp_path).instances == before


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Images/collar_design_labels/1.jpg,collar_design_labels,nynn", "Line 2 .*5 letters"),
        ("Images/collar_design_labels/1.jpg,collar_design_labels,?", "Line 2 .*training set's"),
        ("Images/collar_design_labels/1.jpg,cuff_labels,nynn", "Line 2 .*unknown task"),
        ("Images/collar_design_labels/1.jpg", "Line 2 .*cut"),
    ],
)
def test_rows_of_another_form_name_their_line(tmp_path: Path, row: str, message: str) -> None:
    _write(tmp_path, [COLLARS[0], row], pictures=False)

    with pytest.raises(SourceError, match=message):
        _read(tmp_path)


def test_an_empty_file_and_a_folder_of_something_else_are_refused(tmp_path: Path) -> None:
    _write(tmp_path, [])
    with pytest.raises(SourceError, match="is empty"):
        _read(tmp_path)
    (tmp_path / "Annotations/label.csv").rename(tmp_path / "Annotations/other.csv")
    with pytest.raises(SourceError, match="FashionAI"):
        _read(tmp_path)


@pytest.mark.skipif(not GALLERY.is_file(), reason="../shared/data/formats/u_fire is not there")
def test_class_names_are_those_of_the_original_gallery() -> None:
    for label in json.loads(GALLERY.read_text()):
        if label.count("+") >= 2:
            _, attribute, name = label.split("+", 2)
            assert name in CLASSES[attribute]

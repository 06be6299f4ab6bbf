from collections.abc import Iterable
from pathlib import Path

import pytest

from builders.instances import SourceData, SourceReader
from builders.sources import clothes_v1, hai_fashion, qmul_shoe
from retrieval.benchmark import Task
from retrieval.errors import SourceError


def _touch(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def _read(reader: SourceReader, folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = reader(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + sum(data.coverage.dropped.values())
    assert data.coverage.n_kept == len(data.instances)
    return data


def _pairs(data: SourceData) -> set[tuple[str, str]]:
    return {(data.images[each.references[0]].path, data.images[each.target].path) for each in data.instances}


def test_every_sketch_of_a_shoe_asks_for_its_photo(tmp_path: Path) -> None:
    _touch(tmp_path, ["trainA_22_1.png", "trainA_22_2.png", "trainB_22.png", "testA_7_1.png", "testB_7.png"])

    data = _read(qmul_shoe.read, tmp_path)

    assert _pairs(data) == {
        ("trainA_22_1.png", "trainB_22.png"),
        ("trainA_22_2.png", "trainB_22.png"),
        ("testA_7_1.png", "testB_7.png"),
    }
    assert {instance.task for instance in data.instances} == {Task.SKETCH2IMG}
    assert data.images["qmul_shoe/trainA_22_1.png"].kind == "sketch"
    assert data.images["qmul_shoe/trainB_22.png"].kind == "product"
    assert data.images["qmul_shoe/trainB_22.png"].product_id == "qmul_shoe/trainB_22"


def test_a_sketch_whose_photo_is_missing_is_counted(tmp_path: Path) -> None:
    _touch(tmp_path, ["pictures/trainA_22_1.png", "pictures/trainA_23_1.png", "pictures/trainB_23.png"])

    data = _read(qmul_shoe.read, tmp_path)

    assert data.coverage.dropped == {"picture is missing": 1}
    assert data.coverage.missing_pictures == {"pictures/trainB_22.png"}


def test_a_photo_of_the_other_split_is_not_the_sketchs(tmp_path: Path) -> None:
    _touch(tmp_path, ["trainA_22_1.png", "testB_22.png"])

    assert _read(qmul_shoe.read, tmp_path).instances == []


@pytest.mark.parametrize("reader", [clothes_v1.read, hai_fashion.read])
def test_sketch_and_photo_of_one_name_belong_together(tmp_path: Path, reader: SourceReader) -> None:
    _touch(tmp_path, ["trainA/1.png", "trainA/2.png", "trainB/1.jpg", "trainB/2.jpg", "testA/1.png", "testB/1.jpg"])

    data = _read(reader, tmp_path)

    assert _pairs(data) == {
        ("trainA/1.png", "trainB/1.jpg"),
        ("trainA/2.png", "trainB/2.jpg"),
        ("testA/1.png", "testB/1.jpg"),
    }
    assert not data.coverage.tolerated


def test_several_sketches_of_a_photo_are_several_queries(tmp_path: Path) -> None:
    _touch(tmp_path, ["trainA/10_1.png", "trainA/10_2.png", "trainA/11_1.png", "trainB/10.png", "trainB/11.png"])

    assert _pairs(_read(clothes_v1.read, tmp_path)) == {
        ("trainA/10_1.png", "trainB/10.png"),
        ("trainA/10_2.png", "trainB/10.png"),
        ("trainA/11_1.png", "trainB/11.png"),
    }


def test_a_sketch_too_many_shifts_no_pair(tmp_path: Path) -> None:
    _touch(tmp_path, ["trainA/1.png", "trainA/2.png", "trainA/3.png", "trainB/1.png", "trainB/3.png", "trainB/4.png"])

    data = _read(hai_fashion.read, tmp_path)

    assert _pairs(data) == {("trainA/1.png", "trainB/1.png"), ("trainA/3.png", "trainB/3.png")}
    assert data.coverage.dropped == {"no photo of the sketch's name": 1}
    assert data.coverage.tolerated == {"photo without a sketch: in the gallery only": 1}
    assert "hai_fashion/trainB/4.png" in data.images


def test_other_names_in_equal_number_are_paired_in_order_and_that_is_said(tmp_path: Path) -> None:
    _touch(tmp_path, ["testA/sketch a.png", "testA/sketch b.png", "testB/photo a.png", "testB/photo b.png"])

    data = _read(hai_fashion.read, tmp_path)

    assert _pairs(data) == {("testA/sketch a.png", "testB/photo a.png"), ("testA/sketch b.png", "testB/photo b.png")}
    assert data.coverage.tolerated == {"names of sketch and photo differ: paired in sorted order": 2}
    assert all(" " not in image_id for image_id in data.images)


def test_other_names_in_other_number_are_dropped(tmp_path: Path) -> None:
    _touch(tmp_path, ["testA/a.png", "testA/b.png", "testB/c.png"])

    data = _read(hai_fashion.read, tmp_path)

    assert data.instances == []
    assert data.coverage.dropped == {"no photo of the sketch's name": 2}


def test_u_fires_spelling_of_the_folders_is_read(tmp_path: Path) -> None:
    _touch(tmp_path, ["ClothesV1_images/testA+00032.png", "ClothesV1_images/testB+00032.png"])

    assert len(_read(clothes_v1.read, tmp_path).instances) == 1


def test_requests_for_drawings_vary_and_follow_the_seed(tmp_path: Path) -> None:
    _touch(tmp_path, [f"trainA_{number}_1.png" for number in range(60)])
    _touch(tmp_path, [f"trainB_{number}.png" for number in range(60)])

    texts = [instance.text for instance in _read(qmul_shoe.read, tmp_path).instances]

    assert len(set(texts)) >= 4
    assert "shoes like in my drawing" in texts
    assert texts == [instance.text for instance in _read(qmul_shoe.read, tmp_path).instances]
    assert texts != [instance.text for instance in _read(qmul_shoe.read, tmp_path, seed=2).instances]
    limited = _read(qmul_shoe.read, tmp_path, limit=9)
    assert len(limited.instances) == 9
    assert limited.revision == _read(qmul_shoe.read, tmp_path).revision


def test_another_picture_is_another_revision(tmp_path: Path) -> None:
    _touch(tmp_path, ["trainA_22_1.png", "trainB_22.png"])
    before = _read(qmul_shoe.read, tmp_path).revision
    (tmp_path / "trainB_22.png").write_text("another")

    assert _read(qmul_shoe.read, tmp_path).revision != before


@pytest.mark.parametrize("reader", [qmul_shoe.read, clothes_v1.read, hai_fashion.read])
def test_a_folder_without_sketches_is_refused(tmp_path: Path, reader: SourceReader) -> None:
    with pytest.raises(SourceError, match="is empty"):
        _read(reader, tmp_path)
    _touch(tmp_path, ["trainB/1.png", "trainB_1.png"])
    with pytest.raises(SourceError, match="trainA"):
        _read(reader, tmp_path)

from pathlib import Path

import pytest

from builders.instances import Instance, SourceData
from builders.sources.ut_zappos import read
from retrieval.benchmark import Task
from retrieval.errors import SourceError

HEADER = "CID,Category,SubCategory,HeelHeight,Insole,Closure,Gender,Material,ToeStyle"


def _row(cid: str, closure: str = "", heel: str = "", material: str = "") -> str:
    return f"{cid},Shoes,Oxfords,{heel},,{closure},Men,{material},"


def _shoes(start: int, count: int, closure: str) -> list[str]:
    return [_row(f"{100000 + number}-{number % 90}", closure) for number in range(start, start + count)]


def _write(folder: Path, rows: list[str], pictures: bool = True) -> None:
    (folder / "meta-data.csv").write_text("".join(row + "\n" for row in (HEADER, *rows)))
    below = folder / "ut-zap50k-images/Shoes/Oxfords/Some Brand"
    below.mkdir(parents=True, exist_ok=True)
    for row in rows if pictures else []:
        (below / f"{row.split(',')[0].replace('-', '.')}.jpg").touch()


def _read(folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = read(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + sum(data.coverage.dropped.values())
    assert data.coverage.n_kept == len(data.instances)
    return data


def _closures(data: SourceData, images: tuple[str, ...]) -> set[str]:
    return {str(data.images[image].attributes["closure"]) for image in images}


def _by_query(data: SourceData) -> dict[str, Instance]:
    return {instance.references[0]: instance for instance in data.instances}


def test_shoes_ask_for_others_with_the_same_closure(tmp_path: Path) -> None:
    _write(tmp_path, [*_shoes(0, 60, "Lace up"), *_shoes(100, 60, "Zipper")])

    data = _read(tmp_path)

    assert len(data.instances) == 120
    for instance in data.instances:
        mine = _closures(data, instance.references)
        assert (instance.task, instance.attribute) == (Task.ASFR, "closure")
        assert _closures(data, instance.positives) == mine
        assert not _closures(data, instance.negatives) & mine
        assert "closure" in instance.text


def test_one_of_several_values_is_enough_to_share(tmp_path: Path) -> None:
    _write(
        tmp_path,
        [*_shoes(0, 12, "Lace up;Zipper"), *_shoes(100, 30, "Zipper"), *_shoes(200, 60, "Buckle")],
    )

    data = _read(tmp_path)
    both = _by_query(data)["ut_zappos/100000.0.jpg"]

    assert _closures(data, both.positives) <= {"Lace up; Zipper", "Zipper"}
    assert _closures(data, both.negatives) == {"Buckle"}


def test_another_colour_of_the_same_shoe_is_no_candidate(tmp_path: Path) -> None:
    colours = [_row(f"555-{number}", "Lace up") for number in range(20)]
    _write(tmp_path, [*colours, *_shoes(0, 30, "Lace up"), *_shoes(100, 60, "Zipper")])

    data = _read(tmp_path)

    assert {data.images[f"ut_zappos/555.{colour}.jpg"].product_id for colour in (3, 4)} == {"ut_zappos/555"}
    assert all(".jpg" in image and "/555." not in image for image in _by_query(data)["ut_zappos/555.3.jpg"].positives)


def test_each_known_attribute_is_a_record_and_unknown_ones_are_none(tmp_path: Path) -> None:
    _write(tmp_path, [_row("1-1", "Zipper", "Flat"), _row("2-1", "", "", "Suede"), _row("3-1")])

    data = _read(tmp_path)

    assert data.coverage.n_records == 3
    assert data.images["ut_zappos/1.1.jpg"].attributes == {
        "master_category": "Shoes",
        "category": "Oxfords",
        "gender": "Men",
        "heel height": "Flat",
        "closure": "Zipper",
    }


def test_missing_pictures_are_counted(tmp_path: Path) -> None:
    rows = [*_shoes(0, 60, "Lace up"), *_shoes(100, 60, "Zipper")]
    _write(tmp_path, rows)
    (tmp_path / "ut-zap50k-images/Shoes/Oxfords/Some Brand/100003.3.jpg").unlink()

    data = _read(tmp_path)

    assert data.coverage.dropped == {"picture is missing": 1}
    assert data.coverage.missing_pictures == {"100003.3.jpg"}


def test_a_folder_without_pictures_drops_all(tmp_path: Path) -> None:
    _write(tmp_path, _shoes(0, 20, "Lace up"), pictures=False)

    assert _read(tmp_path).coverage.dropped == {"picture is missing": 20}


def test_requests_speak_of_pairs(tmp_path: Path) -> None:
    _write(tmp_path, [*_shoes(0, 60, "Lace up"), *_shoes(100, 60, "Zipper")])

    assert any("another pair" in instance.text for instance in _read(tmp_path).instances)


def test_seed_and_limit_decide_what_is_read(tmp_path: Path) -> None:
    _write(tmp_path, [*_shoes(0, 60, "Lace up"), *_shoes(100, 60, "Zipper")])

    assert _read(tmp_path, seed=1).instances == _read(tmp_path, seed=1).instances
    assert _read(tmp_path, seed=1).instances != _read(tmp_path, seed=2).instances
    assert _read(tmp_path, limit=10).coverage.n_records == 10


def test_files_of_another_form_are_refused(tmp_path: Path) -> None:
    _write(tmp_path, ["1-1,Shoes,Oxfords,Flat"], pictures=False)
    with pytest.raises(SourceError, match=r"Line 2 .* 4 fields"):
        _read(tmp_path)
    (tmp_path / "meta-data.csv").write_text("CID,Category\n1-1,Shoes\n")
    with pytest.raises(SourceError, match="no column 'SubCategory'"):
        _read(tmp_path)
    (tmp_path / "meta-data.csv").write_text(HEADER + "\n")
    with pytest.raises(SourceError, match="no rows"):
        _read(tmp_path)
    (tmp_path / "meta-data.csv").write_text("")
    with pytest.raises(SourceError, match="no column"):
        _read(tmp_path)

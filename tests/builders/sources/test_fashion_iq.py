import json
from pathlib import Path
from typing import Any

import pytest

from builders.instances import SourceData
from builders.sources import fashion_iq
from retrieval.benchmark import Task
from retrieval.errors import SourceError

REAL = Path(__file__).parents[4] / "shared/data/formats/fashion_iq"


def _write(folder: Path, records: list[dict[str, Any]], name: str = "cap.dress.val.json") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(records))


def _touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def _row(reference: str, target: str | None, *captions: str) -> dict[str, Any]:
    return {"candidate": reference, "captions": list(captions), **({"target": target} if target else {})}


def _read(folder: Path, limit: int | None = None) -> SourceData:
    data = fashion_iq.read(folder, folder / "made", 1, limit)
    assert data.coverage.n_records == data.coverage.n_kept + data.coverage.dropped.total()
    assert data.coverage.n_kept == len(data.instances)
    return data


def test_the_candidate_of_the_files_is_our_reference(tmp_path: Path) -> None:
    _write(tmp_path, [_row("B01", "B02", "Is red.", " and  shorter")])
    _touch(tmp_path, "images/B01.jpg", "images/B02.png")

    [instance] = _read(tmp_path).instances

    assert instance.task is Task.CIR
    assert (instance.references, instance.target) == (("fashion_iq/B01",), "fashion_iq/B02")
    assert instance.text == "is red and and shorter"


def test_pictures_are_found_by_name_at_any_depth(tmp_path: Path) -> None:
    _write(tmp_path / "captions", [_row("B01", "B02", "a", "b")])
    _touch(tmp_path, "one/two/B01.jpg", "B02.PNG")

    images = _read(tmp_path).images

    assert {image.path for image in images.values()} == {"one/two/B01.jpg", "B02.PNG"}
    assert all((tmp_path / image.path).is_file() for image in images.values())


def test_a_test_row_without_target_is_dropped_and_counted(tmp_path: Path) -> None:
    _write(tmp_path, [_row("B01", None, "a", "b")], "cap.shirt.test.json")

    assert _read(tmp_path).coverage.dropped == {"no target (test row)": 1}


def test_a_validation_row_without_target_is_an_error_that_names_it(tmp_path: Path) -> None:
    _write(tmp_path, [_row("B01", "B02", "a", "b"), _row("B01", None, "a", "b")])

    with pytest.raises(SourceError, match=r"Record 2 of .*cap.dress.val.json has no target"):
        _read(tmp_path)


def test_one_or_three_captions_are_tolerated_and_counted(tmp_path: Path) -> None:
    _write(tmp_path, [_row("B01", "B02", "red"), _row("B01", "B03", "red", "", "short"), _row("B02", "B03", "a", "b")])
    _touch(tmp_path, "B01.jpg", "B02.jpg", "B03.jpg")

    data = _read(tmp_path)

    assert [instance.text for instance in data.instances] == ["red", "red and short", "a and b"]
    assert data.coverage.tolerated == {"1 caption": 1, "3 captions": 1, "blank caption": 1}


def test_an_id_in_two_categories_is_one_picture_and_counted(tmp_path: Path) -> None:
    _write(tmp_path, [_row("B01", "B02", "a", "b")], "cap.shirt.train.json")
    _write(tmp_path, [_row("B01", "B03", "a", "b")], "cap.toptee.val.json")
    _touch(tmp_path, "B01.jpg", "B02.jpg", "B03.jpg")

    data = _read(tmp_path)

    assert data.coverage.tolerated == {"id in two categories": 1}
    assert sorted(data.images) == ["fashion_iq/B01", "fashion_iq/B02", "fashion_iq/B03"]
    assert [data.images[f"fashion_iq/B0{n}"].attributes["category"] for n in (1, 2, 3)] == ["shirt", "shirt", "top"]


def test_repeats_empty_texts_and_references_that_are_targets_are_dropped(tmp_path: Path) -> None:
    rows = [
        _row("B01", "B02", "a", "b"),
        _row("B01", "B02", "A", "b "),
        _row("B01", "B01", "a"),
        _row("B02", "B01", ""),
    ]
    _write(tmp_path, rows)
    _touch(tmp_path, "B01.jpg", "B02.jpg")

    assert _read(tmp_path).coverage.dropped == {
        "repeats an earlier record": 1,
        "the reference is the target": 1,
        "no text": 1,
    }


def test_a_limit_spreads_over_all_files_and_keeps_ids(tmp_path: Path) -> None:
    for name in ("cap.dress.val.json", "cap.shirt.val.json"):
        _write(tmp_path, [_row(f"B{n}", f"B{n + 1}", name) for n in range(10)], name)
    _touch(tmp_path, *(f"B{n}.jpg" for n in range(11)))

    limited = [instance.instance_id for instance in _read(tmp_path, limit=4).instances]

    assert {name.split("/")[1] for name in limited} == {"dress.val", "shirt.val"}
    assert set(limited) <= {instance.instance_id for instance in _read(tmp_path).instances}
    assert len(limited) == 4


@pytest.mark.parametrize("content", ["", '[{"candidate": "B01", "capt', "[]", '{"a": 1}', '[{"candidate": "B01"}]'])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    (tmp_path / "cap.dress.val.json").write_text(content)

    with pytest.raises(SourceError, match=r"cap\.dress\.val\.json"):
        _read(tmp_path)


def test_captions_that_are_no_list_of_texts_are_an_error(tmp_path: Path) -> None:
    _write(tmp_path, [{"candidate": "B01", "target": "B02", "captions": "red"}])

    with pytest.raises(SourceError, match=r"Record 1 of .* has no list of captions"):
        _read(tmp_path)


def test_a_folder_of_something_else_is_an_error(tmp_path: Path) -> None:
    _touch(tmp_path, "cap.hats.val.json")

    with pytest.raises(SourceError, match="does not hold FashionIQ"):
        _read(tmp_path)


def test_the_revision_follows_the_files_bytes(tmp_path: Path) -> None:
    _write(tmp_path, [_row("B01", "B02", "a", "b")])
    first = _read(tmp_path).revision
    assert _read(tmp_path).revision == first

    _write(tmp_path, [_row("B01", "B02", "a", "c")])
    assert _read(tmp_path).revision != first


@pytest.mark.skipif(not REAL.is_dir(), reason="the original files are not beside the checkout")
def test_original_files_without_pictures_show_what_is_missing() -> None:
    data = _read(REAL)

    assert data.coverage.n_records == 660
    assert data.coverage.dropped == {"picture is missing": 600, "no target (test row)": 60}
    assert len(data.coverage.missing_pictures) > 1000
    assert data.images == {}


@pytest.mark.skipif(not REAL.is_dir(), reason="the original files are not beside the checkout")
def test_original_files_with_all_pictures_give_every_row_a_text(tmp_path: Path) -> None:
    for path in REAL.glob("cap.*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
        for record in json.loads(path.read_text()):
            _touch(tmp_path, *(f"images/{record[key]}.jpg" for key in ("candidate", "target") if key in record))

    data = _read(tmp_path)

    assert data.coverage.n_kept >= 595
    assert all(instance.text == instance.text.strip(" .,") for instance in data.instances)

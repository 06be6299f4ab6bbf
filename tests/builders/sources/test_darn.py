import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from builders.instances import SourceData
from builders.sources.darn import read
from retrieval.benchmark import Task
from retrieval.errors import SourceError

GALLERY = Path(__file__).parents[3].parent / "shared/data/formats/u_fire/gallery/9_asfr_DARN_test_candidate_data.json"


def _paths(start: int, count: int) -> list[str]:
    return [f"DARN_images/5158+{number:04}_1.jpg" for number in range(start, start + count)]


LABELS = {
    "DARN+7+0": _paths(0, 30),
    "DARN+7+3": _paths(100, 70),
    "DARN+3+1": _paths(0, 60),
    "DARN+3+2": _paths(100, 60),
}


def _write(
    folder: Path, labels: dict[str, list[str]] | None = None, records: list[dict[str, Any]] | None = None
) -> None:
    labels = LABELS if labels is None else labels
    everything = sorted({path for paths in labels.values() for path in paths})
    gallery = {**labels, "DARN_asfr_test_candidate": everything}
    (folder / "9_asfr_DARN_test_candidate_data.json").write_text(json.dumps(gallery))
    if records is not None:
        (folder / "9_asfr_DARN_test_triplet_data.json").write_text(json.dumps(records))
    (folder / "DARN_images").mkdir()
    for path in everything:
        (folder / path).touch()


def _record(number: int, query: str, **more: Any) -> dict[str, Any]:
    record = {"id": f"asfr_DARN_{number}", "query_image": [query], "attribute": "sleeve length"}
    return {**record, "target_label": "DARN+7+0", "task": "asfr", "dataset": "DARN", "split": "test", **more}


def _read(folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = read(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + sum(data.coverage.dropped.values())
    assert data.coverage.n_kept == len(data.instances)
    return data


def _ids(paths: list[str]) -> set[str]:
    return {f"darn/{Path(path).name}" for path in paths}


def test_galleries_alone_make_a_query_of_each_picture_and_attribute(tmp_path: Path) -> None:
    _write(tmp_path)

    data = _read(tmp_path)

    assert data.coverage.n_records == 30 + 70 + 60 + 60
    sleeves = [each for each in data.instances if each.attribute == "sleeve length"]
    assert sleeves
    for instance in sleeves:
        assert instance.task is Task.ASFR
        same = next(ids for ids in (_ids(LABELS["DARN+7+0"]), _ids(LABELS["DARN+7+3"])) if instance.target in ids)
        assert instance.references[0] in same
        assert set(instance.positives) <= same - {instance.references[0]}
        assert len(instance.negatives) == 50
        assert not set(instance.negatives) & same
        assert "sleeve length" in instance.text


def test_a_record_brings_its_own_pools(tmp_path: Path) -> None:
    positives, negatives = _paths(1, 10), _paths(100, 50)
    _write(tmp_path, records=[_record(1, _paths(0, 1)[0], target_image=positives, negative_image=negatives)])

    [instance] = _read(tmp_path).instances

    assert instance.references == ("darn/5158+0000_1.jpg",)
    assert 7 <= len(instance.positives) <= 10
    assert set(instance.positives) <= _ids(positives)
    assert set(instance.negatives) == _ids(negatives)


def test_a_record_with_a_label_only_draws_its_pools_from_the_galleries(tmp_path: Path) -> None:
    _write(tmp_path, records=[_record(1, _paths(0, 1)[0])])

    [instance] = _read(tmp_path).instances

    assert set(instance.positives) <= _ids(LABELS["DARN+7+0"]) - {instance.references[0]}
    assert set(instance.negatives) <= _ids(LABELS["DARN+7+3"])


def test_a_record_without_label_has_the_values_that_the_galleries_give_its_picture(tmp_path: Path) -> None:
    bare, with_positives = _record(1, _paths(0, 1)[0]), _record(2, _paths(1, 1)[0], target_image=_paths(2, 8))
    for record in (bare, with_positives):
        del record["target_label"]
    _write(tmp_path, records=[bare, with_positives])

    instances = _read(tmp_path).instances

    assert len(instances) == 2
    for instance in instances:
        assert set(instance.positives) <= _ids(LABELS["DARN+7+0"]) - {instance.references[0]}
        assert set(instance.negatives) <= _ids(LABELS["DARN+7+3"])


def test_a_record_whose_value_nobody_tells_is_dropped_unless_it_brings_both_pools(tmp_path: Path) -> None:
    stranger, known = "DARN_images/9999+0000_1.jpg", {"target_image": _paths(1, 10)}
    records = [
        _record(1, stranger),
        _record(2, stranger, **known),
        _record(3, stranger, **known, negative_image=_paths(100, 50)),
    ]
    for record in records:
        del record["target_label"]
    _write(tmp_path, records=records)
    (tmp_path / stranger).touch()

    data = _read(tmp_path)

    assert data.coverage.dropped == {"no label, no pools of its own, and no gallery has the picture": 2}
    assert len(data.instances) == 1


def test_a_picture_under_two_labels_has_negatives_of_neither(tmp_path: Path) -> None:
    twice, third = _paths(0, 1)[0], _paths(200, 60)
    _write(
        tmp_path, {**LABELS, "DARN+7+3": [*LABELS["DARN+7+3"], twice], "DARN+7+5": third}, records=[_record(1, twice)]
    )

    [instance] = _read(tmp_path).instances

    assert set(instance.positives) <= _ids(LABELS["DARN+7+0"])
    assert set(instance.negatives) <= _ids(third)


def test_the_query_picture_is_not_one_of_its_seven_positives(tmp_path: Path) -> None:
    pools = {"target_image": _paths(0, 8), "negative_image": _paths(100, 50)}
    _write(tmp_path, records=[_record(1, _paths(0, 1)[0], **pools)])

    assert set(_read(tmp_path).instances[0].positives) == _ids(_paths(1, 7))


def test_a_negative_that_has_the_label_after_all_is_no_negative(tmp_path: Path) -> None:
    wrong = [*_paths(100, 49), _paths(20, 1)[0]]
    _write(tmp_path, records=[_record(1, _paths(0, 1)[0], target_image=_paths(1, 10), negative_image=wrong)])

    assert _read(tmp_path).coverage.dropped == {"fewer than 50 with another value": 1}


def test_names_of_attributes_come_from_records_that_bring_them(tmp_path: Path) -> None:
    _write(tmp_path, records=[_record(1, _paths(0, 1)[0], attribute="clothes button")])

    [instance] = _read(tmp_path).instances

    assert instance.attribute == "clothes button"
    assert "clothes button" in instance.text


def test_missing_pictures_leave_the_pools_and_drop_their_own_queries(tmp_path: Path) -> None:
    _write(tmp_path)
    for path in _paths(0, 5):
        (tmp_path / path).unlink()

    data = _read(tmp_path)

    assert data.coverage.dropped["picture is missing"] == 10
    assert data.coverage.missing_pictures == set(_paths(0, 5))
    gone = _ids(_paths(0, 5))
    assert not gone & {image for each in data.instances for image in (*each.positives, *each.negatives)}


def test_seed_and_limit_decide_what_is_read(tmp_path: Path) -> None:
    _write(tmp_path)

    assert _read(tmp_path, seed=1).instances == _read(tmp_path, seed=1).instances
    assert _read(tmp_path, seed=1).instances != _read(tmp_path, seed=2).instances
    assert _read(tmp_path, limit=10).coverage.n_records == 10


def test_a_cut_gallery_and_a_folder_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is empty"):
        _read(tmp_path)
    gallery = tmp_path / "9_asfr_DARN_test_candidate_data.json"
    gallery.write_text('{"DARN+7+0": ["DARN_images/a')
    with pytest.raises(SourceError, match="cut or not JSON"):
        _read(tmp_path)
    gallery.write_text('{"DARN+7+0": "DARN_images/a.jpg"}')
    with pytest.raises(SourceError, match="no list of picture paths"):
        _read(tmp_path)


@pytest.mark.skipif(not GALLERY.is_file(), reason="../shared/data/formats/u_fire is not there")
def test_the_original_gallery_without_pictures_drops_all(tmp_path: Path) -> None:
    shutil.copyfile(GALLERY, tmp_path / GALLERY.name)

    data = _read(tmp_path)

    assert data.instances == []
    assert data.coverage.dropped == {"picture is missing": 95}

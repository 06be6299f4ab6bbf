import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from builders.instances import SourceData
from builders.sources.fashion_vc import read
from retrieval.benchmark import Task
from retrieval.errors import SourceError

GALLERY = (
    Path(__file__).parents[3].parent
    / "shared/data/formats/u_fire/gallery/5_compatibility_FashionVC_test_candidates.json"
)


def _record(number: int, query: str, target: str) -> dict[str, Any]:
    return {
        "id": f"compatibility_FashionVC_{number:07}",
        "query_image": [f"FashionVC_images/{query}.jpg"],
        "instruction_text": "find something compatible",
        "target_image": [f"FashionVC_images/{target}.jpg"],
        "task": "compatibility",
        "dataset": "FashionVC",
        "split": "test",
    }


def _write(folder: Path, records: list[dict[str, Any]], split: str = "test", pictures: bool = True) -> None:
    (folder / f"5_compatibility_FashionVC_{split}_triplet_data.json").write_text(json.dumps(records))
    for record in records if pictures else []:
        for name in (*record["query_image"], *record["target_image"]):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).touch()


def _read(folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = read(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + sum(data.coverage.dropped.values())
    assert data.coverage.n_kept == len(data.instances)
    return data


def test_pairs_are_asked_both_ways_and_the_request_names_what_is_wanted(tmp_path: Path) -> None:
    _write(tmp_path, [_record(number, f"top+{number}", f"bottom+{number}") for number in range(40)])

    instances = _read(tmp_path).instances

    wanted = {instance.target.split("/")[1].split("+")[0] for instance in instances}
    assert wanted == {"top", "bottom"}
    for instance in instances:
        shown, target = instance.references[0], instance.target
        assert instance.task is Task.COMPATIBLE
        assert shown.partition("+")[2] == target.partition("+")[2]
        assert shown != target
        words = ("bottom", "trousers") if "/bottom+" in target else ("a top", "shirt")
        assert any(word in instance.text for word in words)


def test_equal_ids_of_two_splits_stay_two_queries(tmp_path: Path) -> None:
    _write(tmp_path, [_record(1, "top+11", "bottom+21")], "train")
    _write(tmp_path, [_record(1, "top+12", "bottom+22")], "val")

    assert len({instance.instance_id for instance in _read(tmp_path).instances}) == 2


def test_pictures_are_found_in_folders_of_their_own_and_not_in_another_data_sets(tmp_path: Path) -> None:
    _write(tmp_path, [_record(1, "top+11", "bottom+21"), _record(2, "top+12", "bottom+21")], pictures=False)
    for name in ("data/top/11.jpg", "data/bottom/21.jpg", "Polyvore_images/top+12.jpg"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    data = _read(tmp_path)

    assert {image.path for image in data.images.values()} == {"data/top/11.jpg", "data/bottom/21.jpg"}
    assert data.coverage.dropped == {"picture is missing": 1}
    assert data.coverage.missing_pictures == {"FashionVC_images/top+12.jpg"}


def test_a_folder_without_pictures_drops_all_and_says_so(tmp_path: Path) -> None:
    _write(tmp_path, [_record(1, "top+11", "bottom+21")], pictures=False)

    data = _read(tmp_path)

    assert data.instances == []
    assert data.images == {}
    assert data.coverage.dropped == {"picture is missing": 1}


def test_two_of_a_kind_are_no_outfit(tmp_path: Path) -> None:
    _write(tmp_path, [_record(1, "top+11", "top+12")])

    assert _read(tmp_path).coverage.dropped == {"not a top and a bottom": 1}


def test_seed_and_limit_decide_what_is_read(tmp_path: Path) -> None:
    _write(tmp_path, [_record(number, f"top+{number}", f"bottom+{number}") for number in range(40)])

    assert _read(tmp_path, seed=1).instances == _read(tmp_path, seed=1).instances
    assert _read(tmp_path, seed=1).instances != _read(tmp_path, seed=2).instances
    assert _read(tmp_path, limit=10).coverage.n_records == 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"id": "1", "query_im', "cut or not JSON"),
        ('[{"id": "1"}]', "lacks 'query_image'"),
        ('[{"id": "1", "query_image": "top.jpg"}]', "no list of picture paths"),
        ("{}", "not a list of records"),
    ],
)
def test_files_of_another_form_are_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "5_compatibility_FashionVC_test_triplet_data.json").write_text(content)

    with pytest.raises(SourceError, match=message):
        _read(tmp_path)


@pytest.mark.skipif(not GALLERY.is_file(), reason="../shared/data/formats/u_fire is not there")
def test_the_original_gallery_alone_is_refused_and_beside_queries_widens_the_gallery(tmp_path: Path) -> None:
    shutil.copyfile(GALLERY, tmp_path / GALLERY.name)
    with pytest.raises(SourceError, match="no queries"):
        _read(tmp_path)

    listed = json.loads(GALLERY.read_text())
    _write(tmp_path, [_record(1, "top+1", Path(listed[0]).stem)])
    for path in listed[:30]:
        (tmp_path / path).touch()

    data = _read(tmp_path)

    assert len(data.instances) == 1
    assert len(data.images) == 30 + 1

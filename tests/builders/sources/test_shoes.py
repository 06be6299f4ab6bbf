import json
from pathlib import Path
from typing import Any

import pytest

from builders.instances import SourceData
from builders.sources import shoes
from retrieval.errors import SourceError

REAL = Path(__file__).parents[4] / "shared/data/formats/shoes"
REFERENCE, TARGET = "img_womens_high_heels_1.jpg", "img_womens_rain_boots_2.jpg"


def _write(folder: Path, rows: list[dict[str, Any]], captions: list[dict[str, Any]] | None = None) -> None:
    (folder / "relative_captions_shoes.json").write_text(json.dumps(rows))
    if captions is not None:
        (folder / "captions_shoes.json").write_text(json.dumps(captions))


def _row(reference: str = REFERENCE, target: str = TARGET, text: Any = "is Taller.") -> dict[str, Any]:
    return {"ImageName": target, "ReferenceImageName": reference, "RelativeCaption": text}


def _read(folder: Path, limit: int | None = None) -> SourceData:
    data = shoes.read(folder, folder / "made", 1, limit)
    assert data.coverage.n_records == data.coverage.n_kept + data.coverage.dropped.total()
    return data


def _pictures(folder: Path) -> None:
    (folder / "womens/0").mkdir(parents=True)
    for name in (REFERENCE, TARGET):
        (folder / "womens/0" / name).touch()


def test_a_relative_caption_leads_from_reference_to_target(tmp_path: Path) -> None:
    _pictures(tmp_path)
    _write(tmp_path, [_row()], [{"ImageName": TARGET, "Caption": "black rain boots"}])

    data = _read(tmp_path)

    [instance] = data.instances
    assert instance.text == "is Taller"
    assert data.images[instance.references[0]].path == f"womens/0/{REFERENCE}"
    target = data.images[instance.target]
    assert (target.path, target.caption) == (f"womens/0/{TARGET}", "black rain boots")
    assert target.attributes == {"category": "rain boots", "gender": "Women"}


def test_plain_captions_may_be_absent(tmp_path: Path) -> None:
    _pictures(tmp_path)
    _write(tmp_path, [_row()])

    assert {image.caption for image in _read(tmp_path).images.values()} == {""}


def test_each_photo_is_a_product_of_this_data_set(tmp_path: Path) -> None:
    _pictures(tmp_path)
    _write(tmp_path, [_row()])

    assert all(image.product_id == image.image_id for image in _read(tmp_path).images.values())


def test_rows_without_text_or_picture_are_dropped(tmp_path: Path) -> None:
    _pictures(tmp_path)
    _write(tmp_path, [_row(), _row(text=None), _row(reference="img_womens_flats_9.jpg")])

    coverage = _read(tmp_path).coverage

    assert coverage.dropped == {"no text": 1, "picture is missing": 1}
    assert coverage.missing_pictures == {"img_womens_flats_9.jpg"}


@pytest.mark.parametrize("content", ["", '[{"ImageName": "a.jpg"', "[]", '[{"ImageName": "a.jpg"}]'])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    (tmp_path / "relative_captions_shoes.json").write_text(content)

    with pytest.raises(SourceError, match=r"relative_captions_shoes\.json"):
        _read(tmp_path)


def test_a_row_without_a_name_is_an_error(tmp_path: Path) -> None:
    _write(tmp_path, [_row(), _row(target="")])

    with pytest.raises(SourceError, match=r"Record 2 of .* has no ImageName"):
        _read(tmp_path)


@pytest.mark.skipif(not REAL.is_dir(), reason="the original files are not beside the checkout")
def test_original_files_are_read_and_their_missing_pictures_counted() -> None:
    coverage = _read(REAL).coverage

    assert (coverage.n_records, coverage.n_kept) == (300, 0)
    assert coverage.dropped == {"picture is missing": 300}

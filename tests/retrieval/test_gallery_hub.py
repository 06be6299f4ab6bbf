"""With the real library on a data set in a local folder of the same address; nothing is fetched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from retrieval.errors import DependencyError, GalleryError
from retrieval.gallery import Skipped, count_items, read_gallery


@pytest.mark.parametrize("address", ["hub:", "hub:name", "hub:a/b/c", "hub:a/b:", "hub:a/b:x:y", "hub:../../etc"])
def test_a_wrong_address_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match="hub"):
        read_gallery(address, tmp_path)


def test_without_the_library_the_install_line_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DependencyError, match="pip install"):
        read_gallery("hub:owner/name", tmp_path)


def test_a_hub_data_set_is_streamed_with_its_original_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets comes with requirements-train.txt")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    from PIL import Image

    picture = tmp_path / "a.png"
    Image.new("RGB", (9, 9), "red").save(picture)
    features = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(names=["shirt", "skirt"])})
    rows = {
        "image": [{"bytes": picture.read_bytes(), "path": "a.png"}, {"bytes": b"broken", "path": None}],
        "label": [1, 0],
    }
    (tmp_path / "owner" / "name").mkdir(parents=True)
    datasets.Dataset.from_dict(rows, features=features).to_parquet(tmp_path / "owner" / "name" / "train.parquet")
    monkeypatch.chdir(tmp_path)
    item, skipped = read_gallery("hub:owner/name:train", tmp_path / "kept")
    assert not isinstance(item, Skipped)
    assert item.attributes == {"category": "skirt"}
    assert Path(item.image.path).read_bytes() == picture.read_bytes()
    assert isinstance(skipped, Skipped)
    assert skipped.line == 2
    assert count_items("hub:owner/name:train") is None
    with pytest.raises(GalleryError, match="Check name"):
        read_gallery("hub:owner/name:no_such_split", tmp_path / "kept")

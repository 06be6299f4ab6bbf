"""Fashion Product Images, from its real files where they are beside the checkout, and in its original layout."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from builders.instances import SourceData
from builders.sources.catalogue_products import SPOKEN
from builders.sources.catalogue_words import agree, may_be, name_colours
from builders.sources.fpi import read
from retrieval.benchmark import Task
from retrieval.errors import SourceError

REAL = Path(__file__).parents[3].parent / "shared" / "data" / "fpi"
N_ROWS = 1000
COLUMNS = (
    "id",
    "gender",
    "masterCategory",
    "subCategory",
    "articleType",
    "baseColour",
    "season",
    "year",
    "usage",
    "productDisplayName",
)
needs_catalogue = pytest.mark.skipif(not any(REAL.glob("*.parquet")), reason="../shared/data/fpi is not there")


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first rows of the real catalogue, in its own form."""
    folder = tmp_path_factory.mktemp("fpi") / "part"
    folder.mkdir()
    file = sorted(REAL.glob("*.parquet"))[0]
    pq.write_table(pq.ParquetFile(file).read().slice(0, N_ROWS), folder / "part.parquet")
    return folder


@pytest.fixture(scope="module")
def data(part: Path) -> SourceData:
    return read(part, part.parent / "made", 0, None)


def original_rows(part: Path, n: int) -> list[dict[str, Any]]:
    return list(pq.read_table(part / "part.parquet").slice(0, n).to_pylist())


def write_original(folder: Path, rows: list[dict[str, Any]]) -> Path:
    (folder / "images").mkdir(parents=True)
    with (folder / "styles.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        (folder / "images" / f"{row['id']}.jpg").write_bytes(row["image"])
    return folder


@needs_catalogue
def test_every_row_is_accounted_for(data: SourceData) -> None:
    coverage = data.coverage
    assert coverage.n_records == N_ROWS == coverage.n_kept + coverage.dropped.total()
    products = [image for image in data.images.values() if image.kind == "product"]
    assert len(products) == coverage.n_kept


@needs_catalogue
def test_underwear_and_what_is_not_worn_are_left_out_and_counted(data: SourceData, part: Path) -> None:
    rows = original_rows(part, N_ROWS)
    assert data.coverage.dropped["innerwear"] == sum(row["subCategory"] == "Innerwear" for row in rows)
    assert not [image for image in data.images.values() if image.attributes.get("sub_category") == "Innerwear"]
    masters = {str(image.attributes["master_category"]) for image in data.images.values() if image.kind == "product"}
    assert masters <= {"Apparel", "Footwear", "Accessories"}


@needs_catalogue
def test_missing_values_are_absent_attributes(data: SourceData) -> None:
    assert not [image for image in data.images.values() for value in image.attributes.values() if value in ("NA", "")]


@needs_catalogue
def test_pictures_and_instances_fit_together(data: SourceData) -> None:
    identifiers = [instance.instance_id for instance in data.instances]
    assert identifiers == sorted(set(identifiers))
    for image in data.images.values():
        assert (data.root / image.path).is_file()
        assert image.image_id.startswith("fpi/")
    for instance in data.instances:
        named = (instance.target, *instance.references, *instance.positives, *instance.negatives)
        assert all(name in data.images for name in named)


@needs_catalogue
def test_pairs_of_the_real_catalogue_differ_in_one_or_two_known_attributes(data: SourceData) -> None:
    pairs = [instance for instance in data.instances if instance.task is Task.CIR]
    assert len(pairs) > 200
    for instance in pairs:
        before, after = (data.images[name].attributes for name in (instance.references[0], instance.target))
        differing = [
            name
            for name in SPOKEN
            if _spoken(data, instance.references[0]).get(name) != _spoken(data, instance.target).get(name)
        ]
        assert 1 <= len(differing) <= 2
        assert all(name in before and name in after for name in differing)
        assert before["sub_category"] == after["sub_category"]
        for name in set(differing) & {"colour", "material"}:
            word = str(after[name]).lower()
            assert word in instance.text or word.split()[0] in instance.text or word in ("skin", "multi", "metallic")


def _spoken(data: SourceData, image_id: str) -> dict[str, str]:
    image = data.images[image_id]
    named = name_colours(image.caption, str(image.attributes.get("brand", "")))
    known = {name: str(value).lower() for name, value in image.attributes.items()}
    if "colour" in known and not agree(known["colour"], named):
        del known["colour"]
    return known


@needs_catalogue
def test_candidates_of_the_real_catalogue_share_or_do_not(data: SourceData) -> None:
    asked = [instance for instance in data.instances if instance.task is Task.ASFR]
    assert {"colour", "pattern"} <= {instance.attribute for instance in asked}
    for instance in asked:
        wanted = _spoken(data, instance.references[0])[instance.attribute]
        assert {_spoken(data, name)[instance.attribute] for name in instance.positives} == {wanted}
        others = {_spoken(data, name)[instance.attribute] for name in instance.negatives}
        assert not [other for other in others if other == wanted or may_be(instance.attribute, wanted, other)]


@needs_catalogue
def test_most_products_can_be_led_to_and_gone_on_from(data: SourceData) -> None:
    products = {name for name, image in data.images.items() if image.kind == "product"}
    targets = {instance.target for instance in data.instances}
    references = {name for instance in data.instances for name in instance.references}
    assert len(products & targets & references) > 0.5 * len(products)


@needs_catalogue
def test_the_original_folder_gives_what_its_parquet_gives(part: Path, tmp_path: Path) -> None:
    rows = original_rows(part, 300)
    folder = write_original(tmp_path / "original", rows)
    (tmp_path / "parquet").mkdir()
    pq.write_table(pq.read_table(part / "part.parquet").slice(0, 300), tmp_path / "parquet" / "part.parquet")
    first, second = (read(tmp_path / name, tmp_path / f"made-{name}", 0, None) for name in ("original", "parquet"))
    assert folder.is_dir()
    assert first.instances == second.instances


@needs_catalogue
def test_commas_in_a_name_do_not_shift_the_columns(part: Path, tmp_path: Path) -> None:
    rows = original_rows(part, 40)
    folder = write_original(tmp_path / "original", rows)
    kept = next(row for row in rows if row["masterCategory"] == "Apparel" and row["subCategory"] != "Innerwear")
    text = (folder / "styles.csv").read_text(encoding="utf-8")
    (folder / "styles.csv").write_text(
        text.replace(kept["productDisplayName"], "Acme, the shirt, blue"), encoding="utf-8"
    )
    data = read(folder, tmp_path / "made", 0, None)
    assert data.images[f"fpi/{kept['id']}"].attributes["category"] == kept["articleType"]


@needs_catalogue
def test_a_limit_takes_whole_groups(part: Path, tmp_path: Path, data: SourceData) -> None:
    limited = read(part, tmp_path / "made", 0, 300)
    assert limited.coverage.n_kept == 300
    groups, all_groups = (
        Counter(_group(image.attributes) for image in each.images.values() if image.kind == "product")
        for each in (limited, data)
    )
    assert sum(groups[group] != all_groups[group] for group in groups) <= 1


def _group(attributes: Any) -> tuple[str, str]:
    return str(attributes.get("brand", "")).lower(), str(attributes.get("category", "")).lower()


@needs_catalogue
def test_a_cut_file_is_named(part: Path, tmp_path: Path) -> None:
    whole = (part / "part.parquet").read_bytes()
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "part.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match=r"part\.parquet is not a readable Parquet file; fetch it again"):
        read(tmp_path / "cut", tmp_path / "made", 0, None)


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="Fashion Product Images"):
        read(tmp_path / "empty", tmp_path / "made", 0, None)


@needs_catalogue
def test_another_catalogue_is_not_taken_for_this_one(part: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    table = pq.read_table(part / "part.parquet").slice(0, 60).drop_columns(["masterCategory"])
    pq.write_table(table, tmp_path / "other" / "part.parquet")
    with pytest.raises(SourceError, match="has no masterCategory"):
        read(tmp_path / "other", tmp_path / "made", 0, None)

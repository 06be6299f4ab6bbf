"""The whole build on a small catalogue, from a table to an audited benchmark; what stops it loses nothing."""

from __future__ import annotations

import csv
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from builders.fashion_rq import build as building
from builders.fashion_rq.__main__ import main
from builders.fashion_rq.audit import audit
from builders.fashion_rq.build import build
from builders.fashion_rq.card import BuildSettings
from builders.fashion_rq.hierarchy_settings import HierarchySettings
from builders.fashion_rq.leaves import LeafSettings
from builders.fashion_rq.query_writing import GrammarWriter
from retrieval.encoders.hashing import HashingEncoder
from retrieval.errors import BenchmarkError, FashionSearchError, TrainingError
from retrieval.rq_benchmark import CARD, CHECKED, PICTURES, STATS, read_rq_benchmark

TYPES = ("Shirts", "Dresses", "Watches", "Sandals")
COLOURS = {"Red": (220, 20, 20), "Blue": (20, 20, 220), "Green": (20, 160, 20), "Black": (5, 5, 5)}
GENDERS = ("Men", "Women", "Girls")
BRANDS = ("Puma", "Lee", "Fossil", "Biba", "Nike")
HIERARCHY = HierarchySettings(codebook=6, epochs=30)
SETTINGS = BuildSettings(hierarchy=HIERARCHY, leaves=LeafSettings(n_tops=4, n_middles=10, n_leaves=12))
KEPT = (*CHECKED, CARD, STATS)


def catalogue(folder: Path, n_copies: int = 2) -> Path:
    """A table with pictures of plain colour, each a little different."""
    (folder / "images").mkdir(parents=True)
    with (folder / "styles.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("id", "gender", "articleType", "baseColour", "usage", "productDisplayName"))
        rows = itertools.product(TYPES, GENDERS, COLOURS, BRANDS, range(n_copies))
        for number, (kind, gender, colour, brand, copy) in enumerate(rows, 1000):
            shade = tuple(min(255, channel + number % 31) for channel in COLOURS[colour])
            Image.new("RGB", (12, 12 + number % 7), shade).save(folder / "images" / f"{number}.png")
            name = f"{brand} {gender} {colour} {kind} model {'ABCDEFG'[copy]}{number}"
            table.writerow((number, gender, kind, colour, "Casual" if copy else "Formal", name))
    return folder


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return catalogue(tmp_path_factory.mktemp("shop") / "catalogue")


def made(out: Path, gallery: Path, settings: BuildSettings = SETTINGS) -> dict[str, Any]:
    return build(out, gallery, settings, HashingEncoder(), GrammarWriter, "build it", progress=False)


@pytest.fixture(scope="module")
def finished(gallery: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "b"
    made(out, gallery)
    return out


def test_a_table_becomes_an_audited_benchmark(finished: Path) -> None:
    benchmark = read_rq_benchmark(finished)
    assert len({query.leaf for query in benchmark.queries.values()}) > 5
    assert all(benchmark.candidates[task] for task in ("T1", "T2", "T3", "T4"))
    assert audit(benchmark).is_clean
    assert (finished / STATS).read_text().startswith("# fashion-rq: statistics")
    assert sorted(path.name for path in finished.iterdir()) == sorted((*KEPT, PICTURES, "work"))


def test_the_command_audits_and_prints_the_tables(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(finished)]) == 0
    assert "No rule is broken." in capsys.readouterr().out
    assert main(["stats", str(finished)]) == 0
    assert capsys.readouterr().out == (finished / STATS).read_text()


def test_a_fault_is_the_status_of_the_audit(finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in KEPT:
        (tmp_path / name).write_bytes((finished / name).read_bytes())
    assert main(["audit", str(tmp_path)]) == 1  # the pictures are not there
    assert "picture is there" in capsys.readouterr().out


def test_the_same_seed_gives_the_same_bytes(finished: Path, gallery: Path, tmp_path: Path) -> None:
    made(tmp_path / "again", gallery)
    for name in KEPT:
        assert (tmp_path / "again" / name).read_bytes() == (finished / name).read_bytes(), name


def test_an_interrupted_build_goes_on_with_the_same_result(
    finished: Path, gallery: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for name in ("build_hierarchy", "compose", "publish"):
        with monkeypatch.context() as patch:
            patch.setattr(building, name, interrupt)
            with pytest.raises(KeyboardInterrupt):
                made(tmp_path / "b", gallery)
        assert not (tmp_path / "b" / CARD).exists()
    monkeypatch.setattr("builders.fashion_rq.rqvae.train", interrupt)  # vectors and codes are there already
    made(tmp_path / "b", gallery)
    for name in KEPT:
        assert (tmp_path / "b" / name).read_bytes() == (finished / name).read_bytes(), name


def test_other_settings_are_refused_for_a_begun_build(finished: Path, gallery: Path) -> None:
    before = (finished / CARD).read_bytes()
    other = BuildSettings(hierarchy=replace(HIERARCHY, codebook=5), leaves=SETTINGS.leaves)
    with pytest.raises(BenchmarkError, match=r"begun with settings\.codebook 6, not 5"):
        made(finished, gallery, other)
    assert (finished / CARD).read_bytes() == before


def test_another_catalogue_is_refused_for_a_begun_build(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="begun with catalogue"):
        made(finished, catalogue(tmp_path / "other", n_copies=3))
    assert audit(read_rq_benchmark(finished)).is_clean


def test_further_codebooks_stand_in_the_tables(finished: Path, gallery: Path, tmp_path: Path) -> None:
    settings = BuildSettings(hierarchy=HIERARCHY, compared=(3,), leaves=SETTINGS.leaves)
    made(tmp_path / "b", gallery, settings)
    assert "| 3, D1 | " in (tmp_path / "b" / STATS).read_text()
    assert (tmp_path / "b" / "candidates.jsonl").read_bytes() == (finished / "candidates.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"hierarchy": HierarchySettings(codebook=1000)}, TrainingError, "larger than the catalogue"),
        ({"hierarchy": HierarchySettings(codebook=0)}, BenchmarkError, "at least 1"),
        ({"hierarchy": HierarchySettings(epochs=0)}, BenchmarkError, "at least 1"),
        ({"leaves": LeafSettings(min_exact=500)}, BenchmarkError, "larger catalogue"),
    ],
)
def test_settings_that_give_nothing_are_an_error(
    gallery: Path, tmp_path: Path, changed: dict[str, Any], error: type[FashionSearchError], words: str
) -> None:
    with pytest.raises(error, match=words):
        made(tmp_path / "b", gallery, replace(SETTINGS, **changed))
    assert not (tmp_path / "b" / CARD).exists()


def test_a_catalogue_that_cannot_serve_ends_the_command_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = catalogue(tmp_path / "small")
    lines = (folder / "styles.csv").read_text().splitlines()
    (folder / "styles.csv").write_text("\n".join(lines[:2]))
    assert main(["build", "--gallery", str(folder), "--out", str(tmp_path / "b")]) == 2
    assert "one product only" in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "b" / CARD).exists()

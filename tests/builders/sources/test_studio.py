"""The studio's source: pictures and instances of all seven tasks, exact and repeatable."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("skia", reason="the studio draws with skia-python (requirements-build.txt)")

from PIL import Image

from builders.instances import N_NEGATIVES, N_POSITIVES, Coverage, Instance, SourceData
from builders.sources import studio_catalogue, studio_pictures
from builders.sources.studio import read
from builders.sources.studio_catalogue import Piece
from builders.sources.studio_instances import instances, seen_values
from builders.studio.outfits import is_outfit
from retrieval.benchmark import Task

N = 16
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("made")


@pytest.fixture(scope="module")
def data(made: Path) -> SourceData:
    return read(made, made, 3, N)


@pytest.fixture(scope="module")
def many() -> list[Piece]:
    return studio_catalogue.pieces(150, 3)


@pytest.fixture(scope="module")
def found(many: list[Piece]) -> list[Instance]:
    return instances(many, 3, Coverage())


def test_all_seven_tasks_have_a_data_set_of_their_own(found: list[Instance]) -> None:
    pairs = Counter((each.task, each.dataset) for each in found)
    assert {task for task, _ in pairs} == set(Task)
    assert len(pairs) == 7
    assert all(dataset.startswith("studio-") for _, dataset in pairs)
    assert min(pairs.values()) > 40


def test_ids_are_unique_and_sorted_and_pictures_are_known(data: SourceData) -> None:
    ids = [each.instance_id for each in data.instances]
    assert ids == sorted(set(ids))
    for each in data.instances:
        assert {each.target, *each.references, *each.positives, *each.negatives} <= set(data.images)
        assert each.target not in each.references


def test_every_picture_is_there_and_of_the_stated_height(data: SourceData) -> None:
    for image in data.images.values():
        with Image.open(data.root / image.path) as picture:
            assert picture.size == (studio_pictures.HEIGHT * 3 // 4, studio_pictures.HEIGHT)
    assert {image.kind for image in data.images.values()} == {"product", "street", "cutout", "sketch"}


def test_every_users_picture_has_its_cutout(data: SourceData) -> None:
    products = {
        kind: {image.product_id for image in data.images.values() if image.kind == kind}
        for kind in ("street", "cutout")
    }
    assert products["street"] == products["cutout"] != set()


def test_a_modification_changes_exactly_what_its_copy_was_drawn_with(many: list[Piece], found: list[Instance]) -> None:
    by_id = {piece.image_id(): piece for piece in many}
    for each in (each for each in found if each.task is Task.CIR):
        reference = by_id[each.references[0].removesuffix("-other")].garment.attributes()
        target = by_id[each.target].garment.attributes()
        changed = {name for name in reference | target if reference.get(name) != target.get(name)}
        copy = by_id[each.target] if by_id[each.target].change else by_id[each.references[0]]
        assert copy.change is not None
        assert changed - {"second_colour"} <= set(copy.change.attributes)
        assert changed


def test_matching_garments_make_outfits(many: list[Piece], found: list[Instance]) -> None:
    garments = {piece.image_id(): piece.garment for piece in many}
    sizes = Counter()
    for each in (each for each in found if each.task is Task.COMPATIBLE):
        worn = [garments[name.removesuffix("-other")] for name in (*each.references, each.target)]
        assert is_outfit(worn)
        sizes[len(worn)] += 1
    assert sizes[2] > sizes[3] > 0
    assert sizes[4] > 0


def test_pools_hold_what_is_seen_of_the_attribute(many: list[Piece], found: list[Instance]) -> None:
    seen = {piece.image_id(): seen_values(piece.garment) for piece in many}
    base = {piece.image_id(): piece.base for piece in many}
    for each in (each for each in found if each.task is Task.ASFR):
        query = each.references[0].removesuffix("-other")
        value = seen[query][each.attribute]
        assert N_POSITIVES[0] <= len(each.positives) <= N_POSITIVES[1]
        assert len(each.negatives) == N_NEGATIVES
        assert each.target in each.positives
        assert all(seen[name][each.attribute] == value for name in each.positives)
        assert all(seen[name][each.attribute] != value for name in each.negatives)
        assert all(base[name] != base[query] for name in each.positives)


def test_views_show_one_product(found: list[Instance]) -> None:
    for each in found:
        if each.task in (Task.IN_SHOP, Task.STREET2SHOP, Task.SKETCH2IMG):
            names = {name.removesuffix("-other").removesuffix("-street").removesuffix("-sketch") for name in
                     (each.target, *each.references)}  # fmt: skip
            assert len(names) == 1


def test_many_targets_are_references_of_another_data_set(found: list[Instance]) -> None:
    starts: dict[str, set[str]] = {}
    for each in found:
        for name in each.references:
            starts.setdefault(name, set()).add(each.dataset)
    gone_on = [bool(starts.get(each.target, set()) - {each.dataset}) for each in found]
    assert sum(gone_on) > 0.8 * len(gone_on)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = (read(tmp_path, tmp_path / name, 5, 4) for name in "ab")
    assert (one.images, one.instances, one.revision) == (two.images, two.instances, two.revision)
    for image in one.images.values():
        assert _digest(one.root / image.path) == _digest(two.root / image.path)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_another_seed_gives_other_garments(tmp_path: Path) -> None:
    assert studio_catalogue.pieces(5, 1) != studio_catalogue.pieces(5, 2)
    assert studio_pictures.key(5, 1) != studio_pictures.key(5, 2)


def test_only_missing_pictures_are_rendered_again(tmp_path: Path) -> None:
    data = read(tmp_path, tmp_path, 9, 4)
    files = sorted(data.root.rglob("*.jpg"))
    times = {file: file.stat().st_mtime_ns for file in files}
    before = files[3].read_bytes()
    files[3].unlink()
    files[3].with_name(files[3].name + ".1.partial").write_bytes(b"half a picture")
    again = read(tmp_path, tmp_path, 9, 4)
    assert again.images == data.images
    assert files[3].read_bytes() == before
    assert [file for file in files if file.stat().st_mtime_ns != times[file]] == [files[3]]


def test_several_processes_render_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = studio_catalogue.pieces(3, 2)
    assert studio_pictures.render_missing(tmp_path / "one", pieces) == sum(len(piece.views) for piece in pieces)
    monkeypatch.setattr(studio_pictures, "_ALONE", 2)
    monkeypatch.setattr(studio_pictures.os, "cpu_count", lambda: 2)
    studio_pictures.render_missing(tmp_path / "two", pieces)
    for piece in pieces:
        for view in piece.views:
            assert _digest(tmp_path / "one" / piece.path(view)) == _digest(tmp_path / "two" / piece.path(view))


def test_without_skia_the_error_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['skia'] = None; from pathlib import Path; from builders.sources.studio import read; "
        f"read(Path(), Path({str(tmp_path)!r}), 1, 1)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "DependencyError" in ended.stderr
    assert "requirements-build.txt" in ended.stderr

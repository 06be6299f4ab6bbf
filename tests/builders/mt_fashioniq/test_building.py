import json
from pathlib import Path
from typing import Any

import pytest

from builders.mt_fashioniq.__main__ import main
from builders.mt_fashioniq.building import CATEGORIES, build
from retrieval.benchmark import Benchmark, read_benchmark
from retrieval.errors import BenchmarkError, SourceError

REAL = Path(__file__).parents[4] / "shared/data/formats/mt_fashioniq"


def _session(target: str, *turns: tuple[str, str]) -> dict[str, Any]:
    return {"target": ["url", target], "reference": [["url", [text, "is nice"], asin] for asin, text in turns]}


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """Three categories of two sessions with the same first reference and target; shirt and toptee share X."""
    folder = tmp_path / "original"
    for part in ("data", "image_splits", "attr"):
        (folder / part).mkdir(parents=True)
    words = {}
    for category in CATEGORIES:
        a, b, c, d, unused = (f"{category}-{letter}" for letter in "ABCDU")
        sessions = [_session(c, (a, "is red"), (b, "is blue")), _session(c, (a, "is long"), (d, "is short"))]
        train = [_session(c, (f"{category}-T", "is red"), (b, "is blue")), _session(c, (a, "is a lone turn"))]
        _write(folder / f"data/{category}.val.json", sessions)
        _write(folder / f"data/{category}.train.json", train)
        gallery = [a, b, c, d, unused, *(["X"] if category != "dress" else [])]
        _write(folder / f"image_splits/split.{category}.val.json", gallery)
        words |= {asin: [["cotton"], ["red", "cotton"], [asin]] for asin in (a, b, c, d)}
    _write(folder / "attr/asin2attr.all.val.new.json", words)
    return folder


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content))


def _built(original: Path, pictures: Path | None = None, with_train: bool = False) -> Benchmark:
    out = original.parent / "out"
    build(original, out, pictures, with_train, "python -m builders.mt_fashioniq build")
    return read_benchmark(out / "dress")


def test_validation_sessions_become_the_test_split_in_three_benchmarks(original: Path) -> None:
    _built(original)

    for category in CATEGORIES:
        benchmark = read_benchmark(original.parent / "out" / category)
        assert [session.session_id for session in benchmark.split("test")] == [
            f"{category}-val-00001",
            f"{category}-val-00002",
        ]
        assert benchmark.split("train") == ()


def test_each_turn_starts_from_what_the_one_before_led_to(original: Path) -> None:
    first, second = _built(original).sessions[0].turns

    assert (first.references, first.text, first.chosen) == (
        ("mt_fashioniq/dress-A",),
        "is red and is nice",
        "mt_fashioniq/dress-B",
    )
    assert (second.references, second.chosen) == ((first.chosen,), "mt_fashioniq/dress-C")


def test_only_the_last_turn_is_judged(original: Path) -> None:
    assert _built(original).qrels == {
        "dress-val-00001/2": {"mt_fashioniq/dress-C": 1},
        "dress-val-00002/2": {"mt_fashioniq/dress-C": 1},
    }


def test_the_gallery_is_the_categorys_own_list_with_attribute_words_for_pictures(original: Path) -> None:
    benchmark = _built(original)

    assert {image.image_id: (image.path, image.caption) for image in benchmark.gallery()} == {
        **{f"mt_fashioniq/dress-{each}": ("", f"cotton red dress-{each}") for each in "ABCD"},
        "mt_fashioniq/dress-U": ("", "dress"),
    }
    assert benchmark.card["gallery"] == "attribute words"
    assert benchmark.card["counts"]["gallery_without_words"] == 1


def test_training_sessions_come_on_request_without_judgements_or_places_in_the_gallery(original: Path) -> None:
    plain, full = _built(original), _built(original, with_train=True)

    assert [session.session_id for session in full.split("train")] == ["dress-train-00001"]
    assert (full.qrels, full.gallery()) == (plain.qrels, plain.gallery())
    assert not full.images["mt_fashioniq/dress-T"].in_gallery
    assert full.card["dropped"] == {"one turn": 1}
    assert full.card["counts"]["queries_with_target_of_train"] == 2


def test_pictures_are_found_and_missing_ones_leave_the_queries_in_the_denominator(original: Path) -> None:
    pictures = original.parent / "pictures"
    (pictures / "deep").mkdir(parents=True)
    for name in ("dress-A.jpg", "deep/dress-B.png", "dress-D.jpg"):
        (pictures / name).touch()

    benchmark = _built(original, pictures)

    assert benchmark.picture_path("mt_fashioniq/dress-B") == (pictures / "deep/dress-B.png").resolve()
    assert {image.caption for image in benchmark.gallery()} == {""}
    assert len(benchmark.qrels) == 2
    counts = benchmark.card["counts"]
    assert (counts["gallery_pictures_missing"], counts["queries_without_target_picture"]) == (2, 2)
    assert benchmark.card["gallery"] == "pictures"
    assert not benchmark.picture_path("mt_fashioniq/dress-C").exists()


def test_a_pictures_folder_without_pictures_is_an_error(original: Path) -> None:
    with pytest.raises(SourceError, match="holds no picture"):
        _built(original, original)


def test_equal_files_give_equal_checksums_and_a_changed_caption_another_revision(original: Path) -> None:
    first = _built(original).card
    assert _built(original).card == first

    _write(original / "data/dress.val.json", [_session("dress-C", ("dress-A", "is red"), ("dress-B", "is green"))])
    changed = _built(original).card

    assert changed["sources"] != first["sources"]
    assert changed["checksum"] != first["checksum"]


def test_ids_in_two_galleries_are_counted_in_both(original: Path) -> None:
    _built(original)

    cards = {name: read_benchmark(original.parent / "out" / name).card["tolerated"] for name in CATEGORIES}

    assert [card.get("id in another category's gallery too") for card in cards.values()] == [None, 1, 1]


@pytest.mark.parametrize("name", ["data/toptee.val.json", "image_splits/split.toptee.val.json"])
@pytest.mark.parametrize("content", [None, "", "[]", "[1]"])
def test_nothing_is_written_when_one_file_is_absent_or_damaged(original: Path, name: str, content: str | None) -> None:
    if content is None:
        (original / name).unlink()
    else:
        (original / name).write_text(content)

    with pytest.raises(SourceError, match=name.split("/")[1].replace(".", r"\.")):
        _built(original)
    assert not (original.parent / "out").exists()


def test_a_folder_with_other_files_is_not_written_into(original: Path) -> None:
    out = original.parent / "out"
    (out / "toptee").mkdir(parents=True)
    (out / "toptee/letter.txt").write_text("mine")

    with pytest.raises(BenchmarkError, match=r"letter\.txt"):
        _built(original)
    assert sorted(path.name for path in out.rglob("*")) == ["letter.txt", "toptee"]


def test_the_command_prints_its_counts_and_notes_itself_in_the_card(
    original: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = original.parent / "out"

    assert main(["build", str(original), "--out", str(out), "--train"]) == 0

    printed = capsys.readouterr().out
    assert "sessions_test 2" in printed
    assert "dropped: one turn 1" in printed
    command = read_benchmark(out / "shirt").card["command"]
    assert command == "python -m builders.mt_fashioniq build FOLDER --train --out DIR"
    pictures = original.parent / "pictures"
    pictures.mkdir()
    (pictures / "dress-A.jpg").touch()
    assert main(["build", str(original), "--out", str(out), "--pictures", str(pictures)]) == 0
    command = read_benchmark(out / "shirt").card["command"]
    assert command == "python -m builders.mt_fashioniq build FOLDER --pictures FOLDER --out DIR"


def test_references_stay_among_the_candidates_and_the_statistics_say_so(original: Path) -> None:
    benchmark = _built(original)

    assert benchmark.card["references_stay"] is True
    stats = (benchmark.folder / "STATS.md").read_text()
    assert "references among them" in stats
    assert "| what | number |\n| --- | ---: |\n| gallery | 5 |\n" in stats


def test_the_command_says_what_is_wrong_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")]) == 2

    assert "There is no folder" in capsys.readouterr().err


@pytest.mark.skipif(not REAL.is_dir(), reason="the original files are not beside the checkout")
def test_the_original_files_give_the_published_queries_and_galleries(tmp_path: Path) -> None:
    cards = build(REAL, tmp_path, None, True, "command")

    sizes = {name: (card["counts"]["queries"], card["counts"]["gallery"]) for name, card in cards.items()}
    assert sizes == {"dress": (1000, 2562), "shirt": (681, 1770), "toptee": (719, 1942)}
    assert {name: card["counts"]["sessions_train"] for name, card in cards.items()} == {
        "dress": 3338,
        "shirt": 2994,
        "toptee": 2773,
    }
    assert cards["toptee"]["dropped"] == {"one turn": 1}
    for name in cards:
        benchmark = read_benchmark(tmp_path / name)
        gallery = {image.image_id for image in benchmark.gallery()}
        assert all(gallery.issuperset(relevant) for relevant in benchmark.qrels.values())
        assert all(image.caption for image in benchmark.gallery())

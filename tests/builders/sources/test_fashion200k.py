from collections import Counter
from pathlib import Path

import pytest

from builders.colours import FAMILIES, is_word
from builders.instances import SourceData
from builders.sources import fashion200k
from retrieval.benchmark import Task
from retrieval.errors import SourceError

COLOURS = sorted(filter(is_word, FAMILIES))


def _path(product: int, number: int = 0) -> str:
    return f"women/dresses/casual_and_day_dresses/{product}/{product}_{number}.jpeg"


def _labels(folder: Path, rows: list[tuple[str, str]], name: str = "dress_train_detect_all.txt") -> None:
    (folder / "labels").mkdir(exist_ok=True)
    (folder / "labels" / name).write_text("".join(f"{path}\t0.87\t{caption}\n" for path, caption in rows))
    for path, _ in rows:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()


def _read(folder: Path, seed: int = 1, limit: int | None = None) -> SourceData:
    data = fashion200k.read(folder, folder / "made", seed, limit)
    assert data.coverage.n_records == data.coverage.n_kept + data.coverage.dropped.total()
    assert data.coverage.n_kept == len(data.instances)
    return data


def _captions(data: SourceData) -> list[tuple[str, str]]:
    return [(data.images[each.references[0]].caption, data.images[each.target].caption) for each in data.instances]


def test_captions_that_differ_in_one_word_are_a_pair_both_ways(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(1), "Red  lace dress"), (_path(2), "blue lace dress"), (_path(3), "blue silk skirt")])

    data = _read(tmp_path)

    assert _captions(data) == [("red lace dress", "blue lace dress"), ("blue lace dress", "red lace dress")]
    assert {instance.task for instance in data.instances} == {Task.CIR}
    assert data.coverage.dropped == {"no caption differs in one word": 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [("red lace dress", "blue silk dress"), ("red dress", "red lace dress"), ("lace red dress", "red lace dress")],
)
def test_two_changes_an_added_word_and_another_order_are_no_pair(tmp_path: Path, one: str, other: str) -> None:
    _labels(tmp_path, [(_path(1), one), (_path(2), other)])

    assert _read(tmp_path).instances == []


def test_captions_of_one_word_share_nothing(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(1), "dress"), (_path(2), "skirt")])

    assert _read(tmp_path).instances == []


def test_the_text_names_the_old_word_and_the_new_one(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(1), "red lace dress"), (_path(2), "red silk dress")])

    for instance in _read(tmp_path).instances:
        assert {"lace", "silk"} <= set(instance.text.replace(",", "").split())
        assert "red" not in instance.text


def test_colours_are_changed_in_the_words_for_colours(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(1), "red lace dress"), (_path(2), "blue lace dress")])

    filled = {
        text.format(old=old, new=new)
        for text in fashion200k.COLOUR_TEXTS
        for old, new in (("red", "blue"), ("blue", "red"))
    }
    assert {instance.text for instance in _read(tmp_path).instances} <= filled


def test_train_and_test_are_never_paired(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(1), "red lace dress")])
    _labels(tmp_path, [(_path(2), "blue lace dress")], "dress_test_detect_all.txt")

    assert _read(tmp_path).instances == []


def test_pictures_of_one_product_are_never_paired(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(1, 0), "red lace dress"), (_path(1, 1), "blue lace dress")])

    assert _read(tmp_path).instances == []


def test_no_picture_is_a_target_too_often(tmp_path: Path) -> None:
    rows = [(_path(n), f"red {kind} dress") for n, kind in enumerate(["lace"] * 40 + ["silk"])]
    _labels(tmp_path, rows)

    data = _read(tmp_path)

    uses = Counter(instance.target for instance in data.instances)
    assert uses[f"fashion200k/{_path(40)[:-5]}"] == fashion200k.MAX_USES
    assert data.coverage.dropped == {"captions that differ in one word have no further picture": 37}


def test_the_seed_decides_and_the_order_of_lines_does_not(tmp_path: Path) -> None:
    rows = [(_path(n), f"{colour} lace dress") for n, colour in enumerate(COLOURS)]
    _labels(tmp_path, rows)
    first, other = _read(tmp_path, seed=1).instances, _read(tmp_path, seed=2).instances
    _labels(tmp_path, rows[::-1])

    assert _read(tmp_path, seed=1).instances == first
    assert other != first


def test_attributes_come_from_the_path_and_a_lone_colour_word(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(1), "red lace dress"), (_path(2), "red white dress")])

    images = _read(tmp_path).images

    known = {"category": "dresses", "sub_category": "casual and day dresses", "gender": "Women"}
    assert [image.attributes for image in images.values()] == [{**known, "colour": "red"}, known]
    assert [image.product_id for image in images.values()] == ["fashion200k/1", "fashion200k/2"]


def test_missing_pictures_are_counted_and_are_no_targets(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(1), "red lace dress"), (_path(2), "blue lace dress"), (_path(3), "green lace dress")])
    (tmp_path / _path(3)).unlink()

    data = _read(tmp_path)

    assert data.coverage.dropped == {"picture is missing": 1}
    assert data.coverage.missing_pictures == {_path(3)}
    assert len(data.instances) == 2


def test_a_picture_in_two_lists_is_one_record(tmp_path: Path) -> None:
    rows = [(_path(1), "red lace dress"), (_path(2), "blue lace dress")]
    _labels(tmp_path, rows)
    _labels(tmp_path, rows[:1], "top_train_detect_all.txt")

    data = _read(tmp_path)

    assert data.coverage.n_records == 2
    assert data.coverage.tolerated == {"picture named twice": 1}


def test_a_limit_bounds_the_records(tmp_path: Path) -> None:
    _labels(tmp_path, [(_path(n), f"{colour} lace dress") for n, colour in enumerate(COLOURS)])

    assert _read(tmp_path, limit=5).coverage.n_records == 5


@pytest.mark.parametrize("content", ["", f"{_path(1)}\t0.9\tred dress\n{_path(2)}\t0.", "red dress\n", "a\tb\tc\n"])
def test_a_cut_or_foreign_list_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    (tmp_path / "dress_train_detect_all.txt").write_text(content)

    with pytest.raises(SourceError, match=r"dress_train_detect_all\.txt"):
        _read(tmp_path)

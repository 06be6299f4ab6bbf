import json
from pathlib import Path
from typing import Any

import pytest

from builders.instances import Coverage, SourceData, are_apart
from builders.sources import fashion_iq, mt_fashioniq
from retrieval.errors import SourceError

REAL = Path(__file__).parents[4] / "shared/data/formats/mt_fashioniq"


def _session(target: str, *turns: tuple[str, list[str]]) -> dict[str, Any]:
    return {"target": ["http://x", target], "reference": [["http://x", texts, asin] for asin, texts in turns]}


def _write(folder: Path, sessions: list[dict[str, Any]], name: str = "dress.val.json") -> None:
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / name).write_text(json.dumps(sessions))


def _touch(folder: Path, *asins: str) -> None:
    (folder / "images").mkdir(exist_ok=True)
    for asin in asins:
        (folder / "images" / f"{asin}.jpg").touch()


def _read(folder: Path, limit: int | None = None) -> SourceData:
    data = mt_fashioniq.read(folder, folder / "made", 1, limit)
    assert data.coverage.n_records == data.coverage.n_kept + data.coverage.dropped.total()
    assert data.coverage.n_kept == len(data.instances)
    return data


def test_each_turn_leads_to_the_next_reference_and_the_last_to_the_target(tmp_path: Path) -> None:
    _write(tmp_path, [_session("C", ("A", ["Is red ", "is short"]), ("B", ["is blue", "long"]))])
    _touch(tmp_path, "A", "B", "C")

    first, second = _read(tmp_path).instances

    assert (first.references, first.target, first.text) == (
        ("mt_fashioniq/A",),
        "mt_fashioniq/B",
        "is red and is short",
    )
    assert (second.references, second.target, second.text) == (
        ("mt_fashioniq/B",),
        "mt_fashioniq/C",
        "is blue and long",
    )


def test_products_are_those_of_fashion_iq(tmp_path: Path) -> None:
    _write(tmp_path, [_session("C", ("A", ["red", "short"]))])
    _touch(tmp_path, "A", "C")
    (tmp_path / "cap.dress.val.json").write_text(
        json.dumps([{"candidate": "A", "target": "C", "captions": ["a", "b"]}])
    )

    ours, theirs = _read(tmp_path).images, fashion_iq.read(tmp_path, tmp_path / "made", 1, None).images

    assert ours["mt_fashioniq/A"].product_id == theirs["fashion_iq/A"].product_id == "asin/A"
    assert are_apart(ours["mt_fashioniq/A"], theirs["fashion_iq/C"])
    assert not are_apart(ours["mt_fashioniq/A"], theirs["fashion_iq/A"])


def test_a_turn_that_recurs_in_another_session_is_one_instance(tmp_path: Path) -> None:
    turns = [("A", ["red", "short"]), ("B", ["blue", "long"])]
    _write(tmp_path, [_session("C", *turns), _session("D", *turns)])
    _touch(tmp_path, "A", "B", "C", "D")

    data = _read(tmp_path)

    assert [instance.target[-1] for instance in data.instances] == ["B", "C", "D"]
    assert data.coverage.dropped == {"repeats an earlier record": 1}


def test_attribute_words_are_the_captions_each_once_in_their_order(tmp_path: Path) -> None:
    _write(tmp_path, [_session("B", ("A", ["red", "short"]))])
    _touch(tmp_path, "A", "B")
    words = {"A": [["tank", "top"], [], ["wash", "tank"], [" shirt "], [], []], "B": [[], [], [], [], [], []]}
    (tmp_path / "asin2attr.all.val.new.json").write_text(json.dumps(words))

    images = _read(tmp_path).images

    assert [images[f"mt_fashioniq/{asin}"].caption for asin in "AB"] == ["tank top wash shirt", ""]


def test_ids_in_two_categories_and_sessions_of_one_turn_are_counted(tmp_path: Path) -> None:
    _write(tmp_path, [_session("B", ("A", ["red", "short"]))], "shirt.train.json")
    _write(tmp_path, [_session("C", ("A", ["red", "short"]))], "toptee.train.json")
    _touch(tmp_path, "A", "B", "C")

    data = _read(tmp_path)

    assert data.coverage.tolerated == {"id in two categories": 1, "session of one turn": 2}
    assert sorted(data.images) == ["mt_fashioniq/A", "mt_fashioniq/B", "mt_fashioniq/C"]


@pytest.mark.parametrize(
    "session",
    [
        {"target": ["url"], "reference": [["url", ["a", "b"], "A"]]},
        {"target": ["url", "B"], "reference": [["url", "A", ["a", "b"]]]},
        {"target": ["url", "B"], "reference": [["url", ["a", "b"]]]},
        {"target": ["url", "B"], "reference": []},
        {"target": ["url", " "], "reference": [["url", ["a", "b"], "A"]]},
        {"target": ["url", "B"]},
    ],
)
def test_a_session_of_another_form_is_an_error_that_numbers_it(tmp_path: Path, session: dict[str, Any]) -> None:
    _write(tmp_path, [_session("B", ("A", ["red", "short"])), session])

    with pytest.raises(SourceError, match=r"(Session|Record) 2 of .*dress\.val\.json"):
        _read(tmp_path)


@pytest.mark.parametrize("content", ["", '[{"target": ["url", "B"', "[]"])
def test_a_cut_or_empty_file_is_an_error_that_names_it(tmp_path: Path, content: str) -> None:
    _write(tmp_path, [])
    (tmp_path / "data/dress.val.json").write_text(content)

    with pytest.raises(SourceError, match=r"dress\.val\.json"):
        _read(tmp_path)


@pytest.mark.parametrize("content", ["[]", '{"A": null}', '{"A": [[1]]}', '{"A"'])
def test_damaged_attribute_words_are_an_error_that_names_the_file(tmp_path: Path, content: str) -> None:
    _write(tmp_path, [_session("B", ("A", ["red", "short"]))])
    (tmp_path / "asin2attr.all.val.new.json").write_text(content)

    with pytest.raises(SourceError, match=r"asin2attr\.all\.val\.new\.json"):
        _read(tmp_path)


@pytest.mark.skipif(not REAL.is_dir(), reason="the original files are not beside the checkout")
def test_the_original_files_hold_the_published_numbers_of_sessions() -> None:
    published = {"dress.train": 3338, "shirt.train": 2994, "toptee.train": 2774}
    published |= {"dress.val": 1000, "shirt.val": 681, "toptee.val": 719}
    coverage = Coverage()

    chains = {name: mt_fashioniq.read_chains(REAL / f"data/{name}.json", coverage) for name in published}

    assert {name: len(found) for name, found in chains.items()} == published
    assert coverage.tolerated["1 caption"] + coverage.tolerated["3 captions"] == 33
    assert coverage.tolerated["session of one turn"] == 1

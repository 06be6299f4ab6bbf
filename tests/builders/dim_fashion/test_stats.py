from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from builders.dim_fashion import published
from builders.dim_fashion.audit import audit
from builders.dim_fashion.stats import write_stats
from builders.markdown import table
from builders.sources import SOURCES
from retrieval.benchmark import Benchmark, Task

Parts = Any
"""Of conftest.py: test modules cannot import it."""
Read = Callable[[], Benchmark]

BUILD = {
    "bridges": [{"threshold": 0.8, "edges": 1234, "images": 56}, {"threshold": 0.82, "edges": 9, "images": 8}],
    "refinement": {"turn_check": {"fell": 3}, "same_garment_share": 0.123456},
    "sources": [
        {
            "name": "fashion_iq",
            "revision": "abc",
            "n_records": 10,
            "n_kept": 7,
            "dropped": {"picture is missing": 3},
            "tolerated": {"3 captions": 1},
            "n_missing_pictures": 2,
            "n_images": 14,
            "n_instances": 7,
        }
    ],
}


def _part(text: str, heading: str) -> list[list[str]]:
    """The rows of the first table below a heading."""
    below = text.split(f"## {heading}", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def _row(text: str, heading: str, name: str, column: int = 0) -> list[str]:
    return next(row for row in _part(text, heading) if row[column] == name)


def test_the_published_tables_add_up_to_the_published_sums() -> None:
    lengths = published.LENGTHS
    assert sum(n for of_length in lengths.values() for n in of_length.values()) == published.N_SESSIONS
    assert sum(turns * n for turns, of_length in lengths.items() for n in of_length.values()) == published.N_TURNS
    assert sum(n for *_, n in published.IMAGES) == published.N_IMAGES
    assert {name: sum(of[name] for of in lengths.values()) for name in ("train", "val", "test")} == {
        "train": 18_724,
        "val": 2_675,
        "test": 5_349,
    }


def test_each_row_of_published_lengths_has_the_published_total() -> None:
    totals = [sum(of_length.values()) for of_length in published.LENGTHS.values()]
    assert totals == [2_563, 7_669, 6_915, 4_737, 3_179, 1_191, 494]


def test_sets_of_sessions_stand_beside_this_build(parts: Parts, read: Read) -> None:
    text = write_stats(read())
    here = _row(text, "Table 1", "**By hand** (this build)")
    assert here[1:5] == ["6", "words; picture, sketch or outfit + words", "2 to 5", "yes (10.0% of turns)"]
    assert here[6:] == ["3", "10", "3.33"]
    assert _row(text, "Table 1", "DIM-Fashion")[6:] == ["26,748", "110,841", "4.14"]
    assert _row(text, "Table 1", "FashionMT")[6:] == ["–", "–", "–"]


def test_turns_are_counted_by_task_and_split(read: Read) -> None:
    text = write_stats(read())
    assert _row(text, "Table 2", "CIR")[1:] == ["3", "0", "1", "4", "40.0%"]
    assert _row(text, "Table 2", "Street2Shop")[1:] == ["0", "0", "0", "0", "0.0%"]
    assert _row(text, "Table 2", "total")[1:5] == ["5", "3", "2", "10"]


def test_images_stand_under_the_published_name_of_their_source(parts: Parts, read: Read) -> None:
    for picture in [picture for picture in parts.images.values() if picture.source == "ai"]:
        parts.images[picture.image_id] = type(picture)(picture.image_id, "fashion_ai", "x.jpg", in_gallery=True)
    text = write_stats(read())
    assert _row(text, "Table 6", "FashionAI", 1) == ["ASFR", "FashionAI", "1", "58", "58", "3,840"]
    assert _row(text, "Table 6", "DARN", 1) == ["ASFR", "DARN", "–", "–", "–", "2,306"]
    assert _row(text, "Table 6", "sketches", 1) == ["Sketch2Img", "sketches", "1", "0", "1", "–"]
    assert _row(text, "Table 6", "total")[2:] == ["13", "74", "76", "36,205"]


def test_lengths_stand_beside_the_published_ones(read: Read) -> None:
    text = write_stats(read())
    assert _row(text, "Table 7", "2")[1:] == ["0", "1,780", "0", "270", "1", "513", "1", "2,563"]
    assert _row(text, "Table 7", "total")[1:] == ["1", "18,724", "1", "2,675", "1", "5,349", "3", "26,748"]


def test_lengths_that_were_never_published_are_counted_too(parts: Parts, read: Read) -> None:
    parts.sessions[2] = type(parts.sessions[2])("s3", "test", parts.sessions[2].turns[:1])
    del parts.qrels["s3/2"]
    text = write_stats(read())
    assert _row(text, "Table 7", "1")[1:] == ["0", "0", "0", "0", "1", "0", "1", "0"]
    assert _row(text, "Table 7", "total")[7] == "3"


def test_measured_bridges_stand_beside_the_published_ones(parts: Parts, read: Read) -> None:
    parts.card |= BUILD
    text = write_stats(read())
    assert _row(text, "Table 8", "0.80")[1:] == ["1,234", "56", "1,215,121", "172,400"]
    assert _row(text, "Table 8", "0.82")[1:] == ["9", "8", "–", "–"]
    assert _row(text, "Table 8", "0.95")[1:] == ["–", "–", "426", "354"]


def test_an_audit_that_was_made_before_is_not_made_again(parts: Parts, read: Read) -> None:
    sound = audit(read())
    parts.change(2, 2, text="")
    assert "none is broken" in write_stats(read(), sound)


def test_published_sources_are_sources_that_can_be_read() -> None:
    assert {source for _, _, source, _ in published.IMAGES} <= SOURCES.keys()


def test_turns_are_counted_by_the_dataset_that_they_are_instances_of(read: Read) -> None:
    text = write_stats(read())
    assert "| iq | CIR | 3 |" in text
    assert "| vc | Compat. | 2 |" in text


def test_components_and_refinement_stand_beside_the_published_ones(parts: Parts, read: Read) -> None:
    parts.card |= BUILD
    text = write_stats(read())
    assert _row(text, "Split", "components")[2:] == ["3", "6,477"]
    assert _row(text, "Split", "components of one session")[2:] == ["3", "4,797"]
    assert _row(text, "Split", "val sessions")[2:] == ["33.3%", "10.0%"]
    assert _row(text, "Refinement", "turn check: fell")[1] == "3"
    assert _row(text, "Refinement", "same garment share")[1] == "0.1235"
    assert _row(text, "Refinement", "sessions that stayed")[1:] == ["3", "26,748"]
    assert "21,218 sessions fell" in text


def test_sources_say_what_became_of_their_records(parts: Parts, read: Read) -> None:
    parts.card |= BUILD
    text = write_stats(read())
    assert _row(text, "Sources", "fashion_iq") == ["fashion_iq", "`abc`", "10", "7", "2", "14", "7"]
    assert "| fashion_iq | dropped | picture is missing | 3 |" in text
    assert "| fashion_iq | tolerated | 3 captions | 1 |" in text


def test_the_outcome_of_the_audit_is_part_of_it(parts: Parts, read: Read) -> None:
    assert "none is broken" in write_stats(read())
    parts.change(2, 2, text="")
    text = write_stats(read())
    assert "**1 violations.**" in text
    assert "- s3/2: a turn has words" in text


def test_equal_benchmarks_have_equal_statistics_whatever_the_order_of_images(parts: Parts, read: Read) -> None:
    parts.card |= BUILD
    once = write_stats(read())
    parts.images = dict(reversed(parts.images.items()))
    assert write_stats(read()) == once
    assert once.endswith("\n")
    assert not once.endswith("\n\n")


def test_a_benchmark_without_sessions_has_statistics(parts: Parts, read: Read) -> None:
    parts.sessions, parts.qrels, parts.pools = [], {}, {}
    parts.card = {"settings": {"max_turns": 8}}
    text = write_stats(read())
    assert _row(text, "Table 2", "total")[1:] == ["0", "0", "0", "0", "–"]


@pytest.mark.parametrize(
    ("value", "cell"), [(None, "–"), ("", "–"), (0, "0"), (12345, "12,345"), ("a|b\nc", "a\\|b c"), (Task.T2I, "t2i")]
)
def test_values_become_cells(value: object, cell: str) -> None:
    assert table(("a",), [(value,)]).splitlines()[-1] == f"| {cell} |"

"""Odd folders and files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from builders.sources.reading import pictures_below, read_json
from retrieval.errors import SourceError


def test_links_back_up_end(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "1.jpg").touch()
    for number in range(3):
        (tmp_path / "a" / "b" / f"up-{number}").symlink_to(tmp_path)
    assert pictures_below(tmp_path) == {"a/1.jpg"}


def test_a_linked_folder_counts_under_both_its_names(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.jpg").touch()
    (tmp_path / "z").symlink_to(tmp_path / "a")
    assert pictures_below(tmp_path) == {"a/1.jpg", "z/1.jpg"}


def test_a_name_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "1.jpg").touch()
    try:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jpg"))).touch()
    except OSError:
        pytest.skip("this file system refuses such names")
    assert pictures_below(tmp_path) == {"1.jpg"}


def test_brackets_without_an_end_are_damage(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 100_000)
    with pytest.raises(SourceError, match="cut or not JSON"):
        read_json(tmp_path / "a.json")

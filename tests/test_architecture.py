"""ARCHITECTURE.md and CONTRIBUTING.md name only what exists."""

import re
from dataclasses import is_dataclass
from pathlib import Path

import pytest

from retrieval import schema

ROOT = Path(__file__).parents[1]
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_is_named_exists(page: str) -> None:
    text = (ROOT / page).read_text("utf8")
    named = re.findall(
        r"`((?:agent|app|assets|benchmarks|builders|eval|hosting|page|retrieval|tests)(?:/[\w*./]+|\.py))`", text
    )
    assert named
    assert [path for path in named if not list(ROOT.glob(path))] == []


def test_the_records_are_listed_in_their_order() -> None:
    text = " ".join((ROOT / "ARCHITECTURE.md").read_text("utf8").split())
    listed = re.search(r"holds the records .*?: ([\w, ]+)\. `", text)
    records = [name for name, kind in vars(schema).items() if is_dataclass(kind) and kind.__module__ == schema.__name__]
    assert listed
    assert listed[1].split(", ") == records


def test_every_package_has_a_row() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf8")
    packages = {file.parent.name for file in ROOT.glob("*/__init__.py")}
    assert packages == set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))

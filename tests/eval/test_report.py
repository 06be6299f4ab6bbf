import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from eval.report import as_markdown, protocol, sections_of, short_table, write_report
from eval.scores import score_run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def written(run):
    return tuple(path.read_text("utf8") for path in write_report(run))


def test_both_forms_have_every_section(written):
    titles = [
        "What was measured",
        "Whole gallery (all tasks but ASFR)",
        "Candidates of the query's own (ASFR)",
        "By task",
        "By number of earlier turns",
        "By rollback",
        "By data set",
        "By origin",
        "How turns were understood",
        "Time and failures",
    ]
    markdown, page = written
    assert re.findall(r"^## (.+)$", markdown, re.MULTILINE) == titles
    assert re.findall(r"<h2>(.+?)</h2>", page) == [title.replace("'", "&#x27;") for title in titles]


def test_the_protocol_is_stated_with_the_numbers(written, run):
    markdown = written[0]
    for said in (
        run.settings["gallery_hash"],
        run.settings["checksum"],
        "history=recorded",
        "12 queries of 5 sessions",
        "not shown again",
        "1 of 13 turns failed",
        "1 of 1 rollbacks started from the very item",
        "expectation over all orders",
    ):
        assert said in markdown, said


def test_queries_that_could_not_be_found_are_counted(run):
    assert "left out" not in as_markdown("", sections_of(run))
    first = next(turn for turn in run.turns if turn.relevant)
    turns = tuple(replace(t, left_out=tuple(t.relevant)) if t is first else t for t in run.turns)
    markdown = as_markdown("", sections_of(replace(run, turns=turns)))
    assert "1 of 13 judged queries score 0 because all that is relevant was left out" in markdown


def test_what_the_ranking_depends_on_is_said(run):
    scored = score_run(run)
    whole = " ".join(protocol({**run.settings, "references_stay": True}, *scored))
    assert "are candidates, as in the benchmark's own protocol" in whole
    assert "cuts" not in whole
    cut = " ".join(protocol({**run.settings, "is_full_depth": False}, *scored))
    assert "a tie that rank 100 cuts counts as it was kept" in cut


def test_the_page_needs_nothing_from_elsewhere_and_has_two_plots(written):
    page = written[1]
    assert page.count("<svg") == 2
    assert not re.search(r'(?:src|href)="(?!#)', page.replace("xlink:href", "href"))


def test_the_same_run_gives_the_same_bytes_whatever_the_hash_seed(written, run, tmp_path):
    for name in ("settings.json", "turns.jsonl"):
        (tmp_path / name).write_bytes((run.folder / name).read_bytes())
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-m", "eval", "report", str(tmp_path)], cwd=ROOT, check=True, env=environment,
                   capture_output=True)  # fmt: skip
    assert (tmp_path / "report.md").read_text("utf8") == written[0]
    assert (tmp_path / "report.html").read_text("utf8") == written[1]


def test_the_short_table_has_the_papers_measures(run):
    text = short_table(run)
    for said in ("success@5", "success@8", "MRR", "mAP", "random", "p50"):
        assert said in text, said

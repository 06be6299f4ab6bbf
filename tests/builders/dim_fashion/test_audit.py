from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builders.dim_fashion.__main__ import main
from builders.dim_fashion.audit import Finding, Rule, audit
from retrieval.benchmark import Benchmark, RecordedSession, RecordedTurn, Task
from retrieval.errors import BenchmarkError

Parts = Any
"""Of conftest.py: test modules cannot import it."""
Read = Callable[[], Benchmark]


def _cir(number: int, text: str, chosen: str, reference: str, dataset: str = "shop") -> RecordedTurn:
    return RecordedTurn(number, Task.CIR, dataset, text, chosen, (reference,))


def _one_turn(parts: Parts) -> None:
    parts.sessions[2] = replace(parts.sessions[2], turns=parts.sessions[2].turns[:1])
    del parts.qrels["s3/2"]


def _too_many_turns(parts: Parts) -> None:
    parts.card["settings"]["max_turns"] = 4


def _more_than_eight_turns(parts: Parts) -> None:
    tasks = [Task.CIR, Task.IN_SHOP] * 4
    for number, task in enumerate(tasks, 2):
        turn = RecordedTurn(number, task, f"d{number}", "more", f"iq/{number + 3}", (f"iq/{number + 2}",))
        if number == 2:
            parts.sessions[2] = replace(parts.sessions[2], turns=parts.sessions[2].turns[:1])
            parts.choose(2, 1, "iq/4")
        parts.add(2, turn)


def _wrong_number(parts: Parts) -> None:
    parts.change(2, 2, turn_number=3)
    parts.qrels["s3/3"] = parts.qrels.pop("s3/2")


def _same_id(parts: Parts) -> None:
    outfit = parts.sessions[2]
    parts.sessions.append(replace(outfit, turns=tuple(replace(turn, text=f"{turn.text}!") for turn in outfit.turns)))


def _same_session(parts: Parts) -> None:
    parts.sessions.append(RecordedSession("s4", "test", parts.sessions[2].turns))
    for number in (1, 2):
        parts.qrels[f"s4/{number}"] = parts.qrels[f"s3/{number}"]


def _leak(parts: Parts) -> None:
    again = replace(parts.turn(0, 2), turn_number=2, text="  SHORTER ")
    first = RecordedTurn(1, Task.IN_SHOP, "shop", "this one", "iq/1", ("shop/4",))
    parts.sessions.append(RecordedSession("s4", "test", (first, again)))
    parts.qrels.update({"s4/1": {"iq/1": 1}, "s4/2": {"iq/2": 1}})


def _third_of_a_dataset(parts: Parts) -> None:
    parts.change(0, 4, dataset="iq")


def _three_composed_turns(parts: Parts) -> None:
    parts.add(2, _cir(3, "longer", "iq/10", "iq/9"))
    parts.add(2, _cir(4, "with pockets", "iq/11", "iq/10"))


def _target_again(parts: Parts) -> None:
    parts.add(1, _cir(4, "back", "iq/5", "iq/6"))


def _query_picture_again(parts: Parts) -> None:
    parts.choose(2, 2, "shop/3")


def _other_reference(parts: Parts) -> None:
    parts.change(1, 3, references=("shop/4",))


def _reference_of_before_with_rollback(parts: Parts) -> None:
    parts.change(0, 5, references=("ai/01",))


def _two_references(parts: Parts) -> None:
    parts.change(2, 2, references=("iq/8", "iq/10"))


def _rollback_too_near(parts: Parts) -> None:
    parts.change(0, 5, rollback_to=4, references=("ai/01",))


def _rollback_ahead(parts: Parts) -> None:
    parts.change(0, 5, rollback_to=6)


def _rollback_too_early(parts: Parts) -> None:
    parts.change(2, 2, rollback_to=1)


def _rollback_of_another_task(parts: Parts) -> None:
    parts.change(0, 5, task=Task.IN_SHOP)


def _street_photo_later(parts: Parts) -> None:
    parts.change(2, 2, task=Task.STREET2SHOP)


def _sketch_later(parts: Parts) -> None:
    parts.change(2, 2, task=Task.SKETCH2IMG)


def _outfit_later(parts: Parts) -> None:
    parts.change(1, 3, references=("shop/1", "shop/4"))


def _words_alone_later(parts: Parts) -> None:
    parts.change(2, 2, task=Task.T2I, references=())


def _words_with_a_picture(parts: Parts) -> None:
    parts.change(0, 1, references=("iq/12",))


def _no_picture(parts: Parts) -> None:
    parts.change(2, 1, references=())


def _blank_text(parts: Parts) -> None:
    parts.change(2, 2, text=" \u00a0 ")


def _no_judgement(parts: Parts) -> None:
    del parts.qrels["s2/2"]


def _only_irrelevant(parts: Parts) -> None:
    parts.qrels["s2/2"] = {"shop/1": 0}


def _judgement_of_nothing(parts: Parts) -> None:
    parts.qrels["s9/1"] = {"iq/1": 1}


def _pool_of_nothing(parts: Parts) -> None:
    parts.pools["s9/1"] = ["iq/1"]


def _chosen_irrelevant(parts: Parts) -> None:
    parts.qrels["s2/2"] = {"shop/4": 1}


def _two_targets(parts: Parts) -> None:
    parts.qrels["s2/2"]["shop/4"] = 1


def _no_pool(parts: Parts) -> None:
    parts.pools.clear()


def _pool_of_another_task(parts: Parts) -> None:
    parts.pools["s2/2"] = ["shop/1"]


def _six_positives(parts: Parts) -> None:
    for name in ("ai/07", "ai/08"):
        del parts.qrels["s1/4"][name]
        parts.pools["s1/4"].remove(name)


def _eleven_positives(parts: Parts) -> None:
    parts.qrels["s1/4"] |= {"shop/1": 1, "shop/2": 1, "shop/4": 1}
    parts.pools["s1/4"] += ["shop/1", "shop/2", "shop/4"]


def _too_few_negatives(parts: Parts) -> None:
    parts.pools["s1/4"].pop()


def _too_many_negatives(parts: Parts) -> None:
    parts.pools["s1/4"].append("shop/4")


def _candidate_twice(parts: Parts) -> None:
    parts.pools["s1/4"].append("ai/58")


def _positive_as_negative(parts: Parts) -> None:
    parts.pools["s1/4"].append("ai/01")


def _positive_outside(parts: Parts) -> None:
    parts.pools["s1/4"].remove("ai/02")


def _reference_as_candidate(parts: Parts) -> None:
    parts.pools["s1/4"][-1] = "iq/3"


def _unknown_reference(parts: Parts) -> None:
    parts.change(1, 1, references=("sketches/9",))


def _target_outside(parts: Parts) -> None:
    parts.images["iq/6"] = replace(parts.images["iq/6"], in_gallery=False)


def _target_unknown(parts: Parts) -> None:
    del parts.images["iq/6"]


def _candidate_outside(parts: Parts) -> None:
    parts.images["ai/40"] = replace(parts.images["ai/40"], in_gallery=False)


def _sketch_in_gallery(parts: Parts) -> None:
    parts.images["sketches/1"] = replace(parts.images["sketches/1"], in_gallery=True)


def _street_in_gallery(parts: Parts) -> None:
    parts.images["street/1"] = replace(parts.images["street/1"], in_gallery=True)


SPOILT: list[tuple[Callable[[Parts], None], Rule, str, int | None]] = [
    (_one_turn, Rule.LENGTH, "s3", None),
    (_too_many_turns, Rule.LENGTH, "s1", None),
    (_more_than_eight_turns, Rule.LENGTH, "s3", None),
    (_wrong_number, Rule.TURN_NUMBERS, "s3", None),
    (_same_id, Rule.SESSION_ID, "s3", None),
    (_same_session, Rule.DUPLICATE_SESSION, "s4", None),
    (_leak, Rule.LEAK, "s4", 2),
    (_third_of_a_dataset, Rule.DATASET, "s1", 5),
    (_three_composed_turns, Rule.TASK_RUN, "s3", 4),
    (_target_again, Rule.REPEATED_PICTURE, "s2", 4),
    (_query_picture_again, Rule.REPEATED_PICTURE, "s3", 2),
    (_other_reference, Rule.REFERENCE, "s2", 3),
    (_reference_of_before_with_rollback, Rule.REFERENCE, "s1", 5),
    (_two_references, Rule.REFERENCE, "s3", 2),
    (_rollback_too_near, Rule.ROLLBACK, "s1", 5),
    (_rollback_ahead, Rule.ROLLBACK, "s1", 5),
    (_rollback_too_early, Rule.ROLLBACK, "s3", 2),
    (_rollback_of_another_task, Rule.ROLLBACK_TASK, "s1", 5),
    (_street_photo_later, Rule.FIRST_TURN, "s3", 2),
    (_sketch_later, Rule.FIRST_TURN, "s3", 2),
    (_outfit_later, Rule.FIRST_TURN, "s2", 3),
    (_words_alone_later, Rule.WORDS_ALONE, "s3", 2),
    (_words_with_a_picture, Rule.WORDS_ALONE, "s1", 1),
    (_no_picture, Rule.PICTURE_SHOWN, "s3", 1),
    (_blank_text, Rule.TEXT, "s3", 2),
    (_no_judgement, Rule.JUDGED, "s2", 2),
    (_only_irrelevant, Rule.JUDGED, "s2", 2),
    (_judgement_of_nothing, Rule.STRAY_JUDGEMENT, "", None),
    (_pool_of_nothing, Rule.STRAY_JUDGEMENT, "", None),
    (_chosen_irrelevant, Rule.CHOSEN, "s2", 2),
    (_two_targets, Rule.SINGLE_TARGET, "s2", 2),
    (_no_pool, Rule.POOL, "s1", 4),
    (_pool_of_another_task, Rule.POOL, "s2", 2),
    (_six_positives, Rule.POSITIVES, "s1", 4),
    (_eleven_positives, Rule.POSITIVES, "s1", 4),
    (_too_few_negatives, Rule.NEGATIVES, "s1", 4),
    (_too_many_negatives, Rule.NEGATIVES, "s1", 4),
    (_candidate_twice, Rule.POOL_REPEATS, "s1", 4),
    (_positive_as_negative, Rule.POOL_REPEATS, "s1", 4),
    (_positive_outside, Rule.POSITIVE_OUTSIDE_POOL, "s1", 4),
    (_reference_as_candidate, Rule.REFERENCE_IN_POOL, "s1", 4),
    (_unknown_reference, Rule.UNKNOWN_PICTURE, "s2", 1),
    (_target_outside, Rule.OUTSIDE_GALLERY, "s2", 3),
    (_target_unknown, Rule.OUTSIDE_GALLERY, "s2", 3),
    (_candidate_outside, Rule.OUTSIDE_GALLERY, "s1", 4),
    (_sketch_in_gallery, Rule.QUERY_ONLY, "", None),
    (_street_in_gallery, Rule.QUERY_ONLY, "", None),
]


def test_sessions_that_keep_the_rules_have_no_findings(read: Read) -> None:
    report = audit(read())
    assert report.findings == ()
    assert report.is_clean


@pytest.mark.parametrize(("spoil", "rule", "session_id", "turn"), SPOILT, ids=[row[0].__name__[1:] for row in SPOILT])
def test_one_fault_is_one_finding(
    spoil: Callable[[Parts], None], rule: Rule, session_id: str, turn: int | None, parts: Parts, read: Read
) -> None:
    spoil(parts)
    assert [(f.rule, f.session_id, f.turn_number) for f in audit(read()).findings] == [(rule, session_id, turn)]


def test_every_rule_is_tried_by_a_spoilt_benchmark() -> None:
    assert {rule for _, rule, _, _ in SPOILT} == set(Rule)


def test_what_annotators_added_counts_for_no_dataset_but_for_the_run_of_tasks(parts: Parts, read: Read) -> None:
    parts.change(2, 2, dataset="iq", origin="bridge")
    parts.add(2, _cir(3, "longer", "iq/10", "iq/9", "iq"))
    parts.add(2, replace(parts.turn(1, 2), turn_number=4, dataset="iq", references=("iq/10",), chosen="iq/11"))
    assert audit(read()).is_clean
    parts.change(2, 2, origin="source", task=Task.IN_SHOP)
    assert [finding.rule for finding in audit(read()).findings] == [Rule.DATASET]


def test_the_order_of_an_outfit_does_not_hide_a_leak(parts: Parts, read: Read) -> None:
    outfit = replace(parts.turn(2, 1), references=("shop/3", "shop/2"))
    parts.sessions.append(RecordedSession("s4", "val", (outfit, _cir(2, "in green", "iq/12", "iq/8"))))
    parts.qrels.update({"s4/1": {"iq/8": 1}, "s4/2": {"iq/12": 1}})
    assert [finding.rule for finding in audit(read()).findings] == [Rule.LEAK]


@pytest.mark.parametrize("settings", [None, {}, [], {"threshold": 0.8}, {"max_turns": "8"}])
def test_a_benchmark_of_other_rules_is_named_as_such(settings: Any, parts: Parts, read: Read) -> None:
    parts.card["settings"] = settings
    with pytest.raises(BenchmarkError, match="is not a DIM-Fashion benchmark"):
        audit(read())


@pytest.mark.parametrize("command", ["audit", "stats"])
def test_a_benchmark_of_other_rules_is_one_line_and_status_2(
    command: str, parts: Parts, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del parts.card["settings"]
    parts.write(tmp_path / "dress")
    assert main([command, str(tmp_path / "dress")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [printed.err.rstrip()]
    assert "dress is not a DIM-Fashion benchmark" in printed.err


def test_figures_are_those_counted_by_hand(parts: Parts, read: Read) -> None:
    _same_session(parts)
    parts.change(3, 2, text="in grey")
    figures = audit(read()).figures
    assert (figures.n_sessions, figures.n_turns, figures.n_rollbacks, figures.n_rollback_sessions) == (4, 12, 1, 1)
    assert figures.first_tasks == {"compatible": 2, "sketch2img": 1, "t2i": 1}
    assert figures.first_task_shares == (0.25, 0.5)
    assert figures.origins == {"bridge": 1, "enrichment": 1, "source": 10}
    assert (figures.n_components, figures.n_single_components, figures.largest_component) == (3, 2, 2)
    assert (figures.n_signatures, figures.n_texts, figures.n_targets) == (11, 11, 10)
    assert figures.n_images == 10 + 3  # targets, and what first turns show
    assert figures.repeated_text_share == pytest.approx(1 / 12)


def test_sessions_are_one_component_through_a_third(parts: Parts, read: Read) -> None:
    """s2 and s3 share nothing; s4 has the second turn of each."""
    parts.sessions = [replace(session, split="train") for session in parts.sessions]
    bridge = (replace(parts.turn(1, 2), turn_number=1), replace(parts.turn(2, 2), turn_number=2))
    parts.sessions.append(RecordedSession("s4", "train", bridge))
    figures = audit(read()).figures
    assert (figures.n_components, figures.n_single_components, figures.largest_component) == (2, 1, 3)


def test_a_picture_in_two_splits_is_reported_and_allowed(parts: Parts, read: Read) -> None:
    assert audit(read()).figures.n_shared_images == 0
    parts.choose(2, 2, "iq/4")
    report = audit(read())
    assert report.figures.n_shared_images == 1
    assert report.is_clean


def test_the_report_says_what_is_wrong_and_where(parts: Parts, read: Read) -> None:
    assert "No rule is broken." in audit(read()).lines()
    _blank_text(parts)
    _two_targets(parts)
    lines = audit(read()).lines(limit=1)
    assert "2 violations of 2 rules" in lines
    assert "  s2/2: a query has one target, ASFR apart (2 targets)" in lines
    assert lines[-1] == "  and 1 more"
    assert str(audit(read())).count("\n  s2/2: ") == 1


def test_a_finding_without_a_session_has_a_place_too() -> None:
    assert str(Finding(Rule.QUERY_ONLY, detail="sketch s/1")).startswith("-: street photos")


def test_a_benchmark_without_sessions_can_be_audited(parts: Parts, read: Read) -> None:
    parts.sessions, parts.qrels, parts.pools = [], {}, {}
    report = audit(read())
    assert report.is_clean
    assert report.figures.first_task_shares == (0, 0)
    assert report.lines()


def test_the_audit_loads_nothing_of_what_builds() -> None:
    names = "builders.dim_fashion.audit, builders.dim_fashion.stats"
    said = f"import sys, {names}; print(*sorted(n for n in sys.modules if n.startswith('builders.')))"
    loaded = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout.split()
    own = {"audit", "audit_figures", "published", "stats"}
    tables = {"builders.markdown"}
    assert set(loaded) == {"builders.dim_fashion"} | {f"builders.dim_fashion.{name}" for name in own} | tables

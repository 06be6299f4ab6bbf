import json

import pytest

from eval.runs import NUMBERS, TURNS, WORDS, RunError, RunWriter, TurnRecord, claimed, from_line, read_run, to_line
from retrieval.benchmark import RecordedSession, RecordedTurn, Task
from retrieval.schema import Hit


def session(session_id: str, n_turns: int) -> RecordedSession:
    turns = tuple(RecordedTurn(number, Task.T2I, "d", "words", "a") for number in range(1, n_turns + 1))
    return RecordedSession(session_id, "test", turns)


SESSIONS = [session("a", 2), session("b", 1), session("c", 2)]
CHOSEN = {
    **dict.fromkeys(WORDS, "x"),
    **dict.fromkeys(NUMBERS, 5),
    "limit": None,
    "is_full_depth": False,
}


def records(of: RecordedSession) -> list[TurnRecord]:
    return [
        TurnRecord(of.query_id(turn), "t2i", "d", "source", 9, (Hit("i", 0.1 + 0.2), Hit("j", 0.1)), 5.0, {"i": 1})
        for turn in of.turns
    ]


def test_a_record_is_read_as_it_was_written():
    full = TurnRecord(
        "s/2",
        "cir",
        "d",
        "bridge",
        9,
        (Hit("é", -0.1),),
        1.5,
        {"é": 2},
        True,
        1,
        "rollback",
        "modify",
        1,
        references=("x",),
        meant=("y", "z"),
        reply="“x”",
        error="E: x",
    )
    assert from_line(to_line(full)) == full
    bare = TurnRecord("s/1", "t2i", "d", "source", 9, (), 1.5)
    assert from_line(to_line(bare)) == bare
    assert from_line(to_line(TurnRecord("s/1", "t2i", "d", "source", 9, (), 1.5, {}))).relevant == {}


def test_an_interrupted_run_goes_on_after_its_last_whole_session(tmp_path):
    RunWriter(tmp_path, CHOSEN, SESSIONS).add(records(SESSIONS[0]))
    with (tmp_path / TURNS).open("a") as file:
        file.write(to_line(records(SESSIONS[1])[0])[:30])
    again = RunWriter(tmp_path, CHOSEN, SESSIONS)
    assert again.left == SESSIONS[1:]
    for each in again.left:
        again.add(records(each))
    again.finish()
    assert [turn.query_id for turn in read_run(tmp_path).turns] == ["a/1", "a/2", "b/1", "c/1", "c/2"]


def test_half_a_session_is_played_again(tmp_path):
    writer = RunWriter(tmp_path, CHOSEN, SESSIONS)
    writer.add(records(SESSIONS[0]))
    writer.add(records(SESSIONS[1]))
    writer.add(records(SESSIONS[2])[:1])
    again = RunWriter(tmp_path, CHOSEN, SESSIONS)
    assert again.left == SESSIONS[2:]
    assert len((tmp_path / TURNS).read_text().splitlines()) == 3


def test_a_run_does_not_go_on_under_other_settings(tmp_path):
    RunWriter(tmp_path, CHOSEN, SESSIONS)
    with pytest.raises(RunError, match="begun with another depth, history"):
        RunWriter(tmp_path, {**CHOSEN, "depth": 10, "history": "live"}, SESSIONS)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(RunError, match="holds something else"):
        RunWriter(tmp_path, CHOSEN, SESSIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    RunWriter(tmp_path, CHOSEN, SESSIONS).add(records(SESSIONS[0]))
    (tmp_path / TURNS).write_text("{}\n" + (tmp_path / TURNS).read_text())
    with pytest.raises(RunError, match=r"Line 1 of .* is damaged"):
        RunWriter(tmp_path, CHOSEN, SESSIONS)


def test_an_unfinished_run_is_not_scored(tmp_path):
    RunWriter(tmp_path, CHOSEN, SESSIONS).add(records(SESSIONS[0]))
    with pytest.raises(RunError, match=r"not finished \(2 of 5"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no run in"),
        ("{", "damaged"),
        ("{}", "not of a run"),
        ('{"format": "dimity-run", "version": 9}', "version 9"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path, text, message):
    if text is not None:
        (tmp_path / "settings.json").write_text(text)
    with pytest.raises(RunError, match=message):
        read_run(tmp_path)


def test_the_trec_form_is_read_by_others_as_it_was_meant(tmp_path):
    import ir_measures

    writer = RunWriter(tmp_path, CHOSEN, SESSIONS)
    for each in SESSIONS:
        writer.add(records(each))
    writer.finish()
    read = list(ir_measures.read_trec_run(str(tmp_path / "run.trec")))
    assert [(entry.query_id, entry.doc_id, entry.score) for entry in read[:2]] == [
        ("a/1", "i", 0.1 + 0.2),
        ("a/1", "j", 0.1),
    ]
    assert len(read) == 10
    assert json.loads((tmp_path / "settings.json").read_text())["format"] == "dimity-run"


@pytest.mark.parametrize(
    "change",
    [
        {"task": "none"}, {"query_id": 5}, {"query_id": "x"}, {"hits": 5}, {"hits": [["a", "b"]]}, {"relevant": [1]},
        {"relevant": {"a": "b"}}, {"ms": None}, {"ms": float("nan")}, {"references": 5}, {"dataset": 5},
    ],
)  # fmt: skip
def test_a_line_of_another_form_is_named_not_scored(tmp_path, change):
    writer = RunWriter(tmp_path, CHOSEN, SESSIONS)
    for each in SESSIONS:
        writer.add(records(each))
    lines = (tmp_path / TURNS).read_text().splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), **change})
    (tmp_path / TURNS).write_text("\n".join(lines) + "\n")
    with pytest.raises(RunError, match=r"Line 2 of .* is damaged"):
        read_run(tmp_path)


@pytest.mark.parametrize("change", [{"depth": "x"}, {"limit": "x"}, {"n_turns": None}, {"encoder": None}])
def test_settings_of_another_form_are_damage(tmp_path, change):
    RunWriter(tmp_path, {**CHOSEN, **change}, SESSIONS)
    with pytest.raises(RunError, match=f"{next(iter(change))} is missing or of another type"):
        read_run(tmp_path)


def test_two_replays_never_write_one_run(tmp_path):
    with claimed(tmp_path), pytest.raises(RunError, match="Another replay writes"), claimed(tmp_path):
        pass


def test_a_folder_of_something_else_is_not_claimed(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RunError, match="something else"), claimed(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]

import importlib
import sys
from types import SimpleNamespace

import pytest

from retrieval.errors import TrainingError
from retrieval.fashion_am import train


@pytest.fixture
def stage(monkeypatch):
    """A stage that notes what it is run with, or does what `run` is set to."""
    seen: list = []
    module = SimpleNamespace(__doc__="A stage.", run=seen.append, seen=seen)
    module.add_arguments = lambda parser: parser.set_defaults(epochs=3, batch=5)
    monkeypatch.setitem(sys.modules, "a_stage_of_these_tests", module)
    monkeypatch.setitem(train.STAGES, "trial", ("a_stage_of_these_tests", "for these tests"))
    return module


@pytest.mark.parametrize("stage_name", sorted(train.STAGES))
def test_every_stage_has_defaults_for_the_common_options(stage_name, monkeypatch):
    module = importlib.import_module(train.STAGES[stage_name][0])
    parser = train.stage_parser(stage_name, module)
    assert parser.get_default("epochs") > 0
    assert parser.get_default("batch") > 0
    assert callable(module.run)
    assert "None" not in parser.format_help(), "an option's help shows a default that is not there"


def test_a_stage_is_run_with_its_own_defaults_and_what_was_given(stage):
    assert train.main(["trial", "--batch", "9", "--threads", "1", "--tensorboard"]) == 0
    (arguments,) = stage.seen
    assert (arguments.epochs, arguments.batch, arguments.seed) == (3, 9, 0)
    assert arguments.tensorboard
    assert str(arguments.out) == "runs/trial"


@pytest.mark.parametrize("number", ["0", "-3", "many"])
def test_sizes_are_whole_numbers_above_nothing(stage, capsys, number):
    with pytest.raises(SystemExit) as ended:
        train.main(["trial", "--batch", number])
    assert ended.value.code == 2
    assert "is not a whole number above 0" in capsys.readouterr().err


def test_our_own_errors_end_in_one_line(stage, capsys):
    def run(arguments) -> None:
        raise TrainingError("The loss is nan at step 3.")

    stage.run = run
    assert train.main(["trial", "--threads", "1"]) == 2
    assert capsys.readouterr().err == "error: The loss is nan at step 3.\n"


def test_an_interrupted_training_says_that_it_can_go_on(stage, capsys):
    def run(arguments) -> None:
        raise KeyboardInterrupt

    stage.run = run
    assert train.main(["trial", "--threads", "1"]) == 130
    assert "goes on from the last checkpoint" in capsys.readouterr().err


def test_a_bug_is_not_dressed_up_as_a_mistake_of_the_user(stage):
    def run(arguments) -> None:
        raise ValueError("shapes differ")

    stage.run = run
    with pytest.raises(ValueError, match="shapes differ"):
        train.main(["trial", "--threads", "1"])


@pytest.mark.parametrize("library", ["torch", "peft"])
def test_a_missing_library_is_named_with_the_file_that_brings_it(stage, capsys, library):
    def run(arguments) -> None:
        raise ModuleNotFoundError(f"No module named '{library}'", name=f"{library}.nn")

    stage.run = run
    assert train.main(["trial", "--threads", "1"]) == 2
    message = capsys.readouterr().err
    assert library in message
    assert "requirements-train.txt" in message


SIZED = {
    "query": ["--benchmark", "b", "--export", "e"],
    "background": ["--benchmark", "b", "--fpi", "f", "--start", "s"],
    "language": ["--benchmark", "b", "--fpi", "f", "--start", "s"],
}


@pytest.mark.parametrize(
    ("stage_name", "options", "message"),
    [
        (
            "query",
            ["--size", "paper", "--backbone", "q", "--single", "--layers", "1"],
            "does not read --layers, --single",
        ),
        ("query", ["--size", "paper", "--backbone", "q", "--no-residual", "--pointer", "0"], "--residual, --pointer: "),
        ("query", ["--backbone", "q"], "--size mini does not read --backbone: leave it out"),
        ("background", ["--size", "paper", "--texts", "t"], "does not read --texts"),
        ("language", ["--size", "paper", "--texts", "t"], "does not read --texts"),
        ("background", ["--precision", "bf16"], "without --precision bf16"),
        ("language", ["--precision", "bf16"], "without --precision bf16"),
        ("language", ["--scope", "last2+text"], "needs --size paper"),
    ],
)
def test_what_a_stage_would_pass_over_at_its_size_is_refused(stage_name, options, message, tmp_path, capsys):
    common = ["--threads", "1", "--out", str(tmp_path / "out")]
    assert train.main([stage_name, *SIZED[stage_name], *common, *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_whatever_a_stage_does_not_read_is_an_option_of_it():
    for stage_name in SIZED:
        module = importlib.import_module(train.STAGES[stage_name][0])
        known = {action.dest for action in train.stage_parser(stage_name, module)._actions}
        assert {name for names in module.UNREAD.values() for name in names} < known


def test_a_module_of_ours_that_is_missing_is_a_bug(monkeypatch):
    monkeypatch.setitem(train.STAGES, "trial", ("retrieval.fashion_am.nowhere", "for these tests"))
    with pytest.raises(ModuleNotFoundError):
        train.main(["trial"])

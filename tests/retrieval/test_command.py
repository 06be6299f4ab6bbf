"""How commands end."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator

import pytest

from retrieval import command
from retrieval.errors import BenchmarkError


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def fails_with(error: BaseException) -> Callable[[], int]:
    def action() -> int:
        raise error

    return action


def test_the_status_of_the_action_is_that_of_the_command() -> None:
    assert command.run(lambda: 1, "-") == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BenchmarkError("Build it again."), "error: Build it again.\n"),
        (OSError(errno.ENOSPC, "No space left on device"), "error: No space left on device. Make room"),
        (PermissionError(errno.EACCES, "Permission denied", "/out/card"), "error: /out/card: Permission denied."),
    ],
)
def test_a_failure_is_one_line_and_status_2(error: Exception, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(fails_with(error), "-") == 2
    printed = capsys.readouterr().err
    assert printed.startswith(said)
    assert printed.count("\n") == 1


def test_a_bug_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        command.run(fails_with(ZeroDivisionError()), "-")


def test_being_asked_to_end_is_an_interruption(capsys: pytest.CaptureFixture[str]) -> None:
    def action() -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
        return 0

    assert command.run(action, "give it again") == 130
    assert capsys.readouterr().err == "\ninterrupted: give it again\n"

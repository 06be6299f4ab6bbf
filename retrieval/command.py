"""How a command ends: its exit status, and at most one line that says what went wrong and what to do."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

from retrieval.errors import FashionSearchError

FAILED, INTERRUPTED = 2, 130


def run(action: Callable[[], int], when_interrupted: str) -> int:
    """Run a command and return its exit status; being asked to end (SIGTERM) counts as Ctrl-C.

    Anything but our own errors and those of the system's files is a bug and propagates.
    """
    _end_on_request()
    _print_anywhere()
    try:
        status = action()
        sys.stdout.flush()
        return status
    except FashionSearchError as error:
        sys.stderr.write(f"error: {error}\n")
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"error: {where}{error.strerror or error}. Make room, or name a folder that can be written.\n")
    except KeyboardInterrupt:
        sys.stderr.write(f"\ninterrupted: {when_interrupted}\n")
        return INTERRUPTED
    return FAILED


def _end_on_request() -> None:
    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not the main thread, which alone may say so
        return


def _print_anywhere() -> None:
    """A terminal that lacks a character shows a stand-in."""
    if callable(reconfigure := getattr(sys.stdout, "reconfigure", None)):
        reconfigure(errors="replace")

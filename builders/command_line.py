"""What the command lines of builders share: a model behind an address, and a finished benchmark's audit and tables."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, TypeVar

from retrieval import command
from retrieval.errors import BenchmarkError, DependencyError

Benchmark = TypeVar("Benchmark")


class Report(Protocol):
    """Of an audit; as text it is for people."""

    @property
    def is_clean(self) -> bool: ...


def add_audit_and_stats(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    for name, words in (("audit", "check a finished benchmark against every rule"), ("stats", "print its tables")):
        commands.add_parser(name, help=words).add_argument("folder", type=Path)


def audit_or_stats(
    name: str, benchmark: Benchmark, audit: Callable[[Benchmark], Report], write_stats: Callable[[Benchmark], str]
) -> int:
    """The command's exit status: 1 where the audit finds fault."""
    if name == "stats":
        sys.stdout.write(write_stats(benchmark))
        return 0
    report = audit(benchmark)
    sys.stdout.write(f"{report}\n")
    return 0 if report.is_clean else 1


def add_chat(parser: argparse.ArgumentParser, option: str) -> None:
    """`option` is the one that says "chat", such as "--writer"."""
    parser.add_argument("--chat-url", help=f"with {option} chat: http://host:port/v1 of an OpenAI-compatible endpoint")
    parser.add_argument("--chat-model", help=f"with {option} chat: the model's name there")


def check_chat(arguments: argparse.Namespace, option: str, answers: Path) -> None:
    """Before hours of work. Raises BenchmarkError where address or model is missing, ChatError for what is no address,
    DependencyError where there are neither kept answers nor what asks for others."""
    from retrieval.chat import check_address

    if not (arguments.chat_url and arguments.chat_model):
        raise BenchmarkError(f"{option} chat needs --chat-url and --chat-model.")
    check_address(arguments.chat_url)
    if not answers.exists() and find_spec("openai") is None:
        raise DependencyError("Asking a model needs the package openai: pip install -r requirements-build.txt")


def run(action: Callable[[], int]) -> int:
    """As `command.run`, with what the builders log."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    logging.getLogger("builders").setLevel(logging.INFO)
    return command.run(action, "the same command goes on where it stopped")

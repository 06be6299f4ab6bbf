"""Command line: python -m builders.dim_fashion build | coverage | audit | stats | sources."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from builders.command_line import add_audit_and_stats, add_chat, audit_or_stats, check_chat, run
from builders.dim_fashion.bridges import THRESHOLD
from builders.dim_fashion.build import AnnotatorMaker, SourceChoice, build, read_sources
from builders.dim_fashion.card import BuildSettings
from builders.dim_fashion.refine import P_ENRICH
from builders.dim_fashion.walk import MAX_TURNS, P_DIRECT, P_ROLLBACK, WalkSettings
from builders.folders import WORK
from builders.sources import SOURCES
from retrieval.benchmark import read_benchmark
from retrieval.encoders.embedded import DEFAULT_FOLDER, EmbeddedEncoder
from retrieval.errors import BenchmarkError
from retrieval.recorded import held_out_products

MAX_DIGITS = 12
"""Of a limit."""


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m builders.dim_fashion", description="Multi-turn sessions out of single-turn data sets."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_build(commands.add_parser("build", help="build a benchmark"))
    coverage = commands.add_parser("coverage", help="read sources and say what became of their records")
    _add_sources(coverage)
    coverage.add_argument("--out", type=Path, help="keep pictures that sources make here (default: they are not kept)")
    add_audit_and_stats(commands)
    commands.add_parser("sources", help="list the sources")
    return parser.parse_args(argv)


def _add_sources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="NAME[=FOLDER]",
        help="a data set and the folder of its original files; may be given several times (`sources` lists them)",
    )
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=N",
        help="at most so many records of a source (garments, for the studio)",
    )
    parser.add_argument("--seed", type=int, default=1, help="decides every draw: equal seeds give equal bytes")


def _add_build(parser: argparse.ArgumentParser) -> None:
    _add_sources(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder of the benchmark")
    parser.add_argument(
        "--without", type=Path, metavar="BENCHMARK",
        help="leave out the products that a val or test session of that benchmark shows or asks for",
    )  # fmt: skip
    parser.add_argument("--name", default="dim-fashion", help="begins every session_id")
    parser.add_argument("--sessions", type=int, default=5000, help="walks; the checks leave fewer sessions")
    parser.add_argument("--threshold", type=float, default=THRESHOLD, help="least cosine of a bridge")
    parser.add_argument("--max-turns", type=int, default=MAX_TURNS, help="longest session")
    parser.add_argument("--p-rollback", type=float, default=P_ROLLBACK, help="how often a later turn tries to go back")
    parser.add_argument(
        "--p-direct", type=float, default=P_DIRECT, help="how often the item itself leads on, if it can"
    )
    parser.add_argument("--p-enrich", type=float, default=P_ENRICH, help="share of sessions with a search put in front")
    parser.add_argument("--encoder", type=Path, default=DEFAULT_FOLDER, help="folder of the exported weights")
    parser.add_argument(
        "--annotator",
        choices=("embedded", "chat"),
        default="embedded",
        help="attributes judge and word, or a model does",
    )
    add_chat(parser, "--annotator")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    return run(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command == "build":
        return _build(arguments)
    if arguments.command == "coverage":
        return _coverage(arguments)
    if arguments.command == "sources":
        for name, words in SOURCES.items():
            print(f"{name:14} {words}")
        return 0
    from builders.dim_fashion.audit import audit
    from builders.dim_fashion.stats import write_stats

    return audit_or_stats(arguments.command, read_benchmark(arguments.folder), audit, write_stats)


def _build(arguments: argparse.Namespace) -> int:
    settings = BuildSettings(
        name=arguments.name,
        seed=arguments.seed,
        n_sessions=arguments.sessions,
        threshold=arguments.threshold,
        p_enrich=arguments.p_enrich,
        walk=WalkSettings(arguments.max_turns, arguments.p_rollback, arguments.p_direct),
    )
    choices = _choices(arguments)
    encoder = EmbeddedEncoder.open(arguments.encoder)
    held_out = held_out_products(read_benchmark(arguments.without)) if arguments.without else frozenset()
    card = build(arguments.out, choices, settings, encoder, _annotator_maker(arguments), _command(arguments), held_out)
    counts = card["counts"]
    print(f"{arguments.out}: {counts['sessions']} sessions, {counts['turns']} turns, {card['checksum']}")
    return 0


def _coverage(arguments: argparse.Namespace) -> int:
    with TemporaryDirectory() as nowhere:
        sources = read_sources(arguments.out or Path(nowhere), _choices(arguments), arguments.seed)
    for source in sources:
        coverage = source.coverage
        print(f"{source.name}: {coverage.n_kept} of {coverage.n_records} records, {len(source.images)} pictures")
        for words, counted in (("dropped", coverage.dropped), ("tolerated", coverage.tolerated)):
            for reason, n in sorted(counted.items()):
                print(f"  {words} {n}: {reason}")
        if coverage.missing_pictures:
            print(f"  missing {len(coverage.missing_pictures)} pictures, the first: {min(coverage.missing_pictures)}")
    return 0


def _choices(arguments: argparse.Namespace) -> list[SourceChoice]:
    limits = {name: _whole(name, value) for name, value in _pairs(arguments.limit, "--limit NAME=N").items()}
    named = [text.partition("=") for text in arguments.source]
    choices = [
        SourceChoice(name, Path(folder) if folder else None, limits.pop(name, None)) for name, _, folder in named
    ]
    if limits:
        raise BenchmarkError(f"--limit names {min(limits)!r}, which no --source does.")
    return choices


def _pairs(texts: Sequence[str], form: str) -> Mapping[str, str]:
    pairs = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise BenchmarkError(f"{text!r} is not of the form {form}.")
        pairs[name] = value
    return pairs


def _whole(name: str, value: str) -> int:
    if not value.isdecimal() or len(value) > MAX_DIGITS or int(value) < 1:
        raise BenchmarkError(f"--limit {name}={value:.30}: give a whole number from 1.")
    return int(value)


def _annotator_maker(arguments: argparse.Namespace) -> AnnotatorMaker:
    if arguments.annotator == "embedded":
        from builders.dim_fashion.annotators.embedded import EmbeddedAnnotator

        return lambda images, _: EmbeddedAnnotator(images)
    from builders.dim_fashion.annotators.chat import ChatAnnotator

    cache = arguments.out / WORK / "answers.jsonl"
    check_chat(arguments, "--annotator", cache)
    return lambda images, path_of: ChatAnnotator(images, path_of, arguments.chat_url, arguments.chat_model, cache)


def _command(arguments: argparse.Namespace) -> str:
    """How to build it again, without the folders of this machine."""
    parts = ["python -m builders.dim_fashion build"]
    parts += [
        f"--source {name}=FOLDER" if sign else f"--source {name}" for name, sign, _ in map(_cut, arguments.source)
    ]
    parts += [f"--limit {limit}" for limit in arguments.limit]
    for name in (
        "seed",
        "name",
        "sessions",
        "threshold",
        "max_turns",
        "p_rollback",
        "p_direct",
        "p_enrich",
        "annotator",
    ):
        parts.append(f"--{name.replace('_', '-')} {getattr(arguments, name)}")
    if arguments.annotator == "chat":
        parts.append(f"--chat-url URL --chat-model {arguments.chat_model}")
    if arguments.encoder != DEFAULT_FOLDER:
        parts.append("--encoder DIR")
    if arguments.without:
        parts.append(f"--without {read_benchmark(arguments.without).card['checksum']}")
    return " ".join((*parts, "--out DIR"))


def _cut(text: str) -> tuple[str, str, str]:
    return text.partition("=")


if __name__ == "__main__":
    sys.exit(main())

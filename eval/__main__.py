"""Scores: `replay` sessions in the agent or rank them `alone`, `report`, `tables`, `t2i`, `rqbench`, `understanding`"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from eval.held_out import held_out_ids
from eval.t2i import evaluate, table
from retrieval import command
from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.encoders.opening import LATE_FUSION, open_encoder
from retrieval.gallery import count_items, read_gallery
from retrieval.indexing import index
from retrieval.stores.lance import LanceStore

if TYPE_CHECKING:
    from eval.opening import Request
    from eval.runs import Run
    from retrieval.protocols import Encoder

MAX_WEIGHT = 100.0
MAX_DIGITS = 9
"""Of a depth."""


def t2i(arguments: argparse.Namespace) -> None:
    held_out = held_out_ids(arguments.gallery, arguments.split)
    encoder = open_encoder(arguments.encoder)
    if arguments.grounds:
        from eval.grounds import robustness

        entries = read_gallery(arguments.gallery, arguments.index / "pictures")
        _print_encoder(arguments.encoder, encoder)
        print(robustness(encoder, entries, held_out, arguments.grounds))
        return
    with LanceStore.open_or_create(arguments.index / "index", encoder.manifest) as store:
        entries = read_gallery(arguments.gallery, arguments.index / "pictures")
        report = index(encoder, store, entries, total=count_items(arguments.gallery))
        ids = sorted(store.fingerprints())
        items, embeddings = store.get(ids), store.embeddings(ids)
    sys.stderr.write(f"{report}\n")
    _print_encoder(arguments.encoder, encoder)
    print(table(evaluate(encoder, items, embeddings, held_out)))


def _print_encoder(folder: Path, encoder: Encoder) -> None:
    from eval.opening import read_system

    system, towers = read_system(folder), f"{encoder.manifest.encoder} {encoder.manifest.revision}"
    queries = "" if system.kind == LATE_FUSION else f", queries by {system.kind} {system.query_revision}"
    print(f"encoder: {towers}{queries}, pictures alone, exact cosine")


def rqbench(arguments: argparse.Namespace) -> None:
    from eval.rqbench.command import score

    print(score(arguments))


def understanding(arguments: argparse.Namespace) -> None:
    from eval.understanding.command import scores

    print(scores(arguments))


def _request(arguments: argparse.Namespace) -> Request:
    from eval.opening import Request

    return Request(
        benchmark=arguments.benchmark,
        split=arguments.split,
        history=arguments.history,
        encoder=arguments.encoder,
        caption_weight=arguments.caption_weight,
        depth=arguments.depth,
        limit=arguments.limit,
        pictures=dict(arguments.pictures),
        index=arguments.index,
    )


def _run_folder(arguments: argparse.Namespace, *parts: str) -> Path:
    name = "-".join((arguments.benchmark.resolve().name, arguments.split, arguments.history, *parts))
    return arguments.out or Path("runs") / name


def play(arguments: argparse.Namespace) -> None:
    from eval.workers import replay

    folder = _run_folder(arguments, arguments.encoder.resolve().name)
    _print_run(replay(_request(arguments), folder, arguments.workers))


def rank(arguments: argparse.Namespace) -> None:
    from eval.alone import alone

    folder = _run_folder(arguments, "alone", arguments.encoder.resolve().name)
    _print_run(alone(_request(arguments), folder, arguments.references))


def _print_run(run: Run) -> None:
    from eval.report import short_table

    print(short_table(run))
    print(f"All of it: python -m eval report {run.folder}")


def tables(arguments: argparse.Namespace) -> None:
    from eval.tables import write_tables
    from eval.tables_spec import read_spec

    for path in write_tables(read_spec(arguments.spec), arguments.out, arguments.workers):
        print(path)


def report(arguments: argparse.Namespace) -> None:
    from eval.report import write_report
    from eval.runs import read_run

    for path in write_report(read_run(arguments.run)):
        print(path)


def compare(arguments: argparse.Namespace) -> None:
    from eval.compare import comparison_table
    from eval.runs import read_run

    print(comparison_table(read_run(arguments.a), read_run(arguments.b)))


def mean(arguments: argparse.Namespace) -> None:
    from eval.compare import mean_table
    from eval.runs import read_run

    print(mean_table([read_run(folder) for folder in arguments.runs]))


def _named_folder(text: str) -> tuple[str, Path]:
    source, separator, folder = text.partition("=")
    if not (source and separator and folder):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form source=FOLDER")
    return source, Path(folder)


def _depth(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal() or len(text) > MAX_DIGITS or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is neither a number from 1 nor 'all'")
    return int(text)


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= MAX_WEIGHT:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is not a number from 0 to {MAX_WEIGHT:g}")
    return weight


def _add_replay(commands: Any) -> None:
    parser = commands.add_parser("replay", help="play the sessions of a benchmark through the agent")
    parser.set_defaults(action=play)
    _add_request(parser)
    parser.add_argument("--workers", type=int, default=1, help="processes; the answers do not depend on it")


def _add_alone(commands: Any) -> None:
    from retrieval.recorded import References

    parser = commands.add_parser("alone", help="rank the turns of a benchmark by a system without the agent")
    parser.set_defaults(action=rank)
    _add_request(parser)
    parser.add_argument(
        "--references", choices=get_args(References), default="previous",
        help="from which picture a turn starts that goes back: the one chosen just before, or the one gone back to",
    )  # fmt: skip


def _add_request(parser: argparse.ArgumentParser) -> None:
    from eval.opening import DEPTH, History

    parser.add_argument("benchmark", type=Path, help="folder of a finished benchmark")
    parser.add_argument("--split", default="test")
    parser.add_argument(
        "--history", choices=get_args(History), default="recorded",
        help="whether a turn starts from the recorded choice or from what the system itself found",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, help="folder of the run; an interrupted one goes on (default: runs/NAME)")
    parser.add_argument(
        "--encoder", type=Path, default=DEFAULT_FOLDER, help="folder of a system (default: late fusion)"
    )
    parser.add_argument(
        "--caption-weight", type=_weight, default=0.0, help="how much an item's name counts beside its picture"
    )
    parser.add_argument(
        "--pictures",
        type=_named_folder,
        nargs="*",
        action="extend",
        default=[],
        metavar="SOURCE=FOLDER",
        help="where pictures lie",
    )
    parser.add_argument("--depth", type=_depth, default=DEPTH, help="ranks that are kept, or 'all' (default: 100)")
    parser.add_argument("--limit", type=int, help="the first sessions alone")
    parser.add_argument("--index", type=Path, help="keeps vectors (default: in the benchmark)")


def _add_t2i(commands: Any) -> None:
    parser = commands.add_parser("t2i", help="product names and attribute captions against pictures")
    parser.set_defaults(action=t2i)
    parser.add_argument(
        "--gallery",
        type=Path,
        required=True,
        help="catalogue: a Parquet file or a folder of them, with columns id and split",
    )
    parser.add_argument("--split", default="val", help="the products whose names and captions are asked for")
    parser.add_argument(
        "--encoder", type=Path, default=DEFAULT_FOLDER, help="folder of a system (default: late fusion)"
    )
    parser.add_argument("--index", type=Path, default=Path("runs/t2i"), help="keeps vectors: a second run only scores")
    parser.add_argument(
        "--grounds",
        type=Path,
        metavar="PHOTOS",
        help="Parquet file of photos with columns split and image: the held-out products alone, on pieces of photos of "
        "its split val beside plain ones",
    )


def _add_scoring(commands: Any) -> None:
    parser = commands.add_parser("report", help="write report.md and report.html of a run")
    parser.set_defaults(action=report)
    parser.add_argument("run", type=Path, help="folder of a finished run")
    parser = commands.add_parser("compare", help="two runs over the same queries, with a paired permutation test")
    parser.set_defaults(action=compare)
    parser.add_argument("a", type=Path)
    parser.add_argument("b", type=Path)
    parser = commands.add_parser(
        "mean", help="runs over several benchmarks, and the mean in which each counts the same"
    )
    parser.set_defaults(action=mean)
    parser.add_argument("runs", type=Path, nargs="+")


def _add_tables(commands: Any) -> None:
    parser = commands.add_parser(
        "tables", help="the paper's tables over several systems; makes the runs that are missing"
    )
    parser.set_defaults(action=tables)
    parser.add_argument("spec", type=Path, help="a specification (TOML or JSON), or a folder of finished runs")
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables and of the runs made for them")
    parser.add_argument("--workers", type=int, default=1, help="processes of each replay")


def _add_rqbench(commands: Any) -> None:
    from eval.rqbench.command import add_arguments

    parser = commands.add_parser("rqbench", help="systems on the tasks of a FASHION-RQ benchmark")
    parser.set_defaults(action=rqbench)
    add_arguments(parser)


def _add_understanding(commands: Any) -> None:
    from eval.understanding.command import add_arguments

    parser = commands.add_parser("understanding", help="how messages are understood, and what exclusions bring")
    parser.set_defaults(action=understanding)
    add_arguments(parser)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for add in (_add_replay, _add_alone, _add_scoring, _add_tables, _add_t2i, _add_rqbench, _add_understanding):
        add(commands)
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)

    def act() -> int:
        arguments.action(arguments)
        return 0

    return command.run(act, "the same command goes on where it stopped")


if __name__ == "__main__":
    sys.exit(main())

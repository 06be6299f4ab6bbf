"""Command line: python -m builders.fashion_rq build | audit | stats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from builders.command_line import add_audit_and_stats, add_chat, audit_or_stats, check_chat, run
from builders.fashion_rq.card import BuildSettings
from builders.fashion_rq.embeddings import What
from builders.fashion_rq.hierarchy_settings import Estimator, HierarchySettings
from builders.fashion_rq.leaves import LeafSettings
from builders.fashion_rq.mapping import DEFAULT
from builders.fashion_rq.writing import ANSWERS
from builders.folders import WORK
from retrieval.encoders.embedded import DEFAULT_FOLDER
from retrieval.rq_benchmark import read_rq_benchmark

if TYPE_CHECKING:
    from builders.fashion_rq.build import WriterMaker


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m builders.fashion_rq", description="A benchmark of graded searches out of any catalogue."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_build(commands.add_parser("build", help="build a benchmark"))
    add_audit_and_stats(commands)
    return parser.parse_args(argv)


def _add_build(parser: argparse.ArgumentParser) -> None:
    plain, hierarchy, leaves = BuildSettings(), HierarchySettings(), LeafSettings()
    parser.add_argument("--gallery", type=Path, required=True, help="the catalogue: CSV, JSONL, Parquet or a folder")
    parser.add_argument("--mapping", type=Path, default=DEFAULT, help="TOML: which column is which attribute")
    parser.add_argument("--out", type=Path, required=True, help="folder of the benchmark")
    parser.add_argument("--name", default=plain.name, help="stands on the card")
    parser.add_argument("--seed", type=int, default=plain.seed, help="decides every draw: equal seeds give equal bytes")
    parser.add_argument("--encoder", type=Path, default=DEFAULT_FOLDER, help="folder of the exported weights")
    parser.add_argument("--embed", choices=get_args(What), default=plain.embed, help="what products are told apart by")
    parser.add_argument("--codebook", type=int, default=hierarchy.codebook, help="codes on each level of the hierarchy")
    parser.add_argument(
        "--compare",
        type=int,
        action="append",
        default=[],
        metavar="CODEBOOK",
        help="train another hierarchy, for the tables alone; may be given several times",
    )
    parser.add_argument("--epochs", type=int, default=hierarchy.epochs, help="of the hierarchy's training")
    parser.add_argument(
        "--exclusivity",
        type=float,
        default=hierarchy.exclusivity,
        help="weight of the attribute exclusivity loss; 0 leaves it out",
    )
    parser.add_argument(
        "--estimator", choices=get_args(Estimator), default=hierarchy.estimator, help="of gradients through the codes"
    )
    parser.add_argument("--tops", type=int, default=leaves.n_tops, help="clusters of level 1 that are asked for")
    parser.add_argument("--middles", type=int, default=leaves.n_middles, help="clusters of level 2 that are asked for")
    parser.add_argument("--leaves", type=int, default=leaves.n_leaves, help="clusters of level 3 that are asked for")
    parser.add_argument(
        "--writer", choices=("grammar", "chat"), default="grammar", help="a grammar words the queries, or a model does"
    )
    add_chat(parser, "--writer")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    return run(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command == "build":
        return _build(arguments)
    from builders.fashion_rq.audit import audit
    from builders.fashion_rq.stats import write_stats

    return audit_or_stats(arguments.command, read_rq_benchmark(arguments.folder), audit, write_stats)


def _build(arguments: argparse.Namespace) -> int:
    from builders.fashion_rq.build import build
    from retrieval.encoders.opening import open_encoder

    settings = BuildSettings(
        name=arguments.name,
        seed=arguments.seed,
        embed=arguments.embed,
        hierarchy=HierarchySettings(
            codebook=arguments.codebook,
            exclusivity=arguments.exclusivity,
            estimator=arguments.estimator,
            epochs=arguments.epochs,
        ),
        compared=tuple(sorted(set(arguments.compare))),
        leaves=LeafSettings(arguments.tops, arguments.middles, arguments.leaves),
    )
    writer, encoder = _writer_maker(arguments), open_encoder(arguments.encoder)
    card = build(arguments.out, arguments.gallery, settings, encoder, writer, _command(arguments), arguments.mapping)
    counts = card["counts"]
    print(
        f"{arguments.out}: {counts['groups']} groups, {counts['queries']['T1']} queries, "
        f"{sum(map(sum, (labels.values() for labels in counts['labels'].values())))} pairs, {card['checksum']}"
    )
    return 0


def _writer_maker(arguments: argparse.Namespace) -> WriterMaker:
    if arguments.writer == "grammar":
        from builders.fashion_rq.query_writing import GrammarWriter

        return GrammarWriter
    from builders.fashion_rq.query_chat import ChatWriter

    answers = arguments.out / WORK / ANSWERS
    check_chat(arguments, "--writer", answers)
    return lambda: ChatWriter(arguments.chat_url, arguments.chat_model, answers)


def _command(arguments: argparse.Namespace) -> str:
    """How to build it again, without the folders of this machine."""
    parts = ["python -m builders.fashion_rq build --gallery GALLERY"]
    parts += [f"--{name} {getattr(arguments, name)}" for name in ("name", "seed", "embed", "codebook")]
    parts += [f"--compare {codebook}" for codebook in sorted(set(arguments.compare))]
    names = ("epochs", "exclusivity", "estimator", "tops", "middles", "leaves", "writer")
    parts += [f"--{name} {getattr(arguments, name)}" for name in names]
    if arguments.writer == "chat":
        parts.append(f"--chat-url URL --chat-model {arguments.chat_model}")
    if arguments.encoder != DEFAULT_FOLDER:
        parts.append("--encoder DIR")
    if arguments.mapping != DEFAULT:
        parts.append("--mapping FILE")
    return " ".join((*parts, "--out DIR"))


if __name__ == "__main__":
    sys.exit(main())

"""Command line: python -m builders.mt_fashioniq build FOLDER --out DIR."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from builders.mt_fashioniq.building import build
from retrieval import command


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m builders.mt_fashioniq", description="Make MT-FashionIQ's benchmarks."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    adder = commands.add_parser("build", help="write one benchmark a category: dress, shirt, toptee")
    adder.add_argument("folder", type=Path, metavar="FOLDER", help="the original files")
    adder.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets a folder for each category")
    adder.add_argument(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        help="FashionIQ's pictures, <asin>.jpg or .png at any depth; without it attribute words stand in for pictures",
    )
    adder.add_argument("--train", action="store_true", help="also the training sessions, as split train")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(message)s")
    return command.run(lambda: _build(arguments), "give the same command again")


def _build(arguments: argparse.Namespace) -> int:
    cards = build(arguments.folder, arguments.out, arguments.pictures, arguments.train, _command(arguments))
    for category, card in cards.items():
        print(f"{arguments.out / category}: gallery of {card['gallery']}")
        for group in ("counts", "dropped", "tolerated"):
            _print(group, card[group])
    return 0


def _print(group: str, figures: Mapping[str, Any]) -> None:
    if figures:
        print(f"  {group}: " + ", ".join(f"{name} {figure:,}" for name, figure in figures.items()))


def _command(arguments: argparse.Namespace) -> str:
    """How to build it again, without the folders of this machine."""
    options = [*(["--pictures FOLDER"] if arguments.pictures else []), *(["--train"] if arguments.train else [])]
    return " ".join(["python -m builders.mt_fashioniq build FOLDER", *options, "--out DIR"])


if __name__ == "__main__":
    sys.exit(main())

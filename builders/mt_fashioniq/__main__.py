"""Command line: python -m builders.mt_fashioniq build FOLDER --out DIR."""

from __future__ import annotations

import argparse
import logging
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from builders.mt_fashioniq.building import build
from retrieval.errors import FashionSearchError


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m builders.mt_fashioniq", description="Make MT-FashionIQ's benchmarks."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build", help="write one benchmark a category: dress, shirt, toptee")
    command.add_argument("folder", type=Path, metavar="FOLDER", help="the original files")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets a folder for each category")
    command.add_argument(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        help="FashionIQ's pictures, <asin>.jpg or .png at any depth; without it attribute words stand in for pictures",
    )
    command.add_argument("--train", action="store_true", help="also the training sessions, as split train")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = _arguments(given)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(message)s")
    command = shlex.join(["python", "-m", "builders.mt_fashioniq", *given])
    try:
        cards = build(arguments.folder, arguments.out, arguments.pictures, arguments.train, command)
    except FashionSearchError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    for category, card in cards.items():
        print(f"{arguments.out / category}: gallery of {card['gallery']}")
        for group in ("counts", "dropped", "tolerated"):
            _print(group, card[group])
    return 0


def _print(group: str, figures: Mapping[str, Any]) -> None:
    if figures:
        print(f"  {group}: " + ", ".join(f"{name} {figure:,}" for name, figure in figures.items()))


if __name__ == "__main__":
    sys.exit(main())

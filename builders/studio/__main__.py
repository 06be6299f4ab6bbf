"""Command line: python -m builders.studio gallery | sample | sheet."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from builders.studio.gallery import contact_sheet, write_gallery, write_sample
from builders.studio.kinds import KINDS
from builders.studio.render import View
from retrieval.errors import FashionSearchError


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m builders.studio", description="Draw garments.")
    commands = parser.add_subparsers(dest="command", required=True)
    gallery = commands.add_parser("gallery", help="write the embedded gallery")
    gallery.add_argument("--out", type=Path, default=Path("assets/gallery"))
    gallery.add_argument("--n", type=int, default=1100)
    gallery.add_argument("--seed", type=int, default=1)
    sample = commands.add_parser("sample", help="write training material: products, sketches, captions")
    sample.add_argument("--out", type=Path, required=True)
    sample.add_argument("--n", type=int, default=4000)
    sample.add_argument("--seed", type=int, default=7)
    sample.add_argument("--side", type=int, default=192, help="height of a picture in pixels")
    sheet = commands.add_parser("sheet", help="write a contact sheet to look at")
    sheet.add_argument("--out", type=Path, required=True)
    sheet.add_argument("--seed", type=int, default=1)
    sheet.add_argument("--each", type=int, default=8, help="pictures of each kind")
    sheet.add_argument("--height", type=int, default=256)
    sheet.add_argument("--view", choices=get_args(View), default="product")
    sheet.add_argument("--kinds", nargs="*", choices=KINDS, metavar="KIND", help="kinds to show; all by default")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(message)s")
    try:
        _run(arguments)
    except FashionSearchError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


def _run(arguments: argparse.Namespace) -> None:
    if arguments.command == "gallery":
        print(json.dumps(write_gallery(arguments.out, arguments.n, arguments.seed), indent=2))
    elif arguments.command == "sample":
        print(f"{write_sample(arguments.out, arguments.n, arguments.seed, arguments.side):.1f} ms a picture")
    else:
        sheet = contact_sheet(arguments.seed, arguments.each, arguments.kinds, arguments.view, arguments.height)
        sheet.save(arguments.out)


if __name__ == "__main__":
    sys.exit(main())

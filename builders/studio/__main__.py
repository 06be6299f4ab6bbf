"""Command line: python -m builders.studio gallery | sample | sheet."""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

from builders.studio.gallery import contact_sheet, write_gallery, write_sample


def _arguments() -> argparse.Namespace:
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
    sheet.add_argument("--view", choices=("product", "sketch", "mask"), default="product")
    sheet.add_argument("--kinds", nargs="*", help="kinds to show; all by default")
    return parser.parse_args()


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    args = _arguments()
    if args.command == "gallery":
        print(json.dumps(write_gallery(args.out, args.n, args.seed), indent=2))
    elif args.command == "sample":
        print(f"{write_sample(args.out, args.n, args.seed, args.side):.1f} ms a picture")
    else:
        contact_sheet(args.seed, args.each, args.kinds, args.view, args.height).save(args.out)


if __name__ == "__main__":
    main()

"""Whether the shop's memory stays bounded: many turns of many conversations through the shop itself, without HTTP.

    python -m benchmarks.memory --turns 10000

Prints what the process holds after each tenth of the turns. Conversations end, new ones begin, uploads are among them,
and the folder of the process is swept as in the running shop. A last line compares the second half with the first.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image as Pillow

from agent.housekeeping import Sweeper
from agent.opening import ENCODER_HELP, open_shop
from agent.shopfront import Shop, View
from retrieval.errors import FashionSearchError

COLOURS = ("red", "blue", "black", "white", "green", "grey", "pink", "brown", "yellow", "navy", "purple", "orange")
KINDS = ("dress", "shirt", "jacket", "skirt", "sweater", "coat", "shoes", "bag", "trousers", "hat")
KEPT_BYTES = 20_000_000
"""Of the folder, so that sweeping it is part of what is measured."""


def resident_mb() -> float:
    """What the process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def conversation(shop: Shop, number: int, upload: Path) -> Iterator[Callable[[View], View]]:
    """What one visitor does, no two alike."""
    generator = np.random.default_rng(number)
    colour, other, kind, more = (str(generator.choice(words)) for words in (COLOURS, COLOURS, KINDS, KINDS))
    yield lambda view: shop.send(view, f"a {colour} {kind}, number {number}")
    yield lambda view: shop.send(view, f"the same in {other} under {20 + number % 80}")
    yield lambda view: shop.send(shop.select(view, 0) if shop.items(view) else view, "like this but longer")
    yield lambda view: shop.send(view, f"what goes with it? maybe a {more}")
    yield lambda view: shop.send(view, "how much is the second one?")
    yield lambda view: shop.send(view, "go back to the first one")
    yield lambda view: shop.remove_chip(view, 0)
    yield View.undone
    yield lambda view: shop.send(view, f"something like this in {other}", [str(upload)])
    yield lambda view: shop.take_offer(view, 0)


def play(shop: Shop, turns: int, place: Path) -> Iterator[tuple[int, float]]:
    """Turns so far and megabytes, after each tenth."""
    sweeper = Sweeper(shop.folder, kept_bytes=KEPT_BYTES)
    done, step = 0, max(1, turns // 10)
    for number in itertools.count():
        view, upload = View.new(), _photo(place, number)
        for act in conversation(shop, number, upload):
            view = act(view)
            _shown(shop, view)
            done += 1
            if done % step == 0:
                sweeper.sweep()
                gc.collect()
                yield done, resident_mb()
            if done >= turns:
                return


def _shown(shop: Shop, view: View) -> None:
    for item in shop.items(view):
        shop.picture(item)
    shop.export(view.session)


def _photo(place: Path, number: int) -> Path:
    noise = np.random.default_rng(number).integers(0, 256, (16, 12, 3), np.uint8)
    path = place / "photo.jpg"
    Pillow.fromarray(noise).resize((360, 480)).save(path, "JPEG")
    return path


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--gallery", help="as for app.py; default: the embedded gallery")
    parser.add_argument("--index", type=Path, help="as for app.py")
    parser.add_argument("--encoder", help=ENCODER_HELP)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(argv)
    if options.turns < 10:
        parser.error(f"--turns is {options.turns}: give at least 10")
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    try:
        with tempfile.TemporaryDirectory(prefix="dimity-") as folder:
            shop = open_shop(Path(folder) / "shop", options.gallery, options.index, options.encoder)
            began, seen = time.process_time(), []
            for done, megabytes in play(shop, options.turns, Path(folder)):
                seen.append(megabytes)
                print(f"{done:7} turns  {megabytes:7.0f} MB  {time.process_time() - began:7.0f} s of processor time")
            half = len(seen) // 2
            grown = max(seen[half:]) - max(seen[:half])
            print(f"the second half's peak is {grown:+.1f} MB from the first half's")
            left = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
            print(f"{left / 1e6:.0f} MB in the folder of the process")
    except FashionSearchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Chat in a terminal: `python -m agent` reads a message a line and prints the answer and the best items.

`#3 more like this` selects the third item shown, `+photo.jpg in blue` sends a picture with the words.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agent.opening import ENCODER_HELP, add_planner_options, chosen_chat, encoder_line, open_shop, planner_line
from agent.presentation import chips
from agent.shopfront import Shop, View
from retrieval.errors import FashionSearchError, MessageError

N_PRINTED = 4


def answer(shop: Shop, view: View, line: str) -> View:
    """One message, in the forms that the module names."""
    files, words = [], line
    if line.startswith("#") and line[1:].split(" ")[0].isdigit():
        number, _, words = line[1:].partition(" ")
        if not 0 < int(number) <= len(shop.items(view)):
            raise MessageError(f"Only {len(shop.items(view))} items are shown.")
        view = shop.select(view, int(number) - 1)
    elif line.startswith("+"):
        file, _, words = line[1:].partition(" ")
        files = [file]
    heard = _Heard()
    view = replace(shop.send(view, words, files, tell=heard), selected=None)
    if turn := view.turn:
        heard.end()
        print(f"[{turn.turn_number} {' > '.join(filter(None, (turn.plan.intent, turn.plan.then)))}]", end=" ")
        print(" | ".join(chip.label for chip in chips(turn.plan)))
        if turn.reply.text != heard.text:
            print(turn.reply.text)
        if turn.ranking is not None:
            for item in shop.items(view)[:N_PRINTED]:
                price = item.attributes.get("price")
                print(f"    {item.caption}{f', {price:g}' if isinstance(price, float) else ''}")
    return view


class _Heard:
    """Prints a reply while it is written."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, text: str) -> None:
        print(text[len(self.text) :], end="", flush=True)
        self.text = text

    def end(self) -> None:
        if self.text:
            print()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m agent", description=__doc__)
    parser.add_argument("--gallery", help="as for app.py; default: the embedded gallery")
    parser.add_argument("--index", type=Path, help="directory of the index; default: in the user's cache")
    parser.add_argument("--encoder", help=ENCODER_HELP)
    add_planner_options(parser)
    options = parser.parse_args(arguments)
    os.environ.setdefault("LANCEDB_LOG", "error")
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="dimity-") as folder:
        try:
            chat = chosen_chat(options)
            shop = open_shop(Path(folder), options.gallery, options.index, options.encoder, chat)
        except FashionSearchError as error:
            print(error, file=sys.stderr)
            return 1
        print(f"{encoder_line(options.encoder)} {planner_line(chat)}", file=sys.stderr)
        view = View.new()
        for line in map(str.strip, sys.stdin):
            print(f"> {line}")
            try:
                view = answer(shop, view, line)
            except FashionSearchError as error:
                print(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())

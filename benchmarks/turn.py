"""How long a turn of the shop takes, by its parts, and how far each part is from the nearest limit in the same run.

    python -m benchmarks.turn --gallery catalogue.parquet --rounds 9

A round is a conversation of ten turns, photos among them, whose pictures have never been seen before. A turn lasts from
the message to all that the page shows of its answer, without the browser. Times of different machines cannot be
compared, the ratios can: `limit` is one bare call of what the part cannot do without (decoding the file, the picture
tower, the text tower, a product of the gallery's vectors with the query). On a busy machine look at the processor's
time rather than the clock's.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from PIL import Image as Pillow

from agent import presentation_page as show
from agent import shopfront
from agent.opening import ENCODER_HELP, encoder_folder, encoder_line, open_shop
from agent.presentation import tree
from agent.shopfront import Shop, View
from retrieval.encoders.towers import PICTURE, TEXT, find_file, open_session, read_card
from retrieval.errors import FashionSearchError

P = ParamSpec("P")
T = TypeVar("T")
PHONE, SCREEN = (3024, 4032), (1080, 1440)
"""Pixels of a photo as a telephone takes it, and of one that a program has made smaller."""
PARTS = ("upload", "understanding", "picture tower", "query encoder", "search", "page", "rest")
WORDS = 12
"""Tokens of the request that the bare text tower is timed with."""


@dataclass
class Clock:
    """Adds up the time that each part takes, without that of the parts inside it: (seconds, processor's seconds)."""

    spent: dict[str, tuple[float, float]] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _since: tuple[float, float] = (0.0, 0.0)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        self._charge()
        self._open.append(name)
        try:
            yield
        finally:
            self._charge()
            self._open.pop()

    def timed(self, name: str, call: Callable[P, T]) -> Callable[P, T]:
        @wraps(call)
        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            with self.part(name):
                return call(*args, **kwargs)

        return run

    def _charge(self) -> None:
        now = (time.perf_counter(), time.process_time())
        if self._open:
            before = self.spent.get(self._open[-1], (0.0, 0.0))
            self.spent[self._open[-1]] = (before[0] + now[0] - self._since[0], before[1] + now[1] - self._since[1])
        self._since = now


@dataclass(frozen=True, slots=True)
class Timed:
    """One turn."""

    kind: str
    parts: Mapping[str, tuple[float, float]]

    def total(self, which: int) -> float:
        return sum(times[which] for times in self.parts.values())


@contextmanager
def fitted(shop: Shop, clock: Clock) -> Iterator[None]:
    """What this shop does is timed; the shop is good for nothing else afterwards."""
    encoder: Any = shop.retriever.encoder
    store: Any = shop.retriever.store
    planner: Any = shop.assistant._deps.planner
    planner.understand = clock.timed("understanding", planner.understand)
    encoder.encode_queries = clock.timed("query encoder", encoder.encode_queries)
    store.search = clock.timed("search", store.search)
    if hasattr(encoder, "towers"):
        encoder.towers.encode_references = clock.timed("picture tower", encoder.towers.encode_references)
    module: Any = shopfront
    plain = module.store_upload
    module.store_upload = clock.timed("upload", plain)
    try:
        yield
    finally:
        module.store_upload = plain


def photo(picture: Pillow.Image, size: tuple[int, int], seed: int) -> bytes:
    """A JPEG of this size with the grain of a camera, so that no two are the same file."""
    grain = np.random.default_rng(seed).normal(0, 6, (size[1] // 4, size[0] // 4, 3)).astype(np.float32)
    small = np.asarray(picture.convert("RGB").resize((size[0] // 4, size[1] // 4)), np.float32) + grain
    buffer = io.BytesIO()
    Pillow.fromarray(small.clip(0, 255).astype(np.uint8)).resize(size).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def script(shop: Shop, files: Mapping[str, str]) -> tuple[tuple[str, Callable[[View], View]], ...]:
    """Kind of turn, and what the visitor does; `files` are the paths of the two photos."""
    return (
        ("words", lambda view: shop.send(view, "a red dress for a summer party")),
        ("modify", lambda view: shop.send(view, "in black, and longer")),
        ("modify, chosen", lambda view: shop.send(_best(shop, view), "like this but in blue")),
        ("same item", lambda view: shop.send(_best(shop, view), "show me this one from another side")),
        ("rollback", lambda view: shop.send(view, "back to turn 1, but in green")),
        ("compatible", lambda view: shop.send(_best(shop, view), "what goes with it?")),
        ("same attribute", lambda view: shop.send(_best(shop, view), "others with the same colour")),
        ("photo", lambda view: shop.send(view, "", [files["phone"]])),
        ("photo, words", lambda view: shop.send(view, "something like this for men", [files["screen"]])),
        ("question", lambda view: shop.send(view, "how much is the second one?")),
    )


def _best(shop: Shop, view: View) -> View:
    """The best item selected, if any is shown."""
    return shop.select(view, 0) if shop.items(view) else view


def shown(shop: Shop, view: View) -> int:
    """All that the page shows of a view, as `app.render` asks for it; returns the number of items."""
    items = shop.items(view)
    for item in items:
        shop.picture(item)
        show.caption(item)
    show.chat_messages(view.branch, lambda item_id: _pictured(shop, item_id))
    show.status_html(len(items), shop.n_fitting(view), searched=view.found() is not None)
    tree(view.session, view.head)
    view.chips()
    shop.export(view.session)
    return len(items)


def play(shop: Shop, clock: Clock, round_: int, folder: Path) -> list[Timed]:
    window = shop.items(View.new())
    picture = Pillow.open(window[round_ % len(window)].image.path)
    files = {}
    for name, size in (("phone", PHONE), ("screen", SCREEN)):
        files[name] = str(folder / f"{name}-{round_}.jpg")
        Path(files[name]).write_bytes(photo(picture, size, round_))
    view, turns = View.new(), []
    for kind, act in script(shop, files):
        clock.spent.clear()
        with clock.part("rest"):
            view = act(view)
            with clock.part("page"):
                shown(shop, view)
        turns.append(Timed(kind, dict(clock.spent)))
    return turns


def _pictured(shop: Shop, item_id: str) -> tuple[str, str]:
    item = shop.item(item_id)
    return (shop.picture(item), show.caption(item)) if item else ("", "")


def limits(shop: Shop, folder: Path, repeats: int) -> dict[str, float]:
    """Part -> milliseconds of the one call that it cannot do without."""
    card = read_card(folder)
    picture, text = (open_session(find_file(folder, card, name)) for name in (PICTURE, TEXT))
    shape = [1, *picture.get_inputs()[0].shape[1:]]
    pixels = np.zeros(shape, {"tensor(float)": np.float32}.get(picture.get_inputs()[0].type, np.uint8))
    words = {"ids": np.ones((1, WORDS), np.int64), "mask": np.ones((1, WORDS), np.int64)}
    file = photo(Pillow.new("RGB", (60, 80), "grey"), SCREEN, 0)
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(shop.retriever.count(), int(card["dim"]))).astype(np.float32)
    calls: dict[str, Callable[[], object]] = {
        "upload": lambda: Pillow.open(io.BytesIO(file)).load(),
        "understanding": lambda: text.run(None, words),
        "picture tower": lambda: picture.run(None, {"pixels": pixels}),
        "query encoder": lambda: text.run(None, words),
        "search": lambda: vectors @ vectors[0],
    }
    return {name: _median_ms(call, repeats) for name, call in calls.items()}


def _median_ms(call: Callable[[], object], repeats: int) -> float:
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1000 * float(np.median(times))


def report(turns: Sequence[Timed], bare: Mapping[str, float]) -> Iterator[str]:
    """Lines of two tables: by part over the turns that have it, and by kind of turn."""
    yield f"{'part':16}{'turns':>7}{'median ms':>11}{'p90 ms':>9}{'cpu ms':>9}{'limit ms':>10}{'x limit':>9}"
    for name in PARTS:
        parts = [turn.parts[name] for turn in turns if name in turn.parts]
        limit = bare.get(name)
        if parts:
            row = _row(name, [wall for wall, _ in parts], [cpu for _, cpu in parts])
            median = 1000 * float(np.median([wall for wall, _ in parts]))
            yield row + (f"{limit:10.2f}{median / limit:9.1f}" if limit else "")
    yield ""
    yield f"{'turn':16}{'turns':>7}{'median ms':>11}{'p90 ms':>9}{'cpu ms':>9}"
    for kind in dict.fromkeys(turn.kind for turn in turns):
        some = [turn for turn in turns if turn.kind == kind]
        yield _row(kind, [turn.total(0) for turn in some], [turn.total(1) for turn in some])
    yield _row("all", [turn.total(0) for turn in turns], [turn.total(1) for turn in turns])


def _row(name: str, walls: Sequence[float], cpus: Sequence[float]) -> str:
    median, p90 = np.quantile(walls, (0.5, 0.9)) * 1000
    return f"{name:16}{len(walls):7}{median:11.1f}{p90:9.1f}{1000 * float(np.median(cpus)):9.1f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gallery", help="as for app.py; default: the embedded gallery")
    parser.add_argument("--index", type=Path, help="as for app.py")
    parser.add_argument("--encoder", help=ENCODER_HELP)
    parser.add_argument("--rounds", type=int, default=9, help="conversations that are timed, after one that is not")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(argv)
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}: give at least 1")
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    os.environ.setdefault("LANCEDB_LOG", "error")
    try:
        with tempfile.TemporaryDirectory(prefix="dimity-") as place:
            folder = Path(place)
            shop = open_shop(folder / "shop", options.gallery, options.index, options.encoder)
            print(encoder_line(options.encoder), file=sys.stderr)
            bare = limits(shop, encoder_folder(options.encoder), 3 * options.rounds)
            clock = Clock()
            with fitted(shop, clock):
                play(shop, clock, 0, folder)  # what is read once is no turn's time
                turns = [turn for round_ in range(options.rounds) for turn in play(shop, clock, round_ + 1, folder)]
            print(f"{shop.retriever.count():,} items, {encoder_folder(options.encoder).name}, {os.cpu_count()} cores")
            print(*report(turns, bare), sep="\n")
    except FashionSearchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

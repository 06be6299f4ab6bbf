"""Many visitors at once, each a browser tab over real HTTP: how long they wait, what goes wrong, what the server needs.

    python -m benchmarks.load --clients 50 --every 5 --seconds 60

Starts the shop as a process of its own (or takes `--url`), opens that many tabs, and lets each send a message every few
seconds. Every answer is checked for the words of another visitor. The clients run on the same machine and take their
share of it; the server's own processor time for each turn is printed beside the times.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from benchmarks.tab import PageMap, RefusedError, Tab

ROOT = Path(__file__).parents[1]
START_SECONDS = 300
WATCHED = ("process_resident_memory_bytes", "process_cpu_seconds_total")
COLOURS = ("red", "blue", "black", "white", "green", "grey", "pink", "brown", "yellow", "navy")
KINDS = ("dress", "shirt", "jacket", "skirt", "sweater")
CONVERSATION = (
    "a {colour} {kind}, number {name}", "something cheaper", "in black", "for women", "hello", "like the second one",
    "go back to the first", "what goes with the first one?",
)  # fmt: skip


@dataclass(slots=True)
class Tally:
    """What happened to all visitors."""

    seconds: list[float] = field(default_factory=list)
    opening: list[float] = field(default_factory=list)
    notices: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    mixed_up: int = 0
    """Answers that held other words than the visitor's own."""
    late: int = 0
    """Messages that could not be sent in time, since the answer before took longer than the pause."""
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def running(arguments: Sequence[str] = (), log: Path | None = None) -> Iterator[str]:
    """The shop's address, in a process of its own. Raises RuntimeError when it does not come up."""
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory(prefix="dimity-load-") as place:
        log = log or Path(place) / "app.log"
        with log.open("w") as output:
            command = [sys.executable, "app.py", "--port", str(port), *arguments]
            process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait_until_up(url, process, log)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=60)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"{url}/healthz", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.3)
    raise RuntimeError(f"the shop did not come up:\n{log.read_text()}")


def watched(url: str) -> dict[str, float]:
    """What the server says of itself."""
    text = httpx.get(f"{url}/metrics", timeout=60).text
    found = {name: re.search(rf"^{name} (\S+)", text, re.MULTILINE) for name in WATCHED}
    return {name: float(match[1]) for name, match in found.items() if match}


def drive(url: str, n_clients: int, every: float, seconds: float, tally: Tally) -> None:
    """Visitors come one after the other, spread over the first pause."""
    with httpx.Client(base_url=url, timeout=120) as client:
        page = PageMap.read(client)
    start = time.monotonic() + 0.5
    visitors = [
        threading.Thread(
            target=_visit, args=(url, page, number, start + every * number / n_clients, every, start + seconds, tally)
        )
        for number in range(n_clients)
    ]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()


def _visit(url: str, page: PageMap, number: int, begin: float, every: float, until: float, tally: Tally) -> None:
    time.sleep(max(0.0, begin - time.monotonic()))
    began = time.perf_counter()
    try:
        tab = Tab.open(url, page)
    except (httpx.HTTPError, RefusedError) as error:
        with tally.lock:
            tally.errors[type(error).__name__] += 1
        return
    with tally.lock:
        tally.opening.append(time.perf_counter() - began)
    own: list[str] = []
    turn, at = 0, begin + every
    while at < until:
        pause = at - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        words = _words(number, turn)
        _say(tab, words, own, tally)
        turn, at = turn + 1, at + every
        if time.monotonic() > at:
            with tally.lock:
                tally.late += 1
            at = time.monotonic()
    tab.close()


def _words(number: int, turn: int) -> str:
    """Visitors stand at different places of the conversation, or all would ask for what takes longest at once."""
    line = CONVERSATION[0] if turn == 0 else CONVERSATION[1 + (turn + number) % (len(CONVERSATION) - 1)]
    kind = KINDS[number // len(COLOURS) % len(KINDS)]
    return line.format(colour=COLOURS[number % len(COLOURS)], kind=kind, name=number)


def _say(tab: Tab, words: str, own: list[str], tally: Tally) -> None:
    began = time.perf_counter()
    try:
        chat = tab.say(words)
    except (httpx.HTTPError, RefusedError) as error:
        with tally.lock:
            tally.errors[f"{type(error).__name__}: {error}"[:100]] += 1
        return
    took = time.perf_counter() - began
    with tally.lock:
        if not chat:
            tally.notices[tab.notices[-1][:60] if tab.notices else "no answer"] += 1
            return
        own.append(words)
        tally.seconds.append(took)
        tally.mixed_up += not _is_own(chat, own)


def _is_own(chat: Sequence[str], own: Sequence[str]) -> bool:
    """A rollback shortens what is shown, but it never brings another's words."""
    return bool(chat) and chat[-1] == own[-1] and set(chat) <= set(own)


def report(tally: Tally, before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[str]:
    turns = len(tally.seconds)
    for name, times in (("opening", tally.opening), ("a text turn", tally.seconds)):
        if times:
            p50, p95 = np.quantile(times, (0.5, 0.95))
            yield f"{name:12} n {len(times):5}  p50 {p50:6.3f} s  p95 {p95:6.3f} s  max {max(times):6.3f} s"
    yield f"errors {sum(tally.errors.values())}  notices {sum(tally.notices.values())}  sent late {tally.late}"
    yield f"answers with another visitor's words {tally.mixed_up}"
    for words, count in (*tally.errors.items(), *tally.notices.items()):
        yield f"  {count} x {words}"
    memory, seconds = WATCHED
    if memory in after:
        yield f"server: {before[memory] / 1e6:.0f} MB before, {after[memory] / 1e6:.0f} MB after"
        spent = after[seconds] - before[seconds]
        yield f"server: {1000 * spent / max(1, turns):.0f} ms of processor time a turn, openings included"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a shop that runs; default: start one, with what follows --")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between a visitor's messages")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("arguments", nargs="*", help="for app.py, after --")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """1 if anything went wrong for a visitor."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.clients < 1 or options.every <= 0 or options.seconds <= 0:
        parser.error("--clients, --every and --seconds are positive")
    if options.url:
        return _measure(options, options.url.rstrip("/"))
    with running(options.arguments) as url:
        return _measure(options, url)


def _measure(options: argparse.Namespace, url: str) -> int:
    Tab.open(url).say("a red dress")  # what is read once is no turn's time
    before = watched(url)
    tally = Tally()
    drive(url, options.clients, options.every, options.seconds, tally)
    load, cores = os.getloadavg()[0], os.cpu_count()
    print(f"{options.clients} visitors, a message every {options.every:g} s for {options.seconds:g} s; {cores} cores")
    print(*report(tally, before, watched(url)), sep="\n")
    print(f"load of the machine, all of it: {load:.1f}")
    return 1 if tally.errors or tally.mixed_up or not tally.seconds else 0


if __name__ == "__main__":
    sys.exit(main())

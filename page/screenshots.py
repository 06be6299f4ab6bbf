"""The README's screenshots: `python -m page.screenshots` drives the real shop in a headless Chromium."""

from __future__ import annotations

import argparse
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parent.parent
ANSWERS = "#chat [data-testid=bot]:has(.message-content)"
TALK = ("a red dress for a party", "the second one in blue", "what goes with it?")
SIZES = {"screenshot.png": (1280, 860), "screenshot_phone.png": (390, 844)}
START_SECONDS = 180
WAIT = 60_000
LOADED = """[...document.querySelectorAll('#gallery img')]
  .filter(image => image.getBoundingClientRect().top < innerHeight).every(image => image.complete)"""
"""Those below the window are loaded when they are scrolled to."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m page.screenshots", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "assets", help="directory of the pictures")
    out = parser.parse_args(arguments).out
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("There is no Chromium: install chromium, or google-chrome.", file=sys.stderr)
        return 2
    with shop_running() as url:
        for path in shoot(url, browser, out):
            print(path)
    return 0


@contextmanager
def shop_running() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "app.py", "--port", str(port)], cwd=ROOT)
    try:
        wait_until_up(f"http://127.0.0.1:{port}/", process)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_until_up(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    raise SystemExit("The shop did not start; what it wrote is above.")


def shoot(url: str, browser: str, out: Path) -> Iterator[Path]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for name, (width, height) in SIZES.items():
            page = chromium.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(WAIT)
            page.goto(url)
            page.wait_for_selector("#gallery img")
            page.wait_for_timeout(1000)  # a key before the page is alive is lost
            for number, words in enumerate(TALK, 1):
                say(page, words, number)
            page.screenshot(path=out / name)
            page.close()
            yield out / name
        chromium.close()


def say(page: Page, words: str, answers: int) -> None:
    page.locator("#box textarea").fill(words)
    page.locator("#box textarea").press("Enter")
    page.wait_for_function(f"n => document.querySelectorAll('{ANSWERS}').length === n", arg=answers)
    page.wait_for_function(LOADED)
    page.wait_for_timeout(500)


if __name__ == "__main__":
    sys.exit(main())

"""Build and check the folder of a Space: `python -m hosting --out DIR`"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hosting.cold_start import cold_start
from hosting.space import LARGE, ROOT, build
from hosting.space_checks import problems, total_bytes
from retrieval import command


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m hosting", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/space"), help="the folder; default: runs/space")
    parser.add_argument("--no-start", action="store_true", help="do not start the shop from the folder")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """1 if the folder is not fit to be pushed."""
    options = _parser().parse_args(argv)
    return command.run(lambda: _make(options.out, start=not options.no_start), "the folder is as it was before")


def _make(out: Path, *, start: bool) -> int:
    names = build(ROOT, out)
    print(f"{out}: {len(names)} files, {total_bytes(out) / 1e6:.0f} MB")
    found = problems(out, LARGE)
    if start:
        started = cold_start(out)
        print(started.line())
        found += started.problems
    for problem in found:
        print(f"  {problem}")
    print("fit to be pushed" if not found else "NOT fit to be pushed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

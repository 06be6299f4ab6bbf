"""Train the encoders: `python -m retrieval.fashion_am.train STAGE ...` (needs requirements-train.txt).

Killed at any step, the same command goes on from the last checkpoint in --out. Several GPUs, or several processes on
CPUs: `torchrun --nproc_per_node N -m retrieval.fashion_am.train STAGE ...`. With glibc a step takes a third less time
when freed memory is kept: MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from retrieval import command
from retrieval.errors import DependencyError, TrainingError

PROGRAM = "python -m retrieval.fashion_am.train"
STAGES = {
    "vlp": ("retrieval.fashion_am.vlp_command", "pre-train the picture and the text tower on products and their texts"),
    "background": ("retrieval.fashion_am.background", "stage 1: a picture finds its own garment without the ground"),
    "language": ("retrieval.fashion_am.language", "stage 2: a picture finds the text of its garment"),
    "query": ("retrieval.fashion_am.query", "stage 3: a conversation finds its target"),
}
"""Stage -> its module, with `add_arguments(parser)`, which sets the defaults of --epochs and --batch, `run(arguments)`,
and, where it has sizes, `UNREAD`: for each --size the arguments that it does not read; and what it does."""


def stage_module(stage: str) -> ModuleType:
    """Raises DependencyError when a library that it needs is missing."""
    try:
        return importlib.import_module(STAGES[stage][0])
    except ModuleNotFoundError as error:
        raise as_dependency(error) from error


def as_dependency(error: ModuleNotFoundError) -> Exception:
    """The same for a person; one of our own modules that is missing stays a bug."""
    if error.name is not None and error.name.split(".")[0] == "retrieval":
        return error
    return DependencyError(f"Training needs {error.name}. Install it: pip install -r requirements-train.txt")


def positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def stage_parser(stage: str, module: ModuleType) -> argparse.ArgumentParser:
    """The options that all stages share, then the stage's own."""
    parser = argparse.ArgumentParser(prog=f"{PROGRAM} {stage}", description=module.__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("runs", stage), help="checkpoint, metrics and caches; %(default)s"
    )
    parser.add_argument("--epochs", type=positive, help="%(default)s")
    parser.add_argument("--batch", type=positive, help="rows a step, of all processes together; %(default)s")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--precision", choices=["no", "bf16"], default="no", help="mixed precision; %(default)s")
    parser.add_argument("--tensorboard", action="store_true", help="write OUT/tensorboard beside OUT/metrics.jsonl")
    module.add_arguments(parser)
    return parser


def refuse_unread(module: ModuleType, parser: argparse.ArgumentParser, argv: Sequence[str]) -> None:
    """Raises TrainingError for options on the command line that the stage would pass over at the --size asked for."""
    arguments = vars(parser.parse_args(argv))
    absent = object()
    given = vars(parser.parse_args(argv, argparse.Namespace(**dict.fromkeys(arguments, absent))))
    unread: Sequence[str] = getattr(module, "UNREAD", {}).get(arguments.get("size"), ())
    if found := [f"--{name.replace('_', '-')}" for name in unread if given[name] is not absent]:
        raise TrainingError(
            f"{parser.prog} --size {arguments['size']} does not read {', '.join(found)}: leave "
            f"{'it' if len(found) == 1 else 'them'} out, or choose the other --size."
        )


def train(argv: Sequence[str]) -> int:
    stages = "\n".join(f"  {stage:12}{text}" for stage, (_, text) in STAGES.items())
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description=f"{__doc__}\nstages (STAGE --help shows its options):\n{stages}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("stage", choices=STAGES, metavar="STAGE", help=", ".join(STAGES))
    stage: str = parser.parse_args(argv[:1]).stage
    module = stage_module(stage)
    parser = stage_parser(stage, module)
    if getattr(parser.parse_known_args(argv[1:])[0], "size", "mini") == "paper":
        parser.set_defaults(**importlib.import_module("retrieval.fashion_am.paper").defaults(stage))
    arguments = parser.parse_args(argv[1:])
    refuse_unread(module, parser, argv[1:])
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    try:
        import torch

        torch.set_num_threads(arguments.threads)
        module.run(arguments)
    except ModuleNotFoundError as error:
        raise as_dependency(error) from error
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if argv is None else argv
    return command.run(lambda: train(given), "the same command goes on from the last checkpoint")


if __name__ == "__main__":
    sys.exit(main())

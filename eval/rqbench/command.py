"""The arguments of `python -m eval rqbench`, and its run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from eval.rqbench.oracle import ENCODER
from retrieval.rq_benchmark import TASKS, TaskName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.rqbench.report import Comparison
    from eval.rqbench.scoring import Result
    from eval.rqbench.weights import Weights
    from retrieval.rq_benchmark import RQBenchmark

PUBLISHED = "published"
"""Instead of an oracle's name."""
TITLE, STEM, WEIGHTS, INDEX = "FASHION-RQ", "rqbench", "weights.json", "index"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", type=Path, help="folder of a finished FASHION-RQ benchmark")
    parser.add_argument(
        "--system", dest="systems", action="append", required=True, metavar="NAME",
        help="one of the systems, or NAME@PLACE for other weights of it; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--tasks", type=tasks_of, default=TASKS, metavar="T1,T2", help=f"some of {', '.join(TASKS)} (default: all)"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of the scores and tables; finished systems are not scored again"
    )
    parser.add_argument(
        "--oracle", default=ENCODER,
        help=f"what attribute weights are derived with: {ENCODER} (ours, the default), cross-encoder, either also "
        f"with @PLACE, or {PUBLISHED} for the paper's weights without deriving any",
    )  # fmt: skip
    parser.add_argument("--device", help="of text rankers (default: the GPU where there is one)")


def tasks_of(text: str) -> tuple[TaskName, ...]:
    """In their own order, whatever that of the words."""
    asked = [word.strip().upper() for word in text.split(",")]
    unknown = [word for word in asked if word not in TASKS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r:.40} is no task: name some of {', '.join(TASKS)}")
    return tuple(task for task in TASKS if task in asked)


def score(arguments: argparse.Namespace) -> str:
    """What a terminal shows; the tables are written besides."""
    from eval.rqbench.metrics import check_tasks
    from eval.rqbench.report import compare, text_of
    from eval.rqbench.scoring import claimed, result_of
    from eval.rqbench.systems import open_system
    from eval.runs import RunError
    from retrieval.rq_benchmark import read_rq_benchmark

    benchmark = read_rq_benchmark(arguments.benchmark)
    check_tasks(benchmark, arguments.tasks)
    if arguments.out.resolve().is_relative_to(arguments.benchmark.resolve()):
        raise RunError(f"{arguments.out} lies in the benchmark, which holds nothing else. Choose another --out.")
    with claimed(arguments.out):
        results = []
        for name in dict.fromkeys(arguments.systems):
            system = open_system(name, arguments.out / INDEX, arguments.device)
            results.append(result_of(benchmark, arguments.tasks, system, arguments.out))
        comparison = compare(benchmark, arguments.tasks, results, weights_of(benchmark, results, arguments))
        path, _ = write(comparison, arguments.out)
    return f"{text_of(comparison)}\n\nAll of it: {path}"


def weights_of(benchmark: RQBenchmark, results: Sequence[Result], arguments: argparse.Namespace) -> Weights | None:
    """None where no weights are needed, or the paper's are asked for."""
    from eval.rqbench.oracle import open_oracle
    from eval.rqbench.weights import kept_weights

    if arguments.oracle == PUBLISHED or not any(result.asked for result in results):
        return None
    return kept_weights(benchmark, open_oracle(arguments.oracle, arguments.device), arguments.out / WEIGHTS)


def write(comparison: Comparison, out: Path) -> tuple[Path, Path]:
    """rqbench.md and rqbench.json."""
    from eval.report import as_markdown
    from eval.rqbench.report import plain, sections_of
    from eval.runs import write_whole

    paths = out / f"{STEM}.md", out / f"{STEM}.json"
    write_whole(paths[0], [as_markdown(TITLE, sections_of(comparison))])
    write_whole(paths[1], [json.dumps(plain(comparison), indent=1, ensure_ascii=False, allow_nan=False)])
    return paths

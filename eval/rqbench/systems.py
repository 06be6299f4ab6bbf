"""Systems that a FASHION-RQ benchmark is scored with: what each must do, and how one is opened by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from retrieval.errors import BenchmarkError
from retrieval.text_rankers.recipes import RECIPES

if TYPE_CHECKING:
    from retrieval.rq_benchmark import RQBenchmark

Pairs = Mapping[str, Sequence[str]]
"""query_id -> item_ids."""


class System(Protocol):
    """Scores candidates of queries."""

    @property
    def name(self) -> str: ...

    @property
    def revision(self) -> str:
        """Changes with all that changes a score."""
        ...

    def score(self, benchmark: RQBenchmark, pairs: Pairs) -> Mapping[str, Sequence[float]]:
        """query_id -> scores in the order of its item_ids; higher is better.

        Raises BenchmarkError for a candidate without what the system reads.
        """
        ...


@dataclass(frozen=True, slots=True)
class Opening:
    """How a system is opened."""

    cache: Path
    """Folder for indices and vectors, outside of the benchmark, which a build would not replace with them in it."""
    place: str | None = None
    """Folder or hub name in place of the system's own."""
    device: str | None = None
    """Of text rankers; None: the GPU where there is one."""


def open_system(name: str, cache: Path, device: str | None = None) -> System:
    """name: one of `known_systems`; `NAME@PLACE` has another folder or hub checkpoint. cache: for indices and vectors.

    Raises BenchmarkError for an unknown name, EncoderError for weights that cannot be had, DependencyError for a
    library that is not installed.
    """
    kind, _, place = name.partition("@")
    if kind not in OPENED_BY:
        raise BenchmarkError(f"There is no system {kind!r:.60}. Known: {', '.join(known_systems())}.")
    return OPENED_BY[kind](name, Opening(cache, place or None, device))


def known_systems() -> tuple[str, ...]:
    return tuple(OPENED_BY)


def _bm25(name: str, opening: Opening) -> System:
    from eval.rqbench.system_lexical import Lexical

    _refuse_place(name, opening)
    return Lexical(name)


def _minilm(name: str, opening: Opening) -> System:
    from eval.rqbench.system_encoder import open_minilm

    return open_minilm(name, opening)


def _encoder_text(name: str, opening: Opening) -> System:
    from eval.rqbench.system_encoder import open_by_text

    return open_by_text(name, opening)


def _encoder_picture(name: str, opening: Opening) -> System:
    from eval.rqbench.system_encoder import open_by_picture

    return open_by_picture(name, opening)


def _encoder_both(name: str, opening: Opening) -> System:
    from eval.rqbench.system_encoder import open_by_both

    return open_by_both(name, opening)


def _agent(name: str, opening: Opening) -> System:
    from eval.rqbench.system_agent import open_agent

    return open_agent(name, opening)


def _text_ranker(name: str, opening: Opening) -> System:
    from eval.rqbench.system_words import ByWords
    from retrieval.text_rankers.opening import open_text_ranker

    ranker = open_text_ranker(name.partition("@")[0], opening.place, opening.device)
    return ByWords(name, ranker.revision, ranker.logits)


def _refuse_place(name: str, opening: Opening) -> None:
    if opening.place is not None:
        raise BenchmarkError(f"{name}: this system has no weights, and no folder to be named.")


OPENED_BY: Mapping[str, Callable[[str, Opening], System]] = {
    "bm25": _bm25,
    "minilm": _minilm,
    "encoder:text": _encoder_text,
    "encoder:picture": _encoder_picture,
    "encoder:both": _encoder_both,
    "agent": _agent,
    **dict.fromkeys(RECIPES, _text_ranker),
}

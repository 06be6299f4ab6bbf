"""Figures of a finished benchmark that no rule bounds: balance, repetition, components, what splits share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.benchmark import Benchmark, RecordedTurn

Signature = tuple[tuple[str, ...], str, str]
"""What a turn asks: its references, sorted; its words, lower-cased with white space folded; its target."""


def signature(turn: RecordedTurn) -> Signature:
    return tuple(sorted(turn.references)), fold(turn.text), turn.chosen


def fold(text: str) -> str:
    return " ".join(text.lower().split())


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts; mappings are sorted by key."""

    n_sessions: int
    n_turns: int
    n_rollbacks: int
    n_rollback_sessions: int
    """Sessions with at least one."""
    first_tasks: Mapping[str, int]
    origins: Mapping[str, int]
    n_images: int
    """Pictures that a turn shows or chooses."""
    n_shared_images: int
    """Of these, in sessions of more than one split: allowed, since the split is of retrieval relations."""
    n_targets: int
    """Distinct."""
    n_texts: int
    """Distinct, folded."""
    n_signatures: int
    """Distinct."""
    n_components: int
    """Groups of sessions that are joined by equal signatures."""
    n_single_components: int
    """Components of one session."""
    largest_component: int
    """Sessions in it."""

    @property
    def rollback_share(self) -> float:
        return self.n_rollbacks / max(1, self.n_turns)

    @property
    def repeated_text_share(self) -> float:
        """Turns whose words, folded, another turn had before."""
        return 1 - self.n_texts / max(1, self.n_turns)

    @property
    def first_task_shares(self) -> tuple[float, float]:
        """Of the rarest and of the most frequent first task that occurs."""
        counts = self.first_tasks.values()
        return min(counts, default=0) / max(1, self.n_sessions), max(counts, default=0) / max(1, self.n_sessions)

    def lines(self) -> list[str]:
        rarest, commonest = self.first_task_shares
        origins = ", ".join(f"{name} {n / max(1, self.n_turns):.1%}" for name, n in self.origins.items())
        return [
            f"{self.n_sessions:,} sessions, {self.n_turns:,} turns ({origins})",
            f"rollbacks: {self.rollback_share:.1%} of turns, in {self.n_rollback_sessions:,} sessions",
            f"first turns: each task opens {rarest:.1%} to {commonest:.1%} of the sessions",
            f"{self.n_images:,} pictures in sessions, {self.n_shared_images:,} of them in several splits",
            f"{self.n_targets:,} distinct targets, {self.repeated_text_share:.1%} of turns repeat another's words",
            f"{self.n_signatures:,} distinct signatures, {self.n_components:,} components "
            f"({self.n_single_components:,} of one session, the largest of {self.largest_component:,})",
        ]


def take_figures(benchmark: Benchmark) -> Figures:
    turns = [turn for session in benchmark.sessions for turn in session.turns]
    splits = _splits_of_images(benchmark)
    sizes, n_signatures = _components(benchmark)
    return Figures(
        n_sessions=len(benchmark.sessions),
        n_turns=len(turns),
        n_rollbacks=sum(turn.rollback_to is not None for turn in turns),
        n_rollback_sessions=sum(any(turn.rollback_to is not None for turn in s.turns) for s in benchmark.sessions),
        first_tasks=_counted(Counter(str(session.turns[0].task) for session in benchmark.sessions if session.turns)),
        origins=_counted(Counter(str(turn.origin) for turn in turns)),
        n_images=len(splits),
        n_shared_images=sum(len(names) > 1 for names in splits.values()),
        n_targets=len({turn.chosen for turn in turns}),
        n_texts=len({fold(turn.text) for turn in turns}),
        n_signatures=n_signatures,
        n_components=len(sizes),
        n_single_components=sizes.count(1),
        largest_component=max(sizes, default=0),
    )


def _counted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _splits_of_images(benchmark: Benchmark) -> dict[str, set[str]]:
    splits: dict[str, set[str]] = defaultdict(set)
    for session in benchmark.sessions:
        for turn in session.turns:
            for picture in (*turn.references, turn.chosen):
                splits[picture].add(session.split)
    return splits


def _components(benchmark: Benchmark) -> tuple[list[int], int]:
    """Sessions of each component, and the number of distinct signatures."""
    parent = list(range(len(benchmark.sessions)))
    owner: dict[Signature, int] = {}

    def root(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    for row, session in enumerate(benchmark.sessions):
        for turn in session.turns:
            parent[root(row)] = root(owner.setdefault(signature(turn), row))
    sizes = Counter(root(row) for row in range(len(parent)))
    return list(sizes.values()), len(owner)

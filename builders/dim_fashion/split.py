"""Sessions into train, val and test, so that no retrieval stands in two of them (DIM-Fashion, supplement)."""

from __future__ import annotations

import logging
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from builders.components import Components
from builders.dim_fashion.drafts import DraftSession, DraftTurn
from retrieval.benchmark import Split
from retrieval.errors import BenchmarkError

log = logging.getLogger(__name__)

SHARES: tuple[tuple[Split, int], ...] = (("train", 7), ("val", 1), ("test", 2))
OFF_BY = 0.1
"""A split further from its share than this part of it is warned of."""
Signature = tuple[tuple[str, ...], str, str]


@dataclass(frozen=True, slots=True)
class SplitSessions:
    splits: tuple[Split, ...]
    """One for each session, in their order."""
    n_signatures: int
    """Over all turns, before equal ones are counted once."""
    n_unique_signatures: int
    n_components: int
    n_singles: int
    """Components of one session."""


def signature(turn: DraftTurn) -> Signature:
    """(references, instruction without case and with single blanks, target); several references are sorted (ours).

    The words that go back to an earlier turn do not count: the retrieval is the same without them.
    """
    return tuple(sorted(turn.references)), " ".join(turn.text.lower().split()), turn.target


def split_sessions(sessions: Sequence[DraftSession], seed: int) -> SplitSessions:
    """Whole components of sessions that share a signature go, the largest first, to the split that lacks most.

    Where one component is larger than a split's share, that cannot be met, and a warning says so. Raises BenchmarkError
    when a signature ends in two splits, which would be a fault of this program.
    """
    joined = Components(len(sessions))
    first_with: dict[Signature, int] = {}
    for number, session in enumerate(sessions):
        for turn in session:
            joined.join(number, first_with.setdefault(signature(turn), number))
    members: dict[int, list[int]] = defaultdict(list)
    for number in range(len(sessions)):
        members[joined.root(number)].append(number)
    components = list(members.values())
    random.Random(seed).shuffle(components)
    components.sort(key=len, reverse=True)
    splits = _assign(components, len(sessions))
    _refuse_leaks(sessions, splits)
    return SplitSessions(
        splits=splits,
        n_signatures=sum(map(len, sessions)),
        n_unique_signatures=len(first_with),
        n_components=len(components),
        n_singles=sum(len(component) == 1 for component in components),
    )


def _assign(components: Sequence[Sequence[int]], n_sessions: int) -> tuple[Split, ...]:
    total = sum(share for _, share in SHARES)
    wanted = {name: n_sessions * share / total for name, share in SHARES}
    given = dict.fromkeys(wanted, 0)
    splits: list[Split] = ["train"] * n_sessions
    for component in components:
        name = min(wanted, key=lambda split: given[split] / wanted[split])
        given[name] += len(component)
        for number in component:
            splits[number] = name
    if off := [name for name in wanted if abs(given[name] - wanted[name]) > max(1, OFF_BY * wanted[name])]:
        largest = max(map(len, components))
        log.warning(
            "%s of %d sessions, %s: sessions that share a retrieval stay together, and the largest such group has %d. "
            "Fewer --sessions, or more data, leave smaller groups.",
            " and ".join(f"{name} has {given[name]}" for name in off),
            n_sessions,
            " and ".join(f"{wanted[name]:.0f} would be its share" for name in off),
            largest,
        )
    return tuple(splits)


def _refuse_leaks(sessions: Sequence[DraftSession], splits: Sequence[Split]) -> None:
    found: dict[Signature, Split] = {}
    for session, split in zip(sessions, splits, strict=True):
        for turn in session:
            if found.setdefault(signature(turn), split) != split:
                raise BenchmarkError(f"{signature(turn)!r:.200} stands in two splits: the build is refused.")

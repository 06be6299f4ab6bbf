"""Step 2: sessions as constrained random walks over bridge-connected instances (DIM-Fashion, Algorithm 2)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from builders.dim_fashion.drafts import DraftSession, DraftTurn
from retrieval.benchmark import Task

if TYPE_CHECKING:
    from builders.dim_fashion.bridges import Bridges
    from builders.instances import Instance

MAX_TURNS = 8
P_ROLLBACK = 0.3
MAX_PER_DATASET = 2
MAX_IN_A_ROW = 2
P_DIRECT = 0.5
"""Where the last target itself is the reference of another instance: how often that is taken before its bridges, which
are many times as many (ours)."""
FIRST_ONLY = frozenset({Task.T2I, Task.STREET2SHOP, Task.SKETCH2IMG})
"""Their queries do not come out of an earlier turn; neither do those of an outfit of several pictures."""


@dataclass(frozen=True, slots=True)
class WalkSettings:
    max_turns: int = MAX_TURNS
    p_rollback: float = P_ROLLBACK
    p_direct: float = P_DIRECT


@dataclass(slots=True)
class _Walk:
    """One session as it grows."""

    turns: list[DraftTurn] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Each turn's instance."""
    targets: list[int] = field(default_factory=list)
    """Place of each turn's target."""
    used: set[int] = field(default_factory=set)
    """Places of all query and target pictures."""
    per_dataset: Counter[str] = field(default_factory=Counter)


class Walker:
    """Draws sessions. Every draw comes from the one generator that `walk` is given, so equal seeds are equal walks."""

    def __init__(
        self, instances: Sequence[Instance], rows: Mapping[str, int], bridges: Bridges, settings: WalkSettings
    ) -> None:
        """`instances` are over pictures that stand for their duplicates (`usable`); `rows` maps image_id to its row in
        the embeddings that the bridges were found in."""
        self._instances = instances
        self._bridges = bridges
        self._settings = settings
        places = bridges.places.tolist()
        self._target = [places[rows[instance.target]] for instance in instances]
        self._references = [tuple(places[rows[r]] for r in instance.references) for instance in instances]
        self._n_used = [0] * len(instances)
        self._from: dict[int, list[int]] = defaultdict(list)
        """Place -> the instances that may follow once the user is there."""
        for number, instance in enumerate(instances):
            if can_follow(instance):
                self._from[self._references[number][0]].append(number)

    def starts(self) -> dict[Task, list[int]]:
        """Task -> instances whose target leads somewhere, in their order."""
        found: dict[Task, list[int]] = defaultdict(list)
        for number, instance in enumerate(self._instances):
            if self._leads_on(number):
                found[instance.task].append(number)
        return dict(found)

    def walk(self, start: int, rng: random.Random) -> DraftSession:
        """One session of one turn or more that begins with this instance."""
        walk = _Walk()
        self._append(walk, start)
        while len(walk.turns) < self._settings.max_turns:
            wants_back = len(walk.turns) >= 2 and rng.random() < self._settings.p_rollback
            if not (wants_back and self._go_back(walk, rng)) and not self._go_forward(walk, rng):
                break
        for number in walk.numbers:
            self._n_used[number] += 1
        return tuple(walk.turns)

    def _leads_on(self, number: int) -> bool:
        dataset = self._instances[number].dataset
        return any(
            self._instances[other].dataset != dataset and other != number
            for place in self._near(self._target[number])
            for other in self._from.get(place, ())
        )

    def _near(self, place: int) -> Iterable[int]:
        """The place itself, then those that a bridge leads to."""
        return chain((place,), self._bridges.near(place).tolist())

    def _go_forward(self, walk: _Walk, rng: random.Random) -> bool:
        at, last = walk.targets[-1], walk.turns[-1]
        options = [n for n in self._options(walk, at) if self._instances[n].dataset != last.dataset]
        if not options:
            return False
        self._append(walk, self._drawn(options, at, rng), last.target)
        return True

    def _go_back(self, walk: _Walk, rng: random.Random) -> bool:
        """False when the earlier turn that was drawn leads to no allowed modification."""
        turn_number = rng.randint(1, len(walk.turns) - 1)
        at, earlier = walk.targets[turn_number - 1], walk.turns[turn_number - 1]
        options = [n for n in self._options(walk, at) if self._instances[n].task is Task.CIR]
        if not options:
            return False
        self._append(walk, self._drawn(options, at, rng), earlier.target, turn_number)
        return True

    def _options(self, walk: _Walk, at: int) -> list[int]:
        """Instances that may come next from a place where an earlier turn led."""
        recent = [turn.task for turn in walk.turns[-MAX_IN_A_ROW:]]
        worn_out = recent[0] if len(recent) == MAX_IN_A_ROW and len(set(recent)) == 1 else None
        found: list[int] = []
        for place in self._near(at):
            if place != at and place in walk.used:
                continue
            for number in self._from.get(place, ()):
                instance = self._instances[number]
                if (
                    instance.task is not worn_out
                    and walk.per_dataset[instance.dataset] < MAX_PER_DATASET
                    and self._target[number] not in walk.used
                ):
                    found.append(number)
        return found

    def _drawn(self, options: list[int], at: int, rng: random.Random) -> int:
        """First whether to stay with the very item, then the task, then among the least used instances."""
        direct = [number for number in options if self._references[number][0] == at]
        if direct and (len(direct) == len(options) or rng.random() < self._settings.p_direct):
            options = direct
        tasks = sorted({self._instances[number].task for number in options})
        task = rng.choice(tasks)
        options = [number for number in options if self._instances[number].task is task]
        least = min(self._n_used[number] for number in options)
        # Sorted, so that cosines that differ in their last bits between machines do not decide.
        return rng.choice(sorted(number for number in options if self._n_used[number] == least))

    def _append(self, walk: _Walk, number: int, picture: str = "", rollback_to: int | None = None) -> None:
        """`picture` is the earlier target that the turn starts from."""
        instance = self._instances[number]
        walk.turns.append(
            DraftTurn(
                task=instance.task,
                dataset=instance.dataset,
                text=instance.text,
                target=instance.target,
                references=instance.references,
                instance_id=instance.instance_id,
                attribute=instance.attribute,
                positives=instance.positives,
                negatives=instance.negatives,
                rollback_to=rollback_to,
                came_from=picture if picture and picture != instance.references[0] else "",
            )
        )
        walk.numbers.append(number)
        walk.targets.append(self._target[number])
        walk.used.update((*self._references[number], self._target[number]))
        walk.per_dataset[instance.dataset] += 1


def can_follow(instance: Instance) -> bool:
    return instance.task not in FIRST_ONLY and len(instance.references) == 1


def draw_sessions(walker: Walker, n_sessions: int, seed: int) -> list[DraftSession]:
    """At least two turns each. The first task is drawn uniformly among those that still have fresh starts; an instance
    starts at most one session, and fewer sessions come out when the starts are used up."""
    rng = random.Random(seed)
    starts = walker.starts()
    for task in sorted(starts):
        rng.shuffle(starts[task])
    sessions: list[DraftSession] = []
    while len(sessions) < n_sessions and (tasks := sorted(task for task in starts if starts[task])):
        session = walker.walk(starts[rng.choice(tasks)].pop(), rng)
        if len(session) >= 2:
            sessions.append(session)
    return sessions

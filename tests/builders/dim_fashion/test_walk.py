"""The walk keeps every constraint of Algorithm 2; checked here by code of its own."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from builders.dim_fashion.bridges import dataset_masks, find_bridges
from builders.dim_fashion.usable import usable
from builders.dim_fashion.walk import Walker, WalkSettings, can_follow, draw_sessions
from builders.instances import Instance
from retrieval.benchmark import Task
from tests.builders.dim_fashion.worlds import instances_over, planted

pytest.importorskip("faiss", reason="bridges are searched by faiss-cpu (requirements-build.txt)")

N_PICTURES = 600


@pytest.fixture(scope="module")
def world():
    bridges = find_bridges(planted(N_PICTURES, 32, 60, 0.6), dataset_masks([["a", "b"]] * N_PICTURES))
    rows = {f"p/{row}": row for row in range(N_PICTURES)}
    places = {picture: int(bridges.places[row]) for picture, row in rows.items()}
    firsts = {place: f"p/{place}" for place in places.values()}
    instances, _ = usable(instances_over(N_PICTURES, 3000), places, firsts)
    return instances, rows, bridges, places


@pytest.fixture(scope="module")
def sessions(world):
    instances, rows, bridges, _ = world
    return draw_sessions(Walker(instances, rows, bridges, WalkSettings()), 400, seed=3)


def test_sessions_have_two_to_eight_turns_and_many_lengths(sessions) -> None:
    lengths = {len(session) for session in sessions}
    assert len(sessions) == 400
    assert min(lengths) == 2
    assert max(lengths) == 8
    assert len(lengths) >= 5


def test_equal_seeds_draw_equal_sessions_and_others_do_not(world, sessions) -> None:
    instances, rows, bridges, _ = world
    assert draw_sessions(Walker(instances, rows, bridges, WalkSettings()), 400, seed=3) == sessions
    assert draw_sessions(Walker(instances, rows, bridges, WalkSettings()), 400, seed=4) != sessions


def test_a_data_set_gives_at_most_two_turns(sessions) -> None:
    for session in sessions:
        assert max(Counter(turn.dataset for turn in session).values()) <= 2


def test_no_task_comes_three_times_in_a_row(sessions) -> None:
    for session in sessions:
        for at in range(len(session) - 2):
            assert len({turn.task for turn in session[at : at + 3]}) > 1


def test_no_new_picture_comes_twice(sessions, world) -> None:
    places = world[3]
    for session in sessions:
        new = [places[r] for r in session[0].references] + [places[turn.target] for turn in session]
        for turn in session[1:]:
            if turn.came_from:
                new.append(places[turn.references[0]])
        assert len(new) == len(set(new))


def test_every_turn_starts_where_the_last_or_the_turn_gone_back_to_ended(sessions, world) -> None:
    _, _, bridges, places = world
    for session in sessions:
        for number, turn in enumerate(session[1:], 2):
            earlier = session[(turn.rollback_to or number - 1) - 1].target
            if turn.came_from:
                assert turn.came_from == earlier
                assert places[turn.references[0]] in bridges.near(places[earlier])
            else:
                assert places[turn.references[0]] == places[earlier]


def test_the_first_turn_alone_may_be_words_a_sketch_or_a_street_picture(sessions) -> None:
    opening = {Task.T2I, Task.SKETCH2IMG, Task.STREET2SHOP}
    assert all(turn.task not in opening for session in sessions for turn in session[1:])
    assert {session[0].task for session in sessions} == set(Task)


def test_first_tasks_are_about_evenly_drawn(sessions) -> None:
    counts = Counter(session[0].task for session in sessions)
    assert min(counts.values()) > 0.5 * max(counts.values())


def test_rollbacks_go_to_an_earlier_turn_but_the_last_and_modify(sessions) -> None:
    backs = [(number, turn) for session in sessions for number, turn in enumerate(session, 1) if turn.rollback_to]
    assert len(backs) > 50
    assert all(turn.task is Task.CIR and 1 <= turn.rollback_to <= number - 2 for number, turn in backs)


def test_without_rollback_none_is_made(world) -> None:
    instances, rows, bridges, _ = world
    drawn = draw_sessions(Walker(instances, rows, bridges, WalkSettings(p_rollback=0.0)), 200, seed=3)
    assert not any(turn.rollback_to for session in drawn for turn in session)


def test_an_instance_starts_one_session_at_most(world) -> None:
    instances, rows, bridges, _ = world
    drawn = draw_sessions(Walker(instances, rows, bridges, WalkSettings()), 100_000, seed=3)
    first = [session[0].instance_id for session in drawn]
    assert len(first) == len(set(first))
    assert len(first) < 3000


def test_an_outfit_of_several_pictures_cannot_follow() -> None:
    one = Instance("i", Task.COMPATIBLE, "set", "shoes", "p/1", ("p/2",))
    assert can_follow(one)
    assert not can_follow(Instance("i", Task.COMPATIBLE, "set", "shoes", "p/1", ("p/2", "p/3")))


def test_least_used_instances_are_drawn_first() -> None:
    start = Instance("start", Task.T2I, "words", "a dress", "p/0")
    follow = [Instance(f"f/{n}", Task.CIR, "changes", f"in colour {n}", f"p/{n}", ("p/0",)) for n in range(1, 5)]
    rows = {f"p/{n}": n for n in range(5)}
    bridges = find_bridges(np.eye(5, dtype=np.float32), dataset_masks([["words", "changes"]] * 5))
    walker = Walker([start, *follow], rows, bridges, WalkSettings(max_turns=2))
    drawn = [walker.walk(0, random.Random(n))[1].instance_id for n in range(8)]
    assert sorted(drawn[:4]) == sorted(drawn[4:]) == ["f/1", "f/2", "f/3", "f/4"]

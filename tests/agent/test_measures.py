from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from agent.measures import OUTCOMES, Measures


def values(measures: Measures) -> dict[str, float]:
    families = text_string_to_metric_families(measures.text())
    return {"".join([sample.name, *sample.labels.values()]): sample.value for one in families for sample in one.samples}


def test_every_outcome_is_there_before_the_first_turn() -> None:
    read = values(Measures())
    assert {name: read[f"dimity_turns_total{name}"] for name in OUTCOMES} == dict.fromkeys(OUTCOMES, 0.0)


def test_times_are_those_of_answered_turns() -> None:
    measures = Measures()
    measures.turn("answered", 0.3)
    measures.turn("busy", 15.0)
    read = values(measures)
    assert (read["dimity_turn_seconds_count"], read["dimity_turn_seconds_sum"]) == (1, 0.3)
    assert (read["dimity_turn_seconds_bucket0.25"], read["dimity_turn_seconds_bucket0.5"]) == (0, 1)


def test_what_is_watched_is_asked_for_each_time() -> None:
    measures, items = Measures(), [1]
    measures.watch("dimity_items", "Items", lambda: len(items))
    assert values(measures)["dimity_items"] == 1
    items.append(2)
    assert values(measures)["dimity_items"] == 2


def test_running_turns_are_counted_even_when_they_fail() -> None:
    measures = Measures()
    try:
        with measures.running():
            assert values(measures)["dimity_turns_running"] == 1
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert values(measures)["dimity_turns_running"] == 0


def test_two_shops_in_one_process_count_apart() -> None:
    first, second = Measures(), Measures()
    first.turn("answered", 0.1)
    assert values(second)["dimity_turns_totalanswered"] == 0


def test_memory_of_the_process_is_among_them() -> None:
    assert values(Measures())["process_resident_memory_bytes"] > 1e6

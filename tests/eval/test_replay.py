"""Recorded sessions through the real agent with the real encoder, over coloured squares."""

from dataclasses import replace

import pytest

from eval.opening import Request, index_gallery, open_stage, open_system, read_requested
from eval.replay import Player, chosen_first, left_out_of, message_of
from eval.runs import TurnRecord
from retrieval.benchmark import RecordedTurn, Task
from retrieval.errors import ChatError
from retrieval.schema import Hit, Intent, Message, Plan, Query, Ranking, Reply, Session, Turn

RED, BLUE = "squares/dress-red", "squares/dress-blue"
STREET = "squares/street"


@pytest.fixture(scope="module")
def players(stages):
    return {history: Player(stage) for history, stage in stages.items()}


@pytest.fixture(scope="module")
def by_id(recorded_sessions):
    return {session.session_id: session for session in recorded_sessions}


def what(records: list[TurnRecord]) -> list[TurnRecord]:
    return [replace(record, ms=0.0) for record in records]


def first(record: TurnRecord) -> str:
    return record.hits[0].item_id


# --- messages --------------------------------------------------------------------------------------------------------


def message(stages, turn, before=None, history="recorded", picked=None):
    return message_of(stages["recorded"].benchmark, turn, before, history, picked)


def test_a_gallery_picture_is_pointed_at_and_others_are_uploaded(stages):
    pointed = message(stages, RecordedTurn(1, Task.CIR, "d", "in blue", BLUE, (RED,)))
    assert (pointed.selected, pointed.images) == (RED, ())
    shown = message(stages, RecordedTurn(1, Task.STREET2SHOP, "d", "this one", BLUE, (STREET,)))
    assert shown.selected is None
    assert [image.path.rsplit("/", 1)[1] for image in shown.images] == ["street.png"]
    assert len(message(stages, RecordedTurn(1, Task.COMPATIBLE, "d", "a bag", BLUE, (RED, BLUE))).images) == 2


def test_the_live_user_selects_what_was_picked_and_the_recorded_one_what_was_chosen(stages):
    turn = RecordedTurn(2, Task.CIR, "d", "in blue", BLUE, (RED,))
    assert message(stages, turn, RED).selected == RED
    assert message(stages, turn, RED, "live", BLUE).selected == BLUE
    assert message(stages, turn, RED, "live", None).selected is None


def test_an_upload_is_the_same_in_both_histories(stages):
    turn = RecordedTurn(1, Task.STREET2SHOP, "d", "this one", BLUE, (STREET,))
    assert message(stages, turn, None, "live") == message(stages, turn)


def test_who_goes_back_selects_nothing(stages):
    turn = RecordedTurn(3, Task.CIR, "d", "go back to turn 1 and make it blue", BLUE, (RED,), rollback_to=1)
    for history in ("recorded", "live"):
        assert message(stages, turn, "x", history, "y").selected is None
        assert message(stages, turn, "x", history, "y").images == ()


def test_the_recorded_choice_comes_first_in_what_later_turns_see():
    hits = (Hit("a", 0.9), Hit("b", 0.5))
    assert [hit.item_id for hit in chosen_first(hits, "b")] == ["b", "a"]
    assert [hit.item_id for hit in chosen_first(hits, "new")] == ["new", "a", "b"]
    assert chosen_first(hits, "new")[0].score > 0.9
    assert chosen_first((), "new") == (Hit("new", 1.0),)


# --- sessions --------------------------------------------------------------------------------------------------------


def test_every_turn_is_answered_as_recorded(players, by_id):
    records = players["recorded"].play(by_id["s1"])
    assert [record.query_id for record in records] == ["s1/1", "s1/2", "s1/3", "s1/4"]
    assert [record.intent for record in records] == ["search", "modify", "compatible", "rollback"]
    assert [first(record) for record in records[:2]] == [RED, BLUE]
    assert [record.relevant for record in records[:2]] == [{RED: 1}, {BLUE: 1}]
    assert [record.n_candidates for record in records] == [20, 19, 19, 19]
    assert all(record.ms > 0 and record.reply for record in records)


@pytest.mark.parametrize("history", ["recorded", "live"])
def test_going_back_starts_from_the_item_chosen_there(players, by_id, history):
    back = players[history].play(by_id["s1"])[3]
    assert (back.intent, back.then, back.reference_turn) == ("rollback", "modify", 1)
    assert first(back) == "squares/dress-green"


def test_going_back_finds_a_recorded_choice_that_the_agent_never_showed(players, by_id):
    """Turn 1 finds dresses only; the recorded user went on with a skirt."""
    turns = by_id["s1"].turns
    skirt = "squares/skirt-black"
    begun = replace(turns[0], chosen=skirt)
    second = replace(turns[1], references=(skirt,), chosen="squares/skirt-blue")
    back = replace(turns[3], turn_number=3, references=(skirt,))
    session = replace(by_id["s1"], turns=(begun, second, back))
    assert first(players["recorded"].play(session)[2]) == "squares/skirt-green"
    assert first(players["live"].play(session)[2]) == "squares/dress-green"


@pytest.mark.parametrize("history", ["recorded", "live"])
@pytest.mark.parametrize("session_id", ["s1", "s5"])
def test_the_choice_of_a_turn_has_no_part_in_its_ranking(players, by_id, history, session_id):
    session = by_id[session_id]
    truth = what(players[history].play(session))
    for place, turn in enumerate(session.turns):
        turns = (*session.turns[:place], replace(turn, chosen="squares/handbag-green"))
        assert what(players[history].play(replace(session, turns=turns))) == truth[: place + 1]


def test_the_recorded_choice_is_what_the_next_turn_starts_from(players, by_id):
    session = by_id["s1"]
    other = "squares/skirt-black"
    turns = (replace(session.turns[0], chosen=other), replace(session.turns[1], references=(other,)))
    changed = replace(session, turns=turns)
    assert first(players["recorded"].play(changed)[1]) == "squares/skirt-blue"
    assert first(players["live"].play(changed)[1]) == BLUE


def test_candidates_of_a_query_are_all_that_is_ranked(players, by_id, stages):
    (record,) = players["recorded"].play(by_id["s5"])
    pool = stages["recorded"].benchmark.pools["s5/1"]
    assert record.in_pool
    assert record.n_candidates == len(pool) == 8
    assert record.intent == "same_attribute"
    assert {hit.item_id for hit in record.hits} == {item for item in pool if "shirt" in item}


def test_a_failed_turn_is_recorded_and_the_session_goes_on(players, by_id):
    records = players["recorded"].play(by_id["s6"])
    assert records[1].error.startswith("MessageError: There is no turn 9")
    assert records[1].hits == ()
    assert records[1].relevant == {"squares/skirt-red": 1}
    assert first(records[2]) == "squares/skirt-black"


def test_a_query_picture_that_is_gone_fails_its_turn_alone(players, by_id, stages):
    stage = stages["recorded"]
    images = {
        **stage.benchmark.images,
        STREET: replace(stage.benchmark.images[STREET], path="gone.png"),
    }
    player = Player(replace(stage, benchmark=replace(stage.benchmark, images=images)))
    records = player.play(by_id["s2"])
    assert records[0].error.startswith("ImageError")
    assert records[1].error == ""


def test_a_bug_is_not_recorded_as_a_failure(stages, by_id):
    class Broken:
        def __getattr__(self, name):
            return getattr(stages["recorded"].planner, name)

        def understand(self, session, message, catalogue):
            if session.session_id == "s1":
                raise ZeroDivisionError
            return stages["recorded"].planner.understand(session, message, catalogue)

    with pytest.raises(ZeroDivisionError):
        Player(replace(stages["recorded"], planner=Broken())).play(by_id["s1"])


def test_a_model_that_does_not_answer_ends_the_run(stages, by_id):
    class Silent:
        manifest = stages["recorded"].encoder.manifest

        def encode_queries(self, queries):
            if any(query.references for query in queries):
                raise ChatError("The model does not answer.")
            return stages["recorded"].encoder.encode_queries(queries)

    with pytest.raises(ChatError, match="does not answer"):
        Player(replace(stages["recorded"], encoder=Silent())).play(by_id["s1"])


def test_a_turn_without_judgements_is_played_and_keeps_little(stages, by_id):
    stage = stages["recorded"]
    player = Player(replace(stage, benchmark=replace(stage.benchmark, qrels={})))
    records = player.play(by_id["s2"])
    assert [record.relevant for record in records] == [None, None]
    assert records[0].hits


# --- what is not shown again -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def words(described_folder):
    """A gallery without attributes, where no filter narrows what is ranked."""
    request = Request(described_folder)
    benchmark = read_requested(request)
    return open_stage(request, index_gallery(request, benchmark, open_system(request, benchmark)).index)


def both_ways(stage, session):
    """Without what the agent does not show again, and with it."""
    return Player(stage).play(session), Player(replace(stage, references_stay=True)).play(session)


def test_where_references_stay_they_are_ranked_by_their_cosine(words, by_id):
    session = replace(by_id["s1"], turns=by_id["s1"].turns[:2])
    judged = replace(words, benchmark=replace(words.benchmark, qrels={"s1/2": {BLUE: 1}}))
    (_, usual), (_, full) = both_ways(judged, session)
    assert RED not in [hit.item_id for hit in usual.hits]
    assert [hit for hit in full.hits if hit.item_id != RED] == list(usual.hits)
    assert (usual.n_candidates, full.n_candidates, len(full.hits)) == (19, 20, 20)
    scores = [hit.score for hit in full.hits]
    assert scores == sorted(scores, reverse=True)
    (_, cut) = Player(replace(judged, references_stay=True, depth=3)).play(session)
    assert cut.hits == full.hits[:3]


def test_what_is_put_back_has_to_pass_the_filters_as_well(stages, by_id):
    usual, full = both_ways(stages["recorded"], by_id["s1"])
    assert full[1].hits == usual[1].hits


def test_later_turns_and_outfits_are_the_same_where_references_stay(words, by_id):
    """What is put back is for the scores alone; outfits have scores of their own."""
    for usual, full in zip(*both_ways(words, by_id["s1"]), strict=True):
        assert (usual.references, usual.reply) == (full.references, full.reply)
        if usual.intent == "compatible":
            assert what([usual]) == what([full])


def test_a_relevant_item_that_the_plan_leaves_out_is_noted(stages, by_id):
    stage = stages["recorded"]
    qrels = {**stage.benchmark.qrels, "s1/2": {RED: 1, BLUE: 1}}
    changed = replace(stage.benchmark, qrels=qrels)
    assert Player(replace(stage, benchmark=changed)).play(by_id["s1"])[1].left_out == (RED,)
    staying = replace(stage, benchmark=changed, references_stay=True)
    assert Player(staying).play(by_id["s1"])[1].left_out == ()


def test_what_an_equal_plan_has_shown_is_left_out_of_what_more_finds():
    plan = Plan(Intent.MODIFY, text="dress", reference_turn=1)
    shown = Turn(1, None, Message("a dress"), replace(plan, intent=Intent.SEARCH, reference_turn=None), Reply(""),
                 Query("s/1", "dress"), Ranking("s/1", (Hit(RED, 0.2), Hit(BLUE, 0.1))))  # fmt: skip
    more = Turn(2, 1, Message("show me more"), plan, Reply(""), Query("s/2", "dress"), Ranking("s/2", ()))
    assert left_out_of(Session("s", (shown,)), more) == {RED, BLUE}
    assert left_out_of(Session("s", (shown,)), replace(more, plan=replace(plan, text="skirt"))) == set()
    assert left_out_of(Session("s", (shown,)), replace(more, ranking=None)) == set()

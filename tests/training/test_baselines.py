import json

import numpy as np
import pytest
import torch
from PIL import Image as Pillow

from retrieval.baselines.conversation_model import ModelSettings
from retrieval.baselines.encoder import KINDS, BaselineEncoder, encoded, export_baseline, open_baseline
from retrieval.baselines.mai import pruned
from retrieval.baselines.train import late_fusion
from retrieval.baselines.turn_inputs import (
    Conversations,
    StoredFeatures,
    TowerFeatures,
    TurnInput,
    turn_inputs,
)
from retrieval.benchmark import Task
from retrieval.encoders.towers import DEFAULT_FOLDER, Towers
from retrieval.errors import EncoderError, MessageError
from retrieval.fashion_am.losses import query_loss
from retrieval.fashion_am.text_trunk import TextTrunk
from retrieval.fashion_am.texts import TextBank
from retrieval.fashion_am.towers import TEXT_WIDTH
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.recorded import Example
from retrieval.schema import HistoryTurn, Image, Item, Query

DIM = 256
REQUESTS = ["a red dress", "the same in blue please", "longer", "with short sleeves", "back to turn 1, but in wool", ""]
IMAGES = [Image(f"i{number}", "") for number in range(8)]


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def towers():
    return Towers.open(DEFAULT_FOLDER)


@pytest.fixture(scope="module")
def features():
    rng = np.random.default_rng(0)
    vectors = unit(rng.normal(size=(len(IMAGES), DIM)))
    texts = unit(rng.normal(size=(len(REQUESTS), DIM)))
    lengths = [len(request.split()) + 2 for request in REQUESTS]
    states = torch.from_numpy(rng.normal(size=(sum(lengths), TEXT_WIDTH))).half()
    return StoredFeatures(
        PictureVectors({image.image_id: row for row, image in enumerate(IMAGES)}, vectors),
        dict(zip(REQUESTS, texts, strict=True)),
        TextBank(REQUESTS, np.cumsum([0, *lengths]).tolist(), states),
    )


def conversation(n_before, start=0):
    """n_before earlier turns; other words and pictures for another `start`."""
    shown = [IMAGES[(start + i) % len(IMAGES)] for i in range(n_before + 1)]
    said = [REQUESTS[(start + i) % 5] for i in range(n_before + 1)]
    history = tuple(HistoryTurn(said[i], (shown[i - 1],) if i else (), shown[i]) for i in range(n_before))
    return Query(f"s{start}/{n_before + 1}", said[-1], (shown[n_before - 1],) if n_before else (), history)


QUERIES = [conversation(n, start) for n, start in ((0, 0), (1, 1), (2, 2), (3, 3), (1, 0), (4, 4), (0, 3), (2, 0))]


def test_late_fusion_is_the_words_plus_the_mean_of_the_current_pictures(features):
    queries = [*QUERIES, Query("two", f"  {REQUESTS[2]} ", (IMAGES[1], IMAGES[5])), Query("picture", "", (IMAGES[2],))]
    found = late_fusion([Example(query, Task.CIR, "", (), None, 0) for query in queries], features)
    for query, vector in zip(queries, found, strict=True):
        parts = [features.texts([query.text.strip()])[0]] if query.text else []
        parts += [features.pictures(query.references).mean(axis=0)] if query.references else []
        np.testing.assert_allclose(vector, unit(np.sum([parts], axis=1))[0], atol=1e-7)


def model_of(kind, dropout=0.0):
    return KINDS[kind](ModelSettings(DIM, 32, dropout)).eval()


each_kind = pytest.mark.parametrize("kind", sorted(KINDS))


@each_kind
def test_eight_conversations_are_learnt_by_heart(kind, features):
    model = model_of(kind).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    candidates = torch.from_numpy(features.picture_vectors.vectors)
    target, masked = torch.arange(8), torch.zeros(8, 8, dtype=torch.bool)
    for _ in range(40):
        loss = query_loss(model.encode(QUERIES, features), candidates, target, masked)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    found = (torch.from_numpy(encoded(model.eval(), QUERIES, features)) @ candidates.T).argmax(1)
    assert found.tolist() == list(range(8))


@each_kind
def test_a_vector_depends_neither_on_its_batch_nor_on_padding(kind, features):
    model = model_of(kind)
    together = encoded(model, QUERIES, features)
    alone = np.concatenate([encoded(model, [query], features) for query in QUERIES])
    assert (together * alone).sum(1).min() > 0.9999


@each_kind
def test_dropout_ends_with_the_training(kind, features, towers):
    encoder = BaselineEncoder(model_of(kind, dropout=0.5).train(), towers, features)
    np.testing.assert_array_equal(encoder.encode_queries(QUERIES), encoder.encode_queries(QUERIES))


@each_kind
def test_earlier_turns_in_another_order_are_another_conversation(kind, features):
    one, two = (
        HistoryTurn(REQUESTS[0], (), IMAGES[0]),
        HistoryTurn(REQUESTS[1], (IMAGES[0],), IMAGES[1]),
    )
    now = {"text": REQUESTS[2], "references": (IMAGES[1],)}
    vectors = encoded(
        model_of(kind), [Query("a", **now, history=(one, two)), Query("b", **now, history=(two, one))], features
    )
    assert vectors[0] @ vectors[1] < 0.9999


@each_kind
@pytest.mark.parametrize("change", ["words", "picture"])
def test_the_first_turn_reaches_the_answer_of_the_fourth(kind, change, features):
    query = conversation(3)
    first, *others = query.history
    other = {
        "words": HistoryTurn(REQUESTS[4], first.references, first.target),
        "picture": HistoryTurn(first.text, (IMAGES[6],), first.target),
    }[change]
    changed = Query("changed", query.text, query.references, (other, *others))
    vectors = encoded(model_of(kind), [query, changed], features)
    assert vectors[0] @ vectors[1] < 0.99999


@each_kind
def test_an_empty_request_beside_a_picture_has_a_vector(kind, features):
    vectors = encoded(model_of(kind), [Query("a", "", (IMAGES[0],))], features)
    assert np.isfinite(vectors).all()


def test_the_request_as_it_was_said_is_read_where_there_is_one():
    (turn,) = turn_inputs(Query("a", "dress", request=" a  red dress"))
    assert turn == TurnInput("a red dress", ())


def test_a_turn_without_reference_shows_what_the_turn_before_led_to():
    turns = turn_inputs(Query("a", "longer", history=(HistoryTurn("a dress", (), IMAGES[3]),)))
    assert [turn.pictures for turn in turns] == [(), (IMAGES[3],)]


def test_what_conversations_begin_with_is_read_once():
    a, b, c = (TurnInput(word, ()) for word in "abc")
    forest = Conversations.of([(a, b), (a, c), (a,), (b,), (a, b)])
    assert forest.turns == (a, b, c)
    assert [(parent.tolist(), turn.tolist()) for parent, turn in forest.levels] == [([0, 0], [0, 1]), ([0, 0], [1, 2])]
    assert forest.ends.tolist() == [2, 3, 0, 1, 2]


def test_pruning_keeps_the_tokens_attended_to_most_in_their_order():
    tokens = torch.arange(4.0).expand(2, 4)[:, :, None] + torch.tensor([0.0, 10.0])[:, None, None]
    attended = torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.5, 0.1, 0.3, 0.1]])
    assert pruned(tokens, attended, 2)[:, :, 0].tolist() == [[1.0, 3.0], [10.0, 12.0]]


def test_the_state_of_mai_holds_as_many_tokens_after_any_number_of_turns(features):
    model, seen = model_of("mai"), []
    answer = model.answer
    model.answer = lambda state: seen.append(state.shape[1]) or answer(state)
    encoded(model, [conversation(4)], features)
    assert seen == [4] * 5


def exported(tmp_path, kind, model):
    export_baseline(kind, model, DEFAULT_FOLDER, tmp_path / "system", {"settings": {"n": 1}})
    return tmp_path / "system"


@each_kind
def test_an_exported_baseline_gives_the_same_vectors(kind, features, tmp_path):
    model = model_of(kind)
    opened = open_baseline(exported(tmp_path, kind, model))
    opened._features = features
    np.testing.assert_array_equal(opened.encode_queries(QUERIES), encoded(model, QUERIES, features))


def test_the_gallery_side_is_the_towers_alone(tmp_path, towers):
    folder = exported(tmp_path, "cfir", model_of("cfir"))
    opened = open_baseline(folder, towers)
    assert opened.manifest == towers.manifest
    picture = Pillow.new("RGB", (32, 40), "red")
    item = Item("a", IMAGES[0], "a")
    np.testing.assert_array_equal(opened.encode_items([item], [picture]), towers.encode_items([item], [picture]))
    card = json.loads((folder / "card.json").read_text())
    assert (card["kind"], card["name"], card["training"]) == ("cfir", "cfir", {"settings": {"n": 1}})
    assert (folder / card["base"]).resolve() == DEFAULT_FOLDER
    assert card["query_revision"] == card["sha256"]["weights.safetensors"][:16]


def test_features_computed_when_asked_for_are_those_that_a_training_stores(towers, tmp_path):
    texts = ["a red dress", "longer", "", "longer"]
    asked = TowerFeatures(towers)
    np.testing.assert_array_equal(asked.texts(texts[:2]), towers.encode_texts(texts[:2])[0])
    states, mask = asked.states(texts)
    stored, stored_mask = TextTrunk().bank(texts, tmp_path / "states.pt").batch(texts)
    assert mask.tolist() == stored_mask.tolist()
    torch.testing.assert_close(states, stored, atol=1e-3, rtol=0)


def test_a_query_of_nothing_is_refused(features, towers):
    with pytest.raises(MessageError, match="nothing to search for"):
        BaselineEncoder(model_of("dialog_manager"), towers, features).encode_queries([Query("a", " ")])


def test_a_baseline_over_other_towers_is_refused(tmp_path, towers):
    folder = exported(tmp_path, "dialog_manager", model_of("dialog_manager"))
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, "revision": "older"}))
    with pytest.raises(EncoderError, match="trained over the towers dimity-embedded older"):
        open_baseline(folder, towers)


def _no_card(folder):
    (folder / "card.json").unlink()


def _foreign_card(folder):
    _change(folder, kind="late_fusion")


def _cut_card(folder):
    (folder / "card.json").write_text((folder / "card.json").read_text()[:40])


def _cut_weights(folder):
    (folder / "weights.safetensors").write_bytes((folder / "weights.safetensors").read_bytes()[:-4])


def _other_shape(folder):
    _change(folder, model={"dim": DIM, "width": 16, "dropout": 0.0})


def _no_shape(folder):
    _change(folder, model=None)


def _change(folder, **values):
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, **values}))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_no_card, "no encoder"),
        (_foreign_card, "not the card of a trained baseline"),
        (_cut_card, "is damaged"),
        (_cut_weights, "not the file of its card.json"),
        (_other_shape, "damaged"),
        (_no_shape, "damaged"),
    ],
)
def test_a_damaged_or_foreign_folder_says_so(damage, says, tmp_path, towers):
    folder = exported(tmp_path, "dialog_manager", model_of("dialog_manager"))
    damage(folder)
    with pytest.raises(EncoderError, match=says):
        open_baseline(folder, towers)


def test_a_folder_of_something_else_is_not_written_over(tmp_path):
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / "letters.txt").write_text("dear")
    with pytest.raises(EncoderError, match="Choose another --export"):
        exported(tmp_path, "cfir", model_of("cfir"))
    assert [file.name for file in (tmp_path / "system").iterdir()] == ["letters.txt"]

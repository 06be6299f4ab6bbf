"""The residual's attention as a pointer to the pictures that a turn starts from, and the loss that teaches it."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from retrieval.benchmark import Task
from retrieval.encoders.towers import SENTENCE_DIM
from retrieval.fashion_am.context import open_template
from retrieval.fashion_am.packing import CURRENT, EARLIER
from retrieval.fashion_am.query import encode, query_vectors, train
from retrieval.fashion_am.query_encoder import START_LOGITS
from retrieval.fashion_am.query_inputs import Kept, QueryData, QuerySettings
from retrieval.fashion_am.turns import Turns
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.recorded import Example
from retrieval.schema import HistoryTurn, Image, Query
from tests.training.tiny_models import made_bank, tiny_query_encoder

DIM = 16
SETTINGS = QuerySettings(
    suffix=2, chunk=3, batch=8, negatives=4, epochs=30, warmup=2, alone_epochs=0, pointer=1.0, lora_rate=5e-3,
    head_rate=5e-3, average=0.0,
)  # fmt: skip
IMAGES = [Image(f"p{i}", f"p{i}.png") for i in range(24)]
NOW, BEFORE = (math.exp(START_LOGITS[role]) for role in (CURRENT, EARLIER))


@pytest.fixture
def data():
    return data_of(SETTINGS)


def data_of(settings):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(len(IMAGES), DIM))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    sentence = np.zeros(SENTENCE_DIM, np.float32)
    texts = {
        text: np.concatenate([vectors[i], sentence])
        for i, text in enumerate(("longer", "back to turn 1", "red dress", "in blue"))
    }
    row = {image.image_id: i for i, image in enumerate(IMAGES)}
    bank = made_bank((*texts, "1", "2", "now", "now the same item"))
    return QueryData(settings, open_template("compact"), Kept(PictureVectors(row, vectors), texts, bank))


def example(text, references=(), meant=(), history=(), target=0):
    query = Query(f"{text}/{references}", text, tuple(IMAGES[i] for i in references), history)
    right = IMAGES[target].image_id
    return Example(query, Task.CIR, right, (right,), None, 0, tuple(IMAGES[i].image_id for i in meant))


def two_turns(first, second):
    a, b = IMAGES[first], IMAGES[second]
    return (HistoryTurn("red dress", (), a), HistoryTurn("in blue", (a,), b))


EXAMPLES = [
    example("red dress"),
    example("longer", [0], [0]),
    example("longer", [1], [1], two_turns(0, 1)),
    example("back to turn 1", [1], [0], two_turns(0, 1)),
    example("", [2, 3], [2, 3]),
    example("longer", [2, 3], [3]),
    example("longer", [1], [9], two_turns(0, 1)),
]
"""The last one means a picture that its context no longer holds."""


def shares(model, data, examples):
    with torch.no_grad():
        return encode(model, data.pointed_chunks(examples))[:, DIM]


def test_what_is_meant_is_marked_among_the_pictures_of_each_chunk(data):
    chunks = data.pointed_chunks(EXAMPLES)
    assert [inputs[-1].tolist() for inputs in chunks] == [
        [[0, 0], [1, 0], [0, 1]],
        [[1, 0], [1, 1], [0, 1]],
        [[0, 0]],
    ]
    plain = data.chunks([each.query for each in EXAMPLES])
    for pointed, inputs in zip(chunks, plain, strict=True):
        assert all(torch.equal(one, other) for one, other in zip(pointed[:-1], inputs, strict=True))


def test_the_last_column_is_the_share_of_attention_on_what_is_meant(data):
    model = tiny_query_encoder(SETTINGS, DIM)
    model.encoder.residual.gain.data.zero_()  # so that a role alone decides
    both = 1 + BEFORE + NOW
    expected = [
        NOW / (1 + NOW), NOW / both, BEFORE / both, 2 * NOW / (1 + 2 * NOW),
        NOW / (1 + 2 * NOW),
    ]  # fmt: skip
    torch.testing.assert_close(shares(model, data, EXAMPLES[1:6]), torch.tensor(expected), atol=1e-5, rtol=0)


def test_where_nothing_is_meant_or_it_is_no_longer_in_the_context_the_share_is_1(data):
    model = tiny_query_encoder(SETTINGS, DIM, moved=0.1)
    found = shares(model, data, EXAMPLES)
    assert found[[0, 6]].tolist() == [1.0, 1.0]
    assert found[1:6].max() < 1
    short = data_of(replace(SETTINGS, max_tokens=9))
    assert short.packed(EXAMPLES[3].query).pictures == (IMAGES[1],)
    assert shares(model, short, EXAMPLES[3:4]).item() == 1.0


def test_vectors_are_the_same_with_and_without_the_share(data):
    model = tiny_query_encoder(SETTINGS, DIM, moved=0.1)
    with torch.no_grad():
        rows = encode(model, data.pointed_chunks(EXAMPLES))
    assert rows.shape == (len(EXAMPLES), DIM + 1)
    np.testing.assert_allclose(rows[:, :DIM], query_vectors(model, data, [each.query for each in EXAMPLES]), atol=1e-6)


def conversations():
    """Pairs with the same pictures shown, of which one goes on from the second and the other goes back to the first."""
    found = []
    for i in range(4):
        history = two_turns(2 * i, 2 * i + 1)
        found.append(example("longer", [2 * i + 1], [2 * i + 1], history, 8 + 2 * i))
        found.append(example("back to turn 1", [2 * i + 1], [2 * i], history, 9 + 2 * i))
    return found


@pytest.mark.parametrize("pointer", [1.0, 0.0])
def test_going_back_is_learned_from_the_loss_of_what_is_meant(tmp_path, pointer):
    settings = replace(SETTINGS, pointer=pointer)
    data, turns = data_of(settings), conversations()
    model = tiny_query_encoder(settings, DIM)
    before = shares(model, data, turns)
    batches = Turns([turns], data.kept.vectors, [image.image_id for image in IMAGES], 8, 4, 0)
    trained = train(model, batches, data, settings, tmp_path, {})
    losses = [json.loads(line)["loss"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert losses[-1] < 0.7 * losses[0], losses
    after = shares(trained, data, turns)
    assert before[0::2].min() > 0.9
    assert before[1::2].max() < 0.1
    if pointer:
        assert after.min() > 0.6, "each request is told from the other over the same pictures"
    else:
        assert after[1::2].max() < 0.6

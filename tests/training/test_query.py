import json
import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from retrieval.encoders.fashion_am import FashionAMEncoder
from retrieval.encoders.opening import open_encoder
from retrieval.encoders.towers import DEFAULT_FOLDER, SENTENCE_DIM
from retrieval.errors import EncoderError, MessageError
from retrieval.fashion_am import export
from retrieval.fashion_am.backbones import merged
from retrieval.fashion_am.context import open_template
from retrieval.fashion_am.export import export_query, export_towers
from retrieval.fashion_am.gradcache import grad_cached
from retrieval.fashion_am.losses import query_loss
from retrieval.fashion_am.packing import pack, texts_of, words_of
from retrieval.fashion_am.query import (
    encode,
    encode_alone,
    parameter_groups,
    query_vectors,
    train,
)
from retrieval.fashion_am.query_encoder import QueryEncoder
from retrieval.fashion_am.query_inputs import Kept, QueryData, QuerySettings
from retrieval.fashion_am.text_trunk import TextTrunk
from retrieval.fashion_am.texts import TextBank, open_tokenizer
from retrieval.fashion_am.towers import PictureTower
from retrieval.fashion_am.turns import Turns, train_pictures
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.recorded import Example
from retrieval.schema import HistoryTurn, Image, Query
from tests.training.tiny_models import made_bank, tiny_bert, tiny_query_encoder

DIM = 256
TEMPLATE = open_template("compact")
SETTINGS = QuerySettings(layers=1, suffix=3, chunk=3, batch=6, negatives=4, epochs=1, warmup=1, alone_epochs=2)


def tiny_model(settings=SETTINGS, moved=0.0):
    return tiny_query_encoder(settings, DIM, moved)


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


IMAGES = [Image(f"p{i}", f"p{i}.png") for i in range(12)]
QUERIES = [
    Query("s/1", "red dress"),
    Query("s/2", "in blue", (IMAGES[0],), (HistoryTurn("red dress", (), IMAGES[0]),)),
    Query("s/3", "back to turn 1", (IMAGES[1],),
          (HistoryTurn("red dress", (), IMAGES[0]), HistoryTurn("in blue", (IMAGES[0],), IMAGES[1]))),
    Query("s/4", "", (IMAGES[2],)),
    Query("s/5", "what goes with these two?", (IMAGES[3], IMAGES[4])),
    Query("s/6", "with long sleeves and a collar, for men", (IMAGES[5],)),
]  # fmt: skip


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    vectors = PictureVectors({image.image_id: i for i, image in enumerate(IMAGES)}, unit(rng.normal(size=(12, DIM))))
    texts = {
        query.text: np.concatenate([unit(rng.normal(size=n)) for n in (DIM, SENTENCE_DIM)])
        for query in QUERIES
        if query.text
    }
    bank = made_bank(word for query in QUERIES for word in words_of(query, TEMPLATE))
    return QueryData(SETTINGS, TEMPLATE, Kept(vectors, texts, bank))


def late_fusion(data, query):
    parts = [data.kept.features[query.text][:DIM]] if query.text else []
    if query.references:
        parts.append(data.kept.pictures(query.references).mean(0))
    return unit(np.sum(parts, axis=0))


def test_a_vector_does_not_depend_on_the_other_queries_of_its_batch(data):
    model = tiny_model(moved=0.1)
    together = query_vectors(model, data, QUERIES)
    alone = np.concatenate([query_vectors(model, data, [query]) for query in QUERIES])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def alone_vectors(model, data):
    """In the order of QUERIES."""
    with torch.no_grad():
        return torch.cat([encode_alone(model.encoder.residual, data.chunks([query])) for query in QUERIES]).numpy()


def test_an_untrained_residual_is_about_late_fusion_of_the_current_request(data):
    vectors = alone_vectors(tiny_model(), data)
    cosines = [float(vector @ late_fusion(data, query)) for vector, query in zip(vectors, QUERIES, strict=True)]
    assert min(cosines) > 0.98


def test_the_answer_is_the_sum_of_what_the_head_and_the_residual_say(data):
    model = tiny_model(moved=0.1)
    model.encoder.residual.gain.data.zero_()  # so that its attention is that of the residual alone
    head = query_vectors(model.train(), data, QUERIES)
    whole = query_vectors(model.eval(), data, QUERIES)
    np.testing.assert_allclose(whole, unit(head + alone_vectors(model, data)), atol=1e-5)
    assert (head * whole).sum(1).max() < 0.999


def test_without_the_residual_the_head_alone_speaks(data):
    settings = replace(SETTINGS, residual=False)
    vectors = query_vectors(tiny_model(settings), data, QUERIES)
    assert max(abs(vector @ late_fusion(data, query)) for vector, query in zip(vectors, QUERIES, strict=True)) < 0.5


def test_the_same_words_in_another_history_give_another_vector(data):
    model = tiny_model(moved=0.1)
    with_history, without = query_vectors(model, data, [QUERIES[1], replace(QUERIES[1], history=())])
    assert with_history @ without < 0.9999


def test_padding_on_the_left_and_on_the_right_give_the_same_vector():
    encoder = QueryEncoder(tiny_bert(), 48, 8, 3).eval()
    words, gap = torch.randn(1, 5, 48), torch.randn(1, 2, 48)
    plain = encoder(words, torch.ones(1, 5, dtype=torch.long), torch.arange(5)[None])
    for order in ((words, gap), (gap, words)):
        mask = torch.cat([torch.full((1, part.shape[1]), int(part is words)) for part in order], 1)
        padded = encoder(torch.cat(order, 1), mask, (mask.cumsum(1) - 1).clamp(min=0))
        torch.testing.assert_close(padded, plain)


def n_words(text):
    return len(text.split())


def test_what_does_not_fit_is_cut_from_the_oldest_end():
    packed, whole = (pack(QUERIES[2], TEMPLATE, n_words, size, 2) for size in (8, 100))
    assert packed.length <= 8 < whole.length
    assert packed.pictures == whole.pictures[-len(packed.pictures) :] == (IMAGES[1],)
    assert packed.parts == ("2", 0, "now", "back to turn 1")
    assert whole.parts == ("1", 0, "2", "in blue", "2", 1, "now", "back to turn 1")


def test_only_the_last_turn_is_told_in_words_and_older_ones_by_their_pictures():
    told = set(words_of(QUERIES[2], TEMPLATE))
    assert "in blue" in told
    assert "red dress" not in told
    assert pack(QUERIES[2], TEMPLATE, n_words, 100, 2).pictures == (IMAGES[0], IMAGES[1])


def test_a_long_request_leaves_room_for_its_own_picture_and_none_is_lost_from_a_short_one():
    long = replace(QUERIES[1], text="a long red dress " * 100)
    packed = pack(long, TEMPLATE, n_words, 160, 2)
    assert packed.pictures[-1:] == long.references
    assert packed.length <= 160
    assert packed.request == long.text.strip()
    assert pack(QUERIES[1], TEMPLATE, n_words, 160, 2) == pack(QUERIES[1], TEMPLATE, n_words, 1600, 2)


def test_what_was_said_is_the_text_where_the_request_is_blank():
    packed = pack(replace(QUERIES[0], request="  "), TEMPLATE, n_words, 100, 2)
    assert packed == pack(QUERIES[0], TEMPLATE, n_words, 100, 2)
    assert packed.request == QUERIES[0].text


def test_the_residual_stays_as_it_was_trained_alone_and_its_attention_learns(data, tmp_path):
    model = tiny_model()
    start = [each.detach().clone() for each in model.encoder.residual.of_its_own()]
    turns = Turns([examples()], data.kept.vectors, [image.image_id for image in IMAGES], 6, 4, 0)
    key = model.encoder.residual.key.weight.detach().clone()
    trained = train(model, turns, data, replace(SETTINGS, epochs=2), tmp_path, {})
    (residual,) = [each for name, each in trained.named_modules() if name.endswith("encoder.residual")]
    alone = torch.load(tmp_path / "alone" / "checkpoint.pt", weights_only=False)["averaged"]
    for name, value in residual.state_dict().items():
        if name.split(".")[0] in ("favour", "up", "across", "amounts", "down"):
            torch.testing.assert_close(value, alone[f"module.{name}"])
    assert any(not torch.equal(one, other) for one, other in zip(start, residual.of_its_own(), strict=True))
    assert not torch.equal(key, residual.key.weight)


def test_the_frozen_backbone_is_not_trained_and_everything_new_is(data):
    model, settings = tiny_model(), replace(SETTINGS, lora_rate=SETTINGS.head_rate / 2)
    groups = {group["lr"]: {id(each) for each in group["params"]} for group in parameter_groups(model, settings)}
    trained = set().union(*groups.values())
    frozen = {name for name, parameter in model.named_parameters() if id(parameter) not in trained}
    kept = {name for name, _ in model.named_parameters() if ".backbone." in name and "lora_" not in name}
    assert frozen == {name for name in kept if "embeddings.LayerNorm" not in name}
    assert len(groups[settings.lora_rate]) == 2 * 6
    assert {id(model.encoder.suffix), id(model.words.weight)} < groups[settings.head_rate]


def test_gradients_by_chunk_are_those_of_the_whole_batch(data):
    candidates, target = torch.from_numpy(data.kept.vectors.vectors), torch.arange(6)
    masked = torch.zeros(6, 12, dtype=torch.bool)
    found = []
    for cached in (False, True):
        model = tiny_model(moved=0.05)
        chunks = data.chunks([QUERIES[i] for i in data.by_length(QUERIES)])
        parts = [[each] for each in chunks] if cached else [chunks]
        grad_cached(lambda part, m=model: encode(m, part), parts, lambda q: query_loss(q, candidates, target, masked))
        found.append([p.grad for p in model.parameters() if p.grad is not None])
    assert len(found[0]) == len(found[1]) > 10
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-3)


def examples():
    return [
        Example(query, "cir", IMAGES[i + 6].image_id, (IMAGES[i + 6].image_id,), None, 0)
        for i, query in enumerate(QUERIES)
    ]


def test_a_few_turns_are_learned_and_a_killed_run_ends_the_same(data, tmp_path):
    settings = replace(SETTINGS, alone_epochs=40, epochs=20, lora_rate=3e-3, head_rate=3e-3)

    def trained(out, last=None):
        torch.manual_seed(0)
        turns = Turns([examples()], data.kept.vectors, [image.image_id for image in IMAGES], 6, 4, 0)
        stop = SimpleNamespace(left=last)

        def epoch(number):
            for batch in turns.epoch(number):
                if stop.left == number:
                    raise KeyboardInterrupt
                yield batch

        batches = SimpleNamespace(epoch=epoch, n_batches=turns.n_batches)
        return train(tiny_model(settings), batches, data, settings, out, {})

    whole = query_vectors(trained(tmp_path / "whole"), data, QUERIES)
    found = (whole @ data.kept.vectors.vectors.T).argmax(1)
    assert found.tolist() == [6, 7, 8, 9, 10, 11]
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "killed", last=9)
    again = query_vectors(trained(tmp_path / "killed"), data, QUERIES)
    np.testing.assert_allclose(again, whole, atol=1e-5)


def test_negatives_are_right_answers_of_training_turns_that_the_gallery_shows():
    shown = {f"p{i}": SimpleNamespace(in_gallery=i != 2) for i in range(5)}
    turn = SimpleNamespace(chosen="p1", positives=("p1", "p2", "p0"))
    assert train_pictures(SimpleNamespace(images=shown), [turn]) == ["p0", "p1"]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    from PIL import Image as PillowImage

    folder = tmp_path_factory.mktemp("pictures")
    made = []
    for i, colour in enumerate(("red", "blue", "green", "white", "black", "yellow")):
        PillowImage.new("RGB", (60 + i, 80), colour).save(folder / f"{colour}.png")
        made.append(Image(colour, str(folder / f"{colour}.png")))
    return made


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    torch.manual_seed(1)
    model = tiny_model(moved=0.1)
    out = tmp_path_factory.mktemp("systems") / "fashion_am"
    export_query(model, DEFAULT_FOLDER, TEMPLATE, SETTINGS, out, {"scores": {"success@5": 0.5}})
    return model, out


@pytest.fixture(scope="module")
def encoder(system):
    return open_encoder(system[1])


@pytest.fixture(scope="module")
def shipped():
    return open_encoder(DEFAULT_FOLDER)


def conversations(pictures):
    red, blue, green, white, *_ = pictures
    return [
        Query("a", "red dress"),
        Query("b", "", (red,)),
        Query("c", "which of these?", (red, blue)),
        Query("d", "in blue", (blue,), (HistoryTurn("a shirt", (), green), HistoryTurn("dotted", (green,), blue))),
        Query("e", "back to turn 1 " + "and on " * 20, (white,),
              tuple(HistoryTurn("again " * 9, (pictures[i],), pictures[i + 1]) for i in range(5))),
    ]  # fmt: skip


def in_torch(model, towers, pictures, queries):
    """What the model makes of queries over the vectors of these towers."""
    vectors = {image.image_id: row for image, row in towers.encode_references(pictures).items()}
    kept = Kept(
        PictureVectors({name: i for i, name in enumerate(vectors)}, np.array(list(vectors.values()))),
        {text: towers.text_features([text])[0] for query in queries for text in texts_of(query) if text},
        TextBank.encode(
            TextTrunk().tower,
            open_tokenizer(DEFAULT_FOLDER / "tokenizer.json"),
            (text for query in queries for text in words_of(query, TEMPLATE)),
        ),
    )
    data = QueryData(SETTINGS, TEMPLATE, kept)
    return query_vectors(model, data, queries)


def test_the_exported_encoder_agrees_with_the_trained_one(system, encoder, shipped, pictures):
    queries = conversations(pictures)
    assert isinstance(encoder, FashionAMEncoder)
    wanted = in_torch(system[0], shipped.towers, pictures, queries)
    assert (encoder.encode_queries(queries) * wanted).sum(1).min() > 0.999


def test_the_exported_encoder_keeps_the_contract_of_encoders(encoder, shipped, pictures):
    from retrieval.images import open_picture
    from retrieval.schema import Item

    queries = conversations(pictures)
    together = encoder.encode_queries(queries)
    assert together.shape == (5, encoder.manifest.dim)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.concatenate([encoder.encode_queries([query]) for query in queries])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert encoder.encode_queries([]).shape == (0, encoder.manifest.dim)
    items = encoder.encode_items([Item("1", pictures[0], "a name")], [open_picture(pictures[0].path)])
    np.testing.assert_allclose(items, shipped.towers.encode_pictures([open_picture(pictures[0].path)]))
    assert encoder.manifest == shipped.manifest
    with pytest.raises(MessageError, match="few words"):
        encoder.encode_queries([Query("q", " ")])


def test_what_is_unwanted_moves_the_query_away(encoder, pictures):
    plain = Query("q", "top", (pictures[0],))
    base, less_text, less_image = encoder.encode_queries(
        [plain, replace(plain, unwanted_texts=("red top",)), replace(plain, unwanted_images=(pictures[1],))]
    )
    red, blue = encoder.towers.encode_texts(["red top"])[0][0], encoder.towers.encode_references(pictures)[pictures[1]]
    expected = base - 0.5 * red
    np.testing.assert_allclose(less_text, expected / np.linalg.norm(expected), atol=1e-5)
    assert less_image @ blue < base @ blue


def test_lora_is_merged_without_changing_a_vector(data):
    model = tiny_model(moved=0.1)
    whole = merged(model).eval()
    assert not any("lora_" in name for name, _ in whole.named_parameters())
    np.testing.assert_allclose(query_vectors(whole, data, QUERIES), query_vectors(model, data, QUERIES), atol=1e-5)


def test_a_system_made_for_other_words_other_towers_or_without_its_base_is_refused(system, tmp_path):
    folder = tmp_path / "system"
    shutil.copytree(system[1], folder)
    card = json.loads((folder / "card.json").read_text("utf8"))

    def written(**changes):
        (folder / "card.json").write_text(json.dumps(card | {"base": str(DEFAULT_FOLDER)} | changes))
        return folder

    assert open_encoder(written()).manifest.revision.startswith(card["revision"])
    with pytest.raises(EncoderError, match="template"):
        open_encoder(written(template={"name": "compact", "revision": "other"}))
    with pytest.raises(EncoderError, match="restore that folder"):
        open_encoder(written(base=str(tmp_path / "nowhere")))
    with pytest.raises(EncoderError, match=r"another text\.onnx"):
        open_encoder(written(sha256=card["sha256"] | {"text.onnx": "0"}))
    with pytest.raises(EncoderError, match="does not describe a query encoder"):
        open_encoder(written(query=None))


def test_a_folder_of_something_else_is_not_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(EncoderError, match="Choose another"):
        export_query(tiny_model(), DEFAULT_FOLDER, TEMPLATE, SETTINGS, tmp_path, {})
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_adapted_picture_tower_takes_the_text_tower_of_its_base_and_goes_into_the_system_over_it(
    tmp_path, pictures, shipped, system, monkeypatch
):
    # The very file that the system's export made: tracing a model takes six seconds.
    monkeypatch.setattr(export, "write_query_onnx", lambda _, file: shutil.copyfile(system[1] / export.QUERY, file))
    export_towers(PictureTower(DIM).eval(), DEFAULT_FOLDER, tmp_path / "towers", {})
    export_query(system[0], tmp_path / "towers", TEMPLATE, SETTINGS, tmp_path / "system", {})
    late, adapted = open_encoder(tmp_path / "towers"), open_encoder(tmp_path / "system")
    assert late.manifest == adapted.manifest != shipped.manifest
    assert late.towers.text_name == adapted.towers.text_name == shipped.towers.text_name
    picture = Query("q", "", (pictures[0],))
    wanted = in_torch(system[0], late.towers, pictures, [picture])[0]
    assert adapted.encode_queries([picture])[0] @ wanted > 0.999
    assert wanted @ in_torch(system[0], shipped.towers, pictures, [picture])[0] < 0.99
    theirs = shipped.encode_queries([picture, Query("q", "red")])
    assert late.encode_queries([picture])[0] @ theirs[0] < 0.9
    np.testing.assert_allclose(late.encode_queries([Query("q", "red")])[0], theirs[1], atol=1e-5)
    (tmp_path / "towers").rename(tmp_path / "gone")
    assert open_encoder(tmp_path / "system").manifest == adapted.manifest

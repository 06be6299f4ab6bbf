"""The served model through a real server: HTTP, the chat template of the folder, transformers behind it."""

import base64
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image as Pictures

from retrieval.encoders.remote import GivenVectors, RemoteEncoder, ServerOptions
from retrieval.errors import EncoderError
from retrieval.fashion_am.chat import ChatLimits, suffix_tokens
from retrieval.fashion_am.context import open_template
from retrieval.fashion_am.qwen import ContextReader, QwenQueryEncoder, QwenSettings, open_qwen
from retrieval.fashion_am.serving import export_server, merged_weights
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.protocols import Manifest
from retrieval.schema import HistoryTurn, Image, Item, Query
from tests.training.tiny_models import save_qwen

LIMITS = ChatLimits(pictures=3, picture_tokens=8, least_tokens=2)
GALLERY = Manifest("clip", "0123", 16)
SUFFIX = 4


@pytest.fixture(scope="module")
def pictures(tmp_path_factory) -> list[Image]:
    folder = tmp_path_factory.mktemp("pictures")
    made = []
    for i, (size, colour) in enumerate(
        [((90, 120), "red"), ((64, 64), "navy"), ((50, 140), "olive"), ((99, 70), "pink")]
    ):
        Pictures.new("RGB", size, colour).save(folder / f"{i}.png")
        made.append(Image(f"picture-{i}", str(folder / f"{i}.png")))
    return made


@pytest.fixture(scope="module")
def queries(pictures) -> list[Query]:
    a, b, c, d = pictures
    return [
        Query("1/1", "a red dress"),
        Query("1/2", "longer", (a,), (HistoryTurn("a red dress", (), a),)),
        Query("2/3", "like turn 1 <|image_pad|>", (c,), (HistoryTurn("", (d,), b), HistoryTurn("shirt", (b,), c))),
        Query("3/3", "green", (a, d), (HistoryTurn("", (d,), b), HistoryTurn("shirt", (b,), c))),
    ]


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> tuple[QwenQueryEncoder, ContextReader]:
    """LoRA that does something, as after training."""
    model, processor = open_qwen(str(save_qwen(tmp_path_factory.mktemp("qwen"))), LIMITS)
    torch.manual_seed(1)
    encoder = QwenQueryEncoder(model, GALLERY.dim, QwenSettings(SUFFIX, limits=LIMITS))
    for name, parameter in encoder.named_parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.3 if "head" in name else 0.05)
    return encoder.eval(), ContextReader(processor, open_template("full"), LIMITS)


@pytest.fixture(scope="module")
def folder(trained, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("served") / "fashion-am"
    export_server(*trained, GALLERY, out, {"note": "a test"})
    return out


class Server(ThreadingHTTPServer):
    """What `vllm serve` does with the folder, through transformers: POST /pooling with a chat, states of all tokens."""

    def __init__(self, folder: Path, dtype: torch.dtype = torch.float32) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        from transformers import AutoProcessor, Qwen3_5ForConditionalGeneration

        self.model = Qwen3_5ForConditionalGeneration.from_pretrained(folder, dtype=dtype).eval()
        self.processor = AutoProcessor.from_pretrained(folder)
        self.lock = threading.Lock()
        self.bodies: list[dict] = []
        self.before_norm = self.scaled = self.short = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def states(self, messages) -> np.ndarray:
        shown = [
            Pictures.open(io.BytesIO(base64.b64decode(part["image_url"]["url"].partition("base64,")[2])))
            for message in messages for part in message["content"] if part["type"] == "image_url"
        ]  # fmt: skip
        text = self.processor.apply_chat_template(messages, tokenize=False)
        read = self.processor(text=[text], images=shown or None, return_tensors="pt")
        with self.lock, torch.no_grad():
            known = {}
            hook = self.model.model.language_model.norm.register_forward_pre_hook(
                lambda _, given: known.update(before=given[0])
            )
            after = self.model.model(**read, use_cache=False).last_hidden_state
            hook.remove()
        states = (known["before"] if self.before_norm else after)[0].float()
        states = states[: SUFFIX - 1] if self.short else states
        return (torch.nn.functional.normalize(states, dim=1) if self.scaled else states).numpy()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append({"path": self.path, **body})
        states = self.server.states(body["messages"])
        data = states.tolist()
        if body.get("encoding_format") == "base64":
            data = base64.b64encode(states.astype({"float16": "<f2"}[body["embed_dtype"]]).tobytes()).decode()
        answer = json.dumps({"object": "list", "data": [{"index": 0, "object": "pooling", "data": data}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments) -> None: ...


@pytest.fixture(scope="module")
def running(folder):
    server = Server(folder)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def server(running):
    running.before_norm = running.scaled = running.short = False
    running.bodies.clear()
    return running


@pytest.fixture(scope="module")
def items(pictures) -> GivenVectors:
    vectors = np.eye(len(pictures), GALLERY.dim, dtype=np.float32)
    return GivenVectors(PictureVectors({image.image_id: row for row, image in enumerate(pictures)}, vectors), GALLERY)


def test_suffix_embeddings_and_suffix_tokens_of_the_merged_checkpoint_give_the_same_states(trained, folder, queries):
    encoder, reader = trained
    server = Server(folder)
    server.server_close()
    for query in queries:
        ids, mask, kinds, pixels, grid = reader([query])
        with torch.no_grad():
            ours = encoder.states(ids, mask, kinds, pixels, grid)[0]
        suffix = server.processor.tokenizer.encode("".join(suffix_tokens(SUFFIX)), add_special_tokens=False)
        assert len(suffix) == SUFFIX
        ids = torch.cat([ids, torch.tensor([suffix])], 1)
        kinds = torch.nn.functional.pad(kinds, (0, SUFFIX))
        shown = {"pixel_values": pixels, "image_grid_thw": grid} if len(grid) else {}
        with torch.no_grad():
            theirs = server.model.model(input_ids=ids, mm_token_type_ids=kinds, **shown).last_hidden_state[0, -SUFFIX:]
        torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)


def test_a_query_through_a_server_has_the_vector_that_training_gave_it(trained, folder, server, items, queries):
    encoder, reader = trained
    with torch.no_grad():
        here = np.concatenate([encoder(*reader([query])).numpy() for query in queries])
    there = RemoteEncoder.open(folder, server.url, items).encode_queries(queries)
    assert there.dtype == np.float32
    assert there.shape == (len(queries), GALLERY.dim)
    assert (here * there).sum(1).min() > 0.9999
    apart = [vectors - here.mean(0) for vectors in (here, there)]  # random weights tell queries but little apart
    assert ((apart[0] * apart[1]).sum(1) / np.prod([np.linalg.norm(each, axis=1) for each in apart], 0)).min() > 0.99


def test_a_request_is_a_chat_with_pictures_as_data_urls_for_the_pooling_endpoint(folder, server, items, queries):
    RemoteEncoder.open(folder, server.url, items, check=False).encode_queries([queries[1]])
    (body,) = server.bodies
    assert body["path"] == "/pooling"
    assert {name: body[name] for name in ("model", "task", "use_activation", "encoding_format")} == {
        "model": "fashion-am", "task": "token_embed", "use_activation": False, "encoding_format": "base64",
    }  # fmt: skip
    kinds = [part["type"] for part in body["messages"][0]["content"]]
    assert kinds == ["text", "image_url", "text"]
    assert body["messages"][0]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")


def test_a_server_that_gives_the_states_before_the_final_norm_is_refused(folder, server, items):
    server.before_norm = True
    with pytest.raises(EncoderError, match="not the model of this folder"):
        RemoteEncoder.open(folder, server.url, items)


def test_a_server_that_scales_states_to_length_one_is_refused(folder, server, items):
    server.scaled = True
    with pytest.raises(EncoderError, match="use_activation"):
        RemoteEncoder.open(folder, server.url, items)


def test_a_server_that_pools_is_refused(folder, server, items):
    server.short = True
    with pytest.raises(EncoderError, match="pooling_type ALL"):
        RemoteEncoder.open(folder, server.url, items)


def test_a_server_in_16_bits_agrees(folder, items, queries, trained):
    encoder, reader = trained
    server = Server(folder, torch.bfloat16)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        there = RemoteEncoder.open(folder, server.url, items, ServerOptions(parallel=1)).encode_queries(queries)
    finally:
        server.shutdown()
        server.server_close()
    with torch.no_grad():
        here = np.concatenate([encoder(*reader([query])).numpy() for query in queries])
    assert (here * there).sum(1).min() > 0.999


def test_unwanted_pictures_push_a_query_away(folder, server, items, pictures):
    remote = RemoteEncoder.open(folder, server.url, items, check=False)
    plain, pushed = remote.encode_queries(
        [Query("1", "a red dress"), Query("1", "a red dress", unwanted_images=(pictures[0],))]
    )
    assert pushed[0] < plain[0]
    np.testing.assert_allclose(np.linalg.norm(pushed), 1, atol=1e-5)


def test_items_have_the_given_vectors_and_one_without_is_an_error(folder, server, items, pictures):
    remote = RemoteEncoder.open(folder, server.url, items, check=False)
    assert remote.manifest == GALLERY
    assert remote.encode_items([Item("a", pictures[2], "")], [Pictures.new("RGB", (2, 2))])[0, 2] == 1
    with pytest.raises(EncoderError, match="no vector"):
        remote.encode_items([Item("a", Image("other", ""), "")], [Pictures.new("RGB", (2, 2))])


def test_a_gallery_of_other_towers_is_refused(folder, server):
    other = GivenVectors(PictureVectors({}, np.zeros((0, 16), np.float32)), Manifest("clip", "4567", 16))
    with pytest.raises(EncoderError, match="trained against"):
        RemoteEncoder.open(folder, server.url, other)


def test_export_leaves_the_trained_encoder_as_it_was_and_replaces_only_exports(trained, queries, tmp_path):
    encoder, reader = trained
    with torch.no_grad():
        before = encoder(*reader(queries))
    export_server(encoder, reader, GALLERY, tmp_path / "out", {})
    export_server(encoder, reader, GALLERY, tmp_path / "out", {})
    with torch.no_grad():
        torch.testing.assert_close(encoder(*reader(queries)), before)
    assert "<|suffix_0|>" not in reader.processor.tokenizer.get_vocab()
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary" / "mine.txt").write_text("mine")
    with pytest.raises(EncoderError, match="would be replaced"):
        export_server(encoder, reader, GALLERY, tmp_path / "diary", {})


def test_suffix_tokens_find_room_in_a_vocabulary_without_spare_rows(trained, queries, tmp_path):
    encoder, reader = trained
    n_tokens = len(reader.processor.tokenizer)
    words = encoder.backbone.get_input_embeddings()
    whole, words.weight.data = words.weight.data, words.weight.data[:n_tokens]
    try:
        export_server(encoder, reader, GALLERY, tmp_path / "out", {})
    finally:
        words.weight.data = whole
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["text_config"]["vocab_size"] == n_tokens + SUFFIX


def test_merged_weights_hold_no_lora(trained):
    merged = merged_weights(trained[0].backbone)
    assert not [name for name in merged if "lora" in name or "base_layer" in name]

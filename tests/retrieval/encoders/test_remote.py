"""What a client does about servers that are away, busy, slow or wrong; `tests/training` has a real model."""

import json
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from safetensors.numpy import save_file

from retrieval.encoders.remote import GivenVectors, RemoteEncoder, ServerOptions, probe_picture
from retrieval.errors import ChatError, EncoderError, MessageError
from retrieval.fashion_am.chat import ChatLimits, fitted, fitted_size, message_of
from retrieval.fashion_am.context import open_template
from retrieval.fashion_am.vectors import PictureVectors
from retrieval.protocols import Manifest
from retrieval.schema import Image, Query

GALLERY = Manifest("clip", "0123", 3)
ITEMS = GivenVectors(PictureVectors({}, np.zeros((0, 3), np.float32)), GALLERY)
QUICK = ServerOptions(timeout_s=5, wait_s=0.01)
DRESS = [Query("1/1", "a red dress")]


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    shapes = {"norm.weight": (4,), "norm.bias": (4,), "linear.weight": (3, 4), "linear.bias": (3,)}
    save_file({name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()},
              tmp_path / "head.safetensors")  # fmt: skip
    template = open_template("full")
    card = {
        "format": 1, "kind": "fashion_am_remote", "name": "clip", "revision": "0123", "dim": 3, "suffix": 2, "width": 4,
        "template": {"name": "full", "revision": template.revision}, "pictures": 2, "picture_tokens": 8,
        "least_tokens": 2, "probe": [1.0, 0.0, 0.0],
    }  # fmt: skip
    (tmp_path / "card.json").write_text(json.dumps(card))
    return tmp_path


@pytest.fixture
def server():
    """Answers with what is put into `answers`, in their order, the last one for ever: (status, body, seconds)."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            httpd.headers.append(dict(self.headers))
            status, body, seconds = httpd.answers.pop(0) if len(httpd.answers) > 1 else httpd.answers[0]
            time.sleep(seconds)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *arguments) -> None: ...

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.answers, httpd.headers, httpd.url = [], [], f"http://127.0.0.1:{httpd.server_port}/"
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield httpd
    httpd.shutdown()
    httpd.server_close()


def states(*rows: list[float]) -> tuple[int, str, float]:
    return 200, json.dumps({"data": [{"index": 0, "data": rows}]}), 0.0


GOOD = states([9, 9, 9, 9], [1, 2, 3, 5], [3, 2, 1, -1])


def encoder(folder, server, options: ServerOptions = QUICK) -> RemoteEncoder:
    return RemoteEncoder.open(folder, server.url, ITEMS, options, check=False)


def test_the_head_reads_the_mean_of_the_last_states(folder, server):
    from safetensors.numpy import load_file

    server.answers = [GOOD]
    head = load_file(folder / "head.safetensors")
    mean = np.array([2.0, 2.0, 2.0, 2.0])
    normed = (mean - mean.mean()) / np.sqrt(mean.var() + 1e-5) * head["norm.weight"] + head["norm.bias"]
    expected = head["linear.weight"] @ normed + head["linear.bias"]
    vectors = encoder(folder, server).encode_queries(DRESS * 20)
    np.testing.assert_allclose(vectors, [expected / np.linalg.norm(expected)] * 20, atol=1e-6)


TOWARDS = {"no collar": [1.0, 0.0, 0.0], "not red": [0.0, 0.6, 0.8]}
WITHOUT = replace(DRESS[0], unwanted_texts=("no collar", " ", "not red"))


class ReadingGallery(GivenVectors):
    """Its text tower knows a few words, its picture tower looks at nothing."""

    def encode_queries(self, queries):
        return np.array([TOWARDS[query.text] for query in queries], np.float32)

    def encode_items(self, items, pictures):
        return np.array([[0.0, 1.0, 0.0]] * len(items), np.float32)


def test_unwanted_words_move_a_query_away_by_the_gallerys_text_tower(folder, server):
    server.answers = [GOOD]
    gallery = ReadingGallery(PictureVectors({}, np.zeros((0, 3), np.float32)), GALLERY)
    remote = RemoteEncoder.open(folder, server.url, gallery, QUICK, check=False)
    plain, moved = remote.encode_queries([DRESS[0], WITHOUT])
    expected = plain - 0.5 * np.mean(list(TOWARDS.values()), axis=0)
    np.testing.assert_allclose(moved, expected / np.linalg.norm(expected), atol=1e-6)
    assert len(server.headers) == 2, "the words are not sent"


def test_unwanted_words_and_pictures_count_the_same(folder, server, tmp_path):
    server.answers = [GOOD]
    probe_picture().save(tmp_path / "a.png")
    gallery = ReadingGallery(PictureVectors({}, np.zeros((0, 3), np.float32)), GALLERY)
    remote = RemoteEncoder.open(folder, server.url, gallery, QUICK, check=False)
    both = replace(DRESS[0], unwanted_texts=("no collar",), unwanted_images=(Image("a", str(tmp_path / "a.png")),))
    plain, moved = remote.encode_queries([DRESS[0], both])
    expected = plain - 0.5 * np.array([0.5, 0.5, 0.0])
    np.testing.assert_allclose(moved, expected / np.linalg.norm(expected), atol=1e-6)


def test_unwanted_words_are_read_by_the_server_where_the_gallery_has_no_text_tower(folder, server):
    server.answers = [GOOD, states([4, 1, 1, 2], [1, 5, 2, 2])]
    remote = encoder(folder, server, ServerOptions(parallel=1, wait_s=0.01))
    (moved,) = remote.encode_queries([replace(DRESS[0], unwanted_texts=("no collar",))])
    server.answers = [GOOD]
    plain = encoder(folder, server).encode_queries(DRESS)[0]
    server.answers = [states([4, 1, 1, 2], [1, 5, 2, 2])]
    words = encoder(folder, server).encode_queries([Query("", "no collar")])[0]
    expected = plain - 0.5 * words
    np.testing.assert_allclose(moved, expected / np.linalg.norm(expected), atol=1e-6)


def test_a_busy_server_is_asked_again_and_a_key_is_sent(folder, server):
    server.answers = [(503, "loading", 0), (429, "busy", 0), GOOD]
    encoder(folder, server, ServerOptions(wait_s=0.01, api_key="secret")).encode_queries(DRESS)
    assert [headers["Authorization"] for headers in server.headers] == ["Bearer secret"] * 3


def test_attempts_are_bounded(folder, server):
    server.answers = [(500, "out of memory", 0)]
    with pytest.raises(ChatError, match=r"3 attempts \(500: out of memory\)"):
        encoder(folder, server).encode_queries(DRESS)
    assert len(server.headers) == 3


def test_a_query_that_is_refused_is_not_sent_again(folder, server):
    server.answers = [(400, '{"error": "longer than 4096 tokens"}', 0)]
    with pytest.raises(EncoderError, match=r"refuses a query with 400.*longer than 4096"):
        encoder(folder, server).encode_queries(DRESS)
    assert len(server.headers) == 1


def test_a_server_that_is_away_or_too_slow_is_named(folder, server):
    server.answers = [(200, "{}", 0.5)]
    with pytest.raises(ChatError, match="timed out"):
        encoder(folder, server, ServerOptions(timeout_s=0.1, attempts=2, wait_s=0.01)).encode_queries(DRESS)
    server.shutdown()
    server.server_close()
    with pytest.raises(ChatError, match=r"refused.*Is it running"):
        encoder(folder, server).encode_queries(DRESS)


def test_a_page_is_no_answer(folder, server):
    server.answers = [(200, "<html>", 0)]
    with pytest.raises(ChatError, match="no answer in 3 attempts"):
        encoder(folder, server).encode_queries(DRESS)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, "[]", 0), "states of 4 numbers"),
        ((200, '{"data": [{"data": "%%%"}]}', 0), "states of 4 numbers"),
        (states([1, 2, 3], [1, 2, 3]), "states of 4 numbers"),
        (states([1, 2, 3, 4]), "pooling_type ALL"),
        (states([1, 2, 3, 4], [float("nan"), 1, 1, 1]), "finite"),
        (states([1, 0, 0, 0], [0, 1, 0, 0]), "use_activation"),
    ],
)
def test_what_is_no_answer_of_the_model_is_an_error(folder, server, answer, message):
    server.answers = [answer]
    with pytest.raises(EncoderError, match=message):
        encoder(folder, server).encode_queries(DRESS)


def test_opening_asks_the_probe_and_refuses_another_model(folder, server):
    server.answers = [GOOD]
    with pytest.raises(EncoderError, match="not the model of this folder"):
        RemoteEncoder.open(folder, server.url, ITEMS, QUICK)


def test_a_query_without_words_and_pictures_is_refused_before_anything_is_sent(folder, server):
    with pytest.raises(MessageError):
        encoder(folder, server).encode_queries([Query("1/1", " ")])
    assert encoder(folder, server).encode_queries([]).shape == (0, 3)
    assert not server.headers


def test_damaged_folders_are_refused(folder, server):
    card = json.loads((folder / "card.json").read_text())
    changes = [
        ({"kind": "late_fusion"}, "kind 'late_fusion'"),
        ({"format": 9}, "format 9"),
        ({"revision": "9"}, "trained"),
    ]
    for change, message in [*changes, ({"template": {"name": "full", "revision": "0"}}, "words of context template")]:
        (folder / "card.json").write_text(json.dumps({**card, **change}))
        with pytest.raises(EncoderError, match=message):
            encoder(folder, server)
    (folder / "card.json").write_text(json.dumps({key: value for key, value in card.items() if key != "width"}))
    with pytest.raises(EncoderError, match="lacks width"):
        encoder(folder, server)
    (folder / "card.json").write_text(json.dumps(card))
    (folder / "head.safetensors").write_bytes(b"nothing")
    with pytest.raises(EncoderError, match="no retrieval head"):
        encoder(folder, server)


@pytest.mark.parametrize("size", [(1, 1), (40, 1600), (1024, 768), (33, 31), (200, 200), (1600, 40)])
@pytest.mark.parametrize("limits", [ChatLimits(), ChatLimits(2, 8, 2), ChatLimits(1, 1, 1)])
def test_a_fitted_picture_is_within_the_limits_and_is_not_fitted_again(size, limits):
    width, height = fitted_size(*size, limits)
    assert width % 32 == height % 32 == 0
    assert limits.least_tokens <= width * height / 1024 <= limits.picture_tokens
    assert fitted_size(width, height, limits) == (width, height)


def test_fitting_keeps_the_shape_where_there_is_room():
    assert fitted(probe_picture(), ChatLimits()).size == (192, 256)


def test_the_oldest_pictures_are_left_out_with_a_word():
    a, b, c = (Image(name, "") for name in "abc")
    assert message_of(("one: ", a, "two: ", b, "now: ", c), ChatLimits(pictures=2)) == (
        "one: (no longer shown)\ntwo: ", b, "now: ", c,
    )  # fmt: skip
    assert message_of((a, b, c), ChatLimits(pictures=1)) == ("(no longer shown)\n(no longer shown)\n", c)

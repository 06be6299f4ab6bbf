from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agent.addresses import VARIABLE, pictures_named_in
from retrieval.errors import ImageError, MessageError
from retrieval.picture_urls import Reach
from tests.retrieval.made_pictures import PHOTO


class Server(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(PHOTO if self.path == "/photo" else b"<html>not a picture</html>")

    def log_message(self, *_args: Any) -> None:
        return


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def everywhere(site: str) -> Reach:
    return Reach(ports=frozenset({int(site.rsplit(":", 1)[1])}), allows=lambda _address: True)


def test_without_being_turned_on_an_address_is_only_words(site: str, everywhere: Reach, tmp_path: Path) -> None:
    text = f"like {site}/photo"
    assert pictures_named_in(text, tmp_path, everywhere) == (text, ())
    assert list(tmp_path.iterdir()) == []


def test_where_it_is_on_the_picture_becomes_an_upload_and_leaves_the_words(
    site: str, everywhere: Reach, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    words, pictures = pictures_named_in(f"like {site}/photo but blue", tmp_path, everywhere)
    assert words == "like but blue"
    assert [Path(picture.path).parent for picture in pictures] == [tmp_path]


def test_what_is_no_picture_is_refused(
    site: str, everywhere: Reach, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(ImageError, match="web page"):
        pictures_named_in(f"{site}/page", tmp_path, everywhere)


def test_this_machine_is_refused_even_where_it_is_on(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(ImageError, match="not a public web address"):
        pictures_named_in("http://127.0.0.1/photo", tmp_path)


def test_more_than_a_few_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    text = " ".join(f"http://127.0.0.1/{number}" for number in range(4))
    with pytest.raises(MessageError, match="at most 3"):
        pictures_named_in(text, tmp_path)

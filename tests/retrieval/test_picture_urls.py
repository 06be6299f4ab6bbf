"""A real server on this machine: every guard but the one under test lets it pass."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from retrieval import picture_urls
from retrieval.errors import ImageError
from retrieval.picture_urls import Reach, addresses_in, fetch, is_public
from tests.retrieval.made_pictures import PHOTO

LARGE = 300_000


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: list[str]

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        name, _, rest = self.path[1:].partition("/")
        getattr(self, f"give_{name}")(rest)

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def give_photo(self, _rest: str) -> None:
        self.answer(200, PHOTO)

    def give_to(self, rest: str) -> None:
        self.answer(302, Location=rest.replace("+", "://", 1))

    def give_loop(self, _rest: str) -> None:
        self.answer(302, Location="/loop")

    def give_missing(self, _rest: str) -> None:
        self.answer(404)

    def give_large(self, _rest: str) -> None:
        self.answer(200, bytes(LARGE))

    def give_unannounced(self, _rest: str) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(bytes(LARGE))

    def give_cut(self, _rest: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"short")
        self.close_connection = True

    def give_drip(self, _rest: str) -> None:
        self.send_response(200)
        self.end_headers()
        for _ in range(100):
            try:
                self.wfile.write(b".")
            except OSError:
                return
            time.sleep(0.05)

    def log_message(self, *_args: Any) -> None:
        return


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    running = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    running.asked = []  # type: ignore[attr-defined]
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def site(server: ThreadingHTTPServer) -> str:
    server.asked.clear()  # type: ignore[attr-defined]
    return f"http://127.0.0.1:{server.server_port}"


def everywhere(site: str, **limits: Any) -> Reach:
    return Reach(ports=frozenset({int(site.rsplit(":", 1)[1])}), **{"allows": lambda _address: True, **limits})


def test_a_picture_is_fetched_as_it_is(site: str) -> None:
    assert fetch(f"{site}/photo", everywhere(site)) == PHOTO


def test_a_redirect_is_followed(site: str) -> None:
    assert fetch(f"{site}/to//photo", everywhere(site)) == PHOTO


def test_letters_beyond_ascii_are_encoded(site: str, server: Any) -> None:
    assert fetch(f"{site}/photo/kleid grün.jpg?größe=2", everywhere(site)) == PHOTO
    assert server.asked == ["/photo/kleid%20gr%C3%BCn.jpg?gr%C3%B6%C3%9Fe=2"]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1",
        "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "2002:7f00:1::", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "2001:db8::1",
    ],
)  # fmt: skip
def test_an_address_that_only_some_can_reach_is_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_an_address_that_all_can_reach_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "[::1]"])
def test_this_machine_is_never_asked_however_it_is_spelt(host: str, site: str, server: Any) -> None:
    port = server.server_port
    with pytest.raises(ImageError, match=r"not a public web address|could not be fetched"):
        fetch(f"http://{host}:{port}/photo", Reach(ports=frozenset({port})))
    assert server.asked == []


def test_a_redirect_to_what_is_not_public_is_refused(site: str, server: Any) -> None:
    """The first host is allowed as if it were public; where it leads is not."""
    reach = everywhere(site, allows=lambda address: str(address) == "127.0.0.1")
    with pytest.raises(ImageError, match="not a public web address"):
        fetch(f"{site}/to/http+127.0.0.2:{server.server_port}/photo", reach)
    assert server.asked == [f"/to/http+127.0.0.2:{server.server_port}/photo"]


@pytest.mark.parametrize("place", ["file+/etc/passwd", "ftp+127.0.0.1/x", "gopher+127.0.0.1/x"])
def test_a_redirect_to_another_scheme_is_refused(place: str, site: str) -> None:
    with pytest.raises(ImageError, match="only fetched from http"):
        fetch(f"{site}/to/{place}", everywhere(site))


def test_the_connection_goes_to_the_address_that_was_checked(
    site: str, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers with another address when it is asked again would pass a check that is made before."""
    answers = iter(["127.0.0.1", "10.1.2.3", "10.1.2.3"])

    def look_up(host: str, port: int, *_args: Any, **_kwargs: Any) -> list[Any]:
        address = next(answers) if host == "shop.example" else host
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(picture_urls.socket, "getaddrinfo", look_up)
    reach = everywhere(site, allows=lambda address: str(address) == "127.0.0.1")
    assert fetch(f"http://shop.example:{server.server_port}/photo", reach) == PHOTO
    assert next(answers) == "10.1.2.3", "the name was looked up more than once"


def test_a_host_with_one_address_that_is_not_public_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("8.8.8.8", "192.168.0.1")]
    monkeypatch.setattr(picture_urls.socket, "getaddrinfo", lambda *_args, **_kwargs: both)
    with pytest.raises(ImageError, match="not a public"):
        fetch("http://mixed.example/x.jpg")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://example.org/a.jpg", "data:image/png;base64,AAAA", "javascript:alert(1)", "//x/y",
        "http://", "http:///a.jpg", "http://user:secret@example.org/a.jpg", "http://example.org:22/a.jpg",
        "http://example.org:99999/a.jpg", "http://[::1/a.jpg", "http://" + "a" * 70 + ".example/x",
        "http://example.org/" + "a" * 3000, "http://\ud800.example/",
    ],
)  # fmt: skip
def test_what_is_no_plain_web_address_is_refused_before_anything_is_asked(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_urls.socket, "getaddrinfo", lambda *_args, **_kwargs: pytest.fail("looked up"))
    with pytest.raises(ImageError) as refused:
        fetch(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["large", "unannounced"])
def test_a_file_that_is_too_large_is_refused(name: str, site: str) -> None:
    with pytest.raises(ImageError, match="larger than"):
        fetch(f"{site}/{name}", everywhere(site, max_bytes=LARGE - 1))
    assert len(fetch(f"{site}/{name}", everywhere(site, max_bytes=LARGE))) == LARGE


def test_a_file_that_drips_is_cut_off_in_time(site: str) -> None:
    began = time.monotonic()
    with pytest.raises(ImageError, match="took too long"):
        fetch(f"{site}/drip", everywhere(site, seconds=0.3))
    assert time.monotonic() - began < 4, "it was read to its end"


def test_a_file_that_breaks_off_is_refused(site: str) -> None:
    with pytest.raises(ImageError, match=r"broke off|could not be fetched"):
        fetch(f"{site}/cut", everywhere(site))


def test_redirects_come_to_an_end(site: str, server: Any) -> None:
    with pytest.raises(ImageError, match="more than 3 times"):
        fetch(f"{site}/loop", everywhere(site))
    assert len(server.asked) == 4


def test_a_picture_that_is_not_there_is_said_so(site: str) -> None:
    with pytest.raises(ImageError, match="status 404"):
        fetch(f"{site}/missing", everywhere(site))


def test_addresses_are_found_in_a_text_without_what_follows_them() -> None:
    text = "like https://a.example/x.jpg, but blue (see HTTP://B.example/y?z=1). And https://a.example/x.jpg!"
    assert addresses_in(text) == ["https://a.example/x.jpg", "HTTP://B.example/y?z=1"]
    assert addresses_in("file:///etc/passwd and www.example.org") == []

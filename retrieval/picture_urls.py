"""Pictures from web addresses, for those who turn them on: only from public hosts, only pictures, small and soon.

Whoever names an address makes this machine connect to it, so it must not reach what only this machine can reach. The
host's addresses are looked up once and checked, and the connection goes to the very address that was checked; a
redirect is a new address and is checked like the first.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, urljoin, urlsplit, urlunsplit

from retrieval.errors import ImageError
from retrieval.images import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_URL = 2048
CHUNK = 64 * 1024
AGENT = "dimity/0.1 (picture search)"
PORTS = {"http": 80, "https": 443}
_IN_TEXT = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
_SAFE = "/%:@!$&'()*+,;=~-._"
_EMBEDDING = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
"""IPv6 networks that lead to IPv4 addresses."""


def is_public(address: Address) -> bool:
    """Whether anybody on the internet can reach it: not private, loopback, link-local, shared, reserved, multicast."""
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in _EMBEDDING):
            return False
        inside = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if inside:
            return is_public(inside)
    return address.is_global and not address.is_multicast and not address.is_reserved


@dataclass(frozen=True, slots=True)
class Reach:
    """What may be fetched."""

    seconds: float = 10.0
    """For one picture, redirects included, name look-ups not."""
    max_bytes: int = MAX_BYTES
    redirects: int = 3
    ports: frozenset[int] = field(default_factory=lambda: frozenset(PORTS.values()))
    allows: Callable[[Address], bool] = is_public


def addresses_in(text: str) -> list[str]:
    """Web addresses in a text, in their order, each once."""
    found = (match.rstrip(".,;:!?)]}") for match in _IN_TEXT.findall(text))
    return list(dict.fromkeys(found))


def fetch(url: str, reach: Reach | None = None) -> bytes:
    """The file at a web address, whatever it holds: decoding it is up to `retrieval.images`. Raises ImageError."""
    reach = reach or Reach()
    until = time.monotonic() + reach.seconds
    for _ in range(reach.redirects + 1):
        parts = _checked(url, reach)
        try:
            answer = _ask(parts, reach, until)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ImageError(_failed(parts, time.monotonic() >= until)) from error
        if isinstance(answer, bytes):
            return answer
        url = urljoin(urlunsplit(parts), answer)
    raise ImageError(f"The picture's web address leads on more than {reach.redirects} times. Save it and add the file.")


def _checked(url: str, reach: Reach) -> SplitResult:
    """With its host and path in ASCII. Raises ImageError."""
    if len(url) > MAX_URL:
        raise ImageError("The picture's web address is too long. Save the picture and add the file.")
    try:
        parts = urlsplit(url.strip())
        scheme, port = parts.scheme.lower(), parts.port
        host = parts.hostname or ""
        if ":" not in host:
            host = host.encode("idna").decode("ascii")
    except ValueError as error:
        raise ImageError("The picture's web address is not valid. Check it, or add the picture's file.") from error
    if scheme not in PORTS or not host:
        raise ImageError("Pictures are only fetched from http and https addresses. Add the picture's file.")
    if parts.username is not None or parts.password is not None:
        raise ImageError("A web address with a name or password is not opened here. Add the picture's file.")
    if (port or PORTS[scheme]) not in reach.ports:
        raise ImageError(f"Pictures are not fetched from port {port}. Add the picture's file.")
    shown = f"[{host}]" if ":" in host else host
    path, query = quote(parts.path or "/", safe=_SAFE), quote(parts.query, safe=f"?{_SAFE}")
    return SplitResult(scheme, f"{shown}:{port or PORTS[scheme]}", path, query, "")


def _ask(parts: SplitResult, reach: Reach, until: float) -> bytes | str:
    """The file, or where it is said to be."""
    with _connected(parts, reach, until) as connection:
        target = urlunsplit(("", "", parts.path, parts.query, ""))
        headers = {"Host": _host_header(parts), "User-Agent": AGENT, "Accept": "image/*", "Accept-Encoding": "identity"}
        connection.request("GET", target, headers=headers)
        answer = connection.getresponse()
        if answer.status in {301, 302, 303, 307, 308} and (place := answer.getheader("Location")):
            return place
        if answer.status != 200:
            raise ImageError(f"{parts.hostname} does not give the picture (status {answer.status}). Add its file.")
        return _body(answer, parts, reach, until)


def _body(answer: http.client.HTTPResponse, parts: SplitResult, reach: Reach, until: float) -> bytes:
    too_large = ImageError(
        f"The picture at {parts.hostname} is larger than {reach.max_bytes // 2**20} MB. Make it smaller, add its file."
    )
    if (answer.length or 0) > reach.max_bytes:
        raise too_large
    data = bytearray()
    while chunk := answer.read1(CHUNK):
        data += chunk
        if len(data) > reach.max_bytes:
            raise too_large
        if time.monotonic() >= until:
            raise TimeoutError
    if time.monotonic() >= until:  # a connection that was cut reads like one that ended
        raise TimeoutError
    if answer.length:
        raise ImageError(f"The picture at {parts.hostname} broke off. Try again, or add its file.")
    return bytes(data)


@contextmanager
def _connected(parts: SplitResult, reach: Reach, until: float) -> Iterator[http.client.HTTPConnection]:
    """To an address that was checked. At the deadline the connection is cut, however slowly it drips."""
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    address = _resolved(host, port, reach)
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    wire: socket.socket = socket.create_connection((str(address), port), timeout=left)
    if parts.scheme == "https":
        context = ssl.create_default_context()
        wire = context.wrap_socket(wire, server_hostname=host, do_handshake_on_connect=False)
    cut = threading.Timer(left, _cut, [wire])
    cut.daemon = True
    cut.start()
    connection = http.client.HTTPConnection(host, port, timeout=left)
    try:
        if isinstance(wire, ssl.SSLSocket):
            wire.do_handshake()
        connection.sock = wire
        yield connection
    finally:
        cut.cancel()
        connection.close()
        wire.close()


def _cut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # closed meanwhile
        return


def _resolved(host: str, port: int, reach: Reach) -> Address:
    """Its first address; every address of the host must be allowed. Raises ImageError, OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(str(entry[4][0]).split("%")[0]) for entry in found]
    if not addresses or not all(map(reach.allows, addresses)):
        raise ImageError(f"{host} is not a public web address, so nothing is fetched from it. Add the picture's file.")
    return addresses[0]


def _host_header(parts: SplitResult) -> str:
    return parts.netloc.removesuffix(f":{PORTS[parts.scheme]}")


def _failed(parts: SplitResult, is_late: bool) -> str:
    if is_late:
        return f"{parts.hostname} took too long to give the picture. Save it and add the file."
    return f"The picture could not be fetched from {parts.hostname}. Check the address, or save it and add the file."

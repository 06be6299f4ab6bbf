"""A chat-completions endpoint on this machine, for everything that asks a model."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from retrieval.chat import KEY_VARIABLE

Reply = tuple[int, str]


class ChatServer:
    """`answer` gets each request's body and returns status and content."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.answer: Callable[[dict[str, Any]], Reply] = lambda _: (200, '{"is_reasonable": "yes"}')
        self.raw: bytes | None = None
        """Sent instead, as the body."""
        self.streams = True
        """Whether it streams where it is asked to."""
        self.n_characters = 7
        """Of each piece of a stream."""
        self.pause_s = 0.0
        """Between the pieces of a stream."""
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append(body)
                endpoint.keys.append(self.headers["Authorization"])
                status, content = endpoint.answer(body)
                if body.get("stream") and endpoint.streams and status == 200 and endpoint.raw is None:
                    self._stream(content)
                    return
                message = {"role": "assistant", "content": content}
                choices = [{"index": 0, "finish_reason": "stop", "message": message}]
                good = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
                data = (
                    endpoint.raw
                    if endpoint.raw is not None
                    else json.dumps(good if status == 200 else {"error": {"message": content}}).encode()
                )
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _stream(self, content: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
                size = endpoint.n_characters
                for piece in [content[at : at + size] for at in range(0, len(content), size)]:
                    event = {**head, "choices": [{"index": 0, "delta": {"content": piece}}]}
                    try:
                        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
                        self.wfile.flush()
                    except OSError:  # nobody listens any more
                        return
                    time.sleep(endpoint.pause_s)
                self.wfile.write(b"data: [DONE]\n\n")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    made = ChatServer()
    yield made
    made.close()

"""A browser tab without a browser: what the shop's page sends over HTTP and what comes back, event by event.

A message takes the way that it takes from a real page, with the page's own event and all that it sets there: its
time is what a visitor waits for, without drawing it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

PATIENCE = 120.0
BOX, CHAT = "box", "chat"


class RefusedError(Exception):
    """The server's own words for why an event was not answered."""


@dataclass(frozen=True, slots=True)
class PageMap:
    """What a tab must know of the page: which event sends a message, and where in its answer the chat stands."""

    load: Mapping[str, Any]
    submit: Mapping[str, Any]
    ids: Mapping[str, int]
    """elem_id -> component."""
    values: Mapping[int, Any]
    """Component -> its value when the page opens."""

    @classmethod
    def read(cls, client: httpx.Client) -> PageMap:
        config = client.get("/config").raise_for_status().json()
        ids = {one["props"].get("elem_id"): one["id"] for one in config["components"] if one["props"].get("elem_id")}
        events = config["dependencies"]
        return cls(
            load=next(event for event in events if event["backend_fn"] and _has(event, "load")),
            submit=next(event for event in events if event["backend_fn"] and _has(event, "submit", ids[BOX])),
            ids=ids,
            values={one["id"]: one["props"].get("value") for one in config["components"]},
        )


def _has(event: Mapping[str, Any], kind: str, component: int | None = None) -> bool:
    return any(target[1] == kind and component in (None, target[0]) for target in event["targets"])


@dataclass(slots=True)
class Tab:
    """One visitor's page. Not for several threads at once."""

    client: httpx.Client
    page: PageMap
    session_hash: str = field(default_factory=lambda: secrets.token_hex(8))
    notices: list[str] = field(default_factory=list)
    """Warnings that the page would have shown, oldest first."""

    @classmethod
    def open(cls, url: str, page: PageMap | None = None) -> Tab:
        """Opens the page and waits until it has loaded."""
        client = httpx.Client(
            base_url=url, timeout=PATIENCE, verify=False
        )  # a context for TLS takes longer than a turn
        client.get("/").raise_for_status()
        tab = cls(client, page or PageMap.read(client))
        tab.fire(tab.page.load, {})
        return tab

    def say(self, words: str) -> list[str]:
        """All that the visitor has said in the conversation, as the page then shows it; empty for a notice alone."""
        answer = self.fire(self.page.submit, {self.page.ids[BOX]: {"text": words, "files": []}})
        chat = answer.get(self.page.ids[CHAT])
        return said(chat) if isinstance(chat, list) else []

    def fire(self, event: Mapping[str, Any], changed: Mapping[int, Any]) -> dict[int, Any]:
        """What an event sets: component -> value. Raises RefusedError, httpx.HTTPError."""
        data = [changed.get(component, self.page.values.get(component)) for component in event["inputs"]]
        call = {"fn_index": event["id"], "data": data, "event_data": None, "session_hash": self.session_hash}
        asked = self.client.post("/gradio_api/queue/join", json={**call, "trigger_id": None})
        if asked.status_code != 200:
            raise RefusedError(f"{asked.status_code}: {asked.text[:200]}")
        return dict(zip(event["outputs"], self._answer(asked.json()["event_id"]), strict=False))

    def close(self) -> None:
        self.client.close()

    def _answer(self, event_id: str) -> Sequence[Any]:
        with self.client.stream("GET", "/gradio_api/queue/data", params={"session_hash": self.session_hash}) as lines:
            for line in lines.iter_lines():
                note = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
                if note.get("event_id") not in (None, event_id):
                    continue
                if note.get("msg") == "log":
                    self.notices.append(str(note.get("log")))
                if note.get("msg") == "process_completed":
                    if not note["success"]:
                        raise RefusedError(str(note["output"].get("error"))[:200])
                    data: Sequence[Any] = note["output"]["data"]
                    return data
        raise RefusedError("the answer broke off")


def said(chat: Sequence[Mapping[str, Any]]) -> list[str]:
    """The visitor's own words in a chat, oldest first."""
    users = (message["content"] for message in chat if message["role"] == "user")
    return [
        " ".join(part["text"] for part in content if part["type"] == "text") if isinstance(content, list) else content
        for content in users
    ]

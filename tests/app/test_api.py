"""The endpoints for programs, over real HTTP, by Gradio's own client: what the README shows."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

pytestmark = pytest.mark.slow
GALLERY = Path(__file__).parents[2] / "assets" / "gallery"


@pytest.fixture(scope="module")
def client(app_url: str) -> Client:
    return Client(app_url, verbose=False)


def say(client: Client, text: str, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.predict(text=text, api_name="/say", **more)
    return answer


def colours(answer: dict[str, Any]) -> set[str]:
    return {item["attributes"]["colour"] for item in answer["items"]}


def test_a_conversation_goes_on_with_the_session_that_was_returned(client: Client) -> None:
    first = say(client, "a red dress")
    second = say(client, "in blue", session=first["session"])
    assert colours(first) == {"Red"}
    assert colours(second) == {"Blue"}
    assert {item["attributes"]["category"] for item in second["items"]} == {"Dress"}
    assert second["plan"]["intent"] == "modify"


def test_a_call_without_a_session_knows_nothing_of_the_one_before(client: Client) -> None:
    say(client, "a red dress")
    assert len({item["attributes"]["category"] for item in say(client, "in blue")["items"]}) > 1


def test_an_item_and_a_picture_are_sent_along(client: Client) -> None:
    chosen = say(client, "sneakers")["items"][0]
    picture = base64.b64encode(next(GALLERY.rglob("*.webp"), next(GALLERY.rglob("*.png"), Path())).read_bytes())
    assert chosen["id"] not in {item["id"] for item in say(client, "what goes with it", item=chosen["id"])["items"]}
    assert say(client, "", pictures=[picture.decode()])["items"]


def test_similar_items_are_found_by_an_items_name(client: Client) -> None:
    chosen = say(client, "sneakers")["items"][0]
    found = client.predict(item=chosen["id"], api_name="/similar")["items"]
    assert len(found) == 6
    assert chosen["id"] not in {item["id"] for item in found}


@pytest.mark.parametrize(
    ("text", "more", "told"),
    [
        ("", {}, "Type what you are looking for"),
        ("this", {"item": "nothing"}, "no longer shown"),
        ("this", {"pictures": ["/etc/passwd"]}, "base64"),
        ("this", {"pictures": ["aGVsbG8="]}, "not a picture"),
        ("this", {"session": "{}"}, "not the header"),
    ],
)
def test_what_cannot_be_answered_is_said(client: Client, text: str, more: dict[str, Any], told: str) -> None:
    with pytest.raises(AppError, match=told):
        say(client, text, **more)

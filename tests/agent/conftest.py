"""Two small galleries that speak different languages: the studio's words with prices, and those of a real catalogue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image as Pillow

from agent.assistant import Assistant
from agent.planners.rules import RulesPlanner
from agent.protocols import Catalogue
from agent.retrieval_step import catalogue_of
from retrieval.encoders.hashing import HashingEncoder
from retrieval.retriever import Retriever
from retrieval.schema import Attributes, Image, Item, Message, Session, Turn
from retrieval.stores.memory import MemoryStore

COLOURS = {
    "Red": (200, 20, 20),
    "Blue": (20, 40, 200),
    "Navy Blue": (10, 10, 80),
    "Black": (10, 10, 10),
    "White": (245, 245, 245),
    "Off White": (240, 235, 220),
    "Green": (10, 150, 30),
    "Brown": (120, 70, 20),
}
STUDIO_KINDS: dict[str, dict[str, str]] = {
    "Dress": {"neckline": "V-Neck", "sleeves": "Short Sleeves", "length": "Mini", "pattern": "Floral"},
    "T-shirt": {"neckline": "Crew Neck", "sleeves": "Short Sleeves", "pattern": "Solid", "material": "Cotton"},
    "Trousers": {"length": "Full Length", "fit": "Slim", "material": "Linen"},
    "Sneakers": {"material": "Leather", "closure": "Laces"},
    "Handbag": {"material": "Leather"},
    "Jacket": {"sleeves": "Long Sleeves", "neckline": "Shirt Collar", "material": "Denim"},
}
REAL_KINDS = {
    "Tshirts": "Men",
    "Casual Shoes": "Men",
    "Sports Shoes": "Women",
    "Kurtas": "Women",
    "Trousers": "Men",
    "Watches": "Unisex",
    "Dresses": "Women",
    "Caps": "Unisex",
}

Chat = Callable[..., tuple[Session, Turn]]


def studio_rows() -> list[tuple[str, Attributes]]:
    rows: list[tuple[str, Attributes]] = []
    for kind, details in STUDIO_KINDS.items():
        for place, colour in enumerate(COLOURS):
            is_other = place % 2 == 1
            attributes: dict[str, str | float] = {
                "category": kind,
                "colour": colour,
                "gender": "Women" if kind == "Dress" or is_other else "Men",
                "usage": "Formal" if place % 3 == 0 else "Casual",
                "season": "Summer" if place < 4 else "Winter",
                "brand": "Acme" if is_other else "Dimity",
                "price": float(20 + 3 * len(rows)),
                **details,
            }
            if kind == "Dress" and is_other:
                attributes |= {"sleeves": "Sleeveless", "length": "Maxi", "pattern": "Solid"}
            rows.append((f"{attributes['brand']} {colour} {kind}", attributes))
    return rows


def real_rows() -> list[tuple[str, Attributes]]:
    return [
        (
            f"{kind} in {colour}",
            {"category": kind, "colour": colour, "gender": gender, "usage": "Casual", "season": "Fall"},
        )
        for kind, gender in REAL_KINDS.items()
        for colour in COLOURS
    ]


def make_items(folder: Path, rows: list[tuple[str, Attributes]]) -> list[Item]:
    """Item i has id `i000` and a picture of its own in its colour."""
    items = []
    for number, (caption, attributes) in enumerate(rows):
        picture = Pillow.new("RGB", (8, 8), COLOURS[str(attributes["colour"])])
        picture.putpixel((0, 0), (number, 3, 7))
        path = folder / f"{number:03d}.png"
        picture.save(path)
        items.append(Item(f"i{number:03d}", Image(f"picture-{number:03d}", str(path)), caption, attributes))
    return items


def make_retriever(items: list[Item]) -> Retriever:
    encoder = HashingEncoder()
    store = MemoryStore(encoder.dim)
    store.add(items, encoder.encode_items(items, [Pillow.open(item.image.path).convert("RGB") for item in items]))
    store.commit()
    return Retriever(encoder, store)


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    return make_retriever(make_items(tmp_path_factory.mktemp("studio"), studio_rows()))


@pytest.fixture(scope="session")
def detailed(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    """The studio with heels, straps and second colours."""
    details = {"Sneakers": {"heel": "Flat"}, "Handbag": {"strap": "Chain Strap", "closure": "Zip"}}
    rows: list[tuple[str, Attributes]] = []
    for caption, attributes in studio_rows():
        second = {"second_colour": "Black" if attributes["colour"] == "White" else "White"}
        rows.append((caption, {**attributes, **details.get(str(attributes["category"]), {}), **second}))
    return make_retriever(make_items(tmp_path_factory.mktemp("detailed"), rows))


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    return make_retriever(make_items(tmp_path_factory.mktemp("real"), real_rows()))


@pytest.fixture(scope="session")
def planner() -> RulesPlanner:
    return RulesPlanner()


@pytest.fixture(scope="session")
def assistant(studio: Retriever, planner: RulesPlanner) -> Assistant:
    return Assistant(studio, planner, k=8)


@pytest.fixture(scope="session")
def real_assistant(real: Retriever, planner: RulesPlanner) -> Assistant:
    return Assistant(real, planner, k=8)


@pytest.fixture(scope="session")
def catalogue(studio: Retriever) -> Catalogue:
    return catalogue_of(studio)


@pytest.fixture
def upload(tmp_path: Path) -> Image:
    """A picture that is not in the gallery, nearest to a red dress."""
    path = tmp_path / "upload.png"
    Pillow.new("RGB", (8, 8), COLOURS["Red"]).save(path)
    return Image("an-upload", str(path))


@pytest.fixture
def chat(assistant: Assistant) -> Chat:
    """Says everything in turn; the session and its last turn."""

    def said(
        *messages: str | Message, session: Session | None = None, by: Assistant = assistant
    ) -> tuple[Session, Turn]:
        current = session or Session("s")
        for message in messages:
            current = current.append(by.respond(current, message if isinstance(message, Message) else Message(message)))
        assert current.latest is not None
        return current, current.latest

    return said

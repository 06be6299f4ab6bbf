"""A small catalogue in its hierarchy, with queries: level 1 is the type, level 2 the gender, level 3 the colour."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path

from retrieval.rq_benchmark import Listing, RQQuery

TYPES = ("Shirts", "Dresses", "Watches", "Sandals")
GENDERS = ("Men", "Women", "Girls")
COLOURS = ("Red", "Blue", "Green", "Black")
N_MEMBERS = 6
N_PARAPHRASES = 3


def listings() -> dict[str, Listing]:
    """item_id -> listing; every leaf has members of different names."""
    found: dict[str, Listing] = {}
    numbers = count(1)
    for top, kind in enumerate(TYPES):
        for middle, gender in enumerate(GENDERS):
            for leaf, colour in enumerate(COLOURS):
                for _ in range(N_MEMBERS):
                    item_id = f"{next(numbers):04}"
                    name = f"{gender} {colour} {kind} {item_id}"
                    attributes = {"product_type": kind, "gender": gender, "colour": colour}
                    found[item_id] = Listing(item_id, name, name, attributes, (top, middle, leaf))
    return found


def alone(of: Mapping[str, Listing]) -> dict[str, str]:
    """Every product is its own group of duplicates."""
    return {item_id: item_id for item_id in of}


def query(leaf: str, number: int = 1, **more: str) -> RQQuery:
    """Asks for the leaf's type, gender and colour."""
    top, middle, bottom = map(int, leaf.split("/"))
    wanted = {"product_type": TYPES[top], "gender": GENDERS[middle], "colour": COLOURS[bottom], **more}
    group = leaf.replace("/", "-")
    words = f"{wanted['gender'].lower()} {wanted['colour'].lower()} {wanted['product_type'].lower()}"
    return RQQuery(f"{group}/{number:02}", group, leaf, f"{words}{' please' * (number - 1)}", wanted)


def queries(leaves: list[str]) -> list[RQQuery]:
    return [query(leaf, number) for leaf in leaves for number in range(1, N_PARAPHRASES + 1)]


def pictures(folder: Path, of: Mapping[str, Listing]) -> dict[str, Path]:
    """A file each, of different bytes."""
    folder.mkdir(exist_ok=True)
    paths = {item_id: folder / f"{item_id}.picture" for item_id in of}
    for item_id, path in paths.items():
        path.write_bytes(b"\xff\xd8\xff" + item_id.encode())
    return paths

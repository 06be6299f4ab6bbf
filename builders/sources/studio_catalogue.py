"""Which garments the studio's source has, and which pictures of each."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from builders.instances import SourceImage
from builders.studio import naming
from builders.studio.assortment import stock
from builders.studio.changes import Change, draw_change
from builders.studio.garment import Garment
from builders.studio.render import View
from retrieval.benchmark import PictureKind

KINDS: Mapping[View, PictureKind] = {
    "product": "product", "other": "product", "street": "street", "cutout": "cutout", "sketch": "sketch",
}  # fmt: skip
_OTHER_SHARE, _STREET_SHARE, _SKETCH_SHARE = 0.7, 0.5, 0.5
_TWO_WORDS_SHARE, _SECOND_COPY_SHARE = 0.35, 0.1
_FOLDER = 100
"""Garments to a folder of pictures."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One product and the pictures of it that there are."""

    name: str
    """"00017", or "00017-b" for a copy with something changed."""
    garment: Garment
    views: tuple[View, ...]
    """The product's own picture first."""
    change: Change | None = None
    """How a changed copy came from its garment."""
    base: str = ""
    """Name of that garment; its own name for a garment that was not changed."""

    def image_id(self, view: View = "product") -> str:
        return f"studio/{self.name}" + ("" if view == "product" else f"-{view}")

    def path(self, view: View = "product") -> str:
        """Relative to the source's root."""
        folder = int(self.base.split("-")[0]) // _FOLDER
        return f"{folder:03d}/{self.name}-{view}.jpg"


def pieces(n: int, seed: int) -> list[Piece]:
    """n distinct garments, each followed by its changed copies."""
    made: list[Piece] = []
    for number, garment in enumerate(stock(n, seed)):
        rng = random.Random(f"{seed} piece {number}")
        name = f"{number:05d}"
        made.append(Piece(name, garment, _views(rng), base=name))
        known = {garment}
        for letter in "bc"[: 2 if rng.random() < _SECOND_COPY_SHARE else 1]:
            change = draw_change(garment, rng, 2 if rng.random() < _TWO_WORDS_SHARE else 1)
            if change.after not in known:
                known.add(change.after)
                made.append(Piece(f"{name}-{letter}", change.after, ("product",), change, name))
    return made


def _views(rng: random.Random) -> tuple[View, ...]:
    views: list[View] = ["product"]
    if rng.random() < _OTHER_SHARE:
        views.append("other")
    if rng.random() < _STREET_SHARE:
        views += ["street", "cutout"]
    if rng.random() < _SKETCH_SHARE:
        views.append("sketch")
    return tuple(views)


def images(pieces: Sequence[Piece]) -> dict[str, SourceImage]:
    """All pictures by image_id."""
    found = {}
    for piece in pieces:
        for view in piece.views:
            found[piece.image_id(view)] = SourceImage(
                image_id=piece.image_id(view),
                path=piece.path(view),
                kind=KINDS[view],
                product_id=piece.image_id(),
                caption=naming.name(piece.garment),
                attributes=piece.garment.attributes(),
            )
    return found

"""What a cutter is, when its mask can be used, and what is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

LEAST, MOST = 0.01, 0.97
"""Share of the picture that an item may cover."""
MOST_BORDER = 0.7
"""Share of the picture's border that may belong to the item: more is a ground that was taken for it."""
MOST_UNSURE = 0.25
"""Half-transparent pixels over the item's own: more is a guess."""
_SOLID, _CLEAR = 192, 64


class Cutter(Protocol):
    @property
    def name(self) -> str:
        """Method, weights and settings: equal names give equal masks."""
        ...

    def cut(self, picture: Picture) -> Picture:
        """RGB picture -> mask of mode "L" and the same size: 255 where the item is, 0 where the ground is."""
        ...


def problem_of(mask: Picture) -> str:
    """Why a mask cannot be used; "" when it can."""
    values = np.asarray(mask)
    item, unsure = values >= _SOLID, (values > _CLEAR) & (values < _SOLID)
    border = np.concatenate([item[0], item[-1], item[:, 0], item[:, -1]])
    share = float(item.mean())
    if share < LEAST:
        return "no item was found"
    if share > MOST or border.mean() > MOST_BORDER:
        return "the ground was not told from the item"
    if unsure.sum() > MOST_UNSURE * item.sum():
        return "its outline is a guess"
    return ""


def clean(picture: Picture, mask: Picture) -> Picture:
    """The item alone on white."""
    return placed(picture, mask, Image.new("RGB", picture.size, "white"))


def placed(picture: Picture, mask: Picture, ground: Picture) -> Picture:
    """The item on another ground of the same size."""
    return Image.composite(picture, ground, mask)

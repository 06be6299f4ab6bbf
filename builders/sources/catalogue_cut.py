"""A product out of a catalogue's picture: cut from its white ground, with soft edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

LARGE = 256
"""Longest side of a cut before its margins are taken off."""
_SIDE = 96
"""Longest side at which the ground is looked for."""
_GROUND = 22
"""How far from white, in the darkest channel, the ground may be."""
_MIN_SHARE, _MAX_SHARE = 0.05, 0.7
_MIN_CONTRAST = 60
"""How far from white a product is on average."""
_MAX_PALE = 0.18
"""Share of its pixels that may be nearly white."""
_MIN_SOLID = 0.93
"""Share of the product in itself without holes and inlets: less, and the ground has run into it."""
_SKIN_SHARE = 0.04
_MAX_AT_BORDER = 0.03
"""Share of a border that the product may touch."""
_GAP_SHAPE, _MIN_GAP, _MAX_GAP = 1.3, 0.003, 0.02
"""How much higher than wide a gap between arm and body is, and its share of the picture."""
_MAX_HANDLE = 0.12
_MIN_FILLED = 0.72
"""Share of a person in the picture's rows, from its left to its right."""


@dataclass(frozen=True, slots=True)
class Cut:
    pixels: NDArray[np.float32]
    """(height, width, 4): colours 0 to 255 without the ground's white, and alpha 0 to 1."""
    is_worn: bool
    """On a person: stands upright."""
    is_cut_off: bool
    """The catalogue's picture ends within it, below."""


def cut(picture: Picture, may_be_worn: bool = True, has_handle: bool = False) -> Cut | None:
    """The product without its white ground; None when it cannot be told from it.

    may_be_worn: whether skin in it is a person's; brown leather looks the same. has_handle: ground shows through it.
    """
    from PIL import Image

    small = picture.copy()
    small.thumbnail((_SIDE, _SIDE))
    colours = np.asarray(small, dtype=np.float32)
    distance = 255 - colours.min(axis=2)
    ground = _joined(distance < _GROUND)
    if not _is_clean(distance, ~ground):
        return None
    is_cut_off = may_be_worn and bool((~ground)[-1:].mean() > _MAX_AT_BORDER)
    is_worn = may_be_worn and (is_cut_off or _skin_share(colours, ~ground) > _SKIN_SHARE)
    if is_worn and not _is_filled(~ground):
        return None
    if is_worn or has_handle:
        ground |= _gaps(distance < _GROUND / 2, ground, has_handle)
    scale = LARGE / max(picture.size)
    large = picture.resize((round(picture.width * scale), round(picture.height * scale)), Image.Resampling.BICUBIC)
    far, near = (_enlarged(each, large.size) for each in (ground, _grown(ground)))
    pixels = _matte(np.asarray(large, dtype=np.float32), far, near)
    down, across = (np.flatnonzero(pixels[..., 3].max(axis=axis) > 0.3) for axis in (1, 0))
    return Cut(pixels[down[0] : down[-1] + 1, across[0] : across[-1] + 1], is_worn, is_cut_off)


def _is_clean(distance: NDArray[np.float32], item: NDArray[np.bool_]) -> bool:
    """Dark enough, whole, of a fair size, and touching no border but the lower one."""
    touches = max(item[:2].mean(), item[:, :2].mean(), item[:, -2:].mean()) > _MAX_AT_BORDER
    if touches or not _MIN_SHARE < item.mean() < _MAX_SHARE:
        return False
    of_item = distance[item]
    is_pale = of_item.mean() < _MIN_CONTRAST or (of_item < 2 * _GROUND).mean() > _MAX_PALE
    return not is_pale and bool(item.sum() >= _MIN_SOLID * _closed(item).sum())


def _is_filled(person: NDArray[np.bool_]) -> bool:
    """Whether nothing large is missing in the middle, as where a white shirt went with the ground."""
    spans = sum(np.ptp(np.flatnonzero(row)) + 1 for row in person if row.any())
    return bool(person.sum() >= _MIN_FILLED * spans)


def _gaps(white: NDArray[np.bool_], ground: NDArray[np.bool_], has_handle: bool) -> NDArray[np.bool_]:
    """Ground that is enclosed: between arm and body, higher than wide, or by a handle, in the upper half.

    What is white in a print, or is a watch's face, is neither.
    """
    middle = np.flatnonzero((~ground).any(axis=1)).mean()
    found = np.zeros_like(white)
    left = white & ~ground
    core = ~_grown(~left)  # specks have none
    while core.any():
        seed = np.zeros_like(white)
        seed.flat[int(core.argmax())] = True
        area = _spread(seed, left)
        down, across = (np.flatnonzero(area.any(axis=axis)) for axis in (1, 0))
        is_arm = len(down) > _GAP_SHAPE * len(across) and _MIN_GAP < area.mean() < _MAX_GAP
        is_handle = down.mean() < middle and _MIN_GAP < area.mean() < _MAX_HANDLE
        if is_handle if has_handle else is_arm:
            found |= area
        core &= ~area
    return found


def _enlarged(mask: NDArray[np.bool_], size: tuple[int, int]) -> NDArray[np.float32]:
    from PIL import Image

    picture = Image.fromarray(mask.astype(np.float32))
    return np.asarray(picture.resize(size, Image.Resampling.BILINEAR), dtype=np.float32)


def _grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask and its four neighbours."""
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    grown[:, 1:] |= mask[:, :-1]
    grown[:, :-1] |= mask[:, 1:]
    return grown


def _joined(white: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """White pixels that are joined to the border."""
    border = white.copy()
    border[1:-1, 1:-1] = False
    return _spread(border, white)


def _spread(seed: NDArray[np.bool_], within: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """All that is joined to the seed."""
    while True:
        further = _grown(seed) & within
        if (further == seed).all():
            return seed
        seed = further


def _closed(item: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The item with inlets of up to four pixels filled."""
    closed = np.pad(item, 2)
    for _ in range(2):
        closed = _grown(closed)
    for _ in range(2):
        closed = ~_grown(~closed)
    return closed[2:-2, 2:-2]


def _matte(colours: NDArray[np.float32], ground: NDArray[np.float32], near: NDArray[np.float32]) -> NDArray[np.float32]:
    """Soft edges in the band near to the ground, where what is left of its white is taken out of the colours."""
    dark = 255 - colours.min(axis=2)
    edge = np.clip((dark - 14) / 96, 0, 1) * np.clip((0.9 - ground) / 0.5, 0, 1)
    band = np.clip(near * 2, 0, 1)
    alpha = band * edge + (1 - band)
    bare = (colours - 255 * (1 - alpha[..., None])) / np.maximum(alpha[..., None], 0.08)
    return np.dstack([np.clip(bare, 0, 255), alpha]).astype(np.float32)


def _skin_share(colours: NDArray[np.float32], item: NDArray[np.bool_]) -> float:
    """Of the upper half of the item, where a face and arms would be."""
    red, green, blue = (colours[..., channel] for channel in range(3))
    skin = (red > 95) & (green > 55) & (blue > 35) & (red - green > 14) & (red - green < 75) & (green - blue > 4)
    skin &= red - blue < 115
    rows = np.flatnonzero(item.any(axis=1))
    upper = item.copy()
    upper[rows[0] + max(1, len(rows) // 4) :] = False
    return float(skin[upper].mean()) if upper.any() else 0.0

"""Cuts an item from the plain white ground of a shop's picture, down to thumbnails of 60 x 80 pixels.

The ground is grown from the border over pixels that are nearly its own colour, then over soft grey that fades into it,
which is a shadow. It cannot pass gaps of a pixel or two, so that a pale item whose outline has weak spots is not
entered. Ground that the item encloses, as between a bag's handles, stays with the item: it looks like a white print.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture

    Pixels = NDArray[np.int16]
    Area = NDArray[np.bool_]


VERSION = 1
"""Changes whenever the same settings give other masks."""


@dataclass(frozen=True, slots=True)
class GroundSettings:
    pale: int = 232
    """A ground's darkest channel is at least this; of 255."""
    least_border: float = 0.35
    """Share of the border that must be ground."""
    near: int = 9
    """Largest difference to the ground in any channel."""
    shadow_least: int = 165
    """A shadow is no darker than this,"""
    shadow_tint: int = 9
    """has channels that differ by no more than this"""
    shadow_step: int = 7
    """and changes by no more than this from one pixel to the next."""
    pure: int = 2
    """Largest difference to the ground of pixels that are ground beyond doubt."""
    pale_width: int = 5
    """In pixels, of pale pieces that are given back to the item."""
    working_side: int = 240
    """Longest side at which the ground is found; larger pictures are reduced."""


class GroundCutter:
    """Implements `Cutter`. A picture without a pale ground gets a mask that covers all of it."""

    def __init__(self, settings: GroundSettings | None = None) -> None:
        self._settings = settings or GroundSettings()

    @property
    def name(self) -> str:
        digest = hashlib.sha256(json.dumps([VERSION, asdict(self._settings)]).encode()).hexdigest()
        return f"ground-{digest[:8]}"

    def cut(self, picture: Picture) -> Picture:
        small = picture.convert("RGB")
        small.thumbnail((self._settings.working_side, self._settings.working_side), Image.Resampling.BOX)
        item = ~self._ground(np.asarray(small).astype(np.int16))
        mask = Image.fromarray(item.astype(np.uint8) * 255)
        mask = mask.resize(picture.size, Image.Resampling.BILINEAR)
        return mask.filter(ImageFilter.GaussianBlur(0.6))

    def _ground(self, pixels: Pixels) -> Area:
        s = self._settings
        border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
        pale = border[border.min(axis=1) >= s.pale]
        if len(pale) < s.least_border * len(border):
            return np.zeros(pixels.shape[:2], bool)
        colour = np.median(pale, axis=0)
        difference = np.abs(pixels - colour).max(axis=2)
        tint = pixels.max(axis=2) - pixels.min(axis=2)
        soft = (pixels.min(axis=2) >= s.shadow_least) & (tint <= s.shadow_tint) & (_steps(pixels) <= s.shadow_step)
        ground = _reached((difference <= s.near) | soft)
        return ground & ~self._pale_parts(ground, difference)

    def _pale_parts(self, ground: Area, difference: NDArray[np.int16]) -> Area:
        """What was entered through weak outlines: pale, between parts of the item, out of reach over pure ground."""
        s = self._settings
        doubtful = ground & (difference <= s.near) & ~_reached(difference <= s.pure)
        return _opened(doubtful & _between(~ground), s.pale_width // 2)


def _steps(pixels: Pixels) -> NDArray[np.int16]:
    """Largest change of lightness from a pixel to one of its four neighbours."""
    light = pixels.mean(axis=2).astype(np.int16)
    padded = np.pad(light, 1, mode="edge")
    neighbours = (padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:])
    steps: NDArray[np.int16] = np.max([np.abs(light - each) for each in neighbours], axis=0)
    return steps


def _reached(passable: Area) -> Area:
    """What can be entered from outside through passable pixels without passing a gap of one pixel."""
    open_area = np.pad(passable, 2, constant_values=True)
    wide = _shrunk(open_area, 1)
    reached = np.zeros_like(wide)
    reached[1, :] = True
    reached &= wide
    n_before = -1
    while (n_now := int(reached.sum())) != n_before:
        n_before = n_now
        reached = _along_rows(reached, wide)
        reached = _along_rows(reached.T, wide.T).T
    return (_grown(reached, 1) & open_area)[2:-2, 2:-2]


def _along_rows(reached: Area, passable: Area) -> Area:
    """All of each run of passable pixels in a row of which a part was reached."""
    ends = ~passable
    ends[:, 0] = True
    run = np.cumsum(ends.ravel())
    touched = np.bincount(run, weights=reached.ravel()) > 0
    return passable & touched[run].reshape(passable.shape)


def _shrunk(area: Area, by: int) -> Area:
    """What lies outside of the picture counts as part of the area."""
    padded = np.pad(area, by, constant_values=True)
    views = np.lib.stride_tricks.sliding_window_view(padded, (2 * by + 1, 2 * by + 1))
    return np.asarray(views.all(axis=(2, 3)))


def _grown(area: Area, by: int) -> Area:
    return ~_shrunk(~area, by)


def _opened(area: Area, by: int) -> Area:
    """Without what is narrower than 2 * by + 1 pixels."""
    return _grown(_shrunk(area, by), by) & area


def _between(item: Area) -> Area:
    """Pixels that see the item in at least three of the four directions."""
    seen = (
        np.logical_or.accumulate(item, 0),
        np.logical_or.accumulate(item[::-1], 0)[::-1],
        np.logical_or.accumulate(item, 1),
        np.logical_or.accumulate(item[:, ::-1], 1)[:, ::-1],
    )
    n_sides: NDArray[np.int64] = np.sum(seen, axis=0)
    return n_sides >= 3

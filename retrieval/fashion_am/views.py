"""Views of a product that training makes from its pictures: cropped and mirrored, on other grounds, drawn in lines."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops, ImageEnhance, ImageFilter, ImageOps

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture


@dataclass(frozen=True, slots=True)
class Jitter:
    """Mirror, crop a little, shift brightness slightly; colour itself is a label and stays."""

    mirrored: bool
    size: tuple[int, int]
    """Of the view."""
    at: tuple[int, int]
    """Left top corner of the crop in the picture, or of the picture on its larger ground."""
    is_crop: bool
    brightness: float

    def of(self, picture: Picture) -> Picture:
        """The view of a picture of the size that it was drawn for."""
        if self.mirrored:
            picture = ImageOps.mirror(picture)
        (x, y), (w, h) = self.at, self.size
        if self.is_crop:
            view = picture.crop((x, y, x + w, y + h))
        else:
            view = Image.new("RGB", self.size, "white")
            view.paste(picture, self.at)
        return ImageEnhance.Brightness(view).enhance(self.brightness)


def jitter_of(size: tuple[int, int], rng: random.Random) -> Jitter:
    """For a picture of this size."""
    w, h = size
    mirrored = rng.random() < 0.5
    scale = rng.uniform(0.75, 1.0)
    shown = round(w * scale), round(h * scale * rng.uniform(0.9, 1.0))
    at = rng.randint(0, w - shown[0]), rng.randint(0, h - shown[1])
    is_crop = rng.random() < 0.6
    if not is_crop:  # smaller on a larger white ground, as other shops crop
        shown = round(w / scale), round(h / scale)
        at = rng.randint(0, shown[0] - w), rng.randint(0, shown[1] - h)
    return Jitter(mirrored, shown, at, is_crop, rng.uniform(0.9, 1.08))


def jittered(picture: Picture, rng: random.Random) -> Picture:
    return jitter_of(picture.size, rng).of(picture)


FLAT = 24
"""Largest sum of differences to white, over the three channels, at which a pixel may belong to the ground."""


def ground_mask(picture: Picture, side: int = 80) -> Picture:
    """255 where the white studio ground is, grown from the border; smooth edges. Same size as the picture."""
    small = picture.resize((max(1, round(picture.width * side / picture.height)), side))
    bordered = ImageOps.expand(small, 2, "white")
    flat = (255 - np.asarray(bordered).astype(np.int32)).sum(axis=2) <= FLAT
    mask = Image.fromarray(reached_from_corner(flat).astype(np.uint8) * 255)
    mask = mask.crop((2, 2, 2 + small.width, 2 + small.height)).resize(picture.size, Image.Resampling.BILINEAR)
    return mask.filter(ImageFilter.GaussianBlur(0.6))


def reached_from_corner(flat: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The part of a (h, w) mask that hangs together with its top left corner, by edges of pixels."""
    reached = np.zeros_like(flat)
    reached[0, 0] = flat[0, 0]
    n_before = 0
    while (n_now := int(reached.sum())) != n_before:
        n_before = n_now
        for _ in range(8):  # counting costs more than growing
            grown = reached.copy()
            grown[1:] |= reached[:-1]
            grown[:-1] |= reached[1:]
            grown[:, 1:] |= reached[:, :-1]
            grown[:, :-1] |= reached[:, 1:]
            reached = grown & flat
    return reached


def ground_of(size: tuple[int, int], grounds: Sequence[Picture], rng: random.Random) -> Picture:
    """A blurred piece of a photo or a plain colour."""
    if grounds and rng.random() < 0.7:
        photo = rng.choice(grounds)
        side = rng.randint(60, min(photo.size))
        x, y = rng.randint(0, photo.width - side), rng.randint(0, photo.height - side)
        ground = photo.crop((x, y, x + side, y + side)).resize(size)
        return ground.filter(ImageFilter.GaussianBlur(rng.uniform(0, 6)))
    return Image.new("RGB", size, tuple(rng.randint(30, 250) for _ in range(3)))


def placed(picture: Picture, ground: Picture) -> Picture:
    """The product cut from its white ground onto another of its size."""
    return Image.composite(ground, picture, ground_mask(picture))


def on_ground(picture: Picture, grounds: Sequence[Picture], rng: random.Random) -> Picture:
    return placed(picture, ground_of(picture.size, grounds, rng))


def line_drawing(picture: Picture, rng: random.Random) -> Picture:
    """Dark contour lines on white, like a drawing, from a catalogue picture."""
    grey = ImageOps.autocontrast(picture.convert("L").filter(ImageFilter.GaussianBlur(rng.uniform(0.6, 1.4))))
    edges = grey.filter(ImageFilter.FIND_EDGES).filter(ImageFilter.GaussianBlur(0.5))
    edges = ImageChops.multiply(edges, ImageOps.expand(Image.new("L", (edges.width - 4, edges.height - 4), 255), 2, 0))
    floor = rng.randint(18, 40)
    return ImageOps.invert(edges.point([0 if v < floor else min(255, v * 5) for v in range(256)])).convert("RGB")

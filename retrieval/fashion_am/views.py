"""Views of a product that training makes from its pictures: cropped and mirrored, on other grounds, drawn in lines."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops, ImageEnhance, ImageFilter, ImageOps

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image as Picture


def jittered(picture: Picture, rng: random.Random) -> Picture:
    """Mirror, crop a little, shift brightness slightly; colour itself is a label and stays."""
    w, h = picture.size
    if rng.random() < 0.5:
        picture = ImageOps.mirror(picture)
    scale = rng.uniform(0.75, 1.0)
    cw, ch = round(w * scale), round(h * scale * rng.uniform(0.9, 1.0))
    x, y = rng.randint(0, w - cw), rng.randint(0, h - ch)
    if rng.random() < 0.6:
        picture = picture.crop((x, y, x + cw, y + ch))
    else:  # smaller on a larger white ground, as other shops crop
        grown = Image.new("RGB", (round(w / scale), round(h / scale)), "white")
        grown.paste(picture, (rng.randint(0, grown.width - w), rng.randint(0, grown.height - h)))
        picture = grown
    return ImageEnhance.Brightness(picture).enhance(rng.uniform(0.9, 1.08))


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


def on_ground(picture: Picture, grounds: Sequence[Picture], rng: random.Random) -> Picture:
    """The product cut from its white ground onto a blurred piece of a photo or a plain colour."""
    if grounds and rng.random() < 0.7:
        photo = rng.choice(grounds)
        side = rng.randint(60, min(photo.size))
        x, y = rng.randint(0, photo.width - side), rng.randint(0, photo.height - side)
        ground = photo.crop((x, y, x + side, y + side)).resize(picture.size)
        ground = ground.filter(ImageFilter.GaussianBlur(rng.uniform(0, 6)))
    else:
        ground = Image.new("RGB", picture.size, tuple(rng.randint(30, 250) for _ in range(3)))
    return Image.composite(ground, picture, ground_mask(picture))


def line_drawing(picture: Picture, rng: random.Random) -> Picture:
    """Dark contour lines on white, like a drawing, from a catalogue picture."""
    grey = ImageOps.autocontrast(picture.convert("L").filter(ImageFilter.GaussianBlur(rng.uniform(0.6, 1.4))))
    edges = grey.filter(ImageFilter.FIND_EDGES).filter(ImageFilter.GaussianBlur(0.5))
    edges = ImageChops.multiply(edges, ImageOps.expand(Image.new("L", (edges.width - 4, edges.height - 4), 255), 2, 0))
    floor = rng.randint(18, 40)
    return ImageOps.invert(edges.point([0 if v < floor else min(255, v * 5) for v in range(256)])).convert("RGB")

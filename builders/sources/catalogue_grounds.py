"""Grounds to lay or stand a cut-out product on: procedural floors, beds and walls, the same for the same generator.

All are arrays of shape (height, width, 3), float32, 0 to 255.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WOODS = ((146, 104, 66), (181, 139, 92), (96, 64, 42), (201, 167, 122), (122, 98, 76), (168, 150, 130))
_LINENS = (
    (232, 228, 220),
    (196, 206, 216),
    (214, 196, 190),
    (120, 134, 156),
    (238, 232, 206),
    (168, 178, 160),
    (92, 88, 96),
)
_CARPETS = ((150, 130, 108), (98, 92, 92), (122, 62, 54), (70, 82, 110), (176, 166, 150), (90, 104, 80))
_TILES = ((216, 208, 196), (186, 178, 170), (150, 150, 152), (226, 222, 216), (176, 150, 126))
_BRICKS = ((150, 82, 62), (128, 70, 58), (172, 118, 88), (160, 152, 144))
_WALLS = ((206, 200, 188), (178, 188, 196), (196, 178, 156), (150, 162, 150), (216, 206, 206), (120, 122, 130))


def noise(shape: tuple[int, int], cells: tuple[float, float], rng: np.random.Generator) -> NDArray[np.float32]:
    """Smooth noise, about -1 to 1; `cells`: the size of its spots in pixels, down and across."""
    from PIL import Image

    rows, columns = (max(2, round(side / cell) + 1) for side, cell in zip(shape, cells, strict=True))
    coarse = Image.fromarray(rng.uniform(-1, 1, (rows, columns)).astype(np.float32))
    return np.asarray(coarse.resize((shape[1], shape[0]), Image.Resampling.BICUBIC), dtype=np.float32)


def _octaves(shape: tuple[int, int], cell: float, rng: np.random.Generator) -> NDArray[np.float32]:
    return sum((noise(shape, (cell / 2**n, cell / 2**n), rng) / 2**n for n in range(4)), np.zeros(shape, np.float32))


def _plain(
    shape: tuple[int, int], colours: tuple[tuple[int, int, int], ...], rng: np.random.Generator
) -> NDArray[np.float32]:
    colour = np.array(colours[rng.integers(len(colours))], np.float32) + rng.uniform(-10, 10, 3).astype(np.float32)
    return np.broadcast_to(colour, (*shape, 3)).astype(np.float32)


def _seams(shape: tuple[int, int], pitch: float, width: float, axis: int, shift: float = 0.0) -> NDArray[np.float32]:
    """1 on lines that cross the picture every `pitch` pixels along the axis, 0 between, soft edges. Shape (h, w)."""
    place = (np.arange(shape[axis], dtype=np.float32) + shift) % pitch
    line = np.clip(width - np.minimum(place, pitch - place), 0, 1)
    return np.broadcast_to(line[:, None] if axis == 0 else line[None, :], shape).astype(np.float32)


def wood(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    height, width = shape
    pitch = float(rng.uniform(0.12, 0.24) * width)
    plank = (np.arange(width) // pitch).astype(int)
    tint = rng.normal(0, 9, int(plank.max()) + 1).astype(np.float32)[plank][None, :]
    grain = (
        11 * noise(shape, (height / 3, 2.2), rng)
        + 8 * noise(shape, (height / 1.5, 7), rng)
        + 5 * noise(shape, (14, 1.2), rng)
    )
    ground = _plain(shape, _WOODS, rng) + (tint + grain)[..., None] * np.array((1, 0.92, 0.8), np.float32)
    ends = np.zeros(shape, np.float32)
    for number in range(int(plank.max()) + 1):
        ends[int(rng.integers(height)), plank == number] = 1
    return np.asarray(ground * (1 - 0.55 * np.maximum(_seams(shape, pitch, 1.1, 1), ends))[..., None], dtype=np.float32)


def carpet(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    pile = (
        9 * rng.standard_normal(shape).astype(np.float32)
        + 10 * noise(shape, (3, 3), rng)
        + 9 * _octaves(shape, 60, rng)
    )
    ground = _plain(shape, _CARPETS, rng)
    if rng.random() < 0.5:  # woven bands
        second = _plain(shape, _CARPETS, rng)
        pitch = float(rng.uniform(30, 70))
        bands = _seams(shape, pitch, pitch * 0.2, 0) if rng.random() < 0.5 else _lozenges(shape, pitch)
        ground = ground + 0.8 * bands[..., None] * (second - ground)
    return ground + pile[..., None]


def _lozenges(shape: tuple[int, int], pitch: float) -> NDArray[np.float32]:
    down, across = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    place = np.abs((down % pitch) - pitch / 2) + np.abs((across % pitch) - pitch / 2)
    return np.asarray(np.clip(4 - np.abs(place - pitch * 0.32), 0, 1), dtype=np.float32)


def tiles(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    pitch = float(rng.uniform(0.22, 0.5) * shape[1])
    down, across = (np.arange(side) // pitch for side in shape)
    tint = rng.normal(0, 6, (int(down.max()) + 1, int(across.max()) + 1)).astype(np.float32)
    marble = 9 * _octaves(shape, pitch * 0.8, rng) - 12 * np.exp(-40 * _octaves(shape, pitch, rng) ** 2)
    ground = _plain(shape, _TILES, rng) + (tint[down.astype(int)][:, across.astype(int)] + marble)[..., None]
    grout = np.maximum(_seams(shape, pitch, 1.6, 0), _seams(shape, pitch, 1.6, 1))[..., None]
    return np.asarray(ground * (1 - 0.38 * grout), dtype=np.float32)


def linen(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """A bed cover with folds, sometimes with a woven pattern."""
    ground = _plain(shape, _LINENS, rng)
    if rng.random() < 0.5:
        second, pitch = _plain(shape, _LINENS, rng), float(rng.uniform(18, 48))
        lines = 0.5 * _seams(shape, pitch, pitch * 0.22, 1)
        lines += 0.5 * _seams(shape, pitch, pitch * 0.22, 0) if rng.random() < 0.5 else lines
        ground = ground + 0.7 * lines[..., None] * (second - ground)
    height = 16 * noise(shape, (90, 45), rng) + 9 * noise(shape, (36, 60), rng) + 3.5 * noise(shape, (14, 18), rng)
    slope = np.gradient(height)
    light = 1 + 0.16 * np.tanh(1.3 * slope[0] + 0.9 * slope[1])
    return np.asarray(ground * light[..., None] + 3 * rng.standard_normal((*shape, 1)), dtype=np.float32)


def stone(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    ground = _plain(shape, ((150, 148, 144), (122, 120, 118), (176, 170, 158)), rng)
    spots = (
        10 * _octaves(shape, 70, rng)
        + 9 * noise(shape, (2, 2), rng)
        + 6 * rng.standard_normal(shape).astype(np.float32)
    )
    return ground + spots[..., None]


def bricks(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """A brick wall."""
    high = float(rng.uniform(0.035, 0.06) * shape[0])
    wide = high * 2.6
    down, across = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    row = np.floor(down / high)
    shifted = across + (row % 2) * wide / 2
    column = np.floor(shifted / wide).astype(int)
    tint = rng.normal(0, 13, (int(row.max()) + 1, int(column.max()) + 1)).astype(np.float32)[row.astype(int), column]
    rough = 7 * _octaves(shape, 30, rng) + 6 * noise(shape, (2, 2), rng)
    ground = _plain(shape, _BRICKS, rng) + (tint + rough)[..., None]
    joints = np.minimum(np.minimum(down % high, high - down % high), np.minimum(shifted % wide, wide - shifted % wide))
    joint = np.clip(1.5 - joints, 0, 1)[..., None]
    return np.asarray(ground * (1 - joint) + (168 + rough[..., None]) * joint, dtype=np.float32)


def street(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """House fronts and a pavement, out of focus."""
    height, width = shape
    ground = _plain(shape, _WALLS, rng).copy()
    for _ in range(int(rng.integers(5, 11))):
        left, wide = int(rng.integers(-20, width)), int(rng.integers(width // 10, width // 3))
        top, high = int(rng.integers(0, height // 2)), int(rng.integers(height // 6, height))
        ground[top : top + high, max(0, left) : max(0, left + wide)] = rng.uniform(40, 220) + rng.uniform(-25, 25, 3)
    floor = int(rng.uniform(0.62, 0.85) * height)
    ground[floor:] = _plain((height - floor, width), ((140, 136, 130), (110, 108, 106), (170, 160, 146)), rng)
    return _blurred(ground + 10 * _octaves(shape, 40, rng)[..., None], float(rng.uniform(4, 8)))


def leaves(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """Greenery, out of focus."""
    light = 46 * noise(shape, (70, 70), rng) + 36 * noise(shape, (24, 24), rng) + 22 * noise(shape, (9, 9), rng)
    base = np.array((rng.uniform(70, 120), rng.uniform(100, 140), rng.uniform(50, 90)), np.float32)
    return _blurred(base + light[..., None] * np.array((0.9, 1.0, 0.7), np.float32), float(rng.uniform(2.5, 6)))


def room(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """A wall with a door frame or a poster, and a floor."""
    height, width = shape
    ground = _plain(shape, _WALLS, rng) + 5 * _octaves(shape, 120, rng)[..., None]
    for _ in range(int(rng.integers(1, 4))):
        left, wide = int(rng.integers(-30, width)), int(rng.integers(width // 6, width // 2))
        top, high = int(rng.integers(0, height // 2)), int(rng.integers(height // 6, height))
        colour = (rng.uniform(50, 210) + rng.uniform(-30, 30, 3)).astype(np.float32)
        area = ground[top : top + high, max(0, left) : max(0, left + wide)]
        area[...] = 0.45 * area
        inner = area[2:-2, 2:-2]
        inner[...] = colour + 6 * rng.standard_normal(inner.shape[:2]).astype(np.float32)[..., None]
    floor = int(rng.uniform(0.72, 0.92) * height)
    boards = wood((height, width), rng)
    ground[floor:] = boards[: height - floor]
    return _blurred(ground, float(rng.uniform(0.8, 2.5)))


def _blurred(ground: NDArray[np.float32], radius: float) -> NDArray[np.float32]:
    from PIL import Image, ImageFilter

    picture = Image.fromarray(np.clip(ground, 0, 255).astype(np.uint8))
    return np.asarray(picture.filter(ImageFilter.GaussianBlur(radius)), dtype=np.float32)


Maker = Callable[[tuple[int, int], np.random.Generator], "NDArray[np.float32]"]
LYING: tuple[Maker, ...] = (wood, carpet, tiles, linen, linen, stone)
STANDING: tuple[Maker, ...] = (bricks, street, street, leaves, room, room)

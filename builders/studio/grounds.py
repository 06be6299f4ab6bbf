"""What a user's picture shows behind a garment: boards, linen, carpets, tiles and plaster as repeating textures."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import skia
from numpy.typing import NDArray

from builders.studio.fabric import RGB

_SIDE = 512
Grey = NDArray[np.float64]


@lru_cache(maxsize=32)
def smooth_noise(blur_x: float, blur_y: float, seed: int, side: int = _SIDE) -> Grey:
    """Periodic, mean 0, unit deviation, (side, side); blurred by so many pixels each way."""
    rng = np.random.default_rng(seed)
    spectrum = np.fft.fft2(rng.standard_normal((side, side)))
    f = np.fft.fftfreq(side)
    window = np.exp(-2 * np.pi**2 * ((f[:, None] * blur_y) ** 2 + (f[None, :] * blur_x) ** 2))
    smooth = np.real(np.fft.ifft2(spectrum * window))
    result: Grey = (smooth - smooth.mean()) / smooth.std()
    result.setflags(write=False)
    return result


def _rows() -> tuple[Grey, Grey]:
    y, x = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float64)
    return x, y


def _boards(seed: int) -> Grey:
    """Planks along x, eight to a tile, their ends in bond."""
    x, y = _rows()
    rng = np.random.default_rng(seed)
    plank = (y // 64).astype(int)
    shift = rng.integers(0, _SIDE, 8)[plank]
    half = (((x + shift) % _SIDE) // 256).astype(int)
    tone = rng.normal(0, 0.06, (8, 2))[plank, half]
    grain = np.roll(smooth_noise(28, 1.3, seed), 37 * seed % _SIDE, axis=1)
    broad = smooth_noise(60, 6, seed + 1)
    rings = np.sin(6 * broad + y / 7) * 0.025
    gap = np.minimum(y % 64, 63 - y % 64)
    end = np.minimum((x + shift) % 256, 255 - (x + shift) % 256)
    seam = -0.34 * np.exp(-((gap / 1.2) ** 2)) - 0.24 * np.exp(-((end / 1.1) ** 2))
    result: Grey = tone + 0.05 * grain + rings + seam
    return result


def _linen(seed: int) -> Grey:
    """A bed sheet: long soft folds."""
    folds = smooth_noise(70, 24, seed) + 0.5 * smooth_noise(34, 90, seed + 1)
    creases = np.exp(-((smooth_noise(80, 30, seed + 2) / 0.5) ** 2))
    slope = np.gradient(folds, axis=0) * 7 + np.gradient(folds, axis=1) * 5
    edge = np.gradient(creases, axis=0) * 1.4
    result: Grey = 0.1 * slope + edge + 0.012 * smooth_noise(0.8, 0.8, seed + 3)
    return result


def _carpet(seed: int) -> Grey:
    return 0.05 * smooth_noise(1.1, 1.1, seed) + 0.05 * smooth_noise(22, 22, seed + 1)


def _rug(seed: int) -> Grey:
    """Woven diamonds and bands."""
    x, y = _rows()
    diamond = np.abs((x % 128) - 64) + np.abs((y % 128) - 64)
    bands = np.where(np.abs(diamond - 56) < 6, -0.2, 0.0) + np.where(diamond < 20, -0.14, 0.0)
    weave = 0.05 * np.sin(x * np.pi / 2) * np.sin(y * np.pi / 2)
    return bands + weave + 0.07 * smooth_noise(1.6, 0.8, seed) + 0.03 * smooth_noise(26, 26, seed + 1)


def _tiles(seed: int) -> Grey:
    x, y = _rows()
    rng = np.random.default_rng(seed)
    tone = rng.normal(0, 0.025, (4, 4))[(y // 128).astype(int), (x // 128).astype(int)]
    edge = np.minimum.reduce([x % 128, 127 - x % 128, y % 128, 127 - y % 128])
    result: Grey = tone - 0.2 * np.exp(-((edge / 1.8) ** 2)) + 0.03 * smooth_noise(14, 14, seed)
    return result


def _stone(seed: int) -> Grey:
    """Marble or concrete: clouds with veins."""
    cloud = smooth_noise(40, 26, seed)
    vein = np.exp(-((smooth_noise(60, 38, seed + 1) / 0.06) ** 2))
    return 0.05 * cloud - 0.08 * vein * (smooth_noise(40, 40, seed + 2) > 0) + 0.015 * smooth_noise(1, 1, seed + 3)


def _plaster(seed: int) -> Grey:
    return 0.014 * smooth_noise(1.4, 1.4, seed) + 0.02 * smooth_noise(60, 60, seed + 1)


_MAKERS: Mapping[str, Callable[[int], Grey]] = {
    "boards": _boards, "linen": _linen, "carpet": _carpet, "rug": _rug, "tiles": _tiles, "stone": _stone,
    "plaster": _plaster,
}  # fmt: skip

_TONES: Mapping[str, tuple[RGB, ...]] = {
    "boards": ((196, 156, 114), (164, 118, 80), (120, 84, 60), (206, 192, 176), (224, 208, 184), (142, 128, 116)),
    "linen": ((240, 238, 234), (226, 230, 236), (236, 224, 212), (206, 214, 210), (188, 198, 212), (220, 204, 204)),
    "carpet": ((206, 198, 186), (168, 166, 164), (134, 142, 150), (186, 168, 148), (148, 152, 138)),
    "rug": ((216, 200, 178), (190, 142, 122), (150, 164, 172), (226, 220, 208), (176, 160, 132)),
    "tiles": ((226, 224, 220), (196, 194, 190), (210, 200, 186), (180, 188, 192)),
    "stone": ((234, 232, 230), (202, 202, 200), (220, 214, 206)),
    "plaster": ((236, 233, 228), (222, 226, 228), (228, 216, 202), (206, 214, 204), (214, 206, 212), (196, 208, 216),
                (232, 222, 196)),
}  # fmt: skip
"""Ground -> the colours that it comes in."""

FLOORS = ("boards", "boards", "carpet", "tiles", "stone")
LAID = ("boards", "linen", "linen", "carpet", "rug", "boards", "stone")
"""What a garment is laid on, the likelier ones more than once."""
_VARIANTS = 3


@lru_cache(maxsize=64)
def _relief(name: str, variant: int) -> NDArray[np.float32]:
    return _MAKERS[name](101 * variant + 7).astype(np.float32)


@lru_cache(maxsize=128)
def _texture(name: str, tone: RGB, variant: int) -> skia.Image:
    warm = np.array((1.0, 0.97, 0.92), dtype=np.float32)
    rgba = np.full((_SIDE, _SIDE, 4), 255, dtype=np.uint8)
    shaded = np.array(tone, dtype=np.float32) * (1 + _relief(name, variant)[:, :, None] * warm)
    rgba[:, :, :3] = np.clip(shaded, 0, 255)
    return skia.Image.fromarray(rgba, colorType=skia.kRGBA_8888_ColorType)


def ground_paint(rng: random.Random, name: str, scale: float = 0.5, turn: float = 0.0) -> skia.Paint:
    """Fills with a ground in one of its colours, at a random place of the texture."""
    image = _texture(name, rng.choice(_TONES[name]), rng.randrange(_VARIANTS))
    matrix = skia.Matrix()
    matrix.postTranslate(rng.uniform(0, _SIDE), rng.uniform(0, _SIDE))
    matrix.postScale(scale, scale)
    matrix.postRotate(turn)
    sampling = skia.SamplingOptions(skia.FilterMode.kLinear, skia.MipmapMode.kLinear)
    return skia.Paint(Shader=image.makeShader(skia.TileMode.kRepeat, skia.TileMode.kRepeat, sampling, matrix))

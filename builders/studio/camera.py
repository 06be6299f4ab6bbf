"""What makes a drawing look photographed: folds of worn cloth, cast shadows, uneven light, a phone's sensor."""

from __future__ import annotations

import math
import random

import numpy as np
import skia
from numpy.typing import NDArray

from builders.studio.grounds import smooth_noise
from builders.studio.painting import blurred
from builders.studio.patterns import paint

Pixels = NDArray[np.float32]

EVERYWHERE = skia.Rect.MakeLTRB(-900, -500, 900, 1100)
"""More than any camera sees of the studio."""


def rumpled(pixels: NDArray[np.uint8], rng: random.Random, strength: float) -> NDArray[np.uint8]:
    """The layer (premultiplied) with shallow folds: pixels are pushed along a smooth relief and shaded by it."""
    height, width = pixels.shape[:2]
    size = height / 512
    wave = smooth_noise(26, 18, rng.randrange(6))
    at = (np.arange(height) / size).astype(int) + rng.randrange(512)
    across = (np.arange(width) / size).astype(int) + rng.randrange(512)
    relief = wave[np.ix_(at % 512, across % 512)].astype(np.float32)
    down, right = np.gradient(relief)
    push = strength * 3.4 * size / max(float(np.abs(down).max()), 1e-6)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    y = np.clip(y + down * push, 0, height - 1.001)
    x = np.clip(x + right * push, 0, width - 1.001)
    y0, x0 = y.astype(int), x.astype(int)
    fy, fx = (y - y0)[:, :, None], (x - x0)[:, :, None]
    source = pixels.astype(np.float32)
    upper = source[y0, x0] * (1 - fx) + source[y0, x0 + 1] * fx
    lower = source[y0 + 1, x0] * (1 - fx) + source[y0 + 1, x0 + 1] * fx
    moved = upper * (1 - fy) + lower * fy
    slope: Pixels = np.asarray((down + right) / max(float(np.abs(down + right).max()), 1e-6), dtype=np.float32)
    moved[:, :, :3] *= 1 - 0.2 * strength * slope[:, :, None]
    moved[:, :, :3] = np.minimum(moved[:, :, :3], moved[:, :, 3:])
    result: NDArray[np.uint8] = np.rint(np.clip(moved, 0, 255)).astype(np.uint8)
    return result


def lay(canvas: skia.Canvas, pixels: NDArray[np.uint8], shadow: tuple[float, float, float], height: int) -> None:
    """The garment with its shadow on the ground."""
    size = height / 512
    image = skia.Image.fromarray(
        np.ascontiguousarray(pixels), colorType=skia.kRGBA_8888_ColorType, alphaType=skia.kPremul_AlphaType
    )
    dx, dy, soft = (value * size for value in shadow)
    for wide, alpha in ((1.0, 120), (3.4, 90)):
        cast = skia.ImageFilters.DropShadowOnly(
            dx * wide, dy * wide, soft * wide, soft * wide, skia.ColorSetARGB(alpha, 18, 14, 22)
        )
        canvas.drawImage(image, 0, 0, skia.SamplingOptions(), skia.Paint(ImageFilter=cast))
    canvas.drawImage(image, 0, 0)


def light(canvas: skia.Canvas, rng: random.Random, way: str) -> None:
    """One side lies in the shade; sometimes the sun falls through a window."""
    angle = rng.uniform(0, math.tau)
    dx, dy = math.cos(angle) * 300, math.sin(angle) * 330
    warm = rng.choice(((196, 190, 200), (206, 196, 182), (188, 194, 206), (170, 164, 164)))
    shade = skia.GradientShader.MakeLinear(
        [skia.Point(-dx, 256 - dy), skia.Point(dx, 256 + dy)],
        [skia.ColorWHITE, skia.ColorSetARGB(255, 246, 244, 242), skia.ColorSetARGB(255, *warm)],
        [0.0, 0.45, 1.0],
    )
    canvas.drawRect(EVERYWHERE, skia.Paint(Shader=shade, BlendMode=skia.BlendMode.kMultiply))
    if way == "laid" and rng.random() < 0.4:
        _window(canvas, rng)


def _window(canvas: skia.Canvas, rng: random.Random) -> None:
    """Bright panes, slanted."""
    canvas.save()
    canvas.translate(rng.uniform(-120, 60), rng.uniform(40, 220))
    canvas.rotate(rng.uniform(-30, 30))
    canvas.skew(rng.uniform(-0.5, 0.5), 0)
    glow = blurred(paint((255, 244, 214), 62), 5)
    glow.setBlendMode(skia.BlendMode.kScreen)
    for column in range(2):
        for row in range(2):
            canvas.drawRect(skia.Rect.MakeXYWH(column * 112, row * 150, 98, 134), glow)
    canvas.restore()


def sensor(taken: NDArray[np.uint8], rng: random.Random) -> NDArray[np.uint8]:
    """Colour cast, exposure, vignette and noise of a phone's camera."""
    height, width = taken.shape[:2]
    noise = np.random.default_rng(rng.randrange(1 << 32))
    cast = np.array([rng.uniform(0.95, 1.05), rng.uniform(0.98, 1.02), rng.uniform(0.94, 1.04)], dtype=np.float32)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    vignette = 1 - rng.uniform(0.02, 0.1) * (x * x + y * y)
    pixels: Pixels = taken.astype(np.float32) * (cast * rng.uniform(0.98, 1.1)) * vignette[:, :, None]
    grain = noise.standard_normal((height, width, 1), dtype=np.float32) * 2.4
    colour = noise.standard_normal((height, width, 3), dtype=np.float32) * 1.3
    result: NDArray[np.uint8] = np.clip(pixels + grain + colour, 0, 255).astype(np.uint8)
    return result

"""A user's picture of a garment: laid down, hung up, put on the floor or worn, in uneven light; and its cut-out."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import skia
from numpy.typing import NDArray
from PIL import Image

from builders.studio.fabric import seeded
from builders.studio.figure import WORN, frame, paint_figure, split
from builders.studio.garment import Garment, family
from builders.studio.grounds import FLOORS, LAID, ground_paint, smooth_noise
from builders.studio.hanging import hook, paint_hanger, paint_rail
from builders.studio.painting import blurred, paint_garment
from builders.studio.patterns import paint
from builders.studio.pen import HEIGHT, WIDTH, Drawing, Part
from builders.studio.shapes import draw

Pixels = NDArray[np.float32]

_RIGID = ("shoes", "bags", "accessories")


@dataclass(slots=True)
class Shot:
    """One picture while it is taken: the ground first, then the garment's layer on it."""

    garment: Garment
    drawing: Drawing
    rng: random.Random
    canvas: skia.Canvas
    """In the studio's units, the axis at 0."""
    layer: skia.Canvas
    """The same for the garment alone, on nothing."""

    def both(self, matrix: skia.Matrix) -> None:
        self.canvas.concat(matrix)
        self.layer.concat(matrix)

    def put(self, parts: list[Part]) -> None:
        paint_garment(self.layer, self.garment, parts, self.drawing.bounds(), shadow=False)


def street(garment: Garment, height: int = 512) -> tuple[Image.Image, Image.Image]:
    """The picture, and the garment's mask in it (mode "L"); equal for equal garments."""
    width = round(height * WIDTH / HEIGHT)
    rng = seeded(garment, f"street {garment.kind}")
    ground, layer = skia.Surface(width, height), skia.Surface(width, height)
    shot = Shot(garment, draw(garment), rng, ground.getCanvas(), layer.getCanvas())
    shot.layer.clear(skia.ColorTRANSPARENT)
    base = skia.Matrix.Scale(width / WIDTH, height / HEIGHT)
    base.preTranslate(WIDTH / 2, 0)
    shot.both(base)
    way = rng.choice(_ways(garment))
    shadow = _WAYS[way](shot)
    pixels = layer.makeImageSnapshot().toarray(alphaType=skia.kPremul_AlphaType, colorType=skia.kRGBA_8888_ColorType)
    if family(garment.kind) not in _RIGID:
        pixels = _rumpled(pixels, rng, 0.5 if way == "worn" else 1.0)
    canvas = shot.canvas
    canvas.resetMatrix()
    _lay(canvas, pixels, shadow, height)
    canvas.concat(base)
    _light(canvas, rng, way)
    taken = ground.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType)[:, :, :3]
    return Image.fromarray(_sensor(taken, rng)), Image.fromarray(np.ascontiguousarray(pixels[:, :, 3]))


def cutout(garment: Garment, height: int = 512) -> Image.Image:
    """The garment of the user's picture on white."""
    return cut_out(*street(garment, height))


def cut_out(picture: Image.Image, mask: Image.Image) -> Image.Image:
    white = Image.new("RGB", picture.size, "white")
    white.paste(picture, (0, 0), mask)
    return white


def _ways(garment: Garment) -> tuple[str, ...]:
    if garment.kind in ("Sneakers", "Boots", "Heels", "Formal Shoes"):
        return ("standing",)
    if family(garment.kind) == "bags":
        return ("standing", "standing", "laid")
    if garment.kind in WORN:
        return ("laid", "laid", "hung", "worn", "worn")
    return ("laid",)


def _fitted(box: skia.Rect, size: float, x: float, y: float) -> skia.Matrix:
    """Puts the box's middle at (x, y), as large as `size` of the picture allows."""
    scale = size * min(WIDTH / box.width(), HEIGHT / box.height())
    matrix = skia.Matrix.Translate(x, y)
    matrix.preScale(scale, scale)
    matrix.preTranslate(-box.centerX(), -box.centerY())
    return matrix


def _tilted(rng: random.Random, lean: float) -> skia.Matrix:
    """As a hand-held camera sees a flat ground: the far edge is shorter."""
    half, s, t = WIDTH / 2, rng.uniform(0.5, 1.0) * lean, rng.uniform(-0.4, 0.4) * lean
    source = [skia.Point(-half, 0), skia.Point(half, 0), skia.Point(half, HEIGHT), skia.Point(-half, HEIGHT)]
    seen = [
        skia.Point(-half + s, s * 0.4 + t), skia.Point(half - s, s * 0.4 - t),
        skia.Point(half + s * 0.2, HEIGHT), skia.Point(-half - s * 0.2, HEIGHT),
    ]  # fmt: skip
    matrix = skia.Matrix()
    matrix.setPolyToPoly(source, seen)
    return matrix


_EVERYWHERE = skia.Rect.MakeLTRB(-900, -500, 900, 1100)


def _laid(shot: Shot) -> tuple[float, float, float]:
    rng = shot.rng
    shot.both(_tilted(rng, 34))
    small = family(shot.garment.kind) in _RIGID
    name = rng.choice(("boards", "linen", "stone", "boards", "carpet") if small else LAID)
    shot.canvas.drawRect(_EVERYWHERE, ground_paint(rng, name, rng.uniform(0.5, 0.8), rng.choice((0, 90, 8, -14, 35))))
    if name in FLOORS and rng.random() < 0.35:
        _corner_of_rug(shot.canvas, rng)
    shot.both(_fitted(shot.drawing.bounds(), rng.uniform(0.66, 0.84), rng.uniform(-14, 14), 256 + rng.uniform(-16, 20)))
    box = shot.drawing.bounds()
    shot.both(skia.Matrix.RotateDeg(rng.uniform(-16, 16), skia.Point(box.centerX(), box.centerY())))
    shot.put(shot.drawing.parts)
    return (2.5, 4.0, 3.2)


def _corner_of_rug(canvas: skia.Canvas, rng: random.Random) -> None:
    x, y = rng.choice((-1, 1)) * rng.uniform(90, 150), rng.choice((40.0, 420.0))
    canvas.save()
    canvas.rotate(rng.uniform(-20, 20))
    rug = skia.Rect.MakeXYWH(x if x > 0 else x - 500, y if y > 200 else y - 400, 500, 400)
    canvas.drawRect(rug.makeOffset(2, 5), blurred(paint((30, 24, 24), 90), 6))
    canvas.drawRect(rug, ground_paint(rng, "rug", 0.5))
    canvas.drawRect(rug, paint((250, 246, 236), 120, 5))
    canvas.restore()


def _room(shot: Shot, floor_y: float) -> None:
    """A wall, a skirting board and a floor that runs away from the camera."""
    canvas, rng = shot.canvas, shot.rng
    canvas.drawRect(_EVERYWHERE, ground_paint(rng, "plaster", 1.2))
    canvas.save()
    canvas.translate(0, floor_y)
    run = skia.Matrix()
    source = [skia.Point(-192, 0), skia.Point(192, 0), skia.Point(192, 300), skia.Point(-192, 300)]
    seen = [skia.Point(-192, 0), skia.Point(192, 0), skia.Point(460, 220), skia.Point(-460, 220)]
    run.setPolyToPoly(source, seen)
    canvas.concat(run)
    boards = ground_paint(rng, rng.choice(FLOORS), 0.55, rng.choice((0, 90)))
    canvas.drawRect(skia.Rect.MakeLTRB(-700, 0, 700, 700), boards)
    canvas.restore()
    if rng.random() < 0.75:
        tall = rng.uniform(14, 24)
        canvas.drawRect(skia.Rect.MakeLTRB(-400, floor_y - tall, 400, floor_y), paint((244, 242, 238)))
        canvas.drawRect(skia.Rect.MakeLTRB(-400, floor_y - tall, 400, floor_y - tall + 1.5), paint((120, 114, 110), 80))
    shade = skia.Rect.MakeLTRB(-400, floor_y - 3, 400, floor_y + 5)
    canvas.drawRect(shade, blurred(paint((40, 32, 30), 120), 3))


def _standing(shot: Shot) -> tuple[float, float, float]:
    rng, box = shot.rng, shot.drawing.bounds()
    _room(shot, rng.uniform(200, 270))
    size = rng.uniform(0.62, 0.78)
    scale = size * min(WIDTH / box.width(), HEIGHT / box.height())
    foot = rng.uniform(392, 430)
    x = rng.uniform(-16, 16)
    wide = box.width() * scale / 2
    canvas = shot.canvas
    for deep, alpha, soft in ((16.0, 120, 9.0), (7.0, 150, 4.0)):
        spot = skia.Rect.MakeLTRB(x - wide * 0.98, foot - deep, x + wide * 1.04, foot + deep * 0.8)
        canvas.drawOval(spot, blurred(paint((24, 20, 22), alpha), soft))
    shot.both(_fitted(box, size, x, foot - box.height() * scale / 2))
    flip = skia.Matrix.Scale(-1 if rng.random() < 0.5 else 1, 1)
    shot.both(flip)
    shot.both(skia.Matrix.RotateDeg(rng.uniform(-2.5, 2.5), skia.Point(box.centerX(), box.bottom())))
    shot.put(shot.drawing.parts)
    return (1.0, 2.0, 2.5)


def _hung(shot: Shot) -> tuple[float, float, float]:
    rng, box = shot.rng, shot.drawing.bounds()
    canvas = shot.canvas
    shot.both(skia.Matrix.RotateDeg(rng.uniform(-2.5, 2.5), skia.Point(0, 256)))
    if rng.random() < 0.5:
        _room(shot, rng.uniform(452, 486))
    else:
        canvas.drawRect(_EVERYWHERE, ground_paint(rng, "plaster", 1.2))
    top = hook(shot.garment, shot.drawing)
    whole = skia.Rect.MakeLTRB(box.left(), top[1] - 30, box.right(), box.bottom())
    shot.both(_fitted(whole, rng.uniform(0.74, 0.86), rng.uniform(-12, 12), 250 + rng.uniform(-8, 14)))
    paint_rail(canvas, rng, top)
    behind, front = split(shot.drawing.parts)
    shot.put(behind)
    paint_hanger(shot.layer if behind else canvas, shot.garment, shot.drawing)
    shot.put(front)
    return (5.0, 6.0, 5.0)


def _worn(shot: Shot) -> tuple[float, float, float]:
    rng = shot.rng
    top, low = frame(shot.garment, shot.drawing)
    scale = HEIGHT / (low - top)
    (_room if rng.random() < 0.55 else _outdoors)(shot, rng.uniform(400, 455))
    turn = rng.uniform(-2, 2)
    for canvas in (shot.canvas, shot.layer):
        canvas.translate(rng.uniform(-2, 2) + turn * 6, 0)
        canvas.rotate(turn)
        canvas.scale(scale, scale)
        canvas.translate(0, -top)
    behind, front = split(shot.drawing.parts)
    paint_garment(shot.canvas, shot.garment, behind, shot.drawing.bounds(), shadow=False)
    paint_figure(shot.canvas, shot.garment)
    shot.put(front)
    return (1.5, 2.5, 3.0)


def _outdoors(shot: Shot, floor_y: float) -> None:
    """A street out of focus: houses, a pavement, spots of light."""
    canvas, rng = shot.canvas, shot.rng
    canvas.drawRect(_EVERYWHERE, paint(rng.choice(((206, 218, 228), (226, 222, 214), (190, 200, 206)))))
    tones = ((176, 150, 132), (150, 156, 160), (196, 184, 166), (128, 120, 118), (168, 176, 160), (142, 150, 130))
    for step in range(5):
        left = -230 + step * 92 + rng.uniform(-14, 14)
        house = skia.Rect.MakeLTRB(left, rng.uniform(-60, 120), left + rng.uniform(80, 120), floor_y - 12)
        canvas.drawRect(house, blurred(paint(rng.choice(tones)), 7))
        for _ in range(4):
            x, y = rng.uniform(house.left(), house.right()), rng.uniform(house.top() + 20, floor_y - 60)
            canvas.drawRect(
                skia.Rect.MakeXYWH(x, y, 16, 26), blurred(paint(rng.choice(((70, 76, 86), (246, 226, 180))), 150), 5)
            )
    for _ in range(4):
        x, y = rng.uniform(-190, 190), rng.uniform(60, floor_y - 40)
        canvas.drawCircle(x, y, rng.uniform(20, 46), blurred(paint((96, 118, 84), 150), 11))
    canvas.drawRect(skia.Rect.MakeLTRB(-400, floor_y, 400, 800), blurred(paint((150, 148, 146)), 5))
    canvas.drawRect(skia.Rect.MakeLTRB(-400, floor_y + 20, 400, floor_y + 26), blurred(paint((190, 188, 184)), 4))


_WAYS: Mapping[str, Callable[[Shot], tuple[float, float, float]]] = {
    "laid": _laid,
    "standing": _standing,
    "hung": _hung,
    "worn": _worn,
}
"""How a garment is shown -> what draws it; gives its shadow's shift right, shift down and softness."""


def _rumpled(pixels: NDArray[np.uint8], rng: random.Random, strength: float) -> NDArray[np.uint8]:
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


def _lay(canvas: skia.Canvas, pixels: NDArray[np.uint8], shadow: tuple[float, float, float], height: int) -> None:
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


def _light(canvas: skia.Canvas, rng: random.Random, way: str) -> None:
    """One side lies in the shade; sometimes the sun falls through a window."""
    angle = rng.uniform(0, math.tau)
    dx, dy = math.cos(angle) * 300, math.sin(angle) * 330
    warm = rng.choice(((196, 190, 200), (206, 196, 182), (188, 194, 206), (170, 164, 164)))
    shade = skia.GradientShader.MakeLinear(
        [skia.Point(-dx, 256 - dy), skia.Point(dx, 256 + dy)],
        [skia.ColorWHITE, skia.ColorSetARGB(255, 246, 244, 242), skia.ColorSetARGB(255, *warm)],
        [0.0, 0.45, 1.0],
    )
    canvas.drawRect(_EVERYWHERE, skia.Paint(Shader=shade, BlendMode=skia.BlendMode.kMultiply))
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


def _sensor(taken: NDArray[np.uint8], rng: random.Random) -> NDArray[np.uint8]:
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

"""A user's picture of a garment: laid down, hung up, put on the floor or worn, in uneven light; and its cut-out."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import skia
from PIL import Image

from builders.studio.camera import EVERYWHERE, lay, light, rumpled, sensor
from builders.studio.fabric import seeded
from builders.studio.figure import WORN, frame, paint_figure, split
from builders.studio.garment import Garment, family
from builders.studio.grounds import FLOORS, LAID, ground_paint
from builders.studio.hanging import hook, paint_hanger, paint_rail
from builders.studio.painting import blurred, paint_garment
from builders.studio.patterns import paint
from builders.studio.pen import HEIGHT, WIDTH, Drawing, Part
from builders.studio.shapes import draw

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
        pixels = rumpled(pixels, rng, 0.5 if way == "worn" else 1.0)
    canvas = shot.canvas
    canvas.resetMatrix()
    lay(canvas, pixels, shadow, height)
    canvas.concat(base)
    light(canvas, rng, way)
    taken = ground.makeImageSnapshot().toarray(colorType=skia.kRGBA_8888_ColorType)[:, :, :3]
    return Image.fromarray(sensor(taken, rng)), Image.fromarray(np.ascontiguousarray(pixels[:, :, 3]))


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
        return ("laid", "laid", "hung", *(() if garment.neckline == "Hooded" else ("worn", "worn")))
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


def _laid(shot: Shot) -> tuple[float, float, float]:
    rng = shot.rng
    shot.both(_tilted(rng, 34))
    small = family(shot.garment.kind) in _RIGID
    name = rng.choice(("boards", "linen", "stone", "boards", "carpet") if small else LAID)
    shot.canvas.drawRect(EVERYWHERE, ground_paint(rng, name, rng.uniform(0.5, 0.8), rng.choice((0, 90, 8, -14, 35))))
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
    canvas.drawRect(EVERYWHERE, ground_paint(rng, "plaster", 1.2))
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
        canvas.drawRect(EVERYWHERE, ground_paint(rng, "plaster", 1.2))
    top = hook(shot.garment, shot.drawing)
    whole = skia.Rect.MakeLTRB(box.left(), top[1] - 30, box.right(), box.bottom())
    shot.both(_fitted(whole, rng.uniform(0.74, 0.86), rng.uniform(-12, 12), 250 + rng.uniform(-8, 14)))
    paint_rail(canvas, rng, top)
    behind, front = split(shot.garment, shot.drawing)
    paint_garment(canvas, shot.garment, behind, box, shadow=False)
    paint_hanger(canvas, shot.garment, shot.drawing)
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
    behind, front = split(shot.garment, shot.drawing)
    paint_garment(shot.canvas, shot.garment, behind, shot.drawing.bounds(), shadow=False)
    paint_figure(shot.canvas, shot.garment, shot.drawing)
    shot.put(front)
    return (1.5, 2.5, 3.0)


def _outdoors(shot: Shot, floor_y: float) -> None:
    """A street out of focus: houses, a pavement, spots of light."""
    canvas, rng = shot.canvas, shot.rng
    canvas.drawRect(EVERYWHERE, paint(rng.choice(((206, 218, 228), (226, 222, 214), (190, 200, 206)))))
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

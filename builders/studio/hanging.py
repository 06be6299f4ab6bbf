"""Hangers, and what they hang from."""

from __future__ import annotations

import random

import skia

from builders.studio.fabric import seeded
from builders.studio.figure import LEGGED, WHOLE
from builders.studio.garment import Garment
from builders.studio.painting import blurred
from builders.studio.patterns import paint
from builders.studio.pen import Drawing, Pen, line, oval, stroked

_WOODS = ((190, 142, 94), (226, 200, 164), (110, 74, 52), (52, 48, 48), (240, 238, 234))
_STEEL = (150, 152, 158)


def hook(garment: Garment, drawing: Drawing) -> tuple[float, float]:
    """Where the hanger hangs: above the neck, or above the waistband."""
    if garment.kind in LEGGED:
        return 0.0, drawing.bounds().top() - 62
    return 0.0, _neck_y(garment) - 70


def _neck_y(garment: Garment) -> float:
    return 44.0 if garment.kind in WHOLE else 84.0


def paint_hanger(canvas: skia.Canvas, garment: Garment, drawing: Drawing) -> None:
    wood = seeded(garment, "hanger").choice(_WOODS)
    x, top = hook(garment, drawing)
    if garment.kind in LEGGED:
        _clips(canvas, drawing, top)
        return
    y = _neck_y(garment)
    wide = 60.0 if garment.kind in WHOLE else 82.0
    _hook(canvas, x, top, y - 8)
    bar = Pen(-wide, y + 20).curve(-wide * 0.6, y + 2, -20, y - 8, 0, y - 10)
    bar.curve(20, y - 8, wide * 0.6, y + 2, wide, y + 20)
    outline = stroked(bar.open(), 12, True)
    canvas.drawPath(outline, paint(wood))
    canvas.drawPath(stroked(bar.open(), 4, True), blurred(paint((255, 255, 255), 70), 2))
    canvas.drawPath(outline, paint((60, 44, 36), 150, 1.1))


def _hook(canvas: skia.Canvas, x: float, top: float, low: float) -> None:
    wire = Pen(x, low).to(x, top + 26).curve(x + 2, top + 18, x + 15, top + 18, x + 15, top + 8)
    wire.curve(x + 15, top - 8, x - 13, top - 8, x - 13, top + 8)
    canvas.drawPath(stroked(wire.open(), 4.2, True), paint((80, 82, 88)))
    canvas.drawPath(stroked(wire.open(), 2.4, True), paint(_STEEL))


def _clips(canvas: skia.Canvas, drawing: Drawing, top: float) -> None:
    """A bar with two clips that hold the waistband."""
    y = drawing.bounds().top()
    _hook(canvas, 0, top, y - 18)
    canvas.drawPath(stroked(line(-66, y - 16, 66, y - 16), 6, True), paint((70, 72, 78)))
    canvas.drawPath(stroked(line(-66, y - 17, 66, y - 17), 3, True), paint(_STEEL))
    for at in (-46.0, 46.0):
        canvas.drawPath(stroked(line(at, y - 18, at, y + 10), 13), paint((62, 62, 68)))
        canvas.drawPath(stroked(line(at - 2, y - 16, at - 2, y + 6), 3), paint((150, 150, 156)))


def paint_rail(canvas: skia.Canvas, rng: random.Random, top: tuple[float, float]) -> None:
    """A rod across the picture, a nail or a knob on the wall."""
    x, y = top
    way = rng.choice(("rod", "knob", "knob"))
    if way == "rod":
        tone = rng.choice(((66, 60, 58), (196, 160, 96), (176, 178, 184), (168, 122, 80)))
        canvas.drawPath(stroked(line(-600, y + 14, 600, y + 14), 9), blurred(paint((30, 26, 26), 80), 5))
        canvas.drawPath(stroked(line(-600, y + 4, 600, y + 4), 10), paint(tone))
        canvas.drawPath(stroked(line(-600, y + 1.5, 600, y + 1.5), 2.4), paint((255, 255, 255), 90))
        return
    canvas.drawPath(oval(x + 4, y + 12, 12, 11), blurred(paint((30, 26, 26), 90), 4))
    canvas.drawPath(oval(x, y + 3, 10), paint(rng.choice(((120, 86, 60), (60, 58, 60), (220, 214, 206)))))
    canvas.drawPath(oval(x - 3, y, 3), paint((255, 255, 255), 130))
